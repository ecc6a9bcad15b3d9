//! Python text to the syntax tree.
//!
//! Only this module and the one for type comments know the parser behind it. The text is first measured: nesting that
//! would make any later walk overflow a stack is refused before a tree exists. Then it is parsed, with recovery, and
//! the parser's tree is copied into ours; whatever went wrong on the way is in the list of diagnostics.
//!
//! Text that is indented as a whole (a method cut out of its class) is parsed under an `if` of our own, so that
//! positions, columns and the contents of strings stay those of the file.

mod class;
mod def;
mod dismantle;
mod expr;
mod healing;
pub(crate) mod limits;
mod pattern;
mod stmt;
#[cfg(test)]
mod tests;

pub use limits::{MAX_BLOCK_DEPTH, MAX_BRACKET_DEPTH, MAX_ELIF_CHAIN, MAX_EXPRESSION_DEPTH};

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use ruff_python_ast as ast;
use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, ParseError, ParseOptions, Parsed, parse_unchecked};
use ruff_text_size::{Ranged, TextRange};

use crate::diagnostic::Diagnostic;
use crate::source::{Source, Span};
use crate::tree::{Assign, Expr, ExprKind, Ident, Module, Name, Stmt, StmtKind};
use crate::type_comment::TypeComments;

/// Parses a file of definitions.
///
/// Each top-level function, and each method of a class, gets a window of its own, so that messages about it show no
/// lines of its neighbours.
pub fn parse_module(source: &Arc<Source>) -> (Module, Vec<Diagnostic>) {
    parse_statements(source, Windows::PerDefinition)
}

/// Parses a code file of an archive, which is shown as one window.
pub fn parse_archive_code(source: &Arc<Source>) -> (Module, Vec<Diagnostic>) {
    parse_statements(source, Windows::Whole)
}

/// Parses the text of one function or class. `None` if the text holds anything else, or more.
pub fn parse_function(source: &Arc<Source>) -> (Option<Stmt>, Vec<Diagnostic>) {
    let (module, diagnostics) = parse_statements(source, Windows::PerDefinition);
    let mut body = module.body.into_iter();
    let only = match (body.next(), body.next()) {
        (Some(stmt), None) if matches!(stmt.kind, StmtKind::Def(_) | StmtKind::Class(_)) => {
            Some(stmt)
        }
        _ => None,
    };
    (only, diagnostics)
}

/// Parses one expression, which may span several lines as if it stood in parentheses.
///
/// The result is `Invalid` only if there are diagnostics.
pub fn parse_expression(source: &Arc<Source>) -> (Expr, Vec<Diagnostic>) {
    let text = match limits::check_source(source, Mode::ParenthesizedExpression) {
        Ok(()) => source.text(),
        Err(excess) => {
            return (
                invalid_expr(source.span(0..0)),
                vec![excess.diagnostic(source)],
            );
        }
    };
    let parsed = parse_unchecked(text, ParseOptions::from(Mode::ParenthesizedExpression));
    let mut lowerer = Lowerer::new(source, text, 0, Windows::PerDefinition);
    lowerer.report_errors(parsed.errors());
    let expr = match parsed.syntax() {
        ast::Mod::Expression(module) => lowerer.expr(&module.body),
        ast::Mod::Module(_) => invalid_expr(source.span(0..0)),
    };
    discard(parsed);
    (expr, lowerer.diagnostics)
}

/// How much context a message about a definition may show.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Windows {
    Whole,
    PerDefinition,
}

const INDENTED_PREFIX: &str = "if 1:\n";

fn parse_statements(source: &Arc<Source>, windows: Windows) -> (Module, Vec<Diagnostic>) {
    let span = source.span(0..source.text().len() as u32);
    if let Err(excess) = limits::check_source(source, Mode::Module) {
        return (
            Module {
                body: Vec::new(),
                span,
            },
            vec![excess.diagnostic(source)],
        );
    }
    let (text, shift) = if starts_indented(source.text()) {
        (
            Cow::Owned(format!("{INDENTED_PREFIX}{}", source.text())),
            INDENTED_PREFIX.len(),
        )
    } else {
        (Cow::Borrowed(source.text()), 0)
    };
    let options =
        ParseOptions::from(Mode::Module).with_target_version(ast::PythonVersion::latest());
    let mut parsed = parse_unchecked(&text, options.clone());
    let healed = match parsed.has_invalid_syntax() && shift == 0 {
        true if windows == Windows::PerDefinition => healing::heal(&text),
        _ => None,
    };
    if let Some(healed) = &healed {
        discard(std::mem::replace(
            &mut parsed,
            parse_unchecked(&healed.text, options),
        ));
    }
    let text = healed.as_ref().map_or(&*text, |healed| &healed.text);
    let mut lowerer = Lowerer::new(source, text, shift as u32, windows);
    lowerer.report_errors(parsed.errors());
    lowerer.comments = TypeComments::new(
        text,
        parsed
            .tokens()
            .iter()
            .filter(|token| token.kind() == TokenKind::Comment)
            .map(Ranged::range),
    );
    let mut body = match parsed.syntax() {
        ast::Mod::Module(module) => lowerer.module_body(&module.body),
        ast::Mod::Expression(_) => Vec::new(),
    };
    discard(parsed);
    if let Some(healed) = &healed {
        lowerer.note_healed(healed, &mut body);
    }
    (Module { body, span }, lowerer.diagnostics)
}

/// Drops the parser's tree, which only for valid text is known to be shallow.
fn discard(parsed: Parsed<ast::Mod>) {
    if parsed.has_invalid_syntax() {
        dismantle::dismantle(parsed.into_syntax());
    }
}

