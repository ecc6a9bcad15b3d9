//! Values that go without recursion: data nested a million deep is dropped level by level.
//!
//! Containers hand over what they hold when they are dropped. A few levels are dropped as Rust would do it; what lies
//! deeper waits in a list of the thread until the outermost drop gets to it.

use super::Value;
use crate::Type;
use std::cell::{Cell, RefCell};

/// Levels that are dropped by recursion.
const NATIVE: u32 = 64;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static WAITING: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
}

/// Drops values that a container held.
pub(super) fn release(values: impl IntoIterator<Item = Value>) {
    let depth = DEPTH.try_with(|depth| depth.replace(depth.get() + 1));
    // A thread that is ending has no list any more; what it still holds is dropped as Rust does it.
    let Ok(depth) = depth else {
        return values.into_iter().for_each(drop);
    };
    for value in values {
        if depth < NATIVE || !value.holds_values() {
            drop(value);
        } else {
            let rest = WAITING.try_with(|waiting| waiting.borrow_mut().push(value));
            debug_assert!(rest.is_ok(), "a thread has all of its variables or none");
        }
    }
    if depth == 0 {
        // Dropping one may add more.
        DEPTH.set(1);
        while let Some(value) = WAITING.with(|waiting| waiting.borrow_mut().pop()) {
            drop(value);
        }
    }
    DEPTH.set(depth);
}

impl Value {
    /// Whether dropping this gives memory back and does nothing else: it runs nobody's code and waits for nobody.
    #[inline]
    pub fn is_light(&self) -> bool {
        match self {
            Value::Tuple(tuple) => tuple.items.iter().all(Value::is_plain),
            Value::List(list) => matches!(list.element, Type::Str),
            other => other.is_plain(),
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

#[cfg(test)]
mod tests {
    use super::super::{Dict, GenericList, Key};
    use super::*;
    use std::sync::Arc;

    fn deep(wrap: impl Fn(Value) -> Value) {
        let mut value = Value::Int(1);
        for _ in 0..1_000_000 {
            value = wrap(value);
        }
        drop(value);
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
