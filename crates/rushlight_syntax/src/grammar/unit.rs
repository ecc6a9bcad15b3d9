//! The grammar of `torch.jit.CompilationUnit` texts.

use super::lexer::{ARROW, DEDENT, DOTS, EOF, IDENT, INDENT, NEWLINE, NUMBER, STRING, TokenKind};
use super::reader::{Read, Reader};

const AUGMENTED: &[TokenKind] = &[
    "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>=", "**=",
];

const INFIX: &[TokenKind] = &[
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

impl Reader<'_> {
    fn list(&mut self, end: TokenKind, item: fn(&mut Self) -> Read) -> Read {
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

    pub(super) fn unit(&mut self) -> Read {
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
        if self.next_if(ARROW)? {
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

    /// What stands inside a statement, on lines of its own.
    fn suite(&mut self) -> Read {
        self.expect(":")?;
        match self.kind() {
            INDENT => self.block(),
            _ => self.unexpected(INDENT),
        }
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
    fn expressions(&mut self, end: TokenKind) -> Read {
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
                "not" if self.after()? == "in" => {
                    self.step()?;
                    self.step()?;
                    self.operand()?;
                }
                "is" if self.after()? == "not" => {
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
            "True" | "False" | "None" | DOTS | NUMBER => self.step()?,
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
                        if r.kind() == IDENT && r.after()? == "=" {
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
