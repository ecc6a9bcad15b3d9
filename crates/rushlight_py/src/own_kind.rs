//! Tensors of a kind that Python keeps (sparse ones); `own_calls.rs` hands calls with one among their arguments over.
//!
//! What the extension holds of such a tensor has its sizes and dtype, and no elements. Until the first one is made, calls
//! look at a flag and nothing else.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyTuple, PyType};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Why such a tensor is no value of a script.
pub const NOT_IN_SCRIPTS: &str =
    "sparse tensors are not part of scripts: to_dense() makes a dense one";

static SEEN: AtomicBool = AtomicBool::new(false);
static KIND: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Makes a class one whose tensors are called by `class._call(operator, args, kwargs)`. There is one such class.
#[pyfunction]
pub fn register_kind(class: &Bound<'_, PyType>) {
    KIND.get_or_init(class.py(), || class.clone().unbind());
    SEEN.store(true, Relaxed);
}

/// Whether there is such a class.
#[inline]
pub fn is_known() -> bool {
    SEEN.load(Relaxed)
}

/// The class, once there is one.
pub fn class<'py>(py: Python<'py>) -> Option<&'py Bound<'py, PyType>> {
    KIND.get(py).map(|kind| kind.bind(py))
}

/// Whether an object is a tensor of such a kind.
#[inline]
pub fn is_own(object: &Bound<'_, PyAny>) -> bool {
    is_known() && class(object.py()).is_some_and(|kind| object.get_type().is(kind))
}

/// Whether an object is one, or a list of tensors that has one.
pub fn is_among(object: &Bound<'_, PyAny>) -> bool {
    if let Ok(list) = object.cast::<PyList>() {
        return list.iter().any(|item| is_own(&item));
    }
    match object.cast::<PyTuple>() {
        Ok(tuple) => tuple.iter().any(|item| is_own(&item)),
        Err(_) => is_own(object),
    }
}
