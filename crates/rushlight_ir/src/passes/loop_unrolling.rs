//! Writes loops out: all steps where there are few, eight at a time where their number is large or not known.
//!
//! Loops stay that can end early, or whose bodies are long. A loop whose body asks for the iteration number counts by itself
//! afterwards (a carried number takes its place), so that copies of the body go on counting; clean-up removes what nobody
//! reads.

use super::Run;
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
pub fn run(graph: &mut Graph, run: &mut Run<'_>) {
    unroll(graph, run, |_| true);
}

/// Unrolls only loops whose number of steps is a constant.
pub fn constant_only(graph: &mut Graph, run: &mut Run<'_>) {
    unroll(graph, run, |steps| steps.is_some());
}

fn unroll(graph: &mut Graph, run: &mut Run<'_>, wanted: fn(Option<i64>) -> bool) {
    let Some(ops) = Counting::find(run) else {
        return;
    };
    // Inner loops first: their copies need no second look.
    for node in graph.all_nodes().into_iter().rev() {
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

/// The operators that unrolled loops count with.
struct Counting {
    add: &'static Operator,
    divide: &'static Operator,
    multiply: &'static Operator,
    subtract: &'static Operator,
}

impl Counting {
    fn find(run: &Run<'_>) -> Option<Counting> {
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

/// What one step of a loop is made of, to be copied.
struct Step {
    nodes: Vec<NodeId>,
    params: Vec<ValueId>,
    results: Vec<ValueId>,
}

impl Step {
    fn of(graph: &Graph, body: BlockId) -> Step {
        Step {
            nodes: graph.nodes(body),
            params: graph.params(body)[1..].to_vec(),
            results: graph.returns(body)[1..].to_vec(),
        }
    }

    /// Copies the step to before a node: what is carried out of it for what is carried in.
    fn copy_before(&self, graph: &mut Graph, at: NodeId, carried: &[ValueId]) -> Vec<ValueId> {
        let pairs = self.params.iter().copied().zip(carried.iter().copied());
        let mut map: HashMap<ValueId, ValueId> = pairs.collect();
        for &node in &self.nodes {
            graph.clone_within(at, node, &mut map);
        }
        let copied = |v: &ValueId| map.get(v).copied().unwrap_or(*v);
        self.results.iter().map(copied).collect()
    }
}

/// Replaces a loop by its steps.
fn write_out(graph: &mut Graph, node: NodeId, steps: i64) {
    let step = Step::of(graph, graph.node(node).blocks()[0]);
    let mut carried = graph.node(node).inputs()[2..].to_vec();
    for _ in 0..steps {
        carried = step.copy_before(graph, node, &carried);
    }
    for (i, value) in carried.into_iter().enumerate() {
        let output = graph.node(node).outputs()[i];
        graph.replace_all_uses(output, value);
    }
    graph.remove(node);
}

/// Puts a loop of eight steps at a time before a loop, which makes the steps that are left over.
fn stride(graph: &mut Graph, node: NodeId, ops: &Counting) {
    let main = graph.clone_within(node, node, &mut HashMap::new());
    let steps = graph.node(node).inputs()[0];
    let eight = graph.constant_before(main, Value::Int(STRIDE), Type::Int);
    let strides = binary_before(graph, main, ops.divide, steps, eight);
    let eight = graph.constant_before(main, Value::Int(STRIDE), Type::Int);
    let done = binary_before(graph, main, ops.multiply, strides, eight);
    let rest = binary_before(graph, main, ops.subtract, steps, done);

    graph.set_input(main, 0, strides);
    let body = graph.node(main).blocks()[0];
    let step = Step::of(graph, body);
    let mut carried = step.results.clone();
    for _ in 1..STRIDE {
        let end = graph.return_node(body);
        carried = step.copy_before(graph, end, &carried);
    }
    let mut returns = vec![graph.returns(body)[0]];
    returns.extend(carried);
    graph.set_returns(body, &returns);

    let mut inputs = vec![rest, graph.node(node).inputs()[1]];
    inputs.extend(graph.node(main).outputs());
    graph.set_inputs(node, &inputs);
}
