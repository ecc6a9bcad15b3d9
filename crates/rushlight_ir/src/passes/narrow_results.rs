//! Types of what branches give.

use super::PassRun;
use crate::{Graph, Prim};

/// Gives the results of branches the type that both sides have, where that is narrower.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
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
