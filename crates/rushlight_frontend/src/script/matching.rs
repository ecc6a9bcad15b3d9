//! Fitting a call's arguments to a schema: defaults, keywords, conversions, type variables, lists from many arguments.
//!
//! Matching plans and does not touch the graph; [`Matched::emit`] carries the plan out. So trying one overload after
//! the other costs nothing when they do not fit.

use super::advice::{self, GivenTypes};
use super::{Arguments, Emitter, convert};
use crate::error::problem;
use crate::{Outcome, Sugared};
use rushlight_ir::ValueId;
use rushlight_syntax::Span;
use rushlight_types::{Argument, Bindings, Schema, Type, Value, ty};

/// Where one input of the call comes from.
enum Source {
    /// An argument, converted.
    Given(ValueId, convert::Conversion),
    /// Several positional arguments gathered into a list.
    Gathered(Vec<(ValueId, convert::Conversion)>, Type),
    /// The schema's default.
    Default(Value, Type),
    /// The default of a list of fixed size, made element by element.
    DefaultElements(Vec<Value>, Type),
    /// A number spread over a list of fixed size.
    Spread(ValueId, convert::Conversion, Type, u32),
}

/// A call that fits a schema.
pub struct Matched {
    sources: Vec<Source>,
    /// The types of the results, type variables filled in.
    pub returns: Vec<Type>,
}

/// The simple value behind every argument, with keyword names.
struct Given {
    name: Option<std::sync::Arc<str>>,
    value: ValueId,
    /// The object that a method was taken from.
    is_receiver: bool,
    used: bool,
}

/// Makes simple values of all arguments, once per call.
fn simple(emitter: &mut Emitter<'_>, arguments: &Arguments) -> Outcome<(Vec<Given>, Vec<Given>)> {
    let mut positional = Vec::new();
    for (value, span) in &arguments.positional {
        let id = value.as_value(emitter, span)?;
        positional.push(Given {
            name: None,
            value: id,
            is_receiver: arguments.has_receiver && positional.is_empty(),
            used: false,
        });
    }
    let mut keywords = Vec::new();
    for named in &arguments.keywords {
        let id = named.value.as_value(emitter, &named.span)?;
        keywords.push(Given {
            name: Some(named.name.clone()),
            value: id,
            is_receiver: false,
            used: false,
        });
    }
    Ok((positional, keywords))
}

/// Fits the arguments of a call to the first schema that takes them: first without conversions of numbers, then with. The
/// problem lists, for every schema, why it does not fit.
pub fn match_call(
    emitter: &mut Emitter<'_>,
    schemas: &[&Schema],
    arguments: &Arguments,
    span: &Span,
) -> Outcome<(usize, Matched)> {
    let (mut positional, mut keywords) = simple(emitter, arguments)?;
    let mut mismatches = Vec::new();
    for allow_numbers in [false, true] {
        mismatches.clear();
        for (i, schema) in schemas.iter().enumerate() {
            positional
                .iter_mut()
                .chain(keywords.iter_mut())
                .for_each(|g| g.used = false);
            match try_match(
                emitter,
                schema,
                &mut positional,
                &mut keywords,
                allow_numbers,
            ) {
                Ok(matched) => {
                    emitter.note_call(span, schema);
                    return Ok((i, matched));
                }
                Err((reason, made)) => {
                    // What was made for it stays, and nobody uses it.
                    made.emit(emitter, &Span::unknown());
                    let fitted = made.sources.len();
                    mismatches.push(Mismatch {
                        schema,
                        reason,
                        fitted,
                    });
                }
            }
        }
    }
    let message = no_match_message(&mismatches);
    let mut refusal = problem("no-matching-overload", message, span);
    if emitter.compiler.is_checking() {
        let types = |given: &[Given]| {
            given
                .iter()
                .map(|g| emitter.ty(g.value))
                .collect::<Vec<_>>()
        };
        let names = keywords.iter().filter_map(|g| g.name.clone());
        let given = GivenTypes {
            positional: types(&positional),
            keywords: names.zip(types(&keywords)).collect(),
        };
        advice::no_match(&mut refusal, &mismatches, &given);
    }
    Err(refusal)
}

/// Why a schema does not take the arguments.
pub(super) struct Mismatch<'s> {
    pub schema: &'s Schema,
    pub reason: Reason,
    /// How many of its parameters took their arguments.
    pub fitted: usize,
}

/// A line, or several, each with its line break.
pub(super) type Reason = String;

/// Why a schema does not take the arguments, and what the reference has made for it before it sees that.
type Refusal = (Reason, Matched);

