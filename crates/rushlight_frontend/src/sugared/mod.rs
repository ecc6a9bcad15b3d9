//! What names and expressions stand for while compiling.
//!
//! Most are simple values of the graph. The others (a module of functions, a class, `range`, a method not yet called)
//! exist only while compiling: each kind is a [`SugaredValue`] in its own file.

pub mod builtin;
pub mod casts;
pub mod choice;
pub mod class;
pub mod composed;
pub(crate) mod containers;
pub mod enums;
pub mod exception;
pub mod forms;
pub mod function;
pub mod globals;
pub mod iterable;
pub(crate) mod layers;
pub mod legacy;
pub(crate) mod local;
pub mod members;
pub mod method;
pub mod named_tuple;
pub mod namespace;
pub mod picking;
pub mod sequence;
mod value;

use crate::error::problem;
use crate::script::{Arguments, Emitter};
use crate::{Outcome, Problem};
use rushlight_ir::ValueId;
use rushlight_syntax::Span;
use rushlight_types::Type;
use std::rc::Rc;

/// What an expression stands for.
#[derive(Clone)]
pub enum Sugared {
    /// A value of the graph.
    Value(ValueId),
    /// Anything else.
    Special(Rc<dyn SugaredValue>),
}

/// The places of `value[index]`, for problems of either.
#[derive(Clone, Copy)]
pub struct SubscriptPlaces<'s> {
    /// What stands before the brackets.
    pub value: &'s Span,
    /// The whole expression.
    pub whole: &'s Span,
}

/// A thing that exists only while compiling. Everything it does not allow has a default that says so.
pub trait SugaredValue {
    /// What kind of thing it is, for messages: `builtin`, `python value of type 'module'`.
    fn describe(&self) -> String;

    /// The value of the graph that it becomes where one is needed.
    fn as_value(&self, _emitter: &mut Emitter<'_>, span: &Span) -> Outcome<ValueId> {
        Err(problem(
            "not-a-value",
            format!("{} cannot be used as a value", self.describe()),
            span,
        ))
    }

    /// `thing.name`.
    fn attribute(&self, _emitter: &mut Emitter<'_>, _name: &str, span: &Span) -> Outcome<Sugared> {
        Err(problem(
            "no-attribute",
            format!("attribute lookup is not defined on {}", self.describe()),
            span,
        ))
    }

    /// Whether `thing.name` exists, as `hasattr` asks.
    fn has_attribute(&self, emitter: &mut Emitter<'_>, name: &str, span: &Span) -> Outcome<bool> {
        Ok(self.attribute(emitter, name, span).is_ok())
    }

    /// `thing.name = value`.
    fn set_attribute(
        &self,
        _emitter: &mut Emitter<'_>,
        _name: &str,
        _value: ValueId,
        span: &Span,
    ) -> Outcome<()> {
        Err(problem(
            "no-attribute",
            format!("attribute assignment is not defined on {}", self.describe()),
            span,
        ))
    }

    /// `thing(arguments)`.
    fn call(
        &self,
        _emitter: &mut Emitter<'_>,
        _arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        Err(problem(
            "not-callable",
            format!("cannot call a {}", self.describe()),
            span,
        ))
    }

    /// `thing[index]`; `_wanted` is the type that an annotation asks of the result.
    fn subscript(
        &self,
        emitter: &mut Emitter<'_>,
        _index: ValueId,
        _wanted: Option<&Type>,
        places: SubscriptPlaces<'_>,
    ) -> Outcome<Sugared> {
        // Only values have items: what cannot be one says so.
        self.as_value(emitter, places.value)?;
        Err(problem(
            "not-subscriptable",
            format!("'{}' object is not subscriptable", self.describe()),
            places.value,
        ))
    }

    /// The parts, where their number is known while compiling: unpacking, unrolled loops.
    fn as_parts(&self, _emitter: &mut Emitter<'_>, span: &Span) -> Outcome<Vec<Sugared>> {
        Err(problem(
            "not-a-tuple",
            format!("{} cannot be used as a tuple", self.describe()),
            span,
        ))
    }

    /// How a loop goes over it.
    fn iterate(&self, _emitter: &mut Emitter<'_>, span: &Span) -> Outcome<iterable::Iteration> {
        Err(problem(
            "not-iterable",
            format!("{} cannot be used as an iterable", self.describe()),
            span,
        ))
    }

    /// Gets ready to be called, before the arguments are evaluated: functions compile now.
    fn prepare(&self, _emitter: &mut Emitter<'_>, _span: &Span) -> Outcome<()> {
        Ok(())
    }

    /// The outcome, for things that are known to be true or false while compiling.
    fn static_bool(&self) -> Option<bool> {
        None
    }

