//! Attributes and constants in printed graphs.

use super::{MAX_DEPTH, Parser, Result};
use crate::Attr;
use rushlight_tensor::{Complex64, DType, Device, Layout, Scalar, Tensor};
use rushlight_types::{EnumValue, Type, Value};
use std::sync::Arc;

impl<'t> Parser<'t> {
    /// `name=value`. The value of a constant takes the form of the constant's type.
    pub(super) fn attribute(
        &mut self,
        is_constant: bool,
        ty: Option<&Type>,
    ) -> Result<(&'t str, Attr)> {
        let name = self.word("the name of an attribute", |c| {
            c.is_alphanumeric() || c == '_'
        })?;
        self.expect("=")?;
        let attr = match (is_constant, name) {
            (true, "name") => {
                let text = self.string()?;
                let function = (self.lookup.functions)(&text)
                    .ok_or_else(|| self.error(format!("there is no function {text}")))?;
                Attr::Value(Value::Function(Arc::new(function)))
            }
            (true, _) => Attr::Value(self.constant(ty, 0)?),
            (false, "types") => Attr::Types(self.items("[", "]", Self::known_type)?),
            (false, _) => self.plain_attribute()?,
        };
        Ok((name, attr))
    }

    fn known_type(&mut self) -> Result<Type> {
        self.ty()?
            .ok_or_else(|| self.error("a type is needed here, not Function"))
    }

    fn plain_attribute(&mut self) -> Result<Attr> {
        if self.sees("\"") {
            return Ok(Attr::Str(self.string()?.into()));
        }
        if self.sees("[") {
            return match self.constant(None, 0)? {
                Value::IntList(list) => Ok(Attr::Ints(list.lock().clone())),
                Value::List(list) => list
                    .items
                    .lock()
                    .iter()
                    .map(|v| {
                        v.as_str()
                            .map(Arc::from)
                            .map_err(|e| self.error(e.message()))
                    })
                    .collect::<Result<_>>()
                    .map(Attr::Strs),
                // What an empty list of tensors reads as.
                Value::TensorList(_) => Ok(Attr::Ints(Vec::new())),
                _ => Err(self.error("lists of ints and of strings can be attributes")),
            };
        }
        if self.sees("{") || self.sees("<") {
            return Ok(match self.constant(Some(&Type::TENSOR), 0)? {
                Value::Tensor(t) => Attr::Tensor(t),
                other => Attr::Value(other),
            });
        }
        self.space();
        if self
            .rest()
            .starts_with(|c: char| c.is_ascii_digit() || c == '-')
        {
            return Ok(match self.number(None)? {
                Value::Int(i) => Attr::Int(i),
                Value::Float(f) => Attr::Float(f),
                other => Attr::Value(other),
            });
        }
        self.known_type().map(Attr::Type)
    }

    /// What `<Tensor>` stands for: zeros, where those are wanted and the type says of what kind they are.
    fn absent_tensor(&mut self, ty: Option<&Type>) -> Result<Value> {
        if !self.lookup.makes_tensors {
            return Err(self.error(match self.is_loose {
                true => "Tensor constant encountered but `parse_tensor_constants` set to false<",
                false => "the text does not hold the elements of <Tensor>",
            }));
        }
        self.expect("Tensor")?;
        self.expect(">")?;
        let zeros = ty.and_then(|ty| {
            let Type::Tensor(Some(info)) = ty else {
                return None;
            };
            let sizes: Vec<usize> = info
                .sizes
                .as_ref()?
                .iter()
                .copied()
                .collect::<Option<_>>()?;
            let strides: Option<Vec<usize>> = info
                .strides
                .as_ref()
                .and_then(|s| s.iter().copied().collect());
            let layout = match strides {
                Some(strides) => Layout::strided(&sizes, &strides, 0),
                None => Layout::contiguous(&sizes),
            };
            Tensor::empty_with(&layout, info.dtype?).ok()
        });
        zeros.map(Value::Tensor).ok_or_else(|| {
            self.error("the type does not say what kind of tensor <Tensor> stands for")
        })
    }

