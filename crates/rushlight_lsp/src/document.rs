//! An open file: its text, its tree, what the check found, who is called what.

use crate::names::Index;
use lsp_types::{Position, Range};
use rushlight::syntax::parse_module;
use rushlight::syntax::tree::{Module, Stmt, StmtKind};
use rushlight::{Checked, Source};
use std::path::Path;
use std::sync::Arc;

/// An open file.
pub struct Document {
    pub source: Arc<Source>,
    pub module: Module,
    pub checked: Checked,
    pub(crate) index: Index,
}

impl Document {
    /// Checks a text, which may be that of a file at a path. What is wrong in other files is told where they are open.
    pub fn new(name: &str, path: Option<&Path>, text: &str) -> Document {
        let source = Source::new(name, text);
        let (module, _) = parse_module(&source);
        let mut checked = match path {
            Some(path) => rushlight::check_file(&source, path),
            None => rushlight::check(&source),
        };
        checked.problems.retain(|problem| {
            let span = problem.span.as_ref();
            span.is_none_or(|span| source.is_of_file(span.source()))
        });
        let index = Index::of(&module, &checked.facts);
        Document {
            source,
            module,
            checked,
            index,
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.source.text()
    }

    /// The byte of a position of the protocol.
    pub fn offset(&self, position: Position) -> u32 {
        crate::position::offset(&self.source, position)
    }

    /// The protocol's range of some bytes.
    pub fn range(&self, bytes: &std::ops::Range<u32>) -> Range {
        crate::position::range(&self.source, bytes)
    }

    /// A check of another text in this one's place, of the definition that holds a byte alone.
    pub(crate) fn checked_with(&self, text: String, offset: u32) -> Checked {
        let source = Source::new(self.source.name(), text);
        // An open bracket may have swallowed all that stands behind it in this one's tree.
        let (module, _) = parse_module(&source);
        let around = definition_around(&module, offset);
        let name = around.and_then(|statement| match &statement.kind {
            StmtKind::Def(def) => Some(def.name.name.to_string()),
            StmtKind::Class(class) => Some(class.name.name.to_string()),
            _ => None,
        });
        rushlight::check_only(&source, name.into_iter().collect())
    }

    /// The definition at the top of the file that holds a byte.
    pub fn definition_around(&self, offset: u32) -> Option<&Stmt> {
        definition_around(&self.module, offset)
    }
}

fn definition_around(module: &Module, offset: u32) -> Option<&Stmt> {
    module.body.iter().rfind(|statement| {
        matches!(statement.kind, StmtKind::Def(_) | StmtKind::Class(_))
            && statement.span.extent().start <= offset
    })
}