    /// The value of the graph behind the thing, where there is one already: an object of a module.
    fn plain(&self) -> Option<ValueId> {
        None
    }

    /// The parts that a slice picks from.
    fn sliced_parts(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<Vec<Sugared>> {
        self.as_parts(emitter, span)
    }

    /// The type, for things that name one.
    fn as_type(&self) -> Option<Type> {
        None
    }

    /// The dotted name of a special form (`torch.jit.annotate`), which gets its arguments unevaluated.
    fn form(&self) -> Option<forms::CallForm> {
        None
    }

    /// For those who know what the thing really is.
    fn as_any(&self) -> &dyn std::any::Any;
}

impl Sugared {
    /// A special thing.
    pub fn special(thing: impl SugaredValue + 'static) -> Sugared {
        Sugared::Special(Rc::new(thing))
    }

    /// What it is, for messages.
    pub fn describe(&self, emitter: &Emitter<'_>) -> String {
        match self {
            Sugared::Value(value) => emitter.ty(*value).to_string(),
            Sugared::Special(thing) => thing.describe(),
        }
    }

    /// See [`SugaredValue::as_value`].
    pub fn as_value(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<ValueId> {
        match self {
            Sugared::Value(value) => Ok(*value),
            Sugared::Special(thing) => thing.as_value(emitter, span),
        }
    }

    /// See [`SugaredValue::attribute`].
    pub fn attribute(
        &self,
        emitter: &mut Emitter<'_>,
        name: &str,
        span: &Span,
    ) -> Outcome<Sugared> {
        match self {
            Sugared::Value(value) => value::attribute(emitter, *value, name, span),
            Sugared::Special(thing) => thing.attribute(emitter, name, span),
        }
    }

    /// See [`SugaredValue::has_attribute`].
    pub fn has_attribute(
        &self,
        emitter: &mut Emitter<'_>,
        name: &str,
        span: &Span,
    ) -> Outcome<bool> {
        match self {
            Sugared::Value(value) => value::has_attribute(emitter, *value, name),
            Sugared::Special(thing) => thing.has_attribute(emitter, name, span),
        }
    }

    /// See [`SugaredValue::set_attribute`].
    pub fn set_attribute(
        &self,
        emitter: &mut Emitter<'_>,
        name: &str,
        value: ValueId,
        span: &Span,
    ) -> Outcome<()> {
        match self {
            Sugared::Value(object) => value::set_attribute(emitter, *object, name, value, span),
            Sugared::Special(thing) => thing.set_attribute(emitter, name, value, span),
        }
    }

    /// See [`SugaredValue::call`].
    pub fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        match self {
            Sugared::Value(value) => value::call(emitter, *value, arguments, span),
            Sugared::Special(thing) => thing.call(emitter, arguments, span),
        }
    }

    /// See [`SugaredValue::as_parts`].
    pub fn as_parts(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<Vec<Sugared>> {
        match self {
            Sugared::Value(value) => value::as_parts(emitter, *value, span),
            Sugared::Special(thing) => thing.as_parts(emitter, span),
        }
    }

    /// See [`SugaredValue::iterate`].
    pub fn iterate(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<iterable::Iteration> {
        match self {
            Sugared::Value(value) => iterable::of_value(emitter, *value, span),
            Sugared::Special(thing) => thing.iterate(emitter, span),
        }
    }

    /// See [`SugaredValue::static_bool`].
    pub fn static_bool(&self) -> Option<bool> {
        match self {
            Sugared::Value(_) => None,
            Sugared::Special(thing) => thing.static_bool(),
        }
    }

    /// See [`SugaredValue::plain`].
    pub fn plain(&self) -> Option<ValueId> {
        match self {
            Sugared::Value(value) => Some(*value),
            Sugared::Special(thing) => thing.plain(),
        }
    }

    /// See [`SugaredValue::as_type`].
    pub fn as_type(&self) -> Option<Type> {
        match self {
            Sugared::Value(_) => None,
            Sugared::Special(thing) => thing.as_type(),
        }
    }

    /// See [`SugaredValue::form`].
    pub fn form(&self) -> Option<forms::CallForm> {
        match self {
            Sugared::Value(_) => None,
            Sugared::Special(thing) => thing.form(),
        }
    }
}

/// The argument of a call of exactly one positional argument.
pub(crate) fn only_argument<'a>(
    name: &str,
    arguments: &'a Arguments,
    span: &Span,
) -> Result<&'a (Sugared, Span), Problem> {
    match arguments.positional.as_slice() {
        [only] if arguments.keywords.is_empty() => Ok(only),
        other => Err(problem(
            "argument-count",
            format!(
                "{name} expects exactly 1 argument but got {}",
                other.len() + arguments.keywords.len()
            ),
            span,
        )),
    }
}
