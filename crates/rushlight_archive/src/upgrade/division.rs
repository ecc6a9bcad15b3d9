//! Division up to version 3: integers divided by integers truncate.

use rushlight_frontend::script::{Arguments, Emitter};
use rushlight_frontend::sugared::builtin;
use rushlight_frontend::{Outcome, Sugared};
use rushlight_ir::{Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_types::Type;

/// `div` that truncates when no operand is a float.
pub fn truncating(
    emitter: &mut Emitter<'_>,
    operator: &str,
    arguments: &Arguments,
    span: &Span,
) -> Outcome<Sugared> {
    let mut operands = Vec::new();
    for (value, at) in arguments.positional.iter().take(2) {
        operands.push(value.as_value(emitter, at)?);
    }
    let [left, right] = operands.as_slice() else {
        return builtin::call(emitter, operator, None, arguments, span);
    };
    // Calls that say how to round mean what they always did.
    let has_mode = arguments
        .keywords
        .iter()
        .any(|k| &*k.name == "rounding_mode");
    if has_mode || arguments.positional.len() > 2 || !emitter.ty(*left).is_tensor() {
        return builtin::call(emitter, operator, None, arguments, span);
    }
    let mut plain = arguments.clone();
    plain.positional[0].0 = Sugared::Value(*left);
    plain.positional[1].0 = Sugared::Value(*right);
    let mut fractional = is_fractional(emitter, *left, *right, span)?;
    // What the result is written to says how to divide as well.
    if let Some(out) = arguments.keywords.iter().find(|k| &*k.name == "out") {
        let out = out.value.as_value(emitter, &out.span)?;
        let by_out = emitter.builtin("aten::is_floating_point", &[out], span)?;
        fractional = emitter.builtin("aten::__or__", &[fractional, by_out], span)?;
    }
    let node = emitter.node(Prim::If, &[fractional], &[], span);
    let (then, otherwise) = (emitter.graph.add_block(node), emitter.graph.add_block(node));
    let divided = emitter.within(then, |e| {
        builtin::call(e, operator, None, &plain, span)?.as_value(e, span)
    })?;
    let truncated = emitter.within(otherwise, |e| {
        let mut rounded = plain.clone();
        let mode = e.constant("trunc", span);
        rounded.keywords.push(rushlight_frontend::script::Named {
            name: "rounding_mode".into(),
            value: Sugared::Value(mode),
            span: span.clone(),
        });
        builtin::call(e, operator, None, &rounded, span)?.as_value(e, span)
    })?;
    // Long calls are printed as statements of their own: a name makes what is saved read back the same.
    emitter.graph.set_name(truncated, "quotient");
    emitter.graph.add_return(then, divided);
    emitter.graph.add_return(otherwise, truncated);
    Ok(Sugared::Value(emitter.graph.add_output(
        node,
        Type::TENSOR,
        None,
    )))
}

/// Whether either operand is a float (or complex), as a bool value.
fn is_fractional(
    emitter: &mut Emitter<'_>,
    left: ValueId,
    right: ValueId,
    span: &Span,
) -> Outcome<ValueId> {
    let by_left = fractional_tensor(emitter, left, span)?;
    let by_right = match emitter.ty(right).clone() {
        Type::Tensor(_) => fractional_tensor(emitter, right, span)?,
        Type::Int | Type::Bool => emitter.constant(false, span),
        Type::Number => {
            let node = emitter.node(Prim::IsInstance, &[right], &[Type::Bool], span);
            emitter.set_attr(
                node,
                "types",
                rushlight_ir::Attr::Types(vec![Type::Float, Type::Complex]),
            );
            emitter.graph.node(node).outputs()[0]
        }
        _ => emitter.constant(true, span),
    };
    emitter.builtin("aten::__or__", &[by_left, by_right], span)
}

fn fractional_tensor(emitter: &mut Emitter<'_>, tensor: ValueId, span: &Span) -> Outcome<ValueId> {
    let float = emitter.builtin("aten::is_floating_point", &[tensor], span)?;
    let complex = emitter.builtin("aten::is_complex", &[tensor], span)?;
    emitter.builtin("aten::__or__", &[float, complex], span)
}
