//! One Python object for a tensor: a tensor that comes back to Python is the object that went in, as long as somebody has it.
//!
//! The object that stands for a tensor leaves its address in the tensor (`Tensor::host_mark`) and takes it away when it
//! goes. All of this happens while the thread holds the interpreter, so an address that is read there is that of an object
//! that is still there, except while it is being taken apart: its count of references is zero then.

use crate::own_kind::stood_for;
use pyo3::prelude::*;
use pyo3::{IntoPyObjectExt, ffi};
use rushlight::Tensor;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// Whether an object is the one that stands for its tensor: its own address if it is, else null.
#[derive(Default)]
pub struct Standing(AtomicPtr<()>);

impl Standing {
    /// Takes the address out of the tensor, if it is still there.
    pub fn end(&self, tensor: &Tensor) {
        let own = self.0.load(Relaxed);
        if !own.is_null() {
            // Another object may have taken the place.
            let _ = tensor
                .host_mark()
                .compare_exchange(own, null_mut(), Relaxed, Relaxed);
        }
    }
}

/// A tensor.
#[pyclass(name = "Tensor", module = "torch", subclass, frozen, weakref, dict)]
pub struct PyTensor(pub Tensor, pub Standing);

impl PyTensor {
    /// An object for a tensor; see [`tensor_object`] for the one that Python gets.
    pub fn new(tensor: Tensor) -> PyTensor {
        PyTensor(tensor, Standing::default())
    }
}

impl Drop for PyTensor {
    fn drop(&mut self) {
        self.1.end(&self.0);
    }
}

/// Makes an object the one that Python gets for its tensor from now on.
#[pyfunction]
pub fn remember_tensor(object: &Bound<'_, PyTensor>) {
    let address = object.as_ptr().cast();
    let PyTensor(tensor, standing) = object.get();
    standing.0.store(address, Relaxed);
    tensor.host_mark().store(address, Relaxed);
}

/// The object that stands for a tensor.
fn find<'py>(py: Python<'py>, tensor: &Tensor) -> Option<Bound<'py, PyAny>> {
    let address: *mut ffi::PyObject = tensor.host_mark().load(Relaxed).cast();
    if address.is_null() {
        return None;
    }
    // SAFETY: the address is that of an object which takes it away in its `Drop`, before its memory is given back; both
    // happen under the interpreter's lock, which `py` says this thread holds. Its memory is therefore still that object's.
    // While it is being taken apart its count is zero, and it must not be handed out again.
    unsafe { (ffi::Py_REFCNT(address) > 0).then(|| Bound::from_borrowed_ptr(py, address)) }
}

/// The Python object for a tensor: the one that stands for it, else a new one that does from now on.
pub fn tensor_object<'py>(py: Python<'py>, tensor: Tensor) -> PyResult<Bound<'py, PyAny>> {
    if let Some(object) = find(py, &tensor).or_else(|| stood_for(py, &tensor)) {
        return Ok(object);
    }
    let object = PyTensor::new(tensor).into_bound_py_any(py)?;
    remember_tensor(object.cast::<PyTensor>()?);
    Ok(object)
}

/// The tensor of an object, which stands for it from now on where no other does.
pub fn tensor_of(object: &Bound<'_, PyTensor>) -> Tensor {
    let tensor = object.get().0.clone();
    if tensor.host_mark().load(Relaxed).is_null() {
        remember_tensor(object);
    }
    tensor
}