fn try_match(
    emitter: &Emitter<'_>,
    schema: &Schema,
    positional: &mut [Given],
    keywords: &mut [Given],
    allow_numbers: bool,
) -> Result<Matched, Refusal> {
    let mut sources = Vec::with_capacity(schema.arguments.len());
    let planned = plan_call(
        emitter,
        schema,
        positional,
        keywords,
        allow_numbers,
        &mut sources,
    );
    let matched = |returns| Matched { sources, returns };
    match planned {
        Ok(returns) => Ok(matched(returns)),
        Err(reason) => Err((reason, matched(Vec::new()))),
    }
}

fn plan_call(
    emitter: &Emitter<'_>,
    schema: &Schema,
    positional: &mut [Given],
    keywords: &mut [Given],
    allow_numbers: bool,
    sources: &mut Vec<Source>,
) -> Result<Vec<Type>, Reason> {
    let mut bindings = Bindings::default();
    // The object before the dot is `self`, wherever that stands, and nothing else.
    let mut receiver = positional.first().is_some_and(|g| g.is_receiver);
    let mut next = usize::from(receiver);
    for (i, formal) in schema.arguments.iter().enumerate() {
        let called = |name: &str| {
            keywords
                .iter()
                .position(|g| g.name.as_deref() == Some(name))
        };
        // What Python calls `input` is the `self` of operators.
        let is_input = &*formal.name == "self" && schema.name.starts_with("aten::");
        let mut named = called(&formal.name).or_else(|| called("input").filter(|_| is_input));
        // Python calls the text of a device `type`, the operator does so only where a number follows.
        if schema.arguments.len() == 1 && schema.name.as_ref() == "aten::device" {
            named = named.or_else(|| called("type"));
        }
        if receiver && &*formal.name == "self" {
            receiver = false;
            let given = &mut positional[0];
            given.used = true;
            sources.push(fit(emitter, formal, given, &mut bindings, allow_numbers)?);
        } else if next < positional.len() && !formal.kwarg_only {
            let rest = &positional[next..];
            // Several places become one list of tensors or of bools, or stand beside arguments by name, by conversion only.
            let element = formal.ty.list_element();
            let by_conversion = matches!(element, Some(Type::Tensor(_) | Type::Bool));
            let may_gather = allow_numbers || keywords.is_empty() && !by_conversion;
            if may_gather && takes_rest(schema, i) && !is_list_like(emitter, rest[0].value, formal)
            {
                sources.push(gather(emitter, formal, rest, allow_numbers)?);
                positional[next..].iter_mut().for_each(|g| g.used = true);
                next = positional.len();
                continue;
            }
            let given = &mut positional[next];
            given.used = true;
            next += 1;
            sources.push(fit(emitter, formal, given, &mut bindings, allow_numbers)?);
        } else if let Some(k) = named {
            keywords[k].used = true;
            let given = &keywords[k];
            sources.push(fit(emitter, formal, given, &mut bindings, allow_numbers)?);
        } else if let Some(elements) = spread_default(schema, formal) {
            sources.push(elements);
        } else if let Some(default) = &formal.default {
            sources.push(default_source(formal, default));
        } else {
            return Err(format!("Argument {} not provided.\n", formal.name));
        }
    }
    if receiver {
        return Err("Provided self argument not used in schema.\n".to_string());
    }
    if schema.varargs {
        for given in &mut positional[next..] {
            given.used = true;
            sources.push(Source::Given(given.value, convert::Conversion::None));
        }
    } else if next < positional.len() {
        return Err(too_many(schema, positional));
    }
    if let Some(extra) = keywords.iter().find(|g| !g.used) {
        let name = extra.name.as_deref().unwrap_or("");
        let trouble = match schema.argument_index(name) {
            Some(_) => "specified twice",
            None => "unknown",
        };
        return Err(format!("Keyword argument {name} {trouble}.\n"));
    }
    schema
        .returns
        .iter()
        .map(|r| {
            ty::evaluate(&r.ty.runtime(), &bindings).ok_or_else(|| {
                match (schema.arguments.first(), positional.first()) {
                    (Some(formal), Some(given)) => format!(
                        "Type variables in type {} could not be inferred from actual type {}",
                        formal.ty.message_form(),
                        emitter.ty(given.value).message_form()
                    ),
                    _ => format!(
                        "the result type {} is not determined by the arguments\n",
                        r.ty
                    ),
                }
            })
        })
        .collect()
}

/// The message for more positional arguments than the schema takes; the receiver of a method counts on neither side.
fn too_many(schema: &Schema, positional: &[Given]) -> Reason {
    let receiver = positional.first().is_some_and(|g| g.is_receiver) as usize;
    let most = schema.arguments.iter().filter(|a| !a.kwarg_only).count();
    format!(
        "Expected at most {} arguments but found {} positional arguments.\n",
        most - receiver.min(most),
        positional.len() - receiver
    )
}

