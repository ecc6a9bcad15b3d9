//! Classes as values: calling one makes an object.

use super::{Sugared, SugaredValue};
use crate::Outcome;
use crate::error::problem;
use crate::script::{Arguments, Emitter};
use rushlight_ir::Prim;
use rushlight_syntax::Span;
use rushlight_types::{ClassType, Type};
use std::sync::Arc;

/// A script class.
pub struct ClassValue {
    pub class: Arc<ClassType>,
}

impl SugaredValue for ClassValue {
    fn describe(&self) -> String {
        "Python type".to_string()
    }

    fn attribute(&self, emitter: &mut Emitter<'_>, name: &str, span: &Span) -> Outcome<Sugared> {
        if name == "__new__" {
            return Ok(Sugared::special(NewObject {
                class: self.class.clone(),
            }));
        }
        if let Some(method) = self.class.static_method(name)
            && let Some(function) = emitter.unit().function(&method.qualified)
        {
            return Ok(Sugared::special(super::function::ScriptFunction {
                function,
            }));
        }
        if let Some(constant) = self.class.constant(name).filter(|_| self.class.is_module()) {
            return Ok(Sugared::Value(emitter.constant(constant, span)));
        }
        // Archives call the hooks of modules as functions of the class: `__torch__.M.hook(m, ...)`.
        if self.class.is_module()
            && let Some(function) = emitter.unit().method(&self.class, name)
        {
            return Ok(Sugared::special(super::function::ScriptFunction {
                function,
            }));
        }
        let resolver = emitter.resolver.clone();
        if let Some(found) = resolver.class_attribute(emitter, self.class.name(), name, span)? {
            return Ok(found);
        }
        Err(problem(
            "no-attribute",
            format!(
                "Tried to lookup unknown attribute on class {}",
                self.class.name()
            ),
            span,
        ))
    }

    fn prepare(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<()> {
        emitter.compiler.ensure_class(emitter, &self.class, span)
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        if self.class.method("__init__").is_none() {
            return Err(problem(
                "no-init",
                format!(
                    "Class {} does not have an __init__ function defined",
                    self.class.basename()
                ),
                span,
            ));
        }
        let ty = Type::Class(self.class.clone());
        let object = emitter.value(Prim::CreateObject, &[], ty, span);
        let init = super::method::BoundMethod {
            object,
            name: "__init__".into(),
        };
        let init_method = self.class.method("__init__");
        let fails = init_method
            .is_some_and(|method| emitter.compiler.why_failed(&method.qualified).is_some());
        // What is wrong with it is told where it stands: a check goes on with an object that has what could be made.
        if !(fails && emitter.compiler.is_checking()) {
            init.call(emitter, arguments, span)?;
        }
        Ok(Sugared::Value(object))
    }

    fn as_type(&self) -> Option<Type> {
        Some(Type::Class(self.class.clone()))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// `Class.__new__`, which archives write for objects.
struct NewObject {
    class: Arc<ClassType>,
}

impl SugaredValue for NewObject {
    fn describe(&self) -> String {
        "__new__".to_string()
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        _arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        Ok(Sugared::Value(emitter.value(
            Prim::CreateObject,
            &[],
            Type::Class(self.class.clone()),
            span,
        )))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
