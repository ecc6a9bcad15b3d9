//! Calls of operators with a tensor of a kind that Python keeps (see `own_kind.rs`): they go to the class of the kind.

use crate::binding::Arguments;
use crate::own_kind;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// Makes the call where an argument is of such a kind; `None` where none is.
#[inline]
pub fn call<'py>(
    py: Python<'py>,
    arguments: &Arguments<'_, 'py>,
) -> Option<PyResult<Bound<'py, PyAny>>> {
    if !own_kind::is_known() {
        return None;
    }
    let mut named = arguments.named.iter().map(|(_, value)| value);
    let found =
        arguments.positional.iter().any(own_kind::is_among) || named.any(own_kind::is_among);
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
    let kind = own_kind::class(py)
        .ok_or_else(|| PyRuntimeError::new_err("a kind of tensors was not registered"))?;
    let positional = PyTuple::new(py, arguments.positional)?;
    kind.call_method1("_call", (arguments.overloads.name, positional, named))
}
