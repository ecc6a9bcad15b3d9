//! Values that go without recursion: data nested a million deep is dropped level by level.
//!
//! Containers hand over what they hold when they are dropped. A few levels are dropped as Rust would do it; what lies
//! deeper waits in a list of the thread until the outermost drop gets to it.

use super::Value;
use crate::Type;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// Levels that are dropped by recursion.
const NATIVE: u32 = 64;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static WAITING: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
}

/// Drops values that a container held.
pub(super) fn release(values: impl IntoIterator<Item = Value>) {
    let depth = DEPTH.replace(DEPTH.get() + 1);
    for value in values {
        if depth < NATIVE || !value.holds_values() {
            drop(value);
        } else {
            // Where there is no list any more, the value is dropped with what would have put it there.
            let _ = WAITING.try_with(|waiting| waiting.borrow_mut().push(value));
        }
    }
    if depth == 0 {
        // Dropping one may add more.
        DEPTH.set(1);
        while let Ok(Some(value)) = WAITING.try_with(|waiting| waiting.borrow_mut().pop()) {
            drop(value);
        }
    }
    DEPTH.set(depth);
}

impl Value {
    /// Whether dropping this gives memory back and does nothing else: it runs nobody's code and waits for nobody.
    #[inline]
    pub fn is_light(&self) -> bool {
        self.is_plain() || self.is_light_within(NESTED)
    }

    fn is_light_within(&self, depth: u32) -> bool {
        let are_light = |items: &[Value]| {
            let is_light = |v: &Value| v.is_plain() || depth > 0 && v.is_light_within(depth - 1);
            items.iter().all(is_light)
        };
        match self {
            Value::Tuple(tuple) => are_light(&tuple.items),
            Value::List(list) => is_plain_type(&list.element, NESTED),
            Value::Dict(dict) => {
                is_plain_type(&dict.key_type, 0) && is_plain_type(&dict.value_type, NESTED)
            }
            // Nobody else has the only share, so the slots are what they are.
            Value::Object(object) if Arc::strong_count(object) == 1 => {
                let slots = object.guarded().try_lock();
                slots.is_some_and(|slots| are_light(&slots))
            }
            _ => false,
        }
    }

    /// Whether this can go at once, as far as can be seen: it [is light](Value::is_light), or others own it, too.
    #[inline]
    pub fn goes_quickly(&self) -> bool {
        self.is_light() || self.is_shared()
    }

    /// Leaves `None` here if dropping what is here runs nobody's code and waits for nobody; `false`, and nothing done, where
    /// it might.
    #[inline]
    pub fn release_quickly(&mut self) -> bool {
        if self.is_light() {
            *self = Value::None;
            return true;
        }
        if !self.is_shared() {
            return false;
        }
        // Others may let go at the same time, and then this was the last owner after all.
        let kept = match std::mem::take(self) {
            Value::List(list) => last(list).map(Value::List),
            Value::Dict(dict) => last(dict).map(Value::Dict),
            Value::Tuple(tuple) => last(tuple).map(Value::Tuple),
            Value::Object(object) => last(object).map(Value::Object),
            Value::Enum(member) => last(member).map(Value::Enum),
            other => Some(other),
        };
        match kept {
            Some(value) => *self = value,
            None => return true,
        }
        false
    }

    /// Whether somebody else owns this, too; only of those that [`Value::release_quickly`] knows.
    #[inline]
    fn is_shared(&self) -> bool {
        match self {
            Value::List(list) => Arc::strong_count(list) > 1,
            Value::Dict(dict) => Arc::strong_count(dict) > 1,
            Value::Tuple(tuple) => Arc::strong_count(tuple) > 1,
            Value::Object(object) => Arc::strong_count(object) > 1,
            Value::Enum(member) => Arc::strong_count(member) > 1,
            _ => false,
        }
    }

    /// Whether somebody holds the lock of this list or dict.
    #[inline]
    pub fn is_locked(&self) -> bool {
        match self {
            Value::IntList(list) => list.guarded().mutex().is_locked(),
            Value::FloatList(list) => list.guarded().mutex().is_locked(),
            Value::BoolList(list) => list.guarded().mutex().is_locked(),
            Value::TensorList(list) => list.guarded().mutex().is_locked(),
            Value::List(list) => list.items.mutex().is_locked(),
            Value::Dict(dict) => dict.items.mutex().is_locked(),
            _ => false,
        }
    }

    #[inline]
    fn is_plain(&self) -> bool {
        matches!(
            self,
            Value::None
                | Value::Bool(_)
                | Value::Int(_)
                | Value::Float(_)
                | Value::Complex(_)
                | Value::Str(_)
                | Value::Device(_)
                | Value::IntList(_)
                | Value::FloatList(_)
                | Value::BoolList(_)
                | Value::Uninitialized
        )
    }

    /// Whether dropping this may drop other values.
    #[inline]
    pub(super) fn holds_values(&self) -> bool {
        let holds_none = matches!(
            self,
            Value::Tensor(_) | Value::Generator(_) | Value::TensorList(_) | Value::Enum(_)
        );
        !holds_none && !self.is_plain()
    }
}

/// Gives up a share of something, or gives it back where it was the only one.
#[inline]
fn last<T>(shared: Arc<T>) -> Option<Arc<T>> {
    Arc::into_inner(shared).map(Arc::new)
}

/// Types within types that are looked at.
const NESTED: u32 = 3;

/// Whether dropping a value of a type gives memory back and does nothing else.
fn is_plain_type(ty: &Type, depth: u32) -> bool {
    match ty {
        Type::Int | Type::Float | Type::Bool | Type::Str | Type::Complex | Type::None => true,
        Type::List(inner) | Type::Optional(inner) if depth > 0 => is_plain_type(inner, depth - 1),
        Type::Tuple(tuple) if depth > 0 => {
            let mut elements = tuple.elements.iter();
            elements.all(|ty| is_plain_type(ty, depth - 1))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Dict, GenericList, Key};
    use super::*;

    fn deep(wrap: impl Fn(Value) -> Value) {
        let mut value = Value::Int(1);
        for _ in 0..1_000_000 {
            value = wrap(value);
        }
        drop(value);
    }

    #[test]
    fn what_others_own_or_only_holds_memory_goes_quickly() {
        let inner = Value::tuple(vec![Value::Int(1), Value::str("a")]);
        let mut light = Value::tuple(vec![inner, Value::None]);
        assert!(light.is_light() && light.release_quickly());
        assert!(matches!(light, Value::None));
        let dict = Arc::new(Dict::new(Type::Str, Type::TENSOR));
        let mut shared = Value::Dict(dict.clone());
        assert!(!shared.is_light() && shared.release_quickly());
        assert_eq!(Arc::strong_count(&dict), 1);
        let mut only = Value::Dict(dict);
        assert!(!only.goes_quickly() && !only.release_quickly());
        assert!(matches!(only, Value::Dict(_)));
        let of_ints = Dict::new(Type::Int, Type::list(Type::Int));
        assert!(Value::Dict(Arc::new(of_ints)).release_quickly());
    }

    #[test]
    fn values_nested_a_million_deep_are_dropped() {
        deep(|v| Value::tuple(vec![v]));
        deep(|v| Value::List(Arc::new(GenericList::new(Type::Any, vec![v.clone(), v]))));
        deep(|v| {
            let dict = Dict::new(Type::Str, Type::Any);
            dict.items
                .lock()
                .insert(Key::new(Value::str("a")).unwrap(), v);
            Value::Dict(Arc::new(dict))
        });
    }
}
