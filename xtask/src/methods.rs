//! `cargo xtask methods`: the operators on tensors as methods for Rust, written from the rows of the table.

use crate::docs::operators::schemas;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The file that is written.
pub const FILE: &str = "crates/rushlight/src/operators/methods.rs";

/// Words of the language that parameters and operators are called by, too.
const WORDS: &[&str] = &[
    "where", "type", "in", "ref", "mod", "move", "self", "as", "fn", "box",
];

/// Operators that would be taken for methods which every tensor has.
const TAKEN: &[&str] = &["clone"];

/// Overloads that have the bare name, the first one that there is.
const PLAIN: &[&str] = &["", "Tensor", "self", "int", "default"];

/// Writes the file.
pub fn run() -> Result<(), String> {
    std::fs::write(FILE, text()?).map_err(|error| format!("{FILE}: {error}"))
}

/// Refuses a file that is not what the table says.
pub fn check(schemas: &str) -> Result<(), String> {
    let have = std::fs::read_to_string(FILE).map_err(|error| format!("{FILE}: {error}"))?;
    match have == written(schemas) {
        true => Ok(()),
        false => Err(format!(
            "{FILE} is not what the operators say: run `cargo xtask methods`"
        )),
    }
}

fn text() -> Result<String, String> {
    Ok(written(&schemas()?))
}

/// A parameter without a default.
struct Parameter {
    name: String,
    kind: &'static str,
}

struct Method<'s> {
    schema: &'s str,
    overload: &'s str,
    parameters: Vec<Parameter>,
    result: String,
}

fn written(schemas: &str) -> String {
    let mut by_name: BTreeMap<&str, Vec<Method<'_>>> = BTreeMap::new();
    for line in schemas.lines() {
        let schema = line.split('\t').next().unwrap_or(line);
        if let Some((name, method)) = read(schema) {
            by_name.entry(name).or_default().push(method);
        }
    }
    let mut out = String::from(
        "//! Methods of tensors. Written by `cargo xtask methods` from the rows of the operator table.\n\nuse super::{Known, Operators};\nuse crate::{DType, Result, Scalar, Tensor, Value};\n\nmethods! {\n",
    );
    for (name, methods) in &by_name {
        let first = PLAIN
            .iter()
            .find_map(|plain| methods.iter().position(|m| m.overload == *plain))
            .unwrap_or(0);
        for (i, method) in methods.iter().enumerate() {
            let own = match i == first {
                true => name.to_string(),
                false => format!("{name}_{}", snake(method.overload)),
            };
            let own = match WORDS.contains(&own.as_str()) {
                true => format!("r#{own}"),
                false => own,
            };
            write(&mut out, &own, method);
        }
    }
    out.push_str("}\n");
    out
}

fn write(out: &mut String, name: &str, method: &Method<'_>) {
    let list = |shown: fn(&Parameter) -> String| -> String {
        method
            .parameters
            .iter()
            .map(|p| format!(", {}", shown(p)))
            .collect()
    };
    let parameters = list(|p| format!("{}: {}", p.name, p.kind));
    let values = list(|p| match p.kind {
        "impl Into<Scalar>" => format!("Value::from({}.into())", p.name),
        _ => format!("super::value({})", p.name),
    });
    let _ = writeln!(
        out,
        "    {name}({:?}{parameters}) [{}] -> {};",
        method.schema,
        values.trim_start_matches(", "),
        method.result
    );
}

