//! Functions of Python programs as the compiler reads them.
//!
//! Python hands over what it knows of a function as a dict: `name`, `qualified`, `source`, `file`, `line`, `scope` (see
//! [`PyResolver`]), `defaults` and `key` (the object itself, which identifies it).

use crate::convert::infer;
use crate::errors::{self, from_python_error};
use crate::scope::PyResolver;
use crate::{seams, state};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet, PyTuple};
use rushlight::Value;
use rushlight::frontend::script::{Compiler, FunctionSource, overload};
use rushlight::frontend::{Outcome, Resolver};
use rushlight::ir::Function;
use rushlight::syntax::tree::{Def, Param, ParamKind, StmtKind};
use rushlight::syntax::{
    Diagnostic, ErrorKind, Source, Span, check_type_lines, parse_expression, parse_function,
};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// The functions that Python functions were declared as, by identity.
type Declared = RefCell<HashMap<usize, (Py<PyAny>, Arc<Function>)>>;

thread_local! {
    static FUNCTIONS: Declared = RefCell::default();
}

/// A part of a description.
pub fn field<'py>(info: &Bound<'py, PyDict>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    info.get_item(name)?
        .ok_or_else(|| PyKeyError::new_err(name.to_string()))
}

/// The text of a described function or class, in its place.
pub fn source_of(info: &Bound<'_, PyDict>) -> PyResult<Arc<Source>> {
    let text: String = field(info, "source")?.extract()?;
    let file: String = field(info, "file")?.extract()?;
    let line: u32 = field(info, "line")?.extract()?;
    Ok(Source::with_first_line(file, text, line))
}

/// What answers the names of a described function.
pub fn scope_of(info: &Bound<'_, PyDict>) -> PyResult<Py<PyAny>> {
    Ok(field(info, "scope")?.unbind())
}

/// What answers the names of a described function, for the compiler.
pub fn resolver_of(info: &Bound<'_, PyDict>) -> PyResult<Rc<dyn Resolver>> {
    Ok(Rc::new(PyResolver::new(scope_of(info)?)))
}

/// The default values of a described function. Those that calls could change are refused.
pub fn defaults_of(info: &Bound<'_, PyDict>, def: &Def) -> PyResult<Defaults> {
    values_of(&field(info, "defaults")?, def).map_err(|e| errors::diagnostic(info.py(), &e))
}

/// The defaults of parameters, or why they cannot be such, which is told when the body is compiled.
pub type Defaults = Vec<(Arc<str>, Outcome<Value>)>;

/// The values of a dictionary of defaults by parameter.
pub fn values_of(defaults: &Bound<'_, PyAny>, def: &Def) -> Outcome<Defaults> {
    let fail = |e: PyErr| from_python_error(defaults.py(), &e, &def.span);
    // Defaults of what is given by name alone are refused before what they are is looked at.
    let mut parameters = def.params.0.iter();
    let by_name = parameters.any(|p| p.kind == ParamKind::KeywordOnly && p.default.is_some());
    let mut values = Vec::new();
    for (name, value) in defaults
        .cast::<PyDict>()
        .map_err(|e| fail(e.into()))?
        .iter()
    {
        let name: String = name.extract().map_err(fail)?;
        if !by_name && let Err(refusal) = refuse_mutable(&name, &value, def) {
            values.push((Arc::from(name.as_str()), Err(refusal)));
            continue;
        }
        // A member of an enum needs its class to be known.
        make_known(&value, &def.span)?;
        let value = infer(&value).map_err(fail)?;
        values.push((Arc::from(name.as_str()), Ok(value)));
    }
    Ok(values)
}

/// Gives parameters without annotation the types that calls showed.
pub fn annotate(def: &mut Def, observed: Vec<(String, String)>) {
    if def.signature.is_some() {
        return;
    }
    for (name, ty) in observed {
        let params = def.params.0.iter_mut();
        let mut open = params.filter(|p| p.annotation.is_none() && p.type_comment.is_none());
        let Some(param) = open.find(|p| *p.name.name == *name) else {
            continue;
        };
        let (mut annotation, problems) = parse_expression(&Source::new("<observed>", ty.as_str()));
        if problems.is_empty() {
            // Errors show the parameter.
            annotation.span = param.span.clone();
            param.annotation = Some(annotation);
        }
    }
}

/// The definition in the source of a described function.
pub fn parse_def(info: &Bound<'_, PyDict>) -> PyResult<Def> {
    let source = source_of(info)?;
    match parsed_def(&source) {
        Ok(mut def) => {
            annotate(&mut def, field(info, "observed")?.extract()?);
            Ok(def)
        }
        Err(problem) => {
            let check = info.py().import("rushlight._source")?;
            let error = check.call_method1("syntax_error", (source.text(),))?;
            Err(match error.is_none() {
                true => errors::diagnostic(info.py(), &problem),
                false => PyErr::from_value(error),
            })
        }
    }
}

