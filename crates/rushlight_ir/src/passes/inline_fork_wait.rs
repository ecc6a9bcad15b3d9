//! Runs forked code where it is forked: no tasks remain whose result is waited for in the same graph.

use super::PassRun;
use crate::{Attr, Graph, NodeId, Prim, ValueId};
use std::collections::HashMap;

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    // The value that each future will hold.
    let mut held: HashMap<ValueId, ValueId> = HashMap::new();
    for node in graph.all_nodes() {
        if graph.node(node).is(Prim::Fork) {
            if let Some((future, value)) = take_in(graph, run, node) {
                held.insert(future, value);
            }
        } else if graph.node(node).is_op("aten::wait")
            && let Some(&value) = held.get(&graph.node(node).inputs()[0])
            && run.may_change()
        {
            let output = graph.node(node).outputs()[0];
            graph.replace_all_uses(output, value);
            graph.remove(node);
        }
    }
    for future in held.into_keys() {
        let fork = graph.value(future).node();
        if graph.value(future).uses().is_empty() {
            graph.remove(fork);
        }
    }
}

/// Puts the forked code before the fork; the future and the value that it will hold.
fn take_in(graph: &mut Graph, run: &mut PassRun<'_>, fork: NodeId) -> Option<(ValueId, ValueId)> {
    let Some(Attr::Graph(body)) = graph.node(fork).attr("Subgraph").cloned() else {
        return None;
    };
    let fits = body.inputs().len() == graph.node(fork).inputs().len() && body.outputs().len() == 1;
    if !fits || !run.may_change() {
        return None;
    }
    let given = graph.node(fork).inputs().iter().copied();
    let mut map: HashMap<ValueId, ValueId> = body.inputs().iter().copied().zip(given).collect();
    for inner in body.nodes(body.top()) {
        graph.clone_node_before(fork, &body, inner, &mut map);
    }
    Some((graph.node(fork).outputs()[0], map[&body.outputs()[0]]))
}
