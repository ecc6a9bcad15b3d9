//! Enum classes and their members.

use super::{Sugared, SugaredValue, iterable};
use crate::Outcome;
use crate::error::problem;
use crate::script::{Emitter, advice};
use rushlight_ir::ValueId;
use rushlight_syntax::Span;
use rushlight_types::{EnumType, EnumValue, Type, Value};
use std::sync::Arc;

/// An enum class.
pub struct EnumClass {
    pub ty: Arc<EnumType>,
}

impl EnumClass {
    fn member(&self, index: usize) -> Value {
        let ty = self.ty.clone();
        Value::Enum(Arc::new(EnumValue { ty, index }))
    }
}

impl SugaredValue for EnumClass {
    fn describe(&self) -> String {
        "EnumClass".to_string()
    }

    fn attribute(&self, emitter: &mut Emitter<'_>, name: &str, span: &Span) -> Outcome<Sugared> {
        match self.ty.members.iter().position(|m| &*m.0 == name) {
            Some(index) => {
                let ty = Type::Enum(self.ty.clone());
                let member = emitter.typed_constant(self.member(index), ty, span);
                Ok(Sugared::Value(member))
            }
            None => {
                // The reference leaves the first quote out.
                let shown = Type::Enum(self.ty.clone()).message_form();
                let message = format!("{shown}' has no attribute '{name}'");
                let mut problem = problem("no-attribute", message, span);
                let class = self.ty.name.rsplit('.').next().unwrap_or(&self.ty.name);
                problem.plain = Some(format!("the enum '{class}' has no member '{name}'"));
                let names = self.ty.members.iter().map(|(name, _)| &**name);
                advice::suggest(&mut problem, name, names.clone());
                if problem.hint.is_none() {
                    let names: Vec<&str> = names.collect();
                    problem.hint = Some(format!("its members are {}", names.join(", ")));
                }
                Err(problem)
            }
        }
    }

    fn iterate(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<iterable::Iteration> {
        let element = Type::Enum(self.ty.clone());
        let members = (0..self.ty.members.len()).map(|i| self.member(i));
        let list = Value::list(&element, members.collect());
        let list = list.map_err(|fault| problem("enum", fault.message(), span))?;
        let list = emitter.typed_constant(list, Type::List(Arc::new(element)), span);
        iterable::of_value(emitter, list, span)
    }

    fn as_type(&self) -> Option<Type> {
        Some(Type::Enum(self.ty.clone()))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// `member.name` and `member.value`.
pub(super) fn member_attribute(
    emitter: &mut Emitter<'_>,
    value: ValueId,
    name: &str,
    span: &Span,
) -> Outcome<Sugared> {
    let Type::Enum(ty) = emitter.ty(value).clone() else {
        unreachable!("asked of enums only")
    };
    // A constant member's name and value are known while compiling.
    let (overload, result) = match (name, &ty.value_type) {
        ("name", _) => ("prim::EnumName", Type::Str),
        ("value", Type::Float) => ("prim::EnumValue.float", Type::Float),
        ("value", Type::Str) => ("prim::EnumValue.str", Type::Str),
        ("value", value) => ("prim::EnumValue.int", value.clone()),
        _ => {
            let message = format!(
                "'{}' object has no attribute or method '{name}'.",
                Type::Enum(ty).message_form()
            );
            let mut problem = problem("no-attribute", message, span);
            advice::suggest(&mut problem, name, ["name", "value"].into_iter());
            return Err(problem);
        }
    };
    let Some(operator) = emitter.table().find(overload) else {
        return Err(super::builtin::unknown(emitter, overload, span));
    };
    let out = emitter.value(operator, &[value], result, span);
    Ok(Sugared::Value(emitter.without_place(out)))
}
