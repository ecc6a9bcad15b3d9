//! From `return`, `break` and `continue` statements to structured control flow.
//!
//! Two sweeps over the graph do the same thing for different targets: first every loop takes in its `break` and
//! `continue` statements, then the function its `return` statements. A sweep works out how each block ends ([`End`]).
//! Where one branch of an `If` leaves and the other goes on, what follows the `If` moves into the branch that goes on:
//!
//! ```python
//! if c:                    if c:
//!     return 1       ->        r = 1
//! return f(x)              else:
//!                              r = f(x)
//! ```
//!
//! Where only a flag knows whether control has left, what follows is guarded by an `If` on that flag, and a loop
//! carries flag and values. Values that nobody looks at are `prim::Uninitialized`. Last, `for` loops whose body decides
//! whether to go on become counting `while` loops.

use crate::Outcome;
use crate::error::problem;
use rushlight_ir::{BlockId, Graph, NodeId, Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_types::{OperatorTable, Type, unify};

/// Makes the graph free of exit statements; `returned` is the type of the function's result.
pub fn structure(
    graph: &mut Graph,
    returned: &Type,
    table: &'static OperatorTable,
    span: &Span,
) -> Outcome<()> {
    let mut selections = Sweep::new(graph, Kind::Loops, span).run(returned)?;
    selections.extend(Sweep::new(graph, Kind::Function, span).run(returned)?);
    for node in selections {
        merge_selection(graph, node);
    }
    count_broken_loops(graph, table, span)
}

/// What the statements of a sweep leave.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Loops,
    Function,
}

/// How control gets to the end of a block or past a node.
enum End {
    /// It does, always.
    Falls,
    /// Never: an exception is raised.
    Raises,
    /// Never: the target is left with these values.
    Leaves(Vec<ValueId>),
    /// Unless `flag` is true, in which case the target has been left with `values`.
    Maybe { flag: ValueId, values: Vec<ValueId> },
}

/// Blocks nest at most this deep: every sequel of an `if` that returns adds a level.
const MAX_DEPTH: usize = 500;

struct Sweep<'g> {
    graph: &'g mut Graph,
    kind: Kind,
    span: &'g Span,
    truth: ValueId,
    falsity: ValueId,
    /// Values for branches that have left, one per type.
    fillers: Vec<(Type, ValueId)>,
    /// The `If` nodes that choose between the values of an exit and those of going on.
    selections: Vec<NodeId>,
    /// The values that say whether the enclosing loops are entered, innermost last.
    starts: Vec<ValueId>,
    /// Branches that hold the end of a loop's body.
    tails: Vec<BlockId>,
    depth: usize,
}

