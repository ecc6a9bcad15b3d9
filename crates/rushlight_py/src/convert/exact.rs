//! Objects of Python's own classes as values: what most arguments are, taken without a look at anything else.

use super::numbers;
use crate::identity::{PyTensor, tensor_of};
use crate::own_kind;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use rushlight::Value;
use rushlight::tensor::Tensor;
use rushlight::types::{Dict, GenericList, Key, Tuple, TupleType, Type};
use std::sync::Arc;

/// The object as a value of a type, where it and all that it holds are of Python's own classes for it. `None` where anything
/// is not, which there are other ways to take or to refuse.
pub fn exact_value(object: &Bound<'_, PyAny>, ty: &Type) -> Option<Value> {
    let mut value = Value::None;
    let is_taken = Taker { class: None }.take(object, ty, &mut value);
    is_taken.then_some(value)
}

struct Taker<'py> {
    /// A class of tuples that iterate as tuples do: that of the last one.
    class: Option<Bound<'py, PyType>>,
}

impl<'py> Taker<'py> {
    /// Writes the value where it stays, over `None`; `false` where there is none.
    fn take(&mut self, object: &Bound<'py, PyAny>, ty: &Type, to: &mut Value) -> bool {
        self.written(object, ty, to).is_some()
    }

    fn written(&mut self, object: &Bound<'py, PyAny>, ty: &Type, to: &mut Value) -> Option<()> {
        match ty {
            Type::Int => {
                let int: i64 = object.cast_exact::<PyInt>().ok()?.extract().ok()?;
                to.put(|| Value::Int(int));
            }
            Type::Float => {
                let float = object.cast_exact::<PyFloat>().ok()?.value();
                to.put(|| Value::Float(float));
            }
            Type::Str => {
                let text = object.cast_exact::<PyString>().ok()?;
                to.put_text(text.to_cow().ok()?.as_bytes());
            }
            Type::Bool => *to = Value::Bool(bool_of(object)?),
            Type::Tensor(_) => *to = Value::Tensor(of_tensor(object)?),
            Type::Optional(inner) => {
                if !object.is_none() {
                    return self.written(object, inner, to);
                }
            }
            Type::List(element) => *to = self.list(object.cast_exact().ok()?, element)?,
            Type::Dict(kv) => *to = self.dict(object.cast_exact().ok()?, &kv.0, &kv.1)?,
            Type::Tuple(ty) => {
                let tuple = self.tuple(object.cast().ok()?, ty)?;
                to.put(|| Value::Tuple(tuple));
            }
            _ => return None,
        }
        Some(())
    }

    fn list(&mut self, list: &Bound<'py, PyList>, element: &Type) -> Option<Value> {
        Some(match element {
            Type::Int | Type::Float => return numbers(list, element),
            Type::Bool => {
                let bools = list.iter().map(|item| bool_of(&item));
                Value::BoolList(bools.collect::<Option<Vec<_>>>()?.into())
            }
            Type::Tensor(_) => {
                let tensors = list.iter().map(|item| of_tensor(&item));
                Value::TensorList(tensors.collect::<Option<Vec<_>>>()?.into())
            }
            Type::Str | Type::Optional(_) | Type::List(_) | Type::Dict(_) | Type::Tuple(_) => {
                let mut is_whole = true;
                let made = GenericList::build(element.runtime(), list.len(), |i, to| {
                    let item = list.get_item(i).ok().filter(|_| is_whole);
                    is_whole = item.is_some_and(|item| self.take(&item, element, to));
                });
                is_whole.then_some(Value::List(made))?
            }
            _ => return None,
        })
    }

    fn dict(&mut self, dict: &Bound<'py, PyDict>, key: &Type, value: &Type) -> Option<Value> {
        let out = Dict::new(key.clone(), value.clone());
        let mut items = out.items.lock();
        for (k, v) in dict {
            let (mut at, mut to) = (Value::None, Value::None);
            self.written(&k, key, &mut at)?;
            self.written(&v, value, &mut to)?;
            items.insert(Key::new(at).ok()?, to);
        }
        drop(items);
        Some(Value::Dict(Arc::new(out)))
    }

    fn tuple(&mut self, tuple: &Bound<'py, PyTuple>, ty: &Arc<TupleType>) -> Option<Arc<Tuple>> {
        let len = ty.elements.len();
        if tuple.len() != len || !self.iterates_plainly(tuple) {
            return None;
        }
        let mut is_whole = true;
        let name = ty.name.is_some().then(|| ty.clone());
        let made = Tuple::build(len, name, |i, to| {
            let item = tuple.get_borrowed_item(i).ok().filter(|_| is_whole);
            is_whole = item.is_some_and(|item| self.take(&item, &ty.elements[i], to));
        });
        is_whole.then_some(made)
    }

    /// Whether a tuple is iterated over as tuples are, whatever its class adds.
    fn iterates_plainly(&mut self, tuple: &Bound<'py, PyTuple>) -> bool {
        if tuple.is_exact_instance_of::<PyTuple>() {
            return true;
        }
        let class = tuple.get_type();
        if self.class.as_ref().is_some_and(|known| known.is(&class)) {
            return true;
        }
        let py = tuple.py();
        let name = intern!(py, "__iter__");
        let plain = py.get_type::<PyTuple>().getattr(name);
        let is_plain = match (class.getattr(name), plain) {
            (Ok(own), Ok(plain)) => own.is(&plain),
            _ => false,
        };
        if is_plain {
            self.class = Some(class);
        }
        is_plain
    }
}

fn bool_of(object: &Bound<'_, PyAny>) -> Option<bool> {
    Some(object.cast::<PyBool>().ok()?.is_true())
}

fn of_tensor(object: &Bound<'_, PyAny>) -> Option<Tensor> {
    let tensor = object.cast::<PyTensor>().ok()?;
    match own_kind::is_own(object) {
        true => own_kind::standing_in(tensor).ok(),
        false => Some(tensor_of(tensor)),
    }
}
