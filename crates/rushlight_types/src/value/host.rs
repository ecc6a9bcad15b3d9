//! Values to and from the types of Rust, for programs that call scripts.
//!
//! [`FromValue`] says how a value becomes a type of Rust and [`Described`] which type of the language such a type is: a
//! list or dict must know that even where it is empty. `From` and `TryFrom` follow from them.

use super::{Dict, GenericList, IntoValues, Key, Object, Str, Value};
use crate::ty::unify_list;
use crate::{Fault, Result, Type};
use indexmap::IndexMap;
use rushlight_tensor::{Complex64, DType, Device, Scalar, Tensor};
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::Arc;

/// A type of Rust that a value can become.
pub trait FromValue: Sized {
    /// The value as this type, or a `TypeError` (`ValueError` for a number that does not fit).
    fn from_value(value: &Value) -> Result<Self>;
}

/// A type of Rust that stands for a type of the language.
pub trait Described {
    /// The type of the language.
    fn described() -> Type;
}

/// A type of Rust that can be the key of a dict.
pub trait DictKey: Described + Into<Value> {}

impl Value {
    /// The value as a type of Rust: numbers, strings, tensors, and tuples, `Vec`s, maps and `Option`s of them. Ints pass for
    /// floats and bools for ints, as in a call.
    ///
    /// ```
    /// use rushlight_types::Value;
    /// let value = Value::tuple_from((3i64, vec![1.5, 2.5], "name"));
    /// let (count, sizes, name) = value.to::<(usize, Vec<f64>, String)>()?;
    /// assert_eq!((count, sizes.len(), &*name), (3, 2, "name"));
    /// assert!(value.to::<i64>().is_err());
    /// # Ok::<(), rushlight_types::Fault>(())
    /// ```
    pub fn to<T: FromValue>(&self) -> Result<T> {
        T::from_value(self)
    }

    /// A tuple of the parts of a Rust tuple.
    pub fn tuple_from(items: impl IntoTuple) -> Value {
        Value::tuple(items.into_items())
    }

    /// A list of items of one type, or of the type that they have in common; fails where there is none. For a list
    /// without items there is [`Value::list`], which is told the type.
    ///
    /// ```
    /// use rushlight_types::Value;
    /// let list = Value::list_of(["a", "b"])?;
    /// assert_eq!(list.type_of().to_string(), "List[str]");
    /// # Ok::<(), rushlight_types::Fault>(())
    /// ```
    pub fn list_of<T: Into<Value>>(items: impl IntoIterator<Item = T>) -> Result<Value> {
        let items: Vec<Value> = items.into_iter().map(Into::into).collect();
        let types: Vec<Type> = items.iter().map(Value::type_of).collect();
        let element = common(&types, "the items of a list")?;
        Value::list(&element, items)
    }

    /// A dict of these entries, in this order; fails where keys or values have no type in common or cannot be keys.
    pub fn dict_of<K: Into<Value>, V: Into<Value>>(
        entries: impl IntoIterator<Item = (K, V)>,
    ) -> Result<Value> {
        let entries: Vec<(Value, Value)> = entries
            .into_iter()
            .map(|(key, value)| (key.into(), value.into()))
            .collect();
        let keys: Vec<Type> = entries.iter().map(|(key, _)| key.type_of()).collect();
        let values: Vec<Type> = entries.iter().map(|(_, value)| value.type_of()).collect();
        let keys = common(&keys, "the keys of a dict")?;
        let values = common(&values, "the values of a dict")?;
        Value::dict(keys, values, entries)
    }

    /// A dict of these types with these entries, in this order. Fails where a key cannot be one, or a key or value is not
    /// of the type.
    pub fn dict(
        key_type: Type,
        value_type: Type,
        entries: impl IntoIterator<Item = (Value, Value)>,
    ) -> Result<Value> {
        let dict = Dict::new(key_type, value_type);
        for (key, value) in entries {
            check_part(&key, &dict.key_type, "key")?;
            check_part(&value, &dict.value_type, "value")?;
            dict.insert(Key::new(key)?, value);
        }
        Ok(Value::Dict(Arc::new(dict)))
    }

