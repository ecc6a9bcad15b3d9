//! What hooks of nodes answer, which has to be like the gradients that they were shown.

use crate::identity::{PyTensor, tensor_of};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rushlight::Tensor;

/// What a hook of a node answered: None, or a tuple with a tensor like each gradient, or None.
pub fn gradients_of(
    hook: &Bound<'_, PyAny>,
    answer: Bound<'_, PyAny>,
    before: &[Option<Tensor>],
) -> PyResult<Option<Vec<Option<Tensor>>>> {
    if answer.is_none() {
        return Ok(None);
    }
    let Ok(items) = answer.cast::<PyTuple>() else {
        let name = answer.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "expected tuple, but hook returned '{name}'"
        )));
    };
    if items.len() != before.len() {
        return Err(PyRuntimeError::new_err(format!(
            "hook '{}' has returned an incorrect number of values (got {}, but expected {})",
            hook_name(hook),
            items.len(),
            before.len()
        )));
    }
    let items = items.iter().zip(before).map(|(item, before)| {
        if item.is_none() {
            return Ok(None);
        }
        match (item.cast::<PyTensor>(), before) {
            (Err(_), _) => Err(not_a_tensor(&item)?),
            (Ok(_), None) => Err(PyRuntimeError::new_err(
                "can't replace a None gradient with a non-None value",
            )),
            (Ok(tensor), Some(before)) => {
                let tensor = tensor_of(tensor);
                check_answer(hook, &tensor, before)?;
                Ok(Some(tensor))
            }
        }
    });
    items.collect::<PyResult<Vec<_>>>().map(Some)
}

/// What messages call a hook.
fn hook_name(hook: &Bound<'_, PyAny>) -> String {
    let name = hook.getattr("__name__").and_then(|name| name.extract());
    name.unwrap_or_else(|_| "<unknown>".into())
}

/// Refuses the answer of a hook that is not of the gradient's dtype and sizes.
fn check_answer(hook: &Bound<'_, PyAny>, answer: &Tensor, before: &Tensor) -> PyResult<()> {
    let what = match answer.dtype() == before.dtype() {
        true if answer.sizes() == before.sizes() => return Ok(()),
        true => "size of value".to_string(),
        false => format!(
            "type of value (was {} got {})",
            before.dtype().tensor_type_name(),
            answer.dtype().tensor_type_name()
        ),
    };
    Err(PyRuntimeError::new_err(format!(
        "hook '{}' has changed the {what}",
        hook_name(hook)
    )))
}

/// The refusal of what a hook returned.
pub fn not_a_tensor(answer: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let name = answer.get_type().name()?;
    Ok(PyTypeError::new_err(format!(
        "expected Variable, but hook returned '{name}'"
    )))
}
