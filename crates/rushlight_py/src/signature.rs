//! Calls that fit no overload of an operator: which signature they were meant for, and what is wrong with them.
//!
//! A signature is what a Python program may write: an overload without the receiver of a method, joined with the one that
//! takes `out`. Where only one signature can be meant, the error names the argument; otherwise it lists the signatures.
//! Nothing here runs unless a call has failed.

use crate::binding::{Arguments, accepts};
use crate::convert::shown_type;
use crate::errors;
use crate::overloads::base_name;
use pyo3::PyErr;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};
use rushlight::tensor::Device;
use rushlight::types::{Argument, Operator, Schema, Type, repr_text};
use std::fmt;

/// A parameter as a Python program sees it.
struct Parameter<'s> {
    formal: &'s Argument,
    name: &'s str,
    kind: &'static str,
    /// The default as it is shown; `None` where the argument must be given.
    default: Option<String>,
    keyword_only: bool,
}

/// One way to call an operator.
struct Signature<'s> {
    parameters: Vec<Parameter<'s>>,
}

/// The error for a call that fits no overload.
pub fn refusal(arguments: &Arguments<'_, '_>) -> PyErr {
    if let Some(error) = no_device(arguments) {
        return error;
    }
    let call = Refused {
        arguments,
        name: base_name(arguments.overloads.name),
        positional: &arguments.positional[usize::from(arguments.is_method)..],
    };
    PyTypeError::new_err(call.message())
}

/// What is said at the first call in an old form.
pub fn deprecation(arguments: &Arguments<'_, '_>, old: &Schema) -> String {
    let name = base_name(arguments.overloads.name);
    let own = old.arguments[usize::from(arguments.is_method)..].iter();
    let mut parameters: Vec<Parameter<'_>> = own.filter(|a| !is_out(a)).map(parameter).collect();
    let mut formals = arguments
        .overloads
        .rows()
        .iter()
        .flat_map(|row| &row.schema().arguments);
    let out = formals.find(|formal| is_out(formal));
    parameters.extend(out.filter(|_| !arguments.is_method).map(out_parameter));
    let mut text = format!(
        "This overload of {name} is deprecated:\n\t{name}{}\nConsider using one of the following signatures instead:",
        Signature { parameters }
    );
    for signature in signatures(arguments) {
        text.push_str(&format!("\n\t{name}{signature}"));
    }
    text
}

/// The error for a text that no device has the name of, where a device is asked for.
fn no_device(arguments: &Arguments<'_, '_>) -> Option<PyErr> {
    let mut named = arguments.named.iter();
    let by_name = named.find(|(name, _)| name.to_str().is_ok_and(|n| n == "device"));
    let is_device = |place: usize| {
        let takes = |row: &&'static Operator| {
            let formal = row.schema().arguments.get(place);
            formal.is_some_and(|formal| match &formal.ty {
                Type::Optional(inner) => **inner == Type::Device,
                other => *other == Type::Device,
            })
        };
        arguments.overloads.rows().iter().any(takes)
    };
    let mut placed = arguments.positional.iter().enumerate();
    let value = match by_name {
        Some((_, value)) => value,
        None => {
            placed
                .find(|(i, value)| value.is_instance_of::<PyString>() && is_device(*i))?
                .1
        }
    };
    let text: String = value.cast::<PyString>().ok()?.extract().ok()?;
    Device::parse(&text).err().map(errors::fault)
}

struct Refused<'a, 'py> {
    arguments: &'a Arguments<'a, 'py>,
    name: &'static str,
    positional: &'a [Bound<'py, PyAny>],
}

