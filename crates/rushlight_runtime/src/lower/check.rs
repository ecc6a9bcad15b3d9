//! What the lowering relies on, checked before it starts, so that a graph from outside which nobody has verified gives an
//! error and not a panic. The whole definition of a valid graph is `rushlight_ir::verify`.

use rushlight_ir::{BlockId, Graph, Node, NodeId, NodeKind, Prim};
use rushlight_types::{Fault, Result};

/// Blocks nested deeper than this are refused: nested blocks are walked by recursion.
pub const MAX_NESTING: usize = 400;

/// The least number of inputs and of outputs that nodes have.
const LEAST: &[(Prim, usize, usize)] = &[
    (Prim::Constant, 0, 1),
    (Prim::Uninitialized, 0, 1),
    (Prim::TupleConstruct, 0, 1),
    (Prim::TupleUnpack, 1, 0),
    (Prim::TupleIndex, 2, 1),
    (Prim::TupleSlice, 1, 1),
    (Prim::ListConstruct, 0, 1),
    (Prim::ListUnpack, 1, 0),
    (Prim::DictConstruct, 0, 1),
    (Prim::GetAttr, 1, 1),
    (Prim::SetAttr, 2, 0),
    (Prim::CreateObject, 0, 1),
    (Prim::CallFunction, 1, 0),
    (Prim::CallMethod, 1, 0),
    (Prim::IsInstance, 1, 1),
    (Prim::UncheckedCast, 1, 1),
    (Prim::UncheckedUnwrapOptional, 1, 1),
    (Prim::Enter, 1, 0),
    (Prim::Exit, 1, 0),
    (Prim::Closure, 0, 1),
    (Prim::Awaitable, 0, 1),
];

/// Checks depth and shape of every node.
pub(super) fn check(graph: &Graph) -> Result<()> {
    let mut pending: Vec<(BlockId, usize)> = vec![(graph.top(), 0)];
    while let Some((block, depth)) = pending.pop() {
        if depth > MAX_NESTING {
            return Err(Fault::runtime(format!(
                "a graph nests blocks more than {MAX_NESTING} deep"
            )));
        }
        for id in graph.nodes(block) {
            let node = graph.node(id);
            if !is_well_formed(graph, node) {
                return Err(malformed(graph, id));
            }
            pending.extend(node.blocks().iter().map(|b| (*b, depth + 1)));
        }
    }
    Ok(())
}

fn malformed(graph: &Graph, id: NodeId) -> Fault {
    let text = graph.node_text(id);
    let line = text.lines().next().unwrap_or_default();
    Fault::runtime(format!("an invalid node in a graph: {}", line.trim()))
}

fn is_well_formed(graph: &Graph, node: &Node) -> bool {
    let (inputs, outputs) = (node.inputs().len(), node.outputs().len());
    let returns = |block: &BlockId| graph.returns(*block).len();
    match node.kind {
        NodeKind::Prim(Prim::If) => {
            inputs == 1
                && node.blocks().len() == 2
                && node.blocks().iter().all(|b| returns(b) == outputs)
        }
        NodeKind::Prim(Prim::Loop) => match node.blocks() {
            [body] => {
                inputs == outputs + 2
                    && graph.params(*body).len() == outputs + 1
                    && returns(body) == outputs + 1
            }
            _ => false,
        },
        NodeKind::Prim(prim) => LEAST
            .iter()
            .find(|row| row.0 == prim)
            .is_none_or(|row| inputs >= row.1 && outputs >= row.2),
        NodeKind::Op(operator) => {
            let schema = operator.schema();
            (schema.varargs || inputs == schema.arguments.len())
                && (schema.varrets || outputs == schema.returns.len())
        }
        NodeKind::Unknown(_) => true,
    }
}