    /// The items of a tuple, or a fault.
    pub fn as_tuple(&self) -> Result<&[Value]> {
        match self {
            Value::Tuple(tuple) => Ok(&tuple.items),
            _ => Err(self.not_a("Tuple")),
        }
    }

    /// The items of a list of any representation, or a fault. A copy: the list may change meanwhile.
    pub fn as_list(&self) -> Result<Vec<Value>> {
        match self {
            list if list.is_list() => list.list_items(),
            _ => Err(self.not_a("List")),
        }
    }

    /// The dict, or a fault; [`Dict::entries`] and [`Dict::get`] read it.
    pub fn as_dict(&self) -> Result<&Arc<Dict>> {
        match self {
            Value::Dict(dict) => Ok(dict),
            _ => Err(self.not_a("Dict")),
        }
    }

    /// The object, or a fault.
    pub fn as_object(&self) -> Result<&Arc<Object>> {
        match self {
            Value::Object(object) => Ok(object),
            _ => Err(self.not_a("object")),
        }
    }

    /// The device, or a fault.
    pub fn as_device(&self) -> Result<Device> {
        match self {
            Value::Device(device) => Ok(*device),
            _ => Err(self.not_a("Device")),
        }
    }
}

impl Dict {
    /// The value of a key; `None` where there is none, also where such a value cannot be a key.
    pub fn get(&self, key: impl Into<Value>) -> Option<Value> {
        let key = Key::new(key.into()).ok()?;
        self.items.lock().get(&key).cloned()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.items.lock().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// As `print` of a script shows it.
impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&super::print_text(self))
    }
}

fn common(types: &[Type], what: &str) -> Result<Type> {
    if types.is_empty() {
        return Err(Fault::type_error(format!(
            "{what} have no type because there are none; `Value::list` and `Value::dict` take the type"
        )));
    }
    unify_list(types, false).ok_or_else(|| {
        let mut names: Vec<String> = types.iter().map(Type::to_string).collect();
        rushlight_tensor::order::sort(&mut names);
        names.dedup();
        Fault::type_error(format!(
            "{what} have no type in common: {}",
            names.join(", ")
        ))
    })
}

fn check_part(value: &Value, ty: &Type, what: &str) -> Result<()> {
    if value.is_instance(ty) {
        return Ok(());
    }
    Err(Fault::type_error(format!(
        "a {what} of type '{}' in a dict of '{ty}'",
        value.type_of()
    )))
}

/// A tuple of Rust whose parts are values.
pub trait IntoTuple {
    /// The parts in order.
    fn into_items(self) -> Vec<Value>;
}

impl IntoTuple for () {
    fn into_items(self) -> Vec<Value> {
        Vec::new()
    }
}

impl<A: Into<Value>> IntoTuple for (A,) {
    fn into_items(self) -> Vec<Value> {
        vec![self.0.into()]
    }
}

macro_rules! described {
    ($($t:ty => $ty:expr;)*) => {$(
        impl Described for $t {
            fn described() -> Type {
                $ty
            }
        }
    )*};
}
described! {
    i64 => Type::Int;
    i32 => Type::Int;
    u32 => Type::Int;
    f64 => Type::Float;
    f32 => Type::Float;
    bool => Type::Bool;
    String => Type::Str;
    &str => Type::Str;
    Str => Type::Str;
    Tensor => Type::TENSOR;
    Complex64 => Type::Complex;
    Device => Type::Device;
}

impl<T: Described> Described for Vec<T> {
    fn described() -> Type {
        Type::list(T::described())
    }
}

impl<T: Described> Described for Option<T> {
    fn described() -> Type {
        Type::optional(T::described())
    }
}

macro_rules! keys {
    ($($t:ty)*) => {$( impl DictKey for $t {} )*};
}
keys! { i64 i32 u32 f64 bool String &str Str }

