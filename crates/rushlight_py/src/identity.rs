//! Python objects of tensors that must come back as themselves: parameters and buffers of modules.
//!
//! A tensor keeps its identity on its own; most Python objects are made afresh around it. The objects remembered here
//! are found again by the tensor they stand for, so that `module.weight is scripted.weight`.

use crate::tensor::PyTensor;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyWeakrefReference;
use rushlight::Tensor;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

#[derive(Default)]
struct Remembered {
    objects: HashMap<usize, Py<PyWeakrefReference>>,
    /// The size at which dead entries are looked for.
    sweep_at: usize,
}

fn remembered() -> &'static Mutex<Remembered> {
    static OBJECTS: OnceLock<Mutex<Remembered>> = OnceLock::new();
    OBJECTS.get_or_init(Mutex::default)
}

/// Makes an object the one that Python gets for its tensor from now on.
#[pyfunction]
pub fn remember_tensor(py: Python<'_>, object: &Bound<'_, PyAny>) -> PyResult<()> {
    let id = object.cast::<PyTensor>()?.get().0.id();
    let reference = PyWeakrefReference::new(object)?.unbind();
    if let Ok(mut known) = remembered().lock() {
        if known.objects.len() >= known.sweep_at {
            known.objects.retain(|_, r| alive(py, r).is_some());
            known.sweep_at = known.objects.len() * 2 + 256;
        }
        known.objects.insert(id, reference);
    }
    Ok(())
}

fn alive<'py>(py: Python<'py>, reference: &Py<PyWeakrefReference>) -> Option<Bound<'py, PyAny>> {
    use pyo3::types::PyWeakrefMethods;
    reference.bind(py).upgrade()
}

/// The object remembered for a tensor.
fn find<'py>(py: Python<'py>, tensor: &Tensor) -> Option<Bound<'py, PyAny>> {
    let known = remembered().lock().ok()?;
    let object = alive(py, known.objects.get(&tensor.id())?)?;
    // Addresses are used again: the object must still stand for this very tensor.
    is_tensor(&object, tensor).then_some(object)
}

/// A Python object for a tensor: the remembered one, else a new one.
pub fn tensor_object<'py>(py: Python<'py>, tensor: Tensor) -> PyResult<Bound<'py, PyAny>> {
    match find(py, &tensor) {
        Some(object) => Ok(object),
        None => PyTensor(tensor).into_bound_py_any(py),
    }
}

/// The Python object of a tensor that a module holds: one and the same for as long as somebody has it.
pub fn lasting_object<'py>(py: Python<'py>, tensor: Tensor) -> PyResult<Bound<'py, PyAny>> {
    if let Some(object) = find(py, &tensor) {
        return Ok(object);
    }
    let object = PyTensor(tensor).into_bound_py_any(py)?;
    remember_tensor(py, &object)?;
    Ok(object)
}

/// Makes an object the one of its tensor where there is none yet.
pub fn remember_if_new(object: &Bound<'_, PyTensor>) -> PyResult<()> {
    match find(object.py(), &object.get().0) {
        Some(_) => Ok(()),
        None => remember_tensor(object.py(), object.as_any()),
    }
}

/// Whether an object is this tensor.
pub fn is_tensor(object: &Bound<'_, PyAny>, tensor: &Tensor) -> bool {
    object
        .cast::<PyTensor>()
        .is_ok_and(|given| given.get().0.is(tensor))
}
