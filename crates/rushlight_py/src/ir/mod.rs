//! Graphs, nodes, values, blocks, types and schemas in Python: `torch._C.Graph` and what hangs on it.
//!
//! A Python graph is a copy of a function's; [`live`] gives the function what is changed in it. Nodes, values and blocks
//! are ids into their graph, which they keep alive.

mod graph;
mod insert;
mod live;
mod node;
mod passes;
mod schema;
mod ty;
mod value;

pub use graph::{
    PyBlock, PyGraph, create_function_from_graph, executed, inlined, parse_ir, read_ir,
};
pub use insert::{InsertPoint, hide_source_ranges, interpret_graph};
pub use node::PyNode;
pub use passes::{called_function, propagate_shapes, rewrite_pattern, run_pass};
pub use schema::{PyArgument, PySchema, parse_schema, read_schema, schemas_of};
pub use ty::{
    PyType, assert_is_instance, described_type, make_type, parse_type, try_infer_type,
    type_of_tensor,
};
pub use value::{PyUse, PyValue};

use pyo3::prelude::*;
use rushlight::ir::{BlockId, Graph, NodeId, NodeKind, Prim, Unit, ValueId};
use rushlight::types::Symbol;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

/// A graph that Python objects share.
pub struct Shared {
    graph: RwLock<Graph>,
    /// The function that the graph belongs to.
    backing: Option<live::Backing>,
    /// The node before which nodes are inserted; where there is none, at the end of the graph.
    insert_point: Mutex<Option<NodeId>>,
    /// A weak reference to the Python object of a function's graph.
    object: Mutex<Option<Py<PyAny>>>,
    me: Weak<Shared>,
}

impl Shared {
    fn new(graph: Graph, backing: Option<live::Backing>) -> Arc<Shared> {
        Arc::new_cyclic(|me| Shared {
            graph: RwLock::new(graph),
            backing,
            insert_point: Mutex::new(None),
            object: Mutex::new(None),
            me: me.clone(),
        })
    }
}

/// A graph that is being changed. The function that it belongs to hears of it at the end.
pub struct Editing<'a> {
    graph: RwLockWriteGuard<'a, Graph>,
    shared: &'a Arc<Shared>,
}

impl std::ops::Deref for Editing<'_> {
    type Target = Graph;

    fn deref(&self) -> &Graph {
        &self.graph
    }
}

impl std::ops::DerefMut for Editing<'_> {
    fn deref_mut(&mut self) -> &mut Graph {
        &mut self.graph
    }
}

impl Drop for Editing<'_> {
    fn drop(&mut self) {
        if let Some(backing) = &self.shared.backing {
            backing.edited(self.shared);
        }
    }
}

/// A share in a graph.
#[derive(Clone)]
pub struct Handle {
    shared: Arc<Shared>,
    unit: Option<Arc<Unit>>,
}

impl Handle {
    /// A graph of its own.
    pub fn new(graph: Graph, unit: Option<Arc<Unit>>) -> Handle {
        let shared = Shared::new(graph, None);
        Handle { shared, unit }
    }

    /// The graph, to look at.
    pub fn read(&self) -> RwLockReadGuard<'_, Graph> {
        self.shared
            .graph
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The graph, to change.
    pub fn write(&self) -> Editing<'_> {
        Editing {
            graph: self
                .shared
                .graph
                .write()
                .unwrap_or_else(PoisonError::into_inner),
            shared: &self.shared,
        }
    }

    /// Refuses nodes that are no longer part of the graph, and what they gave.
    fn must_be_there(&self, id: NodeId) -> PyResult<()> {
        match self.read().node(id).is_removed() {
            true => Err(refuse("has been invalidated")),
            false => Ok(()),
        }
    }

    /// Where the functions live that the graph calls.
    pub fn unit(&self) -> Option<&Arc<Unit>> {
        self.unit.as_ref()
    }

    /// Whether this is the same graph.
    pub fn is(&self, other: &Handle) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    /// The node before which nodes are inserted.
    fn insert_point(&self) -> NodeId {
        let point = *self
            .shared
            .insert_point
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let graph = self.read();
        let standing = point.filter(|id| graph.node(*id).block().is_some());
        standing.unwrap_or_else(|| graph.return_node(graph.top()))
    }

    /// Chooses the node before which nodes are inserted; the one before.
    fn set_insert_point(&self, point: Option<NodeId>) -> Option<NodeId> {
        let mut known = self
            .shared
            .insert_point
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut known, point)
    }

    fn node(&self, id: NodeId) -> PyNode {
        PyNode {
            owner: self.clone(),
            id,
        }
    }

    fn value(&self, id: ValueId) -> PyValue {
        PyValue {
            owner: self.clone(),
            id,
        }
    }

    fn block(&self, id: BlockId) -> PyBlock {
        PyBlock {
            owner: self.clone(),
            id,
        }
    }

    fn nodes(&self, ids: impl IntoIterator<Item = NodeId>) -> Vec<PyNode> {
        ids.into_iter().map(|id| self.node(id)).collect()
    }

    fn values(&self, ids: &[ValueId]) -> Vec<PyValue> {
        ids.iter().map(|id| self.value(*id)).collect()
    }

    /// The nodes of a kind in a block and, if asked, in the blocks inside it.
    fn find(&self, block: BlockId, kind: &str, recurse: bool) -> Vec<PyNode> {
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

/// The kind that a name stands for. Operators have several overloads; which one is meant is not known here.
fn kind_of(name: &str) -> NodeKind {
    if let Some(prim) = Prim::from_name(name) {
        return prim.into();
    }
    match rushlight::table().overloads(name) {
        [only] => NodeKind::Op(only),
        _ => NodeKind::Unknown(Symbol::new(name)),
    }
}

fn refuse(message: impl Into<String>) -> PyErr {
    pyo3::exceptions::PyRuntimeError::new_err(message.into())
}
