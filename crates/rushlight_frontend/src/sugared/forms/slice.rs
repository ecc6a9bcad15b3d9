//! `slice(...)`, which only a subscript can use.

use super::super::{Sugared, SugaredValue};
use super::evaluated;
use crate::Outcome;
use crate::error::problem;
use crate::script::Emitter;
use rushlight_ir::ValueId;
use rushlight_syntax::Span;
use rushlight_syntax::tree::Call;
use rushlight_types::Type;

/// The bounds that a call of `slice` was given.
pub struct SliceValue {
    pub lower: ValueId,
    pub upper: ValueId,
    pub step: ValueId,
}

impl SugaredValue for SliceValue {
    fn describe(&self) -> String {
        "Python slice value".to_string()
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

pub(super) fn slice(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    if !call.keywords.is_empty() {
        let message = "Slice does not accept any keyword arguments";
        return Err(problem("argument-count", message, span));
    }
    let arguments = evaluated(emitter, call)?;
    let mut bounds = Vec::new();
    for (value, at) in &arguments.positional {
        bounds.push(value.as_value(emitter, at)?);
    }
    let (lower, upper, step) = match *bounds.as_slice() {
        [upper] => (None, Some(upper), None),
        [lower, upper] => (Some(lower), Some(upper), None),
        [lower, upper, step] => (Some(lower), Some(upper), Some(step)),
        _ => {
            return Err(problem(
                "argument-count",
                format!(
                    "slice accepts exactly 1, 2 or 3 arguments, got: {}",
                    bounds.len()
                ),
                span,
            ));
        }
    };
    // What is left out or None becomes a number, unlike in `x[a:b]`.
    let mut bound = |given: Option<ValueId>, missing: i64| match given {
        Some(value) if *emitter.ty(value) != Type::None => value,
        _ => emitter.constant(missing, span),
    };
    Ok(Sugared::special(SliceValue {
        lower: bound(lower, 0),
        upper: bound(upper, i64::MAX),
        step: bound(step, 1),
    }))
}
