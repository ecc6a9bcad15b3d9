//! `min` and `max`.

use super::super::{Sugared, builtin, iterable};
use super::evaluated;
use crate::Outcome;
use crate::script::{Arguments, Emitter};
use rushlight_syntax::Span;
use rushlight_syntax::tree::Call;
use rushlight_types::Type;

pub(super) fn min(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    extremum(emitter, call, "prim::min", span)
}

pub(super) fn max(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    extremum(emitter, call, "prim::max", span)
}

/// The extreme of two values, or of a sequence; tuples become lists first.
fn extremum(emitter: &mut Emitter<'_>, call: &Call, name: &str, span: &Span) -> Outcome<Sugared> {
    let mut arguments = evaluated(emitter, call)?;
    if let [(only, at)] = arguments.positional.as_slice()
        && arguments.keywords.is_empty()
        && let Ok(iterable::Iteration::Unrolled(items)) = only.iterate(emitter, at)
    {
        let values = items
            .iter()
            .map(|i| i.as_value(emitter, at))
            .collect::<Outcome<Vec<_>>>()?;
        let list = emitter.list_of(&values, None, span)?;
        arguments = Arguments::of(&[list], at);
    }
    builtin::call(emitter, name, None, &arguments, span)
}
