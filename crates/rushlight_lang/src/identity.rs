//! What a value is: hashes, addresses, enum members, devices, and operators that hand a value on.

use rushlight_tensor::{Device, DeviceKind, Tensor};
use rushlight_types::{
    Dispatch, Effect, Elements, EnumValue, Fault, Object, Result, Type, Value, op, operators,
    quick_op,
};
use std::sync::Arc;

operators! {
    /// Identity and description of values.
    pub static ROWS = [
        op!("aten::hash.generic(t value) -> int", hash),
        op!("prim::id(AnyClassType? x) -> int", id),
        quick_op!("prim::EnumName(AnyEnumType enum) -> str", enum_name),
        quick_op!("prim::EnumValue.int(AnyEnumType enum) -> int", enum_value),
        quick_op!("prim::EnumValue.float(AnyEnumType enum) -> float", enum_value),
        quick_op!("prim::EnumValue.str(AnyEnumType enum) -> str", enum_value),
        op!("aten::device(str a) -> Device", Device::parse).elements_are(Elements::Untouched),
        op!("aten::device.with_index(str type, int index) -> Device", device_with_index).effect(Effect::SideEffect).elements_are(Elements::Untouched),
        op!("prim::type(Device self) -> str", |d: Device| -> String { d.kind_name().to_string() }),
        op!("prim::index(Device self) -> int?", |d: Device| -> Option<i64> { d.index.map(i64::from) }),
        op!("aten::get_device(Tensor self) -> int", get_device).dispatch(Dispatch::Never),
        quick_op!("aten::_unwrap_optional(t(a)? optional) -> t(a)", unwrap_optional),
        op!("prim::unchecked_unwrap_optional(t(a)? optional) -> t(a)", Value::clone),
        op!("prim::unchecked_cast(t x) -> t", Value::clone),
        op!("prim::Uninitialized() -> Any", || -> Value { Value::Uninitialized }),
        op!("prim::IfThenElse(bool cond, Any(a) x, Any(b) y) -> Any(b|a)", if_then_else),
        op!("prim::TupleIndex(Any tup, int i) -> Any", tuple_index),
        op!("prim::ModuleContainerIndex.dict(Any self, str ind) -> Any", submodule),
        op!("prim::ModuleContainerIndex.list(Any self, int ind) -> Any", submodule_at),
    ];
}

/// The reference's hash: of texts and floats that of C++'s standard library on 64-bit machines.
fn hash(value: &Value) -> Result<i64> {
    hash_nested(value, 0)
}

fn hash_nested(value: &Value, depth: usize) -> Result<i64> {
    Ok(match value {
        Value::None => 0,
        Value::Bool(b) => *b as i64,
        Value::Int(i) => *i,
        Value::Float(f) if *f == 0.0 => 0,
        Value::Float(f) => hash_bytes(&f.to_bits().to_le_bytes()) as i64,
        Value::Str(s) => hash_bytes(s.as_bytes()) as i64,
        Value::Tensor(t) => t.id() as i64,
        Value::Device(d) => (d.kind as i64) << 16 | (d.index.unwrap_or(-1) as u8 as i64),
        Value::Tuple(t) if depth < 64 => t.items.iter().try_fold(0u64, |seed, item| {
            let hash = hash_nested(item, depth + 1)? as u64;
            Ok::<u64, Fault>(combine(seed, hash))
        })? as i64,
        other => {
            return Err(Fault::runtime(format!(
                "unhashable type: '{}'",
                other.type_of().annotation()
            )));
        }
    })
}

fn combine(seed: u64, hash: u64) -> u64 {
    let mixed = hash
        .wrapping_add(0x9e37_79b9)
        .wrapping_add(seed << 6)
        .wrapping_add(seed >> 2);
    seed ^ mixed
}

