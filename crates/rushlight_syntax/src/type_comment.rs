//! `# type:` comments: on a function, on a parameter, on an assignment.
//!
//! Their types are parsed as expressions in place, so that spans point into the file; their window is the comment
//! alone, which is how the reference shows them. `# type: ignore` means nothing here.

use std::ops::Range;

use ruff_python_ast as ast;
use ruff_python_parser::parse_expression_range;
use ruff_text_size::{Ranged, TextRange, TextSize};

use crate::diagnostic::Diagnostic;
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
    /// What follows `type:`, without blanks around it.
    body: Range<usize>,
    is_signature: bool,
}

impl TypeComments {
    pub(crate) fn new(text: &str, comments: impl Iterator<Item = TextRange>) -> TypeComments {
        TypeComments {
            comments: comments
                .filter_map(|range| type_comment(text, range))
                .collect(),
        }
    }

    fn within(&self, range: Range<usize>) -> &[TypeComment] {
        let first = self
            .comments
            .partition_point(|comment| comment.range.start < range.start);
        let rest = &self.comments[first..];
        &rest[..rest.partition_point(|comment| comment.range.start < range.end)]
    }
}

fn type_comment(text: &str, range: TextRange) -> Option<TypeComment> {
    let range = range.start().to_usize()..range.end().to_usize();
    let comment = text.get(range.clone())?;
    let body = comment
        .strip_prefix('#')?
        .trim_start()
        .strip_prefix("type:")?
        .trim();
    let ignored = body
        .strip_prefix("ignore")
        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()));
    if ignored || body.is_empty() {
        return None;
    }
    let start = range.end - comment.trim_end().len().abs_diff(comment.len()) - body.len();
    Some(TypeComment {
        range,
        body: start..start + body.len(),
        is_signature: find_arrow(body).is_some(),
    })
}

/// Where the `->` of a signature is.
fn find_arrow(body: &str) -> Option<usize> {
    body.starts_with('(').then(|| body.rfind("->")).flatten()
}

impl Lowerer<'_> {
    /// The signature between the header of a function and the first statement of its body.
    pub(crate) fn signature_comment(
        &mut self,
        node: &ast::StmtFunctionDef,
    ) -> Option<SignatureComment> {
        let header_end = node
            .returns
            .as_ref()
            .map_or(node.parameters.range.end(), |returns| returns.end());
        let body_start = node.body.first().map_or(node.range.end(), Ranged::start);
        let comments = self
            .comments
            .within(header_end.to_usize()..body_start.to_usize());
        let comment = comments
            .iter()
            .find(|comment| comment.is_signature)?
            .clone();
        self.in_comment(&comment, |lowerer| lowerer.signature(&comment))
    }

    /// The type on the line of a parameter that ends at `end`.
    pub(crate) fn param_comment(&mut self, end: TextSize) -> Option<Expr> {
        let line = self.rest_of_line(end);
        let comment = self.comments.within(line.clone()).first()?.clone();
        let between = self.text[line.start..comment.range.start].trim();
        // A signature on the line of a whole header is not about its last parameter.
        let belongs = matches!(between, "" | ",") && !comment.is_signature;
        belongs.then(|| {
            self.in_comment(&comment, |lowerer| {
                lowerer.comment_type(comment.body.clone())
            })
        })?
    }

    /// The type after an assignment that ends at `end`.
    pub(crate) fn assign_comment(&mut self, end: TextSize) -> Option<Expr> {
        let line = self.rest_of_line(end);
        let comment = self.comments.within(line.clone()).first()?.clone();
        let between = self.text[line.start..comment.range.start].trim();
        (between.is_empty()).then(|| {
            self.in_comment(&comment, |lowerer| {
                lowerer.comment_type(comment.body.clone())
            })
        })?
    }

    fn rest_of_line(&self, start: TextSize) -> Range<usize> {
        let start = start.to_usize();
        let length = self.text[start..]
            .find('\n')
            .unwrap_or(self.text.len() - start);
        start..start + length
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
        let body = &self.text[comment.body.clone()];
        let arrow = find_arrow(body)?;
        let start = comment.body.start;
        let left = body[..arrow].trim_end();
        let right = &body[arrow + 2..];
        let right_start = comment.body.end - right.trim_start().len();
        let elided = left
            .strip_prefix('(')
            .and_then(|left| left.strip_suffix(')'))
            .is_some_and(|l| l.trim() == "...");
        let params = if elided {
            None
        } else {
            Some(self.signature_params(start..start + left.len())?)
        };
        let returns = self.comment_type(right_start..comment.body.end)?;
        let span = self.source.span(self.source_range(comment.range.clone()));
        Some(SignatureComment {
            params,
            returns,
            span,
        })
    }

    fn signature_params(&mut self, range: Range<usize>) -> Option<Vec<Expr>> {
        let expr = self.comment_type(range)?;
        match expr.kind {
            ExprKind::Tuple { elements, .. } => Some(elements),
            _ => Some(vec![expr]),
        }
    }

    fn comment_type(&mut self, range: Range<usize>) -> Option<Expr> {
        if let Err(excess) = limits::check(self.text, range.clone()) {
            let span = self.source.span(self.source_range(range));
            self.diagnostics
                .push(Diagnostic::syntax("nesting", excess.message, &span));
            return None;
        }
        let parsed = parse_expression_range(
            self.text,
            TextRange::new(
                TextSize::new(range.start as u32),
                TextSize::new(range.end as u32),
            ),
        );
        match parsed {
            Ok(parsed) => Some(self.expr(parsed.expr())),
            Err(error) => {
                let span = self.source.span(self.range(error.location));
                let message = format!("invalid type comment: {}", error.error);
                self.diagnostics
                    .push(Diagnostic::syntax("type-comment", message, &span));
                None
            }
        }
    }
}
