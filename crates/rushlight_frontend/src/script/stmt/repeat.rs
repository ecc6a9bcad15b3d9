//! `while` and `for`: one `Loop` node that carries the variables which its body assigns.

use crate::error::{problem, unsupported_node};
use crate::script::BoundBy;
use crate::script::emitter::LoopScope;
use crate::script::environment::Variable;
use crate::script::joins::{self, Step};
use crate::script::{Condition, Emitter};
use crate::sugared::iterable::{Counted, Iteration};
use crate::{Outcome, Sugared};
use rushlight_ir::{NodeId, Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_syntax::tree::{CompareOp, Expr, ExprKind, For, Stmt, StmtKind, UnaryOp, While};
use rushlight_types::Type;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// The names that statements assign, nested statements included.
pub(crate) fn assigned_names(body: &[Stmt]) -> BTreeSet<Arc<str>> {
    let mut out = BTreeSet::new();
    let mut pending: Vec<&Stmt> = body.iter().collect();
    while let Some(statement) = pending.pop() {
        match &statement.kind {
            StmtKind::Assign(assign) => assign
                .targets
                .iter()
                .for_each(|t| target_names(t, &mut out)),
            StmtKind::AnnAssign { target, .. } | StmtKind::AugAssign { target, .. } => {
                target_names(target, &mut out)
            }
            StmtKind::For(for_) => {
                target_names(&for_.target, &mut out);
                pending.extend(&for_.body);
            }
            StmtKind::While(while_) => pending.extend(&while_.body),
            StmtKind::If(branch) => pending.extend(branch.body.iter().chain(&branch.orelse)),
            StmtKind::With(with) => {
                with.items
                    .iter()
                    .filter_map(|i| i.target.as_ref())
                    .for_each(|t| target_names(t, &mut out));
                pending.extend(&with.body);
            }
            _ => {}
        }
    }
    out
}

/// The names that conditions of statements in a loop's body may say more about.
fn refined_names(body: &[Stmt]) -> BTreeSet<Arc<str>> {
    let mut out = BTreeSet::new();
    let mut pending: Vec<&Stmt> = body.iter().collect();
    while let Some(statement) = pending.pop() {
        match &statement.kind {
            StmtKind::If(branch) => {
                tested_names(&branch.test, &mut out);
                pending.extend(branch.body.iter().chain(&branch.orelse));
            }
            StmtKind::Assert { test, .. } => tested_names(test, &mut out),
            StmtKind::For(for_) => pending.extend(&for_.body),
            StmtKind::While(while_) => pending.extend(&while_.body),
            StmtKind::Assign(assign) => chosen_names(&assign.value, &mut out),
            StmtKind::AugAssign { value, .. } => chosen_names(value, &mut out),
            StmtKind::AnnAssign {
                value: Some(value), ..
            } => chosen_names(value, &mut out),
            StmtKind::Expr(value) => chosen_names(value, &mut out),
            StmtKind::With(with) => pending.extend(&with.body),
            _ => {}
        }
    }
    out
}

/// The names in `name is None`, `isinstance(name, ...)` and what is built of them.
fn tested_names(test: &Expr, out: &mut BTreeSet<Arc<str>>) {
    let mut pending = vec![test];
    while let Some(expr) = pending.pop() {
        match &expr.kind {
            ExprKind::Name(name) => {
                out.insert(name.clone());
            }
            ExprKind::Unary { operand, .. } => pending.push(operand),
            ExprKind::Bool { values, .. } => pending.extend(values),
            ExprKind::Compare { left, rest } => {
                pending.push(left);
                pending.extend(rest.iter().map(|(_, right)| right));
            }
            ExprKind::Call(call) => pending.extend(call.args.first()),
            _ => {}
        }
    }
}

/// The names that conditions inside an expression say more about: `a if x is None else b`, `x is None or ..`.
fn chosen_names(expr: &Expr, out: &mut BTreeSet<Arc<str>>) {
    let mut pending = vec![expr];
    while let Some(expr) = pending.pop() {
        match &expr.kind {
            ExprKind::IfExp { test, body, orelse } => {
                tested_names(test, out);
                pending.extend([&**body, &**orelse]);
            }
            ExprKind::Bool { .. } => tested_names(expr, out),
            ExprKind::Unary { operand, .. } => pending.push(operand),
            ExprKind::Binary { left, right, .. } => pending.extend([&**left, &**right]),
            ExprKind::Compare { left, rest } => {
                pending.push(left);
                pending.extend(rest.iter().map(|(_, right)| right));
            }
            ExprKind::Call(call) => {
                pending.extend(&call.args);
                pending.extend(call.keywords.iter().map(|k| &k.value));
            }
            ExprKind::Tuple { elements, .. } | ExprKind::List(elements) => {
                pending.extend(elements);
            }
            ExprKind::Subscript { value, index } => pending.extend([&**value, &**index]),
            _ => {}
        }
    }
}

pub(crate) fn target_names(target: &Expr, out: &mut BTreeSet<Arc<str>>) {
    match &target.kind {
        ExprKind::Name(name) => {
            out.insert(name.clone());
        }
        ExprKind::Tuple { elements, .. } | ExprKind::List(elements) => {
            elements.iter().for_each(|e| target_names(e, out));
        }
        ExprKind::Starred(inner) => target_names(inner, out),
        _ => {}
    }
}

impl Emitter<'_> {
    pub(super) fn while_statement(&mut self, while_: &While, span: &Span) -> Outcome<()> {
        if !while_.orelse.is_empty() {
            return Err(unsupported_node("else branches of while loops", span));
        }
        let most = self.literal(i64::MAX, span);
        self.pending = while_.test.span.clone();
        let (condition, before) = self.noting(|e| e.loop_condition(&while_.test))?;
        let test = Rc::new(while_.test.clone());
        let names = assigned_names(&while_.body);
        let names = self.with_refined(names, &while_.body);
        let continued = std::mem::take(&mut self.continued);
        // What the condition says of variables does not hold inside, as in the reference.
        let (node, inside) =
            self.emit_loop(most, condition.value, names, Some(test), span, |e, _| {
                e.statements(&while_.body)
            })?;
        joins::hand_over(&mut self.graph, &before, &inside);
        let original = joins::inside(&before, &inside);
        for (statement, steps) in std::mem::replace(&mut self.continued, continued) {
            self.joins.repeat(statement, steps, original.clone());
        }
        self.joins.condition(node, before, original);
        Ok(())
    }

    /// The condition of a loop, which is taken for a value first and then for its truth.
    fn loop_condition(&mut self, test: &Expr) -> Outcome<Condition> {
        let condition = self.condition(test)?;
        let is_composed = match &test.kind {
            ExprKind::Bool { .. }
            | ExprKind::Unary {
                op: UnaryOp::Not, ..
            } => true,
            ExprKind::Compare { rest, .. } => {
                rest.len() > 1 || matches!(rest[0].0, CompareOp::Is | CompareOp::IsNot)
            }
            _ => false,
        };
        if is_composed {
            self.count_condition();
        }
        Ok(condition)
    }

    /// Runs `body` and notes the values that it makes.
    fn noting<T>(&mut self, body: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<(T, Vec<Step>)> {
        let outer = self.reads.replace(Vec::new());
        let result = body(self);
        let steps = std::mem::replace(&mut self.reads, outer).unwrap_or_default();
        Ok((result?, steps))
    }

    pub(super) fn for_statement(&mut self, for_: &For, span: &Span) -> Outcome<()> {
        if !for_.orelse.is_empty() {
            return Err(unsupported_node("else branches of for loops", span));
        }
        if for_.is_async {
            return Err(unsupported_node("async for loops", span));
        }
        let iterable = self.sugared(&for_.iter, None)?;
        match iterable.iterate(self, span)? {
            Iteration::Unrolled(items) => self.unrolled(for_, items, span),
            Iteration::Counted(counted) => self.counted_loop(for_, &counted, span),
        }
    }

    fn counted_loop(&mut self, for_: &For, counted: &Rc<dyn Counted>, span: &Span) -> Outcome<()> {
        let length = counted.length(self, span)?;
        let start = self.constant(true, span);
        let mut names = assigned_names(&for_.body);
        target_names(&for_.target, &mut names);
        let names = self.with_refined(names, &for_.body);
        self.emit_loop(length, start, names, None, span, |e, index| {
            let element = counted.element(e, index, span)?;
            e.assign_element(&for_.target, element, span)?;
            e.statements(&for_.body)
        })
        .map(drop)
    }

    fn unrolled(&mut self, for_: &For, items: Vec<Sugared>, span: &Span) -> Outcome<()> {
        if items.is_empty() {
            return Ok(());
        }
        if let Some(exit) = first_exit(&for_.body) {
            return Err(problem(
                "unrolled-exit",
                "Because we emit iteration over modulelists or tuples as unrolled loops, we do not support break or continue inside the body of these loops",
                &exit,
            ));
        }
        for (i, item) in items.into_iter().enumerate() {
            self.literal(i as i64, &for_.iter.span);
            self.assign_element(&for_.target, item, span)?;
            self.statements(&for_.body)?;
            if self.exited {
                break;
            }
        }
        Ok(())
    }

    /// The assigned names and those of which the body may learn more: a refinement is a binding too.
    fn with_refined(&self, mut names: BTreeSet<Arc<str>>, body: &[Stmt]) -> BTreeSet<Arc<str>> {
        names.extend(refined_names(body).into_iter().filter(|name| {
            match self.env.find(name).map(|v| &v.value) {
                Some(Ok(Sugared::Value(v))) => {
                    matches!(self.ty(*v), Type::Optional(_) | Type::Union(_) | Type::Any)
                }
                _ => false,
            }
        }));
        names
    }

    /// Emits a `Loop`: `names` are the variables that the body may assign. Returns the node and what the condition at the
    /// end of the body makes.
    fn emit_loop(
        &mut self,
        most: ValueId,
        start: ValueId,
        names: BTreeSet<Arc<str>>,
        test: Option<Rc<Expr>>,
        span: &Span,
        body: impl FnOnce(&mut Self, ValueId) -> Outcome<()>,
    ) -> Outcome<(NodeId, Vec<Step>)> {
        let carried: Vec<(Arc<str>, ValueId, Variable)> = names
            .into_iter()
            .filter_map(|name| match self.env.find(&name) {
                Some(
                    variable @ Variable {
                        value: Ok(Sugared::Value(v)),
                        ..
                    },
                ) => Some((name, *v, variable.clone())),
                _ => None,
            })
            .collect();
        let mut inputs = vec![most, start];
        inputs.extend(carried.iter().map(|c| c.1));
        let types: Vec<Type> = carried
            .iter()
            .map(|(_, v, variable)| {
                self.held_type(variable)
                    .unwrap_or_else(|| self.ty(*v).clone())
            })
            .collect();
        let reads = self.reads.take();
        let node = self.unnumbered(|e| e.node(Prim::Loop, &inputs, &types, span));
        let block = self.graph.add_block(node);
        let index = self.graph.add_param(block, Type::Int, None);
        let params: Vec<ValueId> = self.unnumbered(|e| {
            let params = types
                .iter()
                .map(|ty| e.graph.add_param(block, ty.clone(), None));
            params.collect()
        });
        for (param, (name, ..)) in params.iter().zip(&carried) {
            self.joins.variable(*param, name);
        }
        let scope = LoopScope {
            carried: carried.iter().map(|c| c.0.clone()).collect(),
            test,
            start,
        };
        self.loops.push(scope.clone());
        let result = self.in_block(block, |e| {
            for ((name, _, _), (param, ty)) in carried.iter().zip(params.iter().zip(&types)) {
                let variable = Variable {
                    value: Ok(Sugared::Value(*param)),
                    declared: Some(ty.clone()),
                    by: BoundBy::Refined,
                };
                e.env.bind(name, variable);
            }
            // The body has a frame of its own, so that the carried variables count as outer ones.
            e.env.frames.push(Default::default());
            let result = body(e, index).and_then(|()| {
                if !e.exited {
                    return e.unnumbered(|e| e.next_iteration(&scope, span)).map(Some);
                }
                // A body that leaves does not get to its condition; what it carries is what it has assigned.
                let carried = e.carried_now(&scope, span).ok();
                Ok(carried.map(|values| ([&[scope.start], &*values].concat(), Vec::new())))
            });
            e.env.frames.pop();
            result
        });
        self.loops.pop();
        self.reads = reads;
        let (next, _, _) = result?;
        let inside = match next {
            Some((values, steps)) => {
                self.graph.set_returns(block, &values);
                steps
            }
            None => {
                self.unnumbered(|e| e.returns_never_reached(node, span));
                Vec::new()
            }
        };
        let outputs = self.graph.node(node).outputs().to_vec();
        for ((name, ..), out) in carried.into_iter().zip(outputs) {
            self.joins.variable(out, &name);
            let ty = self.ty(out).clone();
            self.env.bind(
                &name,
                Variable {
                    value: Ok(Sugared::Value(out)),
                    declared: Some(ty),
                    by: BoundBy::Looped,
                },
            );
        }
        Ok((node, inside))
    }

    /// The results of a loop body at its end or at `continue`: the next condition and the carried variables.
    pub(super) fn next_iteration(
        &mut self,
        scope: &LoopScope,
        span: &Span,
    ) -> Outcome<(Vec<ValueId>, Vec<Step>)> {
        let (again, steps) = match &scope.test {
            Some(test) => self.noting(|e| Ok(e.loop_condition(&test.clone())?.value))?,
            None => (scope.start, Vec::new()),
        };
        let mut values = vec![again];
        values.extend(self.carried_now(scope, span)?);
        Ok((values, steps))
    }

    /// The carried variables as they are here.
    pub(super) fn carried_now(&mut self, scope: &LoopScope, span: &Span) -> Outcome<Vec<ValueId>> {
        self.unnumbered(|e| {
            let now = |name: &Arc<str>| e.name(name, span)?.as_value(e, span);
            scope.carried.iter().map(now).collect()
        })
    }

    fn returns_never_reached(&mut self, node: NodeId, span: &Span) {
        let block = self.graph.node(node).blocks()[0];
        let types: Vec<Type> = self
            .graph
            .node(node)
            .outputs()
            .iter()
            .map(|&o| self.ty(o).clone())
            .collect();
        let mut values = Vec::new();
        for ty in std::iter::once(Type::Bool).chain(types) {
            let filler = self.graph.create(Prim::Uninitialized, &[], &[ty]);
            self.graph.set_span(filler, Some(span.clone()));
            self.graph.prepend(block, filler);
            values.push(self.graph.node(filler).outputs()[0]);
        }
        self.graph.set_returns(block, &values);
    }

    /// A list of the elements of a counted iteration.
    pub(crate) fn collect_list(
        &mut self,
        counted: &Rc<dyn Counted>,
        span: &Span,
    ) -> Outcome<ValueId> {
        let list = self.list(Type::TENSOR, &[], span);
        self.collect_with(list, counted, span, |e, element, _| {
            e.graph.pass_over(None);
            Ok(element)
        })?;
        Ok(list)
    }

    /// `[f(x) for x in counted]`: the list starts empty and each step appends to it.
    pub(crate) fn collect_with(
        &mut self,
        list: ValueId,
        counted: &Rc<dyn Counted>,
        span: &Span,
        each: impl FnOnce(&mut Self, Sugared, &Span) -> Outcome<Sugared>,
    ) -> Outcome<()> {
        let length = counted.length(self, span)?;
        let start = self.constant(true, span);
        let node = self.node(Prim::Loop, &[length, start], &[], span);
        let block = self.graph.add_block(node);
        let index = self.graph.add_param(block, Type::Int, None);
        let ((), _, _) = self.in_block(block, |e| {
            let element = counted.element(e, index, span)?;
            let value = each(e, element, span)?.as_value(e, span)?;
            let ty = e.ty(value).clone();
            e.graph.set_type(list, Type::list(ty));
            e.builtin("aten::append", &[list, value], span)?;
            e.graph.set_returns(block, &[start]);
            Ok(())
        })?;
        Ok(())
    }
}

/// The first statement that breaks or continues the loop that the statements are the body of.
fn first_exit(body: &[Stmt]) -> Option<Span> {
    let mut pending: Vec<&Stmt> = body.iter().collect();
    while let Some(statement) = pending.pop() {
        match &statement.kind {
            StmtKind::Break | StmtKind::Continue => return Some(statement.span.clone()),
            StmtKind::If(branch) => pending.extend(branch.body.iter().chain(&branch.orelse)),
            StmtKind::With(with) => pending.extend(&with.body),
            _ => {}
        }
    }
    None
}
