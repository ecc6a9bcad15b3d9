//! Truth values that need another operator: comparing tensors inside lists goes through the operator table.

use super::whole_table;
use rushlight_tensor::Tensor;
use rushlight_types::{Context, Fault, Result, Value};

/// The one truth value of a comparison of two tensors by the operator of that name.
pub(super) fn tensor_truth(cx: &Context, operator: &str, a: &Tensor, b: &Tensor) -> Result<bool> {
    let tensors = [a, b].map(|t| Value::Tensor(t.clone()));
    truth(&whole_table::call(cx, operator, tensors.into())?)
}

/// Whether a tensor of one element is anything but zero.
pub(super) fn truth(t: &Tensor) -> Result<bool> {
    match t.numel() {
        1 => Ok(t.item()?.to_bool()),
        0 => Err(Fault::runtime(
            "Boolean value of Tensor with no values is ambiguous",
        )),
        _ => Err(Fault::runtime(
            "Boolean value of Tensor with more than one value is ambiguous",
        )),
    }
}
