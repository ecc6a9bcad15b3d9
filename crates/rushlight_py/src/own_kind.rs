//! Tensors of a kind that Python keeps (sparse ones): calls with one among their arguments go to the class of the kind.
//!
//! What the extension holds of such a tensor has its sizes and dtype, and no elements. Until the first one is made, calls
//! look at a flag and nothing else.

use crate::binding::Arguments;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyTuple, PyType};
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

/// Whether an object is a tensor of such a kind.
#[inline]
pub fn is_own(object: &Bound<'_, PyAny>) -> bool {
    SEEN.load(Relaxed)
        && KIND
            .get(object.py())
            .is_some_and(|kind| object.get_type().is(kind.bind(object.py())))
}

/// Whether an object is one, or a list of tensors that has one.
fn has_own(object: &Bound<'_, PyAny>) -> bool {
    if let Ok(list) = object.cast::<PyList>() {
        return list.iter().any(|item| is_own(&item));
    }
    match object.cast::<PyTuple>() {
        Ok(tuple) => tuple.iter().any(|item| is_own(&item)),
        Err(_) => is_own(object),
    }
}

/// Makes the call where an argument is of such a kind.
#[inline]
pub fn call<'py>(
    py: Python<'py>,
    arguments: &Arguments<'_, 'py>,
) -> Option<PyResult<Bound<'py, PyAny>>> {
    if !SEEN.load(Relaxed) {
        return None;
    }
    let mut named = arguments.named.iter().map(|(_, value)| value);
    let found = arguments.positional.iter().any(has_own) || named.any(has_own);
    found.then(|| call_own(py, arguments))
}

/// Makes the call that an operator has refused, where it was to make a sparse tensor (`layout=torch.sparse_coo`).
#[cold]
pub fn of_layout<'py>(
    py: Python<'py>,
    arguments: &Arguments<'_, 'py>,
) -> Option<PyResult<Bound<'py, PyAny>>> {
    let mut named = arguments.named.iter();
    let (_, layout) = named.find(|(name, _)| name.to_str().is_ok_and(|name| name == "layout"))?;
    let sparse = layout.str().ok()?.to_string().starts_with("torch.sparse");
    sparse.then(|| {
        let makers = py.import("rushlight._sparse._makers")?;
        let positional = PyTuple::new(py, arguments.positional)?;
        let made = (
            arguments.overloads.name,
            positional,
            named_objects(py, arguments)?,
        );
        makers.call_method1("of_layout", made)
    })
}

fn named_objects<'py>(
    py: Python<'py>,
    arguments: &Arguments<'_, 'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let named = PyDict::new(py);
    for (name, value) in arguments.named {
        named.set_item(name, value)?;
    }
    Ok(named)
}

#[cold]
fn call_own<'py>(py: Python<'py>, arguments: &Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let named = named_objects(py, arguments)?;
    let kind = KIND.get(py).map(|kind| kind.bind(py));
    let kind = kind.ok_or_else(|| {
        pyo3::exceptions::PyRuntimeError::new_err("a kind of tensors was not registered")
    })?;
    let positional = PyTuple::new(py, arguments.positional)?;
    kind.call_method1("_call", (arguments.overloads.name, positional, named))
}
