//! Tensors of a kind that Python keeps (sparse ones); `own_calls.rs` hands calls with one among their arguments over.
//!
//! What the extension holds of such a tensor has its sizes and dtype, and no elements. Until the first one is made, calls
//! look at a flag and nothing else. Scripts get a tensor that stands for the object ([`Tensor::kept`]), and their calls with
//! one come here.

use crate::defined::results;
use crate::errors;
use crate::identity::{PyTensor, tensor_object, tensor_of};
use crate::operator::argument;
use pyo3::exceptions::{PyIndexError, PyKeyboardInterrupt, PyNotImplementedError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyTuple, PyType};
use rushlight::types::{
    Argument, Call, ErrorClass, Keeper, KeptParts, Operator, Result, set_keeper,
};
use rushlight::{Fault, Tensor, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static SEEN: AtomicBool = AtomicBool::new(false);
static KIND: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Makes a class one whose tensors are called by `class._call(operator, args, kwargs)`. There is one such class.
#[pyfunction]
pub fn register_kind(class: &Bound<'_, PyType>) {
    KIND.get_or_init(class.py(), || class.clone().unbind());
    SEEN.store(true, Relaxed);
}

/// Lets scripts hand tensors of the kind over.
pub fn install() {
    set_keeper(Box::new(Kind));
}

/// The class, made where there is none yet.
fn class_of_kind<'py>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyType>> {
    if class(py).is_none() {
        py.import("rushlight._sparse")?;
    }
    class(py).ok_or_else(|| PyRuntimeError::new_err("a kind of tensors was not registered"))
}

/// The tensor that stands for an object in a script.
pub fn standing_in(object: &Bound<'_, PyTensor>) -> Result<Tensor> {
    let own = &object.get().0;
    let what = Arc::new(object.clone().into_any().unbind());
    let tensor = Tensor::kept_outside(own.layout(), own.dtype(), what)?;
    let requires_grad = object.getattr("requires_grad");
    if requires_grad.is_ok_and(|is| is.is_truthy().unwrap_or_default()) {
        tensor.set_requires_grad(true);
    }
    Ok(tensor)
}

/// The object that a tensor of a script stands for.
pub fn stood_for<'py>(py: Python<'py>, tensor: &Tensor) -> Option<Bound<'py, PyAny>> {
    let what = tensor.kept()?;
    let object = what.downcast_ref::<Py<PyAny>>()?;
    Some(object.bind(py).clone())
}

/// Makes calls of scripts with such tensors: `class._call_from_script(operator, args, kwargs)`.
struct Kind;

impl Keeper for Kind {
    fn call(&self, operator: &Operator, call: &mut Call<'_>) -> Result<()> {
        let results = Python::attach(|py| {
            let object = ask(py, operator, call).map_err(|error| raised(py, error))?;
            results(operator.schema(), &object)
        })?;
        call.finish_many(results)
    }

    fn parts(&self, tensor: &Tensor) -> Result<KeptParts> {
        let parts = Python::attach(|py| {
            let object = stood_for(py, tensor)
                .ok_or_else(|| PyRuntimeError::new_err("a kept tensor of somebody else"))?;
            let parts = object.call_method0("_parts")?;
            let (layout, size, tensors): (i64, Vec<i64>, Vec<Bound<'_, PyTensor>>) =
                parts.extract()?;
            PyResult::Ok(KeptParts {
                layout,
                size,
                tensors: tensors.iter().map(tensor_of).collect(),
            })
        });
        parts.map_err(|error| Python::attach(|py| raised(py, error)))
    }

    fn whole(&self, parts: KeptParts) -> Result<Tensor> {
        Python::attach(|py| {
            let tensors = parts.tensors.into_iter().map(|t| tensor_object(py, t));
            let tensors = tensors.collect::<PyResult<Vec<_>>>();
            let made = tensors.and_then(|tensors| {
                let given = (parts.layout, parts.size, tensors);
                let made = class_of_kind(py)?.call_method1("_from_parts", given)?;
                Ok(made.cast_into::<PyTensor>()?)
            });
            standing_in(&made.map_err(|error| raised(py, error))?)
        })
    }
}

/// What a rule of the class raised, as the fault of the operator that it stands for.
fn raised(py: Python<'_>, error: PyErr) -> Fault {
    if error.is_instance_of::<PyKeyboardInterrupt>(py) {
        return errors::interrupt(error);
    }
    let class = if error.is_instance_of::<PyNotImplementedError>(py) {
        ErrorClass::NotImplemented
    } else if error.is_instance_of::<PyIndexError>(py) {
        ErrorClass::Index
    } else {
        ErrorClass::Runtime
    };
    Fault::new(class, error.value(py).to_string())
}

/// Calls the class's function: arguments at the end that have their defaults are left out.
fn ask<'py>(py: Python<'py>, operator: &Operator, call: &Call<'_>) -> PyResult<Bound<'py, PyAny>> {
    let given: Vec<_> = operator
        .schema()
        .arguments
        .iter()
        .zip(call.inputs())
        .collect();
    let is_given = |(formal, value): &(&Argument, &Value)| {
        formal
            .default
            .as_ref()
            .is_none_or(|default| default != *value)
    };
    let last = given
        .iter()
        .rposition(|pair| !pair.0.kwarg_only && is_given(pair));
    let (positional, named) = (PyList::empty(py), PyDict::new(py));
    for (i, pair) in given.iter().enumerate() {
        let (formal, value) = *pair;
        if formal.kwarg_only {
            if is_given(pair) {
                named.set_item(&*formal.name, argument(py, formal, value)?)?;
            }
        } else if last.is_some_and(|last| i <= last) {
            positional.append(argument(py, formal, value)?)?;
        }
    }
    let args = (operator.full_name(), positional.to_tuple(), named);
    class_of_kind(py)?.call_method1("_call_from_script", args)
}

/// The value of a script that stands for an object of the kind.
pub fn as_value(object: &Bound<'_, PyAny>) -> Result<Value> {
    let tensor = object.cast::<PyTensor>();
    let tensor = tensor.map_err(|_| Fault::internal("a kind of tensors that are none"))?;
    Ok(Value::Tensor(standing_in(tensor)?))
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
