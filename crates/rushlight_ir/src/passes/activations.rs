//! Activations between their two forms: `aten::relu` that gives a new tensor, `aten::relu_` that writes to its input.

use super::{PassRun, remove_mutation};
use crate::analysis::alias::Aliases;
use crate::{Graph, NodeId, NodeKind, ValueId};
use rushlight_types::{Functional, Operator, Type};

/// Lets activations write to their input where that is used by nothing else, and was made by an operator of its dtype's
/// own kind in the same block.
pub fn in_place(graph: &mut Graph, run: &mut PassRun<'_>) {
    for node in graph.all_nodes() {
        let Some(op) = partner(graph, run, node, |name| format!("{name}_")) else {
            continue;
        };
        if is_last_reader(graph, node) && keeps_dtype(graph, node) && run.may_change() {
            graph.set_kind(node, op);
            let (input, output) = (graph.node(node).inputs()[0], graph.node(node).outputs()[0]);
            graph.replace_all_uses(output, input);
        }
    }
}

/// Activations that give floats for integers.
const PROMOTING: &[&str] = &["aten::sigmoid", "aten::tanh"];

/// Whether what an activation gives has the dtype of its input.
fn keeps_dtype(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    let promotes = node
        .operator()
        .is_some_and(|op| PROMOTING.contains(&op.name()));
    let dtype = |value: ValueId| match graph.ty(value) {
        Type::Tensor(Some(info)) => info.dtype,
        _ => None,
    };
    let input = dtype(node.inputs()[0]);
    !promotes || input.is_some() && input == dtype(node.outputs()[0])
}

/// Makes activations give new tensors where nobody else sees what they write to.
pub fn out_of_place(graph: &mut Graph, run: &mut PassRun<'_>) {
    for node in graph.all_nodes() {
        let plain = |name: &str| name.strip_suffix('_').unwrap_or_default().to_owned();
        let Some(op) = partner(graph, run, node, plain) else {
            continue;
        };
        if is_last_reader(graph, node) && run.may_change() {
            graph.set_kind(node, op);
            continue;
        }
        remove_mutation::write_elsewhere(graph, run, node, op);
    }
}

/// The operator with the other name, which takes the same.
fn partner(
    graph: &Graph,
    run: &PassRun<'_>,
    id: NodeId,
    rename: impl Fn(&str) -> String,
) -> Option<&'static Operator> {
    let NodeKind::Op(op) = graph.node(id).kind else {
        return None;
    };
    if op.functional != Some(Functional::Activation) {
        return None;
    }
    let full = op.full_name().replacen(op.name(), &rename(op.name()), 1);
    let other = run.table.find(&full)?;
    let same = other.schema().arguments.len() == op.schema().arguments.len();
    same.then_some(other)
}

/// Whether the input of a node is made in the graph, and nothing that may share its memory is used by anything else.
fn is_last_reader(graph: &Graph, id: NodeId) -> bool {
    let input = graph.node(id).inputs()[0];
    let maker = graph.value(input).node();
    let NodeKind::Op(op) = graph.node(maker).kind else {
        return false;
    };
    let result = op.schema().returns.get(graph.value(input).index());
    let own = result.is_some_and(|r| r.alias.as_ref().is_none_or(|a| a.is_write));
    let aliases = Aliases::new(graph);
    let wild = aliases
        .class(graph, input)
        .is_some_and(|class| aliases.is_wild(class));
    own && !wild
        && graph.value(input).uses().len() == 1
        && graph.node(maker).block() == graph.node(id).block()
}
