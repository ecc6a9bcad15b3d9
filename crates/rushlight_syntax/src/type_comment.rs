//! `# type:` comments: on a function, on a parameter, on an assignment.
//!
//! Their types are parsed as expressions in place, so that spans point into the file; their window is the comment
//! alone, which is how the reference shows them. `# type: ignore` means nothing here.

use std::ops::Range;

use ruff_python_ast as ast;
use ruff_python_parser::{Mode, parse_expression_range};
use ruff_text_size::{Ranged, TextRange, TextSize};

use crate::diagnostic::{Diagnostic, TYPE_COMMENT};
use crate::lower::{Lowerer, limits};
use crate::tree::{Expr, ExprKind, SignatureComment};

/// The type comments of a text, in order. Offsets are those of the parsed text.
#[derive(Default)]
pub(crate) struct TypeComments {
    comments: Vec<TypeComment>,
}

#[derive(Clone, Debug)]
struct TypeComment {
    /// From the `#` to the end of the line.
    range: Range<usize>,
    /// What follows `type:`, up to a further `#`, without blanks around it.
    body: Range<usize>,
    /// Whether nothing stands before it on its line.
    is_alone: bool,
}

impl TypeComments {
    pub(crate) fn new(text: &str, comments: impl Iterator<Item = TextRange>) -> TypeComments {
        TypeComments {
            comments: comments
                .filter_map(|range| type_comment(text, range))
                .collect(),
        }
    }

    fn starting_within(&self, range: Range<usize>) -> &[TypeComment] {
        let first = self
            .comments
            .partition_point(|comment| comment.range.start < range.start);
        let rest = &self.comments[first..];
        &rest[..rest.partition_point(|comment| comment.range.start < range.end)]
    }
}

fn type_comment(text: &str, range: TextRange) -> Option<TypeComment> {
    let range = range.start().to_usize()..range.end().to_usize();
    let after_hash = text.get(range.clone())?.strip_prefix('#')?;
    let untrimmed = after_hash.trim_start().strip_prefix("type:")?;
    let start = range.end - untrimmed.trim_start().len();
    let body = untrimmed.split('#').next().unwrap_or("").trim();
    let ignored = body
        .strip_prefix("ignore")
        .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    if ignored || body.is_empty() {
        return None;
    }
    let line_start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let is_alone = text[line_start..range.start].trim().is_empty();
    Some(TypeComment {
        range,
        body: start..start + body.len(),
        is_alone,
    })
}

