//! From reads and writes of variables to values.
//!
//! The body of a function reads its variables with `prim::Load` and assigns them with `prim::Store`, wherever they stand.
//! Four steps, each over the whole graph, make values of them, and create what the reference's steps create in the same
//! order, so that values get the reference's numbers and names:
//!
//! 1. [`pass_through_control_flow`] makes every variable that a nested block assigns an output of its `If` or `Loop`;
//! 2. [`continue_loops`] gives `break` and `continue` what the loop goes on with;
//! 3. [`inline_conditions`] puts the condition of a loop before the loop and at the end of its body;
//! 4. [`resolve`] replaces every read by what was written last.

use super::environment::is_of_program;
use crate::Outcome;
use crate::error::problem;
use rushlight_ir::{Attr, BlockId, Graph, NodeId, Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_syntax::stack::deep;
use rushlight_types::{Type, unify};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The name of a variable.
type Slot = Arc<str>;

/// The types that variables have behind an `If`, where it was decided already.
pub(crate) type Decided = HashMap<NodeId, HashMap<Slot, Type>>;

/// Takes all reads and writes out of the graph; loops have one block and the condition as an input afterwards.
pub(crate) fn convert(graph: &mut Graph, decided: &Decided, span: &Span) -> Outcome<()> {
    pass_through_control_flow(graph, decided);
    continue_loops(graph, span)?;
    inline_conditions(graph, span)?;
    resolve(graph, span)
}

/// What a node reads or writes.
fn slot(graph: &Graph, node: NodeId) -> &Slot {
    let slot = graph.node(node).str_attr("name");
    slot.expect("a read or write says of what")
}

/// A node that reads a variable of a type; nowhere yet.
pub(super) fn load(graph: &mut Graph, slot: &Slot, ty: Type) -> NodeId {
    let load = graph.create(Prim::Load, &[], &[ty]);
    graph.set_attr(load, "name", Attr::Str(slot.clone()));
    load
}

/// A node that assigns a variable; nowhere yet.
pub(super) fn store(graph: &mut Graph, slot: &Slot, value: ValueId) -> NodeId {
    let store = graph.create(Prim::Store, &[value], &[]);
    graph.set_attr(store, "name", Attr::Str(slot.clone()));
    store
}

fn load_before(graph: &mut Graph, at: NodeId, slot: &Slot, ty: Type) -> ValueId {
    let load = load(graph, slot, ty);
    graph.insert_before(at, load);
    graph.node(load).outputs()[0]
}

fn store_before(graph: &mut Graph, at: NodeId, slot: &Slot, value: ValueId) {
    let store = store(graph, slot, value);
    graph.insert_before(at, store);
}

fn behind(graph: &Graph, node: NodeId) -> NodeId {
    graph
        .next(node)
        .expect("a block has a Return node at its end")
}

/// Makes the variables that nested blocks assign outputs of the nodes that they are nested in.
fn pass_through_control_flow(graph: &mut Graph, decided: &Decided) {
    let mut pass = ControlFlow {
        graph,
        decided,
        frames: Vec::new(),
    };
    pass.block(pass.graph.top());
}

struct ControlFlow<'g> {
    graph: &'g mut Graph,
    decided: &'g Decided,
    /// The variables assigned so far in the blocks around, with their types.
    frames: Vec<HashMap<Slot, Type>>,
}

