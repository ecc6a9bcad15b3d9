//! The reference's form of an error: source lines around the place, underlined, with `<--- HERE`.
//!
//! Python programs catch these texts and print them, so the layout is exact: two lines of context on either side,
//! underlines of several lines where the mark spans several, and a final line break.

use super::{Diagnostic, TYPE_COMMENT};
use crate::source::{Source, Span};

const CONTEXT_BEFORE: usize = 2;
const CONTEXT_AFTER: usize = 2;

/// One level of a script call stack: where it stands, and in which function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub span: Span,
    pub function: String,
}

/// The text of a compile-time error.
///
/// Errors of the compiler proper open with a line break, those found while reading the text do not.
pub fn render(diagnostic: &Diagnostic) -> String {
    let mut out = String::new();
    let found_reading = diagnostic.kind.is_frontend() || diagnostic.code == TYPE_COMMENT;
    if !found_reading && diagnostic.span.is_some() {
        out.push('\n');
    }
    push_section(&mut out, &diagnostic.message, diagnostic.span.as_ref());
    for (message, span) in &diagnostic.notes {
        push_section(&mut out, message, span.as_ref());
    }
    for link in &diagnostic.chain {
        out.push_str(&format!(
            "'{}' is being compiled since it was called from '{}'\n",
            link.callee, link.caller
        ));
        push_highlight(&mut out, &link.span, None);
    }
    out
}

/// The text of an error raised while a script ran. `frames` go from the outermost call to the innermost.
///
/// `error` is the last line, such as `RuntimeError: shape '[7]' is invalid for input of size 2`.
pub fn render_traceback(frames: &[Frame], error: &str) -> String {
    let mut out = String::from("The following operation failed in the TorchScript interpreter.\n");
    push_stack(
        &mut out,
        "Traceback of TorchScript (most recent call last):\n",
        frames,
    );
    out.push_str(error);
    out.push('\n');
    out
}

/// As [`render_traceback`], for code of an archive that also knows the source it was made from.
pub fn render_archive_traceback(serialized: &[Frame], original: &[Frame], error: &str) -> String {
    let mut out = String::from("The following operation failed in the TorchScript interpreter.\n");
    push_stack(
        &mut out,
        "Traceback of TorchScript, serialized code (most recent call last):\n",
        serialized,
    );
    out.push('\n');
    push_stack(
        &mut out,
        "Traceback of TorchScript, original code (most recent call last):\n",
        original,
    );
    out.push_str(error);
    out.push('\n');
    out
}

/// The lines around `span` with its mark underlined, headed by the file and line and, if given, the function.
pub fn highlight(span: &Span, function: Option<&str>) -> String {
    let mut out = String::new();
    push_highlight(&mut out, span, function);
    out
}

fn push_stack(out: &mut String, title: &str, frames: &[Frame]) {
    out.push_str(title);
    for frame in frames {
        push_highlight(out, &frame.span, Some(&frame.function));
    }
}

fn push_section(out: &mut String, message: &str, span: Option<&Span>) {
    out.push_str(message);
    if let Some(span) = span {
        out.push_str(":\n");
        push_highlight(out, span, None);
    }
}

fn push_highlight(out: &mut String, span: &Span, function: Option<&str>) {
    if span.is_unknown() {
        return;
    }
    let source = span.source();
    if covers_everything(span) {
        // There is nothing around it to show: the Python stack that a traced call comes from.
        out.push_str(source.text());
        if !source.is_comment() {
            out.push('\n');
        }
        return;
    }
    if !source.is_comment() {
        out.push_str(&format!(
            "  File \"{}\", line {}",
            source.name(),
            span.line()
        ));
        if let Some(function) = function {
            out.push_str(&format!(", in {function}"));
        }
        out.push('\n');
    }
    push_lines(out, source, span);
}

fn covers_everything(span: &Span) -> bool {
    span.mark() == (0..span.source().text().len() as u32)
}

fn push_lines(out: &mut String, source: &Source, span: &Span) {
    let mark = span.mark();
    let lines = source.context_lines(&mark, CONTEXT_BEFORE, CONTEXT_AFTER);
    for (i, line) in lines.iter().enumerate() {
        let text = source.slice(line.clone());
        // What stands behind the mark ends in one line break, and at the end of the text in none.
        let text_end = source.text().len() as u32;
        let is_behind = text.is_empty() && mark.end <= line.start;
        let is_end = mark.start == text_end && line.end == text_end;
        out.push_str(text);
        if i + 1 == lines.len() && (is_behind || is_end) {
            return;
        }
        out.push('\n');
        let is_first = line.start <= mark.start;
        let is_last = mark.end <= line.end;
        let from = if is_first {
            mark.start - line.start
        } else {
            leading_spaces(text)
        };
        let to = if is_last {
            mark.end.min(line.end).saturating_sub(line.start)
        } else {
            text.len() as u32
        };
        let has_mark = mark.start <= line.end && mark.end > line.start;
        if has_mark && from < to {
            push_underline(out, from, to, is_last);
        }
    }
}

fn leading_spaces(text: &str) -> u32 {
    text.bytes().take_while(|byte| *byte == b' ').count() as u32
}

