//! Between values and the argument and result types of typed kernels: boxing and unboxing, derived once here.
//!
//! A kernel is a plain function such as `fn(&Tensor, &Tensor, Scalar) -> Result<Tensor>`. Each parameter type says
//! here how it is read from a call's slot, each result type how it is written back.

use super::{Dict, GenericList, List, Object, SharedGenerator, Str, Tuple};
use crate::{Call, Context, Fault, Result, Value};
use rushlight_tensor::{Complex64, DType, Device, MemoryFormat, Scalar, Tensor, without_quantizer};
use smallvec::SmallVec;
use std::sync::Arc;

/// A type that kernels take as a parameter.
pub trait FromCall<'a>: Sized {
    /// Reads the parameter from the next slot (or from the call itself) and advances `index` past what was used.
    fn from_call(call: &'a Call<'_>, index: &mut usize) -> Result<Self>;
}

/// A dtype that may be a quantized one. Most kernels take [`DType`], for which those are refused: what they make has no
/// scale.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AnyDType(pub DType);

/// A parameter read from exactly one value.
pub trait ValueKind<'a>: Sized {
    fn from_value(value: &'a Value) -> Result<Self>;
}

impl<'a, T: ValueKind<'a>> FromCall<'a> for T {
    #[inline(always)]
    fn from_call(call: &'a Call<'_>, index: &mut usize) -> Result<T> {
        let i = *index;
        *index += 1;
        match call.inputs().get(i) {
            Some(value) => T::from_value(value),
            None => Err(missing(i)),
        }
    }
}

#[cold]
fn missing(index: usize) -> Fault {
    Fault::internal(format!(
        "operator called without its argument number {index}"
    ))
}

impl<'a> FromCall<'a> for &'a Context {
    #[inline(always)]
    fn from_call(call: &'a Call<'_>, _: &mut usize) -> Result<&'a Context> {
        Ok(call.context())
    }
}

/// All remaining inputs: the parameter of variadic operators.
impl<'a> FromCall<'a> for &'a [Value] {
    #[inline(always)]
    fn from_call(call: &'a Call<'_>, index: &mut usize) -> Result<&'a [Value]> {
        let i = std::mem::replace(index, usize::MAX);
        Ok(call.inputs().get(i..).unwrap_or(&[]))
    }
}

macro_rules! by_reference {
    ($($t:ty, $variant:ident;)*) => {$(
        impl<'a> ValueKind<'a> for &'a $t {
            #[inline(always)]
            fn from_value(value: &'a Value) -> Result<&'a $t> {
                match value {
                    Value::$variant(inner) => Ok(inner),
                    other => Err(other.not_a(stringify!($variant))),
                }
            }
        }
    )*};
}
by_reference! {
    Tensor, Tensor;
    Str, Str;
    SharedGenerator, Generator;
    List<i64>, IntList;
    List<f64>, FloatList;
    List<bool>, BoolList;
    List<Tensor>, TensorList;
    Arc<GenericList>, List;
    Arc<Dict>, Dict;
    Arc<Tuple>, Tuple;
    Arc<Object>, Object;
    Arc<super::EnumValue>, Enum;
    Arc<super::Future>, Future;
    Arc<super::Await>, Await;
}

impl<'a> ValueKind<'a> for &'a Value {
    #[inline(always)]
    fn from_value(value: &'a Value) -> Result<&'a Value> {
        Ok(value)
    }
}

macro_rules! by_value {
    ($($t:ty, $v:ident => $body:expr;)*) => {$(
        impl<'a> ValueKind<'a> for $t {
            #[inline(always)]
            fn from_value($v: &'a Value) -> Result<$t> {
                $body
            }
        }
    )*};
}
by_value! {
    i64, v => v.as_int();
    f64, v => v.as_float();
    bool, v => v.as_bool();
    &'a str, v => v.as_str();
    &'a [u8], v => v.as_bytes();
    Scalar, v => v.as_scalar();
    Device, v => match v {
        Value::Device(d) => Ok(*d),
        Value::Str(s) => Device::parse(s.as_str()?),
        other => Err(other.not_a("Device")),
    };
    Complex64, v => Ok(v.as_scalar()?.to_complex());
    DType, v => {
        let AnyDType(dtype) = AnyDType::from_value(v)?;
        if dtype.is_quantized() {
            return Err(without_quantizer());
        }
        Ok(dtype)
    };
    AnyDType, v => {
        let code = v.as_int()?;
        let dtype = DType::from_code(code);
        dtype.map(AnyDType).ok_or_else(|| Fault::runtime(format!("dtype number {code} is not supported")))
    };
    MemoryFormat, v => {
        let code = v.as_int()?;
        MemoryFormat::from_code(code).ok_or_else(|| Fault::runtime(format!("memory format number {code} is not supported")))
    };
    // A copy of the ints: sizes, strides, dims. Inline up to six, so that no kernel holds a list's lock.
    SmallVec<[i64; 6]>, v => match v {
        Value::IntList(l) => Ok(SmallVec::from_slice(&l.lock())),
        Value::Int(i) => Ok(smallvec::smallvec![*i]),
        other => other.list_items()?.iter().map(Value::as_int).collect(),
    };
    SmallVec<[f64; 6]>, v => match v {
        Value::FloatList(l) => Ok(SmallVec::from_slice(&l.lock())),
        Value::Float(f) => Ok(smallvec::smallvec![*f]),
        other => other.list_items()?.iter().map(Value::as_float).collect(),
    };
    SmallVec<[bool; 6]>, v => match v {
        Value::BoolList(l) => Ok(SmallVec::from_slice(&l.lock())),
        other => other.list_items()?.iter().map(Value::as_bool).collect(),
    };
    // A copy of the tensors of a list.
    Vec<Tensor>, v => match v {
        Value::TensorList(l) => Ok(l.lock().clone()),
        other => other.list_items()?.iter().map(|t| t.as_tensor().cloned()).collect(),
    };
    // Lists with holes: `Tensor?[]`.
    Vec<Option<Tensor>>, v => match v {
        Value::TensorList(l) => Ok(l.lock().iter().cloned().map(Some).collect()),
        other => other
            .list_items()?
            .iter()
            .map(|t| if t.is_none() { Ok(None) } else { t.as_tensor().cloned().map(Some) })
            .collect(),
    };
    Vec<String>, v => v.list_items()?.iter().map(|s| s.as_str().map(str::to_string)).collect();
    Vec<Str>, v => v.list_items()?.into_iter().map(|s| match s {
        Value::Str(s) => Ok(s),
        other => Err(other.not_a("str")),
    }).collect();
}

