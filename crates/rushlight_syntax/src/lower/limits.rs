//! How deep source may nest, measured on its tokens before anything is parsed.
//!
//! Trees are walked and dropped by recursion, here and in everything that comes after. This check bounds the depth of
//! every tree that the text can stand for, valid or not: it counts, in each open bracket, the operators, links and
//! keywords since the last comma or line that could each add a level, and sums them over the brackets.

use std::ops::Range;
use std::sync::Arc;

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::Mode;
use ruff_python_parser::lexer::lex;

use crate::diagnostic::{Diagnostic, ErrorKind};
use crate::source::Source;

/// The most brackets that may be open at once.
pub const MAX_BRACKET_DEPTH: usize = 600;

/// The deepest expression: brackets, links of a chain and operators that could nest, added up.
pub const MAX_EXPRESSION_DEPTH: usize = 4000;

/// The most blocks inside one another, `elif` counting as one.
pub const MAX_BLOCK_DEPTH: usize = 2000;

/// The longest run of `elif`.
pub const MAX_ELIF_CHAIN: usize = 1600;

/// The most indentation levels: code of archives shows each `elif` as an `if` inside an `else`.
const MAX_INDENTATION: usize = MAX_BLOCK_DEPTH - 20;

/// A limit that the text exceeds, and the bytes of the line where it does.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excess {
    pub(crate) message: String,
    pub(crate) range: Range<u32>,
}

impl Excess {
    pub(crate) fn diagnostic(&self, source: &Arc<Source>) -> Diagnostic {
        Diagnostic::new("nesting", ErrorKind::Syntax, self.message.clone())
            .at(&source.span(self.range.clone()))
            .hint("split it into several statements or functions")
    }
}

/// Checks the whole text of a source.
pub(crate) fn check_source(source: &Source, mode: Mode) -> Result<(), Excess> {
    check(source.text(), 0..source.text().len(), mode)
}

/// Checks `range` of `text`, which must lie on character boundaries and will be parsed in `mode`.
pub(crate) fn check(text: &str, range: Range<usize>, mode: Mode) -> Result<(), Excess> {
    if text.len() > Source::MAX_LEN {
        let message = format!("source is longer than {} bytes", Source::MAX_LEN);
        return Err(Excess {
            message,
            range: 0..0,
        });
    }
    let part = &text[range.clone()];
    let Err(message) = measure(part, mode) else {
        return Ok(());
    };
    let line = first_failing_line(part, mode);
    Err(Excess {
        message,
        range: (range.start + line.start) as u32..(range.start + line.end) as u32,
    })
}

/// The line at whose end the text first exceeds a limit. Tokens have no public positions, so the line is found by
/// bisection: a prefix that fails fails in all longer ones.
fn first_failing_line(text: &str, mode: Mode) -> Range<usize> {
    let breaks: Vec<usize> = text
        .match_indices('\n')
        .map(|(at, _)| at + 1)
        .chain([text.len()])
        .collect();
    let index = breaks
        .partition_point(|end| measure(&text[..*end], mode).is_ok())
        .min(breaks.len() - 1);
    let start = if index == 0 { 0 } else { breaks[index - 1] };
    let end = start
        + text[start..breaks[index]]
            .trim_end_matches(['\n', '\r'])
            .len();
    let line = start..end;
    line.start..floor_char_boundary(text, line.end.min(line.start + 80))
}

fn floor_char_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn measure(text: &str, mode: Mode) -> Result<(), String> {
    let mut lexer = lex(text, mode);
    let mut depth = Depth::new(mode);
    loop {
        let token = lexer.next_token();
        if token == TokenKind::EndOfFile {
            return Ok(());
        }
        depth.step(token)?;
    }
}

/// The measure at one point of the text.
struct Depth {
    /// One level for the statement, and one for each open bracket.
    levels: Vec<Level>,
    /// Sum of all levels' links, and of what is broken.
    total: usize,
    /// Brackets closed by one of another kind and lambdas ended by a line: the parser may read on inside them.
    broken: usize,
    indentation: usize,
}

