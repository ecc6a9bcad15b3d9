//! Rust source without its comments and without the insides of its literals, line for line.
//!
//! Not a parser: enough of the lexical grammar that a word in the result stands in code.

/// A Rust file without its comments and without its strings, but for those whose insides are to be kept.
pub fn code_with(text: &str, keep: impl Fn(&str) -> bool) -> String {
    Scanner {
        rest: text,
        code: String::with_capacity(text.len()),
        keep,
    }
    .run()
}

/// The lines of a Rust file with their numbers, comments and the insides of strings left out.
pub fn code_lines(text: &str) -> Vec<(usize, String)> {
    code_with(text, |_| false)
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.to_owned()))
        .collect()
}

struct Scanner<'a, K> {
    rest: &'a str,
    code: String,
    /// Which strings are kept, by what is between their quotation marks.
    keep: K,
}

impl<K: Fn(&str) -> bool> Scanner<'_, K> {
    fn run(mut self) -> String {
        while let Some(c) = self.rest.chars().next() {
            if self.rest.starts_with("//") {
                self.drop_to(self.rest.find('\n').unwrap_or(self.rest.len()));
            } else if self.rest.starts_with("/*") {
                self.drop_to(block_comment(self.rest));
            } else if let Some(length) = raw_string(self.rest).filter(|_| !self.in_name()) {
                self.drop_to(length);
            } else if c == '"' {
                let length = quoted(self.rest, '"').unwrap_or(self.rest.len());
                let literal = &self.rest[..length];
                if (self.keep)(literal.trim_matches('"')) {
                    self.code.push_str(literal);
                }
                self.drop_to(length);
            } else if let Some(length) = character(self.rest) {
                self.drop_to(length);
            } else {
                self.code.push(c);
                self.rest = &self.rest[c.len_utf8()..];
            }
        }
        self.code
    }

    /// Leaves out `length` bytes but keeps their line breaks.
    fn drop_to(&mut self, length: usize) {
        let (dropped, rest) = self.rest.split_at(length);
        self.code.extend(dropped.chars().filter(|c| *c == '\n'));
        self.rest = rest;
    }

    fn in_name(&self) -> bool {
        self.code
            .ends_with(|c: char| c.is_alphanumeric() || c == '_')
    }
}

/// The length of the block comment at the start of `text`; they nest.
fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// The length of the raw string at the start of `text`, if there is one.
fn raw_string(text: &str) -> Option<usize> {
    let body = text
        .strip_prefix("br")
        .or_else(|| text.strip_prefix("cr"))
        .or_else(|| text.strip_prefix('r'))?;
    let hashes = body.bytes().take_while(|byte| *byte == b'#').count();
    let inside = body[hashes..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(hashes));
    let end = inside
        .find(&close)
        .map_or(inside.len(), |at| at + close.len());
    Some(text.len() - inside.len() + end)
}

/// The length of the character literal at the start of `text`; a lifetime is none.
fn character(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('\'')?;
    let first = inside.chars().next()?;
    if first == '\\' || inside[first.len_utf8()..].starts_with('\'') {
        quoted(text, '\'')
    } else {
        None
    }
}

/// The length of the literal at the start of `text` up to its closing `quote`; a backslash hides one character.
fn quoted(text: &str, quote: char) -> Option<usize> {
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == quote {
            return Some(at + c.len_utf8());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::code_lines;

    #[track_caller]
    fn check(source: &str, code: &str) {
        let lines: Vec<String> = code_lines(source)
            .into_iter()
            .map(|(_, line)| line)
            .collect();
        assert_eq!(lines.join("\n"), code);
    }

    #[test]
    fn comments_are_left_out() {
        check("let x = 1; // no", "let x = 1; ");
        check("a /* b /* c */ d\n */ e", "a \n e");
    }

    #[test]
    fn strings_are_left_out_over_lines() {
        check("f(\"no // \\\" no\") + 1", "f() + 1");
        check("x = \"a\nb\";\ny", "x = \n;\ny");
        check("x = r#\"a\"b\"#;", "x = ;");
    }

    #[test]
    fn characters_are_left_out_and_lifetimes_stay() {
        check("'\"' => '\\'' => x", " =>  => x");
        check("fn f<'a>(x: &'a str)", "fn f<'a>(x: &'a str)");
    }
}