/// The function that a text defines, or the first thing that is wrong with it.
pub fn parsed_def(source: &Arc<Source>) -> Outcome<Def> {
    let fail = |problem| Err(Box::new(problem));
    if let Some(wrong) = check_type_lines(source).into_iter().next() {
        return fail(wrong);
    }
    let (statement, problems) = parse_function(source);
    if let Some(first) = problems.into_iter().next() {
        return fail(first);
    }
    match statement.map(|s| s.kind) {
        Some(StmtKind::Def(mut def)) => {
            // Parameters before `/` are none of the function, as in the reference.
            let by_name = |param: &Param| param.kind != ParamKind::PositionalOnly;
            def.params.0.retain(by_name);
            Ok(*def)
        }
        _ => fail(Diagnostic::new(
            "no-function",
            ErrorKind::Runtime,
            format!(
                "Expected a single top-level function: {}:{}",
                source.name(),
                source.first_line()
            ),
        )),
    }
}

/// A Python function as the compiler reads it, without the values of its defaults.
pub fn undefaulted_source(info: &Bound<'_, PyDict>) -> PyResult<FunctionSource> {
    Ok(FunctionSource {
        def: Rc::new(parse_def(info)?),
        resolver: resolver_of(info)?,
        class: None,
        defaults: Vec::new(),
        parameter_types: Vec::new(),
    })
}

fn described<'a, 'py>(info: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyDict>> {
    info.cast::<PyDict>().map_err(PyErr::from)
}

/// Declares what stands for a Python object in the unit, once; it is compiled when it is needed.
fn declared(
    compiler: &Compiler,
    info: &Bound<'_, PyDict>,
    source: impl FnOnce() -> PyResult<FunctionSource>,
) -> PyResult<Arc<Function>> {
    let key = field(info, "key")?;
    let known = FUNCTIONS.with_borrow(|f| f.get(&(key.as_ptr() as usize)).map(|(_, f)| f.clone()));
    if let Some(function) = known
        && function
            .unit()
            .is_some_and(|unit| Arc::ptr_eq(&unit, &compiler.unit))
        && compiler.unit.function(function.qualified_name()).is_some()
    {
        return Ok(function);
    }
    let qualified: String = field(info, "qualified")?.extract()?;
    let function = compiler.declare(&compiler.unit.free_name(&qualified), source()?);
    FUNCTIONS
        .with_borrow_mut(|f| f.insert(key.as_ptr() as usize, (key.unbind(), function.clone())));
    Ok(function)
}

/// Defaults that calls could change are refused.
fn refuse_mutable(name: &str, value: &Bound<'_, PyAny>, def: &Def) -> Outcome<()> {
    let is_mutable = value.is_instance_of::<PyList>()
        || value.is_instance_of::<PyDict>()
        || value.is_instance_of::<PySet>()
        // Python hashes a tuple only if nothing in it changes.
        || value.is_instance_of::<PyTuple>() && value.hash().is_err();
    if !is_mutable {
        return Ok(());
    }
    let message = format!(
        "Mutable default parameters are not supported because Python binds them to the function and they persist across function calls.\n As a workaround, make the default None and instantiate the default parameter within the body of the function. Found {} on parameter {name}",
        value.get_type()
    );
    Err(Box::new(Diagnostic::error(
        "mutable-default",
        message,
        &def.span,
    )))
}

/// A described function, parsed.
pub fn function_source(info: &Bound<'_, PyAny>) -> PyResult<FunctionSource> {
    let info = described(info)?;
    let mut source = undefaulted_source(info)?;
    source.defaults = defaults_of(info, &source.def)?;
    Ok(source)
}

/// Declares a Python function in the unit, once; it is compiled when it is needed.
pub fn declared_function(compiler: &Compiler, info: &Bound<'_, PyAny>) -> PyResult<Arc<Function>> {
    declared(compiler, described(info)?, || function_source(info))
}

/// One declared way to call an overloaded function.
pub fn overload_source(
    compiler: &Compiler,
    declaration: &Bound<'_, PyAny>,
    implementation: &FunctionSource,
) -> Outcome<FunctionSource> {
    let declared = function_source(declaration)
        .map_err(|e| from_python_error(declaration.py(), &e, &implementation.def.span))?;
    overload(compiler, &declared, implementation)
}

/// Declares the overloads of a function in the unit, once; each is compiled when it is needed.
pub fn declared_overloads(
    compiler: &Compiler,
    declarations: &[Py<PyAny>],
    implementation: &Bound<'_, PyAny>,
) -> PyResult<Vec<Arc<Function>>> {
    let py = implementation.py();
    let mut body: Option<FunctionSource> = None;
    let mut functions = Vec::with_capacity(declarations.len());
    for declaration in declarations {
        let info = declaration.bind(py);
        functions.push(declared(compiler, described(info)?, || {
            let body = match &body {
                Some(known) => known,
                None => body.insert(function_source(implementation)?),
            };
            overload_source(compiler, info, body).map_err(|e| errors::diagnostic(py, &e))
        })?);
    }
    Ok(functions)
}

/// Makes the class of a member of an enum known to scripts.
pub fn make_known(value: &Bound<'_, PyAny>, span: &Span) -> Outcome<()> {
    let py = value.py();
    let fail = |e: PyErr| from_python_error(py, &e, span);
    let class = value.get_type();
    if state::known_type(class.as_any()).is_some() {
        return Ok(());
    }
    let members = py.import("enum").and_then(|m| m.getattr("Enum"));
    if value.is_instance(&members.map_err(fail)?).map_err(fail)? {
        let resolve = py.import("rushlight._resolve").map_err(fail)?;
        let described = resolve
            .call_method1("describe_type", (class,))
            .map_err(fail)?;
        seams::described_type(&described, span)?;
    }
    Ok(())
}
