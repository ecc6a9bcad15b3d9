//! An open file: its text, its tree, what the check found, who is called what.

use crate::names::Index;
use lsp_types::{Position, Range};
use rushlight::syntax::parse_module;
use rushlight::syntax::tree::{Module, Stmt, StmtKind};
use rushlight::{Checked, Source};
use std::sync::Arc;

/// An open file.
pub struct Document {
    pub source: Arc<Source>,
    pub module: Module,
    pub checked: Checked,
    pub(crate) index: Index,
}

impl Document {
    /// Checks a text.
    pub fn new(name: &str, text: &str) -> Document {
        let source = Source::new(name, text);
        let (module, _) = parse_module(&source);
        let checked = rushlight::check(&source);
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

    /// The definition at the top of the file that holds a byte.
    pub fn definition_around(&self, offset: u32) -> Option<&Stmt> {
        self.module.body.iter().rfind(|statement| {
            matches!(statement.kind, StmtKind::Def(_) | StmtKind::Class(_))
                && statement.span.extent().start <= offset
        })
    }
}
