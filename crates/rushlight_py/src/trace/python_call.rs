//! Differentiation that Python defines, in traces: the call becomes a node that calls Python again.

use super::recording;
use crate::errors;
use crate::identity::{PyTensor, tensor_of};
use crate::python_call::PythonFunction;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rushlight::frontend::trace::{HostCall, HostResult, Recorder};
use rushlight::ir::NodeId;
use rushlight::types::{Argument, Callable, Schema, Type};
use rushlight::{Tensor, Value};
use std::sync::Arc;

/// A call that is being recorded.
#[pyclass(name = "TracedCall", module = "torch._C", frozen)]
pub struct TracedCall {
    recorder: Arc<Recorder>,
    node: NodeId,
    name: String,
    tensors: usize,
}

/// Begins the record of a call; None while nothing is recorded. `scalars` are the arguments that are no tensors.
#[pyfunction]
pub fn begin_traced_call(
    name: String,
    module: &str,
    scalars: Vec<Bound<'_, PyAny>>,
    tensors: Vec<Bound<'_, PyTensor>>,
) -> PyResult<Option<TracedCall>> {
    let Some(recorder) = recording::current() else {
        return Ok(None);
    };
    let given: Vec<Tensor> = tensors.iter().map(|t| tensor_of(t)).collect();
    // Tensors inside of them print as well, which is no part of the program.
    let texts: PyResult<Vec<String>> = recording::paused(|| scalars.iter().map(shown).collect());
    let call = HostCall {
        name: &name,
        module,
        scalars: &texts?.join(", "),
    };
    let node = recorder
        .begin_host_call(call, &given)
        .map_err(errors::fault)?;
    Ok(Some(TracedCall {
        recorder,
        node,
        name,
        tensors: given.len(),
    }))
}

/// An argument that is no tensor as graphs show it.
fn shown(argument: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = |object: &Bound<'_, PyAny>| object.str().map(|s| s.to_string());
    let Ok(tuple) = argument.cast_exact::<PyTuple>() else {
        return text(argument);
    };
    let parts: PyResult<Vec<String>> = tuple.iter().map(|part| text(&part)).collect();
    let comma = if tuple.len() == 1 { "," } else { "" };
    Ok(format!("({}{comma})", parts?.join(", ")))
}

#[pymethods]
impl TracedCall {
    /// Ends the record: `result` is what the call gave, `function` makes it again from the tensors.
    fn end(&self, result: &Bound<'_, PyAny>, function: Py<PyAny>, writes: bool) -> PyResult<()> {
        let tensor = |object: &Bound<'_, PyAny>| {
            let tensor = object.cast::<PyTensor>().ok();
            tensor.map(|t| tensor_of(t))
        };
        let result = match result.cast::<PyTuple>() {
            Ok(parts) => HostResult::Tuple(parts.iter().map(|p| tensor(&p)).collect()),
            Err(_) => HostResult::One(tensor(result)),
        };
        let arguments = (0..self.tensors).map(|i| Argument::new(&i.to_string(), Type::TENSOR));
        let returns = vec![Argument::new("", result.flat_type())];
        let schema = Schema::new(&self.name, arguments.collect(), returns);
        let callable: Arc<dyn Callable> = Arc::new(PythonFunction::new(schema, function));
        let function = Value::Function(Arc::new(callable));
        let grad_enabled = crate::state::context().grad_enabled();
        self.recorder
            .end_host_call(self.node, function, writes, grad_enabled, &result);
        Ok(())
    }
}
