//! Forms that look at names of things: `getattr`, `hasattr`, `isinstance`.

use super::super::Sugared;
use crate::Outcome;
use crate::error::problem;
use crate::script::Emitter;
use rushlight_syntax::Span;
use rushlight_syntax::tree::{Call, Constant, Expr, ExprKind};
use rushlight_types::Type;

pub(super) fn getattr(
    emitter: &mut Emitter<'_>,
    call: &Call,
    hint: Option<&Type>,
    _: &Span,
) -> Outcome<Sugared> {
    let span = &super::applied(call);
    let (object, name, default) = match call.args.as_slice() {
        [object, name] => (object, name, None),
        [object, name, default] => (object, name, Some(default)),
        other => {
            return Err(problem(
                "argument-count",
                format!(
                    "getattr expected to have number of arguments between 2 and 3 but found {}",
                    other.len()
                ),
                span,
            ));
        }
    };
    super::no_keywords("getattr", call)?;
    let ExprKind::Constant(Constant::Str(name)) = &name.kind else {
        return Err(problem(
            "getattr",
            "getattr's second argument must be a string literal",
            span,
        ));
    };
    let sugared = emitter.expression(object, None)?;
    if let Some(default) = default {
        emitter.has_attributes(&sugared, span)?;
        if !sugared.has_attribute(emitter, name, span)? {
            return emitter.expression(default, hint);
        }
        // The reference looks for it by taking it.
        sugared.attribute(emitter, name, span)?;
    }
    sugared.attribute(emitter, name, span)
}

/// `isinstance` and `hasattr` where a value is wanted: the condition they are.
pub(super) fn condition(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    _: &Span,
) -> Outcome<Sugared> {
    let whole = Expr {
        kind: ExprKind::Call(Box::new(call.clone())),
        span: super::applied(call),
    };
    let condition = emitter.condition(&whole)?;
    Ok(Sugared::Value(condition.value))
}
