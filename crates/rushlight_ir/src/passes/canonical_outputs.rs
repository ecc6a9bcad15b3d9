//! Outputs of `If` and `Loop` nodes in the order in which they are first used; unused ones come last.
//!
//! Blocks are gone through from their ends, a node before its blocks: what a node gives on decides about the nodes before it.

use super::PassRun;
use crate::{Graph, NodeId, Prim, ValueId};
use std::collections::HashMap;

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    let order = positions(graph);
    for node in from_the_end(graph) {
        let is_loop = graph.node(node).is(Prim::Loop);
        if !is_loop && !graph.node(node).is(Prim::If) {
            continue;
        }
        let outputs = graph.node(node).outputs().to_vec();
        let mut wanted: Vec<usize> = (0..outputs.len()).collect();
        rushlight_tensor::order::sort_by_key(&mut wanted, |i| {
            first_use(graph, outputs[*i], &order)
        });
        if wanted.is_sorted() || !run.may_change() {
            continue;
        }
        reorder(graph, node, &wanted, is_loop);
    }
}

/// All nodes, each block from its end, a node before those in its blocks.
fn from_the_end(graph: &Graph) -> Vec<NodeId> {
    let mut nodes = Vec::new();
    let mut stack = graph.nodes(graph.top());
    while let Some(node) = stack.pop() {
        nodes.push(node);
        for &block in graph.node(node).blocks().iter().rev() {
            stack.extend(graph.nodes(block));
        }
    }
    nodes
}

/// Where the nodes stand in the text, the Return nodes of blocks included.
fn positions(graph: &Graph) -> HashMap<NodeId, usize> {
    let mut order = HashMap::new();
    let mut stack: Vec<NodeId> = Vec::new();
    let push = |stack: &mut Vec<NodeId>, block| {
        stack.push(graph.return_node(block));
        stack.extend(graph.nodes(block).into_iter().rev());
    };
    push(&mut stack, graph.top());
    while let Some(node) = stack.pop() {
        order.insert(node, order.len());
        for &block in graph.node(node).blocks().iter().rev() {
            push(&mut stack, block);
        }
    }
    order
}

fn first_use(graph: &Graph, value: ValueId, order: &HashMap<NodeId, usize>) -> (usize, u32) {
    let uses = graph.value(value).uses().iter();
    let places = uses.filter_map(|u| Some((*order.get(&u.node)?, u.index)));
    places.min().unwrap_or((usize::MAX, 0))
}

fn reorder(graph: &mut Graph, node: NodeId, wanted: &[usize], is_loop: bool) {
    graph.permute_outputs(node, wanted);
    let blocks = graph.node(node).blocks().to_vec();
    if !is_loop {
        for block in blocks {
            let returns = graph.returns(block).to_vec();
            let new: Vec<ValueId> = wanted.iter().map(|i| returns[*i]).collect();
            graph.set_returns(block, &new);
        }
        return;
    }
    let shifted =
        |skip: usize| -> Vec<usize> { (0..skip).chain(wanted.iter().map(|i| i + skip)).collect() };
    let inputs = graph.node(node).inputs().to_vec();
    let new: Vec<ValueId> = shifted(2).into_iter().map(|i| inputs[i]).collect();
    graph.set_inputs(node, &new);
    graph.permute_outputs(graph.param_node(blocks[0]), &shifted(1));
    let returns = graph.returns(blocks[0]).to_vec();
    let new: Vec<ValueId> = shifted(1).into_iter().map(|i| returns[i]).collect();
    graph.set_returns(blocks[0], &new);
}
