//! Writes loops out: all steps where there are few, eight at a time where their number is large or not known.
//!
//! Loops stay that can end early, or whose bodies are long. A loop whose body asks for the iteration number counts by itself
//! afterwards (a carried number takes its place), so that copies of the body go on counting; clean-up removes what nobody
//! reads.

use super::PassRun;
use crate::{BlockId, Graph, NodeId, NodeKind, Prim, ValueId};
use rushlight_types::{Operator, Type, Value};
use std::collections::HashMap;

/// Loops of as many steps or more are not written out in full.
const MAX_STEPS: i64 = 64;
/// Bodies with as many nodes or more stay. Ends of blocks inside the body count too.
const MAX_NODES: usize = 32;
/// How many steps one pass through the body of an unrolled loop makes.
const STRIDE: i64 = 8;

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    unroll(graph, run, |_| true);
}

/// Unrolls only loops whose number of steps is a constant.
pub fn constant_only(graph: &mut Graph, run: &mut PassRun<'_>) {
    unroll(graph, run, |steps| steps.is_some());
}

fn unroll(graph: &mut Graph, run: &mut PassRun<'_>, wanted: fn(Option<i64>) -> bool) {
    let Some(ops) = Counting::find(run) else {
        return;
    };
    for node in inner_first(graph) {
        if !unrolls(graph, node) {
            continue;
        }
        let steps = graph.constant(graph.node(node).inputs()[0]);
        let steps = steps.and_then(|v| v.as_int().ok());
        if !wanted(steps) || !run.may_change() {
            continue;
        }
        let body = graph.node(node).blocks()[0];
        if !graph.value(graph.params(body)[0]).uses().is_empty() {
            count_inside(graph, node, ops.add);
        }
        match steps {
            Some(steps) if steps < MAX_STEPS => write_out(graph, node, steps),
            _ => stride(graph, node, &ops),
        }
    }
}

/// The nodes in order, those inside a node before it: copies of inner loops need no second look.
fn inner_first(graph: &Graph) -> Vec<NodeId> {
    // In reverse: a node, then what its blocks hold, the last first.
    let mut pending = graph.nodes(graph.top());
    let mut out = Vec::new();
    while let Some(node) = pending.pop() {
        out.push(node);
        for &block in graph.node(node).blocks() {
            pending.extend(graph.nodes(block));
        }
    }
    out.reverse();
    out
}

/// The operators that unrolled loops count with.
struct Counting {
    add: &'static Operator,
    divide: &'static Operator,
    multiply: &'static Operator,
    subtract: &'static Operator,
}

impl Counting {
    fn find(run: &PassRun<'_>) -> Option<Counting> {
        Some(Counting {
            add: run.table.find("aten::add.int")?,
            divide: run.table.find("aten::__round_to_zero_floordiv.int")?,
            multiply: run.table.find("aten::mul.int")?,
            subtract: run.table.find("aten::sub.int")?,
        })
    }
}

/// Whether a node is a loop that only its number of steps ends, and short enough.
fn unrolls(graph: &Graph, id: NodeId) -> bool {
    let node = graph.node(id);
    if !node.is(Prim::Loop) || node.block().is_none() {
        return false;
    }
    let body = node.blocks()[0];
    let is_true = |v: ValueId| graph.constant(v).and_then(|v| v.as_bool().ok()) == Some(true);
    is_true(node.inputs()[1]) && is_true(graph.returns(body)[0]) && is_short(graph, body)
}

fn is_short(graph: &Graph, body: BlockId) -> bool {
    let mut count = 0;
    let mut pending = vec![body];
    while let Some(block) = pending.pop() {
        count += usize::from(block != body);
        for node in graph.nodes(block) {
            count += 1;
            pending.extend(graph.node(node).blocks());
        }
        if count >= MAX_NODES {
            return false;
        }
    }
    true
}

/// Makes a number that is carried through the loop stand for the iteration number.
fn count_inside(graph: &mut Graph, node: NodeId, add: &'static Operator) {
    let body = graph.node(node).blocks()[0];
    let zero = graph.constant_before(node, Value::Int(0), Type::Int);
    graph.insert_input(node, 2, zero);
    graph.insert_output(node, 0, Type::Int);
    let counter = graph.insert_param(body, 1, Type::Int);
    let iteration = graph.params(body)[0];
    graph.replace_all_uses(iteration, counter);
    let end = graph.return_node(body);
    let one = graph.constant_before(end, Value::Int(1), Type::Int);
    let next = binary_before(graph, end, add, counter, one);
    graph.insert_return(body, 1, next);
}