impl ControlFlow<'_> {
    /// Handles a block and says what it assigns.
    fn block(&mut self, block: BlockId) -> HashMap<Slot, Type> {
        self.frames.push(HashMap::new());
        deep(|| self.walk(block));
        self.frames.pop().expect("pushed above")
    }

    fn walk(&mut self, block: BlockId) {
        let end = self.graph.return_node(block);
        let mut at = behind(self.graph, self.graph.param_node(block));
        while at != end {
            let node = self.graph.node(at);
            if node.is(Prim::Store) {
                let ty = match node.attr("type") {
                    Some(Attr::Type(declared)) => declared.clone(),
                    _ => self.graph.ty(node.inputs()[0]).clone(),
                };
                let slot = slot(self.graph, at).clone();
                self.frames
                    .last_mut()
                    .expect("a block has a frame")
                    .insert(slot, ty);
            } else if node.is(Prim::If) {
                self.branch(at);
            } else if node.is(Prim::Loop) {
                self.repeat(at);
            } else if node.is(Prim::With) {
                // Its body is part of the block.
                let body = node.blocks()[0];
                deep(|| self.walk(body));
            } else if !node.blocks().is_empty() {
                for inner in node.blocks().to_vec() {
                    self.block(inner);
                }
            }
            at = behind(self.graph, at);
        }
    }

    fn outside(&self, slot: &Slot) -> Option<&Type> {
        self.frames.iter().rev().find_map(|f| f.get(slot))
    }

    fn branch(&mut self, node: NodeId) {
        let blocks = [0, 1].map(|i| self.graph.node(node).blocks()[i]);
        let assigned = blocks.map(|block| self.block(block));
        let mut slots = BTreeSet::new();
        for [one, other] in [[0, 1], [1, 0]] {
            let joined = assigned[one]
                .keys()
                .filter(|slot| assigned[other].contains_key(*slot) || self.outside(slot).is_some());
            slots.extend(joined.cloned());
        }
        let decided = self.decided.get(&node);
        for slot in slots {
            let types = [0, 1].map(|i| assigned[i].get(&slot).or_else(|| self.outside(&slot)));
            let types = types.map(|ty| ty.expect("assigned in the branch or before").clone());
            let ty = decided
                .and_then(|types| types.get(&slot).cloned())
                .or_else(|| unify(&types[0], &types[1], true));
            let Some(ty) = ty else { continue };
            for (block, ty) in blocks.into_iter().zip(types) {
                let end = self.graph.return_node(block);
                let value = load_before(self.graph, end, &slot, ty);
                self.graph.add_return(block, value);
            }
            self.give_out(node, &slot, ty);
        }
    }

    fn repeat(&mut self, node: NodeId) {
        let body = self.graph.node(node).blocks()[0];
        let assigned: BTreeSet<Slot> = self.block(body).into_keys().collect();
        for slot in assigned {
            let Some(ty) = self.outside(&slot).cloned() else {
                continue;
            };
            let before = load_before(self.graph, node, &slot, ty.clone());
            self.graph.push_input(node, before);
            let param = self.graph.add_param(body, ty.clone(), None);
            if is_of_program(&slot) {
                self.graph.set_name(param, &slot);
            }
            let first = behind(self.graph, self.graph.param_node(body));
            store_before(self.graph, first, &slot, param);
            let end = self.graph.return_node(body);
            let after = load_before(self.graph, end, &slot, ty.clone());
            self.graph.add_return(body, after);
            self.give_out(node, &slot, ty);
        }
    }

    /// An output of a node, which is what the variable holds behind it.
    fn give_out(&mut self, node: NodeId, slot: &Slot, ty: Type) {
        let output = self.graph.add_output(node, ty, None);
        if is_of_program(slot) && rushlight_ir::is_telling(slot) {
            self.graph.set_name(output, slot);
        }
        let next = behind(self.graph, node);
        store_before(self.graph, next, slot, output);
    }
}

/// The body and the condition of a loop.
fn parts(graph: &Graph, node: NodeId) -> (BlockId, BlockId) {
    let blocks = graph.node(node).blocks();
    (blocks[0], blocks[1])
}

/// Copies what computes the condition of a loop to before a node; the result is the condition.
fn copy_condition(
    graph: &mut Graph,
    condition: BlockId,
    at: NodeId,
    span: &Span,
) -> Outcome<ValueId> {
    // Conditions are copied for every `continue`; no program needs this many.
    const MAX_NODES: usize = 2_000_000;
    if graph.node_limit() > MAX_NODES {
        let message = "this function is too large to compile";
        return Err(problem("too-large", message, span));
    }
    let mut map = HashMap::new();
    for node in graph.nodes(condition) {
        graph.clone_with_block(at, node, &mut map);
    }
    let result = graph.returns(condition)[0];
    Ok(map.get(&result).copied().unwrap_or(result))
}

