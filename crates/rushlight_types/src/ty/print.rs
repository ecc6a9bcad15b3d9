//! Types as text, in the reference's three spellings.
//!
//! *Graph* (`int[]`, `Dict(str, int)`, `int?`): printed graphs, where NamedTuples show their fields. *Schema*: the same
//! with NamedTuples and interfaces by name. *Annotation* (`List[int]`): `.code`, errors, `str(type)`.

use super::{TensorInfo, Type};
use std::fmt::{self, Display, Write};

/// A type in the spelling of printed graphs.
pub struct GraphForm<'a>(&'a Type);
/// A type in the spelling of schemas.
pub struct SchemaForm<'a>(&'a Type);

impl Type {
    /// The spelling of printed graphs.
    pub fn graph_form(&self) -> GraphForm<'_> {
        GraphForm(self)
    }

    /// The spelling of schemas.
    pub fn schema_form(&self) -> SchemaForm<'_> {
        SchemaForm(self)
    }

    /// The spelling of annotations.
    pub fn annotation(&self) -> String {
        self.to_string()
    }

    /// The spelling of messages about one value: a class with the unit that it belongs to, an enum as such.
    pub fn message_form(&self) -> String {
        match self {
            Type::Class(class) => format!(
                "{} (of Python compilation unit at: {:#x})",
                class.name(),
                unit_number(class.name())
            ),
            Type::Enum(_) => self.graph_form().to_string(),
            _ => self.to_string(),
        }
    }

    /// The spelling of hints, which people read: classes by their own name, `Vector` for `__torch__.geometry.Vector`.
    pub fn short_form(&self) -> String {
        short_names(&self.message_form())
    }

    fn simple_name(&self) -> Option<&'static str> {
        Some(match self {
            Type::Any => "Any",
            Type::AnyList => "list",
            Type::AnyTuple => "tuple",
            Type::AnyClass => "AnyClassType",
            Type::AnyEnum => "AnyEnumType",
            Type::None => "NoneType",
            Type::Bool => "bool",
            Type::Int => "int",
            Type::Float => "float",
            Type::Complex => "complex",
            Type::Str => "str",
            Type::Device => "Device",
            Type::Generator => "Generator",
            Type::Stream => "Stream",
            Type::QScheme => "QScheme",
            Type::Storage => "Storage",
            Type::Capsule => "Capsule",
            Type::Quantizer => "Quantizer",
            Type::PyObject => "PyObject",
            Type::Dimname => "Dimname",
            _ => return None,
        })
    }
}

/// A text with the classes of programs by their own name, without module and unit.
pub fn short_names(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("__torch__.") {
        out.push_str(before);
        let end = after.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
        let (name, behind) = after.split_at(end.unwrap_or(after.len()));
        out.push_str(name.rsplit('.').next().unwrap_or(name));
        rest = match behind.strip_prefix(" (of Python compilation unit at: ") {
            Some(unit) => unit.split_once(')').map_or("", |(_, rest)| rest),
            None => behind,
        };
    }
    out + rest
}

/// What messages show for the unit of a class, where the reference has an address: the same every time.
fn unit_number(name: &str) -> u64 {
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    0x7f00_0000_0000 | (hash & 0x00ff_ffff_fff0)
}

fn join<T: Display>(f: &mut fmt::Formatter<'_>, items: impl IntoIterator<Item = T>) -> fmt::Result {
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}

impl Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = self.simple_name() {
            return f.write_str(name);
        }
        match self {
            Type::Number => f.write_str("number"),
            Type::ScalarType | Type::Layout | Type::MemoryFormat | Type::SymInt => {
                f.write_str("int")
            }
            Type::SymFloat => f.write_str("float"),
            Type::SymBool => f.write_str("bool"),
            Type::Tensor(_) => f.write_str("Tensor"),
            Type::List(t) => write!(f, "List[{t}]"),
            Type::Dict(kv) => write!(f, "Dict[{}, {}]", kv.0, kv.1),
            Type::Tuple(tuple) => match tuple.shown_name() {
                Some(name) => f.write_str(name),
                None if tuple.elements.is_empty() => f.write_str("Tuple[()]"),
                None => {
                    f.write_str("Tuple[")?;
                    join(f, &tuple.elements)?;
                    f.write_char(']')
                }
            },
            Type::Optional(t) => write!(f, "Optional[{t}]"),
            Type::Union(members) => {
                f.write_str("Union[")?;
                join(f, members.iter())?;
                f.write_char(']')
            }
            Type::Future(t) => write!(f, "Future[{t}]"),
            Type::Await(t) => write!(f, "Await[{t}]"),
            Type::RRef(t) => write!(f, "RRef[{t}]"),
            Type::Enum(e) => f.write_str(&e.name),
            Type::Class(c) => f.write_str(c.name()),
            Type::Interface(i) => f.write_str(&i.name),
            Type::Function(_) => f.write_str("Function"),
            Type::Var(v) => f.write_str(v.as_str()),
            _ => unreachable!("simple types are printed above"),
        }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

