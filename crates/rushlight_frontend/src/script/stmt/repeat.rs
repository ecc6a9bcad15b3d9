//! `while` and `for`: a `Loop` node with its body, and a block with its condition. What of the variables it carries is found
//! once the whole function is there.

use crate::error::{problem, unsupported_node};
use crate::script::Emitter;
use crate::sugared::iterable::{Counted, Iteration};
use crate::{Outcome, Sugared};
use rushlight_ir::{Prim, ValueId};
use rushlight_syntax::Span;
use rushlight_syntax::tree::{CompareOp, Expr, ExprKind, For, Stmt, StmtKind, UnaryOp, While};
use rushlight_types::Type;
use std::rc::Rc;

impl Emitter<'_> {
    pub(super) fn while_statement(&mut self, while_: &While, span: &Span) -> Outcome<()> {
        if !while_.orelse.is_empty() {
            return Err(unsupported_node("else branches of while loops", span));
        }
        let most = self.literal(i64::MAX, span);
        self.pending = while_.test.span.clone();
        // What the condition says of variables does not hold inside, as in the reference.
        self.emit_loop(most, span, Some(&while_.test), |e, _| {
            e.statements(&while_.body)
        })
    }

    /// The condition of a loop, which is taken for a value first and then for its truth.
    fn loop_condition(&mut self, test: &Expr) -> Outcome<ValueId> {
        let condition = self.loop_condition_of(test)?;
        let is_composed = match &test.kind {
            ExprKind::Bool { .. }
            | ExprKind::Unary {
                op: UnaryOp::Not, ..
            } => true,
            ExprKind::Compare { rest, .. } => {
                let is_condition =
                    |op| matches!(op, CompareOp::Is | CompareOp::IsNot | CompareOp::NotIn);
                rest.len() > 1 || is_condition(rest[0].0)
            }
            _ => false,
        };
        if is_composed {
            self.count_condition();
        }
        Ok(condition.value)
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
        self.emit_loop(length, span, None, |e, index| {
            let element = counted.element(e, index, span)?;
            e.assign_element(&for_.target, element, span)?;
            e.statements(&for_.body)
        })
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
            self.literal(i as i64, span);
            self.assign_element(&for_.target, item, span)?;
            self.statements(&for_.body)?;
            if self.exited {
                break;
            }
        }
        Ok(())
    }

    /// Emits a `Loop` that ends with its condition, or only with its length. The condition stands in a second block, from
    /// which [`crate::script::ssa`] takes it once the function is there.
    pub(crate) fn emit_loop(
        &mut self,
        most: ValueId,
        span: &Span,
        condition: Option<&Expr>,
        body: impl FnOnce(&mut Self, ValueId) -> Outcome<()>,
    ) -> Outcome<()> {
        let node = self.node(Prim::Loop, &[most], &[], span);
        let (inside, before) = (self.graph.add_block(node), self.graph.add_block(node));
        let again = match condition {
            Some(test) => self.within(before, |e| e.loop_condition(test))?,
            None => {
                let always = self.constant(true, span);
                let constant = self.graph.value(always).node();
                self.graph.move_before(node, constant);
                always
            }
        };
        self.graph.add_return(before, again);
        let index = self.graph.add_param(inside, Type::Int, None);
        self.loops += 1;
        let result = self.within(inside, |e| body(e, index));
        self.loops -= 1;
        result
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
        self.emit_loop(length, span, None, |e, index| {
            let element = counted.element(e, index, span)?;
            let value = each(e, element, span)?.as_value(e, span)?;
            let ty = e.ty(value).clone();
            e.graph.set_type(list, Type::list(ty));
            e.builtin("aten::append", &[list, value], span)?;
            Ok(())
        })
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
