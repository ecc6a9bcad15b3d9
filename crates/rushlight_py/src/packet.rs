//! Calls of operators of `torch.ops` by their schemas: which one takes the arguments, or why none does, in the words of scripts.

use crate::call;
use pyo3::PyErr;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rushlight::types::Operator;

/// The overloads that take the arguments. Those that take things of any type are for scripts alone.
pub fn fitting(
    overloads: &'static [&'static Operator],
    args: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> impl Iterator<Item = &'static &'static Operator> {
    let takes = move |row: &&&Operator| {
        !is_open(row) && call::bind(row.schema(), None, args, kwargs).is_ok()
    };
    overloads.iter().filter(takes)
}

/// Whether an overload takes things of any type.
fn is_open(operator: &Operator) -> bool {
    let mut arguments = operator.schema().arguments.iter();
    arguments.any(|argument| argument.ty.has_variables())
}

/// Why none of the overloads takes the arguments; `None` where one does, and something else was wrong.
pub fn refusal(
    py: Python<'_>,
    overloads: &[&'static Operator],
    args: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> Option<PyErr> {
    let mut refusals = Vec::new();
    for operator in overloads {
        match call::bind(operator.schema(), None, args, kwargs) {
            Err(refusal) => refusals.push(refusal),
            Ok(_) if is_open(operator) => {}
            Ok(_) => return None,
        }
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
