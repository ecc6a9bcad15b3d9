//! Inlay hints: types where none are written.

use crate::Document;
use crate::names::Symbol;
use lsp_types::{InlayHint, InlayHintKind, InlayHintLabel, Range};
use rushlight::frontend::script::Known;
use rushlight::syntax::tree::{Expr, Stmt, StmtKind};
use std::collections::BTreeSet;

/// The types of variables where they are assigned first, of parameters and of results, where they are not written.
pub fn within(document: &Document, range: Range) -> Vec<InlayHint> {
    let (start, end) = (document.offset(range.start), document.offset(range.end));
    let mut hints = Vec::new();
    let mut seen = BTreeSet::new();
    for statement in &document.module.body {
        statement.walk(&mut |inner| {
            for (place, text) in hints_of(document, inner, &mut seen) {
                if (start..=end).contains(&place) {
                    hints.push(InlayHint {
                        position: crate::position::position(&document.source, place),
                        label: InlayHintLabel::String(text),
                        kind: Some(InlayHintKind::TYPE),
                        text_edits: None,
                        tooltip: None,
                        padding_left: None,
                        padding_right: None,
                        data: None,
                    });
                }
            }
        });
    }
    hints
}

/// The hints of one statement: a byte and the text that is shown there.
fn hints_of(
    document: &Document,
    statement: &Stmt,
    seen: &mut BTreeSet<Symbol>,
) -> Vec<(u32, String)> {
    let facts = &document.checked.facts;
    let found = |span| match &facts.of(span)?.known {
        Some(Known::Value(ty)) => Some(ty.short_form()),
        _ => None,
    };
    match &statement.kind {
        StmtKind::Def(def) => {
            let bare = def
                .params
                .0
                .iter()
                .filter(|p| p.annotation.is_none() && p.type_comment.is_none());
            let params = bare.filter(|p| &*p.name.name != "self" && def.signature.is_none());
            let mut out: Vec<(u32, String)> = params
                .filter_map(|p| {
                    Some((
                        p.name.span.extent().end,
                        format!(": {}", found(&p.name.span)?),
                    ))
                })
                .collect();
            if def.returns.is_none()
                && def.signature.is_none()
                && let Some(ty) = super::hover::returned(document, &def.name.name)
                && let Some(close) = header_end(document, def.span.extent().start)
            {
                out.push((close, format!(" -> {ty}")));
            }
            out
        }
        StmtKind::Assign(assign) if assign.type_comment.is_none() => {
            let mut out = Vec::new();
            let places = assign.targets.iter().flat_map(Expr::places);
            for place in places.filter(|place| place.as_name().is_some()) {
                let extent = place.span.extent();
                let symbol = document.index.at(extent.start).map(|o| &o.symbol);
                let Some(symbol) = symbol.filter(|s| seen.insert((*s).clone())) else {
                    continue;
                };
                let first = document.index.definition(symbol).map(|d| d.range.start);
                if first == Some(extent.start)
                    && let Some(ty) = found(&place.span)
                {
                    out.push((extent.end, format!(": {ty}")));
                }
            }
            out
        }
        _ => Vec::new(),
    }
}

/// The byte behind the parenthesis that closes the parameters of a header.
fn header_end(document: &Document, start: u32) -> Option<u32> {
    let text = document.text().get(start as usize..)?;
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth -= 1;
                if depth == 0 && c == ')' {
                    return Some(start + at as u32 + 1);
                }
            }
            _ => {}
        }
    }
    None
}
