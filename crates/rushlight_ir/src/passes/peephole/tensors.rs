//! Operators that give a tensor back as it is: `x + 0`, `x * 1`, an `expand` to the sizes that it has.
//!
//! What they give is new memory. Nobody can tell when neither it nor the tensor is written to and one of both stays inside
//! the graph. What shares memory with a tensor changed so far is left to the next run, as in the reference.

use super::basic::{Shapes, all_sizes};
use super::{Known, PassRun, constant_int, rewrite};
use crate::analysis::writers::Writers;
use crate::{Graph, Node, NodeId, Prim, ValueId};
use rushlight_types::Value;

/// Operators of a tensor and a number that give the tensor back, and for which number.
const NEUTRAL: &[(&str, f64)] = &[
    ("aten::add.Scalar", 0.0),
    ("aten::sub.Scalar", 0.0),
    ("aten::mul.Scalar", 1.0),
    ("aten::div.Scalar", 1.0),
];

/// Runs the rules.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>, shapes: Shapes) {
    let mut nodes = graph.all_nodes().into_iter();
    if !nodes.any(|id| unchanged(graph, graph.node(id), shapes).is_some()) {
        return;
    }
    let writers = Writers::new(graph);
    let mut stale: Vec<ValueId> = Vec::new();
    rewrite(graph, run, |graph, id| {
        let node = graph.node(id);
        let input = unchanged(graph, node, shapes)?;
        let output = *node.outputs().first()?;
        let written = writers.has(graph, input) || writers.has(graph, output);
        let both_escape = writers.escapes(graph, input) && writers.escapes(graph, output);
        let is_stale = |v: ValueId| stale.iter().any(|s| writers.may_alias(graph, v, *s));
        if written || both_escape || is_stale(input) || is_stale(output) {
            return None;
        }
        stale.extend([input, output]);
        Some(Known::Same(vec![input]))
    });
}

/// The tensor that a node gives back as it is.
fn unchanged(graph: &Graph, node: &Node, shapes: Shapes) -> Option<ValueId> {
    let op = node.operator()?;
    let tensor = *node.inputs().first()?;
    if op.full_name() == "aten::expand" {
        let sizes = all_sizes(&*shapes.of(graph, tensor)?)?;
        let Value::IntList(wanted) = graph.constant(*node.inputs().get(1)?)? else {
            return None;
        };
        return (*wanted.lock() == sizes).then_some(tensor);
    }
    let (_, neutral) = NEUTRAL.iter().find(|(name, _)| *name == op.full_name())?;
    let (number, is_int) = match graph.constant(*node.inputs().get(1)?)? {
        Value::Int(i) => (i as f64, true),
        Value::Float(f) => (f, false),
        _ => return None,
    };
    if number != *neutral {
        return None;
    }
    if let Some(&alpha) = node.inputs().get(2)
        && constant_int(graph, alpha) != Some(1)
    {
        return None;
    }
    // A float would make floats of integers, and so does division.
    let keeps = is_int && !op.full_name().starts_with("aten::div");
    let floats = || {
        let dtype = shapes.of(graph, tensor)?.dtype?;
        dtype.is_float().then_some(())
    };
    (keeps || floats().is_some()).then_some(tensor)
}

/// `cat([a, cat([b, c]), d])` is `cat([a, b, c, d])` where nobody else asks for what is inside.
pub fn join_concatenations(graph: &mut Graph, run: &mut PassRun<'_>) {
    let is_cat = |id: &NodeId| graph.node(*id).is_op("aten::cat");
    let cats: Vec<NodeId> = graph.all_nodes().into_iter().filter(is_cat).collect();
    if cats.len() < 2 {
        return;
    }
    let writers = Writers::new(graph);
    for cat in cats {
        let Some(list) = list_of(graph, &writers, cat) else {
            continue;
        };
        let mut items = Vec::new();
        for &item in graph.node(list).inputs() {
            match inner_items(graph, &writers, cat, item) {
                Some(inner) => items.extend(inner),
                None => items.push(item),
            }
        }
        if items == graph.node(list).inputs() || !run.may_change() {
            continue;
        }
        let ty = graph.ty(graph.node(list).outputs()[0]).clone();
        let new = graph.create(Prim::ListConstruct, &items, &[ty]);
        graph.insert_before(cat, new);
        let value = graph.node(new).outputs()[0];
        graph.set_input(cat, 0, value);
    }
}

/// The list that only this concatenation uses.
fn list_of(graph: &Graph, writers: &Writers, cat: NodeId) -> Option<NodeId> {
    let value = *graph.node(cat).inputs().first()?;
    let list = graph.value(value).node();
    let own = graph.node(list).is(Prim::ListConstruct)
        && graph.value(value).uses().len() == 1
        && !writers.has(graph, value);
    own.then_some(list)
}

/// What stands in a concatenation inside another one along the same dimension.
fn inner_items(
    graph: &Graph,
    writers: &Writers,
    outer: NodeId,
    item: ValueId,
) -> Option<Vec<ValueId>> {
    let inner = graph.value(item).node();
    let same = graph.node(inner).is_op("aten::cat")
        && graph.value(item).uses().len() == 1
        && graph.node(inner).inputs().get(1) == graph.node(outer).inputs().get(1)
        && !writers.has(graph, item);
    let list = list_of(graph, writers, inner).filter(|_| same)?;
    let items = graph.node(list).inputs().to_vec();
    let read_only = !items.iter().any(|v| writers.has(graph, *v));
    read_only.then_some(items)
}
