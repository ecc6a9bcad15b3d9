//! Texts in which one definition would spoil all that follow.
//!
//! A bracket that is never closed swallows the rest of the file, a line that comes back to no column of before ends its
//! function early: what the parser says of the lines behind is about nothing that anybody wrote. Where a text cannot be read,
//! each of its definitions is read for itself. Those with such a mistake are told with that one problem and taken out; their
//! names stay, as names of which nothing is known.
//!
//! Nothing moves: what is taken out becomes spaces.

use ruff_python_parser::{Mode, ParseError, ParseOptions, parse_unchecked};
use std::ops::Range;

/// Keywords that begin a definition, or a statement that only stands at the margin.
const OPENERS: &[&str] = &["def ", "class ", "async def ", "import ", "from ", "@"];

/// What the parser says of lines that stand in no column where they could.
const MISPLACED: &[&str] = &[
    "unindent does not match any outer indentation level",
    "Unexpected indentation",
];

/// A text without the definitions that would spoil others.
pub(super) struct Healed {
    pub text: String,
    /// The problem of each definition that was taken out, and its place.
    pub problems: Vec<(String, Range<usize>)>,
    /// The names of these definitions, where each stands, and whether it is a method.
    pub lost: Vec<Lost>,
}

/// The name of a definition that was taken out.
pub(super) struct Lost {
    pub name: Range<usize>,
    pub is_member: bool,
}

/// Takes out what would spoil others; `None` where there is nothing of the kind.
pub(super) fn heal(text: &str) -> Option<Healed> {
    let mut healed = Healed {
        text: text.to_string(),
        problems: Vec::new(),
        lost: Vec::new(),
    };
    for chunk in chunks(text, 0..text.len(), 0) {
        let Some(problem) = spoils(&text[chunk.clone()]) else {
            continue;
        };
        if !healed.without_members(text, &chunk) {
            healed.take_out(text, &chunk, problem, false);
        }
    }
    (!healed.problems.is_empty()).then_some(healed)
}

impl Healed {
    /// Takes the members of a class out that spoil it; whether that was all that is wrong with it.
    fn without_members(&mut self, text: &str, chunk: &Range<usize>) -> bool {
        let Some(name) = header_name(text, chunk, "class ") else {
            return false;
        };
        let body = text[name.end..chunk.end]
            .find('\n')
            .map(|at| name.end + at + 1);
        let Some(body) = body.filter(|&at| at < chunk.end) else {
            return false;
        };
        let indent = text[body..chunk.end]
            .lines()
            .find(|line| !line.trim().is_empty())
            .map_or(0, |line| line.len() - line.trim_start().len());
        if indent == 0 {
            return false;
        }
        let mut trial = Healed {
            text: text.to_string(),
            problems: Vec::new(),
            lost: Vec::new(),
        };
        for member in chunks(text, body..chunk.end, indent) {
            let alone = format!("if 1:\n{}", &text[member.clone()]);
            let Some((message, at)) = spoils(&alone) else {
                continue;
            };
            let shift = "if 1:\n".len();
            let at = at.start.saturating_sub(shift)..at.end.saturating_sub(shift);
            // Without its constructor nothing is known of an object.
            match header_name(text, &member, "def ") {
                Some(name) if &text[name.clone()] != "__init__" => {}
                _ => return false,
            }
            trial.take_out(text, &member, (message, at), true);
            // The body of a class may not be empty.
            let place = member.start + indent;
            trial.text.replace_range(place..place + 4, "pass");
        }
        if trial.problems.is_empty() || spoils(&trial.text[chunk.clone()]).is_some() {
            return false;
        }
        self.text
            .replace_range(chunk.clone(), &trial.text[chunk.clone()]);
        self.problems.append(&mut trial.problems);
        self.lost.append(&mut trial.lost);
        true
    }

    fn take_out(
        &mut self,
        text: &str,
        chunk: &Range<usize>,
        (message, at): (String, Range<usize>),
        is_member: bool,
    ) {
        let place = chunk.start + at.start..chunk.start + at.end;
        self.problems.push((message, place));
        let name = ["def ", "class "]
            .iter()
            .find_map(|opener| header_name(text, chunk, opener));
        self.lost.extend(name.map(|name| Lost { name, is_member }));
        let spaces: String = text[chunk.clone()]
            .bytes()
            .map(|b| {
                if matches!(b, b'\n' | b'\r') {
                    b as char
                } else {
                    ' '
                }
            })
            .collect();
        self.text.replace_range(chunk.clone(), &spaces);
    }
}

