//! `slice(...)`, which only a subscript can use.

use super::super::{Special, Sugared};
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
    pub lower: Option<ValueId>,
    pub upper: Option<ValueId>,
    pub step: Option<ValueId>,
}

impl Special for SliceValue {
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
    let arguments = evaluated(emitter, call)?;
    let mut bounds = Vec::new();
    for (value, at) in &arguments.positional {
        bounds.push((value.as_value(emitter, at)?, at));
    }
    // What is left out or None becomes a number, unlike in `x[a:b]`.
    let mut bound = |given: Option<(ValueId, &Span)>, missing: i64| match given {
        Some((value, _)) if *emitter.ty(value) != Type::None => value,
        Some((_, at)) => emitter.constant(missing, at),
        None => emitter.constant(missing, span),
    };
    let value = match *bounds.as_slice() {
        [upper] => SliceValue {
            lower: Some(bound(None, 0)),
            upper: Some(bound(Some(upper), i64::MAX)),
            step: Some(bound(None, 1)),
        },
        [lower, upper] => SliceValue {
            lower: Some(bound(Some(lower), 0)),
            upper: Some(bound(Some(upper), i64::MAX)),
            step: Some(bound(None, 1)),
        },
        [lower, upper, step] => SliceValue {
            lower: Some(bound(Some(lower), 0)),
            upper: Some(bound(Some(upper), i64::MAX)),
            step: Some(bound(Some(step), 1)),
        },
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
    Ok(Sugared::special(value))
}
