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
