//! Copies that share nothing with their origin, while what the origin shares with itself stays shared.

use super::{Dict, GenericList, Key, List, Object, Tuple, Value};
use crate::{Fault, Result};
use rushlight_tensor::Tensor;
use std::collections::HashMap;
use std::sync::Arc;

/// Nesting beyond this is refused.
const MAX_DEPTH: usize = 500;

/// A deep copy of a value: containers, objects and tensors are new; functions, futures and foreign values are the same.
pub fn deep_copy(value: &Value, by: &dyn Copier) -> Result<Value> {
    let mut copies = Copies {
        made: HashMap::new(),
        by,
    };
    copies.copy(value, 0)
}

/// What a copy leaves to who asks for it.
pub trait Copier {
    /// Another tensor with the same elements.
    fn tensor(&self, tensor: &Tensor) -> Result<Tensor>;

    /// The state that an object says to consist of, where its class has methods for that.
    fn state(&self, object: &Arc<Object>) -> Result<Option<Value>>;

    /// Gives a new object the state of another one.
    fn restore(&self, object: &Arc<Object>, state: Value) -> Result<()>;
}

/// Copies that are tensors of their own, slot by slot.
pub struct PlainCopies;

impl Copier for PlainCopies {
    fn tensor(&self, tensor: &Tensor) -> Result<Tensor> {
        let copy = tensor.deep_copy();
        copy.set_requires_grad(tensor.requires_grad());
        Ok(copy)
    }

    fn state(&self, _: &Arc<Object>) -> Result<Option<Value>> {
        Ok(None)
    }

    fn restore(&self, _: &Arc<Object>, _: Value) -> Result<()> {
        Ok(())
    }
}

/// What has been copied, by the address of the origin.
struct Copies<'c> {
    made: HashMap<usize, Value>,
    by: &'c dyn Copier,
}

impl Copies<'_> {
    fn copy(&mut self, value: &Value, depth: usize) -> Result<Value> {
        if depth > MAX_DEPTH {
            return Err(Fault::runtime(
                "this value is nested too deeply to be copied",
            ));
        }
        let Some(address) = address(value) else {
            return Ok(value.clone());
        };
        if let Some(made) = self.made.get(&address) {
            return Ok(made.clone());
        }
        let copy = match value {
            Value::Object(object) => return self.object(address, object, depth),
            Value::Tensor(tensor) => Value::Tensor(self.by.tensor(tensor)?),
            Value::IntList(list) => Value::IntList(List::from(list.lock().clone())),
            Value::FloatList(list) => Value::FloatList(List::from(list.lock().clone())),
            Value::BoolList(list) => Value::BoolList(List::from(list.lock().clone())),
            Value::TensorList(list) => {
                let items = list.lock().clone();
                let items = items.into_iter().map(Value::Tensor);
                let copies = items
                    .map(|item| self.copy(&item, depth + 1)?.as_tensor().cloned())
                    .collect::<Result<Vec<_>>>()?;
                Value::TensorList(List::from(copies))
            }
            Value::List(list) => {
                let items = self.all(value.list_items()?, depth)?;
                Value::List(Arc::new(GenericList::new(list.element.clone(), items)))
            }
            Value::Dict(dict) => {
                let out = Dict::new(dict.key_type.clone(), dict.value_type.clone());
                for (key, item) in dict.entries() {
                    let item = self.copy(&item, depth + 1)?;
                    out.items.lock().insert(Key::new(key)?, item);
                }
                Value::Dict(Arc::new(out))
            }
            Value::Tuple(tuple) => Value::Tuple(Arc::new(Tuple {
                items: self.all(tuple.items.to_vec(), depth)?.into(),
                // As in the reference, copies have no names of fields.
                ty: None,
            })),
            other => other.clone(),
        };
        self.made.insert(address, copy.clone());
        Ok(copy)
    }

    fn all(&mut self, items: Vec<Value>, depth: usize) -> Result<Vec<Value>> {
        items.iter().map(|i| self.copy(i, depth + 1)).collect()
    }

    /// Known before its slots are copied: they may refer to it.
    fn object(&mut self, address: usize, object: &Arc<Object>, depth: usize) -> Result<Value> {
        let out = Object::new(object.class().clone());
        self.made.insert(address, Value::Object(out.clone()));
        if let Some(state) = self.by.state(object)? {
            let state = self.copy(&state, depth + 1)?;
            self.by.restore(&out, state)?;
            return Ok(Value::Object(out));
        }
        for slot in 0..object.class().attribute_count() {
            out.set_slot(slot, self.copy(&object.slot(slot), depth + 1)?);
        }
        Ok(Value::Object(out))
    }
}

/// The address that identifies a value with content of its own.
fn address(value: &Value) -> Option<usize> {
    Some(match value {
        Value::Tensor(tensor) => tensor.id(),
        Value::IntList(list) => list.id(),
        Value::FloatList(list) => list.id(),
        Value::BoolList(list) => list.id(),
        Value::TensorList(list) => list.id(),
        Value::List(list) => Arc::as_ptr(list) as usize,
        Value::Dict(dict) => Arc::as_ptr(dict) as usize,
        Value::Tuple(tuple) => Arc::as_ptr(tuple) as usize,
        Value::Object(object) => Arc::as_ptr(object) as usize,
        _ => return None,
    })
}
