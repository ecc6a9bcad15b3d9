//! Definition, references, highlights and renaming.

use crate::Document;
use crate::names::Symbol;
use lsp_types::{
    DocumentHighlight, DocumentHighlightKind, Location, Position, Range, TextEdit, Uri,
    WorkspaceEdit,
};
use std::collections::HashMap;

fn symbol(document: &Document, position: Position) -> Option<&Symbol> {
    let occurrence = document.index.at(document.offset(position))?;
    Some(&occurrence.symbol)
}

/// Where what stands at a place is defined.
pub fn definition(document: &Document, uri: &Uri, position: Position) -> Option<Location> {
    let found = document.index.definition(symbol(document, position)?)?;
    Some(Location {
        uri: uri.clone(),
        range: document.range(&found.range),
    })
}

/// All places that name what stands at a place, in the order of the text.
pub fn references(
    document: &Document,
    uri: &Uri,
    position: Position,
    with_definition: bool,
) -> Vec<Location> {
    let Some(symbol) = symbol(document, position) else {
        return Vec::new();
    };
    let definition = document.index.definition(symbol).map(|d| d.range.clone());
    let places = document.index.all(symbol).map(|o| o.range.clone());
    places
        .filter(|range| with_definition || Some(range) != definition.as_ref())
        .map(|range| Location {
            uri: uri.clone(),
            range: document.range(&range),
        })
        .collect()
}

/// As [`references`], to be marked in the editor.
pub fn highlights(document: &Document, position: Position) -> Vec<DocumentHighlight> {
    let Some(symbol) = symbol(document, position) else {
        return Vec::new();
    };
    let places = document.index.all(symbol);
    places
        .map(|occurrence| DocumentHighlight {
            range: document.range(&occurrence.range),
            kind: Some(match occurrence.defines {
                true => DocumentHighlightKind::WRITE,
                false => DocumentHighlightKind::READ,
            }),
        })
        .collect()
}

/// The range of the name at a place, where it can be renamed.
pub fn renamable(document: &Document, position: Position) -> Option<Range> {
    let occurrence = document.index.at(document.offset(position))?;
    Some(document.range(&occurrence.range))
}

/// Gives what stands at a place another name; the error says why not.
pub fn rename(
    document: &Document,
    uri: &Uri,
    position: Position,
    name: &str,
) -> Result<WorkspaceEdit, String> {
    let is_name = name.chars().enumerate().all(|(i, c)| {
        c == '_'
            || if i == 0 {
                c.is_alphabetic()
            } else {
                c.is_alphanumeric()
            }
    });
    if name.is_empty() || !is_name || KEYWORDS.contains(&name) {
        return Err(format!("'{name}' is no name"));
    }
    let symbol = symbol(document, position).ok_or("there is nothing to rename here")?;
    let edits = document.index.all(symbol).map(|occurrence| TextEdit {
        range: document.range(&occurrence.range),
        new_text: name.to_string(),
    });
    #[allow(clippy::mutable_key_type, reason = "the protocol's type has it so")]
    let changes = HashMap::from([(uri.clone(), edits.collect())]);
    Ok(WorkspaceEdit {
        changes: Some(changes),
        ..WorkspaceEdit::default()
    })
}

/// Words of the language that are no names.
pub(super) const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "break", "class", "continue", "def", "del",
    "elif", "else", "for", "from", "if", "import", "in", "is", "not", "or", "pass", "raise",
    "return", "while", "with",
];
