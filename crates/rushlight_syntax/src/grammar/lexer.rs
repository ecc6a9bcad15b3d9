//! Tokens of the language as the reference has them, for its messages: texts of functions, schemas and graphs have the
//! same ones.

use std::ops::Range;

/// What a token is called in messages.
pub(super) type TokenKind = &'static str;

pub(super) const NEWLINE: TokenKind = "newline";
pub(super) const INDENT: TokenKind = "indent";
pub(super) const DEDENT: TokenKind = "dedent";
pub(super) const EOF: TokenKind = "eof";
pub(super) const IDENT: TokenKind = "ident";
pub(super) const NUMBER: TokenKind = "number";
pub(super) const STRING: TokenKind = "string_literal";
pub(super) const ARROW: TokenKind = "arrow";
pub(super) const DOTS: TokenKind = "dots";

/// What no token begins with. It starts where the blanks before it do, and ends where it stands.
pub(super) const INVALID: TokenKind = "invalid";

/// A line that is indented as no block around it is.
pub(super) const MISALIGNED: TokenKind = "invalid indent";

const WORDS: &[&str] = &[
    "True", "False", "None", "and", "or", "is", "not", "in", "if", "elif", "else", "while", "for",
    "raise", "assert", "pass", "del", "break", "continue", "global", "import", "with", "as", "def",
    "class", "return",
];

/// Marks and what they are called, longest first.
const MARKS: &[(&str, TokenKind)] = &[
    ("...", DOTS),
    ("**=", "**="),
    ("<<=", "<<="),
    (">>=", ">>="),
    ("**", "pow operator"),
    ("//", "floordiv"),
    ("<<", "<<"),
    (">>", ">>"),
    ("<=", "le"),
    (">=", "ge"),
    ("==", "eq"),
    ("!=", "ne"),
    ("->", ARROW),
    ("+=", "+="),
    ("-=", "-="),
    ("*=", "*="),
    ("/=", "/="),
    ("%=", "%="),
    ("|=", "|="),
    ("&=", "&="),
    ("^=", "^="),
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("/", "/"),
    ("%", "%"),
    ("@", "@"),
    ("(", "("),
    (")", ")"),
    ("[", "["),
    ("]", "]"),
    (":", ":"),
    (",", ","),
    ("=", "="),
    ("{", "{"),
    ("}", "}"),
    (">", ">"),
    ("<", "<"),
    (".", "."),
    ("?", "?"),
    ("!", "!"),
    ("&", "&"),
    ("^", "^"),
    ("|", "|"),
    ("~", "~"),
];

#[derive(Clone, Copy)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

impl Token {
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// The tokens of a text. Lines inside brackets, empty ones and comments have none of their own.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let lexer = Lexer {
        text,
        at: 0,
        brackets: 0,
        indents: Vec::new(),
        tokens: Vec::new(),
    };
    lexer.all()
}

