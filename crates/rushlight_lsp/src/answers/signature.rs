//! Signature help: how what is being called is called.

use super::completion::known_before;
use crate::Document;
use lsp_types::{
    ParameterInformation, ParameterLabel, Position, SignatureHelp, SignatureInformation,
};
use rushlight::Type;
use rushlight::frontend::script::Known;
use rushlight::types::ty::short_names;
use rushlight::types::{Argument, ClassType, Schema};
use std::sync::Arc;

/// A call that is being written: where its name ends, and how many arguments stand before the place.
pub(super) struct OpenCall {
    pub callee_end: u32,
    pub argument: u32,
}

/// The innermost call whose parentheses are open at a byte.
pub(super) fn open_call(text: &str, offset: u32) -> Option<OpenCall> {
    let before = text.get(..offset as usize)?;
    let (mut depth, mut argument) = (0u32, 0);
    for (at, c) in before.char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth > 0 => depth -= 1,
            '(' => {
                let callee = before[..at].trim_end();
                let is_name = callee.ends_with(|c: char| c.is_alphanumeric() || c == '_');
                return is_name.then_some(OpenCall {
                    callee_end: callee.len() as u32,
                    argument,
                });
            }
            '[' | '{' => return None,
            ',' if depth == 0 => argument += 1,
            '\n' if before[at..].trim_start().starts_with("def ") => return None,
            _ => {}
        }
    }
    None
}

/// The schemas of what stands at a place: the chosen one, or all.
pub(super) fn schemas(document: &Document, callee_end: u32) -> Vec<Schema> {
    match noted(document, callee_end) {
        found if found.is_empty() => of_callee(document, callee_end),
        found => found,
    }
}

/// The schemas of a call that is not finished, or does not fit: the text is checked again without arguments.
fn of_callee(document: &Document, end: u32) -> Vec<Schema> {
    let text = document.text();
    let Some((before, behind)) = text.split_at_checked(end as usize) else {
        return Vec::new();
    };
    let line = behind.find('\n').unwrap_or(behind.len());
    let whole = format!("{before}(){}", &behind[line..]);
    let checked = document.checked_with(whole, end);
    let of_method = |class: &ClassType, name: &str| {
        let method = class.method(name)?;
        let compiled = checked.unit.function(&method.qualified);
        method
            .schema
            .or_else(|| compiled.and_then(|f| f.known_schema()))
    };
    let found = match known_before(&checked, end) {
        Some(Known::Operator(name)) => {
            let overloads = rushlight::table().overloads(name).iter();
            return overloads.map(|op| op.schema().clone()).collect();
        }
        Some(Known::Function(name)) => {
            let function = checked.unit.function(name);
            function.and_then(|f| f.known_schema())
        }
        Some(Known::Method(name)) => {
            let dot = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
            match known_before(&checked, dot.len().saturating_sub(1) as u32) {
                Some(Known::Value(Type::Class(class))) => of_method(class, name),
                Some(Known::Value(Type::Interface(interface))) => interface.method(name),
                _ => None,
            }
        }
        Some(Known::Value(Type::Class(class))) => {
            of_method(class, "__call__").or_else(|| of_method(class, "forward"))
        }
        Some(Known::Type(Type::Class(class))) => of_method(class, "__init__"),
        Some(Known::Type(Type::Tuple(tuple))) => {
            let fields = tuple.fields.iter().zip(tuple.elements.iter());
            let arguments = fields.map(|(name, ty)| Argument::new(name, ty.clone()));
            let name = tuple.name.as_deref().unwrap_or_default();
            let returns = vec![Argument::new("", Type::Tuple(tuple.clone()))];
            Some(Arc::new(Schema::new(name, arguments.collect(), returns)))
        }
        _ => None,
    };
    found.map(|s| (*s).clone()).into_iter().collect()
}

fn noted(document: &Document, callee_end: u32) -> Vec<Schema> {
    let facts = &document.checked.facts;
    let found = facts.around(callee_end.saturating_sub(1), |fact| {
        fact.called.is_some() || matches!(fact.known, Some(Known::Operator(_) | Known::Function(_)))
    });
    let Some((_, fact)) = found.filter(|(range, _)| range.end == callee_end) else {
        return Vec::new();
    };
    match (&fact.called, &fact.known) {
        (_, Some(Known::Operator(name))) => {
            let overloads = rushlight::table().overloads(name).iter();
            overloads.map(|op| op.schema().clone()).collect()
        }
        (Some(schema), _) => vec![(**schema).clone()],
        (_, Some(Known::Function(name))) => {
            let function = document.checked.unit.function(name);
            let schema = function.and_then(|f| f.known_schema());
            schema.map(|s| (*s).clone()).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// How what is being called at a place is called.
pub fn at(document: &Document, position: Position) -> Option<SignatureHelp> {
    let call = open_call(document.text(), document.offset(position))?;
    let schemas = schemas(document, call.callee_end);
    if schemas.is_empty() {
        return None;
    }
    let signatures = schemas.iter().map(|schema| {
        let arguments = schema.arguments.iter().filter(|a| &*a.name != "self");
        let parameters = arguments.map(|argument| ParameterInformation {
            label: ParameterLabel::Simple(argument.name.to_string()),
            documentation: None,
        });
        SignatureInformation {
            label: short_names(&schema.to_string()),
            documentation: None,
            parameters: Some(parameters.collect()),
            active_parameter: None,
        }
    });
    Some(SignatureHelp {
        signatures: signatures.collect(),
        active_signature: Some(0),
        active_parameter: Some(call.argument),
    })
}