impl<'py> Refused<'_, 'py> {
    fn message(&self) -> String {
        let signatures = signatures(self.arguments);
        // Sizes that stand one by one are looked at only once the first has settled what is meant.
        let spread = signatures.iter().filter(|s| self.is_spread(s));
        if let Some(text) = spread
            .filter_map(|s| self.unpacked(&s.parameters[0], self.positional))
            .next()
        {
            return text;
        }
        let old_form = self.arguments.overloads.any(|row| row.has_old_form);
        let meant = match signatures.as_slice() {
            [only] if !old_form => Some(only),
            all => {
                let count = self.positional.len() + self.arguments.named.len();
                let mut plausible = all.iter().filter(|s| s.may_take(count));
                plausible.next().filter(|_| plausible.next().is_none())
            }
        };
        meant
            .and_then(|signature| self.complaint(signature))
            .unwrap_or_else(|| self.listing(&signatures))
    }

    /// What is wrong with the call where a signature is meant; `None` when nothing shows.
    fn complaint(&self, signature: &Signature<'_>) -> Option<String> {
        let name = self.name;
        let most = signature.positional();
        let mut given = 0;
        let mut used = 0;
        let spread = self.is_spread(signature);
        if self.positional.len() > most && !spread {
            return Some(self.too_many(signature));
        }
        for (i, parameter) in signature.parameters.iter().enumerate() {
            if given < self.positional.len() && !parameter.keyword_only {
                if spread && i == 0 {
                    if let Some(text) = self.unpacked(parameter, self.positional) {
                        return Some(text);
                    }
                    given = self.positional.len();
                    continue;
                }
                let object = &self.positional[given];
                given += 1;
                let place = format!(" (position {given})");
                if let Some(text) = self.mismatch(parameter, object, &place) {
                    return Some(text);
                }
                continue;
            }
            match self.named(parameter) {
                Some(object) => {
                    used += 1;
                    if let Some(text) = self.mismatch(parameter, object, "") {
                        return Some(text);
                    }
                }
                None if parameter.default.is_some() => {}
                None => return Some(self.missing(signature, given)),
            }
        }
        if used == self.arguments.named.len() {
            return None;
        }
        let mut names = self.arguments.named.iter().map(|(n, _)| n.to_string());
        let unknown = names.find(|n| !signature.parameters.iter().any(|p| p.is_called(n)));
        Some(match unknown {
            Some(keyword) => format!("{name}() got an unexpected keyword argument '{keyword}'"),
            None => {
                let twice = signature.parameters[..given.min(most)]
                    .iter()
                    .find(|p| self.named(p).is_some());
                let twice = twice.map_or("", |p| p.name);
                format!("{name}() got multiple values for argument '{twice}'")
            }
        })
    }

    fn named(&self, parameter: &Parameter<'_>) -> Option<&Bound<'py, PyAny>> {
        let named = self.arguments.named.iter();
        named
            .filter(|(name, _)| name.to_str().is_ok_and(|n| parameter.is_called(n)))
            .map(|(_, value)| value)
            .next()
    }

    /// Whether the positional arguments are the elements of the first parameter, a list of sizes.
    fn is_spread(&self, signature: &Signature<'_>) -> bool {
        let first = signature.parameters.first();
        first.is_some_and(|p| p.kind == "tuple of ints" && p.formal.list_size.is_none())
            && signature.positional() == 1
            && self.positional.first().is_some_and(|o| self.is_size(o))
    }

    fn is_size(&self, object: &Bound<'_, PyAny>) -> bool {
        accepts(object, &Argument::new("", Type::Int), true)
    }

    fn too_many(&self, signature: &Signature<'_>) -> String {
        let (name, count) = (self.name, self.positional.len());
        if signature.parameters.is_empty() && self.arguments.is_method {
            return format!("TensorBase.{name}() takes no arguments ({count} given)");
        }
        let (least, most) = (signature.required(), signature.positional());
        let were = match count {
            1 if least == most => "was",
            _ => "were",
        };
        let takes = match least == most {
            true => format!(
                "{most} positional argument{}",
                if most == 1 { "" } else { "s" }
            ),
            false => format!("from {least} to {most} positional arguments"),
        };
        format!("{name}() takes {takes} but {count} {were} given")
    }

    fn missing(&self, signature: &Signature<'_>, given: usize) -> String {
        let absent = signature
            .parameters
            .iter()
            .enumerate()
            .filter(|(i, p)| *i >= given && p.default.is_none() && self.named(p).is_none());
        let names: Vec<String> = absent.map(|(_, p)| format!("\"{}\"", p.name)).collect();
        // The plural stands where there is one, as in the reference.
        let plural = if names.len() == 1 { "s" } else { "" };
        format!(
            "{}() missing {} required positional argument{plural}: {}",
            self.name,
            names.len(),
            names.join(", ")
        )
    }

    /// What is wrong with one argument.
    fn mismatch(
        &self,
        parameter: &Parameter<'_>,
        object: &Bound<'_, PyAny>,
        place: &str,
    ) -> Option<String> {
        let (name, argument, kind) = (self.name, parameter.name, parameter.kind);
        if self.takes(parameter, object) {
            return None;
        }
        let items = elements(object).filter(|items| !items.is_empty());
        let Some(items) = items.filter(|_| kind.starts_with("tuple of")) else {
            let shown = shown_type(object);
            return Some(format!(
                "{name}(): argument '{argument}'{place} must be {kind}, not {shown}"
            ));
        };
        if kind == "tuple of Tensors" {
            let wrong = items.iter().position(|o| !self.is_element(parameter, o))?;
            let shown = shown_type(&items[wrong]);
            return Some(format!(
                "expected Tensor as element {wrong} in argument 0, but got {shown}"
            ));
        }
        if !self.is_element(parameter, &items[0]) {
            let shown = shown_type(&items[0]);
            return Some(format!(
                "{name}(): argument '{argument}'{place} must be {kind}, but found element of type {shown} at pos 0"
            ));
        }
        self.unpacked(parameter, &items)
    }

    /// What is wrong with a later element of a list.
    fn unpacked(&self, parameter: &Parameter<'_>, items: &[Bound<'_, PyAny>]) -> Option<String> {
        let wrong = items.iter().position(|o| !self.is_element(parameter, o))?;
        Some(format!(
            "{}(): argument '{}' failed to unpack the object at pos {} with error \"type must be {},but got {}\"",
            self.name,
            parameter.name,
            wrong + 1,
            parameter.kind,
            shown_type(&items[wrong])
        ))
    }

    fn is_element(&self, parameter: &Parameter<'_>, object: &Bound<'_, PyAny>) -> bool {
        let element = match parameter.kind {
            "tuple of ints" => Type::Int,
            "tuple of floats" => Type::Float,
            "tuple of bools" => Type::Bool,
            "tuple of Tensors" => Type::optional(Type::TENSOR),
            _ => return true,
        };
        accepts(object, &Argument::new("", element), false)
    }

    fn takes(&self, parameter: &Parameter<'_>, object: &Bound<'_, PyAny>) -> bool {
        let numbers = self.arguments.overloads.any(|row| row.wraps_numbers);
        accepts(
            object,
            parameter.formal,
            numbers || parameter.kind != "Tensor",
        )
    }

    fn listing(&self, signatures: &[Signature<'_>]) -> String {
        let mut given: Vec<String> = self.positional.iter().map(shown_type).collect();
        // Names come last first.
        let named = self.arguments.named.iter().rev();
        given.extend(named.map(|(n, v)| format!("{n}={}", shown_type(v))));
        let only_named = self.positional.is_empty() && !given.is_empty();
        let mut given = format!(
            "({}{})",
            given.join(", "),
            if only_named { ", " } else { "" }
        );
        if let [only] = signatures
            && let Some(Misfit::Types(marked)) = self.misfit(only)
        {
            given = marked;
        }
        let mut text = format!(
            "{}() received an invalid combination of arguments - got {given}, but expected ",
            self.name,
        );
        if let [only] = signatures {
            return text + &only.to_string();
        }
        text.push_str("one of:\n");
        for signature in signatures {
            text.push_str(&format!(" * {signature}\n"));
            match self.misfit(signature) {
                Some(Misfit::Names(names)) => text.push_str(&format!(
                    "      didn't match because some of the keywords were incorrect: {names}\n"
                )),
                Some(Misfit::Types(types)) => text.push_str(&format!(
                    "      didn't match because some of the arguments have invalid types: {types}\n"
                )),
                None => {}
            }
        }
        text
    }

    /// Why a signature that takes as many arguments does not match: it is its text that is counted, in which the mark before
    /// what is given by name is one more.
    fn misfit(&self, signature: &Signature<'_>) -> Option<Misfit> {
        let parameters = &signature.parameters;
        let mut pieces: Vec<Option<&Parameter<'_>>> = parameters.iter().map(Some).collect();
        if let Some(first) = parameters.iter().position(|p| p.keyword_only) {
            pieces.insert(first, None);
        }
        let named = &self.arguments.named;
        let count = self.positional.len() + named.len();
        if count == 0 || !pieces.is_empty() && pieces.len() != count {
            return None;
        }
        // Names come last first.
        let named: Vec<(String, &Bound<'_, PyAny>)> = named
            .iter()
            .rev()
            .map(|(name, value)| (name.to_string(), value))
            .collect();
        let parameter = |name: &str| parameters.iter().find(|p| p.is_called(name));
        let unknown: Vec<&str> = named
            .iter()
            .map(|(name, _)| name.as_str())
            .filter(|name| parameter(name).is_none())
            .collect();
        if !unknown.is_empty() {
            return Some(Misfit::Names(unknown.join(", ")));
        }
        // By name: a number is no match for an int here, though it is one in a call.
        let fits = |parameter: Option<&Parameter<'_>>, object: &Bound<'_, PyAny>| {
            parameter.is_some_and(|p| p.kind == shown_type(object))
        };
        let marked = |fits: bool, text: String| match fits {
            true => text,
            false => format!("!{text}!"),
        };
        let places = pieces.into_iter().chain(std::iter::repeat(None));
        let placed = self
            .positional
            .iter()
            .zip(places)
            .map(|(object, parameter)| marked(fits(parameter, object), shown_type(object)));
        let mut shown: Vec<String> = placed.collect();
        shown.extend(named.iter().map(|(name, value)| {
            let text = format!("{name}={}", shown_type(value));
            marked(fits(parameter(name), value), text)
        }));
        let end = if self.positional.is_empty() { ", " } else { "" };
        Some(Misfit::Types(format!("({}{end})", shown.join(", "))))
    }
}

/// Why a signature that takes as many arguments does not match.
enum Misfit {
    /// It knows none of these names.
    Names(String),
    /// Of the types that are given, these with marks do not fit.
    Types(String),
}

/// The elements of a list or tuple.
fn elements<'py>(object: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    let sequence = object.cast::<PyTuple>().is_ok() || object.cast::<PyList>().is_ok();
    sequence.then(|| object.try_iter().ok().map(|i| i.flatten().collect()))?
}

