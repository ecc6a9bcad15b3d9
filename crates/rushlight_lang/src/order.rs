//! The order of values that need nobody's code to be compared: numbers that are no NaNs, strings, and tuples of these.

use rushlight_tensor::{memory, watch};
use rushlight_types::{Type, Value};
use std::cmp::Ordering;

/// Deeper tuples have no order here.
const MOST_NESTED: usize = 8;

/// Which of two values comes first; `None` where that is not plain.
#[inline]
fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => Some(a.cmp(b)),
        (Value::Tuple(a), Value::Tuple(b)) => {
            // Most differ in their first items.
            let first = match (a.items.first(), b.items.first()) {
                (Some(Value::Int(a)), Some(Value::Int(b))) => a.cmp(b),
                (Some(Value::Float(a)), Some(Value::Float(b))) => a.partial_cmp(b)?,
                _ => Ordering::Equal,
            };
            match first {
                Ordering::Equal => tuple_order(&a.items, &b.items, 0),
                other => Some(other),
            }
        }
        _ => None,
    }
}

fn order_at(a: &Value, b: &Value, depth: usize) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        (Value::Str(a), Value::Str(b)) => Some(a.cmp(b)),
        (Value::Tuple(a), Value::Tuple(b)) => tuple_order(&a.items, &b.items, depth),
        _ => None,
    }
}

fn tuple_order(a: &[Value], b: &[Value], depth: usize) -> Option<Ordering> {
    if depth > MOST_NESTED {
        return None;
    }
    for (a, b) in a.iter().zip(b) {
        match order_at(a, b, depth + 1)? {
            Ordering::Equal => {}
            other => return Some(other),
        }
    }
    Some(a.len().cmp(&b.len()))
}

/// Whether two values are of one kind throughout, so that any two such have an order.
fn are_alike(a: &Value, b: &Value, depth: usize) -> bool {
    match (a, b) {
        (Value::Int(_), Value::Int(_))
        | (Value::Bool(_), Value::Bool(_))
        | (Value::Str(_), Value::Str(_)) => true,
        (Value::Float(a), Value::Float(b)) => !a.is_nan() && !b.is_nan(),
        (Value::Tuple(a), Value::Tuple(b)) => {
            let mut pairs = a.items.iter().zip(&b.items);
            depth <= MOST_NESTED
                && a.items.len() == b.items.len()
                && pairs.all(|(a, b)| are_alike(a, b, depth + 1))
        }
        _ => false,
    }
}

/// Whether a type says that any two values of it have an order here.
fn is_ordered(ty: &Type, depth: usize) -> bool {
    match ty {
        Type::Int | Type::Bool | Type::Str => true,
        Type::Tuple(ty) => {
            let mut elements = ty.elements.iter();
            depth <= MOST_NESTED && elements.all(|ty| is_ordered(ty, depth + 1))
        }
        _ => false,
    }
}

/// Sorts values of a type, equal ones staying in order; `false`, and nothing done, where they have no plain order. What is sorted
/// already costs one comparison for each.
pub(super) fn sort(items: &mut [Value], element: &Type, reverse: bool) -> bool {
    /// More need memory to be sorted.
    const FEW: usize = 20;
    /// Fewer take no longer than a tick or two; more can be stopped.
    const LONG: usize = 1 << 16;
    let is_long = items.len() >= LONG;
    let poll = || {
        if is_long {
            watch::poll();
        }
    };
    let Some(first) = items.first() else {
        return true;
    };
    // What one is made of says whether any can be compared.
    if order(first, first).is_none() {
        return false;
    }
    let after = if reverse {
        Ordering::Less
    } else {
        Ordering::Greater
    };
    let mut is_plain = true;
    let is_sorted = items.is_sorted_by(|a, b| {
        poll();
        let found = order(a, b);
        is_plain &= found.is_some();
        is_plain && found != Some(after)
    });
    if is_sorted || !is_plain {
        return is_sorted;
    }
    let are_ordered = is_ordered(element, 0)
        || items
            .split_first()
            .is_some_and(|(first, rest)| rest.iter().all(|item| are_alike(first, item, 0)));
    if !are_ordered {
        return false;
    }
    if items.len() > FEW {
        // A stable sort needs as much memory again, which must be able to fail.
        drop(memory::with_capacity::<Value>(items.len()));
    }
    let compare = |a: &Value, b: &Value| {
        poll();
        order(a, b).unwrap_or(Ordering::Equal)
    };
    match reverse {
        true => items.sort_by(|a, b| compare(b, a)),
        false => items.sort_by(compare),
    }
    true
}
