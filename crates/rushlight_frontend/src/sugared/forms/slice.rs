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
        let value = value.as_value(emitter, at)?;
        bounds.push(Some(value).filter(|v| *emitter.ty(*v) != Type::None));
    }
    let value = match *bounds.as_slice() {
        [upper] => SliceValue {
            lower: None,
            upper,
            step: None,
        },
        [lower, upper] => SliceValue {
            lower,
            upper,
            step: None,
        },
        [lower, upper, step] => SliceValue { lower, upper, step },
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
