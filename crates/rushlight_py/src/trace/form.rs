//! Inputs and outputs of traces: how Python objects are made up of tensors.

use super::recording;
use crate::convert::infer;
use crate::errors;
use crate::identity::{PyTensor, tensor_of};
use crate::operator::call_values;
use crate::own_kind;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use rushlight::frontend::trace::TracedForm;
use rushlight::types::Type;
use rushlight::{Tensor, Value};
use std::collections::HashSet;

/// The identities of the tensors that inputs consist of.
#[derive(Default)]
pub struct Given {
    /// Those of the program.
    seen: HashSet<usize>,
    /// Those of the trace that stand for what the program gave before.
    pub repeated: HashSet<usize>,
}

/// An input: its form, and the object that the program is called with. Its tensors are the caller's, which sees what
/// the program does to them; one that comes again, or that `is_known` to the trace, is a view of that. Containers are new.
pub fn input_form<'py>(
    object: &Bound<'py, PyAny>,
    given: &mut Given,
    is_known: &dyn Fn(&Tensor) -> bool,
) -> PyResult<(TracedForm, Bound<'py, PyAny>)> {
    let py = object.py();
    if own_kind::is_own(object) {
        return Err(PyRuntimeError::new_err(
            "sparse tensors are not part of traces: to_dense() makes a dense one",
        ));
    }
    if let Ok(tensor) = object.cast::<PyTensor>() {
        let original = &tensor.get().0;
        if given.seen.insert(original.id()) && !is_known(original) {
            return Ok((TracedForm::Tensor(original.clone()), object.clone()));
        }
        let sizes: Vec<i64> = original.sizes().iter().map(|n| *n as i64).collect();
        let arguments = vec![Value::Tensor(original.clone()), sizes.into()];
        let view = recording::paused(|| call_values(py, "aten::view", arguments))?;
        let view = view.as_tensor().cloned().map_err(errors::fault)?;
        given.repeated.insert(view.id());
        let out = PyTensor::new(view.clone()).into_bound_py_any(py)?;
        return Ok((TracedForm::Tensor(view), out));
    }
    if let Ok(dict) = object.cast::<PyDict>() {
        let (mut entries, out) = (Vec::new(), PyDict::new(py));
        for (key, value) in dict.iter() {
            let (form, copy) = input_form(&value, given, is_known)?;
            out.set_item(&key, copy)?;
            entries.push((key_of(&key)?, form));
        }
        let element = element_type(entries.iter().map(|(_, form)| form));
        return Ok((TracedForm::Dict(entries, element), out.into_any()));
    }
    let (mut forms, mut copies) = (Vec::new(), Vec::new());
    for item in object.try_iter()? {
        let (form, copy) = input_form(&item?, given, is_known)?;
        forms.push(form);
        copies.push(copy);
    }
    if object.cast::<PyList>().is_ok() {
        let element = element_type(forms.iter());
        return Ok((
            TracedForm::List(forms, element),
            PyList::new(py, copies)?.into_any(),
        ));
    }
    // Tuples with names lose them, as in the reference.
    let out = PyTuple::new(py, copies)?.into_any();
    Ok((TracedForm::Tuple(forms), out))
}

fn element_type<'a>(mut forms: impl Iterator<Item = &'a TracedForm>) -> Type {
    forms.next().map_or(Type::TENSOR, TracedForm::flat_type)
}

/// A key of a dictionary: a string, a whole number or a tensor.
fn key_of(key: &Bound<'_, PyAny>) -> PyResult<Value> {
    match infer(key)? {
        known @ (Value::Str(_) | Value::Int(_) | Value::Tensor(_)) => Ok(known),
        _ => Err(PyRuntimeError::new_err(
            "keys of traced dictionaries are strings, whole numbers or tensors",
        )),
    }
}

/// An output; what no trace can give is an error.
pub fn output_form(object: &Bound<'_, PyAny>) -> PyResult<TracedForm> {
    if let Ok(tensor) = object.cast::<PyTensor>() {
        return Ok(TracedForm::Tensor(tensor_of(tensor)));
    }
    let parts = |object: &Bound<'_, PyAny>| -> PyResult<Vec<TracedForm>> {
        object
            .try_iter()?
            .map(|item| output_form(&item?))
            .collect::<PyResult<Vec<TracedForm>>>()
    };
    if object.cast::<PyTuple>().is_ok() {
        return parts(object).map(TracedForm::Tuple);
    }
    if object.cast::<PyList>().is_ok() {
        let parts = parts(object)?;
        let element = element_type(parts.iter());
        return Ok(TracedForm::List(parts, element));
    }
    if let Ok(dict) = object.cast::<PyDict>() {
        let mut entries = Vec::new();
        for (key, value) in dict.iter() {
            entries.push((key_of(&key)?, output_form(&value)?));
        }
        let element = element_type(entries.iter().map(|(_, form)| form));
        return Ok(TracedForm::Dict(entries, element));
    }
    Err(PyRuntimeError::new_err(
        "Only tensors, lists, tuples of tensors, or dictionary of tensors can be output from traced functions",
    ))
}
