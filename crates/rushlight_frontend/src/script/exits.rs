//! From `return`, `break` and `continue` statements to structured control flow.
//!
//! Two sweeps over the graph do the same thing for different targets: first every loop takes in its `break` and
//! `continue` statements, then the function its `return` statements. A sweep works out how each block ends ([`Exit`]).
//! An `If` of which a branch leaves gives out a flag that says so and the values that it leaves with; what follows is put
//! under an `If` on the flag, and a loop carries flag and values:
//!
//! ```python
//! if c:                    if c: left, value = True, 1
//!     return 1       ->    else: left, value = False, uninitialized
//! return f(x)              if left: r = value
//!                          else: r = f(x)
//! ```
//!
//! The body of a `with` statement is a block of its own: what follows an `If` in it is put under a flag there, and what
//! leaves its objects is passed on every way out.
//!
//! Then an `If` on a flag that each branch of the `If` right before it knows is merged into that one. Values that nobody
//! looks at are `prim::Uninitialized`. Last, `for` loops whose body decides whether to go on become counting `while`
//! loops.

use super::ssa::Decided;
use crate::error::problem;
use crate::{Outcome, Problem};
use rushlight_ir::{BlockId, Graph, NodeId, Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_syntax::stack::deep;
use rushlight_types::{OperatorTable, Type, unify};
use std::cmp::Reverse;
use std::collections::HashMap;

/// Makes the graph free of exit statements, and of reads and writes of variables; `returned` is the type of the function's
/// result, `decided` what types variables have behind `If` nodes, `inferred` the parameters that nobody has annotated, of whose
/// type the result is where `returns_inferred`.
pub(crate) fn structure(
    graph: &mut Graph,
    returned: &Type,
    decided: &Decided,
    mut inferred: Vec<ValueId>,
    returns_inferred: bool,
    table: &'static OperatorTable,
    span: &Span,
) -> Outcome<()> {
    let node = graph.create(Prim::Uninitialized, &[], std::slice::from_ref(returned));
    graph.append(graph.top(), node);
    let result = graph.node(node).outputs()[0];
    if returns_inferred {
        inferred.push(result);
    }
    let inferred = &inferred;
    graph.set_returns(graph.top(), &[result]);
    super::ssa::convert(graph, decided, span)?;
    give_out_of_contexts(graph);
    Sweep::new(graph, ExitKind::Loops, inferred, span).run()?;
    give_out_of_contexts(graph);
    Sweep::new(graph, ExitKind::Function, inferred, span).run()?;
    flatten_contexts(graph);
    merge_selections(graph, graph.top());
    count_broken_loops(graph, table, span)?;
    make_empty_lists(graph);
    Ok(())
}

/// Makes lists of the `[]` of which nobody has said what they hold: of tensors, and without the name of the variable, since
/// it was not the list that was assigned to it.
pub(crate) fn make_empty_lists(graph: &mut Graph) {
    for node in graph.all_nodes() {
        if !graph.node(node).is(Prim::EmptyListLiteral) {
            continue;
        }
        let literal = graph.node(node).outputs()[0];
        if !graph.value(literal).uses().is_empty() {
            let ty = graph.ty(literal).clone();
            let made = graph.create(Prim::ListConstruct, &[], std::slice::from_ref(&ty));
            graph.insert_before(node, made);
            let list = graph.node(made).outputs()[0];
            graph.replace_all_uses(literal, list);
        }
        graph.remove(node);
    }
}

/// Makes what the body of a `with` statement computes for the statements behind it results of its block, so that the
/// sweeps see them; [`flatten_contexts`] takes them away again.
fn give_out_of_contexts(graph: &mut Graph) {
    let numbered = graph.pause_numbers(true);
    for node in inner_first(graph, Prim::With) {
        let body = graph.node(node).blocks()[0];
        for inner in graph.nodes(body) {
            for value in graph.node(inner).outputs().to_vec() {
                let uses = graph.value(value).uses().to_vec();
                let outside: Vec<_> = uses
                    .into_iter()
                    .filter(|u| !graph.enclosing_blocks(u.node).contains(&body))
                    .collect();
                if outside.is_empty() {
                    continue;
                }
                let ty = graph.ty(value).clone();
                let output = graph.add_output(node, ty, None);
                graph.add_return(body, value);
                for user in outside {
                    graph.set_input(user.node, user.index as usize, output);
                }
            }
        }
    }
    graph.pause_numbers(numbered);
}

/// Puts the bodies of `with` statements, and what leaves their objects, where the statements stand.
fn flatten_contexts(graph: &mut Graph) {
    for node in inner_first(graph, Prim::With) {
        for block in graph.node(node).blocks().to_vec() {
            for inner in graph.nodes(block) {
                graph.move_before(node, inner);
            }
        }
        let body = graph.node(node).blocks()[0];
        for (i, output) in graph.node(node).outputs().to_vec().into_iter().enumerate() {
            graph.replace_all_uses(output, graph.returns(body)[i]);
        }
        graph.remove(node);
    }
}

/// A constant at the start of the graph.
pub(super) fn prepend_bool(graph: &mut Graph, value: bool) -> ValueId {
    let node = graph.create_constant(value.into(), Type::Bool);
    graph.prepend(graph.top(), node);
    graph.node(node).outputs()[0]
}

/// What the statements of a sweep leave.
#[derive(Clone, Copy, PartialEq)]
enum ExitKind {
    Loops,
    Function,
}

/// How control gets to the end of a block or past a node.
enum Exit {
    /// It does, always.
    Falls,
    /// Never: an exception is raised.
    Raises,
    /// Never: the target is left with these values.
    Leaves(Vec<ValueId>),
    /// Unless `flag` is true, in which case the target has been left with `values`.
    Maybe { flag: ValueId, values: Vec<ValueId> },
}

impl Exit {
    fn values(&self) -> Option<&[ValueId]> {
        match self {
            Exit::Leaves(values) | Exit::Maybe { values, .. } => Some(values),
            Exit::Falls | Exit::Raises => None,
        }
    }
}

/// A type, and which value brought it: the reference makes one filler for each type object, and every list, dict or tuple
/// that the source writes has one of its own; parameters without annotation share one.
#[derive(Clone, PartialEq)]
struct Kept {
    ty: Type,
    origin: Option<ValueId>,
}

/// Blocks nest at most this deep.
const MAX_DEPTH: usize = 4_000;

/// Every sequel of an `if` that returns stands under a guard: so many of them nest, each of which moves all that follows.
const MAX_GUARDS: usize = 480;

struct Sweep<'g> {
    graph: &'g mut Graph,
    kind: ExitKind,
    span: &'g Span,
    truth: ValueId,
    falsity: ValueId,
    /// The flag of blocks that raise.
    unknown: ValueId,
    /// Values for branches that have left, one per type.
    fillers: Vec<(Kept, ValueId)>,
    /// The values that took their type over from others.
    origins: HashMap<ValueId, ValueId>,
    depth: usize,
    /// How many guards the present block stands in.
    guards: usize,
}

