//! Statements: one file per family.

mod assign;
mod augment;
pub(crate) mod branch;
mod exit;
pub(super) mod repeat;
mod scope;

use super::Emitter;
use crate::Outcome;
use crate::Sugared;
use crate::error::{problem, unsupported_node};
use crate::script::environment::Bound;
use crate::script::recover::follows;
use crate::script::refusal;
use crate::sugared::local::LocalFunction;
use rushlight_syntax::tree::{Def, Stmt, StmtKind};
use std::rc::Rc;

impl Emitter<'_> {
    fn local_function(&mut self, def: &Def) {
        let function = LocalFunction {
            def: Rc::new(def.clone()),
        };
        let function = Bound::Fixed(Sugared::special(function));
        self.env.bind(&def.name.name, function);
    }

    /// Emits statements until one leaves the block.
    pub(crate) fn statements(&mut self, body: &[Stmt]) -> Outcome<()> {
        self.bodies += 1;
        for statement in body {
            self.compiler.poll();
            let (bodies, outside) = (self.bodies, self.outside());
            let refused = match self.compiler.checks(statement.span.source()) {
                true => refusal::check_alone(statement),
                false => Ok(()),
            };
            if let Err(problem) = refused.and_then(|()| self.statement(statement)) {
                self.recover(statement, problem, bodies, &outside)?;
            }
            if self.exited {
                break;
            }
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Stmt) -> Outcome<()> {
        let span = &statement.span;
        self.pending = span.clone();
        self.nested(span, |e| match &statement.kind {
            StmtKind::Assign(assign) => e.assign_statement(assign, span),
            StmtKind::AnnAssign {
                target,
                annotation,
                value,
            } => e.annotated_assign(target, annotation, value.as_ref(), span),
            StmtKind::AugAssign { target, op, value } => {
                e.augmented_assign(target, *op, value, span)
            }
            StmtKind::If(branch) => e.if_statement(branch, span),
            StmtKind::While(while_) => e.while_statement(while_, span),
            StmtKind::For(for_) => e.for_statement(for_, span),
            StmtKind::With(with) => e.with_statement(with, span),
            StmtKind::Return(value) => e.return_statement(value.as_ref(), span),
            StmtKind::Raise { exception, .. } => e.raise_statement(exception.as_ref(), span),
            StmtKind::Assert { test, message } => e.assert_statement(test, message.as_ref(), span),
            StmtKind::Break => e.break_statement(span),
            StmtKind::Continue => e.continue_statement(span),
            StmtKind::Delete(targets) => e.delete_statement(targets),
            StmtKind::Pass => Ok(()),
            StmtKind::Expr(expr) => e.sugared(expr, None).map(drop),
            StmtKind::Def(def) if e.resolver.has_local_functions() => {
                e.local_function(def);
                Ok(())
            }
            StmtKind::Def(_)
            | StmtKind::Class(_)
            | StmtKind::Global(_)
            | StmtKind::Nonlocal(_)
            | StmtKind::Try(_)
            | StmtKind::Import(_)
            | StmtKind::ImportFrom(_)
            | StmtKind::Match { .. }
            | StmtKind::TypeAlias { .. } => Err(unsupported_node(statement.node_name(), span)),
            StmtKind::Invalid if e.compiler.is_checking() => Err(follows(span)),
            StmtKind::Invalid => Err(problem("syntax", "this statement could not be read", span)),
        })
    }
}
