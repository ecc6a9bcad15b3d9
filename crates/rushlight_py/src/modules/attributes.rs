//! Modules inside scripts: attributes, methods, calls and parts of what Python knows more of than its script type.

use super::sources::{declare, source};
use super::value::ModuleValue;
use super::{container, hooks, overload, python_method};
use crate::errors::{from_python_error, module_problem};
use crate::resolver::sugared;
use crate::scope::object;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rushlight::Value;
use rushlight::frontend::script::{Arguments, Emitter};
use rushlight::frontend::sugared::function::ScriptFunction;
use rushlight::frontend::sugared::iterable::Iteration;
use rushlight::frontend::sugared::{SubscriptPlaces, SugaredValue, method::BoundMethod};
use rushlight::frontend::{Outcome, Problem, Sugared};
use rushlight::ir::ValueId;
use rushlight::syntax::diagnostic::{ErrorKind, highlight};
use rushlight::syntax::{Diagnostic, Span};
use rushlight::types::Type;

impl ModuleValue {
    fn is_plain(&self, name: &str) -> bool {
        let class = &self.concrete.class;
        class.slot(name).is_some()
            || class.constant(name).is_some()
            || class.property(name).is_some()
    }

    fn function(
        &self,
        emitter: &mut Emitter<'_>,
        name: &str,
        span: &Span,
    ) -> Outcome<Option<Sugared>> {
        let functions = &self.concrete.shape.functions;
        let Some((_, function)) = functions.iter().find(|f| &*f.0 == name) else {
            return Ok(None);
        };
        Python::attach(|py| {
            let failed = |message: String| {
                module_problem(
                    format!(
                        "Module '{}' has no attribute '{name}' (This function exists as an attribute on the Python module, but we failed to compile it to a TorchScript function. \nThe error stack is reproduced here:\n{message})",
                        self.concrete.facts.name
                    ),
                    span,
                )
            };
            object(emitter, name, function.bind(py), span)
                .and_then(|found| compiled(emitter, found))
                .map(Some)
                .or_else(|e| {
                    // The class's own method stands behind a function that cannot be compiled.
                    let facts = self.concrete.facts.object.bind(py);
                    match facts.call_method1("method", (name,)) {
                        Ok(method) if !method.is_none() => Ok(None),
                        _ => Err(failed(highlight::render(&e))),
                    }
                })
        })
    }

    fn method(
        &self,
        emitter: &mut Emitter<'_>,
        name: &str,
        span: &Span,
    ) -> Outcome<Option<Sugared>> {
        if let Some(&count) = self.concrete.facts.overloads.get(name) {
            return Ok(Some(overload::value(self, name, count)));
        }
        let bound = |module: &ModuleValue| {
            Sugared::special(BoundMethod {
                object: module.value,
                name: name.into(),
            })
        };
        if emitter.unit().method(&self.concrete.class, name).is_some() {
            return Ok(Some(bound(self)));
        }
        Python::attach(|py| {
            let facts = self.concrete.facts.object.bind(py);
            let fail = |e: PyErr| from_python_error(py, &e, span);
            let described = facts.call_method1("method", (name,)).map_err(fail)?;
            if described.is_none() {
                return Ok(None);
            }
            let tuple = described.cast::<PyTuple>().map_err(|e| fail(e.into()))?;
            let kind: String = tuple.get_item(0).and_then(|k| k.extract()).map_err(fail)?;
            match kind.as_str() {
                "method" => {
                    let info = tuple.get_item(1).map_err(fail)?;
                    let source = source(&self.concrete, &info).map_err(fail)?;
                    declare(&self.concrete, name, source);
                    let method = bound(self);
                    // Reading it is what compiles it, whether it is called or not.
                    if let Sugared::Special(thing) = &method {
                        thing.prepare(emitter, span)?;
                    }
                    Ok(Some(method))
                }
                "ignored_method" => {
                    let info = tuple.get_item(1).map_err(fail)?;
                    let info = info.cast::<PyDict>().map_err(|e| fail(e.into()))?;
                    let unused: bool = tuple.get_item(2).and_then(|u| u.extract()).map_err(fail)?;
                    python_method::method(self, info, unused, span).map(Some)
                }
                _ => sugared(emitter, name, &described, span).map(Some),
            }
        })
    }

