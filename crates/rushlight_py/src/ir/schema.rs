//! `torch._C.FunctionSchema` and its arguments.

use super::ty::PyType;
use crate::convert::to_python;
use crate::errors::refuse;
use pyo3::prelude::*;
use pyo3::types::PyList;
use rushlight::Value;
use rushlight::syntax::grammar;
use rushlight::types::{AliasInfo, Argument, Schema};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A function schema.
#[pyclass(name = "FunctionSchema", module = "torch._C", frozen, from_py_object)]
#[derive(Clone)]
pub struct PySchema(pub Arc<Schema>);

/// Reads a schema, and refuses what the reference does.
#[pyfunction]
pub fn parse_schema(text: &str) -> PyResult<PySchema> {
    match grammar::schema_misfit(text) {
        Some(misfit) => Err(refuse(misfit.shown(text))),
        None => read_schema(text),
    }
}

/// Reads a schema in any spelling that operators have here.
#[pyfunction]
pub fn read_schema(text: &str) -> PyResult<PySchema> {
    let schema = Schema::parse_written(text).map_err(refuse)?;
    Ok(PySchema(Arc::new(schema)))
}

/// The schemas of an operator's overloads; of every operator where none is named.
#[pyfunction]
#[pyo3(signature = (name=None))]
pub fn schemas_of(name: Option<&str>) -> Vec<PySchema> {
    let table = rushlight::table();
    let operators = match name {
        Some(name) => table.overloads(name).to_vec(),
        None => table.all(),
    };
    let schemas = operators.into_iter().map(|op| op.schema().clone());
    schemas.map(|s| PySchema(Arc::new(s))).collect()
}

fn wrapped(arguments: &[Argument]) -> Vec<PyArgument> {
    arguments.iter().cloned().map(PyArgument).collect()
}

#[pymethods]
impl PySchema {
    #[getter]
    fn name(&self) -> String {
        self.0.name.to_string()
    }

    #[getter]
    fn overload_name(&self) -> String {
        self.0.overload.to_string()
    }

    #[getter]
    fn arguments(&self) -> Vec<PyArgument> {
        wrapped(&self.0.arguments)
    }

    #[getter]
    fn returns(&self) -> Vec<PyArgument> {
        wrapped(&self.0.returns)
    }

    /// Whether the function writes to one of its arguments.
    #[getter]
    fn is_mutable(&self) -> bool {
        let mut aliases = self.0.arguments.iter().filter_map(|a| a.alias.as_ref());
        aliases.any(|alias| alias.is_write)
    }

    /// Whether calls that an older schema takes are taken by this one, with results that do for them.
    fn is_backward_compatible_with(&self, older: &PySchema) -> bool {
        takes_calls_of(&self.0, &older.0)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        self.0.to_string()
    }

    fn __eq__(&self, other: &PySchema) -> bool {
        // Classes of the same name in different archives are different classes.
        let types = |schema: &Schema| -> Vec<_> {
            let arguments = schema.arguments.iter().chain(&schema.returns);
            arguments.map(|argument| argument.ty.clone()).collect()
        };
        self.0.to_string() == other.0.to_string() && types(&self.0) == types(&other.0)
    }
}

fn takes_calls_of(new: &Schema, old: &Schema) -> bool {
    let same = new.name == old.name
        && new.overload == old.overload
        && new.varargs == old.varargs
        && new.varrets == old.varrets
        && new.returns.len() == old.returns.len()
        && new.arguments.len() >= old.arguments.len();
    let gives =
        |(new, old): (&Argument, &Argument)| new.name == old.name && new.ty.is_subtype_of(&old.ty);
    let takes = |(new, old): (&Argument, &Argument)| {
        new.name == old.name
            && new.list_size == old.list_size
            && (old.kwarg_only || !new.kwarg_only)
            && (old.default.is_none() || new.default == old.default)
            && old.ty.is_subtype_of(&new.ty)
    };
    same && new.returns.iter().zip(&old.returns).all(gives)
        && new.arguments.iter().zip(&old.arguments).all(takes)
        && (new.arguments[old.arguments.len()..].iter()).all(|a| a.default.is_some())
}

/// An argument or result of a schema.
#[pyclass(name = "Argument", module = "torch", frozen)]
pub struct PyArgument(Argument);

#[pymethods]
impl PyArgument {
    #[getter]
    fn name(&self) -> String {
        self.0.name.to_string()
    }

    #[getter(r#type)]
    fn ty(&self) -> PyType {
        PyType(self.0.ty.runtime())
    }

    #[getter]
    fn real_type(&self) -> PyType {
        PyType(self.0.ty.clone())
    }

    fn has_default_value(&self) -> bool {
        self.0.default.is_some()
    }

    #[getter]
    fn default_value<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(default) = &self.0.default else {
            return Ok(None);
        };
        // `int[2] k=1`: one number stands for all.
        if let (Value::IntList(numbers), Some(size)) = (default, self.0.list_size)
            && let [one] = numbers.lock().as_slice()
        {
            let all = PyList::new(py, [*one])?;
            return all
                .as_sequence()
                .repeat(size as usize)
                .map(|all| Some(all.into_any()));
        }
        to_python(py, default).map(Some)
    }

    #[getter]
    fn kwarg_only(&self) -> bool {
        self.0.kwarg_only
    }

    #[getter(N)]
    fn list_size(&self) -> Option<u32> {
        self.0.list_size
    }

    #[getter]
    fn is_out(&self) -> bool {
        self.0.kwarg_only && self.0.alias.as_ref().is_some_and(|alias| alias.is_write)
    }

    #[getter]
    fn alias_info(&self) -> Option<PyAliasInfo> {
        self.0.alias.clone().map(PyAliasInfo)
    }
}

/// What an argument may share memory with.
#[pyclass(name = "_AliasInfo", module = "torch._C", frozen)]
pub struct PyAliasInfo(AliasInfo);

#[pymethods]
impl PyAliasInfo {
    #[getter]
    fn is_write(&self) -> bool {
        self.0.is_write
    }

    #[getter]
    fn before_set(&self) -> BTreeSet<String> {
        self.0.before.iter().map(|s| s.to_string()).collect()
    }

    #[getter]
    fn after_set(&self) -> BTreeSet<String> {
        self.0.after.iter().map(|s| s.to_string()).collect()
    }
}