impl Parameter<'_> {
    fn is_required_by_place(&self) -> bool {
        self.default.is_none() && !self.keyword_only
    }

    fn is_called(&self, name: &str) -> bool {
        name == self.name || name == &*self.formal.name
    }
}

impl fmt::Display for Parameter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.name)?;
        match &self.default {
            Some(default) => write!(f, " = {default}"),
            None => Ok(()),
        }
    }
}

impl Signature<'_> {
    /// How many arguments may stand without names.
    fn positional(&self) -> usize {
        self.parameters.iter().filter(|p| !p.keyword_only).count()
    }

    /// How many arguments must be given.
    fn required(&self) -> usize {
        self.parameters
            .iter()
            .filter(|p| p.default.is_none())
            .count()
    }

    fn may_take(&self, count: usize) -> bool {
        (self.required()..=self.parameters.len()).contains(&count)
    }
}

impl fmt::Display for Signature<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = Vec::new();
        for (i, parameter) in self.parameters.iter().enumerate() {
            if parameter.keyword_only && (i == 0 || !self.parameters[i - 1].keyword_only) {
                parts.push("*".to_string());
            }
            parts.push(parameter.to_string());
        }
        write!(f, "({})", parts.join(", "))
    }
}

/// The signatures of an operator, those that take tensors before those that take numbers.
fn signatures<'s>(arguments: &Arguments<'_, '_>) -> Vec<Signature<'s>> {
    let rows = arguments.overloads.rows();
    let is_method = arguments.is_method;
    let seen = |row: &&&'static Operator| is_listed(row, is_method);
    let mut chosen: Vec<&'static Operator> = rows.iter().filter(seen).copied().collect();
    if chosen.is_empty() {
        chosen = rows.to_vec();
    }
    let is_out = |row: &Operator| row.schema().arguments.iter().any(is_out);
    if let Some(order) = recorded_order(base_name(arguments.overloads.name), is_method) {
        let outs = || rows.iter().copied().filter(|r| is_out(r));
        let listed = order.split_whitespace().filter_map(|word| {
            let overload = word.trim_end_matches('!');
            let overload = if overload == "-" { "" } else { overload };
            let row = rows.iter().find(|r| *r.schema().overload == *overload)?;
            let shows_out = !is_method && !word.ends_with('!');
            let out = outs().find(|out| same_but_out(row, out));
            Some(signature(row, out.filter(|_| shows_out), is_method))
        });
        return listed.collect();
    }
    let plain: Vec<&'static Operator> = chosen.iter().copied().filter(|r| !is_out(r)).collect();
    let outs: Vec<&'static Operator> = chosen.iter().copied().filter(|r| is_out(r)).collect();
    let mut found: Vec<Signature<'s>> = Vec::new();
    for &row in &plain {
        let out = outs.iter().find(|out| same_but_out(row, out)).copied();
        found.push(signature(row, out.filter(|_| !is_method), is_method));
    }
    found.sort_by_key(|s| {
        s.parameters
            .iter()
            .filter(|p| p.is_required_by_place())
            .count()
    });
    found
}

