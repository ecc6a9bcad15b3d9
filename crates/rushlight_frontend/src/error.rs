//! Diagnostics as results: the first problem of a function travels up as an error, boxed so that results stay small.

use rushlight_syntax::{Diagnostic, ErrorKind, Span};

/// A problem in the program being compiled.
pub type Problem = Box<Diagnostic>;

/// The result of compiling a part of a program.
pub type Outcome<T> = Result<T, Problem>;

/// A `RuntimeError` of the compiler at a place.
#[cold]
pub(crate) fn problem(code: &'static str, message: impl Into<String>, span: &Span) -> Problem {
    Box::new(Diagnostic::error(code, message, span))
}

/// A construct of Python that the language leaves out.
#[cold]
pub(crate) fn unsupported(message: impl Into<String>, span: &Span) -> Problem {
    Box::new(Diagnostic::new("not-supported", ErrorKind::NotSupported, message).at(span))
}

/// A kind of syntax that the language leaves out: `yield aren't supported`.
#[cold]
pub(crate) fn unsupported_node(what: &str, span: &Span) -> Problem {
    Box::new(
        Diagnostic::new(
            "unsupported-node",
            ErrorKind::UnsupportedNode,
            format!("{what} aren't supported"),
        )
        .at(span),
    )
}