/// The method of an operator; `None` where it is none of those that are written.
fn read(schema: &str) -> Option<(&str, Method<'_>)> {
    let (full, rest) = schema.strip_prefix("aten::")?.split_once('(')?;
    let (arguments, returns) = rest.rsplit_once(") -> ")?;
    let (name, overload) = full.split_once('.').unwrap_or((full, ""));
    let is_plain = !name.starts_with('_')
        && !name.contains("__")
        && !name.ends_with('_')
        && !name.contains(char::is_uppercase)
        && !arguments.contains('!');
    if !is_plain || TAKEN.contains(&name) || arguments.contains("...") || name.contains("backward")
    {
        return None;
    }
    let mut arguments = split(arguments).into_iter();
    let (first, _) = bare(arguments.next()?)?;
    if first != "Tensor" {
        return None;
    }
    let mut parameters = Vec::new();
    for argument in arguments {
        if argument == "*" {
            continue;
        }
        let required = !argument.contains('=');
        if required {
            let (kind, name) = bare(argument)?;
            let kind = kind_of(kind)?;
            let name = match WORDS.contains(&name) {
                true => format!("{name}_"),
                false => name.to_lowercase(),
            };
            parameters.push(Parameter { name, kind });
        }
    }
    let result = result_of(returns)?;
    let method = Method {
        schema,
        overload,
        parameters,
        result,
    };
    Some((name, method))
}

/// The parts between commas that stand in no brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut from) = (Vec::new(), 0, 0);
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[from..i].trim());
                from = i + 1;
            }
            _ => {}
        }
    }
    parts.push(text[from..].trim());
    parts
}

/// The type of an argument, without its marks, and its name.
fn bare(argument: &str) -> Option<(&str, &str)> {
    let argument = argument.split('=').next()?;
    let (kind, name) = argument.rsplit_once(' ')?;
    match kind.split_once('(') {
        Some(("Tensor", marks)) if marks.ends_with(')') => Some(("Tensor", name)),
        Some(_) => None,
        None => Some((kind, name)),
    }
}

fn kind_of(kind: &str) -> Option<&'static str> {
    let sized = kind
        .split_once('[')
        .filter(|(_, size)| size.trim_end_matches('?') != "]");
    let kind = match sized {
        Some(("int" | "SymInt", size)) if size.ends_with("]?") => "int[]?",
        Some(("int" | "SymInt", _)) => "int[]",
        Some(_) => return None,
        None => kind,
    };
    Some(match kind {
        "Tensor" => "&Tensor",
        "Tensor?" => "Option<&Tensor>",
        "Tensor[]" => "&[Tensor]",
        "int" | "SymInt" => "i64",
        "int?" | "SymInt?" => "Option<i64>",
        "float" => "f64",
        "float?" => "Option<f64>",
        "bool" => "bool",
        "str" => "&str",
        "Scalar" => "impl Into<Scalar>",
        "int[]" | "SymInt[]" => "&[i64]",
        "int[]?" | "SymInt[]?" => "Option<&[i64]>",
        "float[]" => "&[f64]",
        "ScalarType" => "DType",
        _ => return None,
    })
}

fn result_of(returns: &str) -> Option<String> {
    let one = |text: &str| {
        let kind = text.split(' ').next().unwrap_or(text);
        let base = match kind.split_once('(') {
            Some((base, rest)) => format!("{base}{}", rest.split_once(')').map_or("", |(_, r)| r)),
            None => kind.to_string(),
        };
        match base.as_str() {
            "Tensor" => Some("Tensor"),
            "Tensor[]" => Some("Vec<Tensor>"),
            "bool" => Some("bool"),
            _ => None,
        }
    };
    let inside = returns.strip_prefix('(').and_then(|r| r.strip_suffix(')'));
    match inside {
        Some(parts) if returns.starts_with("(T") => {
            let parts: Option<Vec<&str>> = split(parts).into_iter().map(one).collect();
            let parts = parts.filter(|parts| (2..=5).contains(&parts.len()))?;
            Some(format!("({})", parts.join(", ")))
        }
        _ => one(returns).map(str::to_string),
    }
}

/// `dim_IntList` as `dim_int_list`.
fn snake(overload: &str) -> String {
    let mut out = String::new();
    let mut before = '_';
    for c in overload.chars() {
        if c.is_uppercase() && before != '_' && !before.is_uppercase() {
            out.push('_');
        }
        out.extend(c.to_lowercase());
        before = c;
    }
    out
}
