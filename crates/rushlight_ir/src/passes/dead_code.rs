//! Removes what nobody can notice.
//!
//! A node is live when it has a side effect, gives a value to a live node, or writes to what a later live node sees.
//! One walk from the end to the start finds them, as in the reference; bodies of loops are walked until nothing new
//! turns up. Loops that may never end stay.

use super::PassRun;
use crate::analysis::alias::{Aliases, Class};
use crate::analysis::effect::{effect, may_be_endless, writes_memory};
use crate::{BlockId, Graph, NodeId, Prim, ValueId};
use rushlight_types::Effect;
use std::collections::{HashMap, HashSet};

/// Runs the pass.
pub fn run(graph: &mut Graph, run: &mut PassRun<'_>) {
    let live = Liveness::new(graph, true);
    sweep(graph, run, &live);
}

/// Runs the pass without asking what shares memory with what: everything that writes stays.
pub fn keeping_writes(graph: &mut Graph, run: &mut PassRun<'_>) {
    let live = Liveness::new(graph, false);
    sweep(graph, run, &live);
}

/// Whether a node sets an attribute of an object that is made here and of which nothing else is ever asked.
fn fills_what_nobody_reads(graph: &Graph, node: NodeId) -> bool {
    if !graph.node(node).is(Prim::SetAttr) {
        return false;
    }
    let object = graph.value(graph.node(node).inputs()[0]);
    let is_filling = |u: &crate::Use| u.index == 0 && graph.node(u.node).is(Prim::SetAttr);
    graph.node(object.node()).is(Prim::CreateObject) && object.uses().iter().all(is_filling)
}

/// What was found live.
struct Live {
    nodes: Vec<bool>,
    values: Vec<bool>,
}

struct Liveness<'g> {
    graph: &'g Graph,
    aliases: Aliases,
    writes: HashMap<NodeId, Vec<Class>>,
    classes: HashSet<Class>,
    live: Live,
}

