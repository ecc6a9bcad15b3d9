//! Function schemas: what a function is called, what it takes and gives, what it writes.

use crate::{AliasInfo, Type, Value};
use std::fmt::{self, Write};
use std::sync::Arc;

/// The longest list that one element stands for; `int[N]` of a larger `N` takes lists only. Sources come from strangers.
pub const MOST_REPEATED: u32 = 1 << 16;

/// A formal argument or a declared return.
#[derive(Clone, PartialEq)]
pub struct Argument {
    /// Empty for unnamed returns.
    pub name: Arc<str>,
    pub ty: Type,
    /// `(a!)`, where the schema has one.
    pub alias: Option<AliasInfo>,
    /// The `2` of `int[2]`: a single element broadcasts to that many, at most [`MOST_REPEATED`].
    pub list_size: Option<u32>,
    /// The value used when the argument is not given.
    pub default: Option<Value>,
    /// The default as the schema spells it, where that differs from how the value prints (`contiguous_format`).
    pub default_text: Option<Arc<str>>,
    pub kwarg_only: bool,
    /// Taken for a tensor because the source says nothing: messages mention it.
    pub inferred: bool,
}

impl Argument {
    /// The default as a call takes it: a single number for a list of fixed size is repeated.
    pub fn repeated_default(&self) -> Option<Value> {
        match (self.list_size, &self.default) {
            (Some(size), Some(Value::IntList(list))) if list.lock().len() == 1 => {
                let number = list.lock()[0];
                Some(vec![number; size as usize].into())
            }
            (_, default) => default.clone(),
        }
    }

    /// A positional argument without default.
    pub fn new(name: &str, ty: Type) -> Argument {
        Argument {
            name: name.into(),
            ty,
            alias: None,
            list_size: None,
            default: None,
            default_text: None,
            kwarg_only: false,
            inferred: false,
        }
    }

    /// The same argument with a default value.
    pub fn with_default(mut self, value: Value) -> Argument {
        self.default = Some(value);
        self
    }

    /// The type as messages about calls show it.
    pub fn shown_type(&self) -> String {
        if self.inferred {
            format!("{} (inferred)", self.ty)
        } else {
            self.ty.to_string()
        }
    }

    /// What messages about calls add for an argument that was taken for a tensor: empty, or a line.
    pub fn inferred_note(&self) -> String {
        if self.inferred {
            format!(
                "Inferred '{}' to be of type 'Tensor' because it was not annotated with an explicit type.\n",
                self.name
            )
        } else {
            String::new()
        }
    }

    /// Whether calls write to the argument.
    pub fn is_written(&self) -> bool {
        self.alias.as_ref().is_some_and(|a| a.is_write)
    }
}

/// The signature of an operator, function or method.
#[derive(Clone, PartialEq)]
pub struct Schema {
    /// `aten::add`, or a function's name.
    pub name: Arc<str>,
    /// `Tensor` in `aten::add.Tensor`; empty where there is none.
    pub overload: Arc<str>,
    pub arguments: Vec<Argument>,
    pub returns: Vec<Argument>,
    /// Whether any further arguments are taken (`...`).
    pub varargs: bool,
    /// Whether any returns may come (`-> ...`).
    pub varrets: bool,
}

impl Schema {
    /// A schema without overload name, varargs or varrets.
    pub fn new(name: &str, arguments: Vec<Argument>, returns: Vec<Argument>) -> Schema {
        Schema {
            name: name.into(),
            overload: "".into(),
            arguments,
            returns,
            varargs: false,
            varrets: false,
        }
    }

    /// `aten::add.Tensor`.
    pub fn full_name(&self) -> String {
        if self.overload.is_empty() {
            self.name.to_string()
        } else {
            format!("{}.{}", self.name, self.overload)
        }
    }

    /// The index of an argument.
    pub fn argument_index(&self, name: &str) -> Option<usize> {
        self.arguments.iter().position(|a| &*a.name == name)
    }

