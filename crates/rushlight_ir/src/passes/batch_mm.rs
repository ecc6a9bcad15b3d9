//! Makes one larger product of several: of sums of products, and of products that share a factor.
//!
//! `a @ b + c @ d + ...` with at least four products becomes `prim::MMTreeReduce`, whose inputs are the left factors and
//! then the right ones, last product first. Eight or more products with the same left or right factor become
//! `prim::MMBatchSide` (`side=` 0 or 1): the shared factor first, then the others. Products of tensors that
//! something in the graph may write to stay as they are.

use super::PassRun;
use crate::analysis::alias::{Aliases, Class};
use crate::analysis::effect::effect;
use crate::{Attr, BlockId, Graph, NodeId, NodeKind, ValueId};
use rushlight_types::{Effect, Operator, Type, Value};
use std::collections::HashSet;

/// Sums of fewer products stay.
const LEAST_IN_SUM: usize = 4;
/// Fewer products with a shared factor stay.
const LEAST_SHARING: usize = 8;
/// How deep a product's second factor may hang on nodes behind the first product.
const MAX_DEPTH: usize = 64;

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    let Some(ops) = Ops::find(run) else {
        return;
    };
    let mut pending = vec![graph.top()];
    while let Some(block) = pending.pop() {
        let nodes = graph.nodes(block);
        pending.extend(nodes.iter().flat_map(|n| graph.node(*n).blocks()));
        sums(graph, run, &ops, block);
        for side in 0..2 {
            sharing(graph, run, &ops, block, side);
        }
    }
}

struct Ops {
    sum: &'static Operator,
    sides: [&'static Operator; 2],
}

impl Ops {
    fn find(run: &PassRun<'_>) -> Option<Ops> {
        Some(Ops {
            sum: run.table.find("prim::MMTreeReduce")?,
            sides: [
                run.table.find("prim::MMBatchSide.left")?,
                run.table.find("prim::MMBatchSide.right")?,
            ],
        })
    }
}

/// What the graph writes to.
struct Writes {
    aliases: Aliases,
    /// `None` where it may be anything.
    written: Option<Vec<Class>>,
}

impl Writes {
    fn of(graph: &Graph) -> Writes {
        let aliases = Aliases::new(graph);
        let nodes = graph.all_nodes();
        let written = nodes.iter().map(|n| aliases.written(graph, *n));
        let written = written.collect::<Option<Vec<_>>>();
        Writes {
            written: written.map(|w| w.into_iter().flatten().collect()),
            aliases,
        }
    }

    /// Whether nothing may write to what a node takes and gives.
    fn spare(&self, graph: &Graph, id: NodeId) -> bool {
        let Some(written) = &self.written else {
            return false;
        };
        let node = graph.node(id);
        let values = node.inputs().iter().chain(node.outputs());
        values
            .filter_map(|v| self.aliases.class(graph, *v))
            .all(|class| !written.contains(&class))
    }
}

fn is_product(graph: &Graph, writes: &Writes, node: NodeId) -> bool {
    graph.node(node).is_op("aten::mm") && writes.spare(graph, node)
}

/// The sums of products in a block.
fn sums(graph: &mut Graph, run: &mut PassRun<'_>, ops: &Ops, block: BlockId) {
    let mut writes = Writes::of(graph);
    // From the end: a sum is found before the sums that are its parts.
    for root in graph.nodes(block).into_iter().rev() {
        if graph.node(root).block().is_none() {
            continue;
        }
        let Some(leaves) = products_of(graph, &writes, root) else {
            continue;
        };
        if leaves.len() < LEAST_IN_SUM || !run.may_change() {
            continue;
        }
        let factor = |side: usize, n: &NodeId| graph.node(*n).inputs()[side];
        let left = leaves.iter().rev().map(|n| factor(0, n));
        let right = leaves.iter().rev().map(|n| factor(1, n));
        let inputs: Vec<ValueId> = left.chain(right).collect();
        let output = graph.node(root).outputs()[0];
        let types = [graph.ty(output).clone()];
        let sum = graph.create(NodeKind::Op(ops.sum), &inputs, &types);
        graph.insert_before(root, sum);
        let value = graph.node(sum).outputs()[0];
        graph.replace_all_uses(output, value);
        remove_unused(graph, root);
        writes = Writes::of(graph);
    }
}

/// The products that a node adds up, from left to right, if it does that and nothing else.
fn products_of(graph: &Graph, writes: &Writes, root: NodeId) -> Option<Vec<NodeId>> {
    if !is_sum(graph, writes, root) {
        return None;
    }
    let mut leaves = Vec::new();
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        if node != root && graph.value(graph.node(node).outputs()[0]).uses().len() != 1
            || graph.node(node).block() != graph.node(root).block()
        {
            return None;
        }
        if is_product(graph, writes, node) {
            leaves.push(node);
        } else if is_sum(graph, writes, node) {
            let terms = &graph.node(node).inputs()[..2];
            pending.extend(terms.iter().rev().map(|v| graph.value(*v).node()));
        } else {
            return None;
        }
    }
    Some(leaves)
}