impl Lowerer<'_> {
    /// The signature of a function: after its header, or on a line of its own further down, even below a docstring.
    pub(crate) fn signature_comment(
        &mut self,
        node: &ast::StmtFunctionDef,
    ) -> Option<SignatureComment> {
        let header_end = node
            .returns
            .as_ref()
            .map_or(node.parameters.range.end(), |returns| returns.end());
        let body_start = node
            .body
            .first()
            .map_or(node.range.end(), Ranged::start)
            .to_usize();
        let comments = self
            .comments
            .starting_within(header_end.to_usize()..node.range.end().to_usize());
        let is_signature = |comment: &&TypeComment| {
            (comment.is_alone || comment.range.start < body_start)
                && self.text[comment.body.clone()].starts_with('(')
        };
        let comment = comments.iter().find(is_signature)?.clone();
        self.in_comment(&comment, |lowerer| lowerer.signature(&comment))
    }

    /// The type on the line of a parameter that ends at `end`.
    pub(crate) fn param_comment(&mut self, end: TextSize) -> Option<Expr> {
        self.trailing_comment(end, &["", ","])
    }

    /// The type after an assignment that ends at `end`.
    pub(crate) fn assign_comment(&mut self, end: TextSize) -> Option<Expr> {
        self.trailing_comment(end, &[""])
    }

    /// The type on the rest of the line after `end`, if what is left before it is one of `between`.
    fn trailing_comment(&mut self, end: TextSize, between: &[&str]) -> Option<Expr> {
        let start = end.to_usize();
        let line_end = self.text[start..]
            .find('\n')
            .map_or(self.text.len(), |length| start + length);
        let comment = self
            .comments
            .starting_within(start..line_end)
            .first()?
            .clone();
        if !between.contains(&self.text[start..comment.range.start].trim()) {
            return None;
        }
        self.in_comment(&comment, |lowerer| {
            lowerer.comment_type(comment.body.clone())
        })
    }

    /// Runs `lower` with the comment as the window of new spans.
    fn in_comment<T>(&mut self, comment: &TypeComment, lower: impl FnOnce(&mut Self) -> T) -> T {
        let window = self
            .source
            .comment(self.source_range(comment.range.clone()));
        let outer = std::mem::replace(&mut self.source, window);
        let result = lower(self);
        self.source = outer;
        result
    }

    fn source_range(&self, range: Range<usize>) -> Range<u32> {
        (range.start as u32).saturating_sub(self.shift)
            ..(range.end as u32).saturating_sub(self.shift)
    }

    fn signature(&mut self, comment: &TypeComment) -> Option<SignatureComment> {
        let body = comment.body.clone();
        let text = &self.text[body.clone()];
        let (left, right) = match text.rfind("->") {
            Some(arrow) => (
                text[..arrow].trim_end(),
                Some(text[arrow + 2..].trim_start()),
            ),
            None => (text, None),
        };
        let is_elided = left
            .strip_prefix('(')
            .and_then(|left| left.strip_suffix(')'))
            .map(str::trim)
            == Some("...");
        let params = match is_elided {
            true => None,
            false => Some(elements(
                self.comment_type(body.start..body.start + left.len())?,
            )),
        };
        let returns = match right {
            Some(right) => Some(self.comment_type(body.end - right.len()..body.end)?),
            None => None,
        };
        let span = self.source.span(self.source_range(comment.range.clone()));
        Some(SignatureComment {
            params,
            returns,
            span,
        })
    }

    fn comment_type(&mut self, range: Range<usize>) -> Option<Expr> {
        let span = self.source.span(self.source_range(range.clone()));
        if let Err(excess) = limits::check(self.text, range.clone(), Mode::Expression) {
            self.diagnostics
                .push(Diagnostic::syntax("nesting", excess.message, &span));
            return None;
        }
        let text_range = TextRange::new(
            TextSize::new(range.start as u32),
            TextSize::new(range.end as u32),
        );
        match parse_expression_range(self.text, text_range) {
            Ok(parsed) => Some(self.expr(parsed.expr())),
            Err(error) => {
                let found = match unreadable(self.text, &range) {
                    Some(found) => found.diagnostic(self),
                    None => {
                        let message = format!("invalid type comment: {}", error.error);
                        Diagnostic::error(TYPE_COMMENT, message, &span)
                    }
                };
                self.diagnostics.push(found);
                None
            }
        }
    }
}

/// A character that begins no token.
struct Unreadable {
    at: usize,
    /// The character after the last token: the reference names this one, be it a blank, and marks the other.
    named: char,
}

impl Unreadable {
    fn diagnostic(&self, lowerer: &Lowerer<'_>) -> Diagnostic {
        // One byte, as in the reference, also where the character has more.
        let span = lowerer
            .source
            .span(lowerer.source_range(self.at..self.at + 1));
        let message = format!("expected a valid token but found '{}' here", self.named);
        Diagnostic::error(TYPE_COMMENT, message, &span)
    }
}

fn unreadable(text: &str, range: &Range<usize>) -> Option<Unreadable> {
    let begins_nothing = |c: char| !c.is_ascii() || matches!(c, '$' | '?' | '`' | '\\');
    let at = range.start + text[range.clone()].find(begins_nothing)?;
    let last_token_end = text[..at].trim_end().len();
    let named = text[last_token_end..].chars().next()?;
    Some(Unreadable { at, named })
}

/// The types between the parentheses of a signature.
fn elements(params: Expr) -> Vec<Expr> {
    match params.kind {
        ExprKind::Tuple { elements, .. } => elements,
        _ => vec![params],
    }
}