    /// Whether any argument is written.
    pub fn is_mutable(&self) -> bool {
        self.arguments.iter().any(Argument::is_written)
    }

    /// Whether a method with this schema (with `self`) can stand where `wanted` is asked for.
    pub fn is_subtype_method_of(&self, wanted: &Schema) -> bool {
        self.arguments.len() == wanted.arguments.len()
            && self.returns.len() == wanted.returns.len()
            && self
                .arguments
                .iter()
                .zip(&wanted.arguments)
                .skip(1)
                .all(|(a, w)| a.name == w.name && w.ty.is_subtype_of(&a.ty))
            && self
                .returns
                .iter()
                .zip(&wanted.returns)
                .all(|(a, w)| a.ty.is_subtype_of(&w.ty))
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_type(f, &self.ty, self.alias.as_ref(), self.list_size)?;
        if !self.name.is_empty() {
            write!(f, " {}", self.name)?;
        }
        if let Some(default) = &self.default {
            f.write_char('=')?;
            match &self.default_text {
                Some(text) => f.write_str(text)?,
                None => crate::value::write_default(f, default, &self.ty)?,
            }
        }
        Ok(())
    }
}

/// The type with its alias annotation placed where the reference places it: `Tensor(a!)`, `Tensor(a!)[]`, `Tensor(a)?`.
fn write_type(
    f: &mut fmt::Formatter<'_>,
    ty: &Type,
    alias: Option<&AliasInfo>,
    size: Option<u32>,
) -> fmt::Result {
    match (ty, alias) {
        (Type::List(element), Some(outer)) if !outer.contained.is_empty() => {
            write_type(f, element, outer.contained.first(), None)?;
            f.write_char('[')?;
            if let Some(size) = size {
                write!(f, "{size}")?;
            }
            f.write_char(']')?;
            if outer.is_empty() {
                Ok(())
            } else {
                write!(f, "{outer}")
            }
        }
        (Type::List(element), _) => {
            write_type(f, element, None, None)?;
            f.write_char('[')?;
            if let Some(size) = size {
                write!(f, "{size}")?;
            }
            f.write_char(']')?;
            alias.map_or(Ok(()), |a| write!(f, "{a}"))
        }
        (Type::Optional(inner), _) => {
            write_type(f, inner, alias, size)?;
            f.write_char('?')
        }
        _ => {
            write!(f, "{}", ty.schema_form())?;
            alias.map_or(Ok(()), |a| write!(f, "{a}"))
        }
    }
}

/// Whether a type's text begins with a parenthesis: a tuple, or a list or optional of one.
fn opens_with_parenthesis(ty: &Type) -> bool {
    match ty {
        Type::Tuple(t) => t.shown_name().is_none(),
        Type::List(inner) | Type::Optional(inner) => opens_with_parenthesis(inner),
        _ => false,
    }
}

impl fmt::Display for Schema {
    /// `aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.full_name())?;
        let mut starred = false;
        for (i, argument) in self.arguments.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            if argument.kwarg_only && !starred {
                f.write_str("*, ")?;
                starred = true;
            }
            write!(f, "{argument}")?;
        }
        if self.varargs {
            if !self.arguments.is_empty() {
                f.write_str(", ")?;
            }
            f.write_str("...")?;
        }
        f.write_str(") -> ")?;
        // One return goes without parentheses, unless its type begins with one.
        let bare = match self.returns.as_slice() {
            _ if self.varrets => self.returns.is_empty(),
            [only] => !opens_with_parenthesis(&only.ty),
            _ => false,
        };
        if !bare {
            f.write_char('(')?;
        }
        for (i, item) in self.returns.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{item}")?;
        }
        if self.varrets {
            if !self.returns.is_empty() {
                f.write_str(", ")?;
            }
            f.write_str("...")?;
        }
        if !bare {
            f.write_char(')')?;
        }
        Ok(())
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