macro_rules! into_value {
    ($($t:ty, $v:ident => $body:expr;)*) => {$(
        impl From<$t> for Value {
            fn from($v: $t) -> Value {
                $body
            }
        }
    )*};
}
into_value! {
    i8, v => Value::Int(v.into());
    i16, v => Value::Int(v.into());
    i32, v => Value::Int(v.into());
    u8, v => Value::Int(v.into());
    u16, v => Value::Int(v.into());
    u32, v => Value::Int(v.into());
    f32, v => Value::Float(v.into());
    &Tensor, v => Value::Tensor(v.clone());
    &String, v => Value::from(v.as_str());
    &[i64], v => v.to_vec().into();
    &[f64], v => v.to_vec().into();
    &[bool], v => v.to_vec().into();
    &[Tensor], v => v.to_vec().into();
    &[&str], v => Value::from(v.iter().map(|s| s.to_string()).collect::<Vec<String>>());
    Vec<&str>, v => Value::from(v.as_slice());
    Vec<Vec<i64>>, v => generic(v);
    Vec<Vec<f64>>, v => generic(v);
    Vec<Vec<bool>>, v => generic(v);
    Vec<Vec<String>>, v => generic(v);
    Vec<Vec<Tensor>>, v => generic(v);
}

/// Lists of what is not kept unboxed.
fn generic<T: Described + Into<Value>>(items: Vec<T>) -> Value {
    let items = items.into_iter().map(Into::into).collect();
    Value::List(Arc::new(GenericList::new(T::described(), items)))
}

impl<T: Described + Into<Value>> From<Vec<Option<T>>> for Value {
    fn from(v: Vec<Option<T>>) -> Value {
        generic(v)
    }
}

/// A dict whose types are known although there may be no entries.
fn dict<K: DictKey, V: Described + Into<Value>>(entries: impl Iterator<Item = (K, V)>) -> Value {
    let dict = Dict::new(K::described(), V::described());
    for (key, value) in entries {
        dict.insert(Key::known(key.into()), value.into());
    }
    Value::Dict(Arc::new(dict))
}

/// In the order of the keys: that of a hash map is another each time.
impl<K: DictKey + Ord, V: Described + Into<Value>, S> From<HashMap<K, V, S>> for Value {
    fn from(map: HashMap<K, V, S>) -> Value {
        let mut entries: Vec<(K, V)> = map.into_iter().collect();
        rushlight_tensor::order::sort_by(&mut entries, |a, b| a.0.cmp(&b.0));
        dict(entries.into_iter())
    }
}

impl<K: DictKey, V: Described + Into<Value>> From<BTreeMap<K, V>> for Value {
    fn from(map: BTreeMap<K, V>) -> Value {
        dict(map.into_iter())
    }
}

impl<K: DictKey, V: Described + Into<Value>, S> From<IndexMap<K, V, S>> for Value {
    fn from(map: IndexMap<K, V, S>) -> Value {
        dict(map.into_iter())
    }
}

macro_rules! from_value {
    ($($t:ty, $v:ident => $body:expr;)*) => {$(
        impl FromValue for $t {
            fn from_value($v: &Value) -> Result<$t> {
                $body
            }
        }
        impl TryFrom<Value> for $t {
            type Error = Fault;
            fn try_from(value: Value) -> Result<$t> {
                <$t>::from_value(&value)
            }
        }
        impl TryFrom<&Value> for $t {
            type Error = Fault;
            fn try_from(value: &Value) -> Result<$t> {
                <$t>::from_value(value)
            }
        }
    )*};
}
from_value! {
    i64, v => v.as_int();
    i8, v => narrow(v, "i8");
    i16, v => narrow(v, "i16");
    i32, v => narrow(v, "i32");
    u8, v => narrow(v, "u8");
    u16, v => narrow(v, "u16");
    u32, v => narrow(v, "u32");
    u64, v => narrow(v, "u64");
    usize, v => narrow(v, "usize");
    f64, v => v.as_float();
    f32, v => v.as_float().map(|f| f as f32);
    bool, v => v.as_bool();
    String, v => v.as_str().map(str::to_string);
    Str, v => match v {
        Value::Str(s) => Ok(s.clone()),
        other => Err(other.not_a("str")),
    };
    Tensor, v => v.as_tensor().cloned();
    Scalar, v => v.as_scalar();
    Complex64, v => v.as_scalar().map(|s| s.to_complex());
    Device, v => v.as_device();
    DType, v => {
        let code = v.as_int()?;
        DType::from_code(code).ok_or_else(|| Fault::value(format!("{code} is the number of no dtype")))
    };
    Arc<Object>, v => v.as_object().cloned();
    Arc<Dict>, v => v.as_dict().cloned();
}

