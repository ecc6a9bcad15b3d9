//! Lets tuples say of their elements what the values say that they are made of.

use super::PassRun;
use crate::{Graph, Prim};
use rushlight_types::Type;
use std::sync::Arc;

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    for id in graph.all_nodes() {
        let node = graph.node(id);
        if !node.is(Prim::TupleConstruct) {
            continue;
        }
        let output = node.outputs()[0];
        let Type::Tuple(known) = graph.ty(output) else {
            continue;
        };
        let inputs = node.inputs().iter();
        let mut refined = (**known).clone();
        refined.elements = inputs.map(|&input| graph.ty(input).clone()).collect();
        if refined != **known && run.may_change() {
            graph.set_type(output, Type::Tuple(Arc::new(refined)));
        }
    }
}