/// Whether a node adds two tensors, neither of them scaled.
fn is_sum(graph: &Graph, writes: &Writes, id: NodeId) -> bool {
    let node = graph.node(id);
    let NodeKind::Op(op) = node.kind else {
        return false;
    };
    op.full_name() == "aten::add.Tensor"
        && matches!(graph.constant(node.inputs()[2]), Some(Value::Int(1)))
        && writes.spare(graph, id)
}

/// Removes a node that nobody uses, and those that only it used.
fn remove_unused(graph: &mut Graph, root: NodeId) {
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        let unused = |v: &ValueId| graph.value(*v).uses().is_empty();
        let op = matches!(graph.node(node).kind, NodeKind::Op(_));
        if !op
            || graph.node(node).block().is_none()
            || !graph.node(node).outputs().iter().all(unused)
        {
            continue;
        }
        let inputs = graph.node(node).inputs().to_vec();
        graph.remove(node);
        pending.extend(inputs.into_iter().map(|v| graph.value(v).node()));
    }
}

/// The products in a block that share the factor on one side.
fn sharing(graph: &mut Graph, run: &mut PassRun<'_>, ops: &Ops, block: BlockId, side: usize) {
    let mut writes = Writes::of(graph);
    let mut seen = HashSet::new();
    for first in graph.nodes(block) {
        if graph.node(first).block().is_none() || !is_product(graph, &writes, first) {
            continue;
        }
        let shared = graph.node(first).inputs()[side];
        if !seen.insert(shared) {
            continue;
        }
        let group = Group::gather(graph, &writes, first, shared, side);
        if group.members.len() >= LEAST_SHARING && run.may_change() {
            group.replace(graph, ops, shared, side);
            writes = Writes::of(graph);
        }
    }
}

/// Products that can be computed where the last of them stands first, and what must move there with them.
struct Group {
    members: Vec<NodeId>,
    /// In order.
    before: Vec<NodeId>,
}

impl Group {
    fn gather(
        graph: &Graph,
        writes: &Writes,
        first: NodeId,
        shared: ValueId,
        side: usize,
    ) -> Group {
        let mut group = Group {
            members: Vec::new(),
            before: Vec::new(),
        };
        let block = graph
            .node(first)
            .block()
            .expect("the node stands in a block");
        for node in graph.nodes(block) {
            if !is_product(graph, writes, node) || graph.node(node).inputs()[side] != shared {
                continue;
            }
            let other = graph.node(node).inputs()[1 - side];
            let mut moved = Vec::new();
            if group.can_move(graph, writes, first, other, &mut moved, 0) {
                group.before.extend(moved);
                group.members.push(node);
            }
        }
        group
    }

    /// Whether a value is there before `first`, or can be: `moved` learns the nodes to move.
    fn can_move(
        &self,
        graph: &Graph,
        writes: &Writes,
        first: NodeId,
        value: ValueId,
        moved: &mut Vec<NodeId>,
        depth: usize,
    ) -> bool {
        let maker = graph.value(value).node();
        let inside = graph.node(maker).block() == graph.node(first).block();
        let there = !inside || maker != first && graph.is_before(maker, first);
        if there || self.before.contains(&maker) || moved.contains(&maker) {
            return true;
        }
        let free = depth < MAX_DEPTH
            && !self.members.contains(&maker)
            && maker != first
            && graph.node(maker).blocks().is_empty()
            && effect(graph, maker) == Effect::Pure
            && writes.spare(graph, maker);
        let inputs = graph.node(maker).inputs();
        let movable = free
            && inputs
                .iter()
                .all(|v| self.can_move(graph, writes, first, *v, moved, depth + 1));
        if movable {
            moved.push(maker);
        }
        movable
    }

    fn replace(&self, graph: &mut Graph, ops: &Ops, shared: ValueId, side: usize) {
        let first = self.members[0];
        for &node in &self.before {
            graph.move_before(first, node);
        }
        let mut inputs = vec![shared];
        inputs.extend(
            self.members
                .iter()
                .map(|n| graph.node(*n).inputs()[1 - side]),
        );
        let outputs: Vec<ValueId> = self
            .members
            .iter()
            .map(|n| graph.node(*n).outputs()[0])
            .collect();
        let types: Vec<Type> = outputs.iter().map(|v| graph.ty(*v).clone()).collect();
        let batch = graph.create(NodeKind::Op(ops.sides[side]), &inputs, &types);
        graph.set_attr(batch, "side", Attr::Int(side as i64));
        graph.insert_before(first, batch);
        for (i, (&node, &output)) in self.members.iter().zip(&outputs).enumerate() {
            let value = graph.node(batch).outputs()[i];
            graph.replace_all_uses(output, value);
            graph.remove(node);
        }
    }
}
