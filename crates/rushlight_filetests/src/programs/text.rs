//! The text rules of the language conformance programs: what is taken out of both sides before they are
//! compared, and what the relaxed grade forgives.
//!
//! These are the corpus's own rules (`run.py` beside its programs), to the letter, so that figures measured
//! here and there agree.

use std::collections::HashMap;

/// Takes out what differs between machines: the program's folder, the folders of installed packages and of
/// Python's library, and addresses of objects.
pub fn normalise(text: &str, folders: &[String]) -> String {
    let mut text = text.replace("\r\n", "\n");
    for folder in folders {
        text = text.replace(&format!("{}/", folder.trim_end_matches('/')), "");
    }
    text = cut_paths(&text, |run| {
        run.rfind("/site-packages/")
            .map(|at| at + "/site-packages/".len())
    });
    text = cut_paths(&text, python_library);
    hide_addresses(&text)
}

/// Removes from each `/` onwards as much of the word as `end` says. `end` gets the word after that `/`.
fn cut_paths(text: &str, end: impl Fn(&str) -> Option<usize>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(slash) = rest.find('/') {
        let (before, from_slash) = rest.split_at(slash);
        out.push_str(before);
        let after = &from_slash[1..];
        let word = &after[..after.find(ends_a_path).unwrap_or(after.len())];
        match end(word) {
            Some(length) => rest = &after[length..],
            None => {
                out.push('/');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

fn ends_a_path(c: char) -> bool {
    c == '"' || c == '\'' || is_space(c)
}

/// White space as Python's regular expressions see it.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}

/// The end of the last `/lib/python3.N/` in `word`.
fn python_library(word: &str) -> Option<usize> {
    const LIBRARY: &str = "/lib/python3.";
    let ends = word.rmatch_indices(LIBRARY).filter_map(|(at, _)| {
        let version = &word[at + LIBRARY.len()..];
        let digits = count_while(version, |c| c.is_ascii_digit());
        (digits > 0 && version[digits..].starts_with('/'))
            .then_some(at + LIBRARY.len() + digits + 1)
    });
    ends.max()
}

/// `0x` and six or more digits become `0xADDR`.
fn hide_addresses(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("0x") {
        let digits = &rest[at + 2..];
        let count = count_while(digits, |c| matches!(c, '0'..='9' | 'a'..='f'));
        out.push_str(&rest[..at + 2]);
        if count >= 6 {
            out.push_str("ADDR");
            rest = &digits[count..];
        } else {
            rest = digits;
        }
    }
    out.push_str(rest);
    out
}

fn count_while(text: &str, wanted: impl Fn(char) -> bool) -> usize {
    text.find(|c| !wanted(c)).unwrap_or(text.len())
}

/// The text of which the relaxed grade compares both sides.
///
/// Between two marks (`<<RuntimeError>>`, `<<end>>`) only the first line that is not blank counts. `<<end>>` is
/// such a mark as well: text after it counts up to its first line only, until the next mark.
pub fn relax(text: &str) -> String {
    let mut kept: Vec<String> = Vec::new();
    let mut after_mark = false;
    let mut first = false;
    for line in rename_values(text) {
        if is_mark(&line) {
            (after_mark, first) = (true, true);
            kept.push(line);
        } else if !after_mark {
            kept.push(line);
        } else if first && line.chars().any(|c| !is_space(c)) {
            kept.push(line);
            first = false;
        }
    }
    let text = kept.join("\n");
    text.split(is_space)
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// `<<word>>`
fn is_mark(line: &str) -> bool {
    line.strip_prefix("<<")
        .and_then(|rest| rest.strip_suffix(">>"))
        .is_some_and(|word| !word.is_empty() && word.chars().all(is_word))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Numbers the values of each printed graph in order of appearance, and drops positions in the reference's own
/// library.
fn rename_values(text: &str) -> Vec<String> {
    let mut names: Option<HashMap<String, usize>> = None;
    let mut lines = Vec::new();
    for line in text.split('\n') {
        if line.contains("graph(") && names.is_none() {
            names = Some(HashMap::new());
        }
        let Some(known) = &mut names else {
            lines.push(line.to_owned());
            continue;
        };
        let line = drop_library_positions(&number_values(line, known));
        if line.trim_start_matches(is_space).starts_with("return (") {
            names = None;
        }
        lines.push(line);
    }
    lines
}

/// `%name` becomes `%N`, N being how many names came before this one.
fn number_values(line: &str, names: &mut HashMap<String, usize>) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('%') {
        let after = &rest[at + 1..];
        let run = &after[..count_while(after, |c| is_word(c) || c == '.')];
        let name = run.trim_end_matches('.');
        out.push_str(&rest[..=at]);
        if !name.is_empty() {
            let next = names.len();
            let number = *names.entry(name.to_owned()).or_insert(next);
            out.push_str(&number.to_string());
        }
        rest = &after[name.len()..];
    }
    out.push_str(rest);
    out
}

/// Takes out `  # torch/FILE:LINE:COLUMN` with the blanks before it.
fn drop_library_positions(line: &str) -> String {
    const COMMENT: &str = "# torch/";
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(COMMENT) {
        let after = &rest[at + COMMENT.len()..];
        match library_position(after) {
            Some(length) => {
                out.push_str(rest[..at].trim_end_matches(is_space));
                rest = &after[length..];
            }
            None => {
                out.push_str(&rest[..at + COMMENT.len()]);
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// The length of `FILE:LINE:COLUMN` at the start of `text`, as much as can be had.
fn library_position(text: &str) -> Option<usize> {
    let word = &text[..text.find(is_space).unwrap_or(text.len())];
    word.rmatch_indices(':')
        .filter(|(at, _)| *at > 0)
        .find_map(|(at, _)| {
            let line = &word[at + 1..];
            let line_digits = count_while(line, |c| c.is_ascii_digit());
            let column = line[line_digits..].strip_prefix(':')?;
            let column_digits = count_while(column, |c| c.is_ascii_digit());
            (line_digits > 0 && column_digits > 0)
                .then_some(at + 1 + line_digits + 1 + column_digits)
        })
}

/// What an uncaught exception is told by: its type and the first line of its message.
#[derive(Debug, PartialEq, Eq)]
pub struct Exception {
    /// The class, without its module; empty where there is no exception.
    pub class: String,
    /// The first line of the message that is not blank.
    pub message: String,
}

/// The uncaught exception in what a program printed to standard error.
pub fn last_exception(stderr: &str) -> Exception {
    let lines: Vec<&str> = stderr.split('\n').collect();
    let traceback = lines
        .iter()
        .rposition(|line| *line == "Traceback (most recent call last):");
    let start = traceback.map_or(0, |at| at + 1);
    for (at, line) in lines.iter().enumerate().skip(start) {
        if let Some((class, message)) = exception_line(line) {
            let message =
                first_words(std::iter::once(message).chain(lines[at + 1..].iter().copied()));
            let class = class.rsplit('.').next().unwrap_or(class).to_owned();
            return Exception {
                class,
                message: without_suggestion(message).to_owned(),
            };
        }
    }
    let message = first_words(lines.iter().rev().copied()).to_owned();
    Exception {
        class: String::new(),
        message,
    }
}

/// `module.SomeError: message` or `module.SomeError`.
fn exception_line(line: &str) -> Option<(&str, &str)> {
    const ENDINGS: [&str; 5] = ["Error", "Exception", "Exit", "Interrupt", "Iteration"];
    let (class, message) = line.split_once(':').unwrap_or((line, ""));
    let named = class.chars().all(|c| is_word(c) || c == '.')
        && class.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let ending = |end: &&str| class.ends_with(*end) && class.len() > end.len();
    (named && ENDINGS.iter().any(ending)).then_some((class, message))
}

fn first_words<'a>(mut lines: impl Iterator<Item = &'a str>) -> &'a str {
    lines
        .find_map(|line| Some(line.trim_matches(is_space)).filter(|line| !line.is_empty()))
        .unwrap_or("")
}

/// Whether Python suggests another name depends on its version.
fn without_suggestion(message: &str) -> &str {
    match message.find(". Did you mean: ") {
        Some(at) if message.ends_with('?') => &message[..at],
        _ => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(text: &str) -> String {
        normalise(text, &["/a/b/01_types".to_owned()])
    }

    #[test]
    fn folders_of_the_machine_are_removed() {
        assert_eq!(
            clean("File \"/a/b/01_types/x.py\", line 3"),
            "File \"x.py\", line 3"
        );
        assert_eq!(
            clean("at /opt/v/lib/python3.11/site-packages/torch/x.py"),
            "at torch/x.py"
        );
        assert_eq!(
            clean("at /usr/lib/python3.11/enum.py and a/b"),
            "at enum.py and a/b"
        );
        assert_eq!(
            clean("/usr/lib/python3.x/enum.py"),
            "/usr/lib/python3.x/enum.py"
        );
    }

    #[test]
    fn addresses_are_hidden_and_short_numbers_stay() {
        assert_eq!(clean("<f at 0x7f00aa11>, 0xff"), "<f at 0xADDR>, 0xff");
    }

    #[test]
    fn only_the_first_line_of_a_caught_error_counts() {
        let one = "a\n<<RuntimeError>>\n\n  first\n  second\n<<end>>\nafter";
        let other = "a\n<<RuntimeError>>\nfirst\nother\n<<end>>\nafter";
        assert_eq!(relax(one), relax(other));
        assert_eq!(relax(one), "a <<RuntimeError>> first <<end>> after");
    }

    #[test]
    fn values_of_graphs_are_numbered_in_order() {
        let text = "%z\ngraph(%x.1 : Tensor,\n      %self):\n  %4 : int = f(%x.1) # torch/nn/a.py:3:4\n  return (%4)\n%z";
        let want = "%z\ngraph(%0 : Tensor,\n      %1):\n  %2 : int = f(%0)\n  return (%2)\n%z";
        assert_eq!(rename_values(text).join("\n"), want);
    }

    #[test]
    fn exceptions_are_found_behind_the_last_traceback() {
        let text = "ValueError: early\nTraceback (most recent call last):\n  File\ntorch.jit.Error: \nsaid here\n";
        let want = Exception {
            class: "Error".to_owned(),
            message: "said here".to_owned(),
        };
        assert_eq!(last_exception(text).class, want.class);
        let text = "Traceback (most recent call last):\nNameError: name 'x'. Did you mean: 'y'?\n";
        assert_eq!(last_exception(text).message, "name 'x'");
        assert_eq!(
            last_exception("killed\n\n"),
            Exception {
                class: String::new(),
                message: "killed".to_owned()
            }
        );
    }
}
