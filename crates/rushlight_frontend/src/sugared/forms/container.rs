//! Forms that make containers: `list`, `dict`, `tuple`.

use super::super::{Sugared, builtin, iterable};
use super::{applied, evaluated};
use crate::Outcome;
use crate::error::problem;
use crate::script::{Arguments, Emitter, check_hint, narrow, several};
use rushlight_ir::{Graph, NodeId, ValueId};
use rushlight_syntax::tree::{Call, Expr, ExprKind};
use rushlight_syntax::{Diagnostic, ErrorKind, Span};
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
    let start = last_node(emitter);
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
                let arguments = Arguments::of(&[*value], span);
                return builtin::call(emitter, "aten::list", None, &arguments, span);
            }
            let list = emitter.collect_list(&counted, span)?;
            move_behind(&mut emitter.graph, start, list);
            Ok(Sugared::Value(list))
        }
    }
}

pub(super) fn dict(
    emitter: &mut Emitter<'_>,
    call: &Call,
    hint: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    check_dict_hint(hint, call)?;
    // Of an empty list nobody knows what its pairs would be.
    let from_nothing = |e: &Expr| matches!(&e.kind, ExprKind::List(items) if items.is_empty());
    if call.args.is_empty() || matches!(&*call.args, [only] if from_nothing(only)) {
        return dict_of_keywords(emitter, call, hint, span);
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

/// Refuses `dict(..)` where an annotation asks for something else, or leaves open which dict it asks for.
fn check_dict_hint(hint: Option<&Type>, call: &Call) -> Outcome<()> {
    let is_dict = |t: &Type| matches!(t, Type::Dict(_));
    if let Some((union, _)) = several(hint, is_dict) {
        let message = format!(
            "There are multiple candidate Dict types in the Union type annotation `{union}`, and full type inference is not yet supported for the `dict()` constructor."
        );
        return Err(problem("annotate-type", message, &applied(call)));
    }
    let Some(wanted) = hint else { return Ok(()) };
    let holds = narrow(hint, is_dict).is_some() || matches!(wanted, Type::Any | Type::Var(_));
    if !holds && call.args.is_empty() && call.keywords.is_empty() {
        return Err(Box::new(Diagnostic::new(
            "annotate-type",
            ErrorKind::Runtime,
            format!(
                "Expected a type annotation of Dict for dict constructor dict(), got {}",
                wanted.schema_form()
            ),
        )));
    }
    check_hint(hint, "Dict", &applied(call))
}

/// The node behind which the next one goes.
fn last_node(emitter: &Emitter<'_>) -> NodeId {
    let end = emitter.graph.return_node(emitter.block);
    emitter.graph.prev(end).expect("a block has a Param node")
}

/// A collection is made before what it goes over.
fn move_behind(graph: &mut Graph, start: NodeId, collection: ValueId) {
    let node = graph.value(collection).node();
    if graph.next(start) != Some(node) {
        graph.detach(node);
        graph.insert_after(start, node);
    }
}

/// `dict(a=1)`: the reference goes over a list of pairs.
fn dict_of_keywords(
    emitter: &mut Emitter<'_>,
    call: &Call,
    hint: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let mut pairs = Vec::new();
    for keyword in &call.keywords {
        let Some(name) = &keyword.name else {
            return Err(problem(
                "not-supported",
                "keyword-arg expansion is not supported",
                &keyword.span,
            ));
        };
        let key = emitter.constant(&*name.name, &name.span);
        let value = emitter
            .expression(&keyword.value, None)?
            .as_value(emitter, &keyword.span)?;
        pairs.push(emitter.tuple(&[key, value], span));
    }
    let Some(first) = pairs.first() else {
        return emitter.dict_of(&[], &[], hint, span).map(Sugared::Value);
    };
    let uniform = pairs.iter().all(|p| emitter.ty(*p) == emitter.ty(*first));
    if !uniform {
        let parts = pairs.iter().map(|p| emitter.unpack_tuple(*p, span));
        let parts: Vec<Vec<ValueId>> = parts.collect();
        let column = |i: usize| parts.iter().map(|p| p[i]).collect::<Vec<_>>();
        return emitter
            .dict_of(&column(0), &column(1), hint, span)
            .map(Sugared::Value);
    }
    let list = emitter.list(emitter.ty(*first).clone(), &pairs, span);
    copied_dict(emitter, &Sugared::Value(list), hint, &applied(call)).map(Sugared::Value)
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
    let start = last_node(emitter);
    match source.iterate(emitter, at)? {
        iterable::Iteration::Counted(counted) => {
            let dict = emitter.empty_dict();
            move_behind(&mut emitter.graph, start, dict);
            emitter.fill_dict(dict, &counted, hint, at, |e, item| {
                let parts = item.as_parts(e, at)?;
                let [key, value] = pair(&parts, at)?;
                Ok((key.as_value(e, at)?, value.as_value(e, at)?))
            })?;
            Ok(dict)
        }
        iterable::Iteration::Unrolled(items) => {
            let (mut keys, mut values) = (Vec::new(), Vec::new());
            for item in items {
                let parts = item.as_parts(emitter, at)?;
                let [key, value] = pair(&parts, at)?;
                keys.push(key.as_value(emitter, at)?);
                values.push(value.as_value(emitter, at)?);
            }
            emitter.dict_of(&keys, &values, hint, at)
        }
    }
}

/// A key and its value.
fn pair<'p>(parts: &'p [Sugared], span: &Span) -> Outcome<&'p [Sugared; 2]> {
    parts.try_into().map_err(|_| {
        problem(
            "unpack",
            format!("need 2 values to unpack but found {}", parts.len()),
            span,
        )
    })
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
