//! Runtime data: [`Value`] is what registers, lists and attributes hold.
//!
//! Numbers live in the value itself; lists of int, float, bool and tensors are unboxed. Containers and objects have
//! identity and are shared: clones are the same list. A lock per container keeps threads of one program from tearing
//! them; it is never held while anything else is called.

mod block;
mod convert;
mod copy;
mod decimal;
mod dict;
mod entries;
mod equal;
mod format;
pub mod guarded;
mod host;
mod list;
mod object;
mod place;
mod release;
mod text;
mod waiting;

pub use convert::{AnyDType, FromCall, IntoValues, ValueKind};
pub use copy::{Copier, PlainCopies, deep_copy};
pub use dict::{Dict, Key};
pub use entries::Entries;
pub(crate) use format::write_default;
pub use format::{float_text, general_text, print_str, print_text, repr_text, with_printed};
pub use host::{Described, DictKey, FromValue, IntoTuple};
pub use list::{GenericList, List};
pub use object::{EnumValue, Object, Tuple};
pub use text::{Short, Str, undecodable};
pub use waiting::{Await, Future};

use crate::{Callable, Fault, Result, Type};
use parking_lot::Mutex;
use rushlight_tensor::{Complex64, Device, Scalar, Tensor};
use std::any::Any;
use std::sync::Arc;

/// The generator behind a `Generator` value: shared state of a random stream.
pub type SharedGenerator = Arc<Mutex<rushlight_tensor::Generator>>;

/// A TorchScript value. Its layout is that of `repr(u8)`, which machine code relies on: a byte that tells the variants
/// apart, a bool or a string behind it, and everything else in the second word.
#[derive(Clone, Default)]
#[repr(u8)]
pub enum Value {
    #[default]
    None,
    Bool(bool),
    Int(i64),
    Float(f64),
    /// Its bytes begin behind the first byte of the value.
    Str(Str),
    Complex(Arc<Complex64>),
    Tensor(Tensor),
    Device(Device),
    Generator(SharedGenerator),
    IntList(List<i64>),
    FloatList(List<f64>),
    BoolList(List<bool>),
    TensorList(List<Tensor>),
    /// A list of anything else, with its element type.
    List(Arc<GenericList>),
    Dict(Arc<Dict>),
    Tuple(Arc<Tuple>),
    Object(Arc<Object>),
    Enum(Arc<EnumValue>),
    Future(Arc<Future>),
    Await(Arc<Await>),
    /// A function used as a value.
    Function(Arc<Arc<dyn Callable>>),
    /// Anything a host program hands through a script: Python objects, RRefs, streams.
    Foreign(Arc<Box<dyn Any + Send + Sync>>),
    /// A variable before its first assignment on this path.
    Uninitialized,
}

const _: () = assert!(size_of::<Value>() == 16, "registers are two words");

impl Value {
    /// A str.
    pub fn str(text: impl Into<String>) -> Value {
        Value::Str(Str::from(text.into()))
    }

    /// A complex number.
    pub fn complex(c: Complex64) -> Value {
        Value::Complex(Arc::new(c))
    }

    /// A list in the representation that its element type asks for.
    pub fn list(element: &Type, items: Vec<Value>) -> Result<Value> {
        Ok(match element.runtime() {
            Type::Int => Value::IntList(
                items
                    .iter()
                    .map(Value::as_int)
                    .collect::<Result<Vec<_>>>()?
                    .into(),
            ),
            Type::Float => Value::FloatList(
                items
                    .iter()
                    .map(Value::as_float)
                    .collect::<Result<Vec<_>>>()?
                    .into(),
            ),
            Type::Bool => Value::BoolList(
                items
                    .iter()
                    .map(Value::as_bool)
                    .collect::<Result<Vec<_>>>()?
                    .into(),
            ),
            Type::Tensor(_) => Value::TensorList(
                items
                    .iter()
                    .map(|v| v.as_tensor().cloned())
                    .collect::<Result<Vec<_>>>()?
                    .into(),
            ),
            other => Value::List(Arc::new(GenericList::new(other, items))),
        })
    }