    /// A constant of a type, or of the type that it looks like.
    fn constant(&mut self, ty: Option<&Type>, depth: usize) -> Result<Value> {
        if depth > MAX_DEPTH {
            return Err(self.error("constants are nested too deeply"));
        }
        let ty = match ty {
            Some(Type::Optional(inner)) => Some(&**inner),
            other => other,
        };
        if self.eat("None") {
            return Ok(Value::None);
        }
        if self.eat("True") {
            return Ok(Value::Bool(true));
        }
        if self.eat("False") {
            return Ok(Value::Bool(false));
        }
        if self.eat("<") {
            return self.absent_tensor(ty);
        }
        if self.sees("object(") {
            return Err(self.error("the text does not hold the attributes of objects"));
        }
        match ty {
            Some(Type::Enum(ty)) => return self.enum_value(ty),
            Some(Type::Device) => return self.device(),
            _ => {}
        }
        if self.sees("\"") {
            return self.string().map(Value::from);
        }
        if self.sees("(") {
            return self.tuple(ty, depth);
        }
        if self.sees("[") {
            return self.list(ty, depth);
        }
        if self.eat("annotate") {
            return self.empty_list();
        }
        if self.sees("{") {
            return match ty {
                Some(Type::Dict(_)) => Err(self.error("dicts cannot be constants in text")),
                _ => self.number_tensor(ty),
            };
        }
        self.number(ty)
    }

    /// `(List[int], [])` behind `annotate`.
    fn empty_list(&mut self) -> Result<Value> {
        self.expect("(")?;
        let ty = self.known_type()?;
        self.expect(",")?;
        self.expect("[")?;
        self.expect("]")?;
        self.expect(")")?;
        match &ty {
            Type::List(element) => {
                Value::list(element, Vec::new()).map_err(|e| self.error(e.message()))
            }
            other => Err(self.error(format!("{other} is not the type of a list"))),
        }
    }

    fn tuple(&mut self, ty: Option<&Type>, depth: usize) -> Result<Value> {
        let known = match ty {
            Some(Type::Tuple(tuple)) => Some(tuple),
            _ => None,
        };
        let mut index = 0;
        let items = self.items("(", ")", |p| {
            let element = known.and_then(|t| t.elements.get(index));
            index += 1;
            p.constant(element, depth + 1)
        })?;
        Ok(match known {
            Some(ty) if ty.elements.len() != items.len() => {
                return Err(self.error("the tuple has another length than its type"));
            }
            Some(ty) if ty.name.is_some() => Value::Tuple(Arc::new(rushlight_types::Tuple {
                items: items.into(),
                ty: Some(ty.clone()),
            })),
            _ => Value::tuple(items),
        })
    }

    fn list(&mut self, ty: Option<&Type>, depth: usize) -> Result<Value> {
        let known = ty.and_then(Type::list_element);
        let items = self.items("[", "]", |p| p.constant(known, depth + 1))?;
        let element = match (known, items.first()) {
            (Some(ty), _) => ty.clone(),
            (None, Some(first)) => first.type_of(),
            (None, None) => Type::TENSOR,
        };
        Value::list(&element, items).map_err(|e| self.error(e.message()))
    }

    fn enum_value(&mut self, ty: &Arc<rushlight_types::EnumType>) -> Result<Value> {
        let text = self.word("a member of an enum", |c| {
            c.is_alphanumeric() || c == '_' || c == '.'
        })?;
        let member = text.rsplit('.').next().unwrap_or_default();
        let index = ty.members.iter().position(|(name, _)| &**name == member);
        let index =
            index.ok_or_else(|| self.error(format!("{} has no member {member}", ty.name)))?;
        Ok(Value::Enum(Arc::new(EnumValue {
            ty: ty.clone(),
            index,
        })))
    }

    fn device(&mut self) -> Result<Value> {
        let text = match self.sees("\"") {
            true => self.string()?,
            false => {
                let word = self.word("a device", |c| c.is_alphanumeric() || c == ':')?;
                word.to_string()
            }
        };
        Device::parse(&text)
            .map(Value::Device)
            .map_err(|e| self.error(e.message()))
    }

