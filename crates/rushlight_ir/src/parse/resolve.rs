//! Which overload of an operator a printed node calls.

use crate::{Attr, NodeKind};
use rushlight_types::{Bindings, Operator, OperatorTable, Type, ty};

/// The overload that an attribute tells from those that take the same: `side=` of batched products.
pub(super) fn told_apart(
    table: &OperatorTable,
    kind: NodeKind,
    attrs: &[(&str, Attr)],
) -> NodeKind {
    let right = attrs
        .iter()
        .any(|(name, attr)| *name == "side" && matches!(attr, Attr::Int(1)));
    match table.find("prim::MMBatchSide.right") {
        Some(op) if right && kind.name() == op.name() => op.into(),
        _ => kind,
    }
}

/// The overload whose arguments and results fit best; the earlier one among equals.
pub(crate) fn overload(
    overloads: &[&'static Operator],
    inputs: &[Type],
    outputs: &[Type],
) -> Option<&'static Operator> {
    let mut best: Option<(usize, &'static Operator)> = None;
    for &operator in overloads {
        let Some(score) = score(operator, inputs, outputs) else {
            continue;
        };
        if best.is_none_or(|(known, _)| score > known) {
            best = Some((score, operator));
        }
    }
    best.map(|(_, operator)| operator)
}

/// How many types are exactly the schema's; `None` where the call does not fit.
fn score(operator: &Operator, inputs: &[Type], outputs: &[Type]) -> Option<usize> {
    let schema = operator.schema();
    let enough = match schema.varargs {
        true => inputs.len() >= schema.arguments.len(),
        false => inputs.len() == schema.arguments.len(),
    };
    if !enough || !schema.varrets && outputs.len() != schema.returns.len() {
        return None;
    }
    let mut bindings = Bindings::default();
    let mut exact = 0;
    for (formal, actual) in schema.arguments.iter().zip(inputs) {
        ty::match_type(&formal.ty, actual, &mut bindings).ok()?;
        match ty::evaluate(&formal.ty, &bindings) {
            Some(wanted) if actual.is_subtype_of(&wanted) => {
                exact += usize::from(wanted.runtime() == actual.runtime());
            }
            None if *actual == Type::None && formal.ty.accepts_none() => {}
            _ => return None,
        }
    }
    for (formal, actual) in schema.returns.iter().zip(outputs) {
        match ty::evaluate(&formal.ty.runtime(), &bindings) {
            Some(given) if given == *actual => exact += 1,
            Some(given) if actual.is_subtype_of(&given) || given.is_subtype_of(actual) => {}
            None => {}
            _ => return None,
        }
    }
    Some(exact)
}
