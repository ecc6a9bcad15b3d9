//! Removes `aten::expand` calls that only spell out what operators do by themselves: those marked as implicit.

use super::PassRun;
use crate::{Graph, NodeId, ValueId};

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    for node in graph.all_nodes() {
        if let Some(input) = implicit(graph, node)
            && run.may_change()
        {
            let output = graph.node(node).outputs()[0];
            graph.replace_all_uses(output, input);
            graph.remove(node);
        }
    }
}

fn implicit(graph: &Graph, id: NodeId) -> Option<ValueId> {
    let node = graph.node(id);
    if !node.is_op("aten::expand") {
        return None;
    }
    let marked = graph.constant(*node.inputs().get(2)?)?.as_bool().ok()?;
    marked.then(|| node.inputs()[0])
}
