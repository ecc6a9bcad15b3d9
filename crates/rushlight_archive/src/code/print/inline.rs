//! Which nodes are printed inside the expression that uses them.
//!
//! A node may move into its only user when that changes no order of evaluation: walking backwards from the user over its
//! inputs, last to first, every such node must be the one just before the point reached.

use rushlight_ir::{BlockId, Graph, NodeId, NodeKind, Prim, ValueId};
use std::collections::HashSet;

/// The nodes of a block (not of the blocks inside) that print inside others.
pub(super) fn inlined_nodes(graph: &Graph, block: BlockId, inlined: &mut HashSet<NodeId>) {
    let mut at = Some(graph.return_node(block));
    while let Some(node) = at {
        at = graph.prev(node);
        if !inlined.contains(&node) && !graph.node(node).is(Prim::Constant) {
            scan(graph, node, inlined);
        }
    }
}

fn scan(graph: &Graph, root: NodeId, inlined: &mut HashSet<NodeId>) {
    let mut point = graph.prev(root);
    let mut stack = vec![(root, graph.node(root).inputs().len())];
    while let Some((user, remaining)) = stack.last_mut() {
        if *remaining == 0 {
            stack.pop();
            continue;
        }
        *remaining -= 1;
        let (user, value) = (*user, graph.node(*user).inputs()[*remaining]);
        while let Some(node) = point
            && graph.node(node).is(Prim::Constant)
        {
            point = graph.prev(node);
        }
        let Some(node) = point else { continue };
        if graph.value(value).node() == node && may_move(graph, node, value, user) {
            inlined.insert(node);
            point = graph.prev(node);
            stack.push((node, graph.node(node).inputs().len()));
        }
    }
}

/// Whether a node may print inside `user`, as far as the two alone say.
fn may_move(graph: &Graph, id: NodeId, value: ValueId, user: NodeId) -> bool {
    let node = graph.node(id);
    let data = graph.value(value);
    let stays = matches!(
        node.kind,
        NodeKind::Prim(
            Prim::Param
                | Prim::Return
                | Prim::IsInstance
                | Prim::Uninitialized
                | Prim::TupleUnpack
                | Prim::ListUnpack
                | Prim::Enter
                | Prim::Exit
                | Prim::SetAttr
                | Prim::CreateObject
                | Prim::Closure
                | Prim::Fork
                | Prim::Awaitable
        )
    ) || node.is_op("prim::ModuleContainerIndex");
    !stays
        && node.outputs().len() == 1
        && node.blocks().is_empty()
        && data.uses().len() == 1
        && data.uses()[0].node == user
        // What a closure captures is worked out before it, and so is what other processes get.
        && !matches!(graph.node(user).kind, NodeKind::Prim(Prim::Fork | Prim::Awaitable | Prim::Closure))
        && !is_remote(graph.node(user).kind)
        && (data.name.is_none() || graph.node(user).is(Prim::Return))
}

/// Whether a node calls a function of another process.
pub(super) fn is_remote(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Op(op) if op.name().starts_with("prim::rpc_"))
}