/// Whether a parameter takes all remaining positional arguments: the last positional one, a list of any length.
fn takes_rest(schema: &Schema, index: usize) -> bool {
    let formal = &schema.arguments[index];
    let is_last = schema.arguments[index + 1..].iter().all(|a| a.kwarg_only) && !schema.varargs;
    let is_list = matches!(&formal.ty, Type::List(element) if !matches!(**element, Type::Var(_)));
    is_last && is_list && formal.list_size.is_none()
}

/// Whether a value becomes a list by itself, so that nothing needs to be gathered.
fn is_list_like(emitter: &Emitter<'_>, value: ValueId, formal: &Argument) -> bool {
    match emitter.ty(value) {
        Type::List(_) => true,
        actual => convert::plan(actual, &formal.ty, true).is_some(),
    }
}

/// `x.view(2, 3)`: all remaining positional arguments as the one list that the last positional parameter wants.
fn gather(
    emitter: &Emitter<'_>,
    formal: &Argument,
    rest: &[Given],
    allow_numbers: bool,
) -> Result<Source, Reason> {
    let element = formal.ty.list_element().unwrap_or(&Type::Any).runtime();
    let mut items = Vec::with_capacity(rest.len());
    for given in rest {
        let Some(conversion) = convert::plan(emitter.ty(given.value), &element, allow_numbers)
        else {
            return Err(unexpected(emitter, &element, "<varargs>", given.value));
        };
        items.push((given.value, conversion));
    }
    Ok(Source::Gathered(items, element))
}

/// An operator's default as a constant: of the type that it has, a number for a list of fixed size repeated.
fn default_source(formal: &Argument, default: &Value) -> Source {
    let ty = match (default, formal.ty.runtime()) {
        (Value::None, _) => Type::None,
        (number, Type::Number) => number.type_of(),
        (_, Type::Optional(inner)) => (*inner).clone(),
        (_, ty) => ty,
    };
    let value = formal.repeated_default().unwrap_or_default();
    Source::Default(value, ty)
}

/// Scripts make the default of `BroadcastingList2[int] = 0` where they call; operators hold theirs as constants.
fn spread_default(schema: &Schema, formal: &Argument) -> Option<Source> {
    let elements = formal.default.as_ref()?.list_items().ok()?;
    let element = formal.ty.list_element()?.runtime();
    // A NamedTuple, which says nothing of results, holds its own as operators do.
    let is_function = !schema.name.contains("::") && !schema.returns.is_empty();
    let of_script = formal.list_size.is_some() && is_function;
    of_script.then_some(Source::DefaultElements(elements, element))
}

/// Whether the elements of a default are one number, repeated.
fn is_one(elements: &[Value]) -> bool {
    matches!(elements, [Value::Int(first), rest @ ..]
        if rest.iter().all(|v| matches!(v, Value::Int(other) if other == first)))
}

fn fit(
    emitter: &Emitter<'_>,
    formal: &Argument,
    given: &Given,
    bindings: &mut Bindings,
    allow_numbers: bool,
) -> Result<Source, Reason> {
    let actual = emitter.ty(given.value).clone();
    if formal.ty.has_variables()
        && let Err(reason) = ty::match_type(&formal.ty, &actual, bindings)
    {
        let mark = emitter.inferred_mark(given.value);
        return Err(format!(
            "Could not match type {}{mark} to {} in argument '{}': {reason}{}.\n",
            actual.message_form(),
            formal.ty,
            formal.name,
            if reason.ends_with(&format!("to {}", actual.message_form())) {
                mark
            } else {
                ""
            },
        ));
    }
    let wanted = match ty::evaluate(&formal.ty, bindings) {
        Some(t) => t,
        None if actual == Type::None && formal.ty.accepts_none() => Type::None,
        None => {
            return Err(format!(
                "Type variables in type {} could not be inferred from actual type {actual}",
                formal.ty
            ));
        }
    };
    // `[]` is made where it is handed on, of the type that is wanted there.
    let empty = || emitter.is_empty_list(given.value);
    if let Some(element) = wanted.list_element().filter(|_| empty()) {
        return Ok(Source::Gathered(Vec::new(), element.runtime()));
    }
    if let Some(conversion) = convert::plan(&actual, &wanted, allow_numbers) {
        return Ok(Source::Given(given.value, conversion));
    }
    if let Some(element) = wanted_list(&wanted).filter(|_| empty()) {
        return Ok(Source::Gathered(Vec::new(), element.runtime()));
    }
    // `int[2]`: one number stands for the list.
    if let (Some(size), Some(element)) = (formal.list_size, wanted_list(&wanted)) {
        let element = element.runtime();
        if actual == element {
            return Ok(Source::Spread(
                given.value,
                convert::Conversion::None,
                element,
                size,
            ));
        }
    }
    if formal.inferred {
        let shown = emitter.inferred_mark(given.value);
        return Err(format!(
            "Expected a value of type '{}' for argument '{}' but instead found type '{}{shown}'.\n{}",
            formal.shown_type(),
            formal.name,
            actual.message_form(),
            formal.inferred_note(),
        ));
    }
    Err(unexpected(emitter, &formal.ty, &formal.name, given.value))
}

