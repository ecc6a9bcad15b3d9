//! Forms about going over things: `range`, `zip`, `enumerate`, `len`.

use super::super::{Sugared, builtin, iterable, sequence};
use super::{applied, evaluated};
use crate::Outcome;
use crate::error::problem;
use crate::script::{Arguments, Emitter};
use rushlight_syntax::Span;
use rushlight_syntax::tree::Call;
use rushlight_types::Type;
use std::rc::Rc;

pub(super) fn range(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let arguments = evaluated(emitter, call)?;
    let range = iterable::Range::new(emitter, &arguments, span, &applied(call))?;
    Ok(Sugared::special(iterable::RangeValue(Rc::new(range))))
}

/// The iterations behind the arguments.
fn iterations(
    emitter: &mut Emitter<'_>,
    arguments: &Arguments,
    span: &Span,
) -> Outcome<Vec<iterable::Iteration>> {
    arguments
        .positional
        .iter()
        .map(|(value, _)| value.iterate(emitter, span))
        .collect()
}

/// Several iterations in step: unrolled when one of them is, else counted.
fn together(parts: Vec<iterable::Iteration>, span: &Span) -> Outcome<Sugared> {
    let mut counted = Vec::new();
    let mut unrolled = Vec::new();
    for part in parts {
        match part {
            iterable::Iteration::Counted(c) => counted.push(c),
            iterable::Iteration::Unrolled(items) => unrolled.push(items),
        }
    }
    if unrolled.is_empty() {
        return Ok(Sugared::special(iterable::CountedValue {
            counted: Rc::new(iterable::Together(counted)),
        }));
    }
    if !counted.is_empty() {
        return Err(problem(
            "unrolled-length",
            "Can not iterate over a module list or tuple with a value that does not have a statically determinable length\n",
            span,
        ));
    }
    let shortest = unrolled.iter().map(Vec::len).min().unwrap_or(0);
    let rows = (0..shortest).map(|i| {
        let row = unrolled.iter().map(|items| items[i].clone()).collect();
        Sugared::special(sequence::Parts(row))
    });
    Ok(Sugared::special(sequence::Parts(rows.collect())))
}

pub(super) fn zip(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    if call.args.is_empty() {
        return Err(problem(
            "argument-count",
            "zip expected at least 1 arguments, got 0",
            span,
        ));
    }
    let at = applied(call);
    // Each argument is gone into before the next one is looked at.
    let mut parts = Vec::with_capacity(call.args.len());
    for argument in &call.args {
        let argument = emitter.arguments(std::slice::from_ref(argument), &[])?;
        parts.extend(iterations(emitter, &argument, &at)?);
    }
    together(parts, &at)
}

pub(super) fn enumerate(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let at = applied(call);
    let found = call.args.len() + call.keywords.len();
    if call.args.is_empty() {
        return Err(problem(
            "argument-count",
            "enumerate expected at least 1 arguments, got 0",
            span,
        ));
    }
    if found > 2 {
        return Err(problem(
            "argument-count",
            format!("enumerate expected at most 2 arguments, got {found}"),
            &at,
        ));
    }
    if let Some(keyword) = call.keywords.first()
        && let Some(name) = keyword.name.as_ref().filter(|n| &*n.name != "start")
    {
        return Err(problem(
            "unknown-keyword",
            format!("enumerate expected kwarg name 'start', got '{}'", name.name),
            &at,
        ));
    }
    // The number that counting starts at comes before what is counted.
    let keyword = call.keywords.first().map(|k| &k.value);
    let start = match call.args.get(1).or(keyword) {
        Some(start) => {
            let value = emitter.expression(start, None)?;
            let value = value.as_value(emitter, &start.span)?;
            if *emitter.ty(value) != Type::Int {
                let ty = emitter.ty(value).clone();
                return Err(problem(
                    "range-type",
                    format!("all inputs of range must be ints, found {ty} in argument 0"),
                    &at,
                ));
            }
            Some(value)
        }
        None => None,
    };
    emitter.literal(i64::MAX, span);
    let subject = emitter.sugared(&call.args[0], None)?;
    match subject.iterate(emitter, &at)? {
        iterable::Iteration::Counted(counted) => {
            let counter = iterable::Counter::new(emitter, start, counted, span)?;
            Ok(Sugared::special(iterable::CountedValue {
                counted: Rc::new(counter),
            }))
        }
        iterable::Iteration::Unrolled(items) => {
            // The counter's start and step, whether somebody needs them or not.
            if start.is_none() {
                emitter.constant(0i64, span);
            }
            let step = emitter.constant(1i64, span);
            let bounds = start.map(|start| (start, step));
            let rows = items.into_iter().enumerate().map(|(i, item)| {
                Sugared::special(sequence::Numbered {
                    number: i as i64,
                    bounds,
                    item,
                })
            });
            Ok(Sugared::special(sequence::Parts(rows.collect())))
        }
    }
}

/// The length of a value, by the operator or the method `__len__`.
pub(super) fn len(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let arguments = evaluated(emitter, call)?;
    let [(subject, at)] = arguments.positional.as_slice() else {
        return builtin::call(emitter, "aten::len", None, &arguments, span);
    };
    if !arguments.keywords.is_empty() {
        return builtin::call(emitter, "aten::len", None, &arguments, span);
    }
    // A slice of a container is a tuple, whose length is asked of the list that it becomes.
    let is_slice =
        matches!(subject, Sugared::Special(thing) if thing.as_any().is::<sequence::Sliced>());
    if !is_slice
        && subject.plain().is_none()
        && let Ok(iterable::Iteration::Unrolled(parts)) = subject.iterate(emitter, at)
    {
        return Ok(Sugared::Value(emitter.constant(parts.len() as i64, span)));
    }
    let value = subject.as_value(emitter, at)?;
    match emitter.ty(value).clone() {
        Type::Class(_) => Sugared::Value(value)
            .attribute(emitter, "__len__", span)?
            .call(emitter, &Arguments::default(), span),
        _ => builtin::call(emitter, "aten::len", None, &arguments, span),
    }
}
