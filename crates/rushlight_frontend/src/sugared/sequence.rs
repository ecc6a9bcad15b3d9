//! Sequences whose parts are known while compiling but are not simple values together: module lists, unpacked tuples.

use super::{Sugared, SugaredValue, iterable};
use crate::Outcome;
use crate::script::Emitter;
use rushlight_ir::ValueId;
use rushlight_syntax::Span;

/// Some sugared values in order.
pub struct Parts(pub Vec<Sugared>);

impl SugaredValue for Parts {
    fn describe(&self) -> String {
        "tuple".to_string()
    }

    fn as_value(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<ValueId> {
        let items = self
            .0
            .iter()
            .map(|p| p.as_value(emitter, span))
            .collect::<Outcome<Vec<_>>>()?;
        Ok(emitter.tuple(&items, span))
    }

    fn as_parts(&self, _emitter: &mut Emitter<'_>, _span: &Span) -> Outcome<Vec<Sugared>> {
        Ok(self.0.clone())
    }

    fn iterate(&self, _emitter: &mut Emitter<'_>, _span: &Span) -> Outcome<iterable::Iteration> {
        Ok(iterable::Iteration::Unrolled(self.0.clone()))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// A part with its number, as `enumerate` gives it: the number is made where the pair is taken apart.
pub struct Numbered {
    pub number: i64,
    /// Start and step, where counting does not begin at 0.
    pub bounds: Option<(ValueId, ValueId)>,
    pub item: Sugared,
}

impl SugaredValue for Numbered {
    fn describe(&self) -> String {
        "tuple".to_string()
    }

    fn as_value(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<ValueId> {
        let parts = self.as_parts(emitter, span)?;
        Parts(parts).as_value(emitter, span)
    }

    fn as_parts(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<Vec<Sugared>> {
        let index = emitter.literal(self.number, span);
        let number = match self.bounds {
            None => index,
            Some((start, step)) => {
                emitter.builtin("aten::__derive_index", &[index, start, step], span)?
            }
        };
        Ok(vec![Sugared::Value(number), self.item.clone()])
    }

    fn iterate(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<iterable::Iteration> {
        self.as_parts(emitter, span)
            .map(iterable::Iteration::Unrolled)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// The modules of a slice of a container. The reference makes a tuple of all, cuts it and takes it apart again, and takes
/// each from it anew where a loop comes to it: nothing of that stays, but the values have numbers.
pub struct Sliced(pub Vec<Sugared>);

impl Sliced {
    /// Some parts of a container.
    pub fn new(emitter: &mut Emitter<'_>, parts: Vec<Sugared>, span: &Span) -> Sliced {
        for _ in 0..2 + 2 * parts.len() {
            emitter.constant(0i64, span);
        }
        Sliced(parts)
    }
}

impl SugaredValue for Sliced {
    fn describe(&self) -> String {
        "tuple".to_string()
    }

    fn as_value(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<ValueId> {
        Parts(self.0.clone()).as_value(emitter, span)
    }

    fn as_parts(&self, _emitter: &mut Emitter<'_>, _span: &Span) -> Outcome<Vec<Sugared>> {
        Ok(self.0.clone())
    }

    fn iterate(&self, _emitter: &mut Emitter<'_>, _span: &Span) -> Outcome<iterable::Iteration> {
        let anew = |part: &Sugared| Sugared::special(Fetched(part.clone()));
        Ok(iterable::Iteration::Unrolled(
            self.0.iter().map(anew).collect(),
        ))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// A part of a [`Sliced`] on its way to the variable of a loop.
struct Fetched(Sugared);

impl SugaredValue for Fetched {
    fn describe(&self) -> String {
        "module".to_string()
    }

    fn as_value(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<ValueId> {
        self.0.as_value(emitter, span)
    }

    fn as_parts(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<Vec<Sugared>> {
        self.0.as_parts(emitter, span)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// What a variable is assigned: a part of a slice is taken from it now.
pub(crate) fn fetched(emitter: &mut Emitter<'_>, value: Sugared, span: &Span) -> Sugared {
    let Sugared::Special(special) = &value else {
        return value;
    };
    let Some(Fetched(part)) = special.as_any().downcast_ref::<Fetched>() else {
        return value;
    };
    emitter.constant(0i64, span);
    part.clone()
}
