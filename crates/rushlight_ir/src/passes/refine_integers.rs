//! Integers that a comparison has shown to be a constant.

use super::Run;
use crate::{Graph, Prim, ValueId};

fn int(graph: &Graph, value: ValueId) -> Option<i64> {
    graph.constant(value)?.as_int().ok()
}

/// Where a branch was taken because an integer equals a constant, gives the integer in the constant's place: what
/// `c if x == c else x` gives is `x`.
pub fn run(graph: &mut Graph, run: &mut Run<'_>) {
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
