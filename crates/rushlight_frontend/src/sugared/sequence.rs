//! Sequences whose parts are known while compiling but are not simple values together: module lists, unpacked tuples.

use super::{Sugared, SugaredValue, iterable};
use crate::Outcome;
use crate::script::{Arguments, Emitter};
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

/// The modules of a slice of a container, which are simple values from then on: parts of a tuple. The reference makes a
/// tuple of all, cuts it and takes it apart again: nothing of that stays, but the values have numbers.
pub struct Sliced {
    parts: Vec<Sugared>,
    tuple: ValueId,
}

impl Sliced {
    /// Some parts of a container.
    pub fn new(emitter: &mut Emitter<'_>, parts: &[Sugared], span: &Span) -> Outcome<Sliced> {
        for _ in 0..1 + 2 * parts.len() {
            emitter.constant(0i64, span);
        }
        let values = parts.iter().map(|part| part.as_value(emitter, span));
        let values = values.collect::<Outcome<Vec<_>>>()?;
        let tuple = emitter.tuple(&values, span);
        let parts = values.into_iter().map(Sugared::Value).collect();
        Ok(Sliced { parts, tuple })
    }
}

impl SugaredValue for Sliced {
    fn describe(&self) -> String {
        "tuple".to_string()
    }

    fn as_value(&self, _emitter: &mut Emitter<'_>, _span: &Span) -> Outcome<ValueId> {
        Ok(self.tuple)
    }

    fn attribute(&self, emitter: &mut Emitter<'_>, name: &str, span: &Span) -> Outcome<Sugared> {
        Sugared::Value(self.tuple).attribute(emitter, name, span)
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        Sugared::Value(self.tuple).call(emitter, arguments, span)
    }

    fn as_parts(&self, _emitter: &mut Emitter<'_>, _span: &Span) -> Outcome<Vec<Sugared>> {
        Ok(self.parts.clone())
    }

    fn iterate(&self, _emitter: &mut Emitter<'_>, _span: &Span) -> Outcome<iterable::Iteration> {
        Ok(iterable::Iteration::Unrolled(self.parts.clone()))
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// Whether a thing is indexed as the tuple that it is as a value.
pub(crate) fn is_tuple(thing: &dyn SugaredValue) -> bool {
    thing.as_any().is::<Sliced>() || thing.as_any().is::<Parts>()
}
