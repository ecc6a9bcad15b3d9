//! Takes tuples apart that were only just put together.
//!
//! `TupleUnpack` and `TupleIndex` of a `TupleConstruct` become its inputs. Tuples that go through an `If` or a `Loop`
//! stay.

use super::PassRun;
use crate::{Graph, NodeId, Prim, ValueId};

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    for node in graph.all_nodes() {
        let Some(parts) = parts(graph, node) else {
            continue;
        };
        if !run.may_change() {
            return;
        }
        for (i, part) in parts.into_iter().enumerate() {
            let output = graph.node(node).outputs()[i];
            graph.replace_all_uses(output, part);
        }
        graph.remove(node);
    }
}

/// What the outputs of a node that takes a tuple apart are, if the tuple was put together in this graph.
fn parts(graph: &Graph, id: NodeId) -> Option<Vec<ValueId>> {
    let node = graph.node(id);
    if !node.is(Prim::TupleUnpack) && !node.is(Prim::TupleIndex) && !node.is(Prim::TupleSlice) {
        return None;
    }
    let source = graph.node(graph.value(node.inputs()[0]).node());
    if !source.is(Prim::TupleConstruct) {
        return None;
    }
    let items = source.inputs();
    if node.is(Prim::TupleUnpack) {
        return (items.len() == node.outputs().len()).then(|| items.to_vec());
    }
    if !node.is(Prim::TupleIndex) {
        return None;
    }
    let index = graph.constant(node.inputs()[1])?.as_int().ok()?;
    let at = if index < 0 {
        index + items.len() as i64
    } else {
        index
    };
    let item = usize::try_from(at).ok().and_then(|i| items.get(i))?;
    Some(vec![*item])
}
