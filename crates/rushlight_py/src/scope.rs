//! Names as functions of a program see them: each is asked of a Python scope, which describes what it finds.

use crate::convert::infer;
use crate::errors::raised_by_python;
use crate::identity::PyTensor;
use crate::{seams, state};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rushlight::Value;
use rushlight::frontend::script::Emitter;
use rushlight::frontend::{Outcome, RefusedAnnotation, Resolver, Sugared};
use rushlight::syntax::tree::Expr;
use rushlight::syntax::{ErrorKind, Span};
use rushlight::types::Type;
use std::cell::OnceCell;

/// Resolves names by asking Python.
pub struct PyResolver {
    /// An object with `lookup(name)`, `lookup_type(name)` and `constant(name)`.
    scope: Py<PyAny>,
    /// The dictionaries that the scope consists of, where it is no more than that.
    dictionaries: OnceCell<Option<[Option<Py<PyDict>>; 2]>>,
}

impl PyResolver {
    /// Resolves names in a scope (`rushlight/_resolve.py`).
    pub fn new(scope: Py<PyAny>) -> PyResolver {
        PyResolver {
            scope,
            dictionaries: OnceCell::new(),
        }
    }

    fn dictionaries(&self, py: Python<'_>) -> Option<&[Option<Py<PyDict>>; 2]> {
        let read = || -> PyResult<Option<[Option<Py<PyDict>>; 2]>> {
            let scope = self.scope.bind(py);
            if !scope.getattr("plain")?.is_truthy()? {
                return Ok(None);
            }
            Ok(Some([
                scope.getattr("names")?.extract()?,
                scope.getattr("fallback")?.extract()?,
            ]))
        };
        let known = self.dictionaries.get_or_init(|| read().ok().flatten());
        known.as_ref()
    }

    /// The object of a name where the dictionaries say it: `Some(None)` when they do not have it.
    fn find<'py>(&self, py: Python<'py>, name: &str) -> Option<Option<Bound<'py, PyAny>>> {
        for dictionary in self.dictionaries(py)?.iter().flatten() {
            if let Ok(Some(found)) = dictionary.bind(py).get_item(name) {
                return Some(Some(found));
            }
        }
        Some(None)
    }

    /// Whether a dotted name is the class of tensors.
    fn is_tensor_class(&self, py: Python<'_>, name: &str) -> bool {
        let mut parts = name.split('.');
        let first = parts.next().and_then(|first| self.find(py, first)?);
        let found = first.and_then(|first| {
            parts.try_fold(first, |object, part| {
                object.getattr_opt(part).ok().flatten()
            })
        });
        found.is_some_and(|object| object.is(py.get_type::<PyTensor>()))
    }
}

impl Resolver for PyResolver {
    fn has_bare_forms(&self) -> bool {
        false
    }

    fn lookup(
        &self,
        emitter: &mut Emitter<'_>,
        name: &str,
        span: &Span,
    ) -> Outcome<Option<Sugared>> {
        Python::attach(|py| {
            // A name bound to None counts as undefined.
            if matches!(self.find(py, name), Some(found) if found.as_ref().is_none_or(|f| f.is_none()))
            {
                return Ok(None);
            }
            let description = self
                .scope
                .bind(py)
                .call_method1("lookup", (name,))
                .map_err(|e| raised_by_python(py, &e))?;
            if description.is_none() {
                Ok(None)
            } else {
                seams::sugared(emitter, name, &description, span).map(Some)
            }
        })
    }

    fn host_name(
        &self,
        emitter: &mut Emitter<'_>,
        name: &str,
        span: &Span,
    ) -> Outcome<Option<Sugared>> {
        Python::attach(|py| {
            let description = self
                .scope
                .bind(py)
                .call_method1("host_name", (name,))
                .map_err(|e| raised_by_python(py, &e))?;
            if description.is_none() {
                return Ok(None);
            }
            seams::sugared(emitter, name, &description, span).map(Some)
        })
    }

    fn class_attribute(
        &self,
        emitter: &mut Emitter<'_>,
        class: &str,
        name: &str,
        span: &Span,
    ) -> Outcome<Option<Sugared>> {
        Python::attach(|py| {
            let found = state::class_of(py, class).and_then(|class| class.getattr(name).ok());
            found
                .filter(|found| !found.is_none())
                .map(|found| object(emitter, name, &found, span))
                .transpose()
        })
    }

    fn lookup_type(&self, name: &str, span: &Span) -> Outcome<Option<Type>> {
        Python::attach(|py| {
            if self.is_tensor_class(py, name) {
                return Ok(Some(Type::TENSOR));
            }
            let description = self
                .scope
                .bind(py)
                .call_method1("lookup_type", (name,))
                .map_err(|e| raised_by_python(py, &e))?;
            if description.is_none() {
                return Ok(None);
            }
            if let Ok(("module_class", name)) = description.extract::<(&str, &str)>() {
                // The class of a module is a type once an instance has been scripted.
                return Ok(state::unit().ty(name));
            }
            seams::described_type(&description, span).map(Some)
        })
    }

    fn own_name(&self, name: &str) -> Option<String> {
        Python::attach(|py| {
            let scope = self.scope.bind(py);
            let found = scope.call_method1("own_name", (name,)).ok()?;
            found.extract::<Option<String>>().ok()?
        })
    }

    fn refused_annotation(&self, text: &str) -> Option<RefusedAnnotation> {
        Python::attach(|py| {
            let scope = self.scope.bind(py);
            let found = scope.call_method1("refused_annotation", (text,)).ok()?;
            let (class, message, shows_place): (String, String, bool) = found.extract().ok()?;
            let kind = ErrorKind::from_class_name(&class)?;
            Some(RefusedAnnotation {
                kind,
                message,
                shows_place,
            })
        })
    }

    fn constant(&self, expr: &Expr) -> Option<Value> {
        let name = rushlight::frontend::script::dotted_text(expr)?;
        Python::attach(|py| {
            let found = self.scope.bind(py).call_method1("constant", (name,)).ok()?;
            let (value,): (Bound<'_, PyAny>,) = found.extract().ok()?;
            infer(&value).ok()
        })
    }
}

/// What a Python object stands for.
pub fn object(
    emitter: &mut Emitter<'_>,
    name: &str,
    object: &Bound<'_, PyAny>,
    span: &Span,
) -> Outcome<Sugared> {
    let py = object.py();
    let description = py
        .import("rushlight._resolve")
        .and_then(|m| m.call_method1("describe", (object,)))
        .map_err(|e| raised_by_python(py, &e))?;
    seams::sugared(emitter, name, &description, span)
}
