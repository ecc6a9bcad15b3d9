//! Numbers of the values that join control flow.
//!
//! The reference first emits reads and writes of variables and makes outputs and parameters of blocks of them once the
//! whole body is there. Here they are made on the way; their numbers and names are given out afterwards, in the
//! reference's order.

use rushlight_ir::{Graph, NodeId, Passed, Prim, ValueId};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// One value that a condition makes.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    /// A read of a variable, or another value that nobody sees.
    Read(Passed),
    Made(ValueId),
}

/// What is known of the joins of a function body.
#[derive(Default)]
pub(crate) struct Joins {
    /// Outputs and parameters that stand for variables.
    variables: HashMap<ValueId, Option<Arc<str>>>,
    /// The conditions of `while` loops: as emitted before the loop, and the same inside it.
    conditions: HashMap<NodeId, (Rc<[Step]>, Vec<Step>)>,
    /// The conditions at `continue` statements, with those that they repeat.
    repeated: HashMap<NodeId, (Rc<[Step]>, Vec<Step>)>,
}

impl Joins {
    /// A value that stands for a variable behind or in a join.
    pub fn variable(&mut self, value: ValueId, name: &str) {
        let name = super::emitter::is_telling(name).then(|| name.into());
        self.variables.insert(value, name);
    }

    /// Whether a value stands for a variable.
    pub fn is_variable(&self, value: ValueId) -> bool {
        self.variables.contains_key(&value)
    }

    /// The condition of a loop, emitted before the loop.
    pub fn condition(&mut self, node: NodeId, before: Vec<Step>, original: Rc<[Step]>) {
        self.conditions.insert(node, (original, before));
    }

    /// A condition that `continue` evaluates again.
    pub fn repeat(&mut self, node: NodeId, steps: Vec<Step>, original: Rc<[Step]>) {
        self.repeated.insert(node, (original, steps));
    }

    /// Numbers the outputs of `If` and `Loop` nodes and the parameters of loops.
    pub fn number_variables(&self, graph: &mut Graph) {
        for node in inner_first(graph) {
            let outputs = graph.node(node).outputs().to_vec();
            let body = graph.node(node).blocks().first().copied();
            let is_loop = graph.node(node).is(Prim::Loop);
            for (i, output) in outputs.into_iter().enumerate() {
                let Some(name) = self.variables.get(&output) else {
                    continue;
                };
                graph.pass_over(None);
                graph.pass_over(None);
                if let (true, Some(body)) = (is_loop, body) {
                    let param = graph.params(body)[1 + i];
                    graph.renumber(param);
                    if let Some(name) = name {
                        graph.set_name(param, name);
                    }
                }
                graph.renumber(output);
                if let Some(name) = name {
                    graph.set_name(output, name);
                }
            }
        }
    }

    /// Numbers what `break` and `continue` make, then the conditions before loops.
    pub fn number_conditions(&self, graph: &mut Graph) {
        for node in graph.all_nodes() {
            let data = graph.node(node);
            if !data.is(Prim::BreakStmt) && !data.is(Prim::ContinueStmt) {
                continue;
            }
            let carried = data.inputs().len() - 1;
            if let Some((original, steps)) = self.repeated.get(&node) {
                copy(graph, original, steps);
            }
            (0..carried).for_each(|_| {
                graph.pass_over(None);
            });
        }
        for node in inner_first(graph) {
            if let Some((original, steps)) = self.conditions.get(&node) {
                copy(graph, original, steps);
            }
        }
        graph.forget_passed();
    }
}

/// Whether the steps are of the same kinds.
fn same_shape(a: &[Step], b: &[Step]) -> bool {
    let alike = |(a, b): (&Step, &Step)| matches!(a, Step::Read(_)) == matches!(b, Step::Read(_));
    a.len() == b.len() && a.iter().zip(b).all(alike)
}

/// The steps in the order in which they are copied: the outputs of an `If` before what its branches make.
fn outputs_first(graph: &Graph, steps: &[Step]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::with_capacity(steps.len());
    for (i, step) in steps.iter().enumerate() {
        let mut at = order.len();
        if let Step::Made(value) = step {
            let node = graph.value(*value).node();
            let blocks = graph.node(node).blocks();
            let inside = |step: usize| match steps[step] {
                Step::Read(_) => true,
                Step::Made(other) => {
                    let around = graph.enclosing_blocks(graph.value(other).node());
                    around.iter().any(|block| blocks.contains(block))
                }
            };
            while !blocks.is_empty() && at > 0 && inside(order[at - 1]) {
                at -= 1;
            }
        }
        order.insert(at, i);
    }
    order
}

/// Numbers copies of the values of a condition.
fn copy(graph: &mut Graph, original: &[Step], copies: &[Step]) {
    let paired = same_shape(original, copies);
    for i in outputs_first(graph, copies) {
        let step = &copies[i];
        let from = original.get(i).filter(|_| paired);
        match (step, from) {
            (Step::Read(_), Some(Step::Read(passed))) => graph.pass_over_copy(*passed),
            (Step::Read(_), _) => {
                graph.pass_over(None);
            }
            (Step::Made(value), from) => {
                graph.renumber(*value);
                if let Some(Step::Made(source)) = from {
                    graph.name_copy(*value, *source);
                }
            }
        }
    }
}

/// Gives the values of a condition inside its loop what those before the loop got.
pub(crate) fn hand_over(graph: &mut Graph, before: &[Step], inside: &[Step]) {
    if !same_shape(before, inside) {
        for step in inside {
            if let Step::Made(value) = step {
                graph.renumber(*value);
            }
        }
        return;
    }
    for (from, to) in before.iter().zip(inside) {
        if let (Step::Made(from), Step::Made(to)) = (from, to) {
            graph.hand_over_name(*from, *to);
        }
    }
}

/// The condition inside the loop, which reads what the one before the loop was counted for.
pub(crate) fn inside(before: &[Step], inside: &[Step]) -> Rc<[Step]> {
    if !same_shape(before, inside) {
        return inside.into();
    }
    let merged = before.iter().zip(inside).map(|(b, i)| match i {
        Step::Read(_) => *b,
        Step::Made(_) => *i,
    });
    merged.collect()
}

/// All nodes of a graph, those of nested blocks before the node they are nested in.
pub(crate) fn inner_first(graph: &Graph) -> Vec<NodeId> {
    // Backwards: a node, then its blocks from the last one on; reversed, blocks come first.
    let mut out = Vec::new();
    let mut stack = graph.nodes(graph.top());
    while let Some(node) = stack.pop() {
        out.push(node);
        for &block in graph.node(node).blocks() {
            stack.extend(graph.nodes(block));
        }
    }
    out.reverse();
    out
}
