//! Calls of operators of `torch.ops` that fit none of their schemas: each schema says why, in the words of scripts.

use crate::call;
use pyo3::PyErr;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rushlight::types::Operator;

/// Why none of the overloads takes the arguments; `None` where one does, and something else was wrong.
pub fn refusal(
    py: Python<'_>,
    overloads: &[&'static Operator],
    args: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> Option<PyErr> {
    let mut refusals = Vec::new();
    for operator in overloads {
        let refusal = call::bind(operator.schema(), None, args, kwargs).err()?;
        refusals.push(refusal);
    }
    if refusals.len() < 2 {
        return refusals.pop();
    }
    let mut message =
        "Overloaded torch operator invoked from Python failed to match any schema:\n".to_string();
    for refusal in &refusals {
        message.push_str(&format!("{}\n\n", refusal.value(py)));
    }
    Some(PyRuntimeError::new_err(message))
}
