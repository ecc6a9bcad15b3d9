//! Script objects and loaded modules in Python.

use crate::convert::{from_python, to_python};
use crate::graph::{PyGraph, PySchema};
use crate::{errors, script, state};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyAttributeError, PyOSError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rushlight::ir::{Function, Unit};
use rushlight::types::{AttributeKind, Callable, Object};
use rushlight::{LoadFailure, Value};
use std::sync::Arc;

/// An instance of a script class or module.
#[pyclass(name = "ScriptObject", module = "torch._C", subclass, dict, weakref)]
pub struct ScriptObject {
    pub object: Arc<Object>,
    /// The unit with the bodies of its methods.
    pub unit: Arc<Unit>,
    /// Extra files of the archive it was loaded from.
    extra: Arc<Vec<(String, Vec<u8>)>>,
}

impl ScriptObject {
    /// An object as Python sees it: `unit` is where its methods live, the process's own by default.
    pub fn wrap<'py>(
        py: Python<'py>,
        object: Arc<Object>,
        unit: Option<Arc<Unit>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let unit = unit.unwrap_or_else(|| state::unit().clone());
        let is_module = object.class().is_module();
        let inner = ScriptObject {
            object,
            unit,
            extra: Arc::default(),
        }
        .into_bound_py_any(py)?;
        match state::registered(py, "wrap_object") {
            Ok(wrap) => wrap.call1((inner, is_module)),
            Err(_) => Ok(inner),
        }
    }

    fn method(&self, name: &str) -> Option<Arc<Function>> {
        self.unit.method(self.object.class(), name)
    }
}

#[pymethods]
impl ScriptObject {
    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        if let Some(value) = self.object.get(name) {
            if let Value::Object(inner) = &value {
                return ScriptObject::wrap(py, inner.clone(), Some(self.unit.clone()));
            }
            return to_python(py, &value);
        }
        if let Some(function) = self.method(name) {
            return ScriptMethod {
                object: self.object.clone(),
                function,
                unit: self.unit.clone(),
            }
            .into_bound_py_any(py);
        }
        let class = self.object.class();
        if let Some(value) = class.constant(name) {
            return to_python(py, &value);
        }
        if let Some(property) = class.property(name)
            && let Some(getter) = self.method(&property.getter)
        {
            let callable: Arc<dyn Callable> = getter;
            return script::run(py, &callable, vec![Value::Object(self.object.clone())]);
        }
        Err(PyAttributeError::new_err(format!(
            "'{}' object has no attribute '{name}'",
            class.basename()
        )))
    }

    fn _set(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let class = self.object.class();
        let Some(attribute) = class.attribute(name) else {
            if let Some(setter) = class.property(name).and_then(|p| p.setter)
                && let Some(function) = self.method(&setter)
            {
                let schema = function.schema();
                let args = PyTuple::new(py, [value])?;
                let arguments = script::bind(
                    &schema,
                    Some(Value::Object(self.object.clone())),
                    &args,
                    None,
                )?;
                let callable: Arc<dyn Callable> = function;
                return script::run(py, &callable, arguments).map(drop);
            }
            return Err(PyAttributeError::new_err(format!(
                "'{}' object has no attribute '{name}'",
                class.basename()
            )));
        };
        let value = from_python(value, &attribute.ty).ok_or_else(|| {
            PyTypeError::new_err(format!(
                "the attribute '{name}' holds {}, not {}",
                attribute.ty,
                crate::convert::type_name(value)
            ))
        })?;
        self.object.set(name, value);
        Ok(())
    }

    fn _has(&self, name: &str) -> bool {
        let class = self.object.class();
        class.slot(name).is_some()
            || class.method(name).is_some()
            || class.constant(name).is_some()
            || class.property(name).is_some()
    }

    fn _type(&self) -> String {
        self.object.class().name().to_string()
    }

    #[getter]
    fn _is_module(&self) -> bool {
        self.object.class().is_module()
    }

    /// The attributes in order: (name, `parameter`, `buffer`, `module` or `attribute`).
    fn _attributes(&self) -> Vec<(String, &'static str)> {
        self.object
            .class()
            .attributes()
            .iter()
            .map(|a| {
                let kind = match (&a.ty, a.kind) {
                    (rushlight::Type::Class(c), _) if c.is_module() => "module",
                    (_, AttributeKind::Parameter) => "parameter",
                    (_, AttributeKind::Buffer) => "buffer",
                    _ => "attribute",
                };
                (a.name.to_string(), kind)
            })
            .collect()
    }

    fn _methods(&self) -> Vec<String> {
        self.object
            .class()
            .methods()
            .iter()
            .map(|m| m.name.to_string())
            .collect()
    }

    fn _extra_files(&self) -> Vec<(String, Vec<u8>)> {
        self.extra.to_vec()
    }

    fn _same(&self, other: &ScriptObject) -> bool {
        Arc::ptr_eq(&self.object, &other.object)
    }

    fn _id(&self) -> usize {
        Arc::as_ptr(&self.object) as usize
    }

    fn __repr__(&self) -> String {
        format!(
            "<torch.ScriptObject object at {:p}>",
            Arc::as_ptr(&self.object)
        )
    }
}

