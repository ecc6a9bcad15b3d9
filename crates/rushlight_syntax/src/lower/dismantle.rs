//! Dropping the parser's tree without recursion.
//!
//! [`limits`](super::limits) bounds the tree of every valid text. A parser that recovers from errors may still find
//! depth where there is none, so the tree of a broken text is taken apart piece by piece.

use std::cell::RefCell;

use ruff_python_ast as ast;
use ruff_python_ast::visitor::transformer::{Transformer, walk_expr, walk_stmt};
use ruff_text_size::TextRange;

/// Drops a module of any depth.
pub(super) fn dismantle(module: ast::Mod) {
    let pieces = Pieces::default();
    match module {
        ast::Mod::Module(module) => pieces.stmts.borrow_mut().extend(module.body),
        ast::Mod::Expression(module) => pieces.exprs.borrow_mut().push(*module.body),
    }
    while pieces.take_one_apart() {}
}

/// Parts cut from their parents and still to be taken apart.
#[derive(Default)]
struct Pieces {
    stmts: RefCell<Vec<ast::Stmt>>,
    exprs: RefCell<Vec<ast::Expr>>,
}

impl Pieces {
    /// Cuts off the children of one part and drops it. False if none is left.
    fn take_one_apart(&self) -> bool {
        let expr = self.exprs.borrow_mut().pop();
        if let Some(mut expr) = expr {
            walk_expr(self, &mut expr);
            return true;
        }
        let stmt = self.stmts.borrow_mut().pop();
        if let Some(mut stmt) = stmt {
            walk_stmt(self, &mut stmt);
            return true;
        }
        false
    }
}

/// Visiting a child moves it out of its parent.
impl Transformer for Pieces {
    fn visit_expr(&self, expr: &mut ast::Expr) {
        let rest = ast::Expr::NoneLiteral(ast::ExprNoneLiteral::default());
        self.exprs.borrow_mut().push(std::mem::replace(expr, rest));
    }

    fn visit_stmt(&self, stmt: &mut ast::Stmt) {
        let rest = ast::Stmt::Pass(ast::StmtPass {
            node_index: ast::AtomicNodeIndex::NONE,
            range: TextRange::default(),
        });
        self.stmts.borrow_mut().push(std::mem::replace(stmt, rest));
    }
}