    /// A tuple.
    pub fn tuple(items: Vec<Value>) -> Value {
        Value::Tuple(Arc::new(Tuple::plain(items)))
    }

    /// A number.
    pub fn scalar(s: Scalar) -> Value {
        match s {
            Scalar::Bool(b) => Value::Bool(b),
            Scalar::Int(i) => Value::Int(i),
            Scalar::Float(f) => Value::Float(f),
            Scalar::Complex(c) => Value::complex(c),
        }
    }

    /// Writes a copy over another value: tag and content each at once, as they are read again.
    #[inline]
    pub fn copy_to(&self, to: &mut Value) {
        match self {
            Value::Int(i) => *to = Value::Int(*i),
            Value::Float(f) => *to = Value::Float(*f),
            Value::Bool(b) => *to = Value::Bool(*b),
            Value::Str(s) => *to = Value::Str(s.clone()),
            Value::Tuple(t) => *to = Value::Tuple(t.clone()),
            other => *to = other.clone(),
        }
    }

    /// Whether something holds for this tensor, or for one in this list.
    #[inline]
    pub fn any_tensor(&self, holds: impl Fn(&Tensor) -> bool) -> bool {
        match self {
            Value::Tensor(tensor) => holds(tensor),
            Value::TensorList(list) => list.lock().iter().any(holds),
            Value::List(list) => {
                let is_one = |v: &Value| matches!(v, Value::Tensor(t) if holds(t));
                list.items.lock().iter().any(is_one)
            }
            _ => false,
        }
    }

    /// Whether gradients are recorded for this tensor, or for one in this list.
    #[inline]
    pub fn requires_grad(&self) -> bool {
        self.any_tensor(Tensor::requires_grad)
    }

    /// Whether this is None.
    #[inline]
    pub fn is_none(&self) -> bool {
        matches!(self, Value::None)
    }

    /// The fault of a value that is not of the wanted type.
    #[cold]
    pub fn not_a(&self, wanted: &str) -> Fault {
        Fault::type_error(format!(
            "expected a value of type '{wanted}' but found '{}'",
            self.type_of()
        ))
    }

    /// The int (a bool counts), or a fault.
    #[inline]
    pub fn as_int(&self) -> Result<i64> {
        match self {
            Value::Int(i) => Ok(*i),
            Value::Bool(b) => Ok(*b as i64),
            _ => Err(self.not_a("int")),
        }
    }

    /// The float (ints and bools convert), or a fault.
    #[inline]
    pub fn as_float(&self) -> Result<f64> {
        match self {
            Value::Float(f) => Ok(*f),
            Value::Int(i) => Ok(*i as f64),
            Value::Bool(b) => Ok(*b as u8 as f64),
            _ => Err(self.not_a("float")),
        }
    }

    /// The bool, or a fault.
    #[inline]
    pub fn as_bool(&self) -> Result<bool> {
        match self {
            Value::Bool(b) => Ok(*b),
            Value::Int(i) => Ok(*i != 0),
            _ => Err(self.not_a("bool")),
        }
    }

    /// The str as text, or a fault.
    #[inline]
    pub fn as_str(&self) -> Result<&str> {
        match self {
            Value::Str(s) => s.as_str(),
            _ => Err(self.not_a("str")),
        }
    }

    /// The bytes of the str, or a fault.
    #[inline]
    pub fn as_bytes(&self) -> Result<&[u8]> {
        match self {
            Value::Str(s) => Ok(s.as_bytes()),
            _ => Err(self.not_a("str")),
        }
    }

    /// The tensor, or a fault.
    #[inline]
    pub fn as_tensor(&self) -> Result<&Tensor> {
        match self {
            Value::Tensor(t) => Ok(t),
            _ => Err(self.not_a("Tensor")),
        }
    }

