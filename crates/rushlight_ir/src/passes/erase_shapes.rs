//! Forgets what the types of a graph say about the shapes of tensors.

use super::PassRun;
use crate::{Graph, ValueId};

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
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
        if plain != *graph.ty(value) && run.may_change() {
            graph.set_type(value, plain);
        }
    }
}
