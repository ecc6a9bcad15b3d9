//! Printing schemas and types back as they are written.

use std::fmt::{self, Display, Formatter};

use super::{
    AliasSyntax, ArgSyntax, Bracket, DefaultSyntax, ReturnSyntax, SchemaSyntax, SizeSyntax,
    TensorSyntax, TypeKind, TypeSyntax,
};

impl Display for SchemaSyntax {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if !self.overload.is_empty() {
            write!(f, ".{}", self.overload)?;
        }
        f.write_str("(")?;
        write_args(f, &self.args, self.is_vararg)?;
        f.write_str(") -> ")?;
        write_returns(f, self)
    }
}

fn write_args(f: &mut Formatter<'_>, args: &[ArgSyntax], is_vararg: bool) -> fmt::Result {
    let mut separator = "";
    let mut past_star = false;
    for arg in args {
        f.write_str(separator)?;
        separator = ", ";
        if arg.kwarg_only && !past_star {
            past_star = true;
            f.write_str("*, ")?;
        }
        Display::fmt(arg, f)?;
    }
    if is_vararg {
        write!(f, "{separator}...")?;
    }
    Ok(())
}

fn write_returns(f: &mut Formatter<'_>, schema: &SchemaSyntax) -> fmt::Result {
    match (schema.returns_parenthesized, schema.is_varret) {
        (false, true) => f.write_str("..."),
        (false, false) => write_list(f, &schema.returns),
        (true, is_varret) => {
            f.write_str("(")?;
            write_list(f, &schema.returns)?;
            if is_varret {
                f.write_str(if schema.returns.is_empty() {
                    "..."
                } else {
                    ", ..."
                })?;
            }
            f.write_str(")")
        }
    }
}

fn write_list<T: Display>(f: &mut Formatter<'_>, items: &[T]) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        Display::fmt(item, f)?;
    }
    Ok(())
}

impl Display for ArgSyntax {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.ty, f)?;
        if !self.name.is_empty() {
            write!(f, " {}", self.name)?;
        }
        match &self.default {
            Some(default) => write!(f, "={default}"),
            None => Ok(()),
        }
    }
}

impl Display for ReturnSyntax {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.ty, f)?;
        match &self.name {
            Some(name) => write!(f, " {name}"),
            None => Ok(()),
        }
    }
}

impl Display for TypeSyntax {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.kind, f)?;
        match &self.alias {
            Some(alias) => Display::fmt(alias, f),
            None => Ok(()),
        }
    }
}

impl Display for TypeKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            TypeKind::Named(name) => f.write_str(name),
            TypeKind::Apply {
                name,
                args,
                bracket,
            } => {
                let (open, close) = bracket.pair();
                write!(f, "{name}{open}")?;
                write_list(f, args)?;
                write!(f, "{close}")
            }
            TypeKind::List(element, None) => write!(f, "{element}[]"),
            TypeKind::List(element, Some(size)) => write!(f, "{element}[{size}]"),
            TypeKind::Optional(element) => write!(f, "{element}?"),
            TypeKind::Tuple(elements) => {
                f.write_str("(")?;
                write_list(f, elements)?;
                f.write_str(")")
            }
            TypeKind::NamedTuple { name, fields } => write_named_tuple(f, name, fields),
            TypeKind::Tensor(tensor) => Display::fmt(tensor, f),
        }
    }
}

fn write_named_tuple(
    f: &mut Formatter<'_>,
    name: &str,
    fields: &[(String, TypeSyntax)],
) -> fmt::Result {
    write!(f, "{name}(")?;
    for (index, (field, ty)) in fields.iter().enumerate() {
        write!(f, "{}{field} : {ty}", if index > 0 { ", " } else { "" })?;
    }
    f.write_str(")")
}

impl Bracket {
    /// The opening and the closing character.
    pub fn pair(self) -> (char, char) {
        match self {
            Bracket::Round => ('(', ')'),
            Bracket::Square => ('[', ']'),
            Bracket::Angle => ('<', '>'),
        }
    }
}

impl Display for TensorSyntax {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let sizes = self.sizes.iter().flatten().map(SizeSyntax::to_string);
        let strides = self.strides.iter().map(|strides| {
            let strides: Vec<String> = strides.iter().map(SizeSyntax::to_string).collect();
            format!("strides=[{}]", strides.join(", "))
        });
        let facts = self
            .facts
            .iter()
            .map(|(key, value)| format!("{key}={value}"));
        let all: Vec<String> = sizes.chain(strides).chain(facts).collect();
        write!(f, "{}({})", self.name, all.join(", "))
    }
}

impl Display for SizeSyntax {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            SizeSyntax::Known(size) => write!(f, "{size}"),
            SizeSyntax::Unknown => f.write_str("*"),
            SizeSyntax::Symbol(number) => write!(f, "SS({number})"),
            SizeSyntax::Strided(size, stride) => write!(f, "{size}:{stride}"),
        }
    }
}

impl Display for AliasSyntax {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "({}{}",
            self.before.join("|"),
            if self.is_write { "!" } else { "" }
        )?;
        if let Some(after) = &self.after {
            write!(f, " -> {}", after.join("|"))?;
        }
        f.write_str(")")
    }
}

impl Display for DefaultSyntax {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            DefaultSyntax::None => f.write_str("None"),
            DefaultSyntax::Bool(value) => f.write_str(if *value { "True" } else { "False" }),
            DefaultSyntax::Int(value) => write!(f, "{value}"),
            DefaultSyntax::Float { text, .. } | DefaultSyntax::Imaginary { text, .. } => {
                f.write_str(text)
            }
            DefaultSyntax::Str(value) => write_quoted(f, value),
            DefaultSyntax::List(items) => {
                f.write_str("[")?;
                write_list(f, items)?;
                f.write_str("]")
            }
            DefaultSyntax::Tuple(items) => {
                f.write_str("(")?;
                write_list(f, items)?;
                f.write_str(if items.len() == 1 { ",)" } else { ")" })
            }
            DefaultSyntax::Named(name) => f.write_str(name),
        }
    }
}

/// Writes a string as the reference does: named escapes where there is one, else three octal digits.
fn write_quoted(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for byte in text.chars() {
        match super::parse::ESCAPES
            .iter()
            .find(|(_, value)| *value == byte)
        {
            Some((name, _)) => write!(f, "\\{name}")?,
            None if byte.is_ascii_control() => write!(f, "\\{:03o}", byte as u32)?,
            None => write!(f, "{byte}")?,
        }
    }
    f.write_str("\"")
}