impl FromValue for Value {
    fn from_value(value: &Value) -> Result<Value> {
        Ok(value.clone())
    }
}

impl FromValue for () {
    fn from_value(value: &Value) -> Result<()> {
        match value {
            Value::None => Ok(()),
            other => Err(other.not_a("NoneType")),
        }
    }
}

fn narrow<T: TryFrom<i64>>(value: &Value, name: &str) -> Result<T> {
    let int = value.as_int()?;
    T::try_from(int).map_err(|_| Fault::value(format!("{int} does not fit into {name}")))
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &Value) -> Result<Option<T>> {
        match value {
            Value::None => Ok(None),
            other => T::from_value(other).map(Some),
        }
    }
}

/// Lists and tuples.
impl<T: FromValue> FromValue for Vec<T> {
    fn from_value(value: &Value) -> Result<Vec<T>> {
        value.list_items()?.iter().map(T::from_value).collect()
    }
}

fn entries_as<K: FromValue, V: FromValue, M: FromIterator<(K, V)>>(value: &Value) -> Result<M> {
    let entries = value.as_dict()?.entries();
    let converted = entries
        .iter()
        .map(|(key, value)| Ok((K::from_value(key)?, V::from_value(value)?)));
    converted.collect()
}

impl<K: FromValue + Hash + Eq, V: FromValue> FromValue for HashMap<K, V> {
    fn from_value(value: &Value) -> Result<Self> {
        entries_as(value)
    }
}

impl<K: FromValue + Ord, V: FromValue> FromValue for BTreeMap<K, V> {
    fn from_value(value: &Value) -> Result<Self> {
        entries_as(value)
    }
}

impl<K: FromValue + Hash + Eq, V: FromValue> FromValue for IndexMap<K, V> {
    fn from_value(value: &Value) -> Result<Self> {
        entries_as(value)
    }
}

macro_rules! try_from {
    ($([$($bound:tt)*] $t:ty;)*) => {$(
        impl<$($bound)*> TryFrom<Value> for $t {
            type Error = Fault;
            fn try_from(value: Value) -> Result<Self> {
                <$t>::from_value(&value)
            }
        }
        impl<$($bound)*> TryFrom<&Value> for $t {
            type Error = Fault;
            fn try_from(value: &Value) -> Result<Self> {
                <$t>::from_value(value)
            }
        }
    )*};
}
try_from! {
    [T: FromValue] Vec<T>;
    [K: FromValue + Hash + Eq, V: FromValue] HashMap<K, V>;
    [K: FromValue + Ord, V: FromValue] BTreeMap<K, V>;
    [K: FromValue + Hash + Eq, V: FromValue] IndexMap<K, V>;
    [A: FromValue, B: FromValue] (A, B);
    [A: FromValue, B: FromValue, C: FromValue] (A, B, C);
    [A: FromValue, B: FromValue, C: FromValue, D: FromValue] (A, B, C, D);
    [A: FromValue, B: FromValue, C: FromValue, D: FromValue, E: FromValue] (A, B, C, D, E);
    [A: FromValue, B: FromValue, C: FromValue, D: FromValue, E: FromValue, F: FromValue] (A, B, C, D, E, F);
}

