//! Constants in printed code: as literals where code can spell them, as entries of the constant table otherwise.

use super::{Printer, Text};
use rushlight_tensor::{Tensor, dispatch};
use rushlight_types::{Type, Value, float_text, repr_text};

/// The constants that code refers to as `CONSTANTS.c0`, `CONSTANTS.c1`, ...
#[derive(Default)]
pub struct Constants {
    values: Vec<Value>,
}

impl Constants {
    /// The values in the order of their numbers.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The number of a value; the same value keeps its number.
    fn number(&mut self, value: &Value) -> usize {
        let same = |known: &Value| match (known, value) {
            (Value::Tensor(a), Value::Tensor(b)) => same_tensor(a, b),
            _ => known.is_same(value) || known == value,
        };
        match self.values.iter().position(same) {
            Some(number) => number,
            None => {
                self.values.push(value.clone());
                self.values.len() - 1
            }
        }
    }
}

/// Whether two tensors have the same type, sizes and elements.
fn same_tensor(a: &Tensor, b: &Tensor) -> bool {
    a.is(b)
        || a.dtype() == b.dtype()
            && a.sizes() == b.sizes()
            && dispatch!(a.dtype(), All, T => a.data::<T>()[..] == b.data::<T>()[..])
}

impl Printer<'_> {
    /// The text of a constant of a static type.
    pub(super) fn constant(&mut self, value: &Value, ty: &Type) -> Text {
        let mut out = String::new();
        self.write_constant(&mut out, value, ty);
        out.into()
    }

    fn write_constant(&mut self, out: &mut String, value: &Value, ty: &Type) {
        if !has_literal(value) {
            let number = self.constants.number(value);
            return out.push_str(&format!("CONSTANTS.c{number}"));
        }
        match value {
            Value::None => out.push_str("None"),
            Value::Bool(true) => out.push_str("True"),
            Value::Bool(false) => out.push_str("False"),
            Value::Int(_) | Value::Complex(_) => out.push_str(&repr_text(value)),
            Value::Float(v) => out.push_str(&self.float(*v)),
            Value::Str(_) => out.push_str(&repr_text(value)),
            Value::Device(device) => out.push_str(&format!("torch.device(\"{device}\")")),
            Value::Enum(member) => {
                self.need_type(&Type::Enum(member.ty.clone()));
                out.push_str(&format!("{}.{}", member.ty.name, member.name()));
            }
            list if list.is_list() => self.write_list(out, list, ty),
            Value::Tuple(tuple) => {
                let types: Vec<Type> = match ty {
                    Type::Tuple(t) if t.elements.len() == tuple.items.len() => t.elements.clone(),
                    _ => tuple.items.iter().map(Value::type_of).collect(),
                };
                let named = tuple.ty.as_ref().and_then(|ty| ty.name.as_ref());
                if let Some(name) = named {
                    self.need_type(ty);
                    out.push_str(name);
                }
                out.push('(');
                for (i, (item, ty)) in tuple.items.iter().zip(&types).enumerate() {
                    out.push_str(if i > 0 { ", " } else { "" });
                    self.write_constant(out, item, ty);
                }
                let is_single = tuple.items.len() == 1 && named.is_none();
                out.push_str(if is_single { ",)" } else { ")" });
            }
            Value::Dict(dict) => {
                let full = Type::dict(dict.key_type.clone(), dict.value_type.clone());
                let entries = dict.entries();
                if entries.is_empty() {
                    self.need_type(&full);
                    return out.push_str(&format!("annotate({}, {{}})", full.annotation()));
                }
                out.push('{');
                for (i, (key, value)) in entries.iter().enumerate() {
                    out.push_str(if i > 0 { ", " } else { "" });
                    self.write_constant(out, key, &dict.key_type);
                    out.push_str(": ");
                    self.write_constant(out, value, &dict.value_type);
                }
                out.push('}');
            }
            // Whatever else has a literal, its text is the same in graphs and code.
            other => out.push_str(&repr_text(other)),
        }
    }

    fn write_list(&mut self, out: &mut String, list: &Value, ty: &Type) {
        let full = match ty {
            Type::List(_) => ty.clone(),
            _ => list.type_of(),
        };
        let element = full.list_element().cloned().unwrap_or(Type::TENSOR);
        let items = list.list_items().unwrap_or_default();
        // What is in a display would not say that others of its kind may be None.
        let is_annotated = items.is_empty() || !tells_itself(&element);
        if is_annotated {
            self.need_type(&full);
            out.push_str(&format!("annotate({}, ", full.annotation()));
        }
        out.push('[');
        for (i, item) in items.iter().enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            self.write_constant(out, item, &element);
        }
        out.push_str(if is_annotated { "])" } else { "]" });
    }

    /// A float. In archives, whole numbers keep their point however large they are: without it they would come back as ints.
    fn float(&self, v: f64) -> String {
        let text = float_text(v);
        let looks_whole = !text.contains(['.', 'e', 'n']);
        if self.for_archive && looks_whole {
            text + "."
        } else {
            text
        }
    }
}

/// Whether code can spell a value; parts of containers that it cannot are entries of the table, each its own.
fn has_literal(value: &Value) -> bool {
    match value {
        Value::None
        | Value::Bool(_)
        | Value::Int(_)
        | Value::Float(_)
        | Value::Complex(_)
        | Value::Device(_)
        | Value::Enum(_)
        | Value::Tuple(_)
        | Value::Dict(_) => true,
        Value::Str(s) => s.as_bytes().is_ascii(),
        list => list.is_list(),
    }
}

/// Whether elements of a display show what type it has: others of its kind may be more than they are.
pub(super) fn tells_itself(element: &Type) -> bool {
    !matches!(
        element,
        Type::Optional(_) | Type::Union(_) | Type::Interface(_) | Type::Any
    )
}
