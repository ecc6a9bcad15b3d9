//! Removes what nobody can notice.
//!
//! A node is live when it has a side effect, writes to memory that somebody may see, or gives a value to a live node.
//! Liveness spreads backwards from the results of the graph; writes to a class of values become live with the first
//! live use of the class. Loops that may never end stay.

use super::Run;
use crate::analysis::alias::{Aliases, Class};
use crate::analysis::effect::{effect, may_be_endless};
use crate::{BlockId, Graph, NodeId, NodeKind, Prim, ValueId};
use rushlight_types::Effect;
use std::collections::HashMap;

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut Run<'_>) {
    let live = Liveness::new(graph);
    sweep(graph, run, &live);
}

struct Liveness<'g> {
    graph: &'g Graph,
    aliases: Aliases,
    nodes: Vec<bool>,
    values: Vec<bool>,
    /// Nodes whose writes wait for the first live use of what they write to.
    writers: HashMap<Class, Vec<NodeId>>,
    pending: Vec<NodeId>,
}

/// What was found live.
struct Live {
    nodes: Vec<bool>,
    values: Vec<bool>,
}

impl<'g> Liveness<'g> {
    #[allow(
        clippy::new_ret_no_self,
        reason = "the state of the analysis is not its result"
    )]
    fn new(graph: &'g Graph) -> Live {
        let all = graph.all_nodes();
        let mut state = Liveness {
            graph,
            aliases: match all.iter().any(|node| writes_memory(graph, *node)) {
                true => Aliases::new(graph),
                false => Aliases::default(),
            },
            nodes: vec![false; graph.node_limit()],
            values: vec![false; graph.value_limit()],
            writers: HashMap::new(),
            pending: Vec::new(),
        };
        for &node in &all {
            state.note_writes(node);
        }
        for &node in &all {
            if effect(graph, node) == Effect::SideEffect || may_be_endless(graph, node) {
                state.mark_node(node);
            }
        }
        for &value in graph.outputs() {
            state.mark_value(value);
        }
        // As in the reference, what loops go on by stays, even if the loop itself goes.
        for &node in all.iter().filter(|n| graph.node(**n).is(Prim::Loop)) {
            state.mark_recurrences(node);
            let again = graph.returns(graph.node(node).blocks()[0])[0];
            let source = graph.value(again).node();
            if graph.node(source).is(Prim::Constant) {
                state.mark_value(again);
            }
        }
        while let Some(node) = state.pending.pop() {
            state.spread(node);
        }
        Live {
            nodes: state.nodes,
            values: state.values,
        }
    }

    fn note_writes(&mut self, node: NodeId) {
        // What runs elsewhere counts only where its result is asked for, as in the reference.
        let data = self.graph.node(node);
        if data.is(Prim::Fork) || data.is(Prim::Awaitable) {
            return;
        }
        match self.aliases.written(self.graph, node) {
            None => self.mark_node(node),
            Some(classes) => {
                for class in classes {
                    if self.aliases.is_wild(class) {
                        self.mark_node(node);
                    } else {
                        self.writers.entry(class).or_default().push(node);
                    }
                }
            }
        }
    }

    fn mark_node(&mut self, node: NodeId) {
        let known = &mut self.nodes[node.as_u32() as usize];
        if !*known {
            *known = true;
            self.pending.push(node);
        }
    }

    fn mark_value(&mut self, value: ValueId) {
        let known = &mut self.values[value.as_u32() as usize];
        if *known {
            return;
        }
        *known = true;
        if !self.writers.is_empty()
            && let Some(class) = self.aliases.class(self.graph, value)
        {
            for writer in self.writers.remove(&class).unwrap_or_default() {
                self.mark_node(writer);
            }
        }
        let data = self.graph.value(value);
        let (source, index) = (data.node(), data.index());
        let node = self.graph.node(source);
        if node.is(Prim::Param) {
            self.mark_param(node.block().expect("sentinels stand in blocks"), index);
            return;
        }
        self.mark_node(source);
        for &block in node.blocks() {
            // Results of a Loop's body have the next condition in front.
            let at = if node.is(Prim::Loop) {
                index + 1
            } else {
                index
            };
            self.mark_value(self.graph.returns(block)[at]);
        }
        if node.is(Prim::Loop) {
            self.mark_value(node.inputs()[2 + index]);
        }
    }

    /// A parameter of a block: what a loop carries must be known before and after each step.
    fn mark_param(&mut self, block: BlockId, index: usize) {
        let Some(owner) = self.graph.block(block).owner() else {
            return;
        };
        self.mark_node(owner);
        if self.graph.node(owner).is(Prim::Loop) && index > 0 {
            self.mark_value(self.graph.node(owner).outputs()[index - 1]);
        }
    }

    /// What a live node needs.
    fn spread(&mut self, id: NodeId) {
        let node = self.graph.node(id);
        if let Some(block) = node.block()
            && let Some(owner) = self.graph.block(block).owner()
        {
            self.mark_node(owner);
        }
        if node.is(Prim::If) {
            self.mark_value(node.inputs()[0]);
            return;
        }
        if !node.is(Prim::Loop) {
            for &input in node.inputs() {
                self.mark_value(input);
            }
            return;
        }
        self.mark_value(node.inputs()[0]);
        self.mark_value(node.inputs()[1]);
        let body = node.blocks()[0];
        self.mark_value(self.graph.returns(body)[0]);
    }

    /// A carried variable that its own next value is computed from stays, as in the reference, and the loop with it.
    fn mark_recurrences(&mut self, id: NodeId) {
        let node = self.graph.node(id);
        let body = node.blocks()[0];
        for (i, &output) in node.outputs().iter().enumerate() {
            let param = self.graph.params(body)[1 + i];
            let end = self.graph.return_node(body);
            let passed_on = |u: &crate::Use| u.node == end && u.index as usize == i + 1;
            if !self.graph.value(param).uses().iter().all(passed_on) {
                self.mark_value(output);
            }
        }
    }
}