macro_rules! tuples {
    ($($n:literal: $($t:ident $i:tt),*;)*) => {$(
        impl<$($t: FromValue),*> FromValue for ($($t,)*) {
            fn from_value(value: &Value) -> Result<Self> {
                let items = value.as_tuple()?;
                if items.len() != $n {
                    return Err(Fault::value(format!(
                        "a tuple of {} where one of {} was expected", items.len(), $n
                    )));
                }
                Ok(($($t::from_value(&items[$i])?,)*))
            }
        }
        impl<$($t: Into<Value>),*> IntoTuple for ($($t,)*) {
            fn into_items(self) -> Vec<Value> {
                let mut items = vec![Value::None; $n];
                self.into_values(&mut items);
                items
            }
        }
    )*};
}
tuples! {
    2: A 0, B 1;
    3: A 0, B 1, C 2;
    4: A 0, B 1, C 2, D 3;
    5: A 0, B 1, C 2, D 3, E 4;
    6: A 0, B 1, C 2, D 3, E 4, F 5;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_as_they_went_in() {
        let nested = vec![vec![1i64, 2], vec![]];
        let value = Value::from(nested.clone());
        assert_eq!(value.type_of().to_string(), "List[List[int]]");
        assert_eq!(value.to::<Vec<Vec<i64>>>().unwrap(), nested);

        let map = BTreeMap::from([("a".to_string(), 1.5), ("b".to_string(), 2.5)]);
        let value = Value::from(map.clone());
        assert_eq!(value.type_of().to_string(), "Dict[str, float]");
        assert_eq!(BTreeMap::<String, f64>::try_from(&value).unwrap(), map);
        assert_eq!(
            value.as_dict().unwrap().get("b").unwrap().as_float(),
            Ok(2.5)
        );

        let ordered: IndexMap<String, f64> = IndexMap::try_from(value).unwrap();
        assert_eq!(ordered.keys().collect::<Vec<_>>(), ["a", "b"]);

        let holes = Value::from(vec![Some(1i64), None]);
        assert_eq!(holes.to::<Vec<Option<i64>>>().unwrap(), [Some(1), None]);
        assert_eq!(Value::None.to::<Option<f64>>().unwrap(), None);
        assert_eq!(i32::try_from(Value::from(-7i32)).unwrap(), -7);
    }

    #[test]
    fn a_hash_map_becomes_a_dict_in_the_order_of_its_keys() {
        let map: HashMap<i64, bool> = (0..50).map(|i| (i, true)).collect();
        let entries = Value::from(map).as_dict().unwrap().entries();
        let keys: Vec<i64> = entries.iter().map(|(k, _)| k.as_int().unwrap()).collect();
        assert_eq!(keys, (0..50).collect::<Vec<i64>>());
    }

    #[test]
    fn empty_maps_and_lists_know_their_types() {
        let empty: HashMap<String, Vec<Tensor>> = HashMap::new();
        let ty = Value::from(empty).type_of().to_string();
        assert_eq!(ty, "Dict[str, List[Tensor]]");
        assert!(Value::list_of(Vec::<i64>::new()).is_err());
    }

    #[test]
    fn what_does_not_fit_is_refused_by_name() {
        let told = |fault: Fault| fault.message().to_string();
        let big = Value::Int(300);
        assert_eq!(
            told(u8::try_from(&big).unwrap_err()),
            "300 does not fit into u8"
        );
        assert_eq!(
            told(big.to::<String>().unwrap_err()),
            "expected a value of type 'str' but found 'int'"
        );
        assert_eq!(
            told(
                Value::tuple_from((1i64, 2i64))
                    .to::<(i64, i64, i64)>()
                    .unwrap_err()
            ),
            "a tuple of 2 where one of 3 was expected"
        );
        let mixed = Value::list_of([Value::from(1i64), Value::from("a")]);
        assert_eq!(
            told(mixed.unwrap_err()),
            "the items of a list have no type in common: int, str"
        );
        let entry = [(Value::from("k"), Value::from("v"))];
        assert!(Value::dict(Type::Str, Type::Int, entry).is_err());
    }
}
