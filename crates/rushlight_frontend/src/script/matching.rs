//! Fitting a call's arguments to a schema: defaults, keywords, conversions, type variables, lists from many arguments.
//!
//! Matching plans and does not touch the graph; [`Matched::emit`] carries the plan out. So trying one overload after
//! the other costs nothing when they do not fit.

use super::{Arguments, Emitter, convert};
use crate::{Outcome, Sugared};
use rushlight_ir::ValueId;
use rushlight_syntax::Span;
use rushlight_types::{Argument, Bindings, Schema, Type, Value, ty};

/// Where one input of the call comes from.
enum Source {
    /// An argument, converted.
    Given(ValueId, convert::Conversion, Span),
    /// Several positional arguments gathered into a list.
    Gathered(Vec<(ValueId, convert::Conversion)>, Type),
    /// The schema's default.
    Default(Value, Type),
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
    span: Span,
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
            span: span.clone(),
            used: false,
        });
    }
    let mut keywords = Vec::new();
    for named in &arguments.keywords {
        let id = named.value.as_value(emitter, &named.span)?;
        keywords.push(Given {
            name: Some(named.name.clone()),
            value: id,
            span: named.span.clone(),
            used: false,
        });
    }
    Ok((positional, keywords))
}

/// Fits the arguments to the first schema that takes them: first without conversions of numbers, then with. The error
/// lists, for every schema, why it does not fit.
pub fn match_schema<'s>(
    emitter: &mut Emitter<'_>,
    schemas: &[&'s Schema],
    arguments: &Arguments,
    span: &Span,
) -> Outcome<Result<(usize, Matched), Vec<Mismatch<'s>>>> {
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
                span,
            ) {
                Ok(matched) => return Ok(Ok((i, matched))),
                Err((reason, at)) => mismatches.push(Mismatch {
                    schema,
                    reason,
                    span: at,
                }),
            }
        }
    }
    Ok(Err(mismatches))
}

/// Why a schema does not take the arguments.
#[derive(Clone)]
pub struct Mismatch<'s> {
    pub schema: &'s Schema,
    pub reason: String,
    pub span: Span,
}

type Reason = (String, Span);

