//! Constants at module level that must be known before anything is compiled: default values, enum members.

use super::{Binding, SourceFile};
use crate::script::literal;
use rushlight_syntax::tree::{BinaryOp, Expr, ExprKind, UnaryOp};
use rushlight_types::Value;

/// Expressions and names that the evaluation of one constant looks at, at most: definitions may refer to each other many
/// times over.
const MOST: u32 = 1000;

/// The value of a literal, of a name (followed through constants of the file), or of arithmetic on numbers.
pub(super) fn evaluate(file: &SourceFile, expr: &Expr) -> Option<Value> {
    evaluate_within(file, expr, &mut { MOST })
}

fn evaluate_within(file: &SourceFile, expr: &Expr, left: &mut u32) -> Option<Value> {
    *left = left.checked_sub(1)?;
    if let Some(value) = literal(expr) {
        return Some(value);
    }
    match &expr.kind {
        ExprKind::Name(name) => match file.binding(name)? {
            Binding::Constant(next) => evaluate_within(file, &next, left),
            _ => None,
        },
        ExprKind::Binary { op, left: a, right } => arithmetic(
            *op,
            evaluate_within(file, a, left)?,
            evaluate_within(file, right, left)?,
        ),
        ExprKind::Unary {
            op: UnaryOp::Minus,
            operand,
        } => arithmetic(
            BinaryOp::Sub,
            Value::Int(0),
            evaluate_within(file, operand, left)?,
        ),
        _ => dotted_constant(file, expr),
    }
}

/// Arithmetic on two numbers as Python does it; None where it would raise or does not fit.
fn arithmetic(op: BinaryOp, a: Value, b: Value) -> Option<Value> {
    if let (Value::Int(a), Value::Int(b)) = (&a, &b) {
        let whole = match op {
            BinaryOp::Add => a.checked_add(*b),
            BinaryOp::Sub => a.checked_sub(*b),
            BinaryOp::Mul => a.checked_mul(*b),
            BinaryOp::FloorDiv => {
                let remainder = a.checked_rem(*b)?;
                let towards_zero = a.checked_div(*b)?;
                Some(towards_zero - i64::from(remainder != 0 && (remainder < 0) != (*b < 0)))
            }
            BinaryOp::Pow if *b >= 0 => a.checked_pow(u32::try_from(*b).ok()?),
            BinaryOp::LShift if (0..63).contains(b) => a.checked_mul(1 << b),
            BinaryOp::Div => return (*b != 0).then(|| Value::Float(*a as f64 / *b as f64)),
            _ => None,
        };
        return whole.map(Value::Int);
    }
    let (a, b) = (number(&a)?, number(&b)?);
    Some(Value::Float(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div if b != 0.0 => a / b,
        BinaryOp::Pow if a > 0.0 => a.powf(b),
        _ => return None,
    }))
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(i) => Some(*i as f64),
        Value::Float(f) => Some(*f),
        _ => None,
    }
}

/// `math.pi`, `torch.float32`, `Color.RED` as values.
fn dotted_constant(file: &SourceFile, expr: &Expr) -> Option<Value> {
    let ExprKind::Attribute { value, attr } = &expr.kind else {
        return None;
    };
    if let ExprKind::Name(name) = &value.kind
        && let Some(Binding::Type(rushlight_types::Type::Enum(ty))) = file.binding(name)
    {
        let index = ty.members.iter().position(|m| m.0 == attr.name)?;
        return Some(Value::Enum(std::sync::Arc::new(
            rushlight_types::EnumValue { ty, index },
        )));
    }
    let dotted = crate::script::dotted_text(expr)?;
    let path = file.path_of(&dotted).unwrap_or(dotted);
    crate::sugared::namespace::constant(&path)
}
