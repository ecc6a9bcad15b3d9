//! Lines that cannot be read, and what the reference refuses without saying what it is.

use super::{Advice, hint};
use crate::script::nearest_name;
use rushlight_syntax::Diagnostic;

/// What the reference refuses in words that say little, by a piece of these: what it is in plainer words, and what to do instead.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        "Expected a single top-level function",
        "scripts have no async functions",
        "start work with `torch.jit.fork`",
    ),
    (
        "torch._C.ErrorReport(",
        "scripts have no `else` behind a loop",
        "set a flag in the loop and look at it behind",
    ),
    (
        "has no attribute 'lineno'",
        "scripts have no bare `raise`",
        "raise an exception with a message: `raise ValueError(\"...\")`",
    ),
    (
        "'UnaryOp' object has no attribute 'range'",
        "scripts have no `+x`",
        "leave the `+` out",
    ),
];

pub(super) fn refused(problem: &Diagnostic) -> Option<Advice> {
    let (_, plain, instead) = REFUSED
        .iter()
        .find(|(piece, ..)| problem.message.contains(piece))?;
    Some(hint(*instead)?.plain(*plain))
}

/// What mends lines that cannot be read, by a piece of what the parser says and one of the line, either of which may be empty.
const SYNTAX: &[(&str, &str, &str)] = &[
    ("found `=`", "", "to compare, write `==`; one `=` assigns"),
    (
        "Expected `else`, found `for`",
        " if ",
        "the condition of a comprehension stands behind its `for`, and scripts have none: write a `for` loop that appends to a list",
    ),
    ("found `)`", "", "there is no `(` that this closes"),
    ("found `]`", "", "there is no `[` that this closes"),
    ("found `}`", "", "there is no `{` that this closes"),
    (
        "Expected a statement",
        ")",
        "there is no `(` that this closes",
    ),
    (
        "Expected a statement",
        "]",
        "there is no `[` that this closes",
    ),
    (
        "Expected a statement",
        "}",
        "there is no `{` that this closes",
    ),
    (
        "Expected `:`",
        "",
        "a line that others belong to ends with `:`",
    ),
    (
        "Expected an indented block",
        "",
        "indent the lines that belong to this one, or write `pass`",
    ),
];

/// The words that begin statements.
const STATEMENTS: &[&str] = &[
    "return", "raise", "assert", "del", "import", "from", "if", "elif", "for", "while", "with",
    "def", "class", "global", "print",
];

pub(super) fn syntax(problem: &Diagnostic) -> Option<Advice> {
    let span = problem.span.as_ref()?;
    let source = span.source();
    let line = source.line_range_of(span.start());
    let text = source.text().get(line.start as usize..line.end as usize)?;
    // A misspelt word that begins a statement.
    let code = text.trim_start();
    let word = code
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .next()?;
    let is_apart = code[word.len()..].starts_with(' ');
    if is_apart
        && !STATEMENTS.contains(&word)
        && let Some(near) = nearest_name(word, STATEMENTS.iter().copied())
    {
        let start = line.start + (text.len() - code.len()) as u32;
        let at = source.span(start..start + word.len() as u32);
        return Some(hint(format!("did you mean `{near}`?"))?.fix(&at, near));
    }
    let is_of = |(piece, shown, _): &&(&str, &str, &str)| {
        problem.message.contains(piece) && text.contains(shown)
    };
    hint(SYNTAX.iter().find(is_of)?.2)
}
