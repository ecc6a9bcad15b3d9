//! Compiled functions in Python.

use crate::call::{bind, run};
use crate::executor::ExecutorState;
use crate::handles::ScriptFunction;
use crate::ir::{PyGraph, PySchema};
use crate::trace::recording;
use crate::{registry, state, trace};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::sync::Arc;

/// The functions that have been scripted by their names.
#[pyfunction]
pub fn scripted_functions() -> Vec<ScriptFunction> {
    let functions = state::unit().functions();
    let plain = functions.iter().filter(|f| f.class.is_none());
    plain.map(ScriptFunction::of).collect()
}

#[pymethods]
impl ScriptFunction {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = bind(&self.callable.schema(), None, args, kwargs)?;
        if let Some(recorder) = recording::current() {
            return trace::call_script(py, &recorder, &self.callable, None, arguments);
        }
        run(py, &self.callable, arguments)
    }

    #[getter]
    fn name(&self) -> String {
        self.callable
            .name()
            .rsplit('.')
            .next()
            .unwrap_or("")
            .to_string()
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        "ScriptFunction"
    }

    #[getter]
    fn qualified_name(&self) -> &str {
        self.callable.name()
    }

    #[getter]
    fn schema(&self) -> PySchema {
        PySchema(self.callable.schema())
    }

    #[getter]
    fn graph(&self, py: Python<'_>) -> PyResult<Py<PyGraph>> {
        let function = self.function();
        PyGraph::of(
            py,
            &function.ok_or_else(|| PyRuntimeError::new_err(NO_GRAPH))?,
        )
    }

    #[getter]
    fn inlined_graph(&self) -> PyResult<PyGraph> {
        let function = self
            .function()
            .ok_or_else(|| PyRuntimeError::new_err("this function has no graph"))?;
        crate::ir::inlined(&function)
    }

    /// Runs the function and gives the graph that ran.
    #[pyo3(signature = (*args, **kwargs))]
    fn graph_for<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<PyGraph> {
        self.__call__(py, args, kwargs)?;
        let function = self.function();
        crate::ir::executed(&function.ok_or_else(|| PyRuntimeError::new_err(NO_GRAPH))?)
    }

    /// The graph that runs, once there is code for it.
    fn get_debug_state(&self) -> PyResult<ExecutorState> {
        let function = self.function();
        ExecutorState::of(&function.ok_or_else(|| PyRuntimeError::new_err(NO_GRAPH))?)
    }

    /// Drops the code that was made of the graph; the next call makes it anew.
    fn _debug_flush_compilation_cache(&self) {
        if let Some(function) = self.function() {
            ExecutorState::flush(&function);
        }
    }

    fn __reduce_ex__(&self, py: Python<'_>, _protocol: i32) -> PyResult<()> {
        let class = py.import("pickle")?.getattr("PickleError")?;
        let error = class.call1(("ScriptFunction cannot be pickled",))?;
        Err(PyErr::from_value(error))
    }

    #[getter]
    fn code(&self) -> PyResult<String> {
        let function = self
            .function()
            .ok_or_else(|| PyRuntimeError::new_err("this function has no code"))?;
        crate::code::code(&function)
    }

    /// Saves the function under a path.
    #[pyo3(signature = (f, _extra_files=None))]
    fn save(
        slf: &Bound<'_, ScriptFunction>,
        f: Bound<'_, PyAny>,
        _extra_files: Option<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        registry::registered(slf.py(), "save_to_file")?.call1((slf, f, _extra_files))?;
        Ok(())
    }

    /// The archive of the function, as bytes.
    #[pyo3(signature = (_extra_files=None))]
    fn save_to_buffer<'py>(
        slf: &Bound<'py, ScriptFunction>,
        _extra_files: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        registry::registered(slf.py(), "save_to_buffer")?.call1((slf, _extra_files))
    }

    /// The archive of a module whose `forward` is this function, as bytes.
    fn _archive<'py>(
        &self,
        py: Python<'py>,
        folder: &str,
        extra: Vec<(String, Vec<u8>)>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let unsaved = || PyRuntimeError::new_err("this function has no code that could be saved");
        let function = self.function().ok_or_else(unsaved)?;
        let unit = function.unit().ok_or_else(unsaved)?;
        let module = rushlight::archive::module_of(&unit, &[("forward", function)]);
        let bytes = crate::module::archive(py, &module, &unit, folder, extra);
        rushlight::archive::forget_module(&unit, &module);
        bytes
    }

    fn __getattr__(&self, name: &str) -> PyResult<()> {
        Err(pyo3::exceptions::PyAttributeError::new_err(format!(
            "'ScriptFunction' object has no attribute '{name}'"
        )))
    }

    fn __repr__(&self) -> String {
        format!(
            "<torch.jit.torch.jit.ScriptFunction object at {:#x}>",
            Arc::as_ptr(&self.callable).addr()
        )
    }
}

/// What asking for the graph of a function that is not compiled raises.
const NO_GRAPH: &str = "this function has no graph";
