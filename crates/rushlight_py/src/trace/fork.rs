//! Tasks that a traced program starts and waits for.

use super::form::output_form;
use super::recording;
use crate::errors;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rushlight::frontend::trace::Recorder;
use rushlight::ir::{NodeId, ValueId};
use std::sync::{Arc, OnceLock};

/// A task that is being recorded, or has been.
#[pyclass(name = "TracedFork", module = "torch._C", frozen)]
pub struct TracedFork {
    recorder: Arc<Recorder>,
    node: NodeId,
    future: OnceLock<ValueId>,
}

/// Begins the record of a task; None while nothing is recorded.
#[pyfunction]
pub fn begin_traced_fork() -> Option<TracedFork> {
    let recorder = recording::current()?;
    Some(TracedFork {
        node: recorder.enter_fork(),
        recorder,
        future: OnceLock::new(),
    })
}

/// The refusal of a result that is not made up of tensors.
fn untraced(result: &Bound<'_, PyAny>) -> PyErr {
    let name = crate::convert::type_name(result);
    let kind = match &*name {
        "int" => "Int",
        "float" => "Double",
        "bool" => "Bool",
        "str" => "String",
        "complex" => "ComplexDouble",
        "NoneType" => "None",
        other => other,
    };
    PyRuntimeError::new_err(format!(
        "Tracer cannot set value trace for type {kind}. Supported types are tensor, tensor list, and tuple of tensors."
    ))
}

#[pymethods]
impl TracedFork {
    /// Ends the record: `result` is what the task gave.
    fn end(&self, result: &Bound<'_, PyAny>) -> PyResult<()> {
        let form = output_form(result).map_err(|_| untraced(result))?;
        let future = self.recorder.leave_fork(self.node, &form);
        let _ = self.future.set(future.map_err(errors::fault)?);
        Ok(())
    }

    /// Records that the program waits for the result.
    fn wait(&self, result: &Bound<'_, PyAny>) -> PyResult<()> {
        let form = output_form(result)?;
        match self.future.get() {
            Some(future) if recording::is_on() => {
                self.recorder.wait(*future, &form).map_err(errors::fault)
            }
            _ => Ok(()),
        }
    }
}
