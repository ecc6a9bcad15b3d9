//! The grammar of `torch.jit.CompilationUnit` texts: where a text leaves it, and in which words that is told.
//!
//! Only texts that were refused are read again here, token by token, to find the first token that has no place.

/// What a token is called in messages.
type Kind = &'static str;

const NEWLINE: Kind = "newline";
const INDENT: Kind = "indent";
const DEDENT: Kind = "dedent";
/// A line that stands further left than the one before, but not where any block began.
const STRAY: Kind = "stray";
const EOF: Kind = "eof";
const IDENT: Kind = "ident";
const NUMBER: Kind = "number";
const STRING: Kind = "string_literal";
const INVALID: Kind = "invalid";

const WORDS: &[&str] = &[
    "True", "False", "None", "and", "or", "is", "not", "in", "if", "elif", "else", "while", "for",
    "raise", "assert", "pass", "del", "break", "continue", "global", "import", "with", "as", "def",
    "class", "return",
];

/// Marks and what they are called, longest first.
const MARKS: &[(&str, Kind)] = &[
    ("...", "dots"),
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
    ("->", "arrow"),
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

const AUGMENTED: &[Kind] = &[
    "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>=", "**=",
];

const INFIX: &[Kind] = &[
    "and",
    "or",
    "is",
    "in",
    "eq",
    "ne",
    "le",
    "ge",
    "<",
    ">",
    "+",
    "-",
    "*",
    "/",
    "%",
    "@",
    "floordiv",
    "pow operator",
    "<<",
    ">>",
    "&",
    "|",
    "^",
];

#[derive(Clone, Copy)]
struct Token {
    kind: Kind,
    start: usize,
    end: usize,
}

/// The place of a problem and what it is.
pub struct Misfit {
    pub message: String,
    pub start: usize,
    pub end: usize,
}

/// The tokens of a text. Lines inside brackets, empty ones and comments have none of their own.
struct Lexer<'a> {
    text: &'a str,
    at: usize,
    brackets: usize,
    indents: Vec<usize>,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn push(&mut self, kind: Kind, start: usize, end: usize) {
        self.tokens.push(Token { kind, start, end });
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Blanks, comments and joined lines.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\x0c']).len();
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

    /// The end of a line: what the indentation of the next one says.
    fn line(&mut self) {
        let mut column;
        loop {
            self.at += 1;
            let rest = self.rest();
            column = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\x0c']).len();
            let inside = &rest[column..];
            if inside.starts_with('#') || inside.starts_with('\n') {
                let end = inside.find('\n').map_or(rest.len(), |n| column + n);
                self.at += end;
                if self.rest().is_empty() {
                    break;
                }
                continue;
            }
            self.at += column;
            break;
        }
        let at = self.at;
        if self.rest().is_empty() {
            self.push(NEWLINE, at, at);
            return;
        }
        let current = self.indents.last().copied().unwrap_or(0);
        if column < current && !self.indents.contains(&column) {
            self.push(STRAY, at - column, at);
            return;
        }
        if column > current {
            self.indents.push(column);
            self.push(INDENT, at, at);
            return;
        }
        self.push(NEWLINE, at, at);
        while self.indents.len() > 1 && self.indents.last().is_some_and(|&c| c > column) {
            self.indents.pop();
            self.push(DEDENT, at, at);
        }
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
        self.at += self.text.len() - self.text.trim_start_matches([' ', '\t', '\n', '\r']).len();
        loop {
            let before = self.at;
            self.skip();
            let start = self.at;
            let rest = self.rest();
            let Some(first) = rest.chars().next() else {
                break;
            };
            if first == '\n' {
                match self.tokens.is_empty() {
                    true => self.at += 1,
                    false => self.line(),
                }
                if self.tokens.last().is_some_and(|t| t.kind == STRAY) {
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
            } else if first.is_alphabetic() || first == '_' {
                let length = rest
                    .find(|c: char| !(c.is_alphanumeric() || c == '_'))
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
        // Inside brackets nothing ends before the text does.
        if self.brackets == 0 {
            for _ in 1..self.indents.len() {
                self.push(DEDENT, end, end);
            }
        }
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
        end = if exponent > end + 1 + sign {
            exponent
        } else {
            end
        };
    }
    end + usize::from(rest[end..].starts_with('j'))
}

/// Expressions and blocks nested deeper than this are not looked into.
const MAX_DEPTH: usize = 200;

struct Reader<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

/// `None` inside is a text that is nested too deeply to say anything about.
type Read = Result<(), Option<Misfit>>;

impl Reader<'_> {
    fn token(&self) -> Token {
        self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> Kind {
        self.token().kind
    }

    fn after(&self) -> Kind {
        self.tokens[(self.next + 1).min(self.tokens.len() - 1)].kind
    }

    fn step(&mut self) -> Read {
        self.next += 1;
        self.valid()
    }

    fn valid(&self) -> Read {
        let token = self.token();
        match token.kind {
            INVALID => {
                let found = self.text[token.start..].chars().next().unwrap_or(' ');
                let length = self.text[token.end..]
                    .chars()
                    .next()
                    .map_or(0, char::len_utf8);
                Err(Some(Misfit {
                    message: format!("expected a valid token but found '{found}' here"),
                    start: token.end,
                    end: token.end + length,
                }))
            }
            STRAY => Err(Some(Misfit {
                message: format!("invalid indent level {}", token.end - token.start),
                start: token.end,
                end: token.end,
            })),
            _ => Ok(()),
        }
    }

    fn unexpected(&self, wanted: &str) -> Read {
        let token = self.token();
        Err(Some(Misfit {
            message: format!("expected {wanted} but found '{}' here", token.kind),
            start: token.start,
            end: token.end,
        }))
    }

    fn expect(&mut self, kind: Kind) -> Read {
        match self.kind() == kind {
            true => self.step(),
            false => self.unexpected(kind),
        }
    }

    fn next_if(&mut self, kind: Kind) -> Result<bool, Option<Misfit>> {
        let is_there = self.kind() == kind;
        if is_there {
            self.step()?;
        }
        Ok(is_there)
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Read) -> Read {
        if self.depth == MAX_DEPTH {
            return Err(None);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn list(&mut self, end: Kind, item: fn(&mut Self) -> Read) -> Read {
        if self.kind() != end {
            loop {
                item(self)?;
                // A comma may stand at the end.
                if !self.next_if(",")? || self.kind() == end {
                    break;
                }
            }
        }
        self.expect(end)
    }

    fn text(&mut self) -> Read {
        self.valid()?;
        while self.kind() != EOF {
            self.function()?;
        }
        Ok(())
    }

    fn function(&mut self) -> Read {
        self.expect("def")?;
        self.expect(IDENT)?;
        self.expect("(")?;
        self.list(")", |r| {
            if r.next_if("*")? {
                return Ok(());
            }
            r.expect(IDENT)?;
            if r.next_if(":")? {
                r.expression()?;
            }
            if r.next_if("=")? {
                r.expression()?;
            }
            Ok(())
        })?;
        if self.next_if("arrow")? {
            self.expression()?;
        }
        self.expect(":")?;
        self.block()
    }

    fn block(&mut self) -> Read {
        if self.kind() != INDENT {
            return self.statement();
        }
        self.step()?;
        self.nested(|r| {
            loop {
                r.statement()?;
                if r.next_if(DEDENT)? {
                    return Ok(());
                }
            }
        })
    }

    fn suite(&mut self) -> Read {
        self.expect(":")?;
        self.block()
    }

    fn statement(&mut self) -> Read {
        match self.kind() {
            "if" => {
                self.step()?;
                self.branch()
            }
            "while" => {
                self.step()?;
                self.expression()?;
                self.suite()
            }
            "for" => {
                self.step()?;
                self.expressions("in")?;
                self.expect("in")?;
                self.expressions(":")?;
                self.suite()
            }
            "with" => {
                self.step()?;
                loop {
                    self.expression()?;
                    if self.next_if("as")? {
                        self.expect(IDENT)?;
                    }
                    if !self.next_if(",")? {
                        break;
                    }
                }
                self.suite()
            }
            "def" => self.nested(Self::function),
            "return" => {
                self.step()?;
                if self.kind() != NEWLINE {
                    self.expressions(NEWLINE)?;
                }
                self.expect(NEWLINE)
            }
            "raise" => {
                self.step()?;
                self.expression()?;
                self.expect(NEWLINE)
            }
            "assert" => {
                self.step()?;
                self.expression()?;
                if self.next_if(",")? {
                    self.expression()?;
                }
                self.expect(NEWLINE)
            }
            "del" => {
                self.step()?;
                self.expressions(NEWLINE)?;
                self.expect(NEWLINE)
            }
            "global" => {
                self.step()?;
                loop {
                    self.expect(IDENT)?;
                    if !self.next_if(",")? {
                        break;
                    }
                }
                self.expect(NEWLINE)
            }
            "pass" | "break" | "continue" => {
                self.step()?;
                self.expect(NEWLINE)
            }
            _ => self.simple(),
        }
    }

    fn branch(&mut self) -> Read {
        self.expression()?;
        self.suite()?;
        match self.kind() {
            "elif" => {
                self.step()?;
                self.nested(Self::branch)
            }
            "else" => {
                self.step()?;
                self.suite()
            }
            _ => Ok(()),
        }
    }

    /// An expression or an assignment.
    fn simple(&mut self) -> Read {
        self.expressions(NEWLINE)?;
        match self.kind() {
            NEWLINE => return self.step(),
            ":" => {
                self.step()?;
                self.expression()?;
                if self.next_if("=")? {
                    self.expressions(NEWLINE)?;
                }
            }
            "=" => {
                while self.next_if("=")? {
                    self.expressions(NEWLINE)?;
                }
            }
            kind if AUGMENTED.contains(&kind) => {
                self.step()?;
                self.expressions(NEWLINE)?;
            }
            _ => {}
        }
        self.expect(NEWLINE)
    }

    /// Expressions with commas between them.
    fn expressions(&mut self, end: Kind) -> Read {
        loop {
            match end {
                "in" => self.target()?,
                _ => self.expression()?,
            }
            if !self.next_if(",")? || self.kind() == end || self.kind() == "=" {
                return Ok(());
            }
        }
    }

    /// What a loop assigns: an expression before `in`.
    fn target(&mut self) -> Read {
        self.nested(Self::operand)
    }

    fn expression(&mut self) -> Read {
        self.nested(|r| {
            r.operand()?;
            r.operators()
        })
    }

    fn operators(&mut self) -> Read {
        loop {
            match self.kind() {
                "if" => {
                    self.step()?;
                    self.expression()?;
                    self.expect("else")?;
                    self.expression()?;
                }
                "for" => {
                    self.step()?;
                    self.expressions("in")?;
                    self.expect("in")?;
                    self.expression()?;
                }
                "not" if self.after() == "in" => {
                    self.step()?;
                    self.step()?;
                    self.operand()?;
                }
                "is" if self.after() == "not" => {
                    self.step()?;
                    self.step()?;
                    self.operand()?;
                }
                kind if INFIX.contains(&kind) => {
                    self.step()?;
                    self.operand()?;
                }
                _ => return Ok(()),
            }
        }
    }

    fn operand(&mut self) -> Read {
        while matches!(self.kind(), "not" | "-" | "~" | "*") {
            self.step()?;
        }
        match self.kind() {
            "True" | "False" | "None" | "dots" | NUMBER => self.step()?,
            STRING => while self.next_if(STRING)? {},
            "(" => {
                self.step()?;
                self.list(")", Self::expression)?;
            }
            "[" => {
                self.step()?;
                self.list("]", Self::expression)?;
            }
            "{" => {
                self.step()?;
                self.list("}", |r| {
                    r.expression()?;
                    r.expect(":")?;
                    r.expression()
                })?;
            }
            _ => self.expect(IDENT)?,
        }
        loop {
            match self.kind() {
                "." => {
                    self.step()?;
                    self.expect(IDENT)?;
                }
                "(" => {
                    self.step()?;
                    self.list(")", |r| {
                        if r.kind() == IDENT && r.after() == "=" {
                            r.step()?;
                            r.step()?;
                        }
                        r.expression()
                    })?;
                }
                "[" => {
                    self.step()?;
                    self.list("]", Self::index)?;
                }
                _ => return Ok(()),
            }
        }
    }

    /// An index or a slice.
    fn index(&mut self) -> Read {
        if self.kind() != ":" {
            self.expression()?;
        }
        for _ in 0..2 {
            if !self.next_if(":")? {
                return Ok(());
            }
            if !matches!(self.kind(), ":" | "," | "]") {
                self.expression()?;
            }
        }
        Ok(())
    }
}

/// The first token of a text that has no place; `None` where all have.
pub fn misfit(text: &str) -> Option<Misfit> {
    let lexer = Lexer {
        text,
        at: 0,
        brackets: 0,
        indents: Vec::new(),
        tokens: Vec::new(),
    };
    let mut reader = Reader {
        text,
        tokens: lexer.all(),
        next: 0,
        depth: 0,
    };
    reader.text().err().flatten()
}