    /// `{3}`: a tensor of one element.
    fn number_tensor(&mut self, ty: Option<&Type>) -> Result<Value> {
        self.expect("{")?;
        let number = self.number(None)?;
        self.expect("}")?;
        let known = match ty {
            Some(Type::Tensor(Some(info))) => info.dtype,
            _ => None,
        };
        let (scalar, natural) = match number {
            Value::Int(i) => (Scalar::Int(i), DType::I64),
            Value::Float(f) => (Scalar::Float(f), DType::F64),
            _ => return Err(self.error("a number is needed here")),
        };
        let dtype = known.unwrap_or(natural);
        // As many dimensions as the type says, each of one element.
        let rank = match ty {
            Some(Type::Tensor(Some(info))) => info.sizes.as_ref().map_or(0, Vec::len),
            _ => 0,
        };
        Tensor::full(&vec![1; rank], scalar, dtype)
            .map(Value::Tensor)
            .map_err(|e| self.error(e.message()))
    }

    /// A number of a type, or of the type that it looks like.
    fn number(&mut self, ty: Option<&Type>) -> Result<Value> {
        let text = self.word("a constant", |c| {
            c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-')
        })?;
        let bad = || self.error(format!("`{text}` is no number"));
        let integer = || text.parse::<i64>().map_err(|_| bad());
        let float = || text.parse::<f64>().map_err(|_| bad());
        Ok(match ty.map(Type::runtime) {
            Some(Type::Bool) => Value::Bool(integer()? != 0),
            Some(Type::Int) => Value::Int(integer()?),
            Some(Type::Float) => Value::Float(float()?),
            Some(Type::Complex) => Value::complex(complex(text).ok_or_else(bad)?),
            _ if text.ends_with('j') => Value::complex(complex(text).ok_or_else(bad)?),
            _ => match text.parse::<i64>() {
                Ok(i) => Value::Int(i),
                Err(_) => Value::Float(float()?),
            },
        })
    }

    /// A string in double quotes.
    fn string(&mut self) -> Result<String> {
        self.expect("\"")?;
        let bytes = self.text.as_bytes();
        let mut out = Vec::new();
        loop {
            let Some(&byte) = bytes.get(self.at) else {
                return Err(self.error("the string does not end"));
            };
            self.at += 1;
            match byte {
                b'"' => break,
                b'\\' => {
                    let (escaped, length) = unescape(&bytes[self.at..])
                        .ok_or_else(|| self.error("an unknown escape in a string"))?;
                    out.push(escaped);
                    self.at += length;
                }
                other => out.push(other),
            }
        }
        String::from_utf8(out).map_err(|_| self.error("the string is not UTF-8"))
    }
}

/// The byte that an escape stands for, and the escape's length without the backslash.
fn unescape(rest: &[u8]) -> Option<(u8, usize)> {
    let simple = match rest.first()? {
        b'\\' => b'\\',
        b'\'' => b'\'',
        b'"' => b'"',
        b'a' => 0x07,
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 0x0b,
        _ => {
            // Three digits of a signed number: those of bytes beyond ASCII lie below `0`.
            let digit = |i: usize| Some(i32::from(*rest.get(i)?) - i32::from(b'0'));
            let number = digit(0)? * 64 + digit(1)? * 8 + digit(2)?;
            return (-128..256).contains(&number).then_some((number as u8, 3));
        }
    };
    Some((simple, 1))
}

/// `1.5-2.j`.
fn complex(text: &str) -> Option<Complex64> {
    let body = text.strip_suffix('j')?;
    let bytes = body.as_bytes();
    let sign = (1..bytes.len())
        .rev()
        .find(|&i| matches!(bytes[i], b'+' | b'-') && !matches!(bytes[i - 1], b'e' | b'E'));
    match sign {
        Some(i) => Some(Complex64::new(
            body[..i].parse().ok()?,
            body[i..].parse().ok()?,
        )),
        None => Some(Complex64::new(0.0, body.parse().ok()?)),
    }
}