impl<'g> Sweep<'g> {
    fn new(
        graph: &'g mut Graph,
        kind: ExitKind,
        inferred: &[ValueId],
        span: &'g Span,
    ) -> Sweep<'g> {
        let truth = prepend_bool(graph, true);
        let falsity = prepend_bool(graph, false);
        let (first, second) = (graph.value(truth).node(), graph.value(falsity).node());
        graph.move_before(second, first);
        let mut sweep = Sweep {
            graph,
            kind,
            span,
            truth,
            falsity,
            unknown: truth,
            fillers: Vec::new(),
            origins: inferred.iter().map(|v| (*v, inferred[0])).collect(),
            depth: 0,
            guards: 0,
        };
        sweep.unknown = sweep.filler(&Kept {
            ty: Type::Bool,
            origin: None,
        });
        sweep
    }

    fn run(mut self) -> Outcome<()> {
        let top = self.graph.top();
        let exit = self.block(top)?;
        if self.kind == ExitKind::Loops {
            return Ok(());
        }
        let result = match exit {
            Exit::Leaves(values) => values[0],
            // What the raise left unreachable has been given up already.
            Exit::Raises => self.graph.returns(top)[0],
            Exit::Falls | Exit::Maybe { .. } => {
                return Err(problem(
                    "missing-return",
                    "the function does not return along all paths",
                    self.span,
                ));
            }
        };
        self.graph.set_returns(top, &[result]);
        Ok(())
    }

    fn filler(&mut self, kept: &Kept) -> ValueId {
        if let Some((_, value)) = self.fillers.iter().find(|(k, _)| k == kept) {
            return *value;
        }
        let types = std::slice::from_ref(&kept.ty);
        let node = self.graph.create(Prim::Uninitialized, &[], types);
        self.graph.prepend(self.graph.top(), node);
        let value = self.graph.node(node).outputs()[0];
        self.keep(value, kept);
        self.fillers.push((kept.clone(), value));
        value
    }

    /// Notes where the type of a new value comes from.
    fn keep(&mut self, value: ValueId, kept: &Kept) {
        if let Some(origin) = kept.origin {
            self.origins.insert(value, origin);
        }
    }

    /// The type of a value with its origin, where that makes a difference.
    fn kept(&self, value: ValueId) -> Kept {
        let ty = self.graph.ty(value).clone();
        let own = match &ty {
            Type::Tuple(tuple) => tuple.name.is_none(),
            other => matches!(other, Type::List(_) | Type::Dict(_) | Type::Enum(_)),
        };
        let origin = self.origins.get(&value).copied();
        let origin = origin.or_else(|| own.then_some(value));
        Kept { ty, origin }
    }

    fn all_kept(&self, values: &[ValueId]) -> Vec<Kept> {
        values.iter().map(|v| self.kept(*v)).collect()
    }

    /// An output of a node, of a type that other values brought.
    fn output(&mut self, node: NodeId, kept: &Kept) -> ValueId {
        let output = self.graph.add_output(node, kept.ty.clone(), None);
        self.keep(output, kept);
        output
    }

    fn block(&mut self, block: BlockId) -> Outcome<Exit> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let exit = deep(|| self.walk(block));
        self.depth -= 1;
        exit
    }

    fn walk(&mut self, block: BlockId) -> Outcome<Exit> {
        let last = self.graph.return_node(block);
        let mut at = self.next(self.graph.param_node(block));
        while at != last {
            let exit = self.node(at)?;
            match exit {
                Exit::Falls => at = self.next(at),
                Exit::Leaves(_) | Exit::Raises => {
                    self.cut(block, at);
                    return Ok(exit);
                }
                Exit::Maybe { flag, values } if self.next(at) != last => {
                    return self.guard(block, at, flag, values);
                }
                Exit::Maybe { .. } => return Ok(exit),
            }
        }
        Ok(Exit::Falls)
    }

    fn next(&self, node: NodeId) -> NodeId {
        self.graph
            .next(node)
            .expect("a block has a Return node at its end")
    }

    fn node(&mut self, node: NodeId) -> Outcome<Exit> {
        if self.graph.node(node).is(Prim::If) {
            return self.branch(node, None);
        }
        if self.graph.node(node).is(Prim::Loop) {
            return self.repeat(node);
        }
        if self.graph.node(node).is(Prim::With) {
            return self.block(self.graph.node(node).blocks()[0]);
        }
        if self.is_statement(node) {
            return Ok(Exit::Leaves(self.graph.node(node).inputs().to_vec()));
        }
        let raises = self.graph.node(node).is_op("prim::RaiseException");
        Ok(if raises { Exit::Raises } else { Exit::Falls })
    }

    /// Whether a node is a statement of this sweep; those of the other sweep are nodes like any other.
    fn is_statement(&self, node: NodeId) -> bool {
        let node = self.graph.node(node);
        match self.kind {
            ExitKind::Function => node.is(Prim::ReturnStmt),
            ExitKind::Loops => node.is(Prim::BreakStmt) || node.is(Prim::ContinueStmt),
        }
    }

    /// Drops what stands behind a node that is never passed, and the node itself where it is a statement of this sweep.
    fn cut(&mut self, block: BlockId, node: NodeId) {
        let mut doomed = self.after(block, node);
        if !doomed.is_empty() {
            let places: HashMap<NodeId, usize> = doomed.iter().copied().zip(0..).collect();
            let mut results = self.graph.returns(block).to_vec();
            let place = |value: ValueId| places.get(&self.graph.value(value).node()).copied();
            let made = results.iter().map(|result| place(*result)).enumerate();
            let mut lost: Vec<_> = made.filter(|(_, place)| place.is_some()).collect();
            // The last node goes first, and its results are filled then.
            rushlight_tensor::order::sort_by_key(&mut lost, |(_, place)| Reverse(*place));
            for (at, _) in lost {
                let kept = self.kept(results[at]);
                results[at] = self.filler(&kept);
            }
            self.graph.set_returns(block, &results);
        }
        if self.is_statement(node) {
            doomed.push(node);
        }
        self.graph.remove_all(doomed);
    }

    fn after(&self, block: BlockId, node: NodeId) -> Vec<NodeId> {
        let mut nodes = self.graph.nodes(block);
        match nodes.iter().position(|n| *n == node) {
            Some(i) => nodes.split_off(i + 1),
            None => Vec::new(),
        }
    }

    /// Puts what follows `node` under an `If` on the flag.
    fn guard(
        &mut self,
        block: BlockId,
        node: NodeId,
        flag: ValueId,
        values: Vec<ValueId>,
    ) -> Outcome<Exit> {
        let rest = self.after(block, node);
        let results = self.graph.returns(block).to_vec();
        let types = self.all_kept(&results);
        let guard = self.graph.create(Prim::If, &[flag], &[]);
        self.graph.insert_after(node, guard);
        let (left, open) = (self.graph.add_block(guard), self.graph.add_block(guard));
        let fillers: Vec<ValueId> = types.iter().map(|ty| self.filler(ty)).collect();
        self.graph.set_returns(left, &fillers);
        let end = self.graph.return_node(open);
        for moved in rest {
            self.graph.move_before(end, moved);
        }
        self.graph.set_returns(open, &results);
        let outputs: Vec<ValueId> = types.iter().map(|ty| self.output(guard, ty)).collect();
        self.graph.set_returns(block, &outputs);
        if self.guards >= MAX_GUARDS {
            return Err(self.too_deep());
        }
        self.guards += 1;
        let exit = self.branch(guard, Some(values));
        self.guards -= 1;
        exit
    }

    fn too_deep(&self) -> Problem {
        let message = "control flow is nested too deeply to compile";
        problem("too-deep", message, self.span)
    }

    /// The exit of an `If`; `left` are the values with which its first branch is known to leave.
    fn branch(&mut self, node: NodeId, left: Option<Vec<ValueId>>) -> Outcome<Exit> {
        let blocks = self.graph.node(node).blocks();
        let (then, otherwise) = (blocks[0], blocks[1]);
        let first = match left {
            Some(values) => Exit::Leaves(values),
            None => self.block(then)?,
        };
        let exits = [first, self.block(otherwise)?];
        match &exits {
            [Exit::Raises, Exit::Raises] => return Ok(Exit::Raises),
            [Exit::Falls | Exit::Raises, Exit::Falls | Exit::Raises] => return Ok(Exit::Falls),
            _ => {}
        }
        Ok(self.join(node, [then, otherwise], &exits))
    }

    /// Makes the `If` give out with which values its branches leave, and whether.
    fn join(&mut self, node: NodeId, blocks: [BlockId; 2], exits: &[Exit; 2]) -> Exit {
        let always = exits
            .iter()
            .all(|e| matches!(e, Exit::Leaves(_) | Exit::Raises));
        let types = self.exit_types(exits);
        let mut values = Vec::new();
        for exit in exits {
            values.push(match exit.values() {
                Some(values) => values.to_vec(),
                None => types.iter().map(|ty| self.filler(ty)).collect(),
            });
        }
        let flag = (!always).then(|| {
            for (block, exit) in blocks.iter().zip(exits) {
                let flag = match exit {
                    Exit::Falls => self.falsity,
                    Exit::Raises => self.unknown,
                    Exit::Leaves(_) => self.truth,
                    Exit::Maybe { flag, .. } => *flag,
                };
                self.graph.add_return(*block, flag);
            }
            self.graph.add_output(node, Type::Bool, None)
        });
        for (block, values) in blocks.iter().zip(values) {
            for value in values {
                self.graph.add_return(*block, value);
            }
        }
        let values = types.iter().map(|ty| self.output(node, ty)).collect();
        match flag {
            None => Exit::Leaves(values),
            Some(flag) => Exit::Maybe { flag, values },
        }
    }

    fn exit_types(&self, exits: &[Exit; 2]) -> Vec<Kept> {
        match (exits[0].values(), exits[1].values()) {
            (Some(a), Some(b)) => a
                .iter()
                .zip(b)
                .map(|(a, b)| self.common_type(*a, *b))
                .collect(),
            (Some(values), None) | (None, Some(values)) => self.all_kept(values),
            (None, None) => Vec::new(),
        }
    }

    fn common_type(&self, a: ValueId, b: ValueId) -> Kept {
        let (first, second) = (self.kept(a), self.kept(b));
        match unify(&first.ty, &second.ty, true) {
            Some(ty) if ty == second.ty => second,
            Some(ty) if ty != first.ty => Kept { ty, origin: None },
            _ => first,
        }
    }

    fn repeat(&mut self, node: NodeId) -> Outcome<Exit> {
        let body = self.graph.node(node).blocks()[0];
        let exit = self.block(body)?;
        Ok(match self.kind {
            ExitKind::Loops => {
                if matches!(exit, Exit::Raises) {
                    let start = self.graph.node(node).inputs()[1];
                    self.graph.set_input(self.graph.return_node(body), 0, start);
                }
                self.take_in(body, exit);
                Exit::Falls
            }
            ExitKind::Function => self.carry(node, body, exit),
        })
    }

    /// The results of a loop body that breaks or continues.
    fn take_in(&mut self, body: BlockId, exit: Exit) {
        match exit {
            Exit::Falls | Exit::Raises => {}
            Exit::Leaves(values) => self.graph.set_returns(body, &values),
            Exit::Maybe { flag, values } => {
                let normal = self.graph.returns(body).to_vec();
                let results = self.select(body, flag, &values, &normal);
                self.graph.set_returns(body, &results);
            }
        }
    }

    /// Makes a loop whose body returns carry the flag and the values, and stop.
    fn carry(&mut self, node: NodeId, body: BlockId, exit: Exit) -> Exit {
        let (flag, values) = match exit {
            Exit::Falls | Exit::Raises => return Exit::Falls,
            Exit::Leaves(values) => (self.truth, values),
            Exit::Maybe { flag, values } => (flag, values),
        };
        let again = self.graph.returns(body)[0];
        let again = self.select(body, flag, &[self.falsity], &[again])[0];
        self.graph.set_input(self.graph.return_node(body), 0, again);
        self.graph.add_param(body, Type::Bool, None);
        self.graph.add_return(body, flag);
        self.graph.push_input(node, self.falsity);
        let flag = self.graph.add_output(node, Type::Bool, None);
        let mut outputs = Vec::new();
        for value in values {
            let kept = self.kept(value);
            let initial = self.filler(&kept);
            self.graph.push_input(node, initial);
            self.graph.add_return(body, value);
            outputs.push(self.output(node, &kept));
            self.graph.add_param(body, kept.ty, None);
        }
        Exit::Maybe {
            flag,
            values: outputs,
        }
    }

    /// At the end of a block: `left` if the flag is set, `normal` otherwise.
    fn select(
        &mut self,
        block: BlockId,
        flag: ValueId,
        left: &[ValueId],
        normal: &[ValueId],
    ) -> Vec<ValueId> {
        let pairs = left.iter().zip(normal);
        let types: Vec<Kept> = pairs.map(|(l, n)| self.common_type(*l, *n)).collect();
        let node = self.graph.create(Prim::If, &[flag], &[]);
        self.graph.append(block, node);
        for returns in [left, normal] {
            let branch = self.graph.add_block(node);
            self.graph.set_returns(branch, returns);
        }
        types.iter().map(|ty| self.output(node, ty)).collect()
    }
}

