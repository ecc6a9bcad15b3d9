//! What a module is inside a script, and its parts.

use super::concrete::{Concrete, Container, Part};
use crate::typed_module::TypedModule;
use rushlight::frontend::script::Emitter;
use rushlight::frontend::{Outcome, Sugared};
use rushlight::ir::ValueId;
use rushlight::syntax::Span;
use rushlight::types::AttributeKind;
use std::rc::Rc;

/// A module: a value of the graph together with the type that its Python object gave it.
pub struct ModuleValue {
    pub value: ValueId,
    pub concrete: Rc<Concrete>,
}

impl ModuleValue {
    /// The same module once more.
    pub fn again(&self) -> ModuleValue {
        ModuleValue {
            value: self.value,
            concrete: self.concrete.clone(),
        }
    }

    /// A submodule (or parameter of a list) by name.
    pub fn part(&self, emitter: &mut Emitter<'_>, name: &str, span: &Span) -> Outcome<Sugared> {
        let value = Sugared::Value(self.value).attribute(emitter, name, span)?;
        match (self.concrete.part(name), &value) {
            (Some(Part::Module(concrete)), Sugared::Value(inner)) => {
                Ok(Sugared::special(ModuleValue {
                    value: *inner,
                    concrete: concrete.clone(),
                }))
            }
            (Some(Part::Loaded(_)), Sugared::Value(inner)) => {
                Ok(Sugared::special(TypedModule(*inner)))
            }
            _ => Ok(value),
        }
    }

    /// The names of the parts, for containers.
    pub fn part_names(&self) -> Option<Vec<Rc<str>>> {
        let shape = &self.concrete.shape;
        match self.concrete.facts.container {
            Container::No => None,
            Container::List | Container::Dict => {
                Some(shape.parts.iter().map(|p| Rc::from(&*p.0)).collect())
            }
            Container::ParameterList | Container::ParameterDict => Some(
                shape
                    .slots
                    .iter()
                    .filter(|s| s.kind == AttributeKind::Parameter)
                    .map(|s| Rc::from(&*s.name))
                    .collect(),
            ),
        }
    }
}