/// What one bracket has piled up since the last separator.
#[derive(Clone, Copy, Default)]
struct Level {
    /// The token that will close the bracket.
    closer: Option<TokenKind>,
    links: usize,
    /// What commas do not end: `yield a, b` takes all that follows, and statements begin once.
    sticky: usize,
    /// Lambdas whose colon is still to come; their commas separate parameters only.
    open_lambdas: usize,
}

impl Depth {
    fn new(mode: Mode) -> Depth {
        // What stands in parentheses is not ended by a line or semicolon.
        let open = usize::from(mode == Mode::ParenthesizedExpression);
        Depth {
            levels: vec![Level::default(); 1 + open],
            total: 0,
            broken: 0,
            indentation: 0,
        }
    }

    fn step(&mut self, token: TokenKind) -> Result<(), String> {
        use TokenKind as T;
        match token {
            T::Lpar => self.open(T::Rpar),
            T::Lsqb => self.open(T::Rsqb),
            T::Lbrace => self.open(T::Rbrace),
            T::FStringStart => self.open(T::FStringEnd),
            T::TStringStart => self.open(T::TStringEnd),
            T::Rpar | T::Rsqb | T::Rbrace | T::FStringEnd | T::TStringEnd => self.close(token),
            // Inside a bracket either is an error, from which the parser may recover without leaving the bracket.
            T::Newline | T::Semi if self.levels.len() == 1 => {
                let cut_short = self.level().open_lambdas;
                *self.level() = Level::default();
                self.break_off(cut_short)
            }
            T::Comma if self.level().open_lambdas == 0 => {
                self.level().links = 0;
                self.add_up();
                Ok(())
            }
            _ if takes_what_follows(token) => {
                self.level().sticky += 1;
                self.count()
            }
            T::Colon => {
                let level = self.level();
                level.open_lambdas = level.open_lambdas.saturating_sub(1);
                Ok(())
            }
            T::Lambda => {
                self.level().open_lambdas += 1;
                self.link()
            }
            T::Indent => self.indent(),
            T::Dedent => {
                self.indentation = self.indentation.saturating_sub(1);
                Ok(())
            }
            _ if adds_level(token) => self.link(),
            _ => Ok(()),
        }
    }

