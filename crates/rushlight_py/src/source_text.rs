//! The source text of functions, cut out of their files by indentation: scripting a model asks for many of them.
//!
//! Strings, comments and brackets are followed just far enough to know where a line ends that counts. The same is in
//! `python/rushlight/_source.py`, for sources that are no plain files.

use pyo3::prelude::*;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Follows strings and brackets from line to line.
#[derive(Default)]
struct Scanner<'t> {
    quote: Option<&'t str>,
    depth: i32,
    continued: bool,
}

impl<'t> Scanner<'t> {
    /// Whether the next line continues this one.
    fn inside(&self) -> bool {
        self.quote.is_some() || self.depth > 0 || self.continued
    }

    /// Takes in a line.
    fn feed(&mut self, line: &'t str) {
        self.continued =
            self.quote.is_none() && line.trim_end_matches('\n').as_bytes().ends_with(b"\\");
        let bytes = line.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let start = at;
            at += 1;
            match bytes[start] {
                b'\\' if bytes.get(at).is_some_and(|next| *next != b'\n') => at += 1,
                mark @ (b'"' | b'\'') => {
                    if bytes[start..].starts_with(&[mark; 3]) {
                        at = start + 3;
                    }
                    let mark = &line[start..at];
                    match self.quote {
                        None => self.quote = Some(mark),
                        Some(open) if open == mark => self.quote = None,
                        Some(_) => {}
                    }
                }
                _ if self.quote.is_some() => {}
                b'#' => {
                    self.continued = false;
                    return;
                }
                b'(' | b'[' | b'{' => self.depth += 1,
                b')' | b']' | b'}' => self.depth -= 1,
                _ => {}
            }
        }
        // Such strings end with their line.
        if self.quote.is_some_and(|open| open.len() == 1) {
            self.quote = None;
        }
    }
}

fn indent(line: &str) -> usize {
    line.chars().take_while(|c| c.is_whitespace()).count()
}

/// The definition, with its decorators, that starts on a line counted from zero.
fn definition(text: &str, first: usize) -> Option<&str> {
    const HEADERS: [&str; 3] = ["def ", "async def ", "class "];
    let start: usize = text.split_inclusive('\n').take(first).map(str::len).sum();
    let text = text.get(start..)?;
    let opening = text.trim_start();
    if !["def ", "async def ", "@"]
        .iter()
        .any(|h| opening.starts_with(h))
    {
        return None;
    }
    let base = indent(text);
    let mut scanner = Scanner::default();
    let (mut header, mut end, mut at) = (false, 0, 0);
    for line in text.split_inclusive('\n') {
        at += line.len();
        let content = line.trim();
        let is_comment = content.starts_with('#');
        if scanner.inside() {
            end = at;
        } else if !content.is_empty() {
            let outer = indent(line) <= base;
            if header && outer && !is_comment {
                break;
            }
            header = header || HEADERS.iter().any(|h| content.starts_with(h));
            if !(is_comment && outer) {
                end = at;
            }
        }
        scanner.feed(line);
    }
    Some(&text[..end])
}

/// The text of a file, where it is plain UTF-8 with plain ends of lines.
fn plain_text(file: &str) -> Option<Rc<str>> {
    let text = std::fs::read_to_string(file).ok()?;
    let head = text.splitn(3, '\n').take(2);
    let declared = head
        .filter(|line| line.starts_with('#'))
        .any(|line| line.contains("coding"));
    let plain = !declared && !text.starts_with('\u{feff}') && !text.contains(['\r', '\u{c}']);
    plain.then(|| match text.ends_with('\n') || text.is_empty() {
        true => text.into(),
        false => (text + "\n").into(),
    })
}

/// What tells a file from what it was before.
type Stamp = Option<(std::time::SystemTime, u64)>;

fn stamp(file: &str) -> Stamp {
    let about = std::fs::metadata(file).ok()?;
    Some((about.modified().ok()?, about.len()))
}

/// Texts by the name of their file, with what the file was like when it was read.
type Files = HashMap<String, (Stamp, Option<Rc<str>>)>;

thread_local! {
    /// Files read so far.
    static FILES: RefCell<Files> = RefCell::default();
}

/// The text of the definition that starts on a line of a file, counted from zero; None where the file cannot be read as
/// it is or no definition starts there.
#[pyfunction]
pub fn definition_in_file(file: &str, first: usize) -> Option<String> {
    let now = stamp(file);
    let known = FILES.with_borrow(|files| {
        let (before, text) = files.get(file)?;
        (*before == now).then(|| text.clone())
    });
    let text = known.unwrap_or_else(|| {
        let text = plain_text(file);
        FILES.with_borrow_mut(|files| files.insert(file.to_string(), (now, text.clone())));
        text
    });
    definition(&text?, first).map(str::to_string)
}