/// The overloads of an operator as errors list them, where their order has been noted.
fn recorded_order(name: &str, is_method: bool) -> Option<&'static str> {
    const NOTED: &str = include_str!("listing.txt");
    NOTED.lines().find_map(|line| {
        let (key, order) = line.split_once(' ')?;
        let (of_method, key) = match key.strip_prefix('.') {
            Some(key) => (true, key),
            None => (false, key),
        };
        (of_method == is_method && key == name).then_some(order)
    })
}

fn is_out(argument: &Argument) -> bool {
    argument.kwarg_only && argument.is_written()
}

/// Whether two overloads take the same but for `out` and what says how to make a tensor.
fn same_but_out(plain: &Operator, out: &Operator) -> bool {
    let names = |row: &Operator| -> Vec<(String, Type)> {
        let arguments = row.schema().arguments.iter();
        arguments
            .filter(|a| !is_out(a) && !is_option(a))
            .map(|a| (a.name.to_string(), a.ty.clone()))
            .collect()
    };
    names(plain) == names(out)
}

/// Whether an argument says how to make a tensor.
fn is_option(argument: &Argument) -> bool {
    matches!(
        &*argument.name,
        "dtype" | "layout" | "device" | "pin_memory"
    ) && argument.kwarg_only
}

/// Whether an overload is one of those that errors list: not those that names or tensors stand in for.
fn is_listed(row: &Operator, is_method: bool) -> bool {
    let schema = row.schema();
    let arguments = &schema.arguments;
    let named = arguments.iter().any(|a| mentions_names(&a.ty));
    let replaced = row.wraps_numbers && schema.overload.starts_with("Scalar");
    let first = arguments.first();
    let receiver = !is_method || first.is_some_and(|a| &*a.name == "self" && a.ty.is_tensor());
    let is_plain = !schema.varargs && !schema.overload.starts_with("prim_");
    !named && !replaced && receiver && is_plain
}

