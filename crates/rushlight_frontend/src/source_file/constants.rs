//! Constants at module level that must be known before anything is compiled: default values, enum members.

use super::{Binding, SourceFile};
use crate::script::literal;
use rushlight_syntax::tree::{Expr, ExprKind};
use rushlight_types::Value;

/// The value of a literal, or of a name (followed through constants of the file).
pub(super) fn evaluate(file: &SourceFile, expr: &Expr) -> Option<Value> {
    let mut at = expr.clone();
    // Chains of names are followed a bounded number of times, so that cycles end.
    for _ in 0..16 {
        if let Some(value) = literal(&at) {
            return Some(value);
        }
        let ExprKind::Name(name) = &at.kind else {
            return dotted_constant(file, &at);
        };
        let Some(Binding::Constant(next)) = file.binding(name) else {
            return None;
        };
        at = (*next).clone();
    }
    None
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
