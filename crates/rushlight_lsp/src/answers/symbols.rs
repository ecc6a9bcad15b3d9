//! The outline of a file: functions, classes and their methods.

use crate::Document;
use lsp_types::{DocumentSymbol, SymbolKind};
use rushlight::syntax::tree::{Stmt, StmtKind};

/// The outline.
pub fn all(document: &Document) -> Vec<DocumentSymbol> {
    outline(document, &document.module.body, false)
}

#[allow(
    deprecated,
    reason = "the protocol's type has a field that it no longer wants"
)]
fn outline(document: &Document, body: &[Stmt], in_class: bool) -> Vec<DocumentSymbol> {
    let mut out = Vec::new();
    for statement in body {
        let (name, kind, detail, children) = match &statement.kind {
            StmtKind::Def(def) => {
                let kind = match (in_class, &*def.name.name) {
                    (true, "__init__") => SymbolKind::CONSTRUCTOR,
                    (true, _) => SymbolKind::METHOD,
                    (false, _) => SymbolKind::FUNCTION,
                };
                let detail = super::hover::signature(document, def);
                (&def.name, kind, Some(detail), None)
            }
            // Methods have no definitions of their own inside.
            StmtKind::Class(class) if !in_class => {
                let methods = outline(document, &class.body, true);
                (&class.name, SymbolKind::CLASS, None, Some(methods))
            }
            _ => continue,
        };
        out.push(DocumentSymbol {
            name: name.name.to_string(),
            detail,
            kind,
            tags: None,
            deprecated: None,
            range: document.range(&statement.span.extent()),
            selection_range: document.range(&name.span.extent()),
            children,
        });
    }
    out
}
