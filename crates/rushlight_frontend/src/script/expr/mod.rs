//! Expressions: one file per family.

mod call;
mod comprehension;
mod constant;
mod display;
mod operator;
mod subscript;
mod tensor_index;

pub(crate) use operator::binary_operator;

use super::Emitter;
use crate::error::{problem, unsupported, unsupported_node};
use crate::{Outcome, Sugared};
use rushlight_syntax::tree::{Expr, ExprKind};
use rushlight_types::Type;

impl Emitter<'_> {
    /// Emits an expression. `hint` is the type that the place wants, for displays whose type is open (`[]`, `{}`).
    pub fn expression(&mut self, expr: &Expr, hint: Option<&Type>) -> Outcome<Sugared> {
        let span = &expr.span;
        self.nested(span, |e| match &expr.kind {
            ExprKind::Name(name) => e.name(name, span),
            ExprKind::Constant(constant) => e.constant_expression(constant, span),
            ExprKind::JoinedStr(parts) => e.joined_string(parts, span),
            ExprKind::Binary { op, left, right } => e.binary_expression(*op, left, right, span),
            ExprKind::Unary { op, operand } => e.unary_expression(*op, operand, expr),
            ExprKind::Bool { .. } => {
                let condition = e.condition(expr)?;
                Ok(match condition.known {
                    Some(known) => Sugared::special(crate::sugared::forms::Known(known)),
                    None => Sugared::Value(condition.value),
                })
            }
            ExprKind::Compare { left, rest } => e.comparison(left, rest, expr),
            ExprKind::Call(call) => e.call_expression(call, hint, span),
            ExprKind::Attribute { value, attr } => {
                let object = e.expression(value, None)?;
                object.attribute(e, &attr.name, span)
            }
            ExprKind::Subscript { value, index } => {
                e.subscript_expression(value, index, hint, span)
            }
            ExprKind::List(elements) => e.list_display(elements, hint, span).map(Sugared::Value),
            ExprKind::Tuple { elements, .. } => e.tuple_display(elements, hint, span),
            ExprKind::Dict(items) => e.dict_display(items, hint, span).map(Sugared::Value),
            ExprKind::ListComp {
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
            ExprKind::Lambda(_) => Err(unsupported_node("Lambda", span)),
            ExprKind::Generator { .. } => Err(unsupported_node("GeneratorExp", span)),
            ExprKind::Set(_) => Err(unsupported_node("Set", span)),
            ExprKind::SetComp { .. } => Err(unsupported_node("SetComp", span)),
            ExprKind::Yield(_) => Err(unsupported_node("Yield", span)),
            ExprKind::YieldFrom(_) => Err(unsupported_node("YieldFrom", span)),
            ExprKind::Await(_) => Err(unsupported_node("Await", span)),
            ExprKind::NamedExpr { .. } => Err(unsupported_node("NamedExpr", span)),
            ExprKind::TemplateStr(_) => Err(unsupported("t-strings are not supported", span)),
            ExprKind::Invalid => Err(problem("syntax", "this expression could not be read", span)),
        })
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
            self.env.frames.push(Default::default());
            self.refine(
                if known {
                    &condition.when_true
                } else {
                    &condition.when_false
                },
                &test.span,
            );
            let result = self.expression(if known { body } else { orelse }, hint);
            self.env.frames.pop();
            return result;
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
