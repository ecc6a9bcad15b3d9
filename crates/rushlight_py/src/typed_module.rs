//! Modules inside scripts of which only the script type is known: loaded, traced and frozen ones.

use crate::errors::module_problem;
use rushlight::frontend::script::{Arguments, Emitter};
use rushlight::frontend::sugared::iterable::Iteration;
use rushlight::frontend::sugared::{SubscriptPlaces, SugaredValue};
use rushlight::frontend::{Outcome, Sugared};
use rushlight::ir::ValueId;
use rushlight::syntax::Span;
use rushlight::types::Type;

/// What is said of a module that no loop goes over.
pub const NO_ITERABLE: &str =
    "Only constant Sequential, ModuleList, ModuleDict, or ParameterList can be used as an iterable";

/// What is said of a module that has no items.
pub const NO_ITEMS: &str = "Only ModuleList, Sequential, ModuleDict, ParameterList, and ParameterDict modules are subscriptable";

/// A module that is called by its `forward`; everything else is as its value has it.
pub struct TypedModule(pub ValueId);

impl TypedModule {
    fn value(&self) -> Sugared {
        Sugared::Value(self.0)
    }
}

/// The thing, or a module behind a value as a [`TypedModule`].
fn callable(emitter: &Emitter<'_>, thing: Sugared) -> Sugared {
    match thing {
        Sugared::Value(value) => match emitter.ty(value) {
            Type::Class(class) if class.is_module() => Sugared::special(TypedModule(value)),
            _ => Sugared::Value(value),
        },
        other => other,
    }
}

impl SugaredValue for TypedModule {
    fn describe(&self) -> String {
        "module".to_string()
    }

    fn as_value(&self, _emitter: &mut Emitter<'_>, _span: &Span) -> Outcome<ValueId> {
        Ok(self.0)
    }

    fn plain(&self) -> Option<ValueId> {
        Some(self.0)
    }

    fn attribute(&self, emitter: &mut Emitter<'_>, name: &str, span: &Span) -> Outcome<Sugared> {
        if let (false, Type::Class(class)) =
            (self.has_attribute(emitter, name, span)?, emitter.ty(self.0))
        {
            let message = format!("Module '{}' has no attribute '{name}' ", class.basename());
            return Err(module_problem(message, span));
        }
        let found = self.value().attribute(emitter, name, span)?;
        Ok(callable(emitter, found))
    }

    fn has_attribute(&self, emitter: &mut Emitter<'_>, name: &str, span: &Span) -> Outcome<bool> {
        self.value().has_attribute(emitter, name, span)
    }

    fn set_attribute(
        &self,
        emitter: &mut Emitter<'_>,
        name: &str,
        value: ValueId,
        span: &Span,
    ) -> Outcome<()> {
        self.value().set_attribute(emitter, name, value, span)
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        let forward = self.value().attribute(emitter, "forward", span)?;
        forward.call(emitter, arguments, span)
    }

    fn subscript(
        &self,
        _emitter: &mut Emitter<'_>,
        _index: ValueId,
        _wanted: Option<&Type>,
        places: SubscriptPlaces<'_>,
    ) -> Outcome<Sugared> {
        Err(module_problem(NO_ITEMS.into(), places.whole))
    }

    fn iterate(&self, _emitter: &mut Emitter<'_>, span: &Span) -> Outcome<Iteration> {
        Err(module_problem(NO_ITERABLE.into(), span))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
