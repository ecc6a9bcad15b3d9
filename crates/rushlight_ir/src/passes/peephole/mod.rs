//! Small patterns: what a node gives is seen from its inputs.
//!
//! Each rule looks at one node and tells the value or the constant that its only output always equals. Rules about
//! containers ask whether anything writes to them. [`numbers`] has the rules about integers, [`shapes`] those that trust
//! what types say about tensors.

mod numbers;
mod shapes;
mod unwritten;

pub use numbers::refine_integers;
pub(super) use unwritten::Unwritten;

use super::{Run, same_constant};
use crate::{Graph, Node, NodeId, NodeKind, Prim, ValueId};
use rushlight_types::{Type, Value};

/// What an output turned out to be.
enum Known {
    Same(Vec<ValueId>),
    Constant(Value),
}

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut Run<'_>) {
    rewrite(graph, run, look);
}

/// Runs the rules, and those that trust what types say about tensors.
pub fn trusting(graph: &mut Graph, run: &mut Run<'_>) {
    rewrite(graph, run, |graph, unwritten, id| {
        look(graph, unwritten, id).or_else(|| shapes::look(graph, unwritten, id))
    });
    narrow_results(graph, run);
}

/// Gives the results of branches the type that both sides have, where that is narrower.
fn narrow_results(graph: &mut Graph, run: &mut Run<'_>) {
    for id in graph.all_nodes() {
        let node = graph.node(id);
        if !node.is(Prim::If) {
            continue;
        }
        let (outputs, blocks) = (node.outputs().to_vec(), node.blocks().to_vec());
        for (i, output) in outputs.into_iter().enumerate() {
            let given = |block: usize| graph.ty(graph.returns(blocks[block])[i]).clone();
            let Some(both) = rushlight_types::unify(&given(0), &given(1), false) else {
                continue;
            };
            let now = graph.ty(output);
            if both != *now && both.is_subtype_of(now) && run.may_change() {
                graph.set_type(output, both);
            }
        }
    }
}

/// Runs only the rules about lists.
pub fn lists(graph: &mut Graph, run: &mut Run<'_>) {
    rewrite(graph, run, look_at_container);
}

fn rewrite(
    graph: &mut Graph,
    run: &mut Run<'_>,
    look: fn(&Graph, &Unwritten, NodeId) -> Option<Known>,
) {
    let unwritten = Unwritten::new(graph);
    for node in graph.all_nodes() {
        if graph.node(node).block().is_none() {
            continue;
        }
        let Some(known) = look(graph, &unwritten, node) else {
            continue;
        };
        if !run.may_change() {
            return;
        }
        let values = match known {
            Known::Same(values) => values,
            Known::Constant(value) => {
                let ty = value.type_of();
                vec![graph.constant_before(node, value, ty)]
            }
        };
        for (i, value) in values.into_iter().enumerate() {
            let output = graph.node(node).outputs()[i];
            graph.replace_all_uses(output, value);
        }
        graph.remove(node);
    }
}

fn look(graph: &Graph, unwritten: &Unwritten, id: NodeId) -> Option<Known> {
    let node = graph.node(id);
    let input = |i: usize| node.inputs().get(i).copied();
    match node.kind {
        NodeKind::Prim(Prim::UncheckedCast | Prim::UncheckedUnwrapOptional) => {
            let (from, to) = (input(0)?, node.outputs()[0]);
            (graph.ty(from) == graph.ty(to)).then(|| Known::Same(vec![from]))
        }
        NodeKind::Prim(Prim::If) => restated(graph, node),
        NodeKind::Op(op) => match op.full_name() {
            "aten::__is__" => none_check(graph, input(0)?, input(1)?).map(Known::Constant),
            "aten::__isnot__" => {
                let is = none_check(graph, input(0)?, input(1)?)?.as_bool().ok()?;
                Some(Known::Constant(Value::Bool(!is)))
            }
            "aten::__not__" => {
                let inner = graph.node(graph.value(input(0)?).node());
                inner
                    .is_op("aten::__not__")
                    .then(|| Known::Same(vec![inner.inputs()[0]]))
            }
            "aten::Int.Tensor" => {
                let inner = graph.node(graph.value(input(0)?).node());
                let number = inner.is_op("prim::NumToTensor");
                let from = *inner.inputs().first().filter(|_| number)?;
                (*graph.ty(from) == Type::Int).then(|| Known::Same(vec![from]))
            }
            name => numbers::look(graph, node, name)
                .or_else(|| shapes::declared(graph, node, name))
                .or_else(|| look_at_container(graph, unwritten, id)),
        },
        _ => look_at_container(graph, unwritten, id),
    }
}

fn look_at_container(graph: &Graph, unwritten: &Unwritten, id: NodeId) -> Option<Known> {
    let node = graph.node(id);
    let input = |i: usize| node.inputs().get(i).copied();
    match node.kind {
        NodeKind::Prim(Prim::ListUnpack) => {
            let items = unwritten.items(graph, input(0)?)?;
            (items.len() == node.outputs().len()).then_some(Known::Same(items))
        }
        NodeKind::Op(op) => match op.full_name() {
            "aten::len.t" => {
                let items = unwritten.items(graph, input(0)?)?;
                Some(Known::Constant(Value::Int(items.len() as i64)))
            }
            name if name.starts_with("aten::len.Dict_") => {
                let entries = unwritten.entries(graph, input(0)?)?;
                Some(Known::Constant(Value::Int(entries.len() as i64)))
            }
            name if name.starts_with("aten::__getitem__.Dict_") => {
                let entries = unwritten.entries(graph, input(0)?)?;
                let key = graph.constant(input(1)?)?;
                let mut found = entries
                    .iter()
                    .filter(|(known, _)| same_constant(known, &key));
                found.next().map(|(_, value)| Known::Same(vec![*value]))
            }
            "aten::__getitem__.t" => {
                let items = unwritten.items(graph, input(0)?)?;
                let index = graph.constant(input(1)?)?.as_int().ok()?;
                let at = if index < 0 {
                    index + items.len() as i64
                } else {
                    index
                };
                let item = usize::try_from(at).ok().and_then(|i| items.get(i))?;
                Some(Known::Same(vec![*item]))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether a condition is what the `If` on it gives: `True if c else False`.
fn restated(graph: &Graph, node: &Node) -> Option<Known> {
    let [output] = node.outputs() else {
        return None;
    };
    let gives = |i: usize| match graph.constant(graph.returns(node.blocks()[i])[0]) {
        Some(Value::Bool(b)) => Some(b),
        _ => None,
    };
    let bare = node.blocks().iter().all(|b| graph.nodes(*b).is_empty());
    let same =
        *graph.ty(*output) == Type::Bool && gives(0) == Some(true) && gives(1) == Some(false);
    (bare && same).then(|| Known::Same(vec![node.inputs()[0]]))
}

/// `a is b`, where types tell whether one of them is None.
fn none_check(graph: &Graph, a: ValueId, b: ValueId) -> Option<Value> {
    let (subject, none) = match (graph.ty(a), graph.ty(b)) {
        (subject, none @ Type::None) | (none @ Type::None, subject) => (subject, none),
        _ => return None,
    };
    let other = if graph.ty(a) == none { b } else { a };
    if subject == none || matches!(graph.constant(other), Some(Value::None)) {
        return Some(Value::Bool(true));
    }
    let settled = !subject.accepts_none() && !subject.has_variables();
    settled.then_some(Value::Bool(false))
}
