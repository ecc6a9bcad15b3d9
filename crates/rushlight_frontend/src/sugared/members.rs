//! What can stand behind a dot: for editors, which offer it.

use super::namespace;
use super::value::{self, DEVICE_ATTRIBUTES, TENSOR_ATTRIBUTES};
use crate::source_file::library;
use rushlight_types::{OperatorTable, Type};
use std::collections::BTreeMap;

/// What a name behind a dot is.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    /// An attribute, of a type where that is known.
    Attribute(Option<Type>),
    /// A method of an object, by how it is called.
    Method(String),
    /// A call of an operator, by its name in the table.
    Operator(String),
    /// A module of names.
    Module,
    /// A constant or a type.
    Constant,
}

/// Names of operators that nobody writes: what begins with an underscore, and what only archives write, with a capital.
fn is_hidden(name: &str) -> bool {
    name.starts_with(|c: char| c == '_' || c.is_ascii_uppercase())
}

/// The methods that values of Python's own types have there.
const METHODS: &[(&str, &str)] = &[
    (
        "list",
        "append clear copy count extend index insert pop remove reverse sort",
    ),
    (
        "dict",
        "clear copy fromkeys get items keys pop popitem setdefault update values",
    ),
    (
        "str",
        "capitalize casefold center count encode endswith expandtabs find format format_map index isalnum isalpha isascii \
         isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust lower lstrip maketrans \
         partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith \
         strip swapcase title translate upper zfill",
    ),
    ("number", "real imag conjugate"),
];

/// Whether Python has a method under a name in values of a type.
fn has_method(ty: &Type, name: &str) -> bool {
    let kind = match ty {
        Type::List(_) => "list",
        Type::Dict(_) => "dict",
        Type::Str => "str",
        ty if ty.is_number() || *ty == Type::Bool => "number",
        _ => return true,
    };
    let row = METHODS.iter().find(|(known, _)| *known == kind);
    row.is_some_and(|(_, names)| names.split(' ').any(|known| known == name))
}

/// What values of a type have, by name.
pub fn of_type(table: &OperatorTable, ty: &Type) -> BTreeMap<String, Member> {
    let mut out = BTreeMap::new();
    let mut computed = |attributes: &[(&str, &str)]| {
        for (name, operator) in attributes {
            let result = table.overloads(operator).first();
            let result = result.and_then(|op| op.schema().returns.first());
            let ty = result.map(|r| r.ty.runtime());
            out.insert(name.to_string(), Member::Attribute(ty));
        }
    };
    match ty {
        Type::Tensor(_) => computed(TENSOR_ATTRIBUTES),
        Type::Device => computed(DEVICE_ATTRIBUTES),
        Type::Tuple(tuple) => {
            for (name, ty) in tuple.fields.iter().zip(tuple.elements.iter()) {
                out.insert(name.to_string(), Member::Attribute(Some(ty.clone())));
            }
        }
        Type::Enum(ty) => {
            let value = Some(ty.value_type.clone());
            out.insert("name".to_string(), Member::Attribute(Some(Type::Str)));
            out.insert("value".to_string(), Member::Attribute(value));
            return out;
        }
        Type::Class(class) => {
            for attribute in class.attributes() {
                let ty = Some(attribute.ty);
                out.insert(attribute.name.to_string(), Member::Attribute(ty));
            }
            for method in class.methods() {
                let schema = method.schema.as_ref().map(|schema| schema.to_string());
                let called = schema.unwrap_or_else(|| method.name.to_string());
                out.insert(method.name.to_string(), Member::Method(called));
            }
            return out;
        }
        Type::Interface(interface) => {
            for schema in interface.methods().iter() {
                out.insert(schema.name.to_string(), Member::Method(schema.to_string()));
            }
            return out;
        }
        _ => {}
    }
    for full in table.names() {
        let Some(name) = full.strip_prefix("aten::").filter(|n| !is_hidden(n)) else {
            continue;
        };
        if has_method(ty, name) && value::is_method(table, full, ty) {
            let member = Member::Operator(full.to_string());
            out.entry(name.to_string()).or_insert(member);
        }
    }
    out
}

/// What the members of an enum class are.
pub fn of_enum(ty: &rushlight_types::EnumType) -> BTreeMap<String, Member> {
    let names = ty.members.iter().map(|(name, _)| name.to_string());
    names.map(|name| (name, Member::Constant)).collect()
}

/// What a module of names has, the standard library aside.
pub fn of_module(table: &OperatorTable, path: &str) -> BTreeMap<String, Member> {
    let mut out = BTreeMap::new();
    let prefix = namespace::operator_name(path, "");
    let named = |full: &&'static str| {
        full.strip_prefix(prefix.as_deref()?)
            .map(|name| (*full, name))
    };
    for (full, name) in table.names().iter().filter_map(named) {
        let is_other = path == "torch"
            && ["special_", "linalg_", "fft_"]
                .iter()
                .any(|p| name.starts_with(p));
        let is_math = !path.ends_with("math") || namespace::is_of_math(table, full);
        if !is_hidden(name) && !is_other && is_math && namespace::is_named(path, name) {
            out.insert(name.to_string(), Member::Operator(full.to_string()));
        }
    }
    for (name, member) in namespace::names_in(path) {
        out.insert(name, member);
    }
    if path == "torch.nn" {
        for name in library::classes() {
            let taken = library::parameters_of(name).unwrap_or_default();
            let called = format!("{name}({})", taken.replace(' ', ", "));
            out.insert(name.to_string(), Member::Method(called));
        }
    }
    out
}
