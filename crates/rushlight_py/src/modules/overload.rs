//! Overloaded methods of modules: one body, compiled for each declared way to call it.

use super::concrete::Concrete;
use super::sources::source;
use super::value::ModuleValue;
use crate::errors::module_problem;
use pyo3::prelude::*;
use rushlight::frontend::script::{Arguments, Emitter, FunctionSource, match_call};
use rushlight::frontend::sugared::{SugaredValue, method::BoundMethod};
use rushlight::frontend::{Outcome, Sugared};
use rushlight::ir::ValueId;
use rushlight::syntax::Span;
use std::rc::Rc;
use std::sync::Arc;

/// The methods that the overloads of a type become: `add__0`, `add__1`, ...
pub fn sources(
    concrete: &Rc<Concrete>,
    facts: &Bound<'_, PyAny>,
) -> PyResult<Vec<(String, FunctionSource)>> {
    let mut out = Vec::new();
    for method in facts.call_method0("overload_methods")?.try_iter()? {
        let (name, declarations, implementation): (
            String,
            Vec<Bound<'_, PyAny>>,
            Bound<'_, PyAny>,
        ) = method?.extract()?;
        for (i, declaration) in declarations.iter().enumerate() {
            let declared = source(concrete, declaration)?;
            let mut body = source(concrete, &implementation)?;
            body.def = Rc::new(body.def.typed_as(&declared.def));
            body.defaults = declared.defaults;
            out.push((format!("{name}__{i}"), body));
        }
    }
    Ok(out)
}

/// An overloaded method taken from a module.
pub fn value(module: &ModuleValue, name: &str, count: usize) -> Sugared {
    Sugared::special(Overloaded {
        object: module.value,
        concrete: module.concrete.clone(),
        name: name.to_string(),
        count,
    })
}

struct Overloaded {
    object: ValueId,
    concrete: Rc<Concrete>,
    name: String,
    count: usize,
}

impl SugaredValue for Overloaded {
    fn describe(&self) -> String {
        "method".to_string()
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        let mut schemas = Vec::new();
        for i in 0..self.count {
            let name = format!("{}__{i}", self.name);
            let function = emitter
                .unit()
                .method(&self.concrete.class, &name)
                .ok_or_else(|| {
                    module_problem(
                        format!(
                            "Can't find overload {name} of '{}'",
                            self.concrete.facts.name
                        ),
                        span,
                    )
                })?;
            schemas.push(emitter.compiler.ensure(emitter, &function, span)?);
        }
        let with_self = arguments.with_self(self.object, span);
        let candidates: Vec<_> = schemas.iter().map(|s| &**s).collect();
        let (chosen, _) = match_call(emitter, &candidates, &with_self, span)?;
        let method = BoundMethod {
            object: self.object,
            name: Arc::from(format!("{}__{chosen}", self.name)),
        };
        method.call(emitter, arguments, span)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