/// Gives `break` and `continue` the condition and the variables that the loop goes on with.
fn continue_loops(graph: &mut Graph, span: &Span) -> Outcome<()> {
    let stop = super::exits::prepend_bool(graph, false);
    // Nodes in order, each with the innermost loop around it.
    let first = |graph: &Graph, block: BlockId| behind(graph, graph.param_node(block));
    let mut pending = vec![(first(graph, graph.top()), None)];
    while let Some((node, around)) = pending.pop() {
        let Some(next) = graph.next(node) else {
            continue;
        };
        pending.push((next, around));
        let data = graph.node(node);
        match (data.is(Prim::BreakStmt), data.is(Prim::ContinueStmt)) {
            (false, false) => {
                let around = if data.is(Prim::Loop) {
                    Some(node)
                } else {
                    around
                };
                let blocks = data.blocks().iter().rev();
                let inner: Vec<_> = blocks.map(|b| (first(graph, *b), around)).collect();
                pending.extend(inner);
            }
            (is_break, _) => {
                let around = around.expect("emitted inside a loop only");
                let (body, condition) = parts(graph, around);
                let again = match is_break {
                    true => stop,
                    false => copy_condition(graph, condition, node, span)?,
                };
                let mut inputs = vec![again];
                for carried in graph.returns(body).to_vec() {
                    let source = graph.value(carried).node();
                    let (slot, ty) = (slot(graph, source).clone(), graph.ty(carried).clone());
                    inputs.push(load_before(graph, node, &slot, ty));
                }
                graph.set_inputs(node, &inputs);
            }
        }
    }
    Ok(())
}

/// Evaluates conditions before their loops, and again at the end of each iteration.
fn inline_conditions(graph: &mut Graph, span: &Span) -> Outcome<()> {
    for node in super::exits::inner_first(graph, Prim::Loop) {
        let (body, condition) = parts(graph, node);
        let start = copy_condition(graph, condition, node, span)?;
        graph.insert_input(node, 1, start);
        let end = graph.return_node(body);
        for inner in graph.nodes(condition) {
            graph.move_before(end, inner);
        }
        let again = graph.returns(condition)[0];
        graph.insert_return(body, 0, again);
        graph.remove_block(node, 1);
    }
    Ok(())
}

/// Replaces reads by what was written last, and takes reads and writes away.
fn resolve(graph: &mut Graph, span: &Span) -> Outcome<()> {
    let mut pass = Resolve {
        graph,
        held: HashMap::new(),
        changed: Vec::new(),
        missing: None,
    };
    pass.block(pass.graph.top());
    match pass.missing {
        None => Ok(()),
        Some(slot) => {
            let message = format!("undefined value {slot}");
            Err(problem("undefined-name", message, span))
        }
    }
}

struct Resolve<'g> {
    graph: &'g mut Graph,
    /// What every variable holds here.
    held: HashMap<Slot, ValueId>,
    /// The writes of the blocks around, with what they have written over.
    changed: Vec<(Slot, Option<ValueId>)>,
    /// A variable that is read where nothing has been written.
    missing: Option<Slot>,
}

impl Resolve<'_> {
    /// Handles a block; what it writes is forgotten behind it.
    fn block(&mut self, block: BlockId) {
        let before = self.changed.len();
        deep(|| self.walk(block));
        for (slot, held) in self.changed.drain(before..).rev() {
            match held {
                Some(value) => self.held.insert(slot, value),
                None => self.held.remove(&slot),
            };
        }
    }

    fn walk(&mut self, block: BlockId) {
        let end = self.graph.return_node(block);
        let mut at = behind(self.graph, self.graph.param_node(block));
        while at != end {
            let next = behind(self.graph, at);
            let node = self.graph.node(at);
            if node.is(Prim::Store) {
                let value = node.inputs()[0];
                let slot = slot(self.graph, at).clone();
                let before = self.held.insert(slot.clone(), value);
                self.changed.push((slot, before));
                self.graph.remove(at);
            } else if node.is(Prim::Load) {
                let output = node.outputs()[0];
                match self.held.get(slot(self.graph, at)) {
                    Some(value) => {
                        self.graph.replace_all_uses(output, *value);
                        self.graph.remove(at);
                    }
                    None => self.missing = Some(slot(self.graph, at).clone()),
                }
            } else if node.is(Prim::With) {
                let body = node.blocks()[0];
                deep(|| self.walk(body));
            } else if !node.blocks().is_empty() {
                let is_scope = node.is(Prim::ComprehensionScope);
                for inner in node.blocks().to_vec() {
                    self.block(inner);
                    if is_scope {
                        self.flatten(inner, at);
                    }
                }
                if is_scope {
                    self.graph.remove(at);
                }
            }
            at = next;
        }
    }

    /// Puts the nodes of a block where the node stands that it is nested in.
    fn flatten(&mut self, block: BlockId, node: NodeId) {
        for inner in self.graph.nodes(block) {
            self.graph.move_before(node, inner);
        }
    }
}
