//! Operators that Python programs define (`torch.library`): rows of the table whose kernel is a Python function.

use crate::builtin::Builtin;
use crate::convert::argument::PyArgument;
use crate::convert::from_python;
use crate::errors;
use crate::operator::argument;
use crate::python_call::raised;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rushlight::Value;
use rushlight::runtime::invoke::HostArgument;
use rushlight::types::{Callable, Context, Fault, Result, Schema, Type};
use std::sync::Arc;

/// A Python function that takes all arguments of a schema, in order.
struct Kernel {
    schema: Arc<Schema>,
    function: Py<PyAny>,
}

/// The results of a schema that a Python object holds: itself, or as many as the schema has.
pub fn results(schema: &Schema, object: &Bound<'_, PyAny>) -> Result<Vec<Value>> {
    let read = |object: &Bound<'_, PyAny>, wanted: &Type| {
        let held = from_python(object, wanted);
        held.or_else(|| PyArgument(object.clone()).cast(wanted).ok())
            .ok_or_else(|| {
                let shown = object.str().map_or_else(|_| "?".into(), |s| s.to_string());
                Fault::runtime(format!("Unable to cast {shown} to {}", wanted.graph_form()))
            })
    };
    match &schema.returns[..] {
        [] => Ok(Vec::new()),
        [one] => Ok(vec![read(object, &one.ty)?]),
        several => {
            let parts: PyResult<Vec<_>> = object.try_iter().and_then(Iterator::collect);
            let parts = parts.unwrap_or_default();
            if parts.len() != several.len() {
                return Err(Fault::runtime(format!(
                    "{} has to give {} results but gave {}",
                    schema.full_name(),
                    several.len(),
                    parts.len()
                )));
            }
            let wanted = several.iter().map(|r| &r.ty);
            parts
                .iter()
                .zip(wanted)
                .map(|(part, ty)| read(part, ty))
                .collect()
        }
    }
}

impl Callable for Kernel {
    fn name(&self) -> &str {
        &self.schema.name
    }

    fn schema(&self) -> Arc<Schema> {
        self.schema.clone()
    }

    fn invoke(&self, _context: &Context, arguments: Vec<Value>) -> Result<Value> {
        Python::attach(|py| {
            let given = (self.schema.arguments.iter().zip(&arguments))
                .map(|(formal, value)| argument(py, formal, value))
                .collect::<PyResult<Vec<_>>>()
                .and_then(|given| PyTuple::new(py, given))
                .map_err(|e| raised(py, &e))?;
            let function = self.function.bind(py);
            let result = function.call1(given).map_err(|e| raised(py, &e))?;
            let mut results = results(&self.schema, &result)?;
            Ok(match results.len() {
                0 => Value::None,
                1 => results.remove(0),
                _ => Value::tuple(results),
            })
        })
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// Makes an operator known to scripts, traces and archives. `function` takes every argument of the schema by position.
#[pyfunction]
pub fn define_operator(schema: &str, function: Py<PyAny>) -> PyResult<()> {
    let parsed = Schema::parse_written(schema).map_err(|e| errors::fault(Fault::runtime(e)))?;
    let kernel = Kernel {
        schema: Arc::new(parsed),
        function,
    };
    let defined = rushlight::table().define(schema, Arc::new(kernel));
    defined.map(|_| ()).map_err(errors::fault)
}

/// Takes back what [`define_operator`] has defined, by `ns::name.overload`; whether there was such an operator.
#[pyfunction]
pub fn take_back_operator(full_name: &str) -> bool {
    rushlight::table().take_back(full_name)
}

/// One overload of an operator, by `ns::name.overload`, that calls itself by `path`.
#[pyfunction]
pub fn overload_named(full_name: &str, path: String) -> PyResult<Builtin> {
    let missing = || PyAttributeError::new_err(format!("there is no operator {full_name}"));
    Builtin::of_overload(full_name, path).ok_or_else(missing)
}

/// Adds the functions to the module.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(define_operator, m)?)?;
    m.add_function(wrap_pyfunction!(take_back_operator, m)?)?;
    m.add_function(wrap_pyfunction!(overload_named, m)?)
}