fn push_underline(out: &mut String, from: u32, to: u32, is_last: bool) {
    out.extend(std::iter::repeat_n(' ', from as usize));
    out.extend(std::iter::repeat_n('~', (to - from) as usize));
    out.push_str(if is_last { " <--- HERE\n" } else { "\n" });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::ErrorKind;

    const PROGRAM: &str = "def f(x):\n    a = 1\n    b = 2\n    if x:\n\n        z = 1\n\t  y = 2\n    c = 3\n    d = 4\n";

    fn span_of(text: &str, part: &str) -> Span {
        let start = text.find(part).unwrap() as u32;
        Source::with_first_line("x.py", text, 10).span(start..start + part.len() as u32)
    }

    fn check(part: &str, expected: &str) {
        assert_eq!(highlight(&span_of(PROGRAM, part), None), expected);
    }

    #[test]
    fn one_line_has_two_lines_of_context() {
        check(
            "b = 2",
            "  File \"x.py\", line 12\ndef f(x):\n    a = 1\n    b = 2\n    ~~~~~ <--- HERE\n    if x:\n",
        );
        check(
            "def",
            "  File \"x.py\", line 10\ndef f(x):\n~~~ <--- HERE\n    a = 1\n    b = 2\n",
        );
        check(
            "d = 4",
            "  File \"x.py\", line 18\n\t  y = 2\n    c = 3\n    d = 4\n    ~~~~~ <--- HERE\n",
        );
    }

    #[test]
    fn several_lines_are_underlined_from_their_indentation() {
        check(
            "if x:\n\n        z = 1\n\t  y =",
            "  File \"x.py\", line 13\n    a = 1\n    b = 2\n    if x:\n    ~~~~~\n\n        z = 1\n        ~~~~~\n\t  y = 2\n~~~~~~ <--- HERE\n    c = 3\n    d = 4\n",
        );
        check(
            "x:\n\n        ",
            "  File \"x.py\", line 13\n    a = 1\n    b = 2\n    if x:\n       ~~\n\n        z = 1\n\t  y = 2\n    c = 3\n",
        );
    }

    #[test]
    fn empty_marks_have_no_underline_and_breaks_no_width() {
        assert_eq!(
            highlight(&Source::new("x.py", "a\nb\n").span(2..2), None),
            "  File \"x.py\", line 2\na\nb\n"
        );
        check(
            "d = 4\n",
            "  File \"x.py\", line 18\n\t  y = 2\n    c = 3\n    d = 4\n    ~~~~~\n",
        );
    }

    #[test]
    fn texts_end_as_they_are_shown() {
        let check = |text: &str, range: std::ops::Range<u32>, expected: &str| {
            assert_eq!(
                highlight(&Source::new("x.py", text).span(range), None),
                expected
            );
        };
        check("a\nb", 3..3, "  File \"x.py\", line 2\na\nb");
        check("a\nb", 2..2, "  File \"x.py\", line 2\na\nb\n");
        check(
            "a\n\n\nb\n",
            0..1,
            "  File \"x.py\", line 1\na\n~ <--- HERE\n\n",
        );
        // What ends with a line break has two more lines behind the next one.
        check(
            "a\nb\nc\nd\ne\n",
            0..2,
            "  File \"x.py\", line 1\na\n~\nb\nc\nd\n",
        );
    }

    #[test]
    fn type_comments_show_no_file() {
        let source = Source::new(
            "x.py",
            "def f(x):\n    # type: (double) -> double\n    return x\n",
        );
        let comment = source.comment(14..40);
        assert_eq!(
            highlight(&comment.span(23..29), None),
            "# type: (double) -> double\n         ~~~~~~ <--- HERE\n"
        );
    }

    #[test]
    fn compiler_errors_open_with_a_line_break() {
        let span = span_of("def a():\n    return nope\n", "nope");
        let body = "undefined value nope:\n  File \"x.py\", line 11\ndef a():\n    return nope\n           ~~~~ <--- HERE\n";
        let error = Diagnostic::error("undefined-name", "undefined value nope", &span);
        assert_eq!(error.to_string(), format!("\n{body}"));
        let error = Diagnostic {
            kind: ErrorKind::UnsupportedNode,
            ..error
        };
        assert_eq!(error.to_string(), body);
    }

    #[test]
    fn notes_and_call_chain_follow_the_place() {
        let source = Source::new("x.py", "a\nb\nc\n");
        let error = Diagnostic::error(
            "x",
            "\nz is not defined in the false branch",
            &source.span(0..1),
        )
        .note("and was used here", Some(&source.span(2..3)))
        .compiled_from("f", "g", &source.span(4..5));
        assert_eq!(
            error.to_string(),
            "\n\nz is not defined in the false branch:\n  File \"x.py\", line 1\na\n~ <--- HERE\nb\nc\n\
             and was used here:\n  File \"x.py\", line 2\na\nb\n~ <--- HERE\nc\n\
             'f' is being compiled since it was called from 'g'\n  File \"x.py\", line 3\na\nb\nc\n~ <--- HERE\n"
        );
    }

    #[test]
    fn tracebacks_name_the_function_of_each_frame() {
        let frame = Frame {
            span: span_of("def inner(x):\n    return x.view(7)\n", "x.view"),
            function: "inner".into(),
        };
        assert_eq!(
            render_traceback(&[frame], "RuntimeError: bad"),
            "The following operation failed in the TorchScript interpreter.\n\
             Traceback of TorchScript (most recent call last):\n  File \"x.py\", line 11, in inner\n\
             def inner(x):\n    return x.view(7)\n           ~~~~~~ <--- HERE\nRuntimeError: bad\n"
        );
    }
}
