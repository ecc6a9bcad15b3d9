//! Rules about integers.

use super::Known;
use crate::passes::Run;
use crate::{Graph, Node, Prim, ValueId};
use rushlight_types::Type;

/// Sums longer than this are left alone.
const MAX_TERMS: usize = 64;

/// What an operator on integers gives.
pub fn look(graph: &Graph, node: &Node, name: &str) -> Option<Known> {
    let input = |i: usize| node.inputs().get(i).copied();
    match name {
        "aten::add.int" => {
            neutral(graph, input(0)?, input(1)?, 0, true).or_else(|| cancelled(graph, node))
        }
        "aten::sub.int" => {
            neutral(graph, input(0)?, input(1)?, 0, false).or_else(|| cancelled(graph, node))
        }
        "aten::mul.int" => neutral(graph, input(0)?, input(1)?, 1, true),
        "aten::floordiv.int" => neutral(graph, input(0)?, input(1)?, 1, false),
        "aten::Int.Scalar" => of_type(graph, input(0)?, &Type::Int),
        // An integer divided by one.
        "aten::Int.float" => {
            let inner = graph.node(graph.value(input(0)?).node());
            let divided = inner
                .operator()
                .is_some_and(|op| op.full_name() == "aten::div.int")
                && int(graph, inner.inputs()[1]) == Some(1);
            divided.then(|| Known::Same(vec![inner.inputs()[0]]))
        }
        "aten::Float.Scalar" => of_type(graph, input(0)?, &Type::Float),
        _ => None,
    }
}

fn int(graph: &Graph, value: ValueId) -> Option<i64> {
    graph.constant(value)?.as_int().ok()
}

fn of_type(graph: &Graph, value: ValueId, ty: &Type) -> Option<Known> {
    (graph.ty(value) == ty).then(|| Known::Same(vec![value]))
}

/// `x + 0` and the like: the other operand, if one of them is the neutral element.
fn neutral(graph: &Graph, a: ValueId, b: ValueId, element: i64, commutes: bool) -> Option<Known> {
    let is_neutral = |v| graph.constant(v).and_then(|v| v.as_int().ok()) == Some(element);
    if is_neutral(b) {
        return Some(Known::Same(vec![a]));
    }
    (commutes && is_neutral(a)).then(|| Known::Same(vec![b]))
}

/// The term that is left of a sum whose constants cancel out.
fn cancelled(graph: &Graph, node: &Node) -> Option<Known> {
    let mut total = 0i64;
    let mut at = node;
    for _ in 0..MAX_TERMS {
        let (rest, constant) = match (at.inputs(), at.operator()?.full_name()) {
            (&[a, b], "aten::add.int") => match (int(graph, a), int(graph, b)) {
                (_, Some(constant)) => (a, constant),
                (Some(constant), _) => (b, constant),
                _ => return None,
            },
            (&[a, b], "aten::sub.int") => (a, int(graph, b)?.checked_neg()?),
            _ => return None,
        };
        total = total.checked_add(constant)?;
        if total == 0 {
            return Some(Known::Same(vec![rest]));
        }
        at = graph.node(graph.value(rest).node());
    }
    None
}

/// Where a branch was taken because an integer equals a constant, gives the integer in the constant's place: what
/// `c if x == c else x` gives is `x`.
pub fn refine_integers(graph: &mut Graph, run: &mut Run<'_>) {
    for id in graph.all_nodes() {
        let node = graph.node(id);
        if !node.is(Prim::If) {
            continue;
        }
        let condition = graph.node(graph.value(node.inputs()[0]).node());
        let (equal, differ) = match condition.operator().map(|op| op.full_name()) {
            Some("aten::eq.int") => (node.blocks()[0], node.blocks()[1]),
            Some("aten::ne.int") => (node.blocks()[1], node.blocks()[0]),
            _ => continue,
        };
        let (a, b) = (condition.inputs()[0], condition.inputs()[1]);
        let (subject, constant) = match (int(graph, a), int(graph, b)) {
            (None, Some(constant)) => (a, constant),
            (Some(constant), None) => (b, constant),
            _ => continue,
        };
        let outputs = node.outputs().to_vec();
        for (i, output) in outputs.into_iter().enumerate() {
            let same = int(graph, graph.returns(equal)[i]) == Some(constant)
                && graph.returns(differ)[i] == subject;
            if same && run.may_change() {
                graph.replace_all_uses(output, subject);
            }
        }
    }
}
