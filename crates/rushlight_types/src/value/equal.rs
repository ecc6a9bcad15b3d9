//! Identity and structural equality of values, bounded against cycles.

use super::Value;
use rushlight_tensor::watch;
use std::sync::Arc;

/// Deeper nesting than this compares by identity; cyclic data would otherwise never end.
const MAX_DEPTH: usize = 200;

pub(super) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => a.is(b),
        (Value::Tensor(a), Value::Tensor(b)) => a.is(b),
        (Value::IntList(a), Value::IntList(b)) => a.is(b),
        (Value::FloatList(a), Value::FloatList(b)) => a.is(b),
        (Value::BoolList(a), Value::BoolList(b)) => a.is(b),
        (Value::TensorList(a), Value::TensorList(b)) => a.is(b),
        (Value::List(a), Value::List(b)) => Arc::ptr_eq(a, b),
        (Value::Dict(a), Value::Dict(b)) => Arc::ptr_eq(a, b),
        (Value::Tuple(a), Value::Tuple(b)) => Arc::ptr_eq(a, b),
        (Value::Object(a), Value::Object(b)) => Arc::ptr_eq(a, b),
        (Value::Future(a), Value::Future(b)) => Arc::ptr_eq(a, b),
        (Value::Await(a), Value::Await(b)) => Arc::ptr_eq(a, b),
        (Value::Generator(a), Value::Generator(b)) => Arc::ptr_eq(a, b),
        (Value::Foreign(a), Value::Foreign(b)) => Arc::ptr_eq(a, b),
        (Value::Function(a), Value::Function(b)) => Arc::ptr_eq(a, b),
        (Value::Enum(a), Value::Enum(b)) => Arc::ptr_eq(a, b),
        _ => deep(a, b, MAX_DEPTH),
    }
}

pub(super) fn equal(a: &Value, b: &Value) -> bool {
    deep(a, b, 0)
}

fn deep(a: &Value, b: &Value, depth: usize) -> bool {
    watch::poll();
    let all = |a: &[Value], b: &[Value]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| deep(a, b, depth + 1))
    };
    match (a, b) {
        (Value::None, Value::None) | (Value::Uninitialized, Value::Uninitialized) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Complex(a), Value::Complex(b)) => a == b,
        (Value::Str(a), Value::Str(b)) => a == b,
        (Value::Device(a), Value::Device(b)) => a == b,
        (Value::Enum(a), Value::Enum(b)) => a.ty == b.ty && a.index == b.index,
        _ if depth >= MAX_DEPTH => false,
        (Value::IntList(a), Value::IntList(b)) => a.is(b) || a.lock().clone() == *b.lock(),
        (Value::FloatList(a), Value::FloatList(b)) => a.is(b) || a.lock().clone() == *b.lock(),
        (Value::BoolList(a), Value::BoolList(b)) => a.is(b) || a.lock().clone() == *b.lock(),
        (Value::List(x), Value::List(y)) => {
            Arc::ptr_eq(x, y) || {
                let (x, y) = (x.items.lock().clone(), y.items.lock().clone());
                all(&x, &y)
            }
        }
        (Value::Tuple(a), Value::Tuple(b)) => all(&a.items, &b.items),
        (Value::Dict(x), Value::Dict(y)) => {
            Arc::ptr_eq(x, y) || {
                let (x, y) = (x.items.lock().clone(), y.items.lock().clone());
                x.len() == y.len()
                    && x.iter()
                        .all(|(k, v)| y.get(k).is_some_and(|w| deep(v, w, depth + 1)))
            }
        }
        _ => same_identity(a, b),
    }
}

fn same_identity(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Tensor(a), Value::Tensor(b)) => a.is(b),
        (Value::TensorList(a), Value::TensorList(b)) => a.is(b),
        (Value::Object(a), Value::Object(b)) => Arc::ptr_eq(a, b),
        (Value::Future(a), Value::Future(b)) => Arc::ptr_eq(a, b),
        (Value::Await(a), Value::Await(b)) => Arc::ptr_eq(a, b),
        (Value::Generator(a), Value::Generator(b)) => Arc::ptr_eq(a, b),
        (Value::Foreign(a), Value::Foreign(b)) => Arc::ptr_eq(a, b),
        (Value::Function(a), Value::Function(b)) => Arc::ptr_eq(a, b),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_strings_that_are_equal_need_not_be_the_same_object() {
        let long = "a".repeat(40);
        let (a, b) = (Value::str(&long), Value::str(&long));
        assert!(a == b && !a.is_same(&b) && a.is_same(&a.clone()));
        assert!(Value::str("a").is_same(&Value::str("a")));
        assert!(Value::Int(1000).is_same(&Value::Int(1000)));
    }
}
