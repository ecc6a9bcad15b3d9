//! Replaces operators in place by those that make new values, where nobody else can see the difference.
//!
//! A value may be replaced when it was made in the same block by an operator whose result is its own, and everything
//! before the write only reads it: what comes behind takes the new value instead. Lists that grow right after they were
//! made are made longer at once.

use super::Run;
use crate::{BlockId, Graph, NodeId, NodeKind, Prim, ValueId};
use rushlight_types::{Operator, OperatorTable};

/// Runs the pass on tensors.
pub fn tensors(graph: &mut Graph, run: &mut Run<'_>) {
    tensors_where(graph, run, is_private);
}

/// Runs the pass on tensors, also where others see the difference: what was handed in is no longer written to.
pub fn all_tensors(graph: &mut Graph, run: &mut Run<'_>) {
    tensors_where(graph, run, stays_inside);
}

fn tensors_where(graph: &mut Graph, run: &mut Run<'_>, may: fn(&Graph, NodeId) -> bool) {
    for node in graph.all_nodes() {
        if let Some(operator) = functional(graph, run.table, node)
            && may(graph, node)
            && run.may_change()
        {
            make_new(graph, node, operator);
        }
    }
}

/// Makes one write give a new value by this operator, if nobody else sees the difference; whether it does.
pub(super) fn write_elsewhere(
    graph: &mut Graph,
    run: &mut Run<'_>,
    node: NodeId,
    operator: &'static Operator,
) -> bool {
    let may = is_private(graph, node) && run.may_change();
    if may {
        make_new(graph, node, operator);
    }
    may
}

fn make_new(graph: &mut Graph, node: NodeId, operator: &'static Operator) {
    let inputs = graph.node(node).inputs().to_vec();
    let types = [graph.ty(graph.node(node).outputs()[0]).clone()];
    let new = graph.create(NodeKind::Op(operator), &inputs, &types);
    graph.set_span(new, graph.node(node).span.clone());
    replace(graph, node, new);
}

/// Runs the pass on lists.
pub fn lists(graph: &mut Graph, run: &mut Run<'_>) {
    for write in graph.all_nodes() {
        if let Some((maker, item)) = grown(graph, write)
            && run.may_change()
        {
            let (list, output) = {
                let data = graph.node(write);
                (data.inputs()[0], data.outputs()[0])
            };
            graph.replace_all_uses(output, list);
            graph.push_input(maker, item);
            // The item may have been made behind the list.
            graph.move_before(write, maker);
            graph.remove(write);
        }
    }
}

/// Puts a node in the place of a write: its result is what the written value is from there on.
fn replace(graph: &mut Graph, write: NodeId, new: NodeId) {
    graph.insert_before(write, new);
    let value = graph.node(new).outputs()[0];
    let (old, output) = {
        let data = graph.node(write);
        (data.inputs()[0], data.outputs()[0])
    };
    graph.replace_all_uses(output, value);
    let later: Vec<(NodeId, usize)> = uses(graph, old)
        .filter(|(user, _)| *user != write && *user != new && !comes_before(graph, *user, write))
        .collect();
    for (user, index) in later {
        graph.set_input(user, index, value);
    }
    graph.remove(write);
}

fn uses(graph: &Graph, value: ValueId) -> impl Iterator<Item = (NodeId, usize)> {
    let uses = graph.value(value).uses();
    uses.iter().map(|u| (u.node, u.index as usize))
}

/// The operator that makes a new value where this node writes to its first input.
fn functional(graph: &Graph, table: &OperatorTable, id: NodeId) -> Option<&'static Operator> {
    let node = graph.node(id);
    let NodeKind::Op(op) = node.kind else {
        return None;
    };
    let schema = op.schema();
    let writes_first = schema.arguments.first().is_some_and(|a| a.is_written());
    let base = op.name().strip_suffix('_').filter(|b| !b.ends_with('_'))?;
    let full = op.full_name().replacen(op.name(), base, 1);
    let found = table.find(&full)?;
    let same = found.schema().arguments.len() == schema.arguments.len()
        && found.schema().returns.len() == 1
        && !found.schema().is_mutable();
    (writes_first && same && node.outputs().len() == 1).then_some(found)
}

/// Whether everything that uses what a node writes to, and comes behind it, stands in its block.
fn stays_inside(graph: &Graph, write: NodeId) -> bool {
    let written = graph.node(write).inputs()[0];
    let block = graph.node(write).block();
    uses(graph, written).all(|(user, _)| {
        user == write
            || comes_before(graph, user, write)
            || block.is_some_and(|b| graph.enclosing_blocks(user).contains(&b))
    })
}

/// Whether what a node writes to was made in its block, is nobody else's, and has only been read so far.
fn is_private(graph: &Graph, write: NodeId) -> bool {
    let written = graph.node(write).inputs()[0];
    let maker = graph.value(written).node();
    let NodeKind::Op(op) = graph.node(maker).kind else {
        return false;
    };
    let result = op.schema().returns.get(graph.value(written).index());
    graph.node(maker).block() == graph.node(write).block()
        && result.is_some_and(|r| r.alias.is_none() && r.ty.is_tensor())
        && uses(graph, written).all(|(user, index)| {
            user == write || !comes_before(graph, user, write) || only_reads(graph, user, index)
        })
        && uses(graph, written)
            .filter(|(user, _)| *user == write)
            .count()
            == 1
}

/// Whether a node looks at an input and keeps nothing of it.
fn only_reads(graph: &Graph, user: NodeId, index: usize) -> bool {
    let NodeKind::Op(op) = graph.node(user).kind else {
        return false;
    };
    let formal = op.schema().arguments.get(index);
    formal.is_some_and(|f| f.alias.is_none() && f.ty.is_tensor())
}

/// Whether a node, or the one that it is nested in, stands before another in that one's block.
fn comes_before(graph: &Graph, node: NodeId, other: NodeId) -> bool {
    let block = graph.node(other).block();
    let mut at = node;
    while graph.node(at).block() != block {
        let owner = graph
            .node(at)
            .block()
            .and_then(|b: BlockId| graph.block(b).owner());
        match owner {
            Some(owner) => at = owner,
            None => return false,
        }
    }
    at == graph.param_node(block.unwrap_or(graph.top())) || graph.is_before(at, other)
}

/// What makes a list, and the item that `append` adds to it, where that is the first that happens to the list.
fn grown(graph: &Graph, id: NodeId) -> Option<(NodeId, ValueId)> {
    let node = graph.node(id);
    if !node.is_op("aten::append") {
        return None;
    }
    let list = node.inputs()[0];
    let maker = graph.value(list).node();
    let fits = graph.node(maker).is(Prim::ListConstruct)
        && graph.node(maker).block() == node.block()
        && uses(graph, list).all(|(user, _)| user == id || !comes_before(graph, user, id))
        && uses(graph, list).filter(|(user, _)| *user == id).count() == 1;
    fits.then(|| (maker, node.inputs()[1]))
}
