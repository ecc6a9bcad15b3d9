//! All problems of a program, drawn for a person at a terminal.
//!
//! Drawing is left to `annotate-snippets`; this file decides what is a title, what is a note, and how much source is
//! shown. Only the lines around a place are handed over, so that a large file costs no more than a small one.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet, Title};

use super::{CompiledFrom, Diagnostic, Origin};
use crate::source::Span;

const CONTEXT_LINES: usize = 1;

/// Nobody reads more; broken text has a problem at every word, each of which may show a very long line.
const MOST: usize = 100;

/// Draws every diagnostic, separated by blank lines and ended by a line break. Empty for no diagnostics. After the first
/// hundred the rest is only counted.
pub fn render(diagnostics: &[Diagnostic], colour: bool) -> String {
    let renderer = if colour {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let mut drawn: Vec<String> = diagnostics
        .iter()
        .take(MOST)
        .map(|diagnostic| renderer.render(&report(diagnostic)))
        .collect();
    if diagnostics.len() > MOST {
        drawn.push(format!("and {} more problems", diagnostics.len() - MOST));
    }
    if drawn.is_empty() {
        String::new()
    } else {
        drawn.join("\n\n") + "\n"
    }
}

fn report(diagnostic: &Diagnostic) -> Vec<Group<'_>> {
    let mut groups = vec![main_group(diagnostic)];
    groups.extend(
        diagnostic
            .notes
            .iter()
            .map(|(message, span)| note(message, span.as_ref())),
    );
    groups.extend(diagnostic.chain.iter().map(link));
    groups.extend(
        diagnostic
            .hint
            .iter()
            .map(|hint| Group::with_title(Level::HELP.secondary_title(hint.as_str()))),
    );
    groups
}

fn main_group(diagnostic: &Diagnostic) -> Group<'_> {
    let (title, details) = split_title(diagnostic.for_people());
    let mut group = Group::with_title(main_title(diagnostic, title));
    if let Some(span) = &diagnostic.span {
        group = group.element(snippet(span));
    }
    if !details.is_empty() {
        group = group.element(Level::NOTE.message(details));
    }
    group
}

fn main_title<'a>(diagnostic: &'a Diagnostic, title: &'a str) -> Title<'a> {
    let level = match diagnostic.origin {
        Origin::User => Level::ERROR,
        Origin::Internal => Level::ERROR.with_name("internal error"),
    };
    level.primary_title(title).id(diagnostic.code)
}

fn note<'a>(message: &'a str, span: Option<&'a Span>) -> Group<'a> {
    let group = Group::with_title(Level::NOTE.secondary_title(message.trim()));
    match span {
        Some(span) => group.element(snippet(span)),
        None => group,
    }
}

fn link(link: &CompiledFrom) -> Group<'_> {
    let title = format!(
        "'{}' is being compiled since it was called from '{}'",
        link.callee, link.caller
    );
    Group::with_title(Level::NOTE.secondary_title(title)).element(snippet(&link.span))
}

/// The first line of a message that says something, and the lines after it.
fn split_title(message: &str) -> (&str, &str) {
    let message = message.trim();
    match message.split_once('\n') {
        Some((title, details)) => (title.trim_end(), details.trim_end()),
        None => (message, ""),
    }
}

/// The lines around a span's extent. An extent over several lines is shown by its first line.
fn snippet(span: &Span) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
    let source = span.source();
    let extent = span.extent();
    let line = source.line_range_of(extent.start);
    let end = extent.end.min(line.end).max(extent.start);
    let shown = source.context_lines(&(extent.start..end), CONTEXT_LINES, CONTEXT_LINES);
    let start = shown.first().map_or(line.start, |line| line.start);
    let text = source.slice(start..shown.last().map_or(line.end, |line| line.end));
    let range = whole_characters(
        text,
        (extent.start.max(start) - start) as usize,
        (end.max(start) - start) as usize,
    );
    // The other half of a line break is nothing to look at.
    let text = match text.contains('\r') {
        true => Cow::Owned(text.replace('\r', " ")),
        false => Cow::Borrowed(text),
    };
    Snippet::source(text)
        .line_start(source.line_of(start) as usize)
        .path(source.name())
        .fold(false)
        .annotation(AnnotationKind::Primary.span(range))
}

/// The smallest range of whole characters that covers `start..end`.
fn whole_characters(text: &str, start: usize, end: usize) -> Range<usize> {
    let start = (0..=start.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0);
    let end = (end.max(start)..text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len());
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    fn program() -> Diagnostic {
        let source =
            Source::with_first_line("x.py", "def f(x):\n    return nope(\n        x)\n", 7);
        Diagnostic::error(
            "undefined-name",
            "undefined value nope",
            &source.span(21..25),
        )
    }

    #[test]
    fn one_problem_shows_its_line() {
        let drawn = render(&[program().hint("define 'nope'")], false);
        assert_eq!(
            drawn,
            "error[undefined-name]: undefined value nope\n --> x.py:8:12\n  |\n7 | def f(x):\n8 |     return nope(\n  |            ^^^^\n9 |         x)\n  |\nhelp: define 'nope'\n"
        );
    }

    #[test]
    fn every_problem_is_shown() {
        let drawn = render(&[program(), Diagnostic::internal("lost\nfor good")], false);
        assert_eq!(drawn.matches("error").count(), 2);
        assert!(
            drawn.ends_with("internal error[internal]: lost\n |\n = note: for good\n"),
            "{drawn}"
        );
        assert_eq!(render(&[], true), "");
    }

    #[test]
    fn notes_and_chain_show_their_places() {
        let error = program();
        let span = error.span.clone().unwrap();
        let drawn = render(
            &[error
                .note("and used here", Some(&span))
                .compiled_from("f", "g", &span)],
            false,
        );
        assert!(drawn.contains("note: and used here\n"), "{drawn}");
        assert!(
            drawn.contains("note: 'f' is being compiled since it was called from 'g'\n"),
            "{drawn}"
        );
    }

    #[test]
    fn spans_inside_a_character_show_it_whole() {
        let source = Source::new("x.py", "x = \u{2192} 1\n");
        let drawn = render(
            &[Diagnostic::error("x", "found it", &source.span(5..6))],
            false,
        );
        assert!(drawn.contains("  |     ^\n"), "{drawn}");
    }

    #[test]
    fn beyond_a_hundred_problems_are_counted() {
        let many: Vec<Diagnostic> = (0..107).map(|_| program()).collect();
        let drawn = render(&many, false);
        assert_eq!(drawn.matches("error[").count(), 100);
        assert!(drawn.ends_with("\n\nand 7 more problems\n"), "{drawn}");
    }

    #[test]
    fn colour_is_a_choice() {
        assert!(render(&[program()], true).contains('\u{1b}'));
        assert!(!render(&[program()], false).contains('\u{1b}'));
    }
}
