//! Default values: numbers, strings, lists, names.

use super::super::{DefaultSyntax, TypeKind, TypeSyntax};
use super::{Parser, Result};

/// Characters after a backslash, and what they stand for.
pub(in crate::schema) const ESCAPES: &[(char, char)] = &[
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

impl<'t> Parser<'t> {
    pub(super) fn default(&mut self) -> Result<DefaultSyntax> {
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

    /// The default of an argument of a type: tensors have none but `None`, numbers are no names.
    pub(super) fn default_of(&mut self, ty: &TypeSyntax) -> Result<DefaultSyntax> {
        let TypeKind::Named(name) = &ty.kind else {
            return self.default();
        };
        let before = self.at;
        let found = match (name.as_str(), self.sees(")") || self.sees(",")) {
            ("int" | "float" | "bool" | "Scalar" | "complex", true) => {
                return self.unexpected("number");
            }
            _ => self.default()?,
        };
        match (name.as_str(), &found) {
            ("Tensor", other) if *other != DefaultSyntax::None => {
                self.at = before;
                self.unexpected("None")
            }
            ("int" | "float" | "bool" | "Scalar" | "complex", DefaultSyntax::Named(_)) => {
                self.blanks();
                self.error("\ninvalid numeric default value")
            }
            _ => Ok(found),
        }
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

    pub(super) fn string(&mut self) -> Result<String> {
        self.blanks();
        let mut chars = self.rest().char_indices();
        let Some((_, quote)) = chars.next() else {
            return self.unexpected("a valid token");
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
