//! Values as bytes: a tag and what it says, containers in depth. Reading checks every length against what is there.

use crate::agent::Host;
use rushlight_tensor::{Complex64, DType, Device, Fault, Layout, Result, Storage, Tensor};
use rushlight_types::{Dict, GenericList, Key, RRef, Str, Type, Value, Worker};
use std::sync::Arc;

/// Containers nested deeper than this are refused.
const DEPTH: usize = 200;

/// Writes numbers and texts.
#[derive(Default)]
pub(crate) struct Writer(pub Vec<u8>);

impl Writer {
    pub fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    pub fn number(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }

    pub fn float(&mut self, value: f64) {
        self.number(value.to_bits());
    }

    pub fn bytes(&mut self, value: &[u8]) {
        self.number(value.len() as u64);
        self.0.extend(value);
    }

    pub fn text(&mut self, value: &str) {
        self.bytes(value.as_bytes());
    }
}

/// Reads what a [`Writer`] has written; everything it meets may be wrong.
pub(crate) struct Reader<'a>(pub &'a [u8]);

#[cold]
fn short() -> Fault {
    Fault::runtime("a message of another process ends too early")
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(count).ok_or_else(short)?;
        self.0 = rest;
        Ok(head)
    }

    pub fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    pub fn number(&mut self) -> Result<u64> {
        let bytes = self.take(8)?.try_into().map_err(|_| short())?;
        Ok(u64::from_le_bytes(bytes))
    }

    pub fn float(&mut self) -> Result<f64> {
        self.number().map(f64::from_bits)
    }

    /// A length of things that take `size` bytes at least, so that no more are announced than can be there.
    pub fn length(&mut self, size: usize) -> Result<usize> {
        let count = usize::try_from(self.number()?).map_err(|_| short())?;
        match count.checked_mul(size) {
            Some(bytes) if bytes <= self.0.len() => Ok(count),
            _ => Err(short()),
        }
    }

    pub fn bytes(&mut self) -> Result<&'a [u8]> {
        let count = self.length(1)?;
        self.take(count)
    }

    pub fn text(&mut self) -> Result<&'a str> {
        std::str::from_utf8(self.bytes()?)
            .map_err(|_| Fault::runtime("a message of another process holds a text that is none"))
    }
}

/// Writes a value. What only the host program knows is written by it.
pub(crate) fn write(out: &mut Writer, value: &Value, host: &dyn Host, depth: usize) -> Result<()> {
    if depth > DEPTH {
        return Err(Fault::runtime("a value is nested too deeply to be sent"));
    }
    match value {
        Value::None => out.byte(b'N'),
        Value::Bool(b) => {
            out.byte(b'B');
            out.byte(u8::from(*b));
        }
        Value::Int(i) => {
            out.byte(b'I');
            out.number(*i as u64);
        }
        Value::Float(f) => {
            out.byte(b'F');
            out.float(*f);
        }
        Value::Complex(c) => {
            out.byte(b'C');
            out.float(c.re);
            out.float(c.im);
        }
        Value::Str(s) => {
            out.byte(b'S');
            out.bytes(s.as_bytes());
        }
        Value::Device(d) => {
            out.byte(b'D');
            out.text(&d.to_string());
        }
        Value::Tensor(t) => {
            out.byte(b'T');
            write_tensor(out, t)?;
        }
        Value::IntList(list) => {
            let items = list.lock();
            out.byte(b'i');
            out.number(items.len() as u64);
            items.iter().for_each(|i| out.number(*i as u64));
        }
        Value::FloatList(list) => {
            let items = list.lock();
            out.byte(b'f');
            out.number(items.len() as u64);
            items.iter().for_each(|f| out.float(*f));
        }
        Value::BoolList(list) => {
            let items = list.lock();
            out.byte(b'b');
            out.number(items.len() as u64);
            items.iter().for_each(|b| out.byte(u8::from(*b)));
        }
        Value::TensorList(list) => {
            let items = list.lock().clone();
            out.byte(b't');
            out.number(items.len() as u64);
            items.iter().try_for_each(|t| write_tensor(out, t))?;
        }
        Value::List(list) => {
            let items = list.items.lock().clone();
            write_all(out, b'L', &items, host, depth)?;
        }
        Value::Tuple(tuple) => write_all(out, b'U', &tuple.items, host, depth)?,
        Value::Dict(dict) => {
            let entries = dict.entries();
            out.byte(b'M');
            out.number(entries.len() as u64);
            for (key, value) in &entries {
                write(out, key, host, depth + 1)?;
                write(out, value, host, depth + 1)?;
            }
        }
        other => match RRef::of(other) {
            Some(reference) => {
                out.byte(b'R');
                host.shared(reference);
                out.number(u64::from(reference.owner.id));
                out.text(&reference.owner.name);
                out.number(u64::from(reference.key.0));
                out.number(reference.key.1);
            }
            None => {
                let bytes = host.encode(other)?.ok_or_else(|| {
                    Fault::type_error(format!(
                        "a value of type {} cannot be sent to another process",
                        other.type_of()
                    ))
                })?;
                out.byte(b'P');
                out.bytes(&bytes);
            }
        },
    }
    Ok(())
}

fn write_all(
    out: &mut Writer,
    tag: u8,
    items: &[Value],
    host: &dyn Host,
    depth: usize,
) -> Result<()> {
    out.byte(tag);
    out.number(items.len() as u64);
    items
        .iter()
        .try_for_each(|item| write(out, item, host, depth + 1))
}

