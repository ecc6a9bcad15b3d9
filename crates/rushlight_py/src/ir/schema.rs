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
#[pyclass(name = "FunctionSchema", module = "torch", frozen, from_py_object)]
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
        aliases.any(AliasInfo::writes)
    }

    /// Whether calls that an older schema takes are taken by this one, with results that do for them.
    fn is_backward_compatible_with(&self, older: &PySchema) -> bool {
        takes_calls_of(&self.0, &older.0)
    }

    /// Whether an older schema takes the calls that this one takes, and if not, why.
    fn check_forward_compatible_with(&self, older: &PySchema) -> (bool, String) {
        match calls_are_too_new(&self.0, &older.0) {
            Ok(()) => (true, String::new()),
            Err(reason) => (false, reason),
        }
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

/// Arguments that are read, and behind them, from the first of their kind on, those that results go to.
fn apart(schema: &Schema) -> (&[Argument], &[Argument]) {
    let first_out = schema.arguments.iter().position(is_out);
    let at = first_out.unwrap_or(schema.arguments.len());
    schema.arguments.split_at(at)
}

/// Whether a result goes to an argument.
fn is_out(argument: &Argument) -> bool {
    argument.kwarg_only && argument.alias.as_ref().is_some_and(AliasInfo::writes)
}

/// Whether an argument goes where another one went, but for its type.
fn goes_for(new: &Argument, old: &Argument) -> bool {
    new.name == old.name
        && new.list_size == old.list_size
        && new.alias == old.alias
        && (old.kwarg_only || !new.kwarg_only)
}

/// Whether both are versions of one function.
fn are_versions(new: &Schema, old: &Schema) -> bool {
    new.name == old.name
        && new.overload == old.overload
        && new.varargs == old.varargs
        && new.varrets == old.varrets
        && new.returns.len() == old.returns.len()
}

fn takes_calls_of(new: &Schema, old: &Schema) -> bool {
    let gives = |(new, old): (&Argument, &Argument)| {
        new.name == old.name && new.alias == old.alias && new.ty.is_subtype_of(&old.ty)
    };
    let takes = |(new, old): (&Argument, &Argument)| {
        goes_for(new, old)
            && (old.default.is_none() || new.default == old.default)
            && old.ty.is_subtype_of(&new.ty)
    };
    let ((read, outs), (old_read, old_outs)) = (apart(new), apart(old));
    are_versions(new, old)
        && read.len() >= old_read.len()
        && outs.len() >= old_outs.len()
        && new.returns.iter().zip(&old.returns).all(gives)
        && read.iter().zip(old_read).all(takes)
        && outs.iter().zip(old_outs).all(takes)
        && read[old_read.len()..].iter().all(|a| a.default.is_some())
}

/// Why an older version does not take the calls that a newer one takes; no reason where it is another function.
fn calls_are_too_new(new: &Schema, old: &Schema) -> Result<(), String> {
    if !are_versions(new, old) {
        return Err(String::new());
    }
    let ((read, outs), (old_read, old_outs)) = (apart(new), apart(old));
    if outs.len() != old_outs.len() {
        return Err("Function schema should have the same number of out arguments".into());
    }
    let fits = |(new, old): &(&Argument, &Argument)| {
        goes_for(new, old) && new.default == old.default && new.ty.is_subtype_of(&old.ty)
    };
    if let Some((argument, _)) = read.iter().zip(old_read).find(|pair| !fits(pair)) {
        return Err(format!(
            "'{}' is not forward compatible with the older version of the schema",
            argument.name
        ));
    }
    for argument in read.get(old_read.len()..).unwrap_or_default() {
        let (name, ty) = (&argument.name, argument.ty.graph_form());
        let lacks = match &argument.default {
            None => "did not provide a default value.",
            Some(value) if value.list_items().is_ok() => {
                "has a container type as its default value."
            }
            Some(_) => continue,
        };
        return Err(format!(
            "Function schema is not forward compatible since the new argument '{name}' of type {ty} {lacks}"
        ));
    }
    match outs.iter().zip(old_outs).find(|pair| !fits(pair)) {
        Some((argument, _)) => Err(format!(
            "Out argument ''{} is not FC with the older version of the schema",
            argument.name
        )),
        None => Ok(()),
    }
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
        is_out(&self.0)
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
        self.0.writes()
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
