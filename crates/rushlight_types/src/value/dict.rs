//! Dicts: in order of insertion, keyed by int, float, complex, bool, str or tensor (by identity).

use super::Value;
use super::entries::{self, Entries};
use super::guarded::Guarded;
use super::release::release;
use crate::{Fault, Result, Type};
use std::hash::{Hash, Hasher};

/// A shared dict with the types of its keys and values.
pub struct Dict {
    pub key_type: Type,
    pub value_type: Type,
    pub items: Guarded<Entries>,
}

impl Dict {
    /// An empty dict.
    pub fn new(key_type: Type, value_type: Type) -> Dict {
        Dict {
            key_type,
            value_type,
            items: Guarded::default(),
        }
    }

    /// Sets the value of a key and returns what it was before; leaves the running call where there is no memory for more.
    pub fn insert(&self, key: Key, value: Value) -> Option<Value> {
        self.items.lock().insert(key, value)
    }

    /// Puts a value, which is moved, at a copy of a key that is not there yet, without waiting; `false`, and nothing done nor
    /// dropped, where somebody holds the lock, where there is no memory for more, or where this cannot be a key.
    pub fn insert_quickly(&self, key: &Value, value: &mut Value) -> bool {
        if Sought::new(key).is_err() {
            return false;
        }
        let Some(mut items) = self.items.try_lock() else {
            return false;
        };
        match items.add_new(key, None) {
            Some(place) => {
                value.take_to(place);
                true
            }
            None => false,
        }
    }

    /// The value of a key.
    pub fn look_up(&self, key: &Value) -> Result<Option<Value>> {
        let key = Sought::new(key)?;
        Ok(self.items.lock().find(&key).cloned())
    }

    /// Copies the value of a key; `false` where there is none.
    #[inline]
    pub fn copy_to(&self, key: &Value, to: &mut Value) -> Result<bool> {
        let key = Sought::new(key)?;
        let items = self.items.lock();
        let found = items.find(&key);
        if let Some(value) = found {
            value.copy_to(to);
        }
        Ok(found.is_some())
    }

    /// Where the value of a key is; nowhere if there is no such key. `None` where somebody holds the lock, or where this
    /// cannot be a key.
    ///
    /// # Safety
    ///
    /// This thread has the floor (see [`super::guarded`]), and does with the place what it does before it calls anything.
    #[inline]
    pub unsafe fn place(&self, key: &Value) -> Option<*mut Value> {
        // SAFETY: the caller's promise.
        let items = unsafe { self.items.unlocked() }?;
        let found = match key {
            Value::Int(k) => items.find_mut(&IntKey(*k)),
            Value::Str(s) => match s.bits() {
                Some(bits) => items.find_mut(&ShortKey(bits)),
                None => items.find_mut(&Sought(key)),
            },
            other => items.find_mut(&Sought::new(other).ok()?),
        };
        Some(found.map_or(std::ptr::null_mut(), std::ptr::from_mut))
    }

    /// As [`Dict::place`], where a copy of a key that is not there is added with `None`, to be written over. `None`, and nothing
    /// done, also where there is no memory for more.
    ///
    /// # Safety
    ///
    /// As for [`Dict::place`].
    #[inline]
    pub unsafe fn place_or_new(&self, key: &Value) -> Option<*mut Value> {
        // SAFETY: the caller's promise.
        let items = unsafe { self.items.unlocked() }?;
        let place = match key {
            Value::Int(k) => items.find_or_add(key, &IntKey(*k)),
            Value::Str(s) => match s.bits() {
                Some(bits) => items.find_or_add(key, &ShortKey(bits)),
                None => items.find_or_add(key, &Sought(key)),
            },
            other => items.find_or_add(key, &Sought::new(other).ok()?),
        };
        place.map(std::ptr::from_mut)
    }

    /// How many entries there are; `None` where somebody holds the lock.
    ///
    /// # Safety
    ///
    /// As for [`Dict::place`].
    #[inline]
    pub unsafe fn len_unlocked(&self) -> Option<usize> {
        // SAFETY: the caller's promise.
        let items = unsafe { self.items.unlocked() }?;
        Some(items.len())
    }

