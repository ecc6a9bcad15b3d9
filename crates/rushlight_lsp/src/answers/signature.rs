//! Signature help: how what is being called is called.

use crate::Document;
use lsp_types::{
    ParameterInformation, ParameterLabel, Position, SignatureHelp, SignatureInformation,
};
use rushlight::frontend::script::Known;
use rushlight::types::Schema;
use rushlight::types::ty::short_names;

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
