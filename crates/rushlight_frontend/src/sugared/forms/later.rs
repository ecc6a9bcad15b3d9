//! Calls that run elsewhere or later: `torch.jit.fork`, `wait`, `_awaitable`.

use super::super::{Sugared, builtin};
use super::evaluated;
use crate::Outcome;
use crate::error::problem;
use crate::script::Emitter;
use rushlight_ir::Prim;
use rushlight_syntax::Span;
use rushlight_syntax::tree::Call;
use rushlight_types::Type;

pub(super) fn fork(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    _: &Span,
) -> Outcome<Sugared> {
    later(emitter, call, Prim::Fork, "fork")
}

pub(super) fn awaitable(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    _: &Span,
) -> Outcome<Sugared> {
    later(emitter, call, Prim::Awaitable, "awaitable")
}

/// A call that runs elsewhere or later: the call goes to a graph of its own, whose inputs are the arguments.
fn later(emitter: &mut Emitter<'_>, call: &Call, prim: Prim, name: &str) -> Outcome<Sugared> {
    let span = &super::applied(call);
    let Some((callee, rest)) = call.args.split_first() else {
        return Err(problem(
            "argument-count",
            format!("Expected at least one argument to {name}()"),
            span,
        ));
    };
    let callee = emitter.expression(callee, None)?;
    let arguments = emitter.arguments(rest, &call.keywords)?;
    let node = emitter.node(prim, &[], &[], span);
    let block = emitter.graph.add_block(node);
    let (result, _, _) = emitter.in_block(block, |e| {
        callee.call(e, &arguments, span)?.as_value(e, span)
    })?;
    emitter.graph.add_return(block, result);
    let inner = emitter.ty(result).clone();
    let ty = if prim == Prim::Fork {
        Type::future(inner)
    } else {
        Type::Await(std::sync::Arc::new(inner))
    };
    let out = emitter.graph.add_output(node, ty, None);
    // The reference makes a closure of the block first.
    emitter.graph.reserve_number();
    Ok(Sugared::Value(out))
}

pub(super) fn wait(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let arguments = evaluated(emitter, call)?;
    builtin::call(emitter, "aten::wait", None, &arguments, span)
}

pub(super) fn awaitable_wait(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let arguments = evaluated(emitter, call)?;
    builtin::call(emitter, "prim::awaitable_wait", None, &arguments, span)
}