/// Merges every `If` on a flag into the `If` right before it, where each branch of that one knows the flag; what stands
/// in blocks first.
fn merge_selections(graph: &mut Graph, block: BlockId) {
    let end = graph.return_node(block);
    let mut at = graph.next(graph.param_node(block));
    while let Some(node) = at.filter(|node| *node != end) {
        for inner in graph.node(node).blocks().to_vec() {
            deep(|| merge_selections(graph, inner));
        }
        // One that took in its neighbour may take in the next one, too.
        if !(graph.node(node).is(Prim::If) && merge_next(graph, node)) {
            at = graph.next(node);
        }
    }
}

/// Merges the `If` behind this one into it, if it can.
fn merge_next(graph: &mut Graph, first: NodeId) -> bool {
    let Some(second) = graph.next(first).filter(|n| graph.node(*n).is(Prim::If)) else {
        return false;
    };
    let flag = graph.value(graph.node(second).inputs()[0]);
    if flag.node() != first {
        return false;
    }
    let index = flag.index();
    let blocks = [0, 1].map(|i| graph.node(first).blocks()[i]);
    let known = blocks.map(|block| known_bool(graph, graph.returns(block)[index]));
    let [Some(a), Some(b)] = known else {
        return false;
    };
    let chosen = [a, b].map(|known| graph.node(second).blocks()[usize::from(!known)]);
    let mut results = Vec::new();
    for (target, source) in blocks.into_iter().zip(chosen) {
        let outputs = graph.node(first).outputs().iter().copied();
        let mut map: HashMap<ValueId, ValueId> =
            outputs.zip(graph.returns(target).iter().copied()).collect();
        let end = graph.return_node(target);
        for node in graph.nodes(source) {
            graph.clone_with_block(end, node, &mut map);
        }
        let of = |value: &ValueId| map.get(value).copied().unwrap_or(*value);
        results.push(graph.returns(source).iter().map(of).collect::<Vec<_>>());
    }
    for (target, values) in blocks.into_iter().zip(results) {
        for value in values {
            graph.add_return(target, value);
        }
    }
    for old in graph.node(second).outputs().to_vec() {
        let new = graph.add_output(first, graph.ty(old).clone(), None);
        graph.replace_all_uses(old, new);
    }
    graph.remove(second);
    true
}