/// The name behind the keyword of a definition, which may have decorators before it.
fn header_name(text: &str, chunk: &Range<usize>, opener: &str) -> Option<Range<usize>> {
    let mut at = chunk.start;
    for line in text[chunk.clone()].split_inclusive('\n') {
        let code = line.trim_start();
        let start = at + (line.len() - code.len());
        let rest = code.strip_prefix("async ").unwrap_or(code);
        if let Some(name) = rest.strip_prefix(opener) {
            let from = start + (code.len() - name.trim_start().len());
            let length = name
                .trim_start()
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(0);
            return (length > 0).then(|| from..from + length);
        }
        if !code.starts_with('@') && !code.trim().is_empty() {
            return None;
        }
        at += line.len();
    }
    None
}

/// The pieces of a range of a text, each from one line that opens a definition at a column to the next.
fn chunks(text: &str, range: Range<usize>, indent: usize) -> Vec<Range<usize>> {
    let inside = Scan::of(&text[range.clone()]).lines_in_strings;
    let mut starts = Vec::new();
    // Decorators belong to what they decorate.
    let mut decorated = false;
    let mut at = range.start;
    for (i, line) in text[range.clone()].split_inclusive('\n').enumerate() {
        let code = line.trim_start_matches([' ', '\t']);
        let opens = line.len() - code.len() == indent
            && !inside.contains(&i)
            && OPENERS.iter().any(|opener| code.starts_with(opener));
        if opens {
            if !decorated {
                starts.push(at);
            }
            decorated = code.starts_with('@');
        }
        at += line.len();
    }
    let mut out = Vec::new();
    if starts.first().is_none_or(|&first| first > range.start) {
        starts.insert(0, range.start);
    }
    let ends = starts.iter().skip(1).copied().chain([range.end]);
    out.extend(starts.iter().copied().zip(ends).map(|(from, to)| from..to));
    out
}

/// The mistake of a piece of text that would spoil what follows, and its place.
fn spoils(piece: &str) -> Option<(String, Range<usize>)> {
    let parsed = parse_unchecked(piece, ParseOptions::from(Mode::Module));
    if !parsed.has_invalid_syntax() {
        return None;
    }
    let is_misplaced = |error: &ParseError| {
        let message = error.error.to_string();
        MISPLACED.iter().any(|known| message.contains(known))
    };
    let errors = parsed.errors();
    // A line is no header where its end could not be read: what stands below it is misplaced for that.
    let first = errors.iter().min_by_key(|error| error.location.start());
    let misplaced = first
        .filter(|_| errors.iter().any(is_misplaced))
        .map(|error| {
            (
                error.error.to_string(),
                error.location.start().to_usize()..error.location.end().to_usize(),
            )
        });
    super::discard(parsed);
    let open = Scan::of(piece).open;
    let unclosed = open.map(|(at, bracket)| (format!("'{bracket}' was never closed"), at..at + 1));
    unclosed.or(misplaced)
}

/// What a text shows without being understood: brackets and strings.
struct Scan {
    /// The innermost bracket that is still open at the end.
    open: Option<(usize, char)>,
    /// The lines that begin inside a string.
    lines_in_strings: Vec<usize>,
}

impl Scan {
    fn of(text: &str) -> Scan {
        let bytes = text.as_bytes();
        let mut open: Vec<(usize, char)> = Vec::new();
        let mut lines_in_strings = Vec::new();
        let (mut at, mut line) = (0, 0);
        // The quotes that end the string.
        let mut string: Option<&str> = None;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let here = rest[0];
            if here == b'\n' {
                line += 1;
                if string.is_some_and(|quotes| quotes.len() == 1) {
                    string = None;
                }
                if string.is_some() {
                    lines_in_strings.push(line);
                }
            }
            match string {
                Some(_) if here == b'\\' => {
                    at += 1;
                    line += usize::from(bytes.get(at) == Some(&b'\n'));
                }
                Some(quotes) if rest.starts_with(quotes.as_bytes()) => {
                    at += quotes.len() - 1;
                    string = None;
                }
                Some(_) => {}
                None => match here {
                    b'#' => {
                        let end = rest.iter().position(|&b| b == b'\n');
                        at += end.unwrap_or(rest.len());
                        continue;
                    }
                    b'"' | b'\'' => {
                        let triple = ["\"\"\"", "'''"]
                            .into_iter()
                            .find(|quotes| rest.starts_with(quotes.as_bytes()));
                        let quotes = triple.unwrap_or(if here == b'"' { "\"" } else { "'" });
                        at += quotes.len() - 1;
                        string = Some(quotes);
                    }
                    b'(' | b'[' | b'{' => open.push((at, here as char)),
                    b')' | b']' | b'}' => {
                        open.pop();
                    }
                    _ => {}
                },
            }
            at += 1;
        }
        Scan {
            open: open.pop(),
            lines_in_strings,
        }
    }
}
