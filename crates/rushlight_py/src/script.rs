//! Compiled functions in Python.

use crate::argument::PyArgument;
use crate::convert::to_python;
use crate::executor::ExecutorState;
use crate::ir::{PyGraph, PySchema};
use crate::{errors, state, trace};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use rushlight::Value;
use rushlight::ir::Function;
use rushlight::runtime::invoke::{self, HostArgument, Refusal};
use rushlight::types::{Callable, Schema, Type};
use std::sync::Arc;

/// `torch.jit.ScriptFunction`.
#[pyclass(
    name = "ScriptFunction",
    module = "torch.jit",
    dict,
    weakref,
    from_py_object
)]
#[derive(Clone)]
pub struct ScriptFunction {
    callable: Arc<dyn Callable>,
    /// The unit, kept alive by those who call into it.
    _unit: Option<Arc<rushlight::ir::Unit>>,
}

impl ScriptFunction {
    /// A function of a unit.
    pub fn of(function: &Arc<Function>) -> ScriptFunction {
        ScriptFunction {
            callable: function.clone(),
            _unit: function.unit(),
        }
    }

    /// Any callable.
    pub fn from_callable(callable: Arc<dyn Callable>) -> ScriptFunction {
        ScriptFunction {
            callable,
            _unit: None,
        }
    }

    /// The function as a value of a script.
    pub fn as_value(&self) -> Value {
        Value::Function(Arc::new(self.callable.clone()))
    }

    /// The function of the unit behind, if it is one.
    pub fn function(&self) -> Option<Arc<Function>> {
        self.callable
            .as_any()
            .downcast_ref::<Function>()
            .map(Function::handle)
    }
}

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

/// The functions that have been scripted by their names.
#[pyfunction]
pub fn scripted_functions() -> Vec<ScriptFunction> {
    let functions = state::unit().functions();
    let plain = functions.iter().filter(|f| f.class.is_none());
    plain.map(ScriptFunction::of).collect()
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
        if let Some(recorder) = trace::current() {
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
        state::registered(slf.py(), "save_to_file")?.call1((slf, f, _extra_files))?;
        Ok(())
    }

    /// The archive of the function, as bytes.
    #[pyo3(signature = (_extra_files=None))]
    fn save_to_buffer<'py>(
        slf: &Bound<'py, ScriptFunction>,
        _extra_files: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        state::registered(slf.py(), "save_to_buffer")?.call1((slf, _extra_files))
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
