//! Arithmetic, bitwise and comparison operators.

use crate::error::{problem, unsupported_node};
use crate::script::{Arguments, Emitter};
use crate::{Outcome, Sugared};
use rushlight_ir::ValueId;
use rushlight_syntax::Span;
use rushlight_syntax::tree::{BinaryOp, BoolOp, CompareOp, Constant, Expr, ExprKind, UnaryOp};
use rushlight_types::{Type, Value};

/// The operator and the magic method behind each binary operator.
pub(crate) fn binary_operator(op: BinaryOp) -> (&'static str, &'static str) {
    match op {
        BinaryOp::Add => ("aten::add", "__add__"),
        BinaryOp::Sub => ("aten::sub", "__sub__"),
        BinaryOp::Mul => ("aten::mul", "__mul__"),
        BinaryOp::MatMul => ("aten::matmul", "__matmul__"),
        BinaryOp::Div => ("aten::div", "__truediv__"),
        BinaryOp::Mod => ("aten::remainder", "__mod__"),
        BinaryOp::Pow => ("aten::pow", "__pow__"),
        BinaryOp::FloorDiv => ("aten::floordiv", "__floordiv__"),
        BinaryOp::LShift => ("aten::__lshift__", "__lshift__"),
        BinaryOp::RShift => ("aten::__rshift__", "__rshift__"),
        BinaryOp::BitOr => ("aten::__or__", "__or__"),
        BinaryOp::BitXor => ("aten::__xor__", "__xor__"),
        BinaryOp::BitAnd => ("aten::__and__", "__and__"),
    }
}

fn comparison_operator(op: CompareOp) -> Option<(&'static str, &'static str)> {
    Some(match op {
        CompareOp::Eq => ("aten::eq", "__eq__"),
        CompareOp::NotEq => ("aten::ne", "__ne__"),
        CompareOp::Lt => ("aten::lt", "__lt__"),
        CompareOp::LtE => ("aten::le", "__le__"),
        CompareOp::Gt => ("aten::gt", "__gt__"),
        CompareOp::GtE => ("aten::ge", "__ge__"),
        _ => return None,
    })
}

/// What may stand behind `%` in a text that is formatted.
const FORMATS: &str = "sdifFeEc%";

