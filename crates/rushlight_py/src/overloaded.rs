//! Functions of our own standard library with several signatures (`rushlight/_jit_internal.py`).

use crate::definition::{declared_overloads, function_source, overload_source};
use crate::errors::from_python_error;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rushlight::frontend::Outcome;
use rushlight::frontend::script::{Compiler, signature};
use rushlight::frontend::sugared::choice::{Overloaded, Overloads};
use rushlight::ir::Function;
use rushlight::syntax::Span;
use rushlight::types::Schema;
use std::sync::Arc;

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
            let body = function_source(self.implementation.bind(py))
                .map_err(|e| from_python_error(py, &e, span))?;
            let schema = |declaration: &Py<PyAny>| {
                let source = overload_source(compiler, declaration.bind(py), &body)?;
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
            declared_overloads(compiler, &self.declarations, self.implementation.bind(py))
                .map_err(|e| from_python_error(py, &e, span))
        })
    }
}
