//! Forms that give a value a type: `torch.jit.annotate` and what archives write.

use super::super::Sugared;
use crate::error::problem;
use crate::script::Emitter;
use crate::{Outcome, script::convert_implicitly};
use rushlight_syntax::Span;
use rushlight_syntax::tree::Call;
use rushlight_types::Type;

pub(super) fn annotate(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let ([annotation, expr], []) = (&*call.args, &*call.keywords) else {
        let mut diagnostic = problem(
            "argument-count",
            "unknown:0: expecting kind 'variable' but found '.'",
            span,
        );
        diagnostic.span = None;
        return Err(diagnostic);
    };
    let ty = emitter.annotation(annotation)?;
    let value = emitter
        .expression(expr, Some(&ty))?
        .as_value(emitter, &expr.span)?;
    if ty.accepts_none() && *emitter.ty(value) == Type::None {
        let none = emitter.typed_constant(rushlight_types::Value::None, ty, span);
        return Ok(Sugared::Value(emitter.without_place(none)));
    }
    let actual = emitter.ty(value).clone();
    let mark = emitter.inferred_mark(value);
    let converted = convert_implicitly(emitter, value, &ty, span);
    if !emitter.ty(converted).is_subtype_of(&ty) {
        return Err(problem(
            "annotate-type",
            format!("expected an expression of type {ty} but found {actual}{mark}\n"),
            &annotation.span.join(&expr.span),
        ));
    }
    // The value keeps the type that it has, which may be narrower than the annotation.
    if ty == Type::Any && *emitter.ty(converted) != ty {
        let cast = emitter.unnumbered(|e| e.cast(converted, ty, span));
        return Ok(Sugared::Value(cast));
    }
    Ok(Sugared::Value(converted))
}

pub(super) fn unchecked_cast(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let [annotation, expr] = call.args.as_slice() else {
        return Err(problem(
            "argument-count",
            "unchecked_cast takes a type and a value",
            span,
        ));
    };
    let ty = emitter.annotation(annotation)?;
    let value = emitter
        .expression(expr, None)?
        .as_value(emitter, &expr.span)?;
    Ok(Sugared::Value(emitter.cast(value, ty, span)))
}

pub(super) fn uninitialized(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let [annotation] = call.args.as_slice() else {
        return Err(problem(
            "argument-count",
            "uninitialized takes a type",
            span,
        ));
    };
    let ty = emitter.annotation(annotation)?;
    Ok(Sugared::Value(emitter.uninitialized(ty, span)))
}
