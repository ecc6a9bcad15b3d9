//! Fills and ranges: `full` gave floats up to version 4, `linspace` and `logspace` had a default number of steps.

use rushlight_frontend::script::{Arguments, Emitter, Named};
use rushlight_frontend::sugared::builtin;
use rushlight_frontend::{Outcome, Sugared};
use rushlight_ir::ValueId;
use rushlight_syntax::Span;
use rushlight_tensor::DType;
use rushlight_types::{Type, Value};

fn is_none(emitter: &Emitter<'_>, value: &Sugared) -> bool {
    matches!(value, Sugared::Value(v) if *emitter.ty(*v) == Type::None)
}

fn named(emitter: &mut Emitter<'_>, name: &str, value: impl Into<Value>, span: &Span) -> Named {
    let value: ValueId = emitter.constant(value, span);
    Named {
        name: name.into(),
        value: Sugared::Value(value),
        span: span.clone(),
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
    if !has_out && !call.keywords.iter().any(|k| &*k.name == "dtype") {
        let fill = match call.positional.get_mut(1) {
            Some((value, at)) => {
                let mut fill = value.as_value(emitter, at)?;
                if emitter.ty(fill) == &Type::Bool {
                    fill = emitter.builtin("aten::Int", &[fill], at)?;
                    *value = Sugared::Value(fill);
                }
                Some(fill)
            }
            None => None,
        };
        let integral = fill.is_some_and(|v| matches!(emitter.ty(v), Type::Int | Type::Number));
        if integral {
            call.keywords
                .push(named(emitter, "dtype", DType::F32.code(), span));
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