fn binary_before(
    graph: &mut Graph,
    at: NodeId,
    op: &'static Operator,
    a: ValueId,
    b: ValueId,
) -> ValueId {
    let node = graph.create(NodeKind::Op(op), &[a, b], &[Type::Int]);
    graph.insert_before(at, node);
    graph.node(node).outputs()[0]
}

/// Adds a block to a node that makes as many steps as the loop whose body is copied: the block's results are what the
/// last step gives.
fn repeat(graph: &mut Graph, owner: NodeId, body: BlockId, steps: i64) -> BlockId {
    let block = graph.add_block(owner);
    for param in graph.params(body).to_vec() {
        let new = graph.add_param(block, graph.ty(param).clone(), None);
        graph.take_name(new, param);
    }
    let nodes = graph.nodes(body);
    let mut carried = graph.params(block)[1..].to_vec();
    let end = graph.return_node(block);
    for _ in 0..steps {
        let pairs = graph.params(body)[1..].iter().copied();
        let mut map: HashMap<ValueId, ValueId> = pairs.zip(carried).collect();
        for &node in &nodes {
            graph.clone_within(end, node, &mut map);
        }
        let results = graph.returns(body)[1..].iter();
        carried = results.map(|v| map.get(v).copied().unwrap_or(*v)).collect();
    }
    let mut returns = vec![graph.returns(body)[0]];
    returns.extend(carried);
    graph.set_returns(block, &returns);
    block
}

/// Replaces a loop by its steps.
fn write_out(graph: &mut Graph, node: NodeId, steps: i64) {
    // They are written beside the loop and copied from there, which gives them the reference's names and numbers.
    let draft = graph.create(Prim::Loop, &[], &[]);
    let body = graph.node(node).blocks()[0];
    let block = repeat(graph, draft, body, steps);
    let params = graph.params(block)[1..].iter().copied();
    let given = graph.node(node).inputs()[2..].iter().copied();
    let mut map: HashMap<ValueId, ValueId> = params.zip(given).collect();
    for inner in graph.nodes(block) {
        graph.clone_within(node, inner, &mut map);
    }
    for i in 0..graph.node(node).outputs().len() {
        let (output, result) = (graph.node(node).outputs()[i], graph.returns(block)[1 + i]);
        let value = map.get(&result).copied().unwrap_or(result);
        graph.replace_all_uses(output, value);
    }
    graph.remove(node);
    graph.remove_block(draft, 0);
}

/// Makes a loop do eight steps at a time and puts a copy of it behind, which makes the steps that are left over.
fn stride(graph: &mut Graph, node: NodeId, ops: &Counting) {
    let after = graph
        .next(node)
        .expect("the Return node follows at the latest");
    let rest = graph.clone_within(after, node, &mut HashMap::new());
    for i in 0..graph.node(node).outputs().len() {
        let (output, last) = (graph.node(node).outputs()[i], graph.node(rest).outputs()[i]);
        graph.replace_all_uses(output, last);
    }
    let mut inputs = graph.node(rest).inputs()[..2].to_vec();
    inputs.extend(graph.node(node).outputs());
    graph.set_inputs(rest, &inputs);

    let body = graph.node(node).blocks()[0];
    repeat(graph, node, body, STRIDE);
    graph.remove_block(node, 0);

    let steps = graph.node(node).inputs()[0];
    let eight = graph.constant_before(node, Value::Int(STRIDE), Type::Int);
    let strides = binary_before(graph, node, ops.divide, steps, eight);
    // The reference makes a value here that nobody sees.
    graph.reserve_number();
    let eight = graph.constant_before(node, Value::Int(STRIDE), Type::Int);
    let done = binary_before(graph, node, ops.multiply, strides, eight);
    let left = binary_before(graph, node, ops.subtract, steps, done);
    graph.set_input(node, 0, strides);
    graph.set_input(rest, 0, left);
}
