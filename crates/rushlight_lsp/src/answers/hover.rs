//! Hover: the type of what is under the pointer, and how what is called is called.

use super::code;
use crate::Document;
use crate::names::Symbol;
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind, Position};
use rushlight::frontend::script::{Fact, Known};
use rushlight::syntax::tree::{Stmt, StmtKind};
use rushlight::types::ty::short_names;

/// How many overloads of an operator are shown.
const OVERLOADS: usize = 6;

/// What is known of a place.
pub fn at(document: &Document, position: Position) -> Option<Hover> {
    let offset = document.offset(position);
    let named = document.index.at(offset);
    let facts = &document.checked.facts;
    let (range, fact) =
        match facts.around(offset, |fact| fact.known.is_some() || fact.called.is_some()) {
            Some((range, fact)) => (Some(range), Some(fact)),
            None => (None, None),
        };
    // What stands around a name says nothing of it: what is known of the same name elsewhere does.
    let elsewhere = named
        .filter(|occurrence| {
            range
                .as_ref()
                .is_some_and(|range| *range != occurrence.range)
        })
        .filter(|occurrence| matches!(occurrence.symbol, Symbol::Local(..)))
        .map(|occurrence| {
            let others = document.index.all(&occurrence.symbol);
            let mut known = others.filter_map(|other| facts.at(&other.range));
            (
                occurrence.range.clone(),
                known.find(|fact| fact.known.is_some()),
            )
        });
    let (range, fact) = match elsewhere {
        Some((range, fact)) => (Some(range), fact),
        None => (range, fact),
    };
    let mut parts = Vec::new();
    let definition = named.and_then(|occurrence| definition_of(document, &occurrence.symbol));
    match (definition, fact) {
        (Some(statement), _) => parts.extend(described(document, statement)),
        (None, Some(fact)) => {
            let text = range.as_ref().and_then(|range| text_of(document, range));
            parts.extend(known(fact, text.unwrap_or_default()));
        }
        (None, None) => return None,
    }
    let range = named.map(|occurrence| occurrence.range.clone()).or(range)?;
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent {
            kind: MarkupKind::Markdown,
            value: parts.join("\n\n"),
        }),
        range: Some(document.range(&range)),
    })
}

fn text_of<'d>(document: &'d Document, range: &std::ops::Range<u32>) -> Option<&'d str> {
    let text = document
        .text()
        .get(range.start as usize..range.end as usize)?;
    (text.len() <= 40 && !text.contains('\n')).then_some(text)
}

fn known(fact: &Fact, text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    match &fact.known {
        Some(Known::Value(ty)) if text.is_empty() => parts.push(code(&ty.short_form())),
        Some(Known::Value(ty)) => parts.push(code(&format!("{text}: {}", ty.short_form()))),
        Some(Known::Type(ty)) => parts.push(code(&format!("type {}", ty.short_form()))),
        Some(Known::Operator(name)) if fact.called.is_none() => {
            let overloads = rushlight::table().overloads(name);
            let shown: Vec<String> = overloads
                .iter()
                .take(OVERLOADS)
                .map(|op| op.schema().to_string())
                .collect();
            parts.push(code(&shown.join("\n")));
            if overloads.len() > OVERLOADS {
                parts.push(format!(
                    "and {} more overloads",
                    overloads.len() - OVERLOADS
                ));
            }
        }
        Some(Known::Operator(_)) | None => {}
        Some(Known::Function(name)) => parts.push(code(&format!("function {name}"))),
        Some(Known::Method(name)) => parts.push(code(&format!("method {name}"))),
        Some(Known::Module(path)) => parts.push(code(&format!("module {path}"))),
        Some(Known::Thing(words)) => parts.push(words.to_string()),
    }
    if let Some(schema) = &fact.called {
        parts.push(code(&short_names(&schema.to_string())));
    }
    parts
}

/// The definition of a function, method or class that a name names.
pub(crate) fn definition_of<'d>(document: &'d Document, symbol: &Symbol) -> Option<&'d Stmt> {
    let find = |body: &'d [Stmt], wanted: &str| {
        body.iter().find(|statement| match &statement.kind {
            StmtKind::Def(def) => &*def.name.name == wanted,
            StmtKind::Class(class) => &*class.name.name == wanted,
            _ => false,
        })
    };
    match symbol {
        Symbol::Global(name) => find(&document.module.body, name),
        Symbol::Member(class, name) => {
            let statement = find(&document.module.body, class)?;
            match &statement.kind {
                StmtKind::Class(class) => find(&class.body, name),
                _ => None,
            }
        }
        Symbol::Local(..) => None,
    }
}

/// The header and the docstring of a definition.
fn described(document: &Document, statement: &Stmt) -> Vec<String> {
    let (header, doc) = match &statement.kind {
        StmtKind::Def(def) => (signature(document, def), def.docstring()),
        StmtKind::Class(class) => (format!("class {}", class.name.name), class.docstring()),
        _ => return Vec::new(),
    };
    let mut parts = vec![code(&header)];
    parts.extend(doc.map(|doc| doc.trim().to_string()));
    parts
}

/// A header as it is written, with the types that the check found where none are written.
pub(crate) fn signature(document: &Document, def: &rushlight::syntax::tree::Def) -> String {
    let facts = &document.checked.facts;
    let params = def.params.0.iter().map(|param| {
        let written = param.annotation.as_ref().map(|a| a.span.text().to_string());
        let found = || match &facts.of(&param.name.span)?.known {
            Some(Known::Value(ty)) => Some(ty.short_form()),
            _ => None,
        };
        let default = param
            .default
            .as_ref()
            .map(|d| format!(" = {}", d.span.text()));
        let ty = written
            .or_else(found)
            .filter(|_| &*param.name.name != "self");
        let ty = ty.map(|ty| format!(": {ty}")).unwrap_or_default();
        format!("{}{ty}{}", param.name.name, default.unwrap_or_default())
    });
    let params: Vec<String> = params.collect();
    let returns = def.returns.as_ref().map(|r| r.span.text().to_string());
    let returns = returns.or_else(|| returned(document, &def.name.name));
    let returns = returns.map(|r| format!(" -> {r}")).unwrap_or_default();
    format!("def {}({}){returns}", def.name.name, params.join(", "))
}

/// The type that the check found for what a function of the file returns.
pub(crate) fn returned(document: &Document, name: &str) -> Option<String> {
    let (_, function) = document
        .checked
        .functions
        .iter()
        .find(|(n, _)| &**n == name)?;
    let schema = function.known_schema()?;
    schema.returns.first().map(|r| r.ty.short_form())
}
