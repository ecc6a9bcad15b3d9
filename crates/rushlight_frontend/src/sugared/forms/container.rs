//! Forms that make containers: `list`, `dict`, `tuple`.

use super::super::{Sugared, builtin, iterable};
use super::{applied, evaluated};
use crate::Outcome;
use crate::error::problem;
use crate::script::{Arguments, Emitter};
use rushlight_ir::ValueId;
use rushlight_syntax::Span;
use rushlight_syntax::tree::{Call, ExprKind};
use rushlight_types::Type;

pub(super) fn list(
    emitter: &mut Emitter<'_>,
    call: &Call,
    hint: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let arguments = evaluated(emitter, call)?;
    if arguments.positional.is_empty() && arguments.keywords.is_empty() {
        let element = hint
            .and_then(Type::list_element)
            .cloned()
            .unwrap_or(Type::TENSOR);
        return Ok(Sugared::Value(emitter.list(element, &[], span)));
    }
    super::expect_arguments("list", call, 1, span)?;
    let at = &applied(call);
    let subject = &arguments.positional[0].0;
    match subject.iterate(emitter, at)? {
        iterable::Iteration::Unrolled(items) => {
            let values = items
                .iter()
                .map(|i| i.as_value(emitter, at))
                .collect::<Outcome<Vec<_>>>()?;
            emitter.uniform_list(&values, hint, at).map(Sugared::Value)
        }
        iterable::Iteration::Counted(counted) => {
            if let Sugared::Value(value) = subject
                && matches!(emitter.ty(*value), Type::List(_) | Type::Str)
            {
                return builtin::call(
                    emitter,
                    "aten::list",
                    Some(*value),
                    &Arguments::default(),
                    span,
                );
            }
            emitter.collect_list(&counted, span).map(Sugared::Value)
        }
    }
}

pub(super) fn dict(
    emitter: &mut Emitter<'_>,
    call: &Call,
    hint: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    if call.args.is_empty() {
        let mut keys = Vec::new();
        let mut values = Vec::new();
        for keyword in &call.keywords {
            let Some(name) = &keyword.name else {
                return Err(problem(
                    "not-supported",
                    "keyword-arg expansion is not supported",
                    &keyword.span,
                ));
            };
            keys.push(emitter.constant(&*name.name, &name.span));
            values.push(
                emitter
                    .expression(&keyword.value, None)?
                    .as_value(emitter, &keyword.span)?,
            );
        }
        return emitter
            .dict_of(&keys, &values, hint, span)
            .map(Sugared::Value);
    }
    if let [argument] = call.args.as_slice()
        && let ExprKind::Dict(_) | ExprKind::DictComp { .. } = argument.kind
        && call.keywords.is_empty()
    {
        return emitter.expression(argument, hint);
    }
    let arguments = evaluated(emitter, call)?;
    let out = copied_dict(emitter, &arguments.positional[0].0, hint, &applied(call))?;
    for keyword in &arguments.keywords {
        let key = emitter.constant(&*keyword.name, &keyword.span);
        let value = keyword.value.as_value(emitter, &keyword.span)?;
        emitter.builtin("aten::_set_item", &[out, key, value], span)?;
    }
    Ok(Sugared::Value(out))
}

/// A dict of what a thing goes over: pairs, or the items of another dict.
fn copied_dict(
    emitter: &mut Emitter<'_>,
    source: &Sugared,
    hint: Option<&Type>,
    at: &Span,
) -> Outcome<ValueId> {
    if let Sugared::Value(value) = source
        && matches!(emitter.ty(*value), Type::Dict(_))
    {
        return emitter.builtin("aten::dict", &[*value], at);
    }
    match source.iterate(emitter, at)? {
        iterable::Iteration::Counted(counted) => {
            let list = emitter.list(Type::TENSOR, &[], at);
            emitter.collect_with(list, &counted, at, |e, item, span| {
                let parts = item.as_parts(e, span)?;
                pair(e, &parts, span).map(Sugared::Value)
            })?;
            emitter.builtin("aten::dict", &[list], at)
        }
        iterable::Iteration::Unrolled(items) => {
            let (mut keys, mut values) = (Vec::new(), Vec::new());
            for item in items {
                let parts = item.as_parts(emitter, at)?;
                let whole = pair(emitter, &parts, at)?;
                let both = emitter.unpack_tuple(whole, at);
                keys.push(both[0]);
                values.push(both[1]);
            }
            emitter.dict_of(&keys, &values, hint, at)
        }
    }
}

/// A key and its value as a tuple.
fn pair(emitter: &mut Emitter<'_>, parts: &[Sugared], span: &Span) -> Outcome<ValueId> {
    let [key, value] = parts else {
        return Err(problem(
            "unpack",
            format!("need 2 values to unpack but found {}", parts.len()),
            span,
        ));
    };
    let items = [key.as_value(emitter, span)?, value.as_value(emitter, span)?];
    Ok(emitter.tuple(&items, span))
}

pub(super) fn tuple(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let arguments = evaluated(emitter, call)?;
    super::expect_arguments("tuple", call, 1, span)?;
    let at = &applied(call);
    let values = arguments.positional[0]
        .0
        .as_parts(emitter, at)?
        .iter()
        .map(|p| p.as_value(emitter, at))
        .collect::<Outcome<Vec<_>>>()?;
    Ok(Sugared::Value(emitter.tuple(&values, span)))
}
