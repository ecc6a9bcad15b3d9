//! Which lines of a function the reference takes for its type comment.
//!
//! It looks at the text of the function, not at its comments: every line that holds `# type:` counts, wherever it
//! stands. One such line must be the signature; several must be the parameters' and a `# type: (...) -> T`.

use crate::diagnostic::{Diagnostic, ErrorKind, TYPE_COMMENT};
use crate::source::Source;
use std::sync::Arc;

const MARK: &str = "# type:";
const GUIDE: &str =
    "https://www.python.org/dev/peps/pep-0484/#suggested-syntax-for-python-2-7-and-straddling-code";

/// The problem that the reference has with the type lines of a function's text, if it has one.
pub fn check_type_lines(source: &Arc<Source>) -> Option<Diagnostic> {
    let text = source.text();
    if !text.contains("type") {
        return None;
    }
    let lines: Vec<&str> = text.lines().collect();
    let marked: Vec<&str> = lines
        .iter()
        .copied()
        .filter(|line| line.contains(MARK) && !line.contains("# type: ignore"))
        .collect();
    match marked.as_slice() {
        [] => misspelt(&lines),
        [only] => not_a_comment(source, only),
        several => several
            .iter()
            .all(|line| !line.contains("# type: (...) ->"))
            .then(|| no_result_line(several)),
    }
}

/// A mark with too many blanks, or too few: `#type:`, `#  type :`.
fn misspelt(lines: &[&str]) -> Option<Diagnostic> {
    let at = lines.iter().position(|line| has_misspelt_mark(line))?;
    Some(plain(format!(
        "The annotation prefix in line {at} is probably invalid.\nIt must be '# type:'\nSee PEP 484 ({GUIDE})\nfor examples"
    )))
}

fn has_misspelt_mark(line: &str) -> bool {
    let blank = |c: char| c == ' ' || c == '\t';
    line.match_indices('#').any(|(at, _)| {
        let rest = line[at + 1..].trim_start_matches(blank);
        let rest = rest.strip_prefix("type");
        let rest = rest.and_then(|rest| rest.trim_start_matches(blank).strip_prefix(':'));
        rest.is_some_and(|rest| !is_ignore(rest))
    })
}

/// ` ignore` or ` ignore[...]` up to the end of the line.
fn is_ignore(rest: &str) -> bool {
    let rest = rest.strip_prefix(" ignore");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('[') && rest.ends_with(']'))
}

/// A signature stands alone on its line.
fn not_a_comment(source: &Arc<Source>, line: &str) -> Option<Diagnostic> {
    let stripped = line.trim();
    if stripped.starts_with('#') {
        return None;
    }
    let word: String = stripped
        .chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect();
    let found = match word.as_str() {
        "def" | "return" | "if" | "for" | "while" | "assert" | "raise" | "with" | "pass" => &word,
        _ => "ident",
    };
    let start = source.text().find(stripped)? as u32;
    let comment = source.comment(start..start + stripped.len() as u32);
    let length = word.len().max(1) as u32;
    Some(Diagnostic::error(
        TYPE_COMMENT,
        format!("expected type comment but found '{found}' here"),
        &comment.span(start..start + length),
    ))
}

fn no_result_line(lines: &[&str]) -> Diagnostic {
    plain(format!(
        "Return type line '# type: (...) -> ...' not found on multiline type annotation\nfor type lines:\n{}\n(See PEP 484 {GUIDE})",
        lines.join("\n")
    ))
}

fn plain(message: String) -> Diagnostic {
    Diagnostic::new(TYPE_COMMENT, ErrorKind::Runtime, message)
}

#[cfg(test)]
mod tests {
    use super::check_type_lines;
    use crate::source::Source;

    fn problem(text: &str) -> Option<String> {
        check_type_lines(&Source::new("x.py", text)).map(|d| d.message)
    }

    #[test]
    fn a_signature_on_its_own_line_is_fine() {
        assert_eq!(
            problem("def f(x):\n    # type: (int) -> int\n    return x\n"),
            None
        );
        assert_eq!(problem("def f(x):\n    return x  # type: ignore\n"), None);
    }

    #[test]
    fn a_comment_behind_code_is_no_signature() {
        assert_eq!(
            problem("def f(x):\n    y = 1  # type: int\n").unwrap(),
            "expected type comment but found 'ident' here"
        );
    }

    #[test]
    fn several_comments_need_a_result_line() {
        let text = "def f(x,  # type: int\n      y):  # type: str\n    return x\n";
        assert!(problem(text).unwrap().starts_with("Return type line"));
    }
}
