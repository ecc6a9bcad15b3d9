//! Tuples, enum members and objects.

use super::guarded::Guarded;
use super::release::release;
use crate::{ClassType, EnumType, TupleType, Type, Value};
use smallvec::SmallVec;
use std::sync::Arc;

/// A tuple. `ty` is present for NamedTuples and where the static type says more than the items show.
pub struct Tuple {
    pub items: SmallVec<[Value; 4]>,
    pub ty: Option<Arc<TupleType>>,
}

impl Tuple {
    /// A tuple that is nothing more than its items.
    pub fn plain(items: impl IntoIterator<Item = Value>) -> Tuple {
        Tuple {
            items: items.into_iter().collect(),
            ty: None,
        }
    }
}

impl Drop for Tuple {
    fn drop(&mut self) {
        if self.items.iter().any(Value::holds_values) {
            release(std::mem::take(&mut self.items));
        }
    }
}

/// A member of an enum.
pub struct EnumValue {
    pub ty: Arc<EnumType>,
    /// Index among the members.
    pub index: usize,
}

impl EnumValue {
    /// The member's name.
    pub fn name(&self) -> &Arc<str> {
        &self.ty.members[self.index].0
    }

    /// The member's value.
    pub fn value(&self) -> &Value {
        &self.ty.members[self.index].1
    }
}

/// An instance of a script class or module.
pub struct Object {
    class: Arc<ClassType>,
    slots: Guarded<Vec<Value>>,
}

impl Object {
    /// An instance whose slots are still uninitialised.
    pub fn new(class: Arc<ClassType>) -> Arc<Object> {
        let slots = vec![Value::Uninitialized; class.attribute_count()];
        Arc::new(Object {
            class,
            slots: Guarded::new(slots),
        })
    }

    /// The class.
    pub fn class(&self) -> &Arc<ClassType> {
        &self.class
    }

    /// Where the slots are, for machine code.
    pub fn guarded(&self) -> &Guarded<Vec<Value>> {
        &self.slots
    }

    /// The value of a slot; None beyond the slots that have been written.
    #[inline]
    pub fn slot(&self, index: usize) -> Value {
        self.slots.lock().get(index).cloned().unwrap_or_default()
    }

    /// Writes a slot.
    pub fn set_slot(&self, index: usize, value: Value) {
        let old = {
            let mut slots = self.slots.lock();
            if index >= slots.len() {
                slots.resize(index + 1, Value::Uninitialized);
            }
            std::mem::replace(&mut slots[index], value)
        };
        // Dropped after the lock is released: the old value may hold this very object.
        drop(old);
    }

    /// The value of an attribute by name.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.class.slot(name).map(|slot| self.slot(slot))
    }

    /// Writes an attribute by name, adding the slot to the class if it is new.
    pub fn set(&self, name: &str, value: Value) {
        let slot = match self.class.slot(name) {
            Some(slot) => slot,
            None => self
                .class
                .add_attribute(name, value.type_of(), crate::AttributeKind::Plain),
        };
        self.set_slot(slot, value);
    }

    /// The type of the object.
    pub fn ty(&self) -> Type {
        Type::Class(self.class.clone())
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        if self.slots.get_mut().iter().any(Value::holds_values) {
            release(std::mem::take(self.slots.get_mut()));
        }
    }
}
