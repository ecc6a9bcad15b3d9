//! Graphs and schemas in Python: printed forms first.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rushlight::Value;
use rushlight::ir::{Function, Graph};
use rushlight::types::Schema;
use std::sync::Arc;

/// `torch._C.Graph`.
#[pyclass(name = "Graph", module = "torch._C", frozen)]
pub struct PyGraph(pub Arc<Graph>);

#[pymethods]
impl PyGraph {
    fn __str__(&self) -> String {
        self.0.to_text(true)
    }

    fn __repr__(&self) -> String {
        self.0.to_text(true)
    }

    #[pyo3(signature = (print_source_ranges=true))]
    fn str(&self, print_source_ranges: bool) -> String {
        self.0.to_text(print_source_ranges)
    }
}

/// The graph of a function with its calls inlined.
pub fn inlined(function: &Arc<Function>) -> PyResult<PyGraph> {
    let graph = function
        .graph()
        .ok_or_else(|| PyRuntimeError::new_err("this function has no graph"))?;
    let unit = function.unit();
    Ok(PyGraph(rushlight::inlined(&graph, unit.as_ref())))
}

/// The source that archives would hold for a function.
pub fn code(function: &Arc<Function>) -> PyResult<String> {
    code_with_constants(function).map(|(text, _)| text)
}

/// The source of a function, and the values that it calls `CONSTANTS.c0`, `CONSTANTS.c1`, ...
pub fn code_with_constants(function: &Arc<Function>) -> PyResult<(String, Vec<Value>)> {
    rushlight::archive::code::function_code(function)
        .map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// A function schema.
#[pyclass(name = "FunctionSchema", module = "torch._C", frozen)]
pub struct PySchema(pub Arc<Schema>);

#[pymethods]
impl PySchema {
    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        self.0.to_string()
    }

    #[getter]
    fn name(&self) -> String {
        self.0.name.to_string()
    }

    #[getter]
    fn overload_name(&self) -> String {
        self.0.overload.to_string()
    }
}