impl Emitter<'_> {
    pub(super) fn binary_expression(
        &mut self,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
        span: &Span,
    ) -> Outcome<Sugared> {
        if op == BinaryOp::Mod {
            // As in the reference, which first looks whether this formats a string, the left side is evaluated twice.
            self.repeated(left)?;
            self.check_format(left);
        }
        let l = self.expression(left, None)?.as_value(self, &left.span)?;
        let r = self.expression(right, None)?.as_value(self, &right.span)?;
        self.binary(op, l, r, span).map(Sugared::Value)
    }

    /// Tells of a check what will fail when a text is formatted: specifiers that scripts do not have.
    fn check_format(&mut self, text: &Expr) {
        let ExprKind::Constant(Constant::Str(format)) = &text.kind else {
            return;
        };
        let mut rest = &**format;
        while let Some((_, behind)) = rest.split_once('%') {
            let Some(letter) = behind.chars().next() else {
                return;
            };
            if !FORMATS.contains(letter) && self.compiler.is_checking() {
                let message = format!(
                    "The specifier %{letter} is not supported in TorchScript format strings"
                );
                let mut problem = problem("not-supported", message, &text.span);
                problem.hint = Some(
                    "there are %s, %d, %f, %e and %c, without widths and precisions".to_string(),
                );
                self.compiler.note_problem(&problem);
                return;
            }
            rest = &behind[letter.len_utf8()..];
        }
    }

    /// A binary operator on simple values.
    pub(crate) fn binary(
        &mut self,
        op: BinaryOp,
        left: ValueId,
        right: ValueId,
        span: &Span,
    ) -> Outcome<ValueId> {
        let (operator, magic) = binary_operator(op);
        if let Some(result) = self.magic(left, magic, &[right], span)? {
            return Ok(result);
        }
        let (l, r) = (self.ty(left).clone(), self.ty(right).clone());
        match op {
            BinaryOp::Mod if l == Type::Str => {
                self.builtin("aten::percentFormat", &[left, right], span)
            }
            BinaryOp::Add if matches!((&l, &r), (Type::Tuple(_), Type::Tuple(_))) => {
                let mut items = self.unpack_tuple(left, span);
                items.extend(self.unpack_tuple(right, span));
                Ok(self.tuple(&items, span))
            }
            _ => self.builtin(operator, &[left, right], span),
        }
    }

    /// The magic method of a class, where the left operand is an object that has it.
    fn magic(
        &mut self,
        object: ValueId,
        name: &str,
        arguments: &[ValueId],
        span: &Span,
    ) -> Outcome<Option<ValueId>> {
        // Floor division and matrix products have no magic methods.
        if !matches!(self.ty(object), Type::Class(_))
            || matches!(name, "__floordiv__" | "__matmul__")
        {
            return Ok(None);
        }
        let method =
            Sugared::Value(object)
                .attribute(self, name, span)
                .map_err(|mut problem| {
                    problem.code = "no-operator";
                    problem
                })?;
        let result = method.call(self, &Arguments::of(arguments, span), span)?;
        result.as_value(self, span).map(Some)
    }

    pub(super) fn unary_expression(
        &mut self,
        op: UnaryOp,
        operand: &Expr,
        whole: &Expr,
    ) -> Outcome<Sugared> {
        let span = &whole.span;
        match op {
            UnaryOp::Not => {
                let condition = self.condition(whole)?;
                Ok(match condition.known {
                    Some(known) => {
                        Sugared::special(crate::sugared::forms::Known(known, Some(condition.value)))
                    }
                    None => Sugared::Value(condition.value),
                })
            }
            UnaryOp::Minus => {
                let value = self
                    .expression(operand, None)?
                    .as_value(self, &operand.span)?;
                if let Some(negated) = self.graph.constant(value).and_then(negate) {
                    // As in the reference, which negates first and then sees that the result is known.
                    self.builtin("aten::neg", &[value], span)?;
                    return Ok(Sugared::Value(self.constant(negated, span)));
                }
                if let Some(result) = self.magic(value, "__neg__", &[], span)? {
                    return Ok(Sugared::Value(result));
                }
                self.builtin("aten::neg", &[value], span)
                    .map(Sugared::Value)
            }
            UnaryOp::Invert => {
                let value = self
                    .expression(operand, None)?
                    .as_value(self, &operand.span)?;
                if let Some(result) = self.magic(value, "__invert__", &[], span)? {
                    return Ok(Sugared::Value(result));
                }
                self.builtin("aten::bitwise_not", &[value], span)
                    .map(Sugared::Value)
            }
            UnaryOp::Plus => Err(unsupported_node("UAdd", span)),
        }
    }

    pub(super) fn comparison(
        &mut self,
        left: &Expr,
        rest: &[(CompareOp, Expr)],
        whole: &Expr,
    ) -> Outcome<Sugared> {
        if let [(CompareOp::Is | CompareOp::IsNot, _)] = rest {
            let condition = self.condition(whole)?;
            return Ok(match condition.known {
                Some(known) => {
                    Sugared::special(crate::sugared::forms::Known(known, Some(condition.value)))
                }
                None => Sugared::Value(condition.value),
            });
        }
        let [(op, right)] = rest else {
            let condition = self.condition(&chain(left, rest, &whole.span))?;
            return Ok(Sugared::Value(condition.value));
        };
        let l = self.expression(left, None)?.as_value(self, &left.span)?;
        let r = self.expression(right, None)?.as_value(self, &right.span)?;
        self.compare(*op, l, r, &whole.span).map(Sugared::Value)
    }

    fn compare(
        &mut self,
        op: CompareOp,
        left: ValueId,
        right: ValueId,
        span: &Span,
    ) -> Outcome<ValueId> {
        match op {
            CompareOp::In | CompareOp::NotIn => {
                let found = match self.magic_opt(right, "__contains__", &[left], span)? {
                    Some(found) => found,
                    None => self.builtin("aten::__contains__", &[right, left], span)?,
                };
                if op == CompareOp::In {
                    Ok(found)
                } else {
                    self.count_condition();
                    self.builtin("aten::__not__", &[found], span)
                }
            }
            CompareOp::Is => self.builtin("aten::__is__", &[left, right], span),
            CompareOp::IsNot => self.builtin("aten::__isnot__", &[left, right], span),
            _ => {
                let (operator, magic) =
                    comparison_operator(op).expect("the others are handled above");
                if let Some(result) = self.magic(left, magic, &[right], span)? {
                    return Ok(result);
                }
                self.builtin(operator, &[left, right], span)
            }
        }
    }

    fn magic_opt(
        &mut self,
        object: ValueId,
        name: &str,
        arguments: &[ValueId],
        span: &Span,
    ) -> Outcome<Option<ValueId>> {
        match self.ty(object) {
            Type::Class(_) => self.magic(object, name, arguments, span),
            _ => Ok(None),
        }
    }
}

/// The negative of a literal.
fn negate(value: Value) -> Option<Value> {
    match value {
        Value::Int(i) => Some(Value::Int(i.wrapping_neg())),
        Value::Float(f) => Some(Value::Float(-f)),
        Value::Complex(c) => Some(Value::complex(-*c)),
        _ => None,
    }
}

/// `a < b < c` is `a < b and b < c`; as in the reference, `b` is evaluated for each.
fn chain(left: &Expr, rest: &[(CompareOp, Expr)], span: &Span) -> Expr {
    let mut values = Vec::with_capacity(rest.len());
    let mut before = left;
    for (op, operand) in rest {
        values.push(Expr {
            kind: ExprKind::Compare {
                left: Box::new(before.clone()),
                rest: vec![(*op, operand.clone())],
            },
            span: before.span.join(&operand.span),
        });
        before = operand;
    }
    Expr {
        kind: ExprKind::Bool {
            op: BoolOp::And,
            values,
        },
        span: span.clone(),
    }
}
