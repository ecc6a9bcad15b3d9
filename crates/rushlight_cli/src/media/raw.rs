//! The elements of a tensor as bytes, row by row, lowest byte first.

use crate::{Done, Failure};
use rushlight::tensor::layout::checked_numel;
use rushlight::tensor::{Layout, Storage};
use rushlight::{DType, Tensor};

/// The elements of a tensor.
pub fn bytes(tensor: &Tensor) -> Done<Vec<u8>> {
    let dense = tensor.contiguous_copy();
    let sizes = [dense.numel() * dense.dtype().size()];
    let bytes = Tensor::view_of(&dense.storage(), DType::U8, Layout::contiguous(&sizes))?;
    Ok(bytes.to_vec::<u8>())
}

/// A tensor of such bytes, of which there must be as many as it has.
pub fn tensor(dtype: DType, sizes: &[usize], bytes: &[u8]) -> Done<Tensor> {
    let length = checked_numel(sizes)?.checked_mul(dtype.size());
    if length != Some(bytes.len()) {
        return Err(Failure(format!(
            "a {} tensor of shape {sizes:?} does not have {} bytes",
            dtype.name(),
            bytes.len()
        )));
    }
    if dtype == DType::Bool && bytes.iter().any(|byte| *byte > 1) {
        return Err(Failure("a bool is neither 0 nor 1".into()));
    }
    let storage = Storage::copy_of(bytes);
    Ok(Tensor::view_of(&storage, dtype, Layout::contiguous(sizes))?)
}
