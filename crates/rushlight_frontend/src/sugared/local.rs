//! Functions inside functions, which only archive code has: what `fork` and `awaitable` run.

use super::{Sugared, SugaredValue};
use crate::Outcome;
use crate::error::problem;
use crate::script::{Arguments, Emitter};
use rushlight_syntax::Span;
use rushlight_syntax::tree::{Def, Stmt, StmtKind};
use std::rc::Rc;

/// A function without parameters that sees the variables around it. A call of it is its body.
pub(crate) struct LocalFunction {
    pub def: Rc<Def>,
}

impl SugaredValue for LocalFunction {
    fn describe(&self) -> String {
        "function".to_string()
    }

    fn call(
        &self,
        emitter: &mut Emitter<'_>,
        arguments: &Arguments,
        span: &Span,
    ) -> Outcome<Sugared> {
        let refused = |what: &str| Err(problem("local-function", what, span));
        if !arguments.positional.is_empty() || !self.def.params.0.is_empty() {
            return refused("a function inside a function takes no arguments");
        }
        let Some((last, body)) = self.def.body.split_last() else {
            return refused("this function has no body");
        };
        if body.iter().any(returns) {
            return refused("a function inside a function returns at its end only");
        }
        emitter.statements(body)?;
        match &last.kind {
            StmtKind::Return(Some(value)) => {
                let value = emitter.expression(value, None)?.as_value(emitter, span)?;
                Ok(Sugared::Value(value))
            }
            StmtKind::Return(None) => Ok(Sugared::Value(emitter.none(span))),
            _ => refused("a function inside a function ends in a return"),
        }
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// Whether a statement returns, on some way.
fn returns(statement: &Stmt) -> bool {
    match &statement.kind {
        StmtKind::Return(_) => true,
        StmtKind::If(node) => node.body.iter().chain(&node.orelse).any(returns),
        StmtKind::While(node) => node.body.iter().chain(&node.orelse).any(returns),
        StmtKind::For(node) => node.body.iter().chain(&node.orelse).any(returns),
        StmtKind::With(node) => node.body.iter().any(returns),
        _ => false,
    }
}