impl<'g> Liveness<'g> {
    #[allow(
        clippy::new_ret_no_self,
        reason = "the state of the analysis is not its result"
    )]
    fn new(graph: &'g Graph, with_aliases: bool) -> Live {
        let all = graph.all_nodes();
        let writers = all.iter().any(|node| writes_memory(graph, *node));
        let mut state = Liveness {
            graph,
            aliases: match writers && with_aliases {
                true => Aliases::new(graph),
                false => Aliases::default(),
            },
            writes: HashMap::new(),
            classes: HashSet::new(),
            live: Live {
                nodes: vec![false; graph.node_limit()],
                values: vec![false; graph.value_limit()],
            },
        };
        // All writes are known before anything is marked.
        let effects: Vec<NodeId> = all
            .iter()
            .copied()
            .filter(|&n| match with_aliases {
                true => state.is_effect(n),
                false => has_effect(graph, n) || writes_memory(graph, n),
            })
            .collect();
        for &value in graph.outputs() {
            state.mark_value(value);
        }
        for node in effects {
            state.mark_node(node);
        }
        state.block(graph.top());
        state.live
    }

    /// Whether a node matters whoever looks; notes what others write to.
    fn is_effect(&mut self, node: NodeId) -> bool {
        let graph = self.graph;
        if fills_what_nobody_reads(graph, node) {
            return false;
        }
        if has_effect(graph, node) {
            return true;
        }
        // What runs elsewhere counts only where its result is asked for, as in the reference.
        let data = graph.node(node);
        if data.is(Prim::Fork) || data.is(Prim::Awaitable) {
            return false;
        }
        match self.aliases.written(graph, node) {
            None => true,
            Some(classes) if classes.iter().any(|c| self.aliases.is_wild(*c)) => true,
            Some(classes) => {
                if !classes.is_empty() {
                    self.writes.insert(node, classes);
                }
                false
            }
        }
    }

    /// Goes backwards through a block; whether anything became live.
    fn block(&mut self, block: BlockId) -> bool {
        let mut any = self.results(block);
        for node in self.graph.nodes(block).into_iter().rev() {
            let data = self.graph.node(node);
            if data.is(Prim::Loop) {
                // What a step needs makes more of the step before it live.
                while self.block(data.blocks()[0]) {
                    any = true;
                }
            } else {
                for &inner in data.blocks() {
                    any |= self.block(inner);
                }
            }
            if self.is_noticed(node) {
                any |= self.mark_node(node);
            }
        }
        any
    }

    /// Marks the results of a block that what is around it needs.
    fn results(&mut self, block: BlockId) -> bool {
        let graph = self.graph;
        let Some(owner) = graph.block(block).owner() else {
            return false;
        };
        let (node, returns) = (graph.node(owner), graph.returns(block));
        let mut any = false;
        if node.is(Prim::Loop) {
            // As in the reference, what a loop goes on by stays, and a carried variable that the body uses.
            any |= self.mark_value(returns[0]);
            for (i, &output) in node.outputs().iter().enumerate() {
                let param = graph.params(block)[1 + i];
                if self.is_live(output) || self.is_used_in_body(block, param, i) {
                    any |= self.mark_value(returns[1 + i]);
                }
            }
        } else if node.outputs().len() == returns.len() {
            for (&output, &result) in node.outputs().iter().zip(returns) {
                if self.is_live(output) {
                    any |= self.mark_value(result);
                }
            }
        } else {
            for &result in returns {
                any |= self.mark_value(result);
            }
        }
        any
    }

    /// Whether a carried variable is used in the body of its loop, more than to be passed on.
    fn is_used_in_body(&self, body: BlockId, param: ValueId, i: usize) -> bool {
        let end = self.graph.return_node(body);
        let passed_on = |u: &crate::Use| u.node == end && u.index as usize == i + 1;
        !self.graph.value(param).uses().iter().all(passed_on)
    }

    /// Whether a node gives a live value or writes to what a live value may be.
    fn is_noticed(&self, node: NodeId) -> bool {
        let outputs = self.graph.node(node).outputs();
        let writes = self.writes.get(&node);
        outputs.iter().any(|o| self.is_live(*o))
            || writes.is_some_and(|w| w.iter().any(|class| self.classes.contains(class)))
    }

    fn is_live(&self, value: ValueId) -> bool {
        self.live.values[value.as_u32() as usize]
    }

    fn mark_value(&mut self, value: ValueId) -> bool {
        let known = &mut self.live.values[value.as_u32() as usize];
        if std::mem::replace(known, true) {
            return false;
        }
        if !self.writes.is_empty() {
            self.classes.extend(self.aliases.class(self.graph, value));
        }
        true
    }

    /// Marks a node, what it needs, and the nodes that it stands inside of.
    fn mark_node(&mut self, node: NodeId) -> bool {
        let mut at = Some(node);
        let mut any = false;
        while let Some(id) = at {
            if std::mem::replace(&mut self.live.nodes[id.as_u32() as usize], true) {
                break;
            }
            any = true;
            let data = self.graph.node(id);
            for &input in data.inputs() {
                self.mark_value(input);
            }
            at = data.block().and_then(|b| self.graph.block(b).owner());
        }
        any
    }
}

fn has_effect(graph: &Graph, node: NodeId) -> bool {
    effect(graph, node) == Effect::SideEffect || may_be_endless(graph, node)
}

/// Takes out what is not live, from the end to the start, as in the reference: results of a node before what stands in its
/// blocks. What a later run could take out besides stays for it.
fn sweep(graph: &mut Graph, run: &mut PassRun<'_>, live: &Live) {
    enum SweepStep {
        Node(NodeId),
        Blocks(NodeId),
    }
    let is_live = |node: NodeId| live.nodes[node.as_u32() as usize];
    let mut stack: Vec<SweepStep> = Vec::new();
    let push = |graph: &Graph, stack: &mut Vec<SweepStep>, block| {
        stack.extend(graph.nodes(block).into_iter().map(SweepStep::Node));
    };
    push(graph, &mut stack, graph.top());
    while let Some(step) = stack.pop() {
        match step {
            SweepStep::Node(node) => {
                trim(graph, run, live, node);
                stack.push(SweepStep::Blocks(node));
                for &block in &graph.node(node).blocks().to_vec() {
                    push(graph, &mut stack, block);
                }
            }
            SweepStep::Blocks(node) => {
                if !is_live(node) && is_unused(graph, node) && run.may_change() {
                    graph.remove(node);
                }
            }
        }
    }
}

fn is_unused(graph: &Graph, node: NodeId) -> bool {
    let outputs = graph.node(node).outputs();
    outputs.iter().all(|&o| graph.value(o).uses().is_empty())
}

/// Drops the results of a live `If` or `Loop` that nobody needs.
fn trim(graph: &mut Graph, run: &mut PassRun<'_>, live: &Live, node: NodeId) {
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