/// The element type of a list, or of an optional one.
pub(crate) fn wanted_list(wanted: &Type) -> Option<&Type> {
    match wanted {
        Type::Optional(inner) => inner.list_element(),
        other => other.list_element(),
    }
}

fn unexpected(emitter: &Emitter<'_>, wanted: &Type, name: &str, value: ValueId) -> Reason {
    let actual = emitter.ty(value);
    let mark = emitter.inferred_mark(value);
    let mut message = format!(
        "Expected a value of type '{}' for argument '{name}' but instead found type '{}{mark}'.\n",
        wanted.message_form(),
        actual.message_form()
    );
    if !mark.is_empty() {
        message.push_str(&format!("Inferred the value for argument '{name}' to be of type 'Tensor' because it was not annotated with an explicit type.\n"));
    }
    if let (Type::Interface(interface), Type::Class(class)) = (wanted, actual) {
        message.push_str(&interface.lacking(class).unwrap_or_default());
    }
    if let (Type::Interface(interface), Type::Interface(other)) = (wanted, actual) {
        message.push_str(&interface.lacking_in(other).unwrap_or_default());
    }
    if let Type::List(element) = actual
        && **element == Type::TENSOR
    {
        message.push_str("Empty lists default to List[Tensor]. Add a variable annotation to the assignment to create an empty list of another type (torch.jit.annotate(List[T, []]) where T is the type of elements in the list for Python 2)\n");
    }
    message
}

impl Matched {
    /// Emits conversions and defaults and returns the inputs of the call.
    pub fn emit(&self, emitter: &mut Emitter<'_>, span: &Span) -> Vec<ValueId> {
        self.sources
            .iter()
            .map(|source| match source {
                Source::Given(value, conversion) => {
                    convert::apply(emitter, *value, conversion, span)
                }
                Source::Gathered(items, element) => {
                    let values: Vec<ValueId> = items
                        .iter()
                        .map(|(v, c)| convert::apply(emitter, *v, c, span))
                        .collect();
                    emitter.list(element.clone(), &values, span)
                }
                Source::Default(value, ty) => nowhere(emitter, value, ty.clone(), span),
                Source::DefaultElements(elements, element) => {
                    // A number that stands for all elements is one constant.
                    let made = if is_one(elements) { 1 } else { elements.len() };
                    let mut ids: Vec<ValueId> = elements[..made]
                        .iter()
                        .map(|v| nowhere(emitter, v, element.clone(), span))
                        .collect();
                    if made < elements.len() {
                        ids.resize(elements.len(), ids[0]);
                    }
                    emitter.list(element.clone(), &ids, span)
                }
                Source::Spread(value, conversion, element, size) => {
                    let one = convert::apply(emitter, *value, conversion, span);
                    let items = vec![one; *size as usize];
                    emitter.list(element.clone(), &items, span)
                }
            })
            .collect()
    }
}

/// The constant of a default, which stands nowhere in the program.
fn nowhere(emitter: &mut Emitter<'_>, value: &Value, ty: Type, span: &Span) -> ValueId {
    let id = emitter.typed_constant(value.clone(), ty, span);
    let node = emitter.graph.value(id).node();
    emitter.graph.set_span(node, None);
    id
}

/// The results of a call as one sugared value: none, the value itself, or a tuple.
pub(crate) fn pack(emitter: &mut Emitter<'_>, outputs: &[ValueId], span: &Span) -> Sugared {
    match outputs {
        [] => Sugared::Value(emitter.tuple(&[], span)),
        [one] => Sugared::Value(*one),
        many => Sugared::Value(emitter.tuple(many, span)),
    }
}

/// The message for a call that no overload takes.
fn no_match_message(mismatches: &[Mismatch<'_>]) -> String {
    if let [only] = mismatches {
        return format!("\n{}:\n{}", only.schema, only.reason);
    }
    let mut text =
        String::from("Arguments for call are not valid.\nThe following variants are available:\n");
    for mismatch in mismatches {
        text.push_str(&format!(
            "  \n  {}:\n  {}\n",
            mismatch.schema,
            mismatch.reason.trim_end().replace('\n', "\n  ")
        ));
    }
    text.push_str("\nThe original call is");
    text
}
