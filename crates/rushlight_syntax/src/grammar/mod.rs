//! Where a text leaves the grammar of the reference, and in which words that is told.
//!
//! The reference reads texts of functions, schemas and graphs with one lexer, and names the first token that has no place.
//! What reads these texts here takes more than that, and other text too; so those that come from a program are gone
//! through token by token, which finds what the reference would say of them. Nothing is made of them here.

mod graph;
mod lexer;
mod reader;
mod schema;
#[cfg(test)]
mod tests;
mod unit;

use crate::diagnostic::{Diagnostic, TYPE_COMMENT};
use crate::source::Source;
use reader::Reader;
use std::ops::Range;
use std::sync::Arc;

/// The first problem of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Misfit {
    pub message: String,
    /// Where it is; nowhere where the whole text is meant.
    pub place: Option<Range<usize>>,
    /// Whether a token has no place: such messages do not begin with a line break.
    pub is_misplaced: bool,
    /// Whether it says what can be told of a text whatever else is in it.
    pub is_certain: bool,
}

impl Misfit {
    /// The problem at its place in a source.
    pub fn at(&self, source: &Arc<Source>) -> Diagnostic {
        let code = match self.is_misplaced {
            true => TYPE_COMMENT,
            false => "text",
        };
        match &self.place {
            Some(place) => {
                let span = source.span(place.start as u32..place.end as u32);
                Diagnostic::error(code, self.message.clone(), &span)
            }
            None => Diagnostic::new(code, crate::ErrorKind::Runtime, self.message.clone()),
        }
    }

    /// The message about a text that is no file.
    pub fn shown(&self, text: &str) -> String {
        let source = Source::new("", text);
        let shown = self.at(&source.comment(0..text.len() as u32)).to_string();
        match &self.place {
            // A text without anything in it is not shown.
            Some(_) if text.is_empty() => format!("{}:\n", self.message),
            _ => shown,
        }
    }
}

/// What is wrong with a text of functions.
pub fn unit_misfit(text: &str) -> Option<Misfit> {
    Reader::new(text).misfit(Reader::unit)
}

/// The first string of a text of functions that the reference does not read: one with a prefix, or with an escape that
/// it does not have.
pub fn string_misfit(text: &str) -> Option<Misfit> {
    let mut behind = None;
    for token in lexer::tokens(text) {
        if token.kind == lexer::STRING {
            let message = match text.get(token.range()) {
                _ if behind == Some(token.start) => {
                    Some("expected newline but found 'string_literal' here")
                }
                Some(string) => bad_escape(string),
                None => None,
            };
            if let Some(message) = message {
                return Some(Misfit {
                    message: message.to_string(),
                    place: Some(token.range()),
                    is_misplaced: behind == Some(token.start),
                    is_certain: true,
                });
            }
        }
        behind = (token.kind == lexer::IDENT).then_some(token.end);
    }
    None
}

/// What is wrong with the escapes of a string.
fn bad_escape(string: &str) -> Option<&'static str> {
    let mut rest = string.as_bytes();
    while let Some(at) = rest.iter().position(|&b| b == b'\\') {
        rest = &rest[at + 1..];
        match rest {
            [b'x', ..] => return Some("unsupported hex specifier"),
            [b'u' | b'U', ..] => return Some("unsupported unicode specifier"),
            [b'0'..=b'3', b'0'..=b'7', b'0'..=b'7', ..] => {}
            [b'\\' | b'\'' | b'"' | b'\n', ..] => {}
            [b'a' | b'b' | b'f' | b'n' | b't' | b'v', ..] => {}
            _ => return Some(" ill formed octal specifier"),
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    None
}

/// What is wrong with a schema.
pub fn schema_misfit(text: &str) -> Option<Misfit> {
    Reader::new(text).misfit(Reader::schema)
}

/// What is wrong with a graph in its printed form. Tensors in it have to be allowed.
pub fn graph_misfit(text: &str, has_tensors: bool) -> Option<Misfit> {
    Reader::new(text).misfit(|reader| reader.graph(has_tensors))
}
