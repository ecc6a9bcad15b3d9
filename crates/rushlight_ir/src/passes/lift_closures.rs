//! Gives code that runs elsewhere or later a graph of its own.
//!
//! `fork` and `_awaitable` come with a block that uses values of the graph around it. The block becomes the node's
//! `Subgraph`; what it uses from outside become the node's inputs, in order of first use.

use super::PassRun;
use crate::{Attr, BlockId, Graph, NodeId, Prim, ValueId};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    let mut forks = Vec::new();
    // Inner closures first: what they capture is captured by those around them.
    for node in graph.all_nodes().into_iter().rev() {
        let data = graph.node(node);
        let is_closure = data.is(Prim::Fork) || data.is(Prim::Awaitable) || data.is(Prim::Closure);
        if is_closure && data.blocks().len() == 1 && run.may_change() {
            lift(graph, node);
            forks.extend(graph.node(node).is(Prim::Fork).then_some(node));
        }
    }
    // The reference makes a function, what it captures, and a pair of both for each task, and at last the tasks anew, in order.
    for _ in 0..3 * forks.len() {
        graph.reserve_number();
    }
    for node in forks.into_iter().rev() {
        let output = graph.node(node).outputs()[0];
        graph.renumber(output);
    }
}

fn lift(graph: &mut Graph, node: NodeId) {
    let block = graph.node(node).blocks()[0];
    let mut body = Graph::new();
    let mut map = HashMap::new();
    let captured = captures(graph, block);
    let numbers_before = body.pause_numbers(true);
    for &value in &captured {
        let data = graph.value(value);
        let input = body.add_param(body.top(), data.ty.clone(), data.name.as_deref());
        map.insert(value, input);
    }
    body.clone_block_into(body.top(), graph, block, &mut map);
    body.pause_numbers(numbers_before);
    number(&mut body);
    graph.remove_block(node, 0);
    for value in captured {
        graph.push_input(node, value);
    }
    graph.set_attr(node, "Subgraph", Attr::Graph(Arc::new(body)));
}

/// Numbers the values of a lifted body as the reference does: constants, one number for each value that is captured, what
/// the other nodes make, and last the parameters.
fn number(body: &mut Graph) {
    body.reserve_number();
    let params = body.params(body.top()).to_vec();
    let nodes = body.all_nodes();
    let (constants, others): (Vec<NodeId>, Vec<NodeId>) = nodes
        .into_iter()
        .partition(|n| body.node(*n).is(Prim::Constant));
    let outputs = |body: &Graph, nodes: &[NodeId]| -> Vec<ValueId> {
        let outputs = nodes.iter().map(|n| body.node(*n).outputs().to_vec());
        outputs.collect::<Vec<_>>().concat()
    };
    for value in outputs(body, &constants).into_iter().rev() {
        body.renumber(value);
    }
    params.iter().for_each(|_| {
        body.reserve_number();
    });
    for value in outputs(body, &others).into_iter().chain(params) {
        body.renumber(value);
    }
}

/// The values from outside that a block uses, in order of first use.
pub fn captures(graph: &Graph, block: BlockId) -> Vec<ValueId> {
    let mut own: HashSet<ValueId> = HashSet::new();
    let mut used = Vec::new();
    let mut blocks = vec![block];
    while let Some(block) = blocks.pop() {
        own.extend(graph.params(block));
        for node in graph.nodes(block) {
            used.extend(graph.node(node).inputs());
            own.extend(graph.node(node).outputs());
            blocks.extend(graph.node(node).blocks());
        }
        used.extend(graph.returns(block));
    }
    let mut seen = HashSet::new();
    used.retain(|v| !own.contains(v) && seen.insert(*v));
    used
}