fn mentions_names(ty: &Type) -> bool {
    match ty {
        Type::Dimname => true,
        Type::Optional(inner) | Type::List(inner) => mentions_names(inner),
        _ => false,
    }
}

fn signature<'s>(
    row: &'static Operator,
    out: Option<&'static Operator>,
    is_method: bool,
) -> Signature<'s> {
    let arguments = &row.schema().arguments[usize::from(is_method)..];
    let makes = arguments.iter().find(|a| &*a.name == "pin_memory");
    // What says how to make a tensor comes last where there is all of it, and `out` before that.
    let (options, own): (Vec<&'static Argument>, Vec<&'static Argument>) = arguments
        .iter()
        .partition(|a| makes.is_some() && is_option(a));
    let mut parameters: Vec<Parameter<'s>> = own.into_iter().map(parameter).collect();
    if let Some(out) = out {
        let outs: Vec<&'static Argument> = out
            .schema()
            .arguments
            .iter()
            .filter(|a| is_out(a))
            .collect();
        if let Some(&formal) = outs.first() {
            parameters.push(Parameter {
                kind: if outs.len() > 1 {
                    "tuple of Tensors"
                } else {
                    "Tensor"
                },
                ..out_parameter(formal)
            });
        }
    }
    parameters.extend(options.into_iter().map(parameter));
    if let Some(last) = makes {
        parameters.push(Parameter {
            name: "requires_grad",
            kind: "bool",
            ..parameter(last)
        });
    }
    Signature { parameters }
}

