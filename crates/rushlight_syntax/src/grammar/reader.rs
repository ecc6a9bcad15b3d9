//! Going through tokens one by one.

use super::Misfit;
use super::lexer::{INDENT, INVALID, MISALIGNED, Token, TokenKind, tokens};
use std::ops::Range;

/// What is nested deeper than this is not looked into.
const MAX_DEPTH: usize = 200;

pub(super) struct Reader<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
}

/// `None` inside is a text that is nested too deeply to say anything about.
pub(super) type Read<T = ()> = Result<T, Option<Box<Misfit>>>;

impl<'a> Reader<'a> {
    pub fn new(text: &'a str) -> Reader<'a> {
        Reader {
            text,
            tokens: tokens(text),
            next: 0,
            depth: 0,
        }
    }

    /// What `read` finds wrong.
    pub fn misfit(mut self, read: impl FnOnce(&mut Self) -> Read) -> Option<Misfit> {
        let result = self.valid(self.token()).and_then(|()| read(&mut self));
        result.err().flatten().map(|misfit| *misfit)
    }

    pub fn token(&self) -> Token {
        self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    pub fn kind(&self) -> TokenKind {
        self.token().kind
    }

    /// What the token behind the next one is.
    pub fn after(&self) -> Read<TokenKind> {
        let token = self.tokens[(self.next + 1).min(self.tokens.len() - 1)];
        self.valid(token)?;
        Ok(token.kind)
    }

    /// The text of a token.
    pub fn text_of(&self, token: Token) -> &'a str {
        &self.text[token.range()]
    }

    /// The text of the next token.
    pub fn word(&self) -> &'a str {
        self.text_of(self.token())
    }

    pub fn step(&mut self) -> Read {
        self.next += 1;
        self.valid(self.token())
    }

    fn valid(&self, token: Token) -> Read {
        let (message, place) = match token.kind {
            INVALID => {
                let first = |at: usize| self.text[at..].chars().next().unwrap_or(' ');
                let found = first(token.start);
                (
                    format!("expected a valid token but found '{found}' here"),
                    token.end..token.end + first(token.end).len_utf8(),
                )
            }
            MISALIGNED => (
                format!("invalid indent level {}", token.end - token.start),
                token.start..token.start,
            ),
            _ => return Ok(()),
        };
        misplaced(message, place, true)
    }

    /// A token that is not what was wanted.
    pub fn unexpected<T>(&self, wanted: &str) -> Read<T> {
        let token = self.token();
        let message = format!("expected {wanted} but found '{}' here", token.kind);
        misplaced(message, token.range(), wanted == INDENT)
    }

    /// Something that is wrong with what a token says.
    pub fn wrong<T>(&self, message: impl Into<String>, token: Token) -> Read<T> {
        Err(Some(Box::new(Misfit {
            message: message.into(),
            place: Some(token.range()),
            is_misplaced: false,
            is_certain: false,
        })))
    }

    /// Something that is wrong with the whole text.
    pub fn nowhere<T>(&self, message: impl Into<String>) -> Read<T> {
        Err(Some(Box::new(Misfit {
            message: message.into(),
            place: None,
            is_misplaced: false,
            is_certain: false,
        })))
    }

    pub fn expect(&mut self, kind: TokenKind) -> Read {
        match self.kind() == kind {
            true => self.step(),
            false => self.unexpected(kind),
        }
    }

    /// A token of a kind, and what it is.
    pub fn take(&mut self, kind: TokenKind) -> Read<Token> {
        let token = self.token();
        self.expect(kind)?;
        Ok(token)
    }

    pub fn next_if(&mut self, kind: TokenKind) -> Read<bool> {
        let is_there = self.kind() == kind;
        if is_there {
            self.step()?;
        }
        Ok(is_there)
    }

    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == MAX_DEPTH {
            return Err(None);
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Items with commas between them, of which none may be missing, between two tokens.
    pub fn strict_list(
        &mut self,
        open: TokenKind,
        close: TokenKind,
        mut item: impl FnMut(&mut Self) -> Read,
    ) -> Read {
        self.expect(open)?;
        if self.kind() != close {
            item(self)?;
            while self.next_if(",")? {
                item(self)?;
            }
        }
        self.expect(close)
    }
}

fn misplaced<T>(message: String, place: Range<usize>, is_certain: bool) -> Read<T> {
    Err(Some(Box::new(Misfit {
        message,
        place: Some(place),
        is_misplaced: true,
        is_certain,
    })))
}