fn known_bool(graph: &Graph, value: ValueId) -> Option<bool> {
    graph.constant(value).and_then(|v| v.as_bool().ok())
}

/// Turns counted loops whose body decides whether to go on into `while` loops with a counter.
fn count_broken_loops(
    graph: &mut Graph,
    table: &'static OperatorTable,
    span: &Span,
) -> Outcome<()> {
    for node in inner_first(graph, Prim::Loop) {
        let most = graph.node(node).inputs()[0];
        let body = graph.node(node).blocks()[0];
        let endless = graph.constant(most).and_then(|v| v.as_int().ok()) == Some(i64::MAX);
        let again = graph.returns(body)[0];
        let raises = graph
            .node(graph.value(again).node())
            .is(Prim::Uninitialized);
        let always = raises || known_bool(graph, again) == Some(true);
        if !endless && !always {
            count(graph, node, table, span)?;
        }
    }
    Ok(())
}

/// Appends or inserts calls on ints and bools.
struct Place<'g> {
    graph: &'g mut Graph,
    table: &'static OperatorTable,
    span: &'g Span,
    before: NodeId,
}

impl Place<'_> {
    fn constant(&mut self, value: i64) -> ValueId {
        self.graph
            .constant_before(self.before, value.into(), Type::Int)
    }

    fn call(&mut self, operator: &str, inputs: [ValueId; 2], output: Type) -> Outcome<ValueId> {
        let Some(op) = self.table.find(operator) else {
            return Err(problem(
                "unknown-builtin",
                format!("Unknown builtin op: {operator}."),
                self.span,
            ));
        };
        let node = self.graph.create(op, &inputs, &[output]);
        self.graph.insert_before(self.before, node);
        Ok(self.graph.node(node).outputs()[0])
    }
}

