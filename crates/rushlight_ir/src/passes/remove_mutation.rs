//! Replaces operators in place by those that make new values, where nobody else can see the difference.
//!
//! A value may be replaced when it was made in the same block by an operator whose result is its own, and nothing asks
//! for it before the write: what comes behind takes the new value instead. Lists that are written to right after they were
//! made are made that way at once.

use super::PassRun;
use crate::{BlockId, Graph, NodeId, NodeKind, Prim, ValueId};
use rushlight_types::{Operator, OperatorTable, Type, Value};

/// Runs the pass on tensors.
pub fn tensors(graph: &mut Graph, run: &mut PassRun<'_>) {
    tensors_where(graph, run, is_private, recipe);
}

/// Runs the pass on tensors, also where others see the difference: what was handed in is no longer written to.
pub fn all_tensors(graph: &mut Graph, run: &mut PassRun<'_>) {
    tensors_where(graph, run, stays_inside, |graph, table, node| {
        functional(graph, table, node).map(Recipe::Named)
    });
}

fn tensors_where(
    graph: &mut Graph,
    run: &mut PassRun<'_>,
    may: fn(&Graph, NodeId) -> bool,
    recipe: fn(&Graph, &OperatorTable, NodeId) -> Option<Recipe>,
) {
    for node in graph.all_nodes() {
        let Some(recipe) = recipe(graph, run.table, node) else {
            continue;
        };
        if may(graph, node) && run.may_change() {
            let new = match recipe {
                Recipe::Named(operator) => {
                    let inputs = graph.node(node).inputs().to_vec();
                    make(graph, node, operator, &inputs)
                }
                Recipe::Filled { full, dtype } => fill(graph, node, full, dtype),
                Recipe::Zeros(operator) => {
                    let mut inputs = vec![graph.node(node).inputs()[0]];
                    inputs.extend((0..5).map(|_| none_before(graph, node)));
                    make(graph, node, operator, &inputs)
                }
                Recipe::Normal(normal) => normal.make(graph, node),
            };
            replace(graph, node, new);
        }
    }
}

/// Makes one write give a new value by this operator, if nobody else sees the difference; whether it does.
pub(super) fn write_elsewhere(
    graph: &mut Graph,
    run: &mut PassRun<'_>,
    node: NodeId,
    operator: &'static Operator,
) -> bool {
    let may = is_private(graph, node) && run.may_change();
    if may {
        let inputs = graph.node(node).inputs().to_vec();
        let new = make(graph, node, operator, &inputs);
        replace(graph, node, new);
    }
    may
}