/// MurmurHash64A with the seed that the GNU C++ library uses.
fn hash_bytes(bytes: &[u8]) -> u64 {
    const M: u64 = 0xc6a4_a793_5bd1_e995;
    const SEED: u64 = 0xc70f_6907;
    let shift = |v: u64| v ^ (v >> 47);
    let mut hash = SEED ^ (bytes.len() as u64).wrapping_mul(M);
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        let word = word.iter().rev().fold(0u64, |sum, b| sum << 8 | *b as u64);
        let mixed = shift(word.wrapping_mul(M)).wrapping_mul(M);
        hash = (hash ^ mixed).wrapping_mul(M);
    }
    let rest = words.remainder();
    if !rest.is_empty() {
        let word = rest.iter().rev().fold(0u64, |sum, b| sum << 8 | *b as u64);
        hash = (hash ^ word).wrapping_mul(M);
    }
    shift(shift(hash).wrapping_mul(M))
}

/// An address that no other living object has; 0 for None.
fn id(value: &Value) -> Result<i64> {
    match value {
        Value::None => Ok(0),
        Value::Object(o) => Ok(Arc::as_ptr(o) as *const u8 as i64),
        other => Err(Fault::type_error(format!(
            "expected an object but found '{}'",
            other.type_of()
        ))),
    }
}

fn enum_name(member: &Arc<EnumValue>) -> String {
    member.name().to_string()
}

fn enum_value(member: &Arc<EnumValue>) -> Value {
    member.value().clone()
}

fn device_with_index(kind: &str, index: i64) -> Result<Device> {
    let device = Device::parse(kind)?;
    if device.index.is_some() {
        return Err(Fault::runtime(format!(
            "type (string) must not include an index because index was passed explicitly: {kind}"
        )));
    }
    let index = i8::try_from(index)
        .map_err(|_| Fault::runtime(format!("Device index must not be {index}")))?;
    Ok(Device {
        index: Some(index),
        ..device
    })
}

/// The index of a tensor's device, -1 for the CPU.
fn get_device(t: &Tensor) -> i64 {
    match t.device() {
        Device {
            kind: DeviceKind::Cpu,
            ..
        } => -1,
        other => other.index.unwrap_or(0) as i64,
    }
}

fn unwrap_optional(value: &Value) -> Result<Value> {
    match value {
        Value::None => Err(Fault::runtime("Unwrapping null optional")),
        other => Ok(other.clone()),
    }
}

fn if_then_else(condition: bool, yes: &Value, no: &Value) -> Value {
    if condition { yes } else { no }.clone()
}

fn tuple_index(tuple: &Value, index: i64) -> Result<Value> {
    let Value::Tuple(t) = tuple else {
        return Err(Fault::type_error(format!(
            "expected a tuple but found '{}'",
            tuple.type_of()
        )));
    };
    match super::sequence::position(index, t.items.len()) {
        Some(at) => Ok(t.items[at].clone()),
        None => Err(Fault::runtime("Tuple list index out of range")),
    }
}

/// The member of a ModuleDict.
fn submodule(container: &Arc<Object>, name: &str) -> Result<Value> {
    container.get(name).ok_or_else(|| {
        let class = Type::Class(container.class().clone());
        Fault::runtime(format!(
            "{} does not have a field with name '{name}'",
            class.message_form()
        ))
    })
}

/// The member of a ModuleList or Sequential: they are named by their position.
fn submodule_at(container: &Arc<Object>, index: i64) -> Result<Value> {
    submodule(container, &index.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_hash_as_in_the_gnu_library() {
        assert_eq!(hash(&Value::str("")).unwrap(), 6142509188972423790);
        assert_eq!(hash(&Value::str("abc")).unwrap(), 3663726644998027833);
        assert_eq!(hash(&Value::str("abcdefgh")).unwrap(), 8664279048047335611);
        assert_eq!(
            hash(&Value::str("abcdefghijk")).unwrap(),
            3672398144843267301
        );
        assert_eq!(hash(&Value::Float(1.5)).unwrap(), 4982507072649106663);
        assert_eq!(hash(&Value::Float(-0.0)).unwrap(), 0);
    }

    #[test]
    fn tuples_mix_the_hashes_of_their_items() {
        let pair = Value::tuple(vec![Value::Int(1), Value::Int(2)]);
        assert_eq!(hash(&pair).unwrap(), 175247769363);
        let mixed = Value::tuple(vec![Value::Int(1), Value::str("a")]);
        assert_eq!(hash(&mixed).unwrap(), 4993892805569072552);
        assert!(hash(&Value::from(vec![1i64])).is_err());
    }
}
