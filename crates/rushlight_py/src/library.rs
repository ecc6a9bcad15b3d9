//! Names of our own standard library, which is Python (`rushlight/nn`): `torch.nn.functional.relu` is compiled from its
//! source when a script first calls it.
//!
//! Two kinds of callables come from `rushlight/_jit_internal.py`: functions told apart by a flag ([`BooleanDispatch`])
//! and functions with several signatures ([`Overloaded`]).

use crate::compile;
use crate::resolver::{self, from_python_error};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rushlight::frontend::script::{Compiler, Emitter, Library, signature};
use rushlight::frontend::sugared::choice::{BooleanDispatch, Chosen, Overloaded, Overloads};
use rushlight::frontend::{Outcome, Sugared};
use rushlight::ir::Function;
use rushlight::syntax::Span;
use rushlight::types::Schema;
use std::sync::Arc;

/// Where the library has names. Everything else is an operator or nothing, and Python is not asked.
const PREFIXES: &[&str] = &[
    "torch.nn.",
    "torch.no_grad",
    "torch.autocast",
    "torch.amp.",
    "torch.cpu.amp.",
    "torch.cuda.amp.",
    "torch.autograd.",
    "torch.backends.",
    "torch.profiler.",
    "torch.unique",
    "torch.unique_consecutive",
    "torch.norm",
    "torch.cdist",
    "torch.tensordot",
    "torch.stft",
    "torch.functional.",
    "torch.compiler.",
    "torch.ops.",
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

    fn is_callable(&self, path: &str) -> bool {
        Python::attach(|py| PythonLibrary::function(py, path).unwrap_or(false))
    }
}

impl PythonLibrary {
    fn function(py: Python<'_>, path: &str) -> PyResult<bool> {
        let Some(("torch", name)) = path.rsplit_once('.') else {
            return Ok(false);
        };
        Ok(py.import("rushlight")?.getattr(name)?.is_callable())
    }
}

/// Whether a path is a name, or begins with a prefix that ends in a dot.
fn is_under(path: &str, prefix: &str) -> bool {
    match prefix.ends_with('.') {
        true => path.starts_with(prefix),
        false => path == prefix,
    }
}

/// From `("boolean_dispatch", name, index, default, if_true, if_false)`.
pub fn boolean_dispatch(tuple: &Bound<'_, PyTuple>) -> PyResult<BooleanDispatch> {
    let flag: String = tuple.get_item(1)?.extract()?;
    let chosen = |i: usize| -> PyResult<Chosen> {
        let (name, object) = (flag.clone(), tuple.get_item(i)?.unbind());
        Ok(Box::new(move |emitter, span| {
            Python::attach(|py| resolver::object(emitter, &name, object.bind(py), span))
        }))
    };
    Ok(BooleanDispatch {
        index: tuple.get_item(2)?.extract()?,
        default: tuple.get_item(3)?.extract()?,
        if_true: chosen(4)?,
        if_false: chosen(5)?,
        flag,
    })
}

/// Descriptions of an overloaded function.
pub struct Described {
    name: String,
    declarations: Vec<Py<PyAny>>,
    implementation: Py<PyAny>,
    compiles_all: bool,
}

/// From `("overloaded_function", name, [declaration], implementation, whether all compile)`.
pub fn overloaded(tuple: &Bound<'_, PyTuple>) -> PyResult<Overloaded<Described>> {
    let declarations = tuple.get_item(2)?;
    Ok(Overloaded(Described {
        name: tuple.get_item(1)?.extract()?,
        declarations: declarations
            .try_iter()?
            .map(|d| Ok(d?.unbind()))
            .collect::<PyResult<_>>()?,
        implementation: tuple.get_item(3)?.unbind(),
        compiles_all: tuple.get_item(4)?.extract()?,
    }))
}

impl Overloads for Described {
    fn schemas(&self, compiler: &Compiler, span: &Span) -> Outcome<Vec<Schema>> {
        Python::attach(|py| {
            let body = compile::function_source(self.implementation.bind(py))
                .map_err(|e| from_python_error(py, &e, span))?;
            let schema = |declaration: &Py<PyAny>| {
                let source = compile::overload_source(compiler, declaration.bind(py), &body)?;
                signature(compiler, &self.name, &source)
            };
            self.declarations.iter().map(schema).collect()
        })
    }

    fn compiles_all(&self) -> bool {
        self.compiles_all
    }

    fn functions(&self, compiler: &Compiler, span: &Span) -> Outcome<Vec<Arc<Function>>> {
        Python::attach(|py| {
            compile::declared_overloads(compiler, &self.declarations, self.implementation.bind(py))
                .map_err(|e| from_python_error(py, &e, span))
        })
    }
}
