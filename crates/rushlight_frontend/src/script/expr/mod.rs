//! Expressions: one file per family.

mod call;
mod comprehension;
mod constant;
mod display;
mod operator;
mod subscript;
mod tensor_index;

pub(crate) use comprehension::check_parts;
pub(crate) use display::{check_hint, narrow, several};
pub(crate) use operator::binary_operator;

use super::{Emitter, recover};
use crate::error::{problem, unsupported, unsupported_node};
use crate::{Outcome, Sugared};
use rushlight_syntax::tree::{Expr, ExprKind};
use rushlight_types::Type;

impl Emitter<'_> {
    /// Emits an expression. `hint` is the type that the place wants, for displays whose type is open (`[]`, `{}`).
    pub fn expression(&mut self, expr: &Expr, hint: Option<&Type>) -> Outcome<Sugared> {
        self.pending = expr.span.clone();
        self.sugared(expr, hint)
    }

    /// As [`Emitter::expression`], for places where the expression need not be a value: what is called, what an
    /// attribute is taken from. Errors of functions that it calls are reported at the enclosing place.
    pub fn sugared(&mut self, expr: &Expr, hint: Option<&Type>) -> Outcome<Sugared> {
        self.compiler.poll();
        let span = &expr.span;
        let found = self.nested(span, |e| match &expr.kind {
            ExprKind::Name(name) => e.name(name, span),
            ExprKind::Constant(constant) => e.constant_expression(constant, span),
            ExprKind::JoinedStr(parts) => e.joined_string(parts, span),
            ExprKind::Binary { op, left, right } => e.binary_expression(*op, left, right, span),
            ExprKind::Unary { op, operand } => e.unary_expression(*op, operand, expr),
            ExprKind::Bool { .. } => {
                let condition = e.condition(expr)?;
                Ok(match condition.known {
                    Some(known) => {
                        Sugared::special(crate::sugared::forms::Known(known, Some(condition.value)))
                    }
                    None => Sugared::Value(condition.value),
                })
            }
            ExprKind::Compare { left, rest } => e.comparison(left, rest, expr),
            ExprKind::Call(call) => e.call_expression(call, hint, span),
            ExprKind::Attribute { value, attr } => {
                let object = e.sugared(value, None)?;
                object.attribute(e, &attr.name, span)
            }
            ExprKind::Subscript { value, index } => {
                e.subscript_expression(value, index, hint, span)
            }
            ExprKind::List(elements) => e.list_display(elements, hint, span).map(Sugared::Value),
            ExprKind::Tuple { elements, .. } => e.tuple_display(elements, span),
            ExprKind::Dict(items) => e.dict_display(items, hint, span).map(Sugared::Value),
            ExprKind::ListComp {
                element,
                generators,
            }
            | ExprKind::Generator {
                element,
                generators,
            } => e.list_comprehension(element, generators, hint, span),
            ExprKind::DictComp {
                key,
                value,
                generators,
            } => e.dict_comprehension(key.as_deref(), value, generators, hint, span),
            ExprKind::IfExp { test, body, orelse } => e.ternary(test, body, orelse, hint, span),
            ExprKind::Starred(_) => Err(problem(
                "starred",
                "Unexpected starred expansion. File a bug report",
                span,
            )),
            ExprKind::Slice { .. } => Err(problem(
                "slice",
                "slices are only allowed inside a subscript",
                span,
            )),
            ExprKind::Lambda(_)
            | ExprKind::Set(_)
            | ExprKind::SetComp { .. }
            | ExprKind::Yield(_)
            | ExprKind::YieldFrom(_)
            | ExprKind::Await(_)
            | ExprKind::NamedExpr { .. } => Err(unsupported_node(expr.node_name(), span)),
            ExprKind::TemplateStr(_) => Err(unsupported("t-strings are not supported", span)),
            ExprKind::Invalid if self.compiler.is_checking() => Err(recover::follows(span)),
            ExprKind::Invalid => Err(problem("syntax", "this expression could not be read", span)),
        })?;
        self.note(span, &found);
        Ok(found)
    }

    fn ternary(
        &mut self,
        test: &Expr,
        body: &Expr,
        orelse: &Expr,
        hint: Option<&Type>,
        span: &rushlight_syntax::Span,
    ) -> Outcome<Sugared> {
        let condition = self.condition(test)?;
        if let Some(known) = condition.known {
            return self.expression(if known { body } else { orelse }, hint);
        }
        let chosen = self.choose(
            &condition,
            span,
            |e| e.expression(body, hint)?.as_value(e, &body.span),
            |e| e.expression(orelse, hint)?.as_value(e, &orelse.span),
            hint,
        )?;
        Ok(Sugared::Value(chosen))
    }
}