const BLANKS: [char; 4] = [' ', '\t', '\r', '\x0c'];

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    brackets: usize,
    indents: Vec<usize>,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn push(&mut self, kind: TokenKind, start: usize, end: usize) {
        self.tokens.push(Token { kind, start, end });
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blanks(&self) -> usize {
        self.rest().len() - self.rest().trim_start_matches(BLANKS).len()
    }

    /// Blanks, comments and joined lines.
    fn skip(&mut self) {
        loop {
            let blanks = self.blanks();
            self.at += blanks;
            let rest = self.rest();
            if rest.starts_with('#') {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("\\\n") {
                self.at += 2;
            } else if rest.starts_with('\n') && self.brackets > 0 {
                self.at += 1;
            } else if blanks == 0 {
                return;
            }
        }
    }

    /// The end of a line: what the indentation of the next one that says anything tells. False where no more can be read.
    fn line(&mut self) -> bool {
        let (start, column) = loop {
            self.at += 1;
            let (start, column) = (self.at, self.blanks());
            self.at += column;
            let inside = self.rest();
            if inside.starts_with('#') {
                self.at += inside.find('\n').unwrap_or(inside.len());
            }
            if !self.rest().starts_with('\n') {
                break (start, column);
            }
        };
        let base = self.indents[0];
        // The last line may be indented in any way.
        let column = if self.rest().is_empty() { base } else { column };
        let current = self.indents.last().copied().unwrap_or(base);
        if column > current {
            self.indents.push(column);
            self.push(INDENT, start, start);
            return true;
        }
        let newline = self.tokens.len();
        self.push(NEWLINE, start, start);
        while self.indents.len() > 1 && self.indents.last().is_some_and(|&c| c > column) {
            self.indents.pop();
            self.push(DEDENT, start, start);
        }
        let is_aligned = self.indents.last() == Some(&column);
        if !is_aligned {
            self.tokens.truncate(newline);
            self.push(MISALIGNED, start, start + column);
        }
        is_aligned
    }

    /// The length of the string literal that the rest begins with.
    fn literal(&self) -> Option<usize> {
        let rest = self.rest();
        let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
        let three: String = [quote; 3].iter().collect();
        let is_long = rest.starts_with(&three);
        let end = if is_long { three } else { quote.to_string() };
        let mut at = end.len();
        while !rest.get(at..)?.starts_with(&*end) {
            let mut chars = rest[at..].chars();
            let c = chars.next()?;
            if c == '\n' && !is_long {
                return None;
            }
            at += c.len_utf8();
            if c == '\\' {
                at += chars.next()?.len_utf8();
            }
        }
        Some(at + end.len())
    }

    fn all(mut self) -> Vec<Token> {
        // The indentation of the first line is where the text stands.
        let first = self
            .text
            .lines()
            .find(|l| !l.trim().is_empty() && !l.trim_start().starts_with('#'))
            .map_or(0, |l| l.len() - l.trim_start().len());
        self.indents.push(first);
        loop {
            let before = self.at;
            self.skip();
            let start = self.at;
            let rest = self.rest();
            let Some(first) = rest.chars().next() else {
                break;
            };
            if first == '\n' {
                if self.tokens.is_empty() {
                    self.at += 1;
                } else if !self.line() {
                    return self.tokens;
                }
                continue;
            }
            let (kind, length) = if let Some(length) = self.literal() {
                (STRING, length)
            } else if first.is_ascii_digit()
                || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()))
            {
                (NUMBER, number(rest))
            } else if first.is_ascii_alphabetic() || first == '_' {
                let length = rest
                    .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                    .unwrap_or(rest.len());
                let word = WORDS.iter().find(|w| **w == &rest[..length]);
                (word.copied().unwrap_or(IDENT), length)
            } else if let Some((mark, kind)) = MARKS.iter().find(|m| rest.starts_with(m.0)) {
                match *kind {
                    "(" | "[" | "{" => self.brackets += 1,
                    ")" | "]" | "}" => self.brackets = self.brackets.saturating_sub(1),
                    _ => {}
                }
                (*kind, mark.len())
            } else {
                self.push(INVALID, before, start);
                return self.tokens;
            };
            self.at += length;
            self.push(kind, start, start + length);
        }
        let end = self.text.len();
        self.push(EOF, end, end);
        self.tokens
    }
}

/// The length of a number: digits with a point and an exponent, or hexadecimal ones, and `j` behind them.
fn number(rest: &str) -> usize {
    let digits = |at: usize, is_digit: fn(&u8) -> bool| {
        let more = rest.as_bytes()[at.min(rest.len())..].iter();
        at + more.take_while(|b| is_digit(b)).count()
    };
    if rest.starts_with("0x") && digits(2, u8::is_ascii_hexdigit) > 2 {
        return digits(2, u8::is_ascii_hexdigit);
    }
    let mut end = digits(0, u8::is_ascii_digit);
    if rest[end..].starts_with('.') {
        end = digits(end + 1, u8::is_ascii_digit);
    }
    if rest[end..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[end + 1..].starts_with(['+', '-']));
        let exponent = digits(end + 1 + sign, u8::is_ascii_digit);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end + usize::from(rest[end..].starts_with('j'))
}
