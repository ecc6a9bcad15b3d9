//! Instructions on numbers and lists: what they do with the values that they are made for.
//!
//! Each function returns whether it has done the work; where it has not, the operator's own kernel runs.

use crate::code::Reg;
use rushlight_tensor::memory;
use rushlight_types::Value;

/// Writes a number to a register. Registers are handed out by kind of value, so that the register nearly always holds
/// a number of the same kind already: then only the number itself is written, which a following read of the register
/// can take from the store at once. (Writing tag and number apart and reading both together would stall.)
macro_rules! put {
    ($name:ident, $variant:ident, $t:ty) => {
        #[inline(always)]
        pub(super) fn $name(slot: &mut Value, number: $t) {
            match slot {
                Value::$variant(old) => *old = number,
                _ => replace(slot, Value::$variant(number)),
            }
        }
    };
}
put!(put_int, Int, i64);
put!(put_float, Float, f64);
put!(put_bool, Bool, bool);

/// Writes any value to a register. What was just written, tag and content apart, is read as it was written.
#[inline(always)]
pub(super) fn put(slot: &mut Value, value: Value) {
    match value {
        Value::Int(i) => put_int(slot, i),
        Value::Float(f) => put_float(slot, f),
        Value::Bool(b) => put_bool(slot, b),
        Value::Str(s) => *slot = Value::Str(s),
        Value::Tuple(t) => *slot = Value::Tuple(t),
        other => replace(slot, other),
    }
}

#[inline(never)]
fn replace(slot: &mut Value, value: Value) {
    *slot = value;
}

/// Copies a register; numbers by the quick way.
#[inline(always)]
pub(super) fn copy(frame: &mut [Value], to: Reg, from: Reg) {
    match frame[from as usize] {
        Value::Int(v) => put_int(&mut frame[to as usize], v),
        Value::Float(v) => put_float(&mut frame[to as usize], v),
        Value::Bool(v) => put_bool(&mut frame[to as usize], v),
        Value::None => frame[to as usize] = Value::None,
        ref other => {
            let value = other.clone();
            replace(&mut frame[to as usize], value);
        }
    }
}

#[inline(always)]
pub(super) fn ints(frame: &[Value], a: Reg, b: Reg) -> Option<(i64, i64)> {
    match (&frame[a as usize], &frame[b as usize]) {
        (Value::Int(a), Value::Int(b)) => Some((*a, *b)),
        _ => None,
    }
}

#[inline(always)]
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Float(f) => Some(*f),
        Value::Int(i) => Some(*i as f64),
        _ => None,
    }
}

#[inline(always)]
pub(super) fn floats(frame: &[Value], a: Reg, b: Reg) -> Option<(f64, f64)> {
    match (&frame[a as usize], &frame[b as usize]) {
        (Value::Float(a), Value::Float(b)) => Some((*a, *b)),
        (a, b) => Some((number(a)?, number(b)?)),
    }
}

#[inline(always)]
pub(super) fn bools(frame: &[Value], a: Reg, b: Reg) -> Option<(bool, bool)> {
    match (&frame[a as usize], &frame[b as usize]) {
        (Value::Bool(a), Value::Bool(b)) => Some((*a, *b)),
        _ => None,
    }
}

/// The quotient rounded down; `None` for a zero divisor and where the result does not fit.
#[inline(always)]
pub(super) fn floor_div(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    let is_exact = quotient.wrapping_mul(b) == a;
    Some(quotient - i64::from(!is_exact && (a < 0) != (b < 0)))
}

/// The remainder with the sign of the divisor; `None` for a zero divisor and where the division does not fit.
#[inline(always)]
pub(super) fn remainder(a: i64, b: i64) -> Option<i64> {
    let rest = a.checked_rem(b)?;
    Some(if rest != 0 && (rest < 0) != (b < 0) {
        rest + b
    } else {
        rest
    })
}

#[inline(always)]
pub(super) fn float_of(value: &Value) -> Option<f64> {
    match value {
        Value::Bool(b) => Some(f64::from(u8::from(*b))),
        other => number(other),
    }
}

