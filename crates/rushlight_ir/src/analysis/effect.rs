//! What running a node does besides giving its results.

use crate::{Graph, NodeId, NodeKind, Prim};
use rushlight_types::Effect;

/// How a node's results and deeds depend on anything but its inputs. Writes to inputs are not counted: schemas and
/// [`super::alias`] know about them. Nodes with blocks count as pure themselves; ask their contents.
pub fn effect(graph: &Graph, node: NodeId) -> Effect {
    match graph.node(node).kind {
        NodeKind::Op(op) => op.effect,
        NodeKind::Prim(prim) => prim_effect(prim),
        // What only watches a value.
        NodeKind::Unknown(name) if name.as_str() == "prim::profile" => Effect::Pure,
        NodeKind::Unknown(_) => Effect::SideEffect,
    }
}

fn prim_effect(prim: Prim) -> Effect {
    match prim {
        Prim::SetAttr
        | Prim::CallFunction
        | Prim::CallMethod
        | Prim::Enter
        | Prim::Exit
        | Prim::PythonOp
        | Prim::BreakStmt
        | Prim::ContinueStmt
        | Prim::ReturnStmt
        | Prim::Store
        | Prim::Return
        | Prim::Param => Effect::SideEffect,
        _ => Effect::Pure,
    }
}

/// Whether the loop may run forever: its trip count is no bound, and its body does not always break.
pub fn may_be_endless(graph: &Graph, node: NodeId) -> bool {
    let node = graph.node(node);
    if !node.is(Prim::Loop) {
        return false;
    }
    let most = graph.constant(node.inputs()[0]);
    let again = graph.constant(graph.returns(node.blocks()[0])[0]);
    let breaks = again.and_then(|v| v.as_bool().ok()) == Some(false);
    !breaks && most.and_then(|v| v.as_int().ok()) == Some(i64::MAX)
}

/// Whether running a node once more could make a difference; nodes with blocks count as if it did.
pub fn does_something(graph: &Graph, node: NodeId) -> bool {
    let has_blocks = !graph.node(node).blocks().is_empty();
    has_blocks || writes_memory(graph, node) || effect(graph, node) != Effect::Pure
}

/// Whether a node writes to values that other nodes can see; only then does it matter which values share memory.
pub fn writes_memory(graph: &Graph, node: NodeId) -> bool {
    match graph.node(node).kind {
        NodeKind::Op(op) => op.schema().is_mutable(),
        NodeKind::Prim(prim) => prim == Prim::SetAttr,
        _ => false,
    }
}
