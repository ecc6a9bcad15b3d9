//! Special forms: names that get their arguments unevaluated, or whose results depend on how they are written.

use super::{Special, Sugared, builtin, casts, iterable, only_argument, sequence};
use crate::error::problem;
use crate::script::{Arguments, Emitter};
use crate::{Outcome, script::convert_implicitly};
use rushlight_ir::{Attr, Prim};
use rushlight_syntax::Span;
use rushlight_syntax::tree::{Call, Constant, Expr, ExprKind};
use rushlight_types::Type;
use std::rc::Rc;

/// How a form compiles a call.
pub type Form = fn(&mut Emitter<'_>, &Call, Option<&Type>, &Span) -> Outcome<Sugared>;

/// A special form as a sugared value.
pub struct FormValue {
    pub name: &'static str,
    pub form: Form,
    /// The type that the name stands for in annotations and `isinstance`.
    pub ty: Option<Type>,
}

impl Special for FormValue {
    fn describe(&self) -> String {
        self.name.to_string()
    }

    fn form(&self) -> Option<Form> {
        Some(self.form)
    }

    fn as_type(&self) -> Option<Type> {
        self.ty.clone()
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

/// Forms under Python's own names.
pub const PYTHON: &[(&str, Form)] = &[
    ("print", print),
    ("range", range),
    ("zip", zip),
    ("enumerate", enumerate),
    ("reversed", reversed),
    ("len", len),
    ("list", list),
    ("dict", dict),
    ("tuple", tuple),
    ("getattr", getattr),
    ("hasattr", condition),
    ("isinstance", condition),
    ("min", |e, c, _, s| extremum(e, c, s, "prim::min")),
    ("max", |e, c, _, s| extremum(e, c, s, "prim::max")),
    ("super", super_call),
];

/// Forms under names of the `torch` namespace.
pub const TORCH: &[(&str, Form)] = &[
    ("torch.jit.annotate", annotate),
    ("torch.jit.isinstance", condition),
    ("torch.jit.is_scripting", |e, _, _, s| Ok(known(e, true, s))),
    ("torch.jit.is_tracing", |e, _, _, s| Ok(known(e, false, s))),
    ("torch.jit.fork", fork),
    ("torch.jit._fork", fork),
    ("torch.jit.wait", wait),
    ("torch.jit._wait", wait),
    ("torch.jit._awaitable", awaitable),
    ("torch.jit.unchecked_cast", unchecked_cast),
    ("torch.is_tensor", is_tensor),
    ("torch.tensor", tensor),
    ("torch.as_tensor", tensor_like),
];

/// Forms that archives write.
pub const ARCHIVE: &[(&str, Form)] = &[
    ("annotate", annotate),
    ("unchecked_cast", unchecked_cast),
    ("uninitialized", uninitialized),
    ("fork", fork),
];

/// A thing known to be true or false while compiling.
pub struct Known(pub bool, pub Option<rushlight_ir::ValueId>);

impl Special for Known {
    fn describe(&self) -> String {
        "bool".to_string()
    }

    fn as_value(&self, emitter: &mut Emitter<'_>, span: &Span) -> Outcome<rushlight_ir::ValueId> {
        Ok(self.1.unwrap_or_else(|| emitter.constant(self.0, span)))
    }

    fn static_bool(&self) -> Option<bool> {
        Some(self.0)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

fn known(_: &mut Emitter<'_>, value: bool, _: &Span) -> Sugared {
    Sugared::special(Known(value, None))
}

/// The place of a whole call, given that of what is called.
fn whole_call(call: &Call, callee: &Span) -> Span {
    match call.args.last() {
        Some(last) => callee.join(&last.span),
        None => callee.clone(),
    }
}

fn evaluated(emitter: &mut Emitter<'_>, call: &Call) -> Outcome<Arguments> {
    emitter.arguments(&call.args, &call.keywords)
}

fn print(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    if !call.keywords.is_empty() {
        return Err(problem(
            "unknown-keyword",
            "print doesn't accept any keyword arguments",
            span,
        ));
    }
    let arguments = evaluated(emitter, call)?;
    emitter.unnumbered(|e| builtin::call(e, "prim::Print", None, &arguments, span))?;
    Ok(Sugared::special(Nothing))
}

/// What `print` gives: nothing that could be used.
struct Nothing;

impl Special for Nothing {
    fn describe(&self) -> String {
        "None".to_string()
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

fn range(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let arguments = evaluated(emitter, call)?;
    let range = iterable::Range::new(emitter, &arguments, span)?;
    Ok(Sugared::special(iterable::RangeValue(Rc::new(range))))
}

/// The iterations behind the arguments; all unrolled ones make an unrolled result.
fn iterations(
    emitter: &mut Emitter<'_>,
    arguments: &Arguments,
) -> Outcome<Vec<iterable::Iteration>> {
    arguments
        .positional
        .iter()
        .map(|(value, at)| value.iterate(emitter, at))
        .collect()
}

fn zip(emitter: &mut Emitter<'_>, call: &Call, _: Option<&Type>, span: &Span) -> Outcome<Sugared> {
    let arguments = evaluated(emitter, call)?;
    if arguments.positional.is_empty() {
        return Err(problem(
            "argument-count",
            "zip expected at least 1 arguments, got 0",
            span,
        ));
    }
    let parts = iterations(emitter, &arguments)?;
    let unrolled = parts
        .iter()
        .filter(|p| matches!(p, iterable::Iteration::Unrolled(_)))
        .count();
    if unrolled == 0 {
        let counted = parts
            .into_iter()
            .filter_map(|p| match p {
                iterable::Iteration::Counted(c) => Some(c),
                iterable::Iteration::Unrolled(_) => None,
            })
            .collect();
        return Ok(Sugared::special(iterable::CountedValue {
            name: "zip",
            counted: Rc::new(iterable::Together(counted)),
        }));
    }
    let shortest = parts
        .iter()
        .filter_map(|p| match p {
            iterable::Iteration::Unrolled(items) => Some(items.len()),
            iterable::Iteration::Counted(_) => None,
        })
        .min()
        .unwrap_or(0);
    let mut rows = Vec::new();
    for i in 0..shortest {
        let mut row = Vec::new();
        for part in &parts {
            row.push(match part {
                iterable::Iteration::Unrolled(items) => items[i].clone(),
                iterable::Iteration::Counted(counted) => {
                    let index = emitter.constant(i as i64, span);
                    counted.element(emitter, index, span)?
                }
            });
        }
        rows.push(Sugared::special(sequence::Parts(row)));
    }
    Ok(Sugared::special(sequence::Parts(rows)))
}

fn enumerate(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    emitter.literal(i64::MAX, span);
    let arguments = evaluated(emitter, call)?;
    let mut inputs = arguments.positional.clone();
    inputs.extend(
        arguments
            .keywords
            .iter()
            .map(|k| (k.value.clone(), k.span.clone())),
    );
    let (subject, at) = match inputs.as_slice() {
        [] => {
            return Err(problem(
                "argument-count",
                "enumerate expected at least 1 arguments, got 0",
                span,
            ));
        }
        [first, ..] if inputs.len() <= 2 => first.clone(),
        _ => {
            return Err(problem(
                "argument-count",
                format!(
                    "enumerate expected at most 2 arguments, got {}",
                    inputs.len()
                ),
                span,
            ));
        }
    };
    let start = match inputs.get(1) {
        Some((value, at)) => {
            let value = value.as_value(emitter, at)?;
            Some(convert_implicitly(emitter, value, &Type::Int, at))
        }
        None => None,
    };
    match subject.iterate(emitter, &at)? {
        iterable::Iteration::Counted(counted) => {
            let counter = iterable::Counter::new(emitter, start, counted, span)?;
            Ok(Sugared::special(iterable::CountedValue {
                name: "enumerate",
                counted: Rc::new(counter),
            }))
        }
        iterable::Iteration::Unrolled(items) => {
            let mut rows = Vec::new();
            for (i, item) in items.into_iter().enumerate() {
                let number = match start {
                    None => emitter.constant(i as i64, span),
                    Some(start) => {
                        let offset = emitter.constant(i as i64, span);
                        emitter.builtin("aten::add", &[start, offset], span)?
                    }
                };
                rows.push(Sugared::special(sequence::Parts(vec![
                    Sugared::Value(number),
                    item,
                ])));
            }
            Ok(Sugared::special(sequence::Parts(rows)))
        }
    }
}

fn reversed(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let arguments = evaluated(emitter, call)?;
    let (subject, at) = only_argument("reversed", &arguments, span)?;
    if let iterable::Iteration::Unrolled(mut items) = subject.iterate(emitter, at)? {
        items.reverse();
        return Ok(Sugared::special(sequence::Parts(items)));
    }
    let subject = subject.as_value(emitter, at)?;
    let copy = emitter.builtin("aten::list", &[subject], span)?;
    emitter.builtin("aten::reverse", &[copy], span)?;
    Ok(Sugared::Value(copy))
}

fn len(emitter: &mut Emitter<'_>, call: &Call, _: Option<&Type>, span: &Span) -> Outcome<Sugared> {
    let arguments = evaluated(emitter, call)?;
    if arguments.positional.len() != 1 || !arguments.keywords.is_empty() {
        return builtin::call(emitter, "aten::len", None, &arguments, span);
    }
    let (subject, at) = only_argument("len", &arguments, span)?;
    if subject.plain().is_none()
        && let iterable::Iteration::Unrolled(items) = subject.iterate(emitter, at)?
    {
        return Ok(Sugared::Value(emitter.constant(items.len() as i64, span)));
    }
    let value = subject.as_value(emitter, at)?;
    match emitter.ty(value).clone() {
        Type::Class(_) => Sugared::Value(value)
            .attribute(emitter, "__len__", span)?
            .call(emitter, &Arguments::default(), span),
        _ => builtin::call(emitter, "aten::len", None, &arguments, span),
    }
}

fn list(
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
    let (subject, at) = only_argument("list", &arguments, span)?;
    let iteration = subject.iterate(emitter, at)?;
    match iteration {
        iterable::Iteration::Unrolled(items) => {
            let values = items
                .iter()
                .map(|i| i.as_value(emitter, at))
                .collect::<Outcome<Vec<_>>>()?;
            emitter.list_of(&values, hint, span).map(Sugared::Value)
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

fn dict(
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
    let (first, at) = &arguments.positional[0];
    let source = match first.iterate(emitter, at) {
        Ok(iterable::Iteration::Counted(counted)) if !matches!(first, Sugared::Value(_)) => {
            emitter.collect_list(&counted, span)?
        }
        Ok(iterable::Iteration::Unrolled(items)) => {
            let values = items
                .iter()
                .map(|i| i.as_value(emitter, at))
                .collect::<Outcome<Vec<_>>>()?;
            emitter.list_of(&values, None, span)?
        }
        _ => first.as_value(emitter, at)?,
    };
    let out = emitter.builtin("aten::dict", &[source], span)?;
    for keyword in &arguments.keywords {
        let key = emitter.constant(&*keyword.name, &keyword.span);
        let value = keyword.value.as_value(emitter, &keyword.span)?;
        emitter.builtin("aten::_set_item", &[out, key, value], span)?;
    }
    Ok(Sugared::Value(out))
}

fn tuple(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let arguments = evaluated(emitter, call)?;
    if arguments.positional.is_empty() {
        return Ok(Sugared::Value(emitter.tuple(&[], span)));
    }
    let (subject, at) = only_argument("tuple", &arguments, span)?;
    let parts = match subject.iterate(emitter, at)? {
        iterable::Iteration::Unrolled(items) => items,
        iterable::Iteration::Counted(_) => subject.as_parts(emitter, at)?,
    };
    let values = parts
        .iter()
        .map(|p| p.as_value(emitter, at))
        .collect::<Outcome<Vec<_>>>()?;
    Ok(Sugared::Value(emitter.tuple(&values, span)))
}

fn getattr(
    emitter: &mut Emitter<'_>,
    call: &Call,
    hint: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let span = &whole_call(call, span);
    let (object, name, default) = match call.args.as_slice() {
        [object, name] => (object, name, None),
        [object, name, default] => (object, name, Some(default)),
        other => {
            return Err(problem(
                "argument-count",
                format!(
                    "getattr expected to have number of arguments between 2 and 3 but found {}",
                    other.len()
                ),
                span,
            ));
        }
    };
    let ExprKind::Constant(Constant::Str(name)) = &name.kind else {
        return Err(problem(
            "getattr",
            "getattr's second argument must be a string literal",
            span,
        ));
    };
    let sugared = emitter.expression(object, None)?;
    if let Some(default) = default {
        emitter.has_attributes(&sugared, span)?;
        if !sugared.has_attribute(emitter, name, span)? {
            return emitter.expression(default, hint);
        }
    }
    sugared.attribute(emitter, name, span)
}

/// `isinstance` and `hasattr` where a value is wanted: the condition they are.
fn condition(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let whole = Expr {
        kind: ExprKind::Call(Box::new(call.clone())),
        span: whole_call(call, span),
    };
    let condition = emitter.condition(&whole)?;
    Ok(match condition.known {
        Some(known) => Sugared::special(Known(known, None)),
        None => Sugared::Value(condition.value),
    })
}

fn extremum(emitter: &mut Emitter<'_>, call: &Call, span: &Span, name: &str) -> Outcome<Sugared> {
    let mut arguments = evaluated(emitter, call)?;
    if let [(only, at)] = arguments.positional.as_slice()
        && let Ok(iterable::Iteration::Unrolled(items)) = only.iterate(emitter, at)
    {
        let values = items
            .iter()
            .map(|i| i.as_value(emitter, at))
            .collect::<Outcome<Vec<_>>>()?;
        let list = emitter.list_of(&values, None, span)?;
        arguments = Arguments::of(&[list], at);
    }
    if arguments.positional.len() > 2 && arguments.keywords.is_empty() {
        // min(a, b, c) goes pairwise.
        let mut values = Vec::new();
        for (value, at) in &arguments.positional {
            values.push(value.as_value(emitter, at)?);
        }
        let mut so_far = values[0];
        for next in &values[1..] {
            so_far = emitter.builtin(name, &[so_far, *next], span)?;
        }
        return Ok(Sugared::Value(so_far));
    }
    builtin::call(emitter, name, None, &arguments, span)
}

fn super_call(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    if !call.args.is_empty() && call.args.len() != 2 {
        return Err(problem(
            "super",
            "super() takes no arguments or a class and self",
            span,
        ));
    }
    emitter.name("self", span)
}

fn annotate(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let [annotation, expr] = call.args.as_slice() else {
        let mut diagnostic = problem(
            "argument-count",
            "unknown:0: expecting kind 'variable' but found '.'",
            span,
        );
        diagnostic.span = None;
        return Err(diagnostic);
    };
    let ty = emitter.annotation(annotation)?;
    let value = emitter
        .expression(expr, Some(&ty))?
        .as_value(emitter, &expr.span)?;
    if ty.accepts_none() && *emitter.ty(value) == Type::None {
        let none = emitter.typed_constant(rushlight_types::Value::None, ty, span);
        return Ok(Sugared::Value(emitter.without_place(none)));
    }
    let actual = emitter.ty(value).clone();
    let mark = emitter.inferred_mark(value);
    let converted = convert_implicitly(emitter, value, &ty, &expr.span);
    if !emitter.ty(converted).is_subtype_of(&ty) {
        return Err(problem(
            "annotate-type",
            format!("expected an expression of type {ty} but found {actual}{mark}\n"),
            &annotation.span.join(&expr.span),
        ));
    }
    if *emitter.ty(converted) != ty
        && (matches!(ty, Type::Optional(_) | Type::Union(_) | Type::Any))
    {
        let cast = emitter.unnumbered(|e| e.cast(converted, ty, span));
        return Ok(Sugared::Value(cast));
    }
    Ok(Sugared::Value(converted))
}

fn unchecked_cast(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let [annotation, expr] = call.args.as_slice() else {
        return Err(problem(
            "argument-count",
            "unchecked_cast takes a type and a value",
            span,
        ));
    };
    let ty = emitter.annotation(annotation)?;
    let value = emitter
        .expression(expr, None)?
        .as_value(emitter, &expr.span)?;
    Ok(Sugared::Value(emitter.cast(value, ty, span)))
}

fn uninitialized(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let [annotation] = call.args.as_slice() else {
        return Err(problem(
            "argument-count",
            "uninitialized takes a type",
            span,
        ));
    };
    let ty = emitter.annotation(annotation)?;
    Ok(Sugared::Value(emitter.uninitialized(ty, span)))
}

fn is_tensor(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    let arguments = evaluated(emitter, call)?;
    let (subject, at) = only_argument("is_tensor", &arguments, span)?;
    let value = subject.as_value(emitter, at)?;
    let ty = emitter.ty(value).clone();
    if ty.is_tensor() || !ty.may_be(&Type::TENSOR) {
        return Ok(known(emitter, ty.is_tensor(), span));
    }
    let node = emitter.node(Prim::IsInstance, &[value], &[Type::Bool], span);
    emitter.set_attr(node, "types", Attr::Types(vec![Type::TENSOR]));
    Ok(Sugared::Value(emitter.graph.node(node).outputs()[0]))
}

fn tensor(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    tensor_call(emitter, call, "aten::tensor", span)
}

fn tensor_like(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    tensor_call(emitter, call, "aten::as_tensor", span)
}

/// `torch.tensor(data)`: tuples become lists first.
fn tensor_call(
    emitter: &mut Emitter<'_>,
    call: &Call,
    name: &str,
    span: &Span,
) -> Outcome<Sugared> {
    let mut arguments = evaluated(emitter, call)?;
    if let Some((data, at)) = arguments.positional.first_mut() {
        let value = data.as_value(emitter, at)?;
        if let Type::Tuple(_) = emitter.ty(value) {
            let items = emitter.unpack_tuple(value, at);
            *data = Sugared::Value(emitter.list_of(&items, None, at)?);
        }
    }
    builtin::call(emitter, name, None, &arguments, span)
}

fn fork(emitter: &mut Emitter<'_>, call: &Call, _: Option<&Type>, span: &Span) -> Outcome<Sugared> {
    later(emitter, call, span, Prim::Fork, "fork")
}

fn awaitable(
    emitter: &mut Emitter<'_>,
    call: &Call,
    _: Option<&Type>,
    span: &Span,
) -> Outcome<Sugared> {
    later(emitter, call, span, Prim::Awaitable, "_awaitable")
}

/// A call that runs elsewhere or later: the call goes to a graph of its own, whose inputs are the arguments.
fn later(
    emitter: &mut Emitter<'_>,
    call: &Call,
    span: &Span,
    prim: Prim,
    name: &str,
) -> Outcome<Sugared> {
    let Some((callee, rest)) = call.args.split_first() else {
        return Err(problem(
            "argument-count",
            format!("Expected at least one argument to {name}()"),
            span,
        ));
    };
    let callee = emitter.expression(callee, None)?;
    let arguments = emitter.arguments(rest, &call.keywords)?;
    let node = emitter.node(prim, &[], &[], span);
    let block = emitter.graph.add_block(node);
    let (result, _, _) = emitter.in_block(block, |e| {
        callee.call(e, &arguments, span)?.as_value(e, span)
    })?;
    emitter.graph.add_return(block, result);
    let inner = emitter.ty(result).clone();
    let ty = if prim == Prim::Fork {
        Type::future(inner)
    } else {
        Type::Await(std::sync::Arc::new(inner))
    };
    let out = emitter.graph.add_output(node, ty, None);
    Ok(Sugared::Value(out))
}

fn wait(emitter: &mut Emitter<'_>, call: &Call, _: Option<&Type>, span: &Span) -> Outcome<Sugared> {
    let arguments = evaluated(emitter, call)?;
    builtin::call(emitter, "aten::wait", None, &arguments, span)
}

/// The form under one of Python's own names.
pub fn python(name: &str) -> Option<Sugared> {
    let (name, form) = PYTHON.iter().find(|(n, _)| *n == name)?;
    let ty = match *name {
        "list" => Some(Type::AnyList),
        "tuple" => Some(Type::AnyTuple),
        _ => None,
    };
    Some(Sugared::special(FormValue {
        name,
        form: *form,
        ty,
    }))
}

/// A conversion under one of Python's own names.
pub fn cast(name: &str) -> Option<Sugared> {
    casts::CASTS
        .iter()
        .find(|c| c.name == name)
        .map(|c| Sugared::special(casts::CastValue(c)))
}