#[inline(always)]
pub(super) fn int_of(value: &Value) -> Option<i64> {
    /// From here on floats do not fit into an int.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    match value {
        Value::Int(i) => Some(*i),
        Value::Bool(b) => Some(i64::from(*b)),
        Value::Float(f) if f.abs() < LIMIT => Some(*f as i64),
        _ => None,
    }
}

#[inline(always)]
pub(super) fn bool_of(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(b) => Some(*b),
        Value::Int(i) => Some(*i != 0),
        Value::Float(f) => Some(*f != 0.0),
        _ => None,
    }
}

#[inline(always)]
pub(super) fn list_len(value: &Value) -> Option<i64> {
    Some(match value {
        Value::IntList(l) => l.len(),
        Value::FloatList(l) => l.len(),
        Value::BoolList(l) => l.len(),
        Value::TensorList(l) => l.len(),
        Value::List(l) => l.items.lock().len(),
        _ => return None,
    } as i64)
}

/// The place of an index that may count from the end.
#[inline(always)]
pub(super) fn place(index: i64, len: usize) -> Option<usize> {
    let index = if index < 0 {
        index.checked_add(len as i64)?
    } else {
        index
    };
    usize::try_from(index).ok().filter(|i| *i < len)
}

/// Reads an element into a register; `false` where the index is out of range or the value no list.
#[inline(always)]
pub(super) fn list_get(frame: &mut [Value], to: Reg, list: Reg, index: Reg) -> bool {
    let Value::Int(index) = frame[index as usize] else {
        return false;
    };
    macro_rules! element {
        ($list:expr, $put:expr) => {{
            let item = {
                let items = $list;
                place(index, items.len()).map(|at| items[at].clone())
            };
            match item {
                Some(item) => $put(&mut frame[to as usize], item),
                None => return false,
            }
        }};
    }
    match &frame[list as usize] {
        Value::IntList(l) => element!(l.lock(), put_int),
        Value::FloatList(l) => element!(l.lock(), put_float),
        Value::BoolList(l) => element!(l.lock(), put_bool),
        Value::TensorList(l) => {
            element!(l.lock(), |slot: &mut Value, t| *slot = Value::Tensor(t))
        }
        Value::List(l) => element!(l.items.lock(), |slot: &mut Value, v| *slot = v),
        _ => return false,
    }
    true
}

/// Writes an element; gives the element back where it does not fit the list or the index is out of range.
#[inline(always)]
pub(super) fn list_set(list: &Value, index: &Value, element: Value) -> Result<(), Value> {
    let Value::Int(index) = *index else {
        return Err(element);
    };
    macro_rules! write {
        ($list:expr, $new:expr, $back:expr) => {{
            // The old element is dropped only after the list is released: it may hold the list itself.
            let _old = {
                let mut items = $list;
                match place(index, items.len()) {
                    Some(at) => std::mem::replace(&mut items[at], $new),
                    None => return Err($back($new)),
                }
            };
            Ok(())
        }};
    }
    match (list, element) {
        (Value::IntList(l), Value::Int(v)) => write!(l.lock(), v, Value::Int),
        (Value::FloatList(l), Value::Float(v)) => write!(l.lock(), v, Value::Float),
        (Value::BoolList(l), Value::Bool(v)) => write!(l.lock(), v, Value::Bool),
        (Value::TensorList(l), Value::Tensor(v)) => write!(l.lock(), v, Value::Tensor),
        (Value::List(l), v) => write!(l.items.lock(), v, |v| v),
        (_, v) => Err(v),
    }
}

/// Appends an element; gives it back where it does not fit the list.
#[inline(always)]
pub(super) fn list_append(list: &Value, element: Value) -> Result<(), Value> {
    match (list, element) {
        (Value::IntList(l), Value::Int(v)) => memory::push(&mut l.lock(), v),
        (Value::FloatList(l), Value::Float(v)) => memory::push(&mut l.lock(), v),
        (Value::BoolList(l), Value::Bool(v)) => memory::push(&mut l.lock(), v),
        (Value::TensorList(l), Value::Tensor(v)) => memory::push(&mut l.lock(), v),
        (Value::List(l), v) => memory::push(&mut l.items.lock(), v),
        (_, v) => return Err(v),
    }
    Ok(())
}