/// A method of a script object, ready to be called.
#[pyclass(name = "ScriptMethod", module = "torch._C", frozen)]
pub struct ScriptMethod {
    object: Arc<Object>,
    function: Arc<Function>,
    unit: Arc<Unit>,
}

#[pymethods]
impl ScriptMethod {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let schema = self.function.schema();
        let arguments = script::bind(
            &schema,
            Some(Value::Object(self.object.clone())),
            args,
            kwargs,
        )?;
        let function = self.function.clone();
        let result = py.detach(|| function.invoke(state::context(), arguments));
        match result {
            Ok(Value::Object(o)) => ScriptObject::wrap(py, o, Some(self.unit.clone())),
            Ok(value) => to_python(py, &value),
            Err(fault) => Err(errors::script_fault(py, fault)),
        }
    }

    #[getter]
    fn name(&self) -> &str {
        self.function.basename()
    }

    #[getter]
    fn schema(&self) -> PySchema {
        PySchema(self.function.schema())
    }

    #[getter]
    fn graph(&self) -> PyResult<PyGraph> {
        self.function
            .graph()
            .map(PyGraph)
            .ok_or_else(|| PyRuntimeError::new_err("this method has no graph"))
    }

    #[getter]
    fn inlined_graph(&self) -> PyResult<PyGraph> {
        let graph = self
            .function
            .graph()
            .ok_or_else(|| PyRuntimeError::new_err("this method has no graph"))?;
        crate::graph::inlined(&graph).map(PyGraph)
    }

    #[getter]
    fn code(&self) -> PyResult<String> {
        crate::graph::code(&self.function)
    }
}

fn loaded<'py>(
    py: Python<'py>,
    result: Result<rushlight::Module, LoadFailure>,
) -> PyResult<Bound<'py, PyAny>> {
    let module = result.map_err(|e| match e {
        LoadFailure::Io(error) => match error.kind() {
            std::io::ErrorKind::NotFound => {
                PyValueError::new_err(format!("The provided filename does not exist: {error}"))
            }
            _ => PyOSError::new_err(error.to_string()),
        },
        LoadFailure::Load(error) => PyRuntimeError::new_err(error.to_string()),
    })?;
    let inner = module.loaded();
    let object = ScriptObject {
        object: inner.root.clone(),
        unit: inner.unit.clone(),
        extra: Arc::new(inner.extra.clone()),
    }
    .into_bound_py_any(py)?;
    match state::registered(py, "wrap_object") {
        Ok(wrap) => wrap.call1((object, true)),
        Err(_) => Ok(object),
    }
}

/// Loads an archive from a file.
#[pyfunction]
pub fn load_file<'py>(py: Python<'py>, path: &str) -> PyResult<Bound<'py, PyAny>> {
    let bytes = rushlight::archive::bytes::Bytes::map(path.as_ref());
    let result = bytes
        .map_err(LoadFailure::Io)
        .and_then(|bytes| rushlight::load_bytes(bytes, state::context().clone()));
    loaded(py, result)
}

/// Loads an archive from memory.
#[pyfunction]
pub fn load_buffer<'py>(py: Python<'py>, buffer: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let bytes = rushlight::archive::bytes::Bytes::from(buffer.to_vec());
    loaded(py, rushlight::load_bytes(bytes, state::context().clone()))
}
