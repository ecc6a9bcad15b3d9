//! Lists: unboxed ones of a fixed element, and generic ones that know their element type.

use super::guarded::Guarded;
use super::release::release;
use crate::{Type, Value};
use parking_lot::MutexGuard;
use std::sync::Arc;

/// A shared list of unboxed elements.
pub struct List<T>(Arc<Guarded<Vec<T>>>);

impl<T> List<T> {
    /// Access to the elements. Do not call anything that may touch the list while the guard lives.
    #[inline]
    pub fn lock(&self) -> MutexGuard<'_, Vec<T>> {
        self.0.lock()
    }

    /// How many elements there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.lock().len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether both are the same list.
    pub fn is(&self, other: &List<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Where the elements are, for machine code.
    pub fn guarded(&self) -> &Guarded<Vec<T>> {
        &self.0
    }

    /// An address that identifies the list while it lives.
    pub fn id(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }
}

impl<T> Clone for List<T> {
    #[inline]
    fn clone(&self) -> List<T> {
        List(self.0.clone())
    }
}

impl<T> From<Vec<T>> for List<T> {
    fn from(items: Vec<T>) -> List<T> {
        List(Arc::new(Guarded::new(items)))
    }
}

/// A shared list of values, with the type of its elements.
pub struct GenericList {
    pub element: Type,
    pub items: Guarded<Vec<Value>>,
}

impl GenericList {
    /// A list of these items.
    pub fn new(element: Type, items: Vec<Value>) -> GenericList {
        GenericList {
            element,
            items: Guarded::new(items),
        }
    }
}

impl Drop for GenericList {
    fn drop(&mut self) {
        if self.items.get_mut().iter().any(Value::holds_values) {
            release(std::mem::take(self.items.get_mut()));
        }
    }
}