    fn level(&mut self) -> &mut Level {
        // There is always the statement's level.
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    fn link(&mut self) -> Result<(), String> {
        self.level().links += 1;
        self.count()
    }

    fn count(&mut self) -> Result<(), String> {
        self.total += 1;
        self.check()
    }

    fn check(&self) -> Result<(), String> {
        if self.total > MAX_EXPRESSION_DEPTH {
            return Err(format!(
                "expression is too deeply nested or too long a chain (more than {MAX_EXPRESSION_DEPTH} levels)"
            ));
        }
        Ok(())
    }

    fn open(&mut self, closer: TokenKind) -> Result<(), String> {
        self.link()?;
        self.levels.push(Level {
            closer: Some(closer),
            ..Level::default()
        });
        if self.levels.len() > MAX_BRACKET_DEPTH + 1 {
            return Err(format!(
                "too many nested parentheses (more than {MAX_BRACKET_DEPTH})"
            ));
        }
        Ok(())
    }

    fn close(&mut self, closer: TokenKind) -> Result<(), String> {
        if self.level().closer != Some(closer) {
            return self.break_off(1);
        }
        let cut_short = self.level().open_lambdas;
        self.levels.pop();
        self.break_off(cut_short)
    }

    /// Counts `broken` more places that stay open.
    fn break_off(&mut self, broken: usize) -> Result<(), String> {
        self.broken += broken;
        self.add_up();
        if broken > 0 { self.check() } else { Ok(()) }
    }

    fn add_up(&mut self) {
        let links: usize = self
            .levels
            .iter()
            .map(|level| level.links + level.sticky)
            .sum();
        self.total = links + self.broken;
    }

    fn indent(&mut self) -> Result<(), String> {
        self.indentation += 1;
        if self.indentation > MAX_INDENTATION {
            return Err(format!(
                "too many levels of indentation (more than {MAX_INDENTATION})"
            ));
        }
        Ok(())
    }
}

/// Whether the token begins something that a comma does not end.
fn takes_what_follows(token: TokenKind) -> bool {
    use TokenKind as T;
    matches!(
        token,
        T::Yield
            | T::Class
            | T::Def
            | T::Del
            | T::Assert
            | T::Elif
            | T::Except
            | T::Finally
            | T::Global
            | T::Import
            | T::Nonlocal
            | T::Raise
            | T::Return
            | T::Try
            | T::While
            | T::With
    )
}

/// Whether the token can stand for a level of the tree: all but literals, names and separators.
///
/// `and`, `or` and the commas of a display make flat nodes; the first two are left out so that a long condition
/// passes, which is safe because what binds tighter than they do is counted on its own.
fn adds_level(token: TokenKind) -> bool {
    use TokenKind as T;
    !matches!(
        token,
        T::Name
            | T::Int
            | T::Float
            | T::Complex
            | T::String
            | T::FStringMiddle
            | T::TStringMiddle
            | T::Comment
            | T::NonLogicalNewline
            | T::Comma
            | T::Equal
            | T::True
            | T::False
            | T::None
            | T::Ellipsis
            | T::And
            | T::Or
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(text: &str) -> bool {
        measure(text, Mode::Module).is_err()
    }

    #[test]
    fn ordinary_code_passes() {
        let many_args = format!("f({})", "a + b, ".repeat(10_000));
        let many_lines = "x = a.b(c)[0] + 1\n".repeat(10_000);
        let many_tests = format!("x = {}b", "a and ".repeat(10_000));
        let many_lambdas = format!("[{}]", "lambda a, b: a if b else a, ".repeat(1_000));
        for text in [many_args, many_lines, many_tests, many_lambdas] {
            assert_eq!(measure(&text, Mode::Module), Ok(()));
        }
    }

    #[test]
    fn every_way_to_nest_is_counted() {
        for unit in [
            "(",
            "[",
            "{",
            "a(",
            "a[",
            "f'{",
            "not ",
            "-",
            "~",
            "await ",
            "lambda: ",
            "lambda a, b: ",
            "a if b else ",
            "a ** ",
            "a + ",
            "a.b.",
            "*",
            "if a: ",
            "for a in ",
            "a := ",
            "yield ",
            "while a: ",
            "class A: ",
            "try: ",
            "return ",
            "a < ",
            "[lambda a, b: ",
            "a, lambda x, y: (",
            "else: ",
            "async ",
            "match a: ",
            "yield a, ",
            "{)",
            "lambda\n",
            "return a, ",
        ] {
            assert!(
                fails(&unit.repeat(2 * MAX_EXPRESSION_DEPTH + 1)),
                "{unit:?}"
            );
        }
    }

    #[test]
    fn lines_separate_statements_but_not_parts_of_an_expression() {
        let text = "-- if **\n".repeat(1_000);
        assert!(measure(&text, Mode::Module).is_ok());
        assert!(measure(&text, Mode::ParenthesizedExpression).is_err());
    }

    #[test]
    fn indentation_is_counted() {
        let nested: String = (0..MAX_INDENTATION + 2)
            .map(|depth| format!("{}if a:\n", " ".repeat(depth)))
            .collect();
        assert!(fails(&nested));
    }

    #[test]
    fn the_failing_line_is_found() {
        let text = format!("x = 1\ny = {}\nz = 2\n", "(".repeat(MAX_BRACKET_DEPTH + 1));
        let excess = check(&text, 0..text.len(), Mode::Module).unwrap_err();
        assert_eq!(excess.range.start, 6);
        assert!(excess.message.contains("parentheses"));
    }
}