    fn missing(&self, name: &str, span: &Span) -> Problem {
        if name == "forward" {
            // Modules without it have one that takes anything and raises.
            let message = "Compiled functions can't take variable number of arguments or use keyword-only arguments with defaults";
            return Box::new(Diagnostic::new("module", ErrorKind::NotSupported, message).at(span));
        }
        let failed = &self.concrete.shape.failed;
        let why = failed.iter().find(|f| &*f.0 == name);
        let hint = match why {
            Some((_, why)) => why.as_str(),
            None if self.concrete.facts.left_out.contains(name) => {
                "attribute was ignored during compilation"
            }
            None => "",
        };
        module_problem(
            format!(
                "Module '{}' has no attribute '{name}' {hint}",
                self.concrete.facts.name
            ),
            span,
        )
    }
}

/// A constant of a module: tuples are made of constants, so that each of them has its place.
fn constant_parts(emitter: &mut Emitter<'_>, constant: &Value, span: &Span) -> ValueId {
    match constant {
        Value::Tuple(tuple) if tuple.ty.is_none() => {
            let items: Vec<ValueId> = tuple
                .items
                .iter()
                .map(|item| constant_parts(emitter, item, span))
                .collect();
            emitter.tuple(&items, span)
        }
        other => emitter.constant(other.clone(), span),
    }
}

/// A function is compiled as soon as it is an attribute of a module, so that its problems are told there.
fn compiled(emitter: &mut Emitter<'_>, found: Sugared) -> Outcome<Sugared> {
    if let Sugared::Special(thing) = &found
        && let Some(function) = thing.as_any().downcast_ref::<ScriptFunction>()
    {
        emitter.compiler.compile(&function.function)?;
    }
    Ok(found)
}

impl SugaredValue for ModuleValue {
    fn describe(&self) -> String {
        "module".to_string()
    }

    fn plain(&self) -> Option<ValueId> {
        Some(self.value)
    }

    fn as_value(&self, _emitter: &mut Emitter<'_>, _span: &Span) -> Outcome<ValueId> {
        Ok(self.value)
    }

    fn attribute(&self, emitter: &mut Emitter<'_>, name: &str, span: &Span) -> Outcome<Sugared> {
        if let Some(constant) = self.concrete.class.constant(name) {
            return Ok(Sugared::Value(constant_parts(emitter, &constant, span)));
        }
        if self.is_plain(name) {
            return self.part(emitter, name, span);
        }
        if let Some(found) = container::method(self, name) {
            return Ok(found);
        }
        if let Some(found) = self.function(emitter, name, span)? {
            return Ok(found);
        }
        match self.method(emitter, name, span)? {
            Some(found) => Ok(found),
            None => Err(self.missing(name, span)),
        }
    }

    fn has_attribute(&self, _emitter: &mut Emitter<'_>, name: &str, _span: &Span) -> Outcome<bool> {
        let shape = &self.concrete.shape;
        if self.is_plain(name) || shape.functions.iter().any(|f| &*f.0 == name) {
            return Ok(true);
        }
        Ok(Python::attach(|py| {
            let facts = self.concrete.facts.object.bind(py);
            facts
                .call_method1("method", (name,))
                .is_ok_and(|m| !m.is_none())
        }))
    }

    fn set_attribute(
        &self,
        emitter: &mut Emitter<'_>,
        name: &str,
        value: ValueId,
        span: &Span,
    ) -> Outcome<()> {
        Sugared::Value(self.value).set_attribute(emitter, name, value, span)
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        if hooks::present(&self.concrete) {
            return hooks::call(self, emitter, arguments, span);
        }
        let forward = self.attribute(emitter, "forward", span)?;
        forward.call(emitter, arguments, span)
    }

    fn subscript(
        &self,
        emitter: &mut Emitter<'_>,
        index: ValueId,
        wanted: Option<&Type>,
        places: SubscriptPlaces<'_>,
    ) -> Outcome<Sugared> {
        container::subscript(self, emitter, index, wanted, places.whole)
    }

    fn sliced_parts(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<Vec<Sugared>> {
        container::parts(self, emitter, span)
    }

    fn as_parts(&self, _emitter: &mut Emitter<'_>, span: &Span) -> Outcome<Vec<Sugared>> {
        Err(module_problem(
            "module cannot be used as a tuple".into(),
            span,
        ))
    }

    fn iterate(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<Iteration> {
        container::iterate(self, emitter, span)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
