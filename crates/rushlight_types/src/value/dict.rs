//! Dicts: in order of insertion, keyed by int, float, complex, bool, str or tensor (by identity).

use super::Value;
use super::release::release;
use crate::{Fault, Result, Type};
use indexmap::IndexMap;
use parking_lot::Mutex;
use rushlight_tensor::memory;
use std::hash::{Hash, Hasher};

/// A shared dict with the types of its keys and values.
pub struct Dict {
    pub key_type: Type,
    pub value_type: Type,
    pub items: Mutex<IndexMap<Key, Value>>,
}

impl Dict {
    /// An empty dict.
    pub fn new(key_type: Type, value_type: Type) -> Dict {
        Dict {
            key_type,
            value_type,
            items: Mutex::default(),
        }
    }

    /// Sets the value of a key and returns what it was before; leaves the running call where there is no memory for more.
    pub fn insert(&self, key: Key, value: Value) -> Option<Value> {
        let mut items = self.items.lock();
        if items.len() == items.capacity() {
            let more = items.len().max(4);
            memory::check(more, size_of::<(u64, Key, Value)>())
                .unwrap_or_else(|fault| memory::give_up(fault));
            if items.try_reserve(more).is_err() {
                memory::give_up(Fault::runtime("not enough memory for a larger dict"));
            }
        }
        items.insert(key, value)
    }

    /// The entries in order of insertion.
    pub fn entries(&self) -> Vec<(Value, Value)> {
        self.items
            .lock()
            .iter()
            .map(|(k, v)| (k.0.clone(), v.clone()))
            .collect()
    }
}

impl Drop for Dict {
    fn drop(&mut self) {
        let items = self.items.get_mut();
        if items.values().any(Value::holds_values) {
            release(std::mem::take(items).into_values());
        }
    }
}

/// A value that may be a key.
#[derive(Clone)]
pub struct Key(Value);

impl Key {
    /// Checks that the value can be a key.
    pub fn new(value: Value) -> Result<Key> {
        match value {
            Value::Int(_)
            | Value::Float(_)
            | Value::Bool(_)
            | Value::Str(_)
            | Value::Complex(_)
            | Value::Tensor(_)
            | Value::Device(_)
            | Value::Enum(_) => Ok(Key(value)),
            other => Err(Fault::runtime(format!(
                "Can't hash IValues with tag '{}'",
                other.type_of()
            ))),
        }
    }

    /// A value that is known to be a key.
    pub(super) fn known(value: Value) -> Key {
        Key(value)
    }

    /// The key as a value.
    pub fn value(&self) -> &Value {
        &self.0
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.0 == other.0
    }
}
impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Value::Int(i) => i.hash(state),
            Value::Bool(b) => b.hash(state),
            Value::Float(f) => (if *f == 0.0 { 0.0 } else { *f }).to_bits().hash(state),
            Value::Complex(c) => (c.re.to_bits(), c.im.to_bits()).hash(state),
            Value::Str(s) => s.as_bytes().hash(state),
            Value::Tensor(t) => t.id().hash(state),
            Value::Device(d) => d.hash(state),
            Value::Enum(e) => e.name().hash(state),
            _ => {}
        }
    }
}