    /// The number, or a fault.
    #[inline]
    pub fn as_scalar(&self) -> Result<Scalar> {
        Ok(match self {
            Value::Int(i) => Scalar::Int(*i),
            Value::Float(f) => Scalar::Float(*f),
            Value::Bool(b) => Scalar::Bool(*b),
            Value::Complex(c) => Scalar::Complex(**c),
            Value::Tensor(t) if t.rank() == 0 => t.item()?,
            _ => return Err(self.not_a("number")),
        })
    }

    /// The elements of a list of any representation or a tuple, or a fault.
    pub fn list_items(&self) -> Result<Vec<Value>> {
        Ok(match self {
            Value::IntList(l) => l.lock().iter().map(|v| Value::Int(*v)).collect(),
            Value::FloatList(l) => l.lock().iter().map(|v| Value::Float(*v)).collect(),
            Value::BoolList(l) => l.lock().iter().map(|v| Value::Bool(*v)).collect(),
            Value::TensorList(l) => l.lock().iter().map(|v| Value::Tensor(v.clone())).collect(),
            Value::List(l) => l.items.lock().clone(),
            Value::Tuple(t) => t.items.to_vec(),
            _ => return Err(self.not_a("List")),
        })
    }

    /// Whether this is a list of any representation.
    pub fn is_list(&self) -> bool {
        matches!(
            self,
            Value::IntList(_)
                | Value::FloatList(_)
                | Value::BoolList(_)
                | Value::TensorList(_)
                | Value::List(_)
        )
    }

    /// The most precise type that the value shows at run time.
    pub fn type_of(&self) -> Type {
        match self {
            Value::None | Value::Uninitialized => Type::None,
            Value::Bool(_) => Type::Bool,
            Value::Int(_) => Type::Int,
            Value::Float(_) => Type::Float,
            Value::Complex(_) => Type::Complex,
            Value::Str(_) => Type::Str,
            Value::Tensor(_) => Type::TENSOR,
            Value::Device(_) => Type::Device,
            Value::Generator(_) => Type::Generator,
            Value::IntList(_) => Type::list(Type::Int),
            Value::FloatList(_) => Type::list(Type::Float),
            Value::BoolList(_) => Type::list(Type::Bool),
            Value::TensorList(_) => Type::list(Type::TENSOR),
            Value::List(l) => Type::list(l.element.clone()),
            Value::Dict(d) => Type::dict(d.key_type.clone(), d.value_type.clone()),
            Value::Tuple(t) => match &t.ty {
                Some(ty) => Type::Tuple(ty.clone()),
                None => Type::tuple(t.items.iter().map(Value::type_of).collect()),
            },
            Value::Object(o) => Type::Class(o.class().clone()),
            Value::Enum(e) => Type::Enum(e.ty.clone()),
            Value::Future(f) => Type::future(f.ty().clone()),
            Value::Await(a) => Type::Await(Arc::new(a.ty().clone())),
            Value::Function(f) => Type::Function(Arc::new(crate::FunctionType {
                name: f.name().into(),
                schema: f.schema(),
                callee: (**f).clone(),
            })),
            Value::Foreign(_) => match crate::RRef::of(self) {
                Some(reference) => Type::RRef(Arc::new(reference.ty.clone())),
                None => Type::PyObject,
            },
        }
    }

    /// Whether both are the same object (Python's `is`); numbers compare by value. Members of enums are made anew wherever
    /// a script names them, as in the reference: `member is Class.NAME` is false.
    pub fn is_same(&self, other: &Value) -> bool {
        equal::same(self, other)
    }

    /// Whether the value belongs to a type, as `isinstance` on an `Any` decides at run time.
    pub fn is_instance(&self, ty: &Type) -> bool {
        self.type_of().is_subtype_of(ty)
    }
}

impl PartialEq for Value {
    /// Structural equality; tensors compare by identity. For `==` of the language see the operators.
    fn eq(&self, other: &Value) -> bool {
        equal::equal(self, other)
    }
}

impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&repr_text(self))
    }
}