fn count(
    graph: &mut Graph,
    node: NodeId,
    table: &'static OperatorTable,
    span: &Span,
) -> Outcome<()> {
    let body = graph.node(node).blocks()[0];
    let (length, start) = (graph.node(node).inputs()[0], graph.node(node).inputs()[1]);
    let starts = known_bool(graph, start) == Some(true);
    let end = graph.return_node(body);

    let mut outside = Place {
        graph,
        table,
        span,
        before: node,
    };
    let zero = outside.constant(0);
    let one = outside.constant(1);
    let mut enters = outside.call("aten::gt.int", [length, zero], Type::Bool)?;
    if !starts {
        enters = outside.call("aten::__and__.bool", [enters, start], Type::Bool)?;
    }
    let most = outside.constant(i64::MAX);
    graph.set_input(node, 0, most);
    graph.set_input(node, 1, enters);
    graph.push_input(node, zero);
    graph.add_output(node, Type::Int, None);
    let counter = graph.add_param(body, Type::Int, None);
    let index = graph.params(body)[0];
    graph.replace_all_uses(index, counter);
    graph.clear_name(index);

    let again = graph.returns(body)[0];
    let mut inside = Place {
        graph,
        table,
        span,
        before: end,
    };
    let next = inside.call("aten::add.int", [counter, one], Type::Int)?;
    let below = inside.call("aten::lt.int", [next, length], Type::Bool)?;
    let again = inside.call("aten::__and__.bool", [below, again], Type::Bool)?;
    graph.set_input(end, 0, again);
    graph.add_return(body, next);
    Ok(())
}

/// All nodes of a kind, those of nested blocks before the node they are nested in.
pub(super) fn inner_first(graph: &Graph, kind: Prim) -> Vec<NodeId> {
    // Backwards: a node, then its blocks from the last one on; reversed, blocks come first.
    let mut out = Vec::new();
    let mut stack = graph.nodes(graph.top());
    while let Some(node) = stack.pop() {
        if graph.node(node).is(kind) {
            out.push(node);
        }
        for &block in graph.node(node).blocks() {
            stack.extend(graph.nodes(block));
        }
    }
    out.reverse();
    out
}
