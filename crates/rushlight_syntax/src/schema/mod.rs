//! The schema-string grammar: operator declarations, and the types that printed graphs show.
//!
//! `aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor` becomes a [`SchemaSyntax`], which prints
//! back to the same text. Names of types are not looked up here; that is done where types live.
//!
//! ```
//! use rushlight_syntax::schema::{parse_schema, TypeKind};
//!
//! let schema = parse_schema("aten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!)").unwrap();
//! assert_eq!((schema.name.as_str(), schema.overload.as_str()), ("aten::append", "t"));
//! assert!(matches!(schema.args[0].ty.kind, TypeKind::List(_, None)));
//! assert_eq!(schema.to_string(), "aten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!)");
//! ```

mod parse;
mod print;
#[cfg(test)]
mod tests;

use std::fmt;

pub(crate) use parse::ELEMENT_TYPES;
pub use parse::{MAX_TYPE_DEPTH, parse_schema, parse_type, parse_type_prefix};

/// An operator declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemaSyntax {
    /// Qualified name without the overload, such as `aten::add`.
    pub name: String,
    /// Name of the overload, empty for the unnamed one.
    pub overload: String,
    pub args: Vec<ArgSyntax>,
    /// Whether the arguments end in `...`.
    pub is_vararg: bool,
    pub returns: Vec<ReturnSyntax>,
    /// Whether the returns end in `...`.
    pub is_varret: bool,
    /// Whether the returns stand in parentheses, which a single one need not.
    pub returns_parenthesized: bool,
}

/// One argument of a declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct ArgSyntax {
    pub ty: TypeSyntax,
    pub name: String,
    pub default: Option<DefaultSyntax>,
    /// Whether it stands after `*`.
    pub kwarg_only: bool,
}

/// One result of a declaration.
#[derive(Clone, Debug, PartialEq)]
pub struct ReturnSyntax {
    pub ty: TypeSyntax,
    pub name: Option<String>,
}

/// A type with the aliases declared for it.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeSyntax {
    pub kind: TypeKind,
    pub alias: Option<AliasSyntax>,
}

/// What a type is. Names are kept as written.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeKind {
    /// `int`, `t`, `Tensor`, `__torch__.M`.
    Named(String),
    /// `Dict(str, int)`, `Future[Tensor]`, `Union[int, str]`, `Enum<__torch__.Color>`.
    Apply {
        name: String,
        args: Vec<TypeSyntax>,
        bracket: Bracket,
    },
    /// `T[]`, or `T[n]`, which a single value broadcasts to.
    List(Box<TypeSyntax>, Option<u32>),
    /// `T?`.
    Optional(Box<TypeSyntax>),
    /// `(A, B)`.
    Tuple(Vec<TypeSyntax>),
    /// `NamedTuple(x : int, y : int)`.
    NamedTuple {
        name: String,
        fields: Vec<(String, TypeSyntax)>,
    },
    /// `Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)`: a tensor of which more is known.
    Tensor(TensorSyntax),
}

/// How the arguments of [`TypeKind::Apply`] are enclosed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bracket {
    /// `(...)`
    Round,
    /// `[...]`
    Square,
    /// `<...>`
    Angle,
}

/// What a printed graph knows about a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorSyntax {
    /// `Float`, `Long`, or `Tensor` where the element type is unknown.
    pub name: String,
    /// Sizes in order. `None` if neither sizes nor strides are written: a tensor without dimensions and one whose
    /// number of dimensions is unknown are spelled alike.
    pub sizes: Option<Vec<SizeSyntax>>,
    /// `strides=[...]`.
    pub strides: Option<Vec<SizeSyntax>>,
    /// Other `key=value` facts in order: `requires_grad`, `device`, `layout`.
    pub facts: Vec<(String, String)>,
}

/// A size or stride.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SizeSyntax {
    Known(i64),
    /// `*`
    Unknown,
    /// `SS(-3)`: unknown, but the same wherever the number is.
    Symbol(i64),
    /// `2:6`: a size and its stride, as older versions print them.
    Strided(i64, i64),
}

/// The content of an alias annotation: `(a!)`, `(a -> *)`, `(a|b)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AliasSyntax {
    /// The sets the value belongs to before the call; `*` is the wildcard.
    pub before: Vec<String>,
    /// The sets after the call, where declared apart from `before`.
    pub after: Option<Vec<String>>,
    /// `!`: the call writes to the value.
    pub is_write: bool,
}

/// A default value.
#[derive(Clone, Debug, PartialEq)]
pub enum DefaultSyntax {
    None,
    Bool(bool),
    Int(i64),
    /// A number with a fraction or an exponent; the text prints it back.
    Float {
        value: f64,
        text: String,
    },
    /// An imaginary number such as `1j`.
    Imaginary {
        value: f64,
        text: String,
    },
    /// A string's value, escapes resolved.
    Str(String),
    List(Vec<DefaultSyntax>),
    Tuple(Vec<DefaultSyntax>),
    /// A name such as `contiguous_format`, `Mean`, `long`.
    Named(String),
}

/// A text that is no schema or type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    pub message: String,
    /// Byte where the problem is.
    pub offset: usize,
    /// The length of what stands there, in bytes.
    pub length: usize,
    pub text: String,
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As the reference shows it: the text with the place marked.
        if !self.message.starts_with("expected ") {
            f.write_str("\n")?;
        }
        writeln!(f, "{}:", self.message)?;
        f.write_str(&marked_text(&self.text, self.offset, self.length))
    }
}

impl std::error::Error for SchemaError {}

/// A text with a mark below the place where a problem is; without one where the problem is the end.
pub fn marked_text(text: &str, offset: usize, length: usize) -> String {
    let mut out = String::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        out.push_str(line);
        let here = start..start + line.len();
        start = here.end;
        if here.contains(&offset) {
            if !line.ends_with('\n') {
                out.push('\n');
            }
            let before = text.get(here.start..offset).unwrap_or_default();
            out.push_str(&" ".repeat(before.chars().count()));
            out.push_str(&"~".repeat(length.max(1)));
            out.push_str(" <--- HERE\n");
        }
    }
    out
}

/// What stands at the start of a text, in the words of messages: a kind of token or the token itself, and its length.
pub fn found_token(rest: &str) -> (&str, usize) {
    let word = |fits: fn(char) -> bool| rest.find(|c| !fits(c)).unwrap_or(rest.len());
    match rest.chars().next() {
        None => ("eof", 0),
        Some('-') if rest.starts_with("->") => ("arrow", 2),
        Some(c) if c.is_ascii_digit() => ("number", word(|c| c.is_ascii_digit() || c == '.')),
        Some(c) if c.is_alphabetic() || c == '_' => {
            ("ident", word(|c| c.is_alphanumeric() || c == '_'))
        }
        Some(c) => (&rest[..c.len_utf8()], c.len_utf8()),
    }
}

impl TypeSyntax {
    /// A type without alias annotation.
    pub fn plain(kind: TypeKind) -> TypeSyntax {
        TypeSyntax { kind, alias: None }
    }
}
