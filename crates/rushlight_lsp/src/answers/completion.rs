//! Completion: members behind a dot, arguments inside a call, names elsewhere.
//!
//! What stands before the cursor is seldom a whole program. The text is checked again with a name in the place of what is
//! missing, and only the definition that is being written: the check goes on after problems, and has noted by then what
//! stands before the dot.

use super::code;
use super::signature::{open_call, schemas};
use crate::Document;
use lsp_types::{
    CompletionItem, CompletionItemKind, Documentation, MarkupContent, MarkupKind, Position,
};
use rushlight::frontend::script::Known;
use rushlight::frontend::sugared::members::{self, Member};
use rushlight::{Checked, Type};
use std::collections::BTreeMap;

/// What stands in the place of a name that is not written yet.
const MISSING: &str = "name_to_come";

/// What can stand at a place.
pub fn at(document: &Document, position: Position) -> Vec<CompletionItem> {
    let offset = document.offset(position) as usize;
    let text = document.text();
    let Some(before) = text.get(..offset) else {
        return Vec::new();
    };
    let typed = before.len()
        - before
            .trim_end_matches(|c: char| c.is_alphanumeric() || c == '_')
            .len();
    let start = before.len() - typed;
    if before[..start].ends_with('.') {
        return behind_dot(document, start - 1, offset);
    }
    let mut items = arguments(document, start as u32);
    items.extend(names(document, offset as u32));
    items
}

/// The members of what ends at byte `dot`.
fn behind_dot(document: &Document, dot: usize, offset: usize) -> Vec<CompletionItem> {
    let text = document.text();
    let rest = text[offset..].trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    let whole = format!("{}.{MISSING}{rest}", &text[..dot]);
    let checked = document.checked_with(whole, dot as u32);
    let table = rushlight::table();
    let members = match known_before(&checked, dot as u32) {
        Some(Known::Value(ty)) => members::of_type(table, ty),
        Some(Known::Type(Type::Enum(ty))) => members::of_enum(ty),
        Some(Known::Module(path)) => in_module(path),
        Some(_) => return Vec::new(),
        // In annotations and outside of what is checked, names are those that the file imports.
        None => match module_before(document, dot) {
            Some(path) => in_module(&path),
            None => return Vec::new(),
        },
    };
    members
        .into_iter()
        .map(|(name, member)| item(name, &member))
        .collect()
}

/// The module whose dotted name ends at a byte, by the imports of the file.
fn module_before(document: &Document, end: usize) -> Option<String> {
    let before = &document.text()[..end];
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let dotted = &before[before.trim_end_matches(is_part).len()..];
    let (first, rest) = dotted.split_once('.').unwrap_or((dotted, ""));
    let path = crate::names::imported(&document.module, first)?;
    Some(match rest {
        "" => path,
        rest => format!("{path}.{rest}"),
    })
}

/// What ends at a byte. Of `x` and `y.x`, the longer is what stands there.
pub(super) fn known_before(checked: &Checked, end: u32) -> Option<&Known> {
    let ends_there = checked.facts.places().filter(|(range, _)| range.end == end);
    let known = ends_there
        .filter_map(|(range, fact)| Some((range.end - range.start, fact.known.as_ref()?)))
        .max_by_key(|(length, _)| *length);
    known.map(|(_, known)| known)
}

fn in_module(path: &str) -> BTreeMap<String, Member> {
    let mut out = members::of_module(rushlight::table(), path);
    for (name, header) in rushlight::library_names(path) {
        out.insert(
            name.to_string(),
            Member::Method(header.trim_end_matches(':').to_string()),
        );
    }
    out
}

fn item(name: String, member: &Member) -> CompletionItem {
    let (kind, detail, documentation) = match member {
        Member::Attribute(ty) => (
            CompletionItemKind::FIELD,
            ty.as_ref().map(Type::short_form),
            None,
        ),
        Member::Method(called) => (CompletionItemKind::METHOD, Some(called.clone()), None),
        Member::Operator(full) => {
            let overloads = rushlight::table().overloads(full);
            let schemas: Vec<String> = overloads.iter().map(|op| op.schema().to_string()).collect();
            (
                CompletionItemKind::FUNCTION,
                schemas.first().cloned(),
                Some(code(&schemas.join("\n"))),
            )
        }
        Member::Module => (CompletionItemKind::MODULE, None, None),
        Member::Constant => (CompletionItemKind::CONSTANT, None, None),
    };
    CompletionItem {
        label: name,
        kind: Some(kind),
        detail,
        documentation: documentation.map(|value| {
            Documentation::MarkupContent(MarkupContent {
                kind: MarkupKind::Markdown,
                value,
            })
        }),
        ..CompletionItem::default()
    }
}

/// The keyword arguments of the call that is being written.
fn arguments(document: &Document, offset: u32) -> Vec<CompletionItem> {
    let Some(call) = open_call(document.text(), offset) else {
        return Vec::new();
    };
    let mut seen = BTreeMap::new();
    for schema in schemas(document, call.callee_end) {
        for argument in schema.arguments.iter().filter(|a| &*a.name != "self") {
            seen.entry(argument.name.to_string())
                .or_insert_with(|| argument.ty.runtime().short_form());
        }
    }
    let items = seen.into_iter().map(|(name, ty)| CompletionItem {
        label: format!("{name}="),
        kind: Some(CompletionItemKind::PROPERTY),
        detail: Some(ty),
        // Before everything else.
        sort_text: Some(format!(" {name}")),
        ..CompletionItem::default()
    });
    items.collect()
}

/// Variables, definitions of the file, and the language's own names.
fn names(document: &Document, offset: u32) -> Vec<CompletionItem> {
    let mut out: BTreeMap<String, CompletionItemKind> = BTreeMap::new();
    for word in super::places::KEYWORDS {
        out.insert(word.to_string(), CompletionItemKind::KEYWORD);
    }
    for name in BUILTINS {
        out.insert(name.to_string(), CompletionItemKind::FUNCTION);
    }
    for name in &document.index.globals {
        let kind = match document.index.members.contains_key(name) {
            true => CompletionItemKind::CLASS,
            false => CompletionItemKind::FUNCTION,
        };
        out.insert(name.to_string(), kind);
    }
    if let Some(function) = document.index.function_at(offset) {
        for name in &function.locals {
            out.insert(name.to_string(), CompletionItemKind::VARIABLE);
        }
    }
    let items = out.into_iter().map(|(label, kind)| CompletionItem {
        label,
        kind: Some(kind),
        ..CompletionItem::default()
    });
    items.collect()
}

/// Python's own functions that scripts have.
const BUILTINS: &[&str] = &[
    "abs",
    "all",
    "any",
    "bin",
    "bool",
    "chr",
    "complex",
    "dict",
    "divmod",
    "enumerate",
    "float",
    "getattr",
    "hasattr",
    "hash",
    "hex",
    "int",
    "isinstance",
    "len",
    "list",
    "max",
    "min",
    "oct",
    "ord",
    "pow",
    "print",
    "range",
    "reversed",
    "round",
    "sorted",
    "str",
    "sum",
    "super",
    "tuple",
    "type",
    "zip",
];
