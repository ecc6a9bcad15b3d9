//! Forms that make containers: `list`, `dict`, `tuple`.

use super::super::{Sugared, builtin};
use super::{applied, evaluated};
use crate::Outcome;
use crate::error::problem;
use crate::script::{Arguments, Emitter, check_hint, check_parts, narrow, several};
use rushlight_ir::ValueId;
use rushlight_syntax::tree::{Call, Comprehension, Constant, Expr, ExprKind, Ident, Keyword, Name};
use rushlight_syntax::{Diagnostic, ErrorKind, Span};
use rushlight_types::Type;

pub(super) fn list(
    emitter: &mut Emitter<'_>,
    call: &Call,
    hint: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    if call.args.is_empty() {
        let element = hint
            .and_then(Type::list_element)
            .cloned()
            .unwrap_or(Type::TENSOR);
        return Ok(Sugared::Value(emitter.list(element, &[], span)));
    }
    let at = &applied(call);
    super::expect_arguments("list", call, 1, at)?;
    let subject = evaluated(emitter, call)?.positional.swap_remove(0).0;
    if let Sugared::Value(value) = subject
        && matches!(emitter.ty(value), Type::List(_) | Type::Str)
    {
        let arguments = Arguments::of(&[value], span);
        return builtin::call(emitter, "aten::list", None, &arguments, span);
    }
    let (source, element) = (emitter.temporary(), named(&emitter.temporary(), at));
    emitter.assign(&source, subject, None, at)?;
    let generator = over(element.clone(), &source, at);
    emitter.list_comprehension(&element, &[generator], hint, at)
}

/// A name as an expression.
fn named(name: &Name, at: &Span) -> Expr {
    let kind = ExprKind::Name(name.clone());
    let span = at.clone();
    Expr { kind, span }
}

/// `for target in source`.
fn over(target: Expr, source: &Name, at: &Span) -> Comprehension {
    Comprehension {
        target,
        iter: named(source, at),
        conditions: Vec::new(),
        is_async: false,
        span: at.clone(),
    }
}

pub(super) fn dict(
    emitter: &mut Emitter<'_>,
    call: &Call,
    hint: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    check_dict_hint(hint, call)?;
    let at = &applied(call);
    if call.args.len() > 1 {
        super::expect_arguments("dict", call, 1, at)?;
    }
    let listed = match call.args.first().map(|argument| (argument, &argument.kind)) {
        Some((argument, ExprKind::List(items))) => {
            emitter.looked_at(argument)?;
            Some(items.as_slice())
        }
        Some(_) => None,
        None => Some(&[][..]),
    };
    let source = match listed {
        Some(items) => {
            let pairs = with_keywords(items, call, at)?;
            if pairs.is_empty() {
                return emitter.dict_of(&[], &[], hint, span).map(Sugared::Value);
            }
            let kind = ExprKind::List(pairs);
            let span = at.clone();
            emitter.sugared(&Expr { kind, span }, None)?
        }
        None => {
            let found = emitter.looked_through(&call.args[0], |e, found| {
                !call.keywords.is_empty() || as_dict(e, found).is_some()
            })?;
            if let Some(value) = as_dict(emitter, &found) {
                return copied_dict(emitter, value, call, at).map(Sugared::Value);
            }
            if !call.keywords.is_empty() {
                let message = "dict takes no keyword arguments";
                return Err(problem("unknown-keyword", message, at));
            }
            found
        }
    };
    let [pairs, key, value] = [(); 3].map(|()| emitter.temporary());
    emitter.assign(&pairs, source, None, at)?;
    let (key, value) = (named(&key, at), named(&value, at));
    let kind = ExprKind::Tuple {
        elements: vec![key.clone(), value.clone()],
        parenthesized: true,
    };
    let span = at.clone();
    let generator = over(Expr { kind, span }, &pairs, at);
    emitter.dict_comprehension(Some(&key), &value, &[generator], hint, at)
}

/// The value of a dict.
fn as_dict(emitter: &Emitter<'_>, found: &Sugared) -> Option<ValueId> {
    match *found {
        Sugared::Value(value) if matches!(emitter.ty(value), Type::Dict(_)) => Some(value),
        _ => None,
    }
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

/// The pairs of a list, with those that keywords make behind them.
fn with_keywords(items: &[Expr], call: &Call, at: &Span) -> Outcome<Vec<Expr>> {
    let mut pairs = items.to_vec();
    for keyword in &call.keywords {
        let name = keyword_name(keyword)?;
        let key = Expr {
            kind: ExprKind::Constant(Constant::Str(name.name.clone())),
            span: at.clone(),
        };
        let kind = ExprKind::Tuple {
            elements: vec![key, keyword.value.clone()],
            parenthesized: true,
        };
        let span = at.clone();
        pairs.push(Expr { kind, span });
    }
    Ok(pairs)
}

fn keyword_name(keyword: &Keyword) -> Outcome<&Ident> {
    keyword.name.as_ref().ok_or_else(|| {
        problem(
            "not-supported",
            "keyword-arg expansion is not supported",
            &keyword.span,
        )
    })
}

/// A copy of a dict, with the entries that keywords make.
fn copied_dict(
    emitter: &mut Emitter<'_>,
    source: ValueId,
    call: &Call,
    at: &Span,
) -> Outcome<ValueId> {
    let out = emitter.builtin("aten::dict", &[source], at)?;
    for keyword in &call.keywords {
        let name = keyword_name(keyword)?;
        let place = &keyword.value.span;
        let key = emitter.constant(&*name.name, place);
        let value = emitter
            .expression(&keyword.value, None)?
            .as_value(emitter, place)?;
        if let Type::Dict(held) = emitter.ty(out) {
            let entry = [key, value].map(|id| emitter.ty(id));
            check_parts(held, entry, at, |kind, wanted, found| {
                format!(
                    "Generated {kind} type {found} did not match the annotated {kind} type, which was {wanted}"
                )
            })?;
        }
        emitter.builtin("aten::_set_item", &[out, key, value], place)?;
    }
    Ok(out)
}

pub(super) fn tuple(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let at = &applied(call);
    let arguments = evaluated(emitter, call)?;
    super::expect_arguments("tuple", call, 1, at)?;
    let values = arguments.positional[0]
        .0
        .as_parts(emitter, at)?
        .iter()
        .map(|p| p.as_value(emitter, at))
        .collect::<Outcome<Vec<_>>>()?;
    Ok(Sugared::Value(emitter.tuple(&values, span)))
}
