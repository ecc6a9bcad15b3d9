//! Types, with what is known about tensors and how arguments alias.

use super::super::{AliasSyntax, Bracket, SizeSyntax, TensorSyntax, TypeKind, TypeSyntax};
use super::{Parser, Result};

/// How many `[]` and `?` may follow one another.
const MAX_SUFFIXES: usize = 16;

/// Names after which `(` opens type arguments.
const CONSTRUCTORS: &[&str] = &[
    "Dict", "Future", "RRef", "Await", "Union", "List", "Optional", "Tuple",
];

/// Names after which `(` opens what is known about a tensor of that element type.
pub(crate) const ELEMENT_TYPES: &[&str] = &[
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

impl<'t> Parser<'t> {
    pub(super) fn ty(&mut self) -> Result<TypeSyntax> {
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
            let kind = if self.eat("?") {
                TypeKind::Optional(Box::new(ty))
            } else if self.eat("[") {
                let size = self.list_size()?;
                TypeKind::List(Box::new(ty), size)
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

    /// What stands in the brackets of a list, with the one that closes them.
    fn list_size(&mut self) -> Result<Option<u32>> {
        if self.eat("]") {
            return Ok(None);
        }
        self.blanks();
        match self.digits().parse() {
            Ok(size) => self.expect("]").map(|()| Some(size)),
            Err(_) => self.unexpected("number"),
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
    pub(super) fn type_name(&mut self) -> Result<&'t str> {
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
            let ty = parser.ty()?;
            parser.skip_default();
            Ok((field, ty))
        })?;
        Ok(TypeKind::NamedTuple {
            name: name.to_owned(),
            fields,
        })
    }

    /// Passes `= default` behind a field, which is no part of what the text can give back.
    fn skip_default(&mut self) {
        let rest = self.rest();
        if rest.trim_start().starts_with('=') {
            self.at += rest.find([',', ')']).unwrap_or(rest.len());
        }
    }

    /// Whether the parenthesis after `name` says what is known of a tensor. After `Tensor` it may also be an alias
    /// annotation, which never holds a number, a comma or `=`, and in graphs always a name.
    fn tensor_facts_ahead(&self, name: &str) -> bool {
        if ELEMENT_TYPES.contains(&name) {
            return true;
        }
        let inside = self.rest()[1..].split(')').next().unwrap_or("");
        let is_fact = |c: char| c.is_ascii_digit() || c == ',' || c == '=';
        name == "Tensor"
            && (inside.contains(is_fact) || self.in_graph && matches!(inside.trim(), "" | "*"))
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
        if tensor.strides.is_some() || tensor.facts.is_empty() {
            tensor.sizes.get_or_insert_default();
        }
        Ok(TypeKind::Tensor(tensor))
    }

    fn size(&mut self) -> Result<SizeSyntax> {
        match self.opt_size()? {
            Some(size) => Ok(size),
            None => self.unexpected("number"),
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
            Err(_) => self.unexpected("number"),
        }
    }

    /// The value of a fact about a tensor: a word, a number, or a device such as `cuda:0`.
    fn fact(&mut self) -> Result<String> {
        self.blanks();
        let rest = self.rest();
        let length = rest.find([',', ')', ' ']).unwrap_or(rest.len());
        if length == 0 {
            return self.unexpected("number");
        }
        self.at += length;
        Ok(rest[..length].to_owned())
    }

    pub(super) fn opt_alias(&mut self) -> Result<Option<AliasSyntax>> {
        if !self.eat("(") {
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
}
