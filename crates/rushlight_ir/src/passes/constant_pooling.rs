//! One node for each constant, all of them at the start of the graph.
//!
//! Constants move to the front in order of the text, so that the last one met ends up first: the order in which the
//! reference prints them.

use super::{PassRun, constant_hash, same_constant};
use crate::freeze::equal;
use crate::{Attr, Graph, NodeId, Prim};
use rushlight_types::Value;
use std::collections::HashMap;

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    let may_write = |node: &NodeId| graph.node(*node).kind.may_write().unwrap_or(true);
    let tensors_stay = !graph.all_nodes().iter().any(may_write);
    // Constants by their hashes.
    let mut pool: HashMap<u64, Vec<NodeId>> = HashMap::new();
    for node in graph.all_nodes() {
        if !graph.node(node).is(Prim::Constant) {
            continue;
        }
        let Some(value) = constant_of(graph, node) else {
            continue;
        };
        let output = graph.node(node).outputs()[0];
        let known = pool.entry(constant_hash(&value)).or_default();
        let same = known.iter().copied().find(|&other| {
            let kept = graph.node(other).outputs()[0];
            graph.ty(kept) == graph.ty(output)
                && constant_of(graph, other).is_some_and(|v| {
                    same_constant(&v, &value) || tensors_stay && equal_tensors(&v, &value)
                })
        });
        match same {
            Some(other) => {
                if !run.may_change() {
                    return;
                }
                let kept = graph.node(other).outputs()[0];
                graph.replace_all_uses(output, kept);
                graph.remove(node);
            }
            None => {
                known.push(node);
                move_to_front(graph, node);
            }
        }
    }
}

fn equal_tensors(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Tensor(a), Value::Tensor(b)) => equal(a, b),
        _ => false,
    }
}

fn move_to_front(graph: &mut Graph, node: NodeId) {
    let start = graph.param_node(graph.top());
    let first = graph
        .next(start)
        .expect("the Return node follows at the latest");
    graph.move_before(first, node);
}

fn constant_of(graph: &Graph, node: NodeId) -> Option<Value> {
    match graph.node(node).attrs() {
        [] => Some(Value::None),
        [(_, Attr::Value(value))] => Some(value.clone()),
        _ => None,
    }
}