impl<'g> Sweep<'g> {
    fn new(graph: &'g mut Graph, kind: Kind, span: &'g Span) -> Sweep<'g> {
        let mut constant = |value: bool| {
            let node = graph.create_constant(value.into(), Type::Bool);
            graph.prepend(graph.top(), node);
            graph.node(node).outputs()[0]
        };
        let falsity = constant(false);
        let truth = constant(true);
        let mut sweep = Sweep {
            graph,
            kind,
            span,
            truth,
            falsity,
            fillers: Vec::new(),
            selections: Vec::new(),
            starts: Vec::new(),
            tails: Vec::new(),
            depth: 0,
        };
        sweep.filler(&Type::Bool);
        sweep
    }

    /// Sweeps the graph and returns the selections that were made on the way.
    fn run(mut self, returned: &Type) -> Outcome<Vec<NodeId>> {
        let top = self.graph.top();
        let end = self.block(top)?;
        if self.kind == Kind::Loops {
            return Ok(self.selections);
        }
        let result = match end {
            End::Leaves(values) => values[0],
            End::Raises => self.filler(returned),
            End::Falls | End::Maybe { .. } => {
                return Err(problem(
                    "missing-return",
                    "the function does not return along all paths",
                    self.span,
                ));
            }
        };
        self.graph.set_returns(top, &[result]);
        Ok(self.selections)
    }

    fn filler(&mut self, ty: &Type) -> ValueId {
        if let Some((_, value)) = self.fillers.iter().find(|(t, _)| t == ty) {
            return *value;
        }
        let node = self
            .graph
            .create(Prim::Uninitialized, &[], std::slice::from_ref(ty));
        self.graph.prepend(self.graph.top(), node);
        let value = self.graph.node(node).outputs()[0];
        self.fillers.push((ty.clone(), value));
        value
    }

    fn block(&mut self, block: BlockId) -> Outcome<End> {
        let first = self
            .graph
            .next(self.graph.param_node(block))
            .expect("a block has a Return node");
        self.block_from(block, first)
    }

    /// The end of a block, walking from a node on.
    fn block_from(&mut self, block: BlockId, first: NodeId) -> Outcome<End> {
        if self.depth >= MAX_DEPTH {
            return Err(problem(
                "too-deep",
                "control flow is nested too deeply to compile",
                self.span,
            ));
        }
        self.depth += 1;
        let end = self.walk(block, first);
        self.depth -= 1;
        end
    }

    fn walk(&mut self, block: BlockId, first: NodeId) -> Outcome<End> {
        let last = self.graph.return_node(block);
        let mut at = first;
        while at != last {
            let end = self.node(block, at)?;
            match end {
                End::Falls => at = self.graph.next(at).expect("the Return node comes last"),
                End::Leaves(_) | End::Raises => {
                    self.cut(block, at);
                    return Ok(end);
                }
                End::Maybe { flag, values } => {
                    if self.has_sequel(block, at) {
                        return self.guard(at, flag, values);
                    }
                    return Ok(End::Maybe { flag, values });
                }
            }
        }
        Ok(End::Falls)
    }

    fn node(&mut self, block: BlockId, node: NodeId) -> Outcome<End> {
        if self.graph.node(node).is(Prim::If) {
            let blocks = self.graph.node(node).blocks();
            let (then, otherwise) = (blocks[0], blocks[1]);
            let ends = [self.block(then)?, self.block(otherwise)?];
            return self.branch(block, node, ends);
        }
        if self.graph.node(node).is(Prim::Loop) {
            return self.repeat(node);
        }
        if self.is_statement(node) {
            let mut values = self.graph.node(node).inputs().to_vec();
            if self.kind == Kind::Loops {
                values[0] = self.shared_condition(values[0]);
            }
            return Ok(End::Leaves(values));
        }
        let raises = self.graph.node(node).is_op("prim::RaiseException");
        Ok(if raises { End::Raises } else { End::Falls })
    }

    /// The one constant that stands for a condition that is known: of `break`, and of loops that always go on.
    fn shared_condition(&self, again: ValueId) -> ValueId {
        match (known_bool(self.graph, again), self.starts.last()) {
            (Some(false), _) => self.falsity,
            (Some(true), Some(&start)) if known_bool(self.graph, start) == Some(true) => start,
            _ => again,
        }
    }

    /// Whether a node is a statement of this sweep; those of the other sweep are nodes like any other.
    fn is_statement(&self, node: NodeId) -> bool {
        let node = self.graph.node(node);
        match self.kind {
            Kind::Function => node.is(Prim::ReturnStmt),
            Kind::Loops => node.is(Prim::BreakStmt) || node.is(Prim::ContinueStmt),
        }
    }

    /// Drops what stands behind a node that is never passed, and the node itself where it is a statement of this sweep.
    fn cut(&mut self, block: BlockId, node: NodeId) {
        let leaves = self.is_statement(node);
        let mut doomed = self.after(block, node);
        let mut returns = self.graph.returns(block).to_vec();
        for value in &mut returns {
            let source = self.graph.value(*value).node();
            let blank = self.graph.node(source).is(Prim::Uninitialized);
            // What emission put there for `break` and `continue` stays, and so does what the earlier sweep put there.
            let stays = match self.kind {
                Kind::Loops => !blank && leaves,
                Kind::Function => !leaves,
            };
            if !stays || doomed.contains(&source) {
                let ty = self.graph.ty(*value).clone();
                *value = self.filler(&ty);
            }
        }
        self.graph.set_returns(block, &returns);
        if leaves {
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

    /// Whether anything that does something follows a node; constants that follow go before it.
    fn has_sequel(&mut self, block: BlockId, node: NodeId) -> bool {
        let rest = self.after(block, node);
        let idle = |n: &NodeId| {
            let node = self.graph.node(*n);
            node.is(Prim::Constant) || node.is(Prim::Uninitialized)
        };
        // A `while` computes its condition at the end of its body, even one that is constant.
        let ends_while = !rest.is_empty()
            && self.graph.block(block).owner().is_some_and(|owner| {
                rushlight_ir::analysis::effect::may_be_endless(self.graph, owner)
            });
        if ends_while || !rest.iter().all(idle) {
            return true;
        }
        for constant in rest {
            self.graph.move_before(node, constant);
        }
        false
    }

    /// Puts what follows `node` under an `If` on the flag.
    fn guard(&mut self, node: NodeId, flag: ValueId, values: Vec<ValueId>) -> Outcome<End> {
        let guard = self.graph.create(Prim::If, &[flag], &[]);
        self.graph.insert_after(node, guard);
        self.graph.add_block(guard);
        self.graph.add_block(guard);
        let block = self
            .graph
            .node(node)
            .block()
            .expect("the node stands in a block");
        self.branch(block, guard, [End::Leaves(values), End::Falls])
    }

    /// The end of an `If` whose branches end so.
    fn branch(&mut self, block: BlockId, node: NodeId, mut ends: [End; 2]) -> Outcome<End> {
        let open = match &ends {
            [End::Falls | End::Raises, End::Falls | End::Raises] => {
                return Ok(match &ends {
                    [End::Raises, End::Raises] => End::Raises,
                    _ => End::Falls,
                });
            }
            [End::Leaves(_), End::Falls] => Some(1),
            [End::Falls, End::Leaves(_)] => Some(0),
            _ => None,
        };
        if let Some(open) = open
            && self.has_sequel(block, node)
        {
            if let End::Leaves(values) = &ends[1 - open] {
                for ty in values
                    .iter()
                    .map(|v| self.graph.ty(*v).clone())
                    .collect::<Vec<_>>()
                {
                    self.filler(&ty);
                }
            }
            ends[open] = self.absorb(block, node, open)?;
            return Ok(self.join(
                node,
                ends,
                self.kind == Kind::Function && self.ends_body(block),
            ));
        }
        Ok(self.join(node, ends, false))
    }

    /// Moves what follows an `If` into its branch number `open`; the `If` then gives the results of the block.
    fn absorb(&mut self, block: BlockId, node: NodeId, open: usize) -> Outcome<End> {
        let rest = self.after(block, node);
        let target = self.graph.node(node).blocks()[open];
        let other = self.graph.node(node).blocks()[1 - open];
        if self.ends_body(block) {
            self.tails.push(target);
        }
        let end = self.graph.return_node(target);
        for &moved in &rest {
            self.graph.move_before(end, moved);
        }
        for i in (0..self.graph.node(node).outputs().len()).rev() {
            let (output, inside) = (
                self.graph.node(node).outputs()[i],
                self.graph.returns(target)[i],
            );
            self.graph.replace_all_uses(output, inside);
            self.graph.remove_output(node, i);
        }
        let results = self.graph.returns(block).to_vec();
        self.graph.set_returns(target, &results);
        self.graph.set_returns(other, &[]);
        for (i, &result) in results.iter().enumerate() {
            let ty = self.graph.ty(result).clone();
            let filler = self.filler(&ty);
            self.graph.add_return(other, filler);
            let name = self.graph.value(result).name.clone();
            let output = self.graph.add_output(node, ty, name.as_deref());
            self.graph
                .set_input(self.graph.return_node(block), i, output);
        }
        self.block_from(target, rest[0])
    }

    /// Whether the results of a block are those of a loop's body.
    fn ends_body(&self, block: BlockId) -> bool {
        let owner = self.graph.block(block).owner();
        self.tails.contains(&block) || owner.is_some_and(|n| self.graph.node(n).is(Prim::Loop))
    }

    /// Gives an `If` that may leave the outputs that say so: a flag, unless it always leaves, and the values. They come
    /// first; where the `If` gives the results of a loop's body, the condition of the loop goes between the two.
    fn join(&mut self, node: NodeId, ends: [End; 2], for_body: bool) -> End {
        let always = ends
            .iter()
            .all(|e| matches!(e, End::Leaves(_) | End::Raises));
        let parts = ends.map(|end| self.parts(end));
        let known = |i: usize| parts[i].1.as_ref();
        let types: Vec<Type> = match (known(0), known(1)) {
            (Some(a), Some(b)) => a
                .iter()
                .zip(b)
                .map(|(a, b)| self.common_type(*a, *b))
                .collect(),
            (Some(v), None) | (None, Some(v)) => {
                v.iter().map(|v| self.graph.ty(*v).clone()).collect()
            }
            (None, None) => Vec::new(),
        };
        let skip = usize::from(!always) + usize::from(!always && for_body);
        for (i, (flag, values)) in parts.into_iter().enumerate() {
            let block = self.graph.node(node).blocks()[i];
            let values = values.unwrap_or_else(|| types.iter().map(|t| self.filler(t)).collect());
            if !always {
                self.graph.insert_return(block, 0, flag);
            }
            for (j, value) in values.into_iter().enumerate() {
                self.graph.insert_return(block, skip + j, value);
            }
        }
        let flag = (!always).then(|| self.graph.insert_output(node, 0, Type::Bool));
        let mut values = Vec::new();
        for (j, ty) in types.into_iter().enumerate() {
            values.push(self.graph.insert_output(node, skip + j, ty));
        }
        match flag {
            None => End::Leaves(values),
            Some(flag) => End::Maybe { flag, values },
        }
    }

    /// The flag of an end and, where the target may have been left, its values.
    fn parts(&mut self, end: End) -> (ValueId, Option<Vec<ValueId>>) {
        match end {
            End::Falls => (self.falsity, None),
            End::Raises => (self.filler(&Type::Bool), None),
            End::Leaves(values) => (self.truth, Some(values)),
            End::Maybe { flag, values } => (flag, Some(values)),
        }
    }

    fn common_type(&self, a: ValueId, b: ValueId) -> Type {
        let (a, b) = (self.graph.ty(a), self.graph.ty(b));
        unify(a, b, true).unwrap_or_else(|| a.clone())
    }

    fn repeat(&mut self, node: NodeId) -> Outcome<End> {
        let body = self.graph.node(node).blocks()[0];
        self.starts.push(self.graph.node(node).inputs()[1]);
        if self.kind == Kind::Loops {
            let again = self.shared_condition(self.graph.returns(body)[0]);
            self.graph.set_input(self.graph.return_node(body), 0, again);
        }
        let end = self.block(body)?;
        let after = match self.kind {
            Kind::Loops => {
                self.take_in(body, end);
                End::Falls
            }
            Kind::Function => self.carry(node, body, end),
        };
        self.starts.pop();
        Ok(after)
    }

    /// The results of a loop body that breaks or continues.
    fn take_in(&mut self, body: BlockId, end: End) {
        match end {
            End::Falls => {
                let again = self.shared_condition(self.graph.returns(body)[0]);
                self.graph.set_input(self.graph.return_node(body), 0, again);
            }
            // Never looked at, so that the loop may as well be an ordinary one.
            End::Raises => {
                let again = self.starts.last().copied().unwrap_or(self.truth);
                self.graph.set_input(self.graph.return_node(body), 0, again);
            }
            End::Leaves(values) => self.graph.set_returns(body, &values),
            End::Maybe { flag, values } => {
                let normal = self.graph.returns(body).to_vec();
                let results = self.select(body, flag, &values, &normal);
                self.graph.set_returns(body, &results);
            }
        }
    }

    /// Makes a loop whose body returns carry the flag and the values, and stop.
    fn carry(&mut self, node: NodeId, body: BlockId, end: End) -> End {
        let (flag, values, again) = match end {
            End::Falls | End::Raises => return End::Falls,
            End::Leaves(values) => (self.truth, values, self.falsity),
            End::Maybe { flag, values } => {
                let again = self.graph.returns(body)[0];
                let again = self.select(body, flag, &[self.falsity], &[again])[0];
                (flag, values, again)
            }
        };
        self.graph.set_input(self.graph.return_node(body), 0, again);
        let mut outputs = Vec::new();
        for (i, value) in std::iter::once(flag).chain(values).enumerate() {
            let ty = self.graph.ty(value).clone();
            let initial = if i == 0 {
                self.falsity
            } else {
                self.filler(&ty)
            };
            self.graph.insert_input(node, 2 + i, initial);
            self.graph.insert_param(body, 1 + i, ty.clone());
            self.graph.insert_return(body, 1 + i, value);
            outputs.push(self.graph.insert_output(node, i, ty));
        }
        let values = outputs.split_off(1);
        End::Maybe {
            flag: outputs[0],
            values,
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
        let types: Vec<Type> = left
            .iter()
            .zip(normal)
            .map(|(l, n)| self.common_type(*l, *n))
            .collect();
        let node = self.graph.create(Prim::If, &[flag], &types);
        self.graph.append(block, node);
        for returns in [left, normal] {
            let branch = self.graph.add_block(node);
            self.graph.set_returns(branch, returns);
        }
        self.selections.push(node);
        self.graph.node(node).outputs().to_vec()
    }
}

/// Merges a selection by flag into the `If` right before it, where each branch of that one knows the flag.
fn merge_selection(graph: &mut Graph, node: NodeId) {
    let Some(first) = graph.prev(node).filter(|n| graph.node(*n).is(Prim::If)) else {
        return;
    };
    let flag = graph.value(graph.node(node).inputs()[0]);
    if flag.node() != first {
        return;
    }
    let index = flag.index();
    let known = |branch: usize| {
        let value = graph.returns(graph.node(first).blocks()[branch])[index];
        known_bool(graph, value)
    };
    let leaving = match (known(0), known(1)) {
        (Some(true), Some(false)) => 0,
        (Some(false), Some(true)) => 1,
        _ => return,
    };
    let inside = |value: ValueId, branch: usize| {
        let data = graph.value(value);
        match data.node() == first {
            true => graph.returns(graph.node(first).blocks()[branch])[data.index()],
            false => value,
        }
    };
    let blocks = graph.node(node).blocks();
    let left = graph.returns(blocks[0]).iter().map(|v| inside(*v, leaving));
    let normal = graph
        .returns(blocks[1])
        .iter()
        .map(|v| inside(*v, 1 - leaving));
    let pairs: Vec<(ValueId, ValueId)> = left.zip(normal).collect();
    for (i, (left, normal)) in pairs.into_iter().enumerate() {
        for (branch, value) in [(leaving, left), (1 - leaving, normal)] {
            let block = graph.node(first).blocks()[branch];
            graph.insert_return(block, i, value);
        }
        let old = graph.node(node).outputs()[i];
        let new = graph.insert_output(first, i, graph.ty(old).clone());
        graph.replace_all_uses(old, new);
    }
    graph.remove(node);
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
    for node in graph.all_nodes() {
        if !graph.node(node).is(Prim::Loop) {
            continue;
        }
        let most = graph.node(node).inputs()[0];
        let body = graph.node(node).blocks()[0];
        let endless = graph.constant(most).and_then(|v| v.as_int().ok()) == Some(i64::MAX);
        let always = known_bool(graph, graph.returns(body)[0]) == Some(true);
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
        let node = self.graph.create_constant(value.into(), Type::Int);
        self.graph.insert_before(self.before, node);
        self.graph.node(node).outputs()[0]
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