impl<'a, T: ValueKind<'a>> ValueKind<'a> for Option<T> {
    #[inline(always)]
    fn from_value(value: &'a Value) -> Result<Option<T>> {
        match value {
            Value::None => Ok(None),
            other => T::from_value(other).map(Some),
        }
    }
}

/// A type that kernels return.
pub trait IntoValues {
    /// How many values there are.
    const COUNT: usize;
    /// Writes the values to the first slots; the slice has at least [`IntoValues::COUNT`].
    fn into_values(self, slots: &mut [Value]);
}

impl<T: Into<Value>> IntoValues for T {
    const COUNT: usize = 1;
    #[inline(always)]
    fn into_values(self, slots: &mut [Value]) {
        slots[0] = self.into();
    }
}

impl IntoValues for () {
    const COUNT: usize = 0;
    #[inline(always)]
    fn into_values(self, _: &mut [Value]) {}
}

macro_rules! tuple_values {
    ($n:literal: $($t:ident $i:tt),*) => {
        impl<$($t: Into<Value>),*> IntoValues for ($($t,)*) {
            const COUNT: usize = $n;
            #[inline(always)]
            fn into_values(self, slots: &mut [Value]) {
                $(slots[$i] = self.$i.into();)*
            }
        }
    };
}
tuple_values!(2: A 0, B 1);
tuple_values!(3: A 0, B 1, C 2);
tuple_values!(4: A 0, B 1, C 2, D 3);
tuple_values!(5: A 0, B 1, C 2, D 3, E 4);
tuple_values!(6: A 0, B 1, C 2, D 3, E 4, F 5);
tuple_values!(7: A 0, B 1, C 2, D 3, E 4, F 5, G 6);

macro_rules! into_value {
    ($($t:ty, $v:ident => $body:expr;)*) => {$(
        impl From<$t> for Value {
            #[inline(always)]
            fn from($v: $t) -> Value {
                $body
            }
        }
    )*};
}
into_value! {
    i64, v => Value::Int(v);
    f64, v => Value::Float(v);
    bool, v => Value::Bool(v);
    Tensor, v => Value::Tensor(v);
    String, v => Value::str(v);
    &str, v => Value::Str(Str::from(v));
    Str, v => Value::Str(v);
    Scalar, v => Value::scalar(v);
    Complex64, v => Value::complex(v);
    Device, v => Value::Device(v);
    DType, v => Value::Int(v.code());
    MemoryFormat, v => Value::Int(v.code());
    Vec<i64>, v => Value::IntList(v.into());
    Vec<f64>, v => Value::FloatList(v.into());
    Vec<bool>, v => Value::BoolList(v.into());
    Vec<Tensor>, v => Value::TensorList(v.into());
    List<i64>, v => Value::IntList(v);
    List<f64>, v => Value::FloatList(v);
    List<bool>, v => Value::BoolList(v);
    List<Tensor>, v => Value::TensorList(v);
    Arc<GenericList>, v => Value::List(v);
    Arc<Dict>, v => Value::Dict(v);
    Arc<Tuple>, v => Value::Tuple(v);
    Arc<Object>, v => Value::Object(v);
}

impl From<Vec<Str>> for Value {
    fn from(v: Vec<Str>) -> Value {
        let items = v.into_iter().map(Value::Str).collect();
        Value::List(Arc::new(GenericList::new(crate::Type::Str, items)))
    }
}

impl From<Vec<String>> for Value {
    fn from(v: Vec<String>) -> Value {
        let items = v.into_iter().map(Value::str).collect();
        Value::List(Arc::new(GenericList::new(crate::Type::Str, items)))
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    #[inline(always)]
    fn from(v: Option<T>) -> Value {
        v.map_or(Value::None, Into::into)
    }
}
