//! Names of our own standard library, which is Python (`rushlight/nn`): `torch.nn.functional.relu` is compiled from its
//! source when a script first calls it.
//!
//! Two kinds of callables of the library have no counterpart in programs: functions told apart by a flag
//! ([`BooleanDispatch`]) and functions with several signatures ([`Overloaded`]); `rushlight/_jit_internal.py` makes them.

use crate::compile;
use crate::resolver::{self, from_python_error};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rushlight::Value;
use rushlight::frontend::script::{Arguments, Emitter, Library, match_schema, no_match, signature};
use rushlight::frontend::sugared::{Special, function::ScriptFunction};
use rushlight::frontend::{Outcome, Problem, Sugared};
use rushlight::syntax::{Diagnostic, Span};

/// Where the library has names. Everything else is an operator or nothing, and Python is not asked.
const PREFIXES: &[&str] = &[
    "torch.nn.",
    "torch.no_grad",
    "torch.autograd.",
    "torch.profiler.",
    "torch.unique",
    "torch.unique_consecutive",
    "torch.norm",
    "torch.cdist",
    "torch.tensordot",
    "torch.stft",
    "torch.functional.",
];

/// The library as the compiler asks for it.
pub struct PythonLibrary;

impl Library for PythonLibrary {
    fn find(&self, emitter: &mut Emitter<'_>, path: &str, span: &Span) -> Outcome<Option<Sugared>> {
        if !PREFIXES.iter().any(|p| is_under(path, p)) {
            return Ok(None);
        }
        Python::attach(|py| {
            let description = py
                .import("rushlight._resolve")
                .and_then(|m| m.call_method1("describe_library", (path,)))
                .map_err(|e| from_python_error(py, &e, span))?;
            if description.is_none() {
                return Ok(None);
            }
            resolver::sugared(emitter, path, &description, span).map(Some)
        })
    }
}

/// Whether a path is a name, or begins with a prefix that ends in a dot.
fn is_under(path: &str, prefix: &str) -> bool {
    match prefix.ends_with('.') {
        true => path.starts_with(prefix),
        false => path == prefix,
    }
}

fn problem(message: String, span: &Span) -> Problem {
    Box::new(Diagnostic::error("python-library", message, span))
}

/// A name for two functions, told apart by a flag that is known when the call is compiled.
pub struct BooleanDispatch {
    name: String,
    index: usize,
    default: bool,
    if_true: Py<PyAny>,
    if_false: Py<PyAny>,
}

impl BooleanDispatch {
    /// From `("boolean_dispatch", name, index, default, if_true, if_false)`.
    pub fn from_description(tuple: &Bound<'_, PyTuple>) -> PyResult<BooleanDispatch> {
        Ok(BooleanDispatch {
            name: tuple.get_item(1)?.extract()?,
            index: tuple.get_item(2)?.extract()?,
            default: tuple.get_item(3)?.extract()?,
            if_true: tuple.get_item(4)?.unbind(),
            if_false: tuple.get_item(5)?.unbind(),
        })
    }

    fn flag(&self, emitter: &mut Emitter<'_>, arguments: &Arguments, span: &Span) -> Outcome<bool> {
        let named = arguments.keywords.iter().find(|k| *k.name == *self.name);
        let given = match (named, arguments.positional.get(self.index)) {
            (Some(named), _) => &named.value,
            (None, Some((value, _))) => value,
            (None, None) => return Ok(self.default),
        };
        let value = given.as_value(emitter, span)?;
        match emitter.graph.constant(value) {
            Some(Value::Bool(flag)) => Ok(flag),
            _ => Err(problem(
                match named {
                    Some(_) => format!(
                        "Keyword argument '{}' for boolean dispatch at position was not constant",
                        self.name
                    ),
                    None => format!(
                        "Argument for boolean dispatch at position {} was not constant",
                        self.index
                    ),
                },
                span,
            )),
        }
    }
}

impl Special for BooleanDispatch {
    fn describe(&self) -> String {
        "function".to_string()
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        let chosen = match self.flag(emitter, arguments, span)? {
            true => &self.if_true,
            false => &self.if_false,
        };
        Python::attach(|py| resolver::object(emitter, &self.name, chosen.bind(py), span))?
            .call(emitter, arguments, span)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// A function whose body is compiled for each declared signature that calls choose.
pub struct Overloaded {
    name: String,
    /// Descriptions of the declarations and of the implementation.
    declarations: Vec<Py<PyAny>>,
    implementation: Py<PyAny>,
}

impl Overloaded {
    /// From `("overloaded_function", name, [declaration], implementation)`.
    pub fn from_description(tuple: &Bound<'_, PyTuple>) -> PyResult<Overloaded> {
        Ok(Overloaded {
            name: tuple.get_item(1)?.extract()?,
            declarations: tuple
                .get_item(2)?
                .try_iter()?
                .map(|d| Ok(d?.unbind()))
                .collect::<PyResult<_>>()?,
            implementation: tuple.get_item(3)?.unbind(),
        })
    }
}

impl Special for Overloaded {
    fn describe(&self) -> String {
        "function".to_string()
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        Python::attach(|py| {
            let fail = |e: PyErr| from_python_error(py, &e, span);
            let mut schemas = Vec::new();
            for declaration in &self.declarations {
                let source = compile::function_source(declaration.bind(py)).map_err(fail)?;
                let mut schema = signature(&self.name, &source)?;
                schema.returns.iter_mut().for_each(|r| r.name = "".into());
                schemas.push(schema);
            }
            let candidates: Vec<_> = schemas.iter().collect();
            let chosen = match match_schema(emitter, &candidates, arguments)? {
                Ok((chosen, _)) => chosen,
                Err(mismatches) => return Err(no_match(&mismatches, span)),
            };
            // All are declared, so that each has its name whichever is called first; only what is called is compiled.
            let functions = compile::declared_overloads(
                emitter.compiler,
                &self.declarations,
                self.implementation.bind(py),
            )
            .map_err(fail)?;
            let function = functions[chosen].clone();
            ScriptFunction { function }.call(emitter, arguments, span)
        })
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
