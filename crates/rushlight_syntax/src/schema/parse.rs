//! Reading schemas and types.
//!
//! One recursive descent over the bytes, bounded in depth. What a parenthesis after a name means depends on the name:
//! arguments after a type constructor, known facts after an element type of tensors, an alias annotation after the rest.

use super::{
    AliasSyntax, ArgSyntax, Bracket, DefaultSyntax, ReturnSyntax, SchemaError, SchemaSyntax,
    SizeSyntax, TensorSyntax, TypeKind, TypeSyntax,
};

/// How deep types and defaults may nest.
pub const MAX_TYPE_DEPTH: usize = 100;

/// How many `[]` and `?` may follow one another.
const MAX_SUFFIXES: usize = 16;

/// Names after which `(` opens type arguments.
const CONSTRUCTORS: &[&str] = &[
    "Dict", "Future", "RRef", "Await", "Union", "List", "Optional", "Tuple",
];

/// Names after which `(` opens what is known about a tensor of that element type.
const ELEMENT_TYPES: &[&str] = &[
    "Byte",
    "Char",
    "Short",
    "Int",
    "Long",
    "Half",
    "Float",
    "Double",
    "ComplexHalf",
    "ComplexFloat",
    "ComplexDouble",
    "Bool",
    "QInt8",
    "QUInt8",
    "QInt32",
    "BFloat16",
    "QUInt4x2",
    "QUInt2x4",
    "Float8_e5m2",
    "Float8_e4m3fn",
    "Float8_e5m2fnuz",
    "Float8_e4m3fnuz",
    "Float8_e8m0fnu",
    "Float4_e2m1fn_x2",
    "UInt16",
    "UInt32",
    "UInt64",
    "Undefined",
];

/// Characters after a backslash, and what they stand for.
pub(super) const ESCAPES: &[(char, char)] = &[
    ('n', '\n'),
    ('t', '\t'),
    ('r', '\r'),
    ('f', '\u{c}'),
    ('v', '\u{b}'),
    ('a', '\u{7}'),
    ('b', '\u{8}'),
    ('"', '"'),
    ('\'', '\''),
    ('\\', '\\'),
];

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

