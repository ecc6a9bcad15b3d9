//! Calls of compiled functions from Python: arguments against a schema, the run, the result.

use crate::convert::argument::PyArgument;
use crate::convert::to_python;
use crate::{errors, state};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rushlight::Value;
use rushlight::runtime::invoke::{self, HostArgument, Refusal};
use rushlight::types::{Callable, Schema, Type};
use std::sync::Arc;

/// An argument of a call: an object of Python, or the object that a method is called on.
enum Given<'py> {
    This(Value),
    Object(PyArgument<'py>),
}

impl HostArgument for Given<'_> {
    fn cast(&self, formal: &Type) -> Result<Value, Refusal> {
        match self {
            Given::This(value) => Ok(value.clone()),
            Given::Object(object) => object.cast(formal),
        }
    }

    fn type_name(&self) -> String {
        match self {
            Given::This(value) => value.type_of().to_string(),
            Given::Object(object) => object.type_name(),
        }
    }

    fn text(&self) -> String {
        match self {
            Given::This(value) => value.type_of().to_string(),
            Given::Object(object) => object.text(),
        }
    }
}

/// The arguments of a Python call against a schema; `first` is the object that a method is called on.
pub fn bind(
    schema: &Schema,
    first: Option<Value>,
    args: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<Value>> {
    let mut named = Vec::new();
    if let Some(kwargs) = kwargs {
        for (key, value) in kwargs.iter() {
            named.push((key.extract::<String>()?, Given::Object(PyArgument(value))));
        }
    }
    let objects = args.iter().map(|a| Given::Object(PyArgument(a)));
    let positional: Vec<Given<'_>> = first.map(Given::This).into_iter().chain(objects).collect();
    invoke::bind(schema, &positional, &named).map_err(errors::fault)
}

/// Runs a callable without the interpreter lock.
pub fn run<'py>(
    py: Python<'py>,
    callable: &Arc<dyn Callable>,
    arguments: Vec<Value>,
) -> PyResult<Bound<'py, PyAny>> {
    let name = callable.name().rsplit('.').next().unwrap_or("");
    let result = py.detach(|| {
        let context = state::context();
        context.named_work(format_args!("{name}"), || {
            callable.invoke(context, arguments)
        })
    });
    match result {
        Ok(value) => to_python(py, &value),
        Err(fault) => Err(errors::script_fault(py, fault)),
    }
}
