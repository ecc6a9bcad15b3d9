//! Reads attributes before chains of elementwise operators: `(x - m) * self.g + self.b` is then one chain, which is done at
//! once. Nothing in a chain writes attributes.

use crate::{BlockId, Graph, NodeId, NodeKind, Prim};
use std::collections::HashSet;

/// The graph in which attributes are read before chains, for running it; `None` where none is read within one.
pub fn with_attributes_first(graph: &Graph) -> Option<Graph> {
    if moves(graph).is_empty() {
        return None;
    }
    let mut out = graph.copy();
    for (at, node) in moves(&out) {
        out.move_before(at, node);
    }
    Some(out)
}

/// Nodes that read attributes, and the first nodes of the chains that they stand in.
fn moves(graph: &Graph) -> Vec<(NodeId, NodeId)> {
    let mut moves = Vec::new();
    let mut blocks = vec![graph.top()];
    while let Some(block) = blocks.pop() {
        within(graph, block, &mut moves);
        let nodes = graph.nodes(block);
        blocks.extend(nodes.iter().flat_map(|id| graph.node(*id).blocks()));
    }
    moves
}

fn within(graph: &Graph, block: BlockId, moves: &mut Vec<(NodeId, NodeId)>) {
    let mut chain: HashSet<NodeId> = HashSet::new();
    let mut first = None;
    for id in graph.nodes(block) {
        let node = graph.node(id);
        match node.kind {
            NodeKind::Op(operator) if !operator.tiles.is_empty() => {
                chain.insert(id);
                first = first.or(Some(id));
            }
            NodeKind::Prim(Prim::Constant) => {}
            NodeKind::Prim(Prim::GetAttr) => {
                let mut from = node.inputs().iter().map(|value| graph.value(*value).node());
                if let Some(first) = first
                    && from.all(|giver| !chain.contains(&giver))
                {
                    moves.push((first, id));
                }
            }
            _ => {
                chain.clear();
                first = None;
            }
        }
    }
}