/// Parses a type at the start of a longer text, and tells how many bytes it took.
pub fn parse_type_prefix(text: &str) -> Result<(TypeSyntax, usize)> {
    let mut parser = Parser::new(text);
    let ty = parser.ty()?;
    Ok((ty, parser.at))
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str) -> Parser<'t> {
        Parser {
            text,
            at: 0,
            depth: 0,
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
            text: line,
        })
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
            self.error(format!("expected '{token}'"))
        }
    }

    fn end(&mut self) -> Result<()> {
        self.blanks();
        if self.rest().is_empty() {
            Ok(())
        } else {
            self.error("unexpected text")
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
                self.expect(",")?;
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
            None => self.error("expected a name"),
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
        let length = rest.find('(').unwrap_or(rest.len());
        let full = rest[..length].trim_end();
        let is_name = |part: &str| {
            !part.is_empty()
                && part
                    .chars()
                    .all(|c| c.is_alphanumeric() || "_.:<>".contains(c))
        };
        if !is_name(full) {
            return self.error("expected the name of an operator");
        }
        self.at += full.len();
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
            if !is_first {
                self.expect(",")?;
            }
            is_first = false;
            if self.eat("...") {
                self.expect(")")?;
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
        let name = self.opt_ident().unwrap_or_default().to_owned();
        let default = if self.eat("=") {
            Some(self.default()?)
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
            if !is_first {
                self.expect(",")?;
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

    // Types.

    fn ty(&mut self) -> Result<TypeSyntax> {
        self.within(|parser| {
            let kind = if parser.eat("(") {
                TypeKind::Tuple(parser.list(")", Parser::ty)?)
            } else {
                parser.base_type()?
            };
            let base = TypeSyntax {
                kind,
                alias: parser.opt_alias()?,
            };
            parser.suffixes(base)
        })
    }

    /// `?`, `[]`, `[n]`, each with its alias annotation. Their number is bounded, since each encloses the last.
    fn suffixes(&mut self, mut ty: TypeSyntax) -> Result<TypeSyntax> {
        let mut count = 0;
        loop {
            let kind = if self.eat_adjacent("?") {
                TypeKind::Optional(Box::new(ty))
            } else if self.eat_adjacent("[]") {
                TypeKind::List(Box::new(ty), None)
            } else if self.rest().starts_with('[') {
                let size = self.list_size()?;
                TypeKind::List(Box::new(ty), Some(size))
            } else {
                return Ok(ty);
            };
            count += 1;
            if count > MAX_SUFFIXES {
                return self.error(format!("more than {MAX_SUFFIXES} of '[]' and '?' in a row"));
            }
            ty = TypeSyntax {
                kind,
                alias: self.opt_alias()?,
            };
        }
    }

    fn list_size(&mut self) -> Result<u32> {
        self.expect("[")?;
        let digits = self.digits();
        match digits.parse() {
            Ok(size) => self.expect("]").map(|()| size),
            Err(_) => self.error("expected the size of a list"),
        }
    }

    fn digits(&mut self) -> &'t str {
        let rest = self.rest();
        let length = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn base_type(&mut self) -> Result<TypeKind> {
        let name = self.type_name()?;
        if name == "NamedTuple" && self.rest().starts_with('(') {
            return self.named_tuple(name);
        }
        if CONSTRUCTORS.contains(&name) && self.eat_adjacent("(") {
            let args = self.list(")", Parser::ty)?;
            return Ok(TypeKind::Apply {
                name: name.to_owned(),
                args,
                bracket: Bracket::Round,
            });
        }
        if self.eat_adjacent("<") {
            let args = self.list(">", Parser::ty)?;
            return Ok(TypeKind::Apply {
                name: name.to_owned(),
                args,
                bracket: Bracket::Angle,
            });
        }
        if self.type_arguments_ahead() {
            self.expect("[")?;
            let args = self.list("]", Parser::ty)?;
            return Ok(TypeKind::Apply {
                name: name.to_owned(),
                args,
                bracket: Bracket::Square,
            });
        }
        if self.rest().starts_with('(') && self.tensor_facts_ahead(name) {
            return self.tensor(name);
        }
        Ok(TypeKind::Named(name.to_owned()))
    }

    /// A dotted name.
    fn type_name(&mut self) -> Result<&'t str> {
        self.blanks();
        let start = self.at;
        self.ident()?;
        while self.rest().starts_with('.')
            && self.rest()[1..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
        {
            self.at += 1;
            let rest = self.rest();
            self.at += rest
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(rest.len());
        }
        Ok(&self.text[start..self.at])
    }

    /// Whether `[` comes next and holds types: neither nothing nor a size.
    fn type_arguments_ahead(&self) -> bool {
        match self.rest().strip_prefix('[') {
            Some(inside) => !inside
                .trim_start()
                .starts_with(|c: char| c == ']' || c.is_ascii_digit()),
            None => false,
        }
    }

    fn named_tuple(&mut self, name: &str) -> Result<TypeKind> {
        self.expect("(")?;
        let fields = self.list(")", |parser| {
            let field = parser.ident()?.to_owned();
            parser.expect(":")?;
            Ok((field, parser.ty()?))
        })?;
        Ok(TypeKind::NamedTuple {
            name: name.to_owned(),
            fields,
        })
    }

    /// Whether the parenthesis after `name` says what is known of a tensor. After `Tensor` it may also be an alias
    /// annotation, which never holds a number, a comma or `=`.
    fn tensor_facts_ahead(&self, name: &str) -> bool {
        if ELEMENT_TYPES.contains(&name) {
            return true;
        }
        let inside = self.rest()[1..].split(')').next().unwrap_or("");
        name == "Tensor" && inside.contains(|c: char| c.is_ascii_digit() || c == ',' || c == '=')
    }

    fn tensor(&mut self, name: &str) -> Result<TypeKind> {
        let mut tensor = TensorSyntax {
            name: name.to_owned(),
            sizes: None,
            strides: None,
            facts: Vec::new(),
        };
        self.expect("(")?;
        self.list(")", |parser| {
            if let Some(size) = parser.opt_size()? {
                tensor.sizes.get_or_insert_default().push(size);
                return Ok(());
            }
            let key = parser.ident()?.to_owned();
            parser.expect("=")?;
            if key == "strides" {
                parser.expect("[")?;
                tensor.strides = Some(parser.list("]", Parser::size)?);
            } else {
                tensor.facts.push((key, parser.fact()?));
            }
            Ok(())
        })?;
        if tensor.strides.is_some() {
            tensor.sizes.get_or_insert_default();
        }
        Ok(TypeKind::Tensor(tensor))
    }

    fn size(&mut self) -> Result<SizeSyntax> {
        match self.opt_size()? {
            Some(size) => Ok(size),
            None => self.error("expected a size"),
        }
    }

    fn opt_size(&mut self) -> Result<Option<SizeSyntax>> {
        if self.eat("*") {
            return Ok(Some(SizeSyntax::Unknown));
        }
        if self.eat("SS(") {
            let number = self.int()?;
            self.expect(")")?;
            return Ok(Some(SizeSyntax::Symbol(number)));
        }
        if !self
            .rest()
            .trim_start()
            .starts_with(|c: char| c == '-' || c.is_ascii_digit())
        {
            return Ok(None);
        }
        let size = self.int()?;
        if self.eat_adjacent(":") {
            return Ok(Some(SizeSyntax::Strided(size, self.int()?)));
        }
        Ok(Some(SizeSyntax::Known(size)))
    }

    fn int(&mut self) -> Result<i64> {
        self.blanks();
        let start = self.at;
        self.eat_adjacent("-");
        self.digits();
        match self.text[start..self.at].parse() {
            Ok(value) => Ok(value),
            Err(_) => self.error("expected an integer"),
        }
    }

    /// The value of a fact about a tensor: a word, a number, or a device such as `cuda:0`.
    fn fact(&mut self) -> Result<String> {
        self.blanks();
        let rest = self.rest();
        let length = rest.find([',', ')', ' ']).unwrap_or(rest.len());
        if length == 0 {
            return self.error("expected a value");
        }
        self.at += length;
        Ok(rest[..length].to_owned())
    }

    fn opt_alias(&mut self) -> Result<Option<AliasSyntax>> {
        if !self.eat_adjacent("(") {
            return Ok(None);
        }
        let before = self.alias_sets()?;
        let is_write = self.eat("!");
        let after = if self.eat("->") {
            Some(self.alias_sets()?)
        } else {
            None
        };
        self.expect(")")?;
        Ok(Some(AliasSyntax {
            before,
            after,
            is_write,
        }))
    }

    fn alias_sets(&mut self) -> Result<Vec<String>> {
        let mut sets = Vec::new();
        loop {
            sets.push(if self.eat("*") { "*" } else { self.ident()? }.to_owned());
            if !self.eat("|") {
                return Ok(sets);
            }
        }
    }

    // Defaults.

    fn default(&mut self) -> Result<DefaultSyntax> {
        self.within(|parser| {
            if parser.eat("[") {
                return Ok(DefaultSyntax::List(parser.list("]", Parser::default)?));
            }
            if parser.eat("(") {
                return Ok(DefaultSyntax::Tuple(parser.list(")", Parser::default)?));
            }
            if parser.sees("\"") || parser.sees("'") {
                return Ok(DefaultSyntax::Str(parser.string()?));
            }
            if let Some(number) = parser.opt_number()? {
                return Ok(number);
            }
            Ok(match parser.type_name()? {
                "None" => DefaultSyntax::None,
                "True" | "true" => DefaultSyntax::Bool(true),
                "False" | "false" => DefaultSyntax::Bool(false),
                name => DefaultSyntax::Named(name.to_owned()),
            })
        })
    }

    fn opt_number(&mut self) -> Result<Option<DefaultSyntax>> {
        let rest = self.rest().trim_start();
        let unsigned = rest.strip_prefix(['-', '+']).unwrap_or(rest);
        let word = ["inf", "nan"].into_iter().find(|word| {
            let after = unsigned.strip_prefix(word);
            after.is_some_and(|after| {
                !after.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.')
            })
        });
        let length = match word {
            Some(word) => word.len(),
            None if unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
                number_length(unsigned)
            }
            None => return Ok(None),
        };
        let text = &rest[..rest.len() - unsigned.len() + length];
        let Some(number) = number(text) else {
            return self.error("malformed number");
        };
        self.blanks();
        self.at += text.len();
        Ok(Some(number))
    }

    fn string(&mut self) -> Result<String> {
        self.blanks();
        let mut chars = self.rest().char_indices();
        let Some((_, quote)) = chars.next() else {
            return self.error("expected a string");
        };
        let mut value = String::new();
        while let Some((at, c)) = chars.next() {
            if c == quote {
                self.at += at + 1;
                return Ok(value);
            }
            let c = if c == '\\' {
                escaped(&mut chars)
            } else {
                Some(c)
            };
            match c {
                Some(c) => value.push(c),
                None => return self.error("unknown escape in a string"),
            }
        }
        self.error("unterminated string")
    }
}

fn escaped(chars: &mut std::str::CharIndices<'_>) -> Option<char> {
    let (_, first) = chars.next()?;
    if first.is_digit(8) {
        let rest = chars.as_str();
        let more = rest.chars().take(2).take_while(|c| c.is_digit(8)).count();
        let value = rest[..more].chars().fold(first.to_digit(8)?, |value, c| {
            value * 8 + c.to_digit(8).unwrap_or(0)
        });
        chars.by_ref().take(more).for_each(drop);
        return char::from_u32(value);
    }
    ESCAPES
        .iter()
        .find(|(name, _)| *name == first)
        .map(|(_, value)| *value)
}

/// Length of the unsigned number at the start of `text`, with exponent and imaginary unit.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = 0;
    while digit(at) || bytes.get(at) == Some(&b'.') {
        at += 1;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'-' | b'+')));
        if digit(at + 1 + sign) {
            at += 1 + sign;
            while digit(at) {
                at += 1;
            }
        }
    }
    at + usize::from(bytes.get(at) == Some(&b'j'))
}

fn number(text: &str) -> Option<DefaultSyntax> {
    if let Some(imaginary) = text.strip_suffix('j') {
        return Some(DefaultSyntax::Imaginary {
            value: imaginary.parse().ok()?,
            text: text.to_owned(),
        });
    }
    if text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'-' || byte == b'+')
        && let Ok(int) = text.parse()
    {
        return Some(DefaultSyntax::Int(int));
    }
    Some(DefaultSyntax::Float {
        value: text.parse().ok()?,
        text: text.to_owned(),
    })
}
