//! What may be written where an operator is called: its signatures, and how messages show them.

use crate::binding::{Arguments, names, python_name};
use crate::overloads::base_name;
use rushlight::types::{Argument, Operator, Type, repr_text};
use std::fmt;

/// A parameter as a Python program sees it.
pub(super) struct Parameter<'s> {
    pub(super) formal: &'s Argument,
    pub(super) name: &'s str,
    pub(super) kind: &'static str,
    /// The default as it is shown; `None` where the argument must be given.
    pub(super) default: Option<String>,
    pub(super) keyword_only: bool,
}

/// One way to call an operator.
pub(super) struct Signature<'s> {
    pub(super) parameters: Vec<Parameter<'s>>,
}

impl Parameter<'_> {
    fn is_required_by_place(&self) -> bool {
        self.default.is_none() && !self.keyword_only
    }

    pub(super) fn is_called(&self, name: &str) -> bool {
        names(name, self.name)
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
    /// What the text of the signature is made of: a gap is the mark before what is given by name.
    pub(super) fn pieces(&self) -> Vec<Option<&Parameter<'_>>> {
        let mut pieces: Vec<_> = self.parameters.iter().map(Some).collect();
        if let Some(first) = self.parameters.iter().position(|p| p.keyword_only) {
            pieces.insert(first, None);
        }
        pieces
    }

    /// How many arguments may stand without names.
    pub(super) fn positional(&self) -> usize {
        self.parameters.iter().filter(|p| !p.keyword_only).count()
    }

    /// How many arguments must be given.
    pub(super) fn required(&self) -> usize {
        self.parameters
            .iter()
            .filter(|p| p.default.is_none())
            .count()
    }

    pub(super) fn may_take(&self, count: usize) -> bool {
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
pub(super) fn signatures<'s>(arguments: &Arguments<'_, '_>) -> Vec<Signature<'s>> {
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
    rushlight::tensor::order::sort_by_key(&mut found, |s| {
        s.parameters
            .iter()
            .filter(|p| p.is_required_by_place())
            .count()
    });
    found
}

/// The overloads of an operator as errors list them, where their order has been noted.
fn recorded_order(name: &str, is_method: bool) -> Option<&'static str> {
    const NOTED: &str = include_str!("../listing.txt");
    NOTED.lines().find_map(|line| {
        let (key, order) = line.split_once(' ')?;
        let (of_method, key) = match key.strip_prefix('.') {
            Some(key) => (true, key),
            None => (false, key),
        };
        (of_method == is_method && key == name).then_some(order)
    })
}

pub(super) fn is_out(argument: &Argument) -> bool {
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
    if &*row.schema().name == "aten::copy_"
        && let Some(first) = parameters.first_mut()
    {
        first.name = "other";
    }
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
pub(super) fn out_parameter(formal: &Argument) -> Parameter<'_> {
    Parameter {
        formal,
        name: "out",
        kind: "Tensor",
        default: Some("None".to_string()),
        keyword_only: true,
    }
}

pub(super) fn parameter(formal: &Argument) -> Parameter<'_> {
    let default = formal.default.as_ref().map(|value| match &*formal.name {
        "pin_memory" => "False".to_string(),
        "dtype" => "None".to_string(),
        _ => default_text(formal, value),
    });
    Parameter {
        formal,
        name: python_name(formal),
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