/// The tensor that a call writes its result into.
fn out_parameter(formal: &Argument) -> Parameter<'_> {
    Parameter {
        formal,
        name: "out",
        kind: "Tensor",
        default: Some("None".to_string()),
        keyword_only: true,
    }
}

fn parameter(formal: &Argument) -> Parameter<'_> {
    let default = formal.default.as_ref().map(|value| match &*formal.name {
        "pin_memory" => "False".to_string(),
        "dtype" => "None".to_string(),
        _ => default_text(formal, value),
    });
    Parameter {
        formal,
        name: match &*formal.name {
            "self" if formal.ty.is_tensor() => "input",
            other => other,
        },
        kind: kind_of(&formal.ty),
        default,
        keyword_only: formal.kwarg_only,
    }
}

fn default_text(formal: &Argument, value: &rushlight::Value) -> String {
    match (&formal.default_text, value) {
        (_, rushlight::Value::Str(text)) => format!("\"{text}\""),
        (_, rushlight::Value::Int(1)) if &*formal.name == "reduction" => {
            "at::Reduction::Mean".to_string()
        }
        (_, rushlight::Value::Float(whole)) if whole.fract() == 0.0 && &*formal.name != "base" => {
            format!("{whole}")
        }
        (_, rushlight::Value::Float(whole)) if whole.fract() == 0.0 => format!("{whole:?}"),
        (Some(text), _) if &**text != "None" && kind_of(&formal.ty) == "torch.memory_format" => {
            format!("torch.{text}")
        }
        (_, rushlight::Value::IntList(list)) => match list.lock().as_slice() {
            [] => "None".to_string(),
            [one, others @ ..] if others.iter().all(|other| other == one) => one.to_string(),
            many => {
                let many: Vec<String> = many.iter().map(i64::to_string).collect();
                format!("{{{}}}", many.join(","))
            }
        },
        (Some(text), _) => text.to_string(),
        (None, other) => repr_text(other),
    }
}

/// What the reference calls a type of arguments.
fn kind_of(ty: &Type) -> &'static str {
    match ty {
        Type::Optional(inner) => kind_of(inner),
        Type::List(element) => match kind_of(element) {
            "Tensor" => "tuple of Tensors",
            "int" => "tuple of ints",
            "float" => "tuple of floats",
            "bool" => "tuple of bools",
            "Number" => "tuple of Scalars",
            _ => "list",
        },
        Type::Tensor(_) => "Tensor",
        Type::Number => "Number",
        Type::Int | Type::SymInt => "int",
        Type::Float | Type::SymFloat => "float",
        Type::Bool | Type::SymBool => "bool",
        Type::Complex => "complex",
        Type::Str => "str",
        Type::ScalarType => "torch.dtype",
        Type::Layout => "torch.layout",
        Type::Device => "torch.device",
        Type::MemoryFormat => "torch.memory_format",
        Type::Generator => "torch.Generator",
        _ => "object",
    }
}
