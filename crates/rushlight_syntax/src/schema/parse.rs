//! Reading schemas and types.
//!
//! One recursive descent over the bytes, bounded in depth. What a parenthesis after a name means depends on the name:
//! arguments after a type constructor, known facts after an element type of tensors, an alias annotation after the rest.

mod default;
mod types;

use super::{ArgSyntax, ReturnSyntax, SchemaError, SchemaSyntax, TypeSyntax};

pub(super) use default::ESCAPES;
pub(crate) use types::ELEMENT_TYPES;

/// How deep types and defaults may nest.
pub const MAX_TYPE_DEPTH: usize = 100;

type Result<T> = std::result::Result<T, SchemaError>;

/// Parses one operator declaration.
pub fn parse_schema(text: &str) -> Result<SchemaSyntax> {
    let mut parser = Parser::new(text);
    let schema = parser.schema()?;
    parser.end()?;
    Ok(schema)
}

/// Parses one type, in the spelling of schemas and printed graphs.
pub fn parse_type(text: &str) -> Result<TypeSyntax> {
    let mut parser = Parser::new(text);
    let ty = parser.ty()?;
    parser.end()?;
    Ok(ty)
}

/// Parses a type of a printed graph at the start of a longer text, and tells how many bytes it took. Nothing aliases
/// there: `Tensor(*)` has one dimension, where a schema's may be any tensor.
pub fn parse_type_prefix(text: &str) -> Result<(TypeSyntax, usize)> {
    let mut parser = Parser {
        in_graph: true,
        ..Parser::new(text)
    };
    let ty = parser.ty()?;
    Ok((ty, parser.at))
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    /// Whether types are read as graphs print them.
    in_graph: bool,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Parser<'t> {
        Parser {
            text,
            at: 0,
            depth: 0,
            in_graph: false,
        }
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        let mut line: String = self.text.chars().take(200).collect();
        if line.len() < self.text.len() {
            line.push('…');
        }
        Err(SchemaError {
            message: message.into(),
            offset: self.at,
            length: super::found_token(self.rest()).1,
            text: line,
        })
    }

    /// Something else was wanted than what stands here.
    fn unexpected<T>(&mut self, wanted: &str) -> Result<T> {
        self.blanks();
        let (found, _) = super::found_token(self.rest());
        self.error(format!("expected {wanted} but found '{found}' here"))
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    /// Whether `token` comes next, not counting blanks.
    fn sees(&self, token: &str) -> bool {
        self.rest().trim_start().starts_with(token)
    }

    fn eat(&mut self, token: &str) -> bool {
        let seen = self.sees(token);
        if seen {
            self.blanks();
            self.at += token.len();
        }
        seen
    }

    /// Eats `token` only where it follows without a blank.
    fn eat_adjacent(&mut self, token: &str) -> bool {
        let seen = self.rest().starts_with(token);
        if seen {
            self.at += token.len();
        }
        seen
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        if self.eat(token) {
            Ok(())
        } else {
            self.unexpected(if token == "->" { "arrow" } else { token })
        }
    }

    fn end(&mut self) -> Result<()> {
        self.blanks();
        if self.rest().is_empty() {
            Ok(())
        } else {
            self.unexpected("eof")
        }
    }

    fn within<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_TYPE_DEPTH {
            return self.error(format!("nested more than {MAX_TYPE_DEPTH} levels deep"));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// Items separated by commas, up to and with `close`.
    fn list<T>(
        &mut self,
        close: &str,
        mut item: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut items = Vec::new();
        while !self.eat(close) {
            if !items.is_empty() {
                if !self.eat(",") {
                    return self.unexpected(close);
                }
                if self.eat(close) {
                    break;
                }
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn opt_ident(&mut self) -> Option<&'t str> {
        let rest = self.rest().trim_start();
        let length = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(rest.len());
        if length == 0 || rest.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        self.blanks();
        self.at += length;
        Some(&rest[..length])
    }

    fn ident(&mut self) -> Result<&'t str> {
        match self.opt_ident() {
            Some(ident) => Ok(ident),
            None => self.unexpected("ident"),
        }
    }

    // Declarations.

    fn schema(&mut self) -> Result<SchemaSyntax> {
        let (name, overload) = self.operator_name()?;
        self.expect("(")?;
        let (args, is_vararg) = self.args()?;
        self.expect("->")?;
        let mut schema = SchemaSyntax {
            name,
            overload,
            args,
            is_vararg,
            returns: Vec::new(),
            is_varret: false,
            returns_parenthesized: false,
        };
        self.returns(&mut schema)?;
        Ok(schema)
    }

    /// `ns::name.overload`; without a namespace, dots belong to the name (`__torch__.M.forward`).
    fn operator_name(&mut self) -> Result<(String, String)> {
        self.blanks();
        let rest = self.rest();
        let length = rest
            .find(|c: char| !(c.is_alphanumeric() || "_.:<>".contains(c)))
            .unwrap_or(rest.len());
        let full = &rest[..length];
        if full.is_empty() || full.starts_with(|c: char| c.is_ascii_digit()) {
            return self.unexpected("ident");
        }
        self.at += length;
        // A name without arguments is all there is.
        if !self.sees("(") {
            return self.unexpected("eof");
        }
        let namespace_end = full.rfind("::").map(|at| at + 2);
        let dot = namespace_end.and_then(|start| full[start..].find('.').map(|at| start + at));
        Ok(match dot {
            Some(dot) => (full[..dot].to_owned(), full[dot + 1..].to_owned()),
            None => (full.to_owned(), String::new()),
        })
    }

    fn args(&mut self) -> Result<(Vec<ArgSyntax>, bool)> {
        let mut args = Vec::new();
        let (mut kwarg_only, mut is_first) = (false, true);
        while !self.eat(")") {
            if !is_first && !self.eat(",") {
                return self.unexpected(")");
            }
            is_first = false;
            if self.eat("...") {
                self.expect(")")?;
                if args.iter().any(|arg: &ArgSyntax| arg.default.is_some()) {
                    self.blanks();
                    return self.error("schemas with vararg (...) can't have default value args");
                }
                return Ok((args, true));
            }
            if self.eat("*") {
                kwarg_only = true;
                continue;
            }
            args.push(self.arg(kwarg_only)?);
        }
        Ok((args, false))
    }

    fn arg(&mut self, kwarg_only: bool) -> Result<ArgSyntax> {
        let ty = self.ty()?;
        let name = self.ident()?.to_owned();
        let default = if self.eat("=") {
            Some(self.default_of(&ty)?)
        } else {
            None
        };
        Ok(ArgSyntax {
            ty,
            name,
            default,
            kwarg_only,
        })
    }

    fn returns(&mut self, schema: &mut SchemaSyntax) -> Result<()> {
        if self.eat("...") {
            schema.is_varret = true;
        } else if self.sees("(") && !self.tuple_type_ahead() {
            self.expect("(")?;
            schema.returns_parenthesized = true;
            self.parenthesized_returns(schema)?;
        } else {
            let one = self.one_return()?;
            schema.returns.push(one);
        }
        Ok(())
    }

    /// Whether the parenthesis that comes next closes before more of the same type, as in `(int, int)[]`: then it is a
    /// tuple, not a list of returns.
    fn tuple_type_ahead(&self) -> bool {
        let rest = self.rest().trim_start();
        let mut depth = 0usize;
        for (at, byte) in rest.bytes().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        return !rest[at + 1..].trim().is_empty();
                    }
                }
                _ => {}
            }
        }
        false
    }

    fn parenthesized_returns(&mut self, schema: &mut SchemaSyntax) -> Result<()> {
        let mut is_first = true;
        while !self.eat(")") {
            if !is_first && !self.eat(",") {
                return self.unexpected(")");
            }
            is_first = false;
            if self.eat("...") {
                schema.is_varret = true;
                return self.expect(")");
            }
            let one = self.one_return()?;
            schema.returns.push(one);
        }
        Ok(())
    }

    fn one_return(&mut self) -> Result<ReturnSyntax> {
        let ty = self.ty()?;
        Ok(ReturnSyntax {
            ty,
            name: self.opt_ident().map(str::to_owned),
        })
    }
}
