//! Statements.

use ruff_python_ast as ast;
use ruff_text_size::{Ranged, TextRange};

use super::expr::binary_op;
use super::{Lowerer, MAX_BLOCK_DEPTH, MAX_ELIF_CHAIN};
use crate::diagnostic::{Diagnostic, ErrorKind};
use crate::source::Span;
use crate::stack::deep;
use crate::tree::{
    Alias, Assign, ExceptHandler, Expr, For, If, ImportFrom, MatchCase, Stmt, StmtKind, Try, While,
    With, WithItem,
};

impl Lowerer<'_> {
    pub(super) fn stmts(&mut self, stmts: &[ast::Stmt]) -> Vec<Stmt> {
        stmts.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    pub(super) fn stmt(&mut self, stmt: &ast::Stmt) -> Stmt {
        let range = stmt.range();
        let (kind, span) = match stmt {
            ast::Stmt::FunctionDef(node) => self.function(node),
            ast::Stmt::ClassDef(node) => self.class(node),
            ast::Stmt::Return(node) => self.return_stmt(node),
            ast::Stmt::Delete(node) => self.delete(node),
            ast::Stmt::TypeAlias(node) => self.type_alias(node),
            ast::Stmt::Assign(node) => self.assign(node),
            ast::Stmt::AugAssign(node) => self.aug_assign(node),
            ast::Stmt::AnnAssign(node) => self.ann_assign(node),
            ast::Stmt::For(node) => self.for_stmt(node),
            ast::Stmt::While(node) => self.while_stmt(node),
            ast::Stmt::If(node) => self.if_stmt(node),
            ast::Stmt::With(node) => self.with_stmt(node),
            ast::Stmt::Match(node) => self.match_stmt(node),
            ast::Stmt::Raise(node) => self.raise(node),
            ast::Stmt::Try(node) => self.try_stmt(node),
            ast::Stmt::Assert(node) => self.assert_stmt(node),
            ast::Stmt::Import(node) => (
                StmtKind::Import(self.aliases(&node.names)),
                self.span(range),
            ),
            ast::Stmt::ImportFrom(node) => (self.import_from(node), self.span(range)),
            ast::Stmt::Global(node) => {
                (StmtKind::Global(self.idents(&node.names)), self.span(range))
            }
            ast::Stmt::Nonlocal(node) => (
                StmtKind::Nonlocal(self.idents(&node.names)),
                self.span(range),
            ),
            ast::Stmt::Expr(node) => self.expr_stmt(node),
            ast::Stmt::Pass(_) => (StmtKind::Pass, self.span(range)),
            ast::Stmt::Break(_) => (StmtKind::Break, self.span(range)),
            ast::Stmt::Continue(_) => (StmtKind::Continue, self.span(range)),
            ast::Stmt::IpyEscapeCommand(_) => (StmtKind::Invalid, self.span(range)),
        };
        Stmt { kind, span }
    }

    /// Lowers the parts of a compound statement, one block further in.
    pub(super) fn nested<T>(
        &mut self,
        range: TextRange,
        lower: impl FnOnce(&mut Self) -> Vec<T>,
    ) -> Vec<T> {
        if self.block_depth >= MAX_BLOCK_DEPTH {
            let span = self.span(range);
            let message = format!("too many nested blocks (more than {MAX_BLOCK_DEPTH})");
            self.diagnostics
                .push(Diagnostic::new("nesting", ErrorKind::Syntax, message).at(&span));
            return Vec::new();
        }
        self.block_depth += 1;
        let lowered = deep(|| lower(self));
        self.block_depth -= 1;
        lowered
    }

    fn block(&mut self, stmts: &[ast::Stmt], range: TextRange) -> Vec<Stmt> {
        self.nested(range, |lowerer| lowerer.stmts(stmts))
    }

    /// The span of a statement that opens with a keyword and ends with `last`, if there is one.
    fn keyword_span(&self, range: TextRange, last: Option<&Span>) -> Span {
        match last {
            Some(last) => self.span_until(range, last.end()),
            None => self.span(range),
        }
    }

    /// The span of a compound statement whose blocks are given in reading order.
    fn compound_span(&self, range: TextRange, blocks: &[&[Stmt]]) -> Span {
        let last = blocks.iter().rev().find_map(|block| block.last());
        self.keyword_span(range, last.map(|stmt| &stmt.span))
    }

    fn function(&mut self, node: &ast::StmtFunctionDef) -> (StmtKind, Span) {
        let def = self.def(node);
        let span = def.span.clone();
        (StmtKind::Def(Box::new(def)), span)
    }

    fn class(&mut self, node: &ast::StmtClassDef) -> (StmtKind, Span) {
        let class = self.class_def(node);
        let span = class.span.clone();
        (StmtKind::Class(Box::new(class)), span)
    }

    fn return_stmt(&mut self, node: &ast::StmtReturn) -> (StmtKind, Span) {
        let value = self.opt_expr(node.value.as_deref());
        let span = self.keyword_span(node.range, value.as_ref().map(|value| &value.span));
        (StmtKind::Return(value), span)
    }

    fn delete(&mut self, node: &ast::StmtDelete) -> (StmtKind, Span) {
        let targets = self.exprs(&node.targets);
        let span = self.keyword_span(node.range, targets.last().map(|target| &target.span));
        (StmtKind::Delete(targets), span)
    }

    fn type_alias(&mut self, node: &ast::StmtTypeAlias) -> (StmtKind, Span) {
        let name = self.expr(&node.name);
        let type_params = self.type_params(node.type_params.as_deref());
        let value = self.expr(&node.value);
        let span = self.keyword_span(node.range, Some(&value.span));
        (
            StmtKind::TypeAlias {
                name,
                type_params,
                value,
            },
            span,
        )
    }

    fn assign(&mut self, node: &ast::StmtAssign) -> (StmtKind, Span) {
        let targets = self.exprs(&node.targets);
        let value = self.expr(&node.value);
        let type_comment = self.assign_comment(node.range.end());
        let span = match targets.first() {
            Some(first) => self.span_between(node.range, &first.span, &value.span),
            None => self.span(node.range),
        };
        (
            StmtKind::Assign(Box::new(Assign {
                targets,
                value,
                type_comment,
            })),
            span,
        )
    }

    fn aug_assign(&mut self, node: &ast::StmtAugAssign) -> (StmtKind, Span) {
        let (target, value) = (self.expr(&node.target), self.expr(&node.value));
        let span = self.span_between(node.range, &target.span, &value.span);
        (
            StmtKind::AugAssign {
                target,
                op: binary_op(node.op),
                value,
            },
            span,
        )
    }

    fn ann_assign(&mut self, node: &ast::StmtAnnAssign) -> (StmtKind, Span) {
        let (target, annotation) = (self.expr(&node.target), self.expr(&node.annotation));
        let value = self.opt_expr(node.value.as_deref());
        let last = value.as_ref().map_or(&annotation.span, |value| &value.span);
        let span = self.span_between(node.range, &target.span, last);
        (
            StmtKind::AnnAssign {
                target,
                annotation,
                value,
            },
            span,
        )
    }

    fn for_stmt(&mut self, node: &ast::StmtFor) -> (StmtKind, Span) {
        let (target, iter) = (self.expr(&node.target), self.expr(&node.iter));
        let (body, orelse) = (
            self.block(&node.body, node.range),
            self.block(&node.orelse, node.range),
        );
        let span = self.compound_span(node.range, &[&body, &orelse]);
        (
            StmtKind::For(Box::new(For {
                target,
                iter,
                body,
                orelse,
                is_async: node.is_async,
            })),
            span,
        )
    }

    fn while_stmt(&mut self, node: &ast::StmtWhile) -> (StmtKind, Span) {
        let test = self.expr(&node.test);
        let (body, orelse) = (
            self.block(&node.body, node.range),
            self.block(&node.orelse, node.range),
        );
        let span = self.compound_span(node.range, &[&body, &orelse]);
        (
            StmtKind::While(Box::new(While { test, body, orelse })),
            span,
        )
    }

    fn if_stmt(&mut self, node: &ast::StmtIf) -> (StmtKind, Span) {
        let mut clauses = node.elif_else_clauses.as_slice();
        if clauses.len() > MAX_ELIF_CHAIN + 1 {
            let span = self
                .span(clauses[MAX_ELIF_CHAIN].range)
                .head("elif".len() as u32);
            let message = format!("too long a chain of 'elif' (more than {MAX_ELIF_CHAIN})");
            self.diagnostics
                .push(Diagnostic::new("nesting", ErrorKind::Syntax, message).at(&span));
            clauses = &clauses[..MAX_ELIF_CHAIN];
        }
        let test = self.expr(&node.test);
        let body = self.block(&node.body, node.range);
        let orelse = self.clauses(clauses, node.range);
        let span = self.compound_span(node.range, &[&body, &orelse]);
        (StmtKind::If(Box::new(If { test, body, orelse })), span)
    }

    /// The `else` block that `elif` and `else` clauses amount to, built from the last clause to the first, so that a
    /// chain costs no recursion here.
    fn clauses(&mut self, clauses: &[ast::ElifElseClause], range: TextRange) -> Vec<Stmt> {
        let outer_depth = self.block_depth;
        self.block_depth += clauses.len();
        let mut orelse: Vec<Stmt> = Vec::new();
        for clause in clauses.iter().rev() {
            self.block_depth -= 1;
            let test = self.opt_expr(clause.test.as_ref());
            let body = self.block(&clause.body, clause.range);
            let Some(test) = test else {
                orelse = body;
                continue;
            };
            let extent = TextRange::new(clause.range.start(), range.end());
            let span = self.compound_span(extent, &[&body, &orelse]);
            let kind = StmtKind::If(Box::new(If { test, body, orelse }));
            orelse = vec![Stmt { kind, span }];
        }
        self.block_depth = outer_depth;
        orelse
    }

    fn with_stmt(&mut self, node: &ast::StmtWith) -> (StmtKind, Span) {
        let lower = |item: &ast::WithItem| WithItem {
            context: self.expr(&item.context_expr),
            target: self.opt_expr(item.optional_vars.as_deref()),
            span: self.span(item.range),
        };
        let items = node.items.iter().map(lower).collect();
        let body = self.block(&node.body, node.range);
        let span = self.compound_span(node.range, &[&body]);
        (
            StmtKind::With(Box::new(With {
                items,
                body,
                is_async: node.is_async,
            })),
            span,
        )
    }

    fn match_stmt(&mut self, node: &ast::StmtMatch) -> (StmtKind, Span) {
        let subject = self.expr(&node.subject);
        let lower = |case: &ast::MatchCase| MatchCase {
            pattern: self.pattern(&case.pattern),
            guard: self.opt_expr(case.guard.as_deref()),
            body: self.block(&case.body, case.range),
            span: self.span(case.range),
        };
        let cases = node.cases.iter().map(lower).collect();
        (StmtKind::Match { subject, cases }, self.span(node.range))
    }

    fn raise(&mut self, node: &ast::StmtRaise) -> (StmtKind, Span) {
        let exception = self.opt_expr(node.exc.as_deref());
        let cause = self.opt_expr(node.cause.as_deref());
        // The cause lies outside the mark.
        let span = self.keyword_span(node.range, exception.as_ref().map(|expr| &expr.span));
        (StmtKind::Raise { exception, cause }, span)
    }

    fn try_stmt(&mut self, node: &ast::StmtTry) -> (StmtKind, Span) {
        let body = self.block(&node.body, node.range);
        let handlers = node
            .handlers
            .iter()
            .map(|handler| self.handler(handler))
            .collect();
        let orelse = self.block(&node.orelse, node.range);
        let finally = self.block(&node.finalbody, node.range);
        let kind = StmtKind::Try(Box::new(Try {
            body,
            handlers,
            orelse,
            finally,
            is_star: node.is_star,
        }));
        (kind, self.span(node.range))
    }

    fn handler(&mut self, handler: &ast::ExceptHandler) -> ExceptHandler {
        let ast::ExceptHandler::ExceptHandler(node) = handler;
        ExceptHandler {
            exception: self.opt_expr(node.type_.as_deref()),
            name: self.opt_ident(node.name.as_ref()),
            body: self.block(&node.body, node.range),
            span: self.span(node.range),
        }
    }

    fn assert_stmt(&mut self, node: &ast::StmtAssert) -> (StmtKind, Span) {
        let test = self.expr(&node.test);
        let message = self.opt_expr(node.msg.as_deref());
        let last: &Expr = message.as_ref().unwrap_or(&test);
        let span = self.keyword_span(node.range, Some(&last.span));
        (StmtKind::Assert { test, message }, span)
    }

    fn aliases(&mut self, aliases: &[ast::Alias]) -> Vec<Alias> {
        let lower = |alias: &ast::Alias| Alias {
            name: self.ident(&alias.name),
            asname: self.opt_ident(alias.asname.as_ref()),
        };
        aliases.iter().map(lower).collect()
    }

    fn import_from(&mut self, node: &ast::StmtImportFrom) -> StmtKind {
        let module = self.opt_ident(node.module.as_ref());
        let names = self.aliases(&node.names);
        StmtKind::ImportFrom(ImportFrom {
            module,
            names,
            level: node.level,
        })
    }

    fn idents(&mut self, names: &[ast::Identifier]) -> Vec<crate::tree::Ident> {
        names.iter().map(|name| self.ident(name)).collect()
    }

    fn expr_stmt(&mut self, node: &ast::StmtExpr) -> (StmtKind, Span) {
        let value = self.expr(&node.value);
        let span = value.span.clone();
        (StmtKind::Expr(value), span)
    }
}