/// How to make what a write leaves.
enum Recipe {
    /// The operator of the same arguments that makes a new value.
    Named(&'static Operator),
    /// `full_like` of a number, with the dtype of the tensor.
    Filled {
        full: &'static Operator,
        dtype: &'static Operator,
    },
    /// `zeros_like`.
    Zeros(&'static Operator),
    /// A new tensor of the same kind, filled at random.
    Normal(Normal),
}

/// What is asked of a tensor so that another one of its kind can be made, and what makes it.
struct Normal {
    asked: [&'static Operator; 4],
    is_pinned: &'static Operator,
    normal: &'static Operator,
}

impl Normal {
    fn find(table: &OperatorTable) -> Option<Normal> {
        Some(Normal {
            asked: [
                table.find("aten::size")?,
                table.find("prim::dtype")?,
                table.find("prim::layout")?,
                table.find("prim::device")?,
            ],
            is_pinned: table.find("aten::is_pinned")?,
            normal: table.find("aten::normal.float_float")?,
        })
    }

    fn make(&self, graph: &mut Graph, at: NodeId) -> NodeId {
        let inputs = graph.node(at).inputs().to_vec();
        let types = [Type::list(Type::Int), Type::Int, Type::Int, Type::Device];
        let mut asked = Vec::new();
        for (operator, ty) in self.asked.into_iter().zip(types) {
            asked.push(ask(graph, at, operator, &inputs[..1], ty));
        }
        let device = none_before(graph, at);
        let pinned = ask(graph, at, self.is_pinned, &[inputs[0], device], Type::Bool);
        let generator = none_before(graph, at);
        let given = [
            inputs[1], inputs[2], asked[0], generator, asked[1], asked[2], asked[3], pinned,
        ];
        make(graph, at, self.normal, &given)
    }
}

/// The result of a new call before a node.
fn ask(
    graph: &mut Graph,
    at: NodeId,
    operator: &'static Operator,
    inputs: &[ValueId],
    ty: Type,
) -> ValueId {
    let node = graph.create(NodeKind::Op(operator), inputs, &[ty]);
    graph.insert_before(at, node);
    graph.node(node).outputs()[0]
}

/// How to do without a node that writes to its first input.
fn recipe(graph: &Graph, table: &OperatorTable, id: NodeId) -> Option<Recipe> {
    let op = graph.node(id).operator()?;
    match op.full_name() {
        "aten::fill_.Scalar" => Some(Recipe::Filled {
            full: table.find("aten::full_like")?,
            dtype: table.find("prim::dtype")?,
        }),
        "aten::zero_" => table.find("aten::zeros_like").map(Recipe::Zeros),
        "aten::normal_" => Normal::find(table).map(Recipe::Normal),
        _ => functional(graph, table, id).map(Recipe::Named),
    }
}

/// A new node of an operator that gives a tensor, before another.
fn make(graph: &mut Graph, at: NodeId, operator: &'static Operator, inputs: &[ValueId]) -> NodeId {
    let types = [graph.ty(graph.node(at).outputs()[0]).clone()];
    let new = graph.create(NodeKind::Op(operator), inputs, &types);
    graph.set_span(new, graph.node(at).span.clone());
    graph.insert_before(at, new);
    new
}

fn none_before(graph: &mut Graph, at: NodeId) -> ValueId {
    graph.constant_before(at, Value::None, Type::None)
}

fn fill(
    graph: &mut Graph,
    at: NodeId,
    full: &'static Operator,
    dtype: &'static Operator,
) -> NodeId {
    let inputs = graph.node(at).inputs().to_vec();
    let mut given = inputs[..2].to_vec();
    given.push(ask(graph, at, dtype, &inputs[..1], Type::Int));
    given.extend((0..4).map(|_| none_before(graph, at)));
    make(graph, at, full, &given)
}

/// Runs the pass on lists.
pub fn lists(graph: &mut Graph, run: &mut PassRun<'_>) {
    for write in graph.all_nodes() {
        let Some((maker, items)) = rewritten(graph, write) else {
            continue;
        };
        if run.may_change() {
            let list = graph.node(write).inputs()[0];
            if let Some(&output) = graph.node(write).outputs().first() {
                graph.replace_all_uses(output, list);
            }
            graph.set_inputs(maker, &items);
            // The item may have been made behind the list.
            graph.move_before(write, maker);
            graph.remove(write);
        }
    }
}

/// Puts a node that stands before a write in its place: its result is what the written value is from there on.
fn replace(graph: &mut Graph, write: NodeId, new: NodeId) {
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
    let types =
        |values: &[ValueId]| -> Vec<Type> { values.iter().map(|v| graph.ty(*v).clone()).collect() };
    // Overloads of both are not always called alike.
    let found = table.find(&full).or_else(|| {
        let (inputs, outputs) = (types(node.inputs()), types(node.outputs()));
        crate::parse::overload(table.overloads(base), &inputs, &outputs)
    })?;
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

/// Whether what a node writes to was made in its block, is nobody else's, and nobody has asked for it so far.
fn is_private(graph: &Graph, write: NodeId) -> bool {
    let written = graph.node(write).inputs()[0];
    let maker = graph.value(written).node();
    graph.node(maker).block() == graph.node(write).block()
        && (is_new(graph, written) || is_choice_of_new(graph, written))
        && uses(graph, written).all(|(user, _)| user == write || !comes_before(graph, user, write))
        && uses(graph, written)
            .filter(|(user, _)| *user == write)
            .count()
            == 1
}

/// Whether a value is a tensor of its own that an operator has made.
fn is_new(graph: &Graph, value: ValueId) -> bool {
    let NodeKind::Op(op) = graph.node(graph.value(value).node()).kind else {
        return false;
    };
    let result = op.schema().returns.get(graph.value(value).index());
    result.is_some_and(|r| r.alias.is_none() && r.ty.is_tensor())
}

/// Whether a value is one of several new tensors, by a condition, none of which is used for anything else.
fn is_choice_of_new(graph: &Graph, value: ValueId) -> bool {
    let index = graph.value(value).index();
    let choice = graph.node(graph.value(value).node());
    choice.is(Prim::If)
        && choice.blocks().iter().all(|&block| {
            let given = graph.returns(block)[index];
            // What was made outside of a loop is there again in its next step.
            let made = graph.node(graph.value(given).node()).block();
            (made == Some(block) || made == choice.block())
                && graph.value(given).uses().len() == 1
                && is_new(graph, given)
        })
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

/// What makes a list, and what it would have to be made of for a write to be done, where the write is the first that
/// happens to the list.
fn rewritten(graph: &Graph, id: NodeId) -> Option<(NodeId, Vec<ValueId>)> {
    let node = graph.node(id);
    let list = *node.inputs().first()?;
    let maker = graph.value(list).node();
    let fits = graph.node(maker).is(Prim::ListConstruct)
        && graph.node(maker).block() == node.block()
        && uses(graph, list).all(|(user, _)| user == id || !comes_before(graph, user, id))
        && uses(graph, list).filter(|(user, _)| *user == id).count() == 1;
    if !fits {
        return None;
    }
    let mut items = graph.node(maker).inputs().to_vec();
    let place = |len: usize| {
        let index = graph.constant(node.inputs()[1])?.as_int().ok()?;
        let at = if index < 0 { index + len as i64 } else { index };
        usize::try_from(at).ok()
    };
    match node.operator()?.name() {
        "aten::append" => items.push(node.inputs()[1]),
        "aten::insert" => {
            // An index beyond either end means that end.
            let at = place(items.len()).unwrap_or(0).min(items.len());
            graph.constant(node.inputs()[1])?;
            items.insert(at, node.inputs()[2]);
        }
        "aten::_set_item" => {
            let slot = items.get_mut(place(graph.node(maker).inputs().len())?)?;
            *slot = node.inputs()[2];
        }
        _ => return None,
    }
    Some((maker, items))
}