/// Whether a node writes to values that other nodes can see; only then does it matter which values share memory.
fn writes_memory(graph: &Graph, node: NodeId) -> bool {
    match graph.node(node).kind {
        NodeKind::Op(op) => op.schema().is_mutable(),
        NodeKind::Prim(prim) => prim == Prim::SetAttr,
        _ => false,
    }
}

fn sweep(graph: &mut Graph, run: &mut Run<'_>, live: &Live) {
    // Removing nodes leaves results unused, and dropping results leaves nodes unused.
    for _ in 0..2 {
        sweep_once(graph, run, live);
    }
}

fn sweep_once(graph: &mut Graph, run: &mut Run<'_>, live: &Live) {
    let is_live = |node: NodeId| live.nodes[node.as_u32() as usize];
    let all = graph.all_nodes();
    // What the results of blocks used is unused afterwards.
    for &node in all.iter().filter(|n| is_live(**n)) {
        trim(graph, run, live, node);
    }
    for &node in all.iter().rev().filter(|n| !is_live(**n)) {
        let stands = graph.node(node).block().is_some();
        if stands && is_unused(graph, node) && run.may_change() {
            graph.remove(node);
        }
    }
}

fn is_unused(graph: &Graph, node: NodeId) -> bool {
    let outputs = graph.node(node).outputs();
    outputs.iter().all(|&o| graph.value(o).uses().is_empty())
}

/// Drops the results of a live `If` or `Loop` that nobody needs.
fn trim(graph: &mut Graph, run: &mut Run<'_>, live: &Live, node: NodeId) {
    let is_loop = graph.node(node).is(Prim::Loop);
    if !is_loop && !graph.node(node).is(Prim::If) {
        return;
    }
    for i in (0..graph.node(node).outputs().len()).rev() {
        let output = graph.node(node).outputs()[i];
        if live.values[output.as_u32() as usize] || !graph.value(output).uses().is_empty() {
            continue;
        }
        if is_loop && !drop_result(graph, node, i) || !run.may_change() {
            continue;
        }
        if is_loop {
            let body = graph.node(node).blocks()[0];
            graph.remove_return(body, 1 + i);
            graph.remove_param(body, 1 + i);
            graph.remove_input(node, 2 + i);
        } else {
            for &block in &graph.node(node).blocks().to_vec() {
                graph.remove_return(block, i);
            }
        }
        graph.remove_output(node, i);
    }
}

/// Whether a carried variable has no use in the body but to be passed on.
fn drop_result(graph: &Graph, node: NodeId, i: usize) -> bool {
    let body = graph.node(node).blocks()[0];
    let end = graph.return_node(body);
    let param = graph.params(body)[1 + i];
    let uses = graph.value(param).uses();
    uses.iter()
        .all(|u| u.node == end && u.index as usize == i + 1)
}
