//! Values that are written to: who uses a list after `append` takes it from there, not from where it was made.

use rushlight::ir::{BlockId, Graph, NodeId, Prim, ValueId};
use std::collections::HashMap;

/// Where in the program a value is used.
#[derive(Clone, Copy)]
pub struct Moment {
    /// Larger is later.
    order: usize,
    block: BlockId,
}

/// The writes of a graph and the order of its nodes.
pub struct Versions {
    order: HashMap<NodeId, usize>,
    /// Of every block, the moment behind all that is in it.
    end: HashMap<BlockId, usize>,
    /// Who writes a value, in order.
    writers: HashMap<ValueId, Vec<NodeId>>,
}

impl Versions {
    pub fn of(graph: &Graph) -> Versions {
        let mut versions = Versions {
            order: HashMap::new(),
            end: HashMap::new(),
            writers: HashMap::new(),
        };
        for (at, id) in graph.all_nodes().into_iter().enumerate() {
            versions.order.insert(id, 2 * at);
            for block in graph.enclosing_blocks(id) {
                versions.end.insert(block, 2 * at + 1);
            }
            for value in written(graph, id) {
                let writers = versions.writers.entry(value).or_default();
                if writers.last() != Some(&id) {
                    writers.push(id);
                }
            }
        }
        versions
    }

    /// When a node runs.
    pub fn at(&self, graph: &Graph, id: NodeId) -> Moment {
        Moment {
            order: self.order.get(&id).copied().unwrap_or(0),
            block: graph.node(id).block().unwrap_or(graph.top()),
        }
    }

    /// When a block has run.
    pub fn behind(&self, block: BlockId) -> Moment {
        Moment {
            order: self.end.get(&block).copied().unwrap_or(usize::MAX),
            block,
        }
    }

    /// Whether a node writes a value.
    pub fn writes(&self, id: NodeId, value: ValueId) -> bool {
        let writers = self.writers.get(&value);
        writers.is_some_and(|w| {
            w.binary_search_by_key(&self.order.get(&id), |n| self.order.get(n))
                .is_ok()
        })
    }

    /// The nodes that may have been the last to write a value before a moment, latest first, and whether it may also be as
    /// it was made.
    pub fn before(&self, graph: &Graph, value: ValueId, moment: Moment) -> (Vec<NodeId>, bool) {
        let Some(writers) = self.writers.get(&value) else {
            return (Vec::new(), true);
        };
        let earlier = writers.partition_point(|w| self.order[w] < moment.order);
        let around = blocks_around(graph, moment.block);
        let mut last = Vec::new();
        for &writer in writers[..earlier].iter().rev() {
            let above = graph.enclosing_blocks(writer);
            let Some(common) = above.iter().position(|b| around.contains(b)) else {
                continue;
            };
            if common == 0 {
                last.push(writer);
                return (last, false);
            }
            // Of two arms of a branch, only one runs.
            let inner = above[common - 1];
            let own = around.iter().position(|b| *b == above[common]);
            let other = own.and_then(|at| around.get(at.checked_sub(1)?));
            let apart =
                other.is_some_and(|b| graph.block(*b).owner() == graph.block(inner).owner());
            if !apart {
                last.push(writer);
            }
        }
        (last, true)
    }
}

/// A block and those that it is in, innermost first.
fn blocks_around(graph: &Graph, block: BlockId) -> Vec<BlockId> {
    let mut out = vec![block];
    if let Some(owner) = graph.block(block).owner() {
        out.extend(graph.enclosing_blocks(owner));
    }
    out
}

/// The inputs that a node writes to.
fn written(graph: &Graph, id: NodeId) -> Vec<ValueId> {
    let node = graph.node(id);
    let Some(operator) = node.operator() else {
        return Vec::new();
    };
    let arguments = operator.schema().arguments.iter().zip(node.inputs());
    let written = arguments.filter(|(argument, _)| argument.is_written());
    written.map(|(_, value)| *value).collect()
}

/// Whether a value goes only to operators that leave it as it is.
pub fn stays(graph: &Graph, value: ValueId) -> bool {
    let uses = graph.value(value).uses();
    let is_call = |node: NodeId| {
        let node = graph.node(node);
        node.is(Prim::CallFunction) || node.is(Prim::CallMethod)
    };
    // What only one call is given, nobody else sees.
    if let [only] = uses
        && is_call(only.node)
    {
        return true;
    }
    uses.iter().all(|used| {
        let operator = graph.node(used.node).operator();
        let argument = operator.and_then(|op| op.schema().arguments.get(used.index as usize));
        argument.is_some_and(|argument| argument.alias.is_none())
    })
}
