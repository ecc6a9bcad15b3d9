//! Writes short loops with a known trip count out.

use super::Run;
use crate::{Graph, NodeId, NodeKind, Prim, ValueId};
use rushlight_types::{Operator, Type, Value};
use std::collections::HashMap;

/// Loops of more steps stay.
const MAX_STEPS: i64 = 8;
/// Bodies with more nodes stay.
const MAX_NODES: usize = 16;

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut Run<'_>) {
    // Inner loops first: their copies need no second look.
    for node in graph.all_nodes().into_iter().rev() {
        if let (Some(steps), Some(add)) = (steps(graph, node), run.table.find("aten::add.int"))
            && run.may_change()
        {
            unroll(graph, node, steps, add);
        }
    }
}

/// The number of steps of a loop that is worth writing out.
fn steps(graph: &Graph, id: NodeId) -> Option<i64> {
    let node = graph.node(id);
    if !node.is(Prim::Loop) || node.block().is_none() {
        return None;
    }
    let body = node.blocks()[0];
    let is_true = |v: ValueId| graph.constant(v).and_then(|v| v.as_bool().ok()) == Some(true);
    let steps = graph.constant(node.inputs()[0])?.as_int().ok()?;
    let inside = graph.nodes(body);
    let fits = (0..=MAX_STEPS).contains(&steps)
        && is_true(node.inputs()[1])
        && is_true(graph.returns(body)[0])
        && inside.len() <= MAX_NODES
        && inside.iter().all(|n| graph.node(*n).blocks().is_empty());
    fits.then_some(steps)
}

/// The copies count like the loop did; constants come of it where numbers are computed.
fn unroll(graph: &mut Graph, node: NodeId, steps: i64, add: &'static Operator) {
    let body = graph.node(node).blocks()[0];
    let source = graph.clone();
    let params = graph.params(body).to_vec();
    let results = graph.returns(body)[1..].to_vec();
    // Whatever the body does not define itself stands for itself in every copy.
    let mut outside = results.clone();
    for inner in source.nodes(body) {
        outside.extend(source.node(inner).inputs());
    }
    let mut carried: Vec<ValueId> = graph.node(node).inputs()[2..].to_vec();
    let mut index = graph.constant_before(node, Value::Int(0), Type::Int);
    for step in 0..steps {
        if step > 0 {
            let one = graph.constant_before(node, Value::Int(1), Type::Int);
            let next = graph.create(NodeKind::Op(add), &[index, one], &[Type::Int]);
            graph.insert_before(node, next);
            index = graph.node(next).outputs()[0];
        }
        let mut map: HashMap<ValueId, ValueId> = outside.iter().map(|v| (*v, *v)).collect();
        map.insert(params[0], index);
        map.extend(params[1..].iter().copied().zip(carried.iter().copied()));
        for inner in source.nodes(body) {
            graph.clone_node_before(node, &source, inner, &mut map);
        }
        carried = results.iter().map(|r| map[r]).collect();
    }
    for (i, value) in carried.into_iter().enumerate() {
        let output = graph.node(node).outputs()[i];
        graph.replace_all_uses(output, value);
    }
    graph.remove(node);
}
