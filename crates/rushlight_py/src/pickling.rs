//! Elements of tensors as bytes, for Python's own pickles.

use crate::errors;
use crate::objects::DTypeObject;
use crate::tensor::PyTensor;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rushlight::Tensor;
use rushlight::tensor::{DType, Layout, Storage};

/// The elements of a tensor in order.
#[pyfunction]
pub fn tensor_bytes<'py>(py: Python<'py>, tensor: &PyTensor) -> PyResult<Bound<'py, PyBytes>> {
    let dense = tensor.0.contiguous();
    let size = dense.dtype().size();
    let layout = Layout::strided(
        &[dense.numel() * size],
        &[1],
        dense.layout().offset() * size,
    );
    let bytes = Tensor::view_of(dense.storage(), DType::U8, layout).map_err(errors::fault)?;
    Ok(PyBytes::new(py, &bytes.to_vec::<u8>()))
}

/// A tensor from its elements in order.
#[pyfunction]
pub fn tensor_from_bytes(data: &[u8], dtype: DTypeObject, sizes: Vec<usize>) -> PyResult<PyTensor> {
    let dtype = dtype.0;
    let layout = Layout::contiguous(&sizes);
    if layout.end().and_then(|n| n.checked_mul(dtype.size())) != Some(data.len()) {
        return Err(PyValueError::new_err("the bytes do not fit the sizes"));
    }
    let storage = if dtype == DType::Bool {
        let truths: Vec<u8> = data.iter().map(|b| (*b != 0) as u8).collect();
        Storage::copy_of(&truths)
    } else {
        Storage::copy_of(data)
    };
    Tensor::view_of(&storage, dtype, layout)
        .map(PyTensor)
        .map_err(errors::fault)
}