/// Whether the first line that says anything is indented.
fn starts_indented(text: &str) -> bool {
    let says_something =
        |line: &&str| !matches!(line.trim_start().as_bytes().first(), None | Some(b'#'));
    text.lines()
        .find(says_something)
        .is_some_and(|line| line.starts_with([' ', '\t']))
}

fn invalid_expr(span: Span) -> Expr {
    Expr {
        kind: ExprKind::Invalid,
        span,
    }
}

/// Copies the parser's tree into ours.
pub(crate) struct Lowerer<'t> {
    /// The window that new spans belong to.
    pub(crate) source: Arc<Source>,
    /// The text that was parsed: the source's, behind a prefix of `shift` bytes.
    pub(crate) text: &'t str,
    pub(crate) shift: u32,
    windows: Windows,
    names: HashSet<Name>,
    pub(crate) comments: TypeComments,
    pub(crate) diagnostics: Vec<Diagnostic>,
    expression_depth: usize,
    block_depth: usize,
}

impl<'t> Lowerer<'t> {
    fn new(source: &Arc<Source>, text: &'t str, shift: u32, windows: Windows) -> Lowerer<'t> {
        Lowerer {
            source: source.clone(),
            text,
            shift,
            windows,
            names: HashSet::new(),
            comments: TypeComments::default(),
            diagnostics: Vec::new(),
            expression_depth: 0,
            block_depth: 0,
        }
    }

    fn module_body(&mut self, body: &[ast::Stmt]) -> Vec<Stmt> {
        match body {
            [ast::Stmt::If(wrapper)] if self.shift > 0 => self.definitions(&wrapper.body),
            // Only broken text ends the wrapper early.
            [ast::Stmt::If(wrapper), rest @ ..] if self.shift > 0 => {
                let mut stmts = self.definitions(&wrapper.body);
                stmts.extend(self.definitions(rest));
                stmts
            }
            _ => self.definitions(body),
        }
    }

    /// The statements of a module or class body, where definitions may get windows of their own.
    fn definitions(&mut self, body: &[ast::Stmt]) -> Vec<Stmt> {
        body.iter().map(|stmt| self.definition(stmt)).collect()
    }

    fn definition(&mut self, stmt: &ast::Stmt) -> Stmt {
        if self.windows == Windows::Whole || !stmt.is_function_def_stmt() {
            return self.stmt(stmt);
        }
        let extent = self.range(stmt.range());
        let start = extent.start - self.source.column_of(extent.start);
        let window = self
            .source
            .narrowed(start..self.source.line_range_of(extent.end).end);
        let outer = std::mem::replace(&mut self.source, window);
        let lowered = self.stmt(stmt);
        self.source = outer;
        lowered
    }

    /// Tells the problems of definitions that were taken out of the text, and binds their names to what is not known.
    fn note_healed(&mut self, healed: &healing::Healed, body: &mut Vec<Stmt>) {
        let small = |range: &Range<usize>| range.start as u32..range.end as u32;
        for (message, place) in &healed.problems {
            let span = self.source.span(small(place));
            self.diagnostics
                .push(Diagnostic::syntax("syntax", message.clone(), &span));
        }
        let start = |d: &Diagnostic| d.span.as_ref().map(Span::start);
        self.diagnostics.sort_by_key(start);
        for lost in &healed.lost {
            let span = self.source.span(small(&lost.name));
            let name = self.name(&self.source.clone().text()[lost.name.clone()]);
            let target = Expr {
                kind: ExprKind::Name(name),
                span: span.clone(),
            };
            let assign = Assign {
                targets: vec![target],
                value: invalid_expr(span.clone()),
                type_comment: None,
            };
            let at = span.start();
            let statement = Stmt {
                kind: StmtKind::Assign(Box::new(assign)),
                span,
            };
            let class = body.iter_mut().find_map(|around| {
                let extent = around.span.extent();
                match &mut around.kind {
                    StmtKind::Class(class) if lost.is_member && extent.contains(&at) => Some(class),
                    _ => None,
                }
            });
            match class {
                Some(class) => class.body.insert(0, statement),
                None => body.insert(0, statement),
            }
        }
    }

    pub(crate) fn report_errors(&mut self, errors: &[ParseError]) {
        for error in errors {
            let span = self.span(error.location);
            self.diagnostics
                .push(Diagnostic::syntax("syntax", error.error.to_string(), &span));
        }
    }

    /// A range of the parsed text, as a range of the source.
    pub(crate) fn range(&self, range: TextRange) -> Range<u32> {
        let shifted = |offset: ruff_text_size::TextSize| offset.to_u32().saturating_sub(self.shift);
        shifted(range.start())..shifted(range.end())
    }

    /// A span whose mark is its extent.
    fn span(&self, range: TextRange) -> Span {
        self.source.span(self.range(range))
    }

    /// A span whose mark begins where the node does and ends at `end`.
    fn span_until(&self, range: TextRange, end: u32) -> Span {
        let extent = self.range(range);
        self.source
            .marked_span(extent.start..end.max(extent.start), extent)
    }

    /// A span whose mark goes from the start of the first child's mark to the end of the last one's.
    fn span_between(&self, range: TextRange, first: &Span, last: &Span) -> Span {
        self.source
            .marked_span(first.start()..last.end(), self.range(range))
    }

    fn name(&mut self, text: &str) -> Name {
        if let Some(known) = self.names.get(text) {
            return known.clone();
        }
        let name: Name = Arc::from(text);
        self.names.insert(name.clone());
        name
    }

    fn ident(&mut self, identifier: &ast::Identifier) -> Ident {
        Ident {
            name: self.name(identifier.as_str()),
            span: self.span(identifier.range),
        }
    }

    fn opt_ident(&mut self, identifier: Option<&ast::Identifier>) -> Option<Ident> {
        identifier.map(|identifier| self.ident(identifier))
    }
}
