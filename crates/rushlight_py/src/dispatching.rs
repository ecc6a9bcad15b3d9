//! `TorchDispatchMode`: a Python function stands between a program and each call of an operator on tensors.

use crate::convert::to_python;
use crate::defined::results;
use crate::operator::argument;
use crate::trace::recording;
use crate::warnings::standing_for;
use crate::{profiler, registry, state};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rushlight::Value;
use rushlight::types::{Argument, Call, Layer, Observer, Operator, Result};
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    static IS_ON: Cell<bool> = const { Cell::new(false) };
}

/// Whether calls of this thread are handed over.
pub fn is_on() -> bool {
    IS_ON.get()
}

/// Hands calls to the function that Python has registered as `dispatch_call`.
struct Interceptor;

impl Observer for Interceptor {
    fn observe(&self, operator: &'static Operator, call: &mut Call<'_>) -> Result<()> {
        if profiler::shown(operator).is_none_or(|name| name.starts_with("profiler::")) {
            return operator.run_recorded(call);
        }
        let given = Python::attach(|py| hand_over(py, operator, call)).map_err(standing_for)?;
        match given {
            Some(object) => {
                let results = Python::attach(|py| results(operator.schema(), object.bind(py)))?;
                call.finish_many(results)
            }
            None => operator.run_recorded(call),
        }
    }
}

/// What the function gives for a call; `None` where it leaves the call to the operator.
fn hand_over(
    py: Python<'_>,
    operator: &'static Operator,
    call: &Call<'_>,
) -> PyResult<Option<Py<PyAny>>> {
    let handler = registry::registered(py, "dispatch_call")?;
    let formals = operator.schema().arguments.iter();
    let values = formals.zip(call.inputs());
    let values: PyResult<Vec<_>> = values.map(|(f, v)| seen(py, f, v)).collect();
    let given = handler.call1((seen_name(operator), PyTuple::new(py, values?)?))?;
    let left = given.is(py.NotImplemented());
    Ok((!left).then(|| given.unbind()))
}

/// The operator's name: the reference has the overload for tensors where a program writes a number.
fn seen_name(operator: &'static Operator) -> &'static str {
    let number = operator.overload_name().strip_prefix("Scalar");
    match number.filter(|_| operator.wraps_numbers) {
        Some(rest) => {
            let other = format!("{}.Tensor{rest}", operator.name());
            let other = rushlight::table().find(&other);
            other.map_or(operator.name(), |row| row.full_name())
        }
        None => operator.full_name(),
    }
}

/// An argument as a mode sees it: numbers that took the place of tensors are numbers.
fn seen<'py>(py: Python<'py>, formal: &Argument, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    if let Value::Tensor(tensor) = value
        && tensor.is_wrapped_number()
        && let Ok(number) = tensor.item()
    {
        return to_python(py, &Value::from(number));
    }
    argument(py, formal, value)
}

/// Begins to hand calls of this thread over, or ends it.
#[pyfunction]
pub fn set_dispatching(on: bool) -> PyResult<()> {
    let context = state::context();
    if on && (recording::is_on() || profiler::is_on()) {
        return Err(PyRuntimeError::new_err(
            "a dispatch mode cannot begin while a program is traced or a profile is running",
        ));
    }
    context.set_observer(on.then(|| Arc::new(Interceptor) as Arc<dyn Observer>));
    context.set_layer(Layer::Profile, on);
    IS_ON.set(on);
    Ok(())
}
