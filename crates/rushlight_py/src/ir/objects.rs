//! What Python holds of graphs: a share in one, and the number of a node, value or block in it.

use super::live::Handle;
use pyo3::prelude::*;
use rushlight::ir::{BlockId, NodeId, ValueId};

/// `torch._C.Graph`.
#[pyclass(name = "Graph", module = "torch", frozen, weakref, from_py_object)]
#[derive(Clone)]
pub struct PyGraph(pub Handle);

/// `torch._C.Node`.
#[pyclass(name = "Node", module = "torch", frozen, from_py_object)]
#[derive(Clone)]
pub struct PyNode {
    pub owner: Handle,
    pub id: NodeId,
}

/// `torch._C.Value`.
#[pyclass(name = "Value", module = "torch", frozen, from_py_object)]
#[derive(Clone)]
pub struct PyValue {
    pub owner: Handle,
    pub id: ValueId,
}

/// `torch._C.Block`.
#[pyclass(name = "Block", module = "torch", frozen)]
pub struct PyBlock {
    pub owner: Handle,
    pub id: BlockId,
}

/// `torch._C.Use`: an input of a node.
#[pyclass(name = "Use", module = "torch", frozen, get_all)]
pub struct PyUse {
    pub user: PyNode,
    pub offset: u32,
}

impl Handle {
    /// A node of the graph.
    pub fn node(&self, id: NodeId) -> PyNode {
        PyNode {
            owner: self.clone(),
            id,
        }
    }

    /// A value of the graph.
    pub fn value(&self, id: ValueId) -> PyValue {
        PyValue {
            owner: self.clone(),
            id,
        }
    }

    /// A block of the graph.
    pub fn block(&self, id: BlockId) -> PyBlock {
        PyBlock {
            owner: self.clone(),
            id,
        }
    }

    /// Several nodes of the graph.
    pub fn nodes(&self, ids: impl IntoIterator<Item = NodeId>) -> Vec<PyNode> {
        ids.into_iter().map(|id| self.node(id)).collect()
    }

    /// Several values of the graph.
    pub fn values(&self, ids: &[ValueId]) -> Vec<PyValue> {
        ids.iter().map(|id| self.value(*id)).collect()
    }

    /// The nodes of a kind in a block and, if asked, in the blocks inside it.
    pub fn find(&self, block: BlockId, kind: &str, recurse: bool) -> Vec<PyNode> {
        let graph = self.read();
        let mut found = Vec::new();
        let mut pending: Vec<NodeId> = graph.nodes(block).into_iter().rev().collect();
        while let Some(id) = pending.pop() {
            let node = graph.node(id);
            if node.kind.name() == kind {
                found.push(self.node(id));
            }
            if recurse {
                for &inner in node.blocks().iter().rev() {
                    pending.extend(graph.nodes(inner).into_iter().rev());
                }
            }
        }
        found
    }
}
