//! Forgets what the types of a graph say about the shapes of tensors.

use super::PassRun;
use crate::{Graph, Prim, ValueId};

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    erase(graph, |_, _| run.may_change());
}

/// Forgets the shapes of all values but of those that constants make.
pub fn erase_computed(graph: &mut Graph) {
    erase(graph, |graph, value| {
        let maker = graph.value(value).node();
        !graph.node(maker).is(Prim::Constant)
    });
}

fn erase(graph: &mut Graph, mut is_meant: impl FnMut(&Graph, ValueId) -> bool) {
    let mut values: Vec<ValueId> = graph.inputs().to_vec();
    for id in graph.all_nodes() {
        let node = graph.node(id);
        values.extend(node.outputs());
        for &block in node.blocks() {
            values.extend(graph.params(block));
        }
    }
    for value in values {
        let plain = graph.ty(value).shapeless();
        if plain != *graph.ty(value) && is_meant(graph, value) {
            graph.set_type(value, plain);
        }
    }
}
