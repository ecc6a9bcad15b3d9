//! Fills and ranges: `full` gave floats up to version 4, `linspace` and `logspace` had a default number of steps.

use rushlight_frontend::script::{Arguments, Emitter};
use rushlight_frontend::sugared::builtin;
use rushlight_frontend::{Outcome, Sugared};
use rushlight_ir::ValueId;
use rushlight_syntax::Span;
use rushlight_types::{Type, Value};

fn is_none(emitter: &Emitter<'_>, value: &Sugared) -> bool {
    matches!(value, Sugared::Value(v) if *emitter.ty(*v) == Type::None)
}

/// `float(value)`, of a constant the constant that it is.
fn as_float(emitter: &mut Emitter<'_>, value: ValueId, span: &Span) -> Outcome<ValueId> {
    let known = match emitter.graph.constant(value) {
        Some(Value::Int(int)) => Some(int as f64),
        Some(Value::Bool(bool)) => Some(f64::from(bool)),
        _ => None,
    };
    match known {
        Some(float) => Ok(emitter.constant(float, span)),
        None => emitter.builtin("aten::Float", &[value], span),
    }
}

/// `full(size, 5)` is a float tensor unless a dtype is given.
pub fn float_by_default(
    emitter: &mut Emitter<'_>,
    operator: &str,
    arguments: &Arguments,
    span: &Span,
) -> Outcome<Sugared> {
    let mut call = arguments.clone();
    let has_out = call.keywords.iter().any(|k| &*k.name == "out");
    call.keywords
        .retain(|k| !(&*k.name == "dtype" && is_none(emitter, &k.value)));
    let is_told = has_out || call.keywords.iter().any(|k| &*k.name == "dtype");
    if let Some((value, at)) = call.positional.get_mut(1).filter(|_| !is_told) {
        let fill = value.as_value(emitter, at)?;
        if matches!(emitter.ty(fill), Type::Bool | Type::Int | Type::Number) {
            *value = Sugared::Value(as_float(emitter, fill, at)?);
        }
    }
    builtin::call(emitter, operator, None, &call, span)
}

/// `linspace(a, b)` makes a hundred steps.
pub fn hundred_steps(
    emitter: &mut Emitter<'_>,
    operator: &str,
    arguments: &Arguments,
    span: &Span,
) -> Outcome<Sugared> {
    let mut call = arguments.clone();
    let absent = match call.positional.get(2) {
        Some((value, _)) => is_none(emitter, value),
        None => !call
            .keywords
            .iter()
            .any(|k| &*k.name == "steps" && !is_none(emitter, &k.value)),
    };
    if absent {
        call.keywords.retain(|k| &*k.name != "steps");
        let steps = (Sugared::Value(emitter.constant(100i64, span)), span.clone());
        match call.positional.get_mut(2) {
            Some(given) => *given = steps,
            None => call.positional.push(steps),
        }
    }
    builtin::call(emitter, operator, None, &call, span)
}