    /// Whether there is such a key.
    pub fn contains(&self, key: &Value) -> Result<bool> {
        let key = Sought::new(key)?;
        Ok(self.items.lock().find(&key).is_some())
    }

    /// Takes a key and its value out; the others keep their order.
    pub fn take(&self, key: &Value) -> Result<Option<Value>> {
        let key = Sought::new(key)?;
        Ok(self.items.lock().take(&key).map(|(_, value)| value))
    }

    /// Sets the value of a key; `false`, and nothing done, where dropping the old value might run somebody's code.
    pub fn replace_quickly(&self, key: &Value, value: &Value) -> Result<bool> {
        let sought = Sought::new(key)?;
        if let Some(old) = self.items.lock().find_mut(&sought) {
            let is_gone = old.release_quickly();
            if is_gone {
                *old = value.clone();
            }
            return Ok(is_gone);
        }
        self.insert(Key(key.clone()), value.clone());
        Ok(true)
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
            release(std::mem::take(items).into_iter().map(|(_, value)| value));
        }
    }
}

/// A value that may be a key.
#[derive(Clone)]
pub struct Key(Value);

impl Key {
    /// Checks that the value can be a key.
    pub fn new(value: Value) -> Result<Key> {
        Sought::new(&value)?;
        Ok(Key(value))
    }

    /// A value that is known to be a key.
    pub(super) fn known(value: Value) -> Key {
        Key(value)
    }

    /// The key as a value, to be written.
    pub(super) fn value_mut(&mut self) -> &mut Value {
        &mut self.0
    }

    /// The key as a value.
    pub fn value(&self) -> &Value {
        &self.0
    }
}

impl entries::Sought for Key {
    #[inline]
    fn is(&self, key: &Value) -> bool {
        are_same(&self.0, key)
    }
}

impl Hash for Key {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        Sought(&self.0).hash(state);
    }
}

#[inline]
fn are_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Str(a), Value::Str(b)) => a == b,
        _ => a == b,
    }
}

/// An int that is looked for; it has the hash of its value.
struct IntKey(i64);

impl Hash for IntKey {
    #[inline(always)]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl entries::Sought for IntKey {
    #[inline(always)]
    fn is(&self, key: &Value) -> bool {
        matches!(key, Value::Int(k) if *k == self.0)
    }
}

/// A short string that is looked for, by [`super::Str::bits`]; it has the hash of its value.
struct ShortKey(u128);

impl Hash for ShortKey {
    #[inline(always)]
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u128(self.0);
    }
}

impl entries::Sought for ShortKey {
    #[inline(always)]
    fn is(&self, key: &Value) -> bool {
        matches!(key, Value::Str(s) if s.bits() == Some(self.0))
    }
}

/// A value that is looked for among the keys.
pub(super) struct Sought<'a>(pub(super) &'a Value);

impl Sought<'_> {
    /// Checks that the value can be a key.
    #[inline]
    fn new(value: &Value) -> Result<Sought<'_>> {
        match value {
            Value::Int(_)
            | Value::Float(_)
            | Value::Bool(_)
            | Value::Str(_)
            | Value::Complex(_)
            | Value::Tensor(_)
            | Value::Device(_)
            | Value::Enum(_) => Ok(Sought(value)),
            other => Err(no_key(other)),
        }
    }
}

#[cold]
fn no_key(value: &Value) -> Fault {
    Fault::runtime(format!("Can't hash IValues with tag '{}'", value.type_of()))
}

impl entries::Sought for Sought<'_> {
    #[inline]
    fn is(&self, key: &Value) -> bool {
        are_same(self.0, key)
    }
}

impl Hash for Sought<'_> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self.0 {
            Value::Int(i) => i.hash(state),
            Value::Bool(b) => b.hash(state),
            Value::Float(f) => (if *f == 0.0 { 0.0 } else { *f }).to_bits().hash(state),
            Value::Complex(c) => (c.re.to_bits(), c.im.to_bits()).hash(state),
            Value::Str(s) => s.hash_quickly(state),
            Value::Tensor(t) => t.id().hash(state),
            Value::Device(d) => d.hash(state),
            Value::Enum(e) => e.name().hash(state),
            _ => {}
        }
    }
}