fn compact(ty: &Type, named_fields: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let part = |t: &Type, f: &mut fmt::Formatter<'_>| compact(t, named_fields, f);
    let parts = |f: &mut fmt::Formatter<'_>, items: &[Type]| -> fmt::Result {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            part(item, f)?;
        }
        Ok(())
    };
    if let Some(name) = ty.simple_name() {
        return f.write_str(name);
    }
    match ty {
        Type::Number => f.write_str("Scalar"),
        Type::ScalarType => f.write_str("ScalarType"),
        Type::Layout => f.write_str("Layout"),
        Type::MemoryFormat => f.write_str("MemoryFormat"),
        Type::SymInt => f.write_str("SymInt"),
        Type::SymFloat => f.write_str("SymFloat"),
        Type::SymBool => f.write_str("SymBool"),
        Type::Tensor(Some(info)) if named_fields => write!(f, "{info}"),
        Type::Tensor(_) => f.write_str("Tensor"),
        Type::List(t) => {
            part(t, f)?;
            f.write_str("[]")
        }
        Type::Optional(t) => {
            part(t, f)?;
            f.write_char('?')
        }
        Type::Dict(kv) => {
            // As in the reference, what is inside prints as in schemas.
            write!(f, "Dict({}, {})", kv.0.schema_form(), kv.1.schema_form())
        }
        Type::Tuple(tuple) => match tuple.shown_name() {
            Some(name) if !named_fields => f.write_str(name),
            _ if named_fields && tuple.name.is_some() => {
                f.write_str("NamedTuple(")?;
                let required = tuple.fields.len() - tuple.defaults.len().min(tuple.fields.len());
                for (i, (field, element)) in tuple.fields.iter().zip(&tuple.elements).enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{field} : ")?;
                    part(element, f)?;
                    if let Some(default) =
                        i.checked_sub(required).and_then(|d| tuple.defaults.get(d))
                    {
                        write!(f, " = {}", crate::value::print_text(default))?;
                    }
                }
                f.write_char(')')
            }
            _ => {
                f.write_char('(')?;
                parts(f, &tuple.elements)?;
                f.write_char(')')
            }
        },
        Type::Union(members) => {
            f.write_str("Union(")?;
            for (i, member) in members.iter().enumerate() {
                f.write_str(if i > 0 { ", " } else { "" })?;
                match member {
                    // Members go by their names.
                    Type::Tuple(tuple) if tuple.shown_name().is_some() => write!(f, "{member}")?,
                    _ => part(member, f)?,
                }
            }
            f.write_char(')')
        }
        Type::Future(t) | Type::RRef(t) | Type::Await(t) => {
            let (name, in_graphs) = match ty {
                Type::Future(_) => ("Future", ['[', ']']),
                Type::RRef(_) => ("RRef", ['[', ']']),
                _ => ("Await", ['(', ')']),
            };
            let [open, close] = if named_fields { in_graphs } else { ['(', ')'] };
            write!(f, "{name}{open}")?;
            part(t, f)?;
            f.write_char(close)
        }
        Type::Enum(e) => write!(f, "Enum<{}>", e.name),
        Type::Interface(i) => {
            write!(
                f,
                "InterfaceType<{}>",
                i.name.rsplit('.').next().unwrap_or(&i.name)
            )
        }
        other => write!(f, "{other}"),
    }
}

impl Display for GraphForm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        compact(self.0, true, f)
    }
}

impl Display for SchemaForm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        compact(self.0, false, f)
    }
}

impl Display for TensorInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.dtype.map_or("Tensor", |d| d.class_name()))?;
        let mut parts: Vec<String> = Vec::new();
        let dims = |dims: &[Option<usize>]| -> Vec<String> {
            dims.iter()
                .map(|d| d.map_or("*".to_string(), |d| d.to_string()))
                .collect()
        };
        match &self.sizes {
            Some(sizes) => parts.extend(dims(sizes)),
            None if self.dtype.is_some() => f.write_str("Tensor")?,
            None => {}
        }
        if let Some(strides) = self.strides.as_ref().filter(|s| !s.is_empty()) {
            parts.push(format!("strides=[{}]", dims(strides).join(", ")));
        }
        if let Some(on) = self.requires_grad {
            parts.push(format!("requires_grad={}", on as u8));
        }
        if let Some(device) = &self.device {
            parts.push(format!("device={device}"));
        }
        if parts.is_empty() && self.sizes.is_none() {
            Ok(())
        } else {
            write!(f, "({})", parts.join(", "))
        }
    }
}