fn write_tensor(out: &mut Writer, tensor: &Tensor) -> Result<()> {
    if tensor.dtype().is_quantized() {
        return Err(Fault::type_error(
            "a quantized tensor cannot be sent to another process",
        ));
    }
    let dense = tensor.resolved().contiguous();
    out.byte(dense.dtype().code() as u8);
    out.byte(u8::from(tensor.requires_grad()));
    out.number(dense.rank() as u64);
    dense.sizes().iter().for_each(|s| out.number(*s as u64));
    out.bytes(&elements(&dense)?);
    Ok(())
}

/// The bytes of a tensor without gaps.
fn elements(dense: &Tensor) -> Result<Vec<u8>> {
    let size = dense.dtype().size();
    let layout = Layout::strided(
        &[dense.numel() * size],
        &[1],
        dense.layout().offset() * size,
    );
    Ok(Tensor::view_of(&dense.storage(), DType::U8, layout)?.to_vec::<u8>())
}

fn read_tensor(from: &mut Reader<'_>) -> Result<Tensor> {
    let wrong = || Fault::runtime("a message of another process holds a tensor that is none");
    let dtype = DType::from_code(i64::from(from.byte()?)).ok_or_else(wrong)?;
    if dtype.is_quantized() {
        return Err(wrong());
    }
    let requires_grad = from.byte()? != 0;
    let rank = from.length(8)?;
    let mut sizes = Vec::with_capacity(rank);
    for _ in 0..rank {
        sizes.push(usize::try_from(from.number()?).map_err(|_| wrong())?);
    }
    let bytes = from.bytes()?;
    let count = sizes
        .iter()
        .try_fold(dtype.size(), |n, s| n.checked_mul(*s))
        .ok_or_else(wrong)?;
    if count != bytes.len() {
        return Err(wrong());
    }
    let storage = match dtype {
        // A truth has one of two values, whatever the byte.
        DType::Bool => {
            Storage::copy_of(&bytes.iter().map(|b| u8::from(*b != 0)).collect::<Vec<_>>())
        }
        _ => Storage::copy_of(bytes),
    };
    let tensor = Tensor::view_of(&storage, dtype, Layout::contiguous(&sizes))?;
    tensor.set_requires_grad(requires_grad && (dtype.is_float() || dtype.is_complex()));
    Ok(tensor)
}

/// Reads a value; `me` finds the values that this process keeps.
pub(crate) fn read(from: &mut Reader<'_>, host: &dyn Host, depth: usize) -> Result<Value> {
    if depth > DEPTH {
        return Err(Fault::runtime(
            "a value of another process is nested too deeply",
        ));
    }
    Ok(match from.byte()? {
        b'N' => Value::None,
        b'B' => Value::Bool(from.byte()? != 0),
        b'I' => Value::Int(from.number()? as i64),
        b'F' => Value::Float(from.float()?),
        b'C' => Value::complex(Complex64::new(from.float()?, from.float()?)),
        b'S' => Value::Str(Str::from(from.bytes()?)),
        b'D' => Value::Device(Device::parse(from.text()?)?),
        b'T' => read_tensor(from)?.into(),
        b'i' => {
            let count = from.length(8)?;
            let items: Result<Vec<i64>> = (0..count).map(|_| Ok(from.number()? as i64)).collect();
            items?.into()
        }
        b'f' => {
            let count = from.length(8)?;
            let items: Result<Vec<f64>> = (0..count).map(|_| from.float()).collect();
            items?.into()
        }
        b'b' => {
            let count = from.length(1)?;
            let items: Result<Vec<bool>> = (0..count).map(|_| Ok(from.byte()? != 0)).collect();
            items?.into()
        }
        b't' => {
            let count = from.length(18)?;
            let items: Result<Vec<Tensor>> = (0..count).map(|_| read_tensor(from)).collect();
            items?.into()
        }
        b'L' => {
            let items = read_all(from, host, depth)?;
            let element = items.first().map_or(Type::Any, Value::type_of);
            Value::List(Arc::new(GenericList::new(element, items)))
        }
        b'U' => Value::tuple(read_all(from, host, depth)?),
        b'M' => {
            let count = from.length(2)?;
            let mut entries = Vec::with_capacity(count);
            for _ in 0..count {
                let key = Key::new(read(from, host, depth + 1)?)?;
                entries.push((key, read(from, host, depth + 1)?));
            }
            let (key, value) = entries.first().map_or((Type::Str, Type::Any), |(k, v)| {
                (k.value().type_of(), v.type_of())
            });
            let dict = Dict::new(key, value);
            dict.items.lock().extend(entries);
            Value::Dict(Arc::new(dict))
        }
        b'R' => {
            let owner = Worker {
                id: from.number()? as u32,
                name: from.text()?.into(),
            };
            let key = (from.number()? as u32, from.number()?);
            host.reference(owner, key).into_value()
        }
        b'P' => host.decode(from.bytes()?)?,
        _ => {
            return Err(Fault::runtime(
                "a message of another process holds a value of an unknown kind",
            ));
        }
    })
}

fn read_all(from: &mut Reader<'_>, host: &dyn Host, depth: usize) -> Result<Vec<Value>> {
    let count = from.length(1)?;
    (0..count).map(|_| read(from, host, depth + 1)).collect()
}
