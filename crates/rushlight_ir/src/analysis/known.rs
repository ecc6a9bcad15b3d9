//! What is known of a value that is at hand.

use rushlight_tensor::Tensor;
use rushlight_types::{TensorInfo, Type};
use std::sync::Arc;

/// The type of a tensor with all that is known of it.
pub fn tensor_type(tensor: &Tensor) -> Type {
    Type::Tensor(Some(Arc::new(TensorInfo {
        dtype: Some(tensor.dtype()),
        sizes: Some(tensor.sizes().iter().map(|&n| Some(n)).collect()),
        strides: Some(tensor.strides().iter().map(|&n| Some(n)).collect()),
        device: Some(tensor.device()),
        requires_grad: Some(false),
        ..TensorInfo::default()
    })))
}
