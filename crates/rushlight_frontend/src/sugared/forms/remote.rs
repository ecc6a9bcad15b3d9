//! Calls of functions of other processes: `torch.distributed.rpc.rpc_sync`, `rpc_async`, `remote`.

use super::super::Sugared;
use super::super::function::ScriptFunction;
use super::applied;
use crate::Outcome;
use crate::error::problem;
use crate::script::{Arguments, Emitter, match_call};
use rushlight_ir::{NodeId, NodeKind, Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_syntax::tree::{Call, Expr, ExprKind};
use rushlight_types::{Callable, Schema, Type};
use std::sync::Arc;

/// The parameters of all three.
const PARAMETERS: [&str; 5] = ["to", "func", "args", "kwargs", "timeout"];

pub(super) fn sync(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    _: &Span,
) -> Outcome<Sugared> {
    remote(emitter, call, "prim::rpc_sync", |ty| ty)
}

pub(super) fn later(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    _: &Span,
) -> Outcome<Sugared> {
    remote(emitter, call, "prim::rpc_async", Type::future)
}

pub(super) fn create(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    _: &Span,
) -> Outcome<Sugared> {
    remote(emitter, call, "prim::rpc_remote", |ty| {
        Type::RRef(Arc::new(ty))
    })
}

/// The expressions of the arguments, by parameter.
fn given<'c>(call: &'c Call, span: &Span) -> Outcome<[Option<&'c Expr>; 5]> {
    let mut out = [None; 5];
    let keywords = call.keywords.iter().map(|k| (k.name.as_ref(), &k.value));
    if call.args.len() > PARAMETERS.len() {
        return Err(problem(
            "argument-count",
            format!(
                "a remote call takes at most {} arguments, but {} were given",
                PARAMETERS.len(),
                call.args.len()
            ),
            span,
        ));
    }
    for (place, argument) in out.iter_mut().zip(&call.args) {
        *place = Some(argument);
    }
    for (name, value) in keywords {
        let index = PARAMETERS
            .iter()
            .position(|p| name.is_some_and(|n| *n.name == **p));
        match index {
            Some(index) if out[index].is_none() => out[index] = Some(value),
            _ => {
                return Err(problem(
                    "unknown-argument",
                    format!("a remote call takes {}, each once", PARAMETERS.join(", ")),
                    span,
                ));
            }
        }
    }
    Ok(out)
}

fn remote(
    emitter: &mut Emitter<'_>,
    call: &Call,
    operator: &str,
    result: impl Fn(Type) -> Type,
) -> Outcome<Sugared> {
    let span = &applied(call);
    let [Some(to), Some(callee), arguments, keywords, timeout] = given(call, span)? else {
        return Err(problem(
            "argument-count",
            "Expected at least two arguments: the worker and the function that it calls",
            span,
        ));
    };
    let to = emitter.expression(to, None)?.as_value(emitter, span)?;
    let callee = emitter.expression(callee, None)?;
    let function = match &callee {
        Sugared::Special(special) => special.as_any().downcast_ref::<ScriptFunction>(),
        _ => None,
    };
    let Some(function) = function.map(|f| f.function.clone()) else {
        return Err(problem(
            "not-a-function",
            format!(
                "only functions that are scripted can be called on another worker, not {}",
                callee.describe(emitter)
            ),
            span,
        ));
    };
    let schema = emitter.compiler.ensure(emitter, &function, span)?;
    // The tuple is taken apart to be checked, and made again behind the call's own number.
    let items = match arguments {
        Some(expr) => parts(emitter, expr, span)?,
        None => Vec::new(),
    };
    emitter.tuple(&items, span);
    check(emitter, &schema, &Arguments::of(&items, span), span)?;
    let name = emitter.constant(Callable::name(&*function), span);
    let inner = match schema.returns.as_slice() {
        [one] => one.ty.clone(),
        _ => Type::None,
    };
    let found = emitter.compiler.table.overloads(operator).first().copied();
    let operator =
        found.ok_or_else(|| problem("no-operator", format!("there is no {operator}"), span))?;
    let node = emitter.node(NodeKind::Op(operator), &[to, name], &[result(inner)], span);
    emitter.graph.reserve_number();
    let tuple = emitter.tuple(&items, span);
    let mut last = vec![tuple];
    for extra in [keywords, timeout].into_iter().flatten() {
        last.push(emitter.expression(extra, None)?.as_value(emitter, span)?);
    }
    // With all that they are made of.
    for source in behind(emitter, node) {
        emitter.graph.move_before(node, source);
    }
    for value in last {
        emitter.graph.push_input(node, value);
    }
    Ok(Sugared::Value(emitter.graph.node(node).outputs()[0]))
}

/// The nodes behind one in its block.
fn behind(emitter: &Emitter<'_>, node: NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut at = emitter.graph.next(node);
    while let Some(id) = at {
        if !emitter.graph.node(id).is(Prim::Return) {
            found.push(id);
        }
        at = emitter.graph.next(id);
    }
    found
}

/// The elements of an argument tuple.
fn parts(emitter: &mut Emitter<'_>, expr: &Expr, span: &Span) -> Outcome<Vec<ValueId>> {
    if let ExprKind::Tuple { elements, .. } = &expr.kind {
        return elements
            .iter()
            .map(|item| {
                emitter
                    .expression(item, None)?
                    .as_value(emitter, &item.span)
            })
            .collect();
    }
    let value = emitter.expression(expr, None)?.as_value(emitter, span)?;
    if !matches!(emitter.ty(value), Type::Tuple(_)) {
        return Err(problem(
            "not-a-tuple",
            format!(
                "the arguments of a remote call are a tuple, not {}",
                emitter.ty(value)
            ),
            span,
        ));
    }
    Ok(emitter.unpack_tuple(value, span))
}

/// Whether a function takes these arguments. Defaults that the check makes are used by nobody.
fn check(
    emitter: &mut Emitter<'_>,
    schema: &Schema,
    arguments: &Arguments,
    span: &Span,
) -> Outcome<()> {
    let (_, matched) = match_call(emitter, &[schema], arguments, span)?;
    matched.emit(emitter, span);
    Ok(())
}
