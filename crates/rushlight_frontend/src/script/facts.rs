//! What a check learns of a text: what every expression is, and what its calls call.
//!
//! Functions that are compiled to be run note nothing. While a file is checked, the emitter notes the types of expressions
//! and of what is assigned, in the order in which it meets them; a place that it meets more than once (the body of a loop
//! over a tuple) is noted as it was met first.

use super::Emitter;
use crate::Sugared;
use crate::sugared::builtin::Builtin;
use crate::sugared::function::ScriptFunction;
use crate::sugared::method::{BoundBuiltin, BoundMethod};
use crate::sugared::namespace::Namespace;
use rushlight_syntax::Span;
use rushlight_types::{Schema, Type};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    /// A value of a type.
    Value(Type),
    /// A type, where a class or the like is named.
    Type(Type),
    /// A built-in operator that has not been called yet, by its name: `aten::relu`.
    Operator(Arc<str>),
    /// A function of the program, by its qualified name.
    Function(Arc<str>),
    /// A method of an object, by its name.
    Method(Arc<str>),
    /// A module of names, by its path: `torch.nn.functional`.
    Module(Arc<str>),
    /// Anything else, in the words of messages.
    Thing(Arc<str>),
}

/// A place in the text and what it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fact {
    pub known: Option<Known>,
    /// The schema that was chosen for a call of it.
    pub called: Option<Arc<Schema>>,
}

/// What is known of the places of one text, by the bytes that they cover.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// By start, then by end: of places that begin together the smaller first.
    places: BTreeMap<(u32, u32), Fact>,
    /// The constants of the file whose values functions take; the reference refuses these functions.
    pub closed_over: BTreeSet<Arc<str>>,
    /// Types that annotations name and the file does not import: Python stops there.
    pub unimported: BTreeSet<Arc<str>>,
}

impl Facts {
    fn place(&mut self, span: &Span) -> &mut Fact {
        let extent = span.extent();
        self.places.entry((extent.start, extent.end)).or_default()
    }

    /// What is known of exactly this place.
    pub fn of(&self, span: &Span) -> Option<&Fact> {
        let extent = span.extent();
        self.places.get(&(extent.start, extent.end))
    }

    /// What is known of exactly these bytes.
    pub fn at(&self, place: &std::ops::Range<u32>) -> Option<&Fact> {
        self.places.get(&(place.start, place.end))
    }

    /// The smallest place around a byte that satisfies a condition, and what is known of it.
    pub fn around(
        &self,
        offset: u32,
        wanted: impl Fn(&Fact) -> bool,
    ) -> Option<(std::ops::Range<u32>, &Fact)> {
        let before = self.places.range(..=(offset, u32::MAX)).rev();
        let covering = before.filter(|((_, end), fact)| *end >= offset && wanted(fact));
        covering
            .map(|((start, end), fact)| (*start..*end, fact))
            .min_by_key(|(place, _)| place.end - place.start)
    }

    /// All places in the order of the text.
    pub fn places(&self) -> impl Iterator<Item = (std::ops::Range<u32>, &Fact)> {
        let all = self.places.iter();
        all.map(|((start, end), fact)| (*start..*end, fact))
    }
}

impl Emitter<'_> {
    /// Notes what an expression is, where its file is checked.
    pub(super) fn note(&self, span: &Span, found: &Sugared) {
        self.note_at(span, |fact| {
            fact.known.get_or_insert_with(|| match found {
                Sugared::Value(value) => Known::Value(self.ty(*value).clone()),
                Sugared::Special(thing) => match thing.plain() {
                    Some(value) => Known::Value(self.ty(value).clone()),
                    None => known_thing(&**thing),
                },
            });
        });
    }

    /// Notes the type of what is assigned.
    pub(super) fn note_type(&self, span: &Span, ty: &Type) {
        self.note_at(span, |fact| {
            fact.known.get_or_insert_with(|| Known::Value(ty.clone()));
        });
    }

    /// Notes which schema was chosen for a call.
    pub(super) fn note_call(&self, span: &Span, schema: &Schema) {
        self.note_at(span, |fact| {
            fact.called.get_or_insert_with(|| Arc::new(schema.clone()));
        });
    }

    fn note_at(&self, span: &Span, note: impl FnOnce(&mut Fact)) {
        let mut collected = self.compiler.collected.borrow_mut();
        if let Some(collected) = collected.as_mut().filter(|c| c.is_about(span.source())) {
            note(collected.facts.place(span));
        }
    }
}

fn known_thing(thing: &dyn crate::sugared::SugaredValue) -> Known {
    let any = thing.as_any();
    if let Some(builtin) = any.downcast_ref::<Builtin>() {
        return Known::Operator(builtin.operator.as_str().into());
    }
    if let Some(builtin) = any.downcast_ref::<BoundBuiltin>() {
        return Known::Operator(builtin.operator.as_str().into());
    }
    if let Some(function) = any.downcast_ref::<ScriptFunction>() {
        return Known::Function(function.function.qualified_name().clone());
    }
    if let Some(method) = any.downcast_ref::<BoundMethod>() {
        return Known::Method(method.name.clone());
    }
    if let Some(namespace) = any.downcast_ref::<Namespace>() {
        return Known::Module(namespace.path.as_str().into());
    }
    match thing.as_type() {
        Some(ty) => Known::Type(ty),
        None => Known::Thing(thing.describe().into()),
    }
}