fn try_match(
    emitter: &Emitter<'_>,
    schema: &Schema,
    positional: &mut [Given],
    keywords: &mut [Given],
    allow_numbers: bool,
    span: &Span,
) -> Result<Matched, Reason> {
    let mut bindings = Bindings::default();
    let mut sources = Vec::with_capacity(schema.arguments.len());
    let mut next = 0usize;
    for (i, formal) in schema.arguments.iter().enumerate() {
        let named = keywords
            .iter()
            .position(|g| g.name.as_deref() == Some(&*formal.name));
        if next < positional.len() && !formal.kwarg_only {
            if named.is_some() {
                return Err((
                    format!("argument '{}' specified twice", formal.name),
                    span.clone(),
                ));
            }
            if let Some(gathered) = gather(
                emitter,
                schema,
                i,
                formal,
                &positional[next..],
                allow_numbers,
            ) {
                positional[next..].iter_mut().for_each(|g| g.used = true);
                next = positional.len();
                sources.push(gathered);
                continue;
            }
            let given = &mut positional[next];
            given.used = true;
            next += 1;
            sources.push(fit(emitter, formal, given, &mut bindings, allow_numbers)?);
        } else if let Some(k) = named {
            keywords[k].used = true;
            sources.push(fit(
                emitter,
                formal,
                &keywords[k],
                &mut bindings,
                allow_numbers,
            )?);
        } else if let Some(default) = &formal.default {
            let ty = match default {
                Value::None => Type::None,
                number if formal.ty == Type::Number => number.type_of(),
                _ => formal.ty.runtime(),
            };
            sources.push(Source::Default(default.clone(), ty));
        } else {
            return Err((
                format!("Argument {} not provided.", formal.name),
                span.clone(),
            ));
        }
    }
    if schema.varargs {
        for given in &mut positional[next..] {
            given.used = true;
            sources.push(Source::Given(
                given.value,
                convert::Conversion::None,
                given.span.clone(),
            ));
        }
    } else if next < positional.len() {
        let most = schema.arguments.iter().filter(|a| !a.kwarg_only).count();
        return Err((
            format!(
                "Expected at most {} arguments but found {} positional arguments.",
                most,
                positional.len()
            ),
            positional[next].span.clone(),
        ));
    }
    if let Some(extra) = keywords.iter().find(|g| !g.used) {
        let name = extra.name.as_deref().unwrap_or("");
        let message = if schema.argument_index(name).is_some() {
            format!("Argument {name} specified twice")
        } else {
            format!("Unknown keyword argument '{name}'.")
        };
        return Err((message, extra.span.clone()));
    }
    let returns = schema
        .returns
        .iter()
        .map(|r| {
            ty::evaluate(&r.ty.runtime(), &bindings).ok_or_else(|| {
                (
                    format!(
                        "the result type {} is not determined by the arguments",
                        r.ty
                    ),
                    span.clone(),
                )
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Matched { sources, returns })
}

/// `x.view(2, 3)`: all remaining positional arguments as the one list that the last positional parameter wants.
fn gather(
    emitter: &Emitter<'_>,
    schema: &Schema,
    index: usize,
    formal: &Argument,
    rest: &[Given],
    allow_numbers: bool,
) -> Option<Source> {
    let element = match &formal.ty {
        Type::List(element) => element.runtime(),
        Type::Optional(inner) => inner.list_element()?.runtime(),
        _ => return None,
    };
    let is_last = schema.arguments[index + 1..].iter().all(|a| a.kwarg_only) && !schema.varargs;
    let allowed = matches!(
        element,
        Type::Int | Type::Float | Type::Bool | Type::Tensor(_)
    ) && formal.list_size.is_none()
        || matches!(element, Type::Int) && rest.len() > 1;
    let first = emitter.ty(rest[0].value);
    if !is_last
        || !allowed
        || matches!(
            first,
            Type::List(_) | Type::Tuple(_) | Type::None | Type::Optional(_)
        )
    {
        return None;
    }
    // A list of tensors is never gathered from loose tensors.
    if element.is_tensor() {
        return None;
    }
    let mut items = Vec::new();
    for given in rest {
        let conversion = convert::plan(emitter.ty(given.value), &element, allow_numbers)?;
        if matches!(conversion, convert::Conversion::ToFloat(_)) && element != Type::Float {
            return None;
        }
        items.push((given.value, conversion));
    }
    Some(Source::Gathered(items, element))
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
        return Err((
            format!(
                "Could not match type {actual} to {} in argument '{}': {reason}.",
                formal.ty, formal.name
            ),
            given.span.clone(),
        ));
    }
    let wanted = match ty::evaluate(&formal.ty, bindings) {
        Some(t) => t,
        None if actual == Type::None && formal.ty.accepts_none() => Type::None,
        None => {
            return Err((
                format!(
                    "Type variables in type {} could not be inferred from actual type {actual}",
                    formal.ty
                ),
                given.span.clone(),
            ));
        }
    };
    // Ints never become floats by themselves in calls of operators with several overloads; user functions neither.
    let plan = match (&actual, &wanted) {
        (Type::Int, Type::Float) => None,
        _ => convert::plan(&actual, &wanted, allow_numbers),
    };
    if let Some(conversion) = plan {
        return Ok(Source::Given(given.value, conversion, given.span.clone()));
    }
    // `int[2]`: one number stands for the list.
    let inner = match &wanted {
        Type::Optional(inner) => inner,
        other => other,
    };
    if let (Some(size), Some(element)) = (formal.list_size, inner.list_element()) {
        let element = element.runtime();
        if let Some(conversion) = convert::plan(&actual, &element, allow_numbers) {
            return Ok(Source::Spread(given.value, conversion, element, size));
        }
    }
    let mut message = format!(
        "Expected a value of type '{}' for argument '{}' but instead found type '{actual}'.",
        wanted, formal.name
    );
    if let (Type::List(_), Type::List(element)) = (&wanted, &actual)
        && **element == Type::TENSOR
    {
        message.push_str(
                "\nEmpty lists default to List[Tensor]. Add a variable annotation to the assignment to create an empty list of another type (torch.jit.annotate(List[T, []]) where T is the type of elements in the list for Python 2)",
            );
    }
    if wanted.is_tensor() && matches!(actual, Type::None) {
        // The usual way to get here is a forgotten Optional.
    }
    Err((message, given.span.clone()))
}

impl Matched {
    /// Emits conversions and defaults and returns the inputs of the call.
    pub fn emit(&self, emitter: &mut Emitter<'_>, span: &Span) -> Vec<ValueId> {
        self.sources
            .iter()
            .map(|source| match source {
                Source::Given(value, conversion, at) => {
                    convert::apply(emitter, *value, conversion, at)
                }
                Source::Gathered(items, element) => {
                    let values: Vec<ValueId> = items
                        .iter()
                        .map(|(v, c)| convert::apply(emitter, *v, c, span))
                        .collect();
                    emitter.list(element.clone(), &values, span)
                }
                Source::Default(value, ty) => {
                    let id = emitter.typed_constant(value.clone(), ty.clone(), span);
                    // A default stands nowhere in the program.
                    let node = emitter.graph.value(id).node();
                    emitter.graph.set_span(node, None);
                    id
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

/// The results of a call as one sugared value: none, the value itself, or a tuple.
pub(crate) fn pack(emitter: &mut Emitter<'_>, outputs: &[ValueId], span: &Span) -> Sugared {
    match outputs {
        [] => Sugared::Value(emitter.tuple(&[], span)),
        [one] => Sugared::Value(*one),
        many => Sugared::Value(emitter.tuple(many, span)),
    }
}

/// The message for a call that no overload takes.
pub(crate) fn no_match_message(name: &str, mismatches: &[Mismatch<'_>]) -> String {
    if let [only] = mismatches {
        return format!("\n{}:\n{}", only.schema, only.reason);
    }
    let mut text = String::from(
        "\nArguments for call are not valid.\nThe following variants are available:\n",
    );
    for mismatch in mismatches {
        text.push_str(&format!(
            "  \n  {}:\n  {}\n",
            mismatch.schema,
            mismatch.reason.replace('\n', "\n  ")
        ));
    }
    let _ = name;
    text.push_str("\nThe original call is");
    text
}
