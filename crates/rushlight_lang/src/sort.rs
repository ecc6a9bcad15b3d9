//! Sorting lists of numbers, strings, tensors, objects with `__lt__`, and tuples of these.
//!
//! NaNs have no place in an order. Short lists are sorted by insertion, step for step as C++'s `std::sort` does, so
//! that NaNs end up where the reference puts them; longer ones put them last.

use super::order;
use super::sequence::Sequence;
use super::truth::tensor_truth;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::watch;
use rushlight_types::{
    ClassType, Context, Fault, GenericList, List, Object, Result, Type, Value, ValueKind, op,
    operators, quick_effect,
};
use std::cell::Cell;
use std::cmp::Ordering;
use std::sync::Arc;

operators! {
    /// `list.sort` and `sorted`.
    pub static ROWS = [
        quick_effect!("aten::sort.int(int[](a!) self, bool reverse=False) -> ()", sort_ints, |list: &List<i64>, reverse: bool|),
        quick_effect!("aten::sort.float(float[](a!) self, bool reverse=False) -> ()", sort_floats, |list: &List<f64>, reverse: bool|),
        quick_effect!("aten::sort.bool(bool[](a!) self, bool reverse=False) -> ()", sort_bools, |list: &List<bool>, reverse: bool|),
        op!("aten::sort.str(str[](a!) self, bool reverse=False) -> ()", sort_any).quick(sort_quickly),
        op!("aten::sort.Tensor(Tensor[](a!) self, bool reverse=False) -> ()", sort_any),
        op!("aten::sort.any(t[](a!) self, bool reverse=False) -> ()", sort_any).quick(sort_quickly),
        op!("aten::sorted.int(int[](a) input) -> int[]", sorted).quick(sorted_quickly),
        op!("aten::sorted.float(float[](a) input) -> float[]", sorted).quick(sorted_quickly),
        op!("aten::sorted.bool(bool[](a) input) -> bool[]", sorted).quick(sorted_quickly),
        op!("aten::sorted.str(str[](a) input) -> str[]", sorted).quick(sorted_quickly),
        op!("aten::sorted.Tensor(Tensor[](a) input) -> Tensor[]", sorted),
        op!("aten::sorted.any(t[](a) self) -> t[]", sorted).quick(sorted_quickly),
    ];
}

/// Up to this length `std::sort` inserts one element after the other.
const SHORT: usize = 16;

fn sort_ints(list: &List<i64>, reverse: bool) {
    let mut items = list.lock();
    watch::sort(&mut items);
    if reverse {
        items.reverse();
    }
}

fn sort_bools(list: &List<bool>, reverse: bool) {
    let mut items = list.lock();
    watch::sort(&mut items);
    if reverse {
        items.reverse();
    }
}

fn sort_floats(list: &List<f64>, reverse: bool) {
    let mut items = list.lock();
    let before = |a: f64, b: f64| if reverse { a > b } else { a < b };
    if items.len() <= SHORT {
        insertion_sort(&mut items, before);
        return;
    }
    // A stable sort needs as much memory again, which must be able to fail.
    drop(memory::with_capacity::<f64>(items.len()));
    items.sort_by(|a, b| match (a.is_nan(), b.is_nan()) {
        (false, false) if before(*a, *b) => Ordering::Less,
        (false, false) if before(*b, *a) => Ordering::Greater,
        (a, b) => a.cmp(&b),
    });
}

fn insertion_sort(items: &mut [f64], before: impl Fn(f64, f64) -> bool) {
    for end in 1..items.len() {
        let item = items[end];
        if before(item, items[0]) {
            items[..=end].rotate_right(1);
            continue;
        }
        let mut at = end;
        while at > 0 && before(item, items[at - 1]) {
            items[at] = items[at - 1];
            at -= 1;
        }
        items[at] = item;
    }
}

fn sort_any(cx: &Context, list: Sequence<'_>, reverse: bool) -> Result<()> {
    match list {
        Sequence::Ints(l) => sort_ints(l, reverse),
        Sequence::Floats(l) => sort_floats(l, reverse),
        Sequence::Bools(l) => sort_bools(l, reverse),
        Sequence::Values(l) if sort_by_plain_order(l, reverse) => {}
        other => {
            let items = other.values();
            check_sortable(&items, &other)?;
            other.replace(merge_sort(items, &|a, b| {
                if reverse {
                    comes_before(cx, b, a)
                } else {
                    comes_before(cx, a, b)
                }
            })?)?;
        }
    }
    Ok(())
}

fn sorted(cx: &Context, list: Sequence<'_>) -> Result<Value> {
    let copy = list.copy();
    sort_any(cx, ValueKind::from_value(&copy)?, false)?;
    Ok(copy)
}

/// Lists up to this length are sorted at once, without a look at limits.
const FEW: usize = 128;

/// Sorts a list whose type says that all its elements are alike, if they have a plain order; `false`, and nothing done,
/// where they have none.
fn sort_by_plain_order(list: &GenericList, reverse: bool) -> bool {
    !matches!(list.element, Type::Any)
        && order::sort(&mut list.items.lock(), &list.element, reverse)
}

/// Sorts a short list of what has a plain order; `false`, and nothing done, for others.
fn sort_plain(list: Sequence<'_>, reverse: bool) -> bool {
    if list.len() > FEW {
        return false;
    }
    match list {
        Sequence::Ints(l) => sort_ints(l, reverse),
        Sequence::Floats(l) => sort_floats(l, reverse),
        Sequence::Bools(l) => sort_bools(l, reverse),
        Sequence::Tensors(_) => return false,
        Sequence::Values(l) => return sort_by_plain_order(l, reverse),
    }
    true
}

fn sort_quickly(inputs: &[&Value], _: &mut Value) -> Result<bool> {
    match inputs {
        [list, Value::Bool(reverse)] => Ok(sort_plain(ValueKind::from_value(list)?, *reverse)),
        _ => Ok(false),
    }
}

fn sorted_quickly(inputs: &[&Value], result: &mut Value) -> Result<bool> {
    let [list] = inputs else {
        return Ok(false);
    };
    let list: Sequence<'_> = ValueKind::from_value(list)?;
    if list.len() > FEW {
        return Ok(false);
    }
    let copy = list.copy();
    let is_sorted = sort_plain(ValueKind::from_value(&copy)?, false);
    if is_sorted {
        *result = copy;
    }
    Ok(is_sorted)
}

/// Sorts with a comparison that may fail, keeping equal elements in order.
fn merge_sort(
    mut items: Vec<Value>,
    before: &dyn Fn(&Value, &Value) -> Result<bool>,
) -> Result<Vec<Value>> {
    let mut order: Vec<usize> = (0..items.len()).collected();
    let mut room = order.clone();
    merge_sort_places(&items, &mut order, &mut room, before)?;
    Ok(order
        .into_iter()
        .map(|at| std::mem::take(&mut items[at]))
        .collected())
}

/// Sorts places of items; `room` has as many and is overwritten.
fn merge_sort_places(
    items: &[Value],
    order: &mut [usize],
    room: &mut [usize],
    before: &dyn Fn(&Value, &Value) -> Result<bool>,
) -> Result<()> {
    if order.len() < 2 {
        return Ok(());
    }
    let half = order.len() / 2;
    merge_sort_places(items, &mut order[half..], &mut room[half..], before)?;
    merge_sort_places(items, &mut order[..half], &mut room[..half], before)?;
    room.copy_from_slice(order);
    let (mut left, mut right) = room.split_at(half);
    for place in order {
        let takes_right = match (left, right) {
            ([a, ..], [b, ..]) => before(&items[*b], &items[*a])?,
            (rest, _) => rest.is_empty(),
        };
        let from = if takes_right { &mut right } else { &mut left };
        if let [first, rest @ ..] = *from {
            (*place, *from) = (*first, rest);
        }
    }
    Ok(())
}

/// What the first element shows decides whether a list can be sorted.
fn check_sortable(items: &[Value], list: &Sequence<'_>) -> Result<()> {
    // Numbers, strings and tensors are sorted where the type of the list says what they are.
    let is_any = matches!(list, Sequence::Values(l) if l.element == Type::Any);
    let first = items.first();
    if let (true, Some(first)) = (is_any, first) {
        let ty = first.type_of();
        if let Some(other) = items.iter().map(Value::type_of).find(|t| *t != ty) {
            return Err(unlike(&ty, &other));
        }
    }
    if let Some(class) = first.and_then(|value| incomparable(value, 0)) {
        let name = Type::Class(class).message_form();
        return Err(Fault::runtime(format!(
            "To sort a list of {name} it must define a __lt__ method with two inputs of type {name} that returns a bool"
        )));
    }
    match first {
        None => Ok(()),
        Some(first @ (Value::Object(_) | Value::Tuple(_))) if is_sortable(first, 0) => Ok(()),
        Some(first) if !is_any && is_sortable(first, 0) => Ok(()),
        Some(first @ Value::Tuple(_)) => Err(Fault::runtime(format!(
            "Contained elements in {} are not sortable. Only Int, Bool, Float, String, Tensor, a User Defined Class with __lt__ method defined or Tuples of aforementioned types can be sorted.",
            first.type_of().schema_form()
        ))),
        Some(first) => Err(Fault::runtime(format!(
            "Only list of Tensors, ints, floats, bools, strs, a User Defined Class that defines the __lt__ compare method or Tuples of aforementioned types can be sorted, got list of {}\n",
            first.type_of().annotation()
        ))),
    }
}

fn is_sortable(value: &Value, depth: usize) -> bool {
    match value {
        Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Str(_) | Value::Tensor(_) => true,
        Value::Tuple(t) => depth < MOST_NESTED && t.items.iter().all(|v| is_sortable(v, depth + 1)),
        Value::Object(o) => o.class().method("__lt__").is_some(),
        _ => false,
    }
}

/// The class of an object, or of the first one in a tuple, whose `__lt__` does not say which of two objects comes first.
fn incomparable(value: &Value, depth: usize) -> Option<Arc<ClassType>> {
    match value {
        Value::Tuple(t) if depth < MOST_NESTED => {
            t.items.iter().find_map(|v| incomparable(v, depth + 1))
        }
        Value::Object(o) => {
            let class = o.class();
            let same = |ty: &Type| matches!(ty, Type::Class(other) if Arc::ptr_eq(other, class));
            let fits = class.method("__lt__").is_some_and(|method| {
                method.schema.is_none_or(|schema| {
                    let takes = &schema.arguments;
                    takes.len() == 2
                        && takes.iter().all(|a| same(&a.ty))
                        && matches!(schema.returns.as_slice(), [one] if one.ty == Type::Bool)
                })
            });
            (!fits).then(|| class.clone())
        }
        _ => None,
    }
}

/// Deeper tuples are not sorted.
const MOST_NESTED: usize = 64;

/// Whether one value comes before another of the same type.
fn comes_before(cx: &Context, a: &Value, b: &Value) -> Result<bool> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Ok(a < b),
        (Value::Float(a), Value::Float(b)) => Ok(a < b),
        (Value::Bool(a), Value::Bool(b)) => Ok(!a & b),
        (Value::Str(a), Value::Str(b)) => Ok(a.as_bytes() < b.as_bytes()),
        (Value::Tensor(a), Value::Tensor(b)) => tensor_truth(cx, "aten::lt.Tensor", a, b),
        (Value::Object(object), Value::Object(_)) => call_less(cx, object, a, b),
        (Value::Tuple(x), Value::Tuple(y)) => {
            for (a, b) in x.items.iter().zip(y.items.iter()) {
                if !same(cx, a, b)? {
                    return comes_before(cx, a, b);
                }
            }
            Ok(x.items.len() < y.items.len())
        }
        _ => Err(unlike(&a.type_of(), &b.type_of())),
    }
}

fn unlike(a: &Type, b: &Type) -> Fault {
    Fault::runtime(format!(
        "Only values of same type can be compared. Found {} and {}",
        a.annotation(),
        b.annotation()
    ))
}

thread_local! {
    /// How many calls of `__lt__` are under way on this thread.
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

/// Each call of `__lt__` uses native stack, and the method may sort again.
const MOST_CALLS: usize = 64;

fn call_less(cx: &Context, object: &Object, a: &Value, b: &Value) -> Result<bool> {
    let Some(method) = object.class().callee("__lt__") else {
        return Err(Fault::runtime(format!(
            "{} has no method __lt__ that can be called",
            object.class().name()
        )));
    };
    let depth = CALLS.get();
    if depth >= MOST_CALLS {
        return Err(Fault::runtime("maximum recursion depth exceeded in __lt__"));
    }
    CALLS.set(depth + 1);
    let result = method.invoke(cx, vec![a.clone(), b.clone()]);
    CALLS.set(depth);
    result?.as_bool()
}

fn same(cx: &Context, a: &Value, b: &Value) -> Result<bool> {
    match (a, b) {
        (Value::Tensor(a), Value::Tensor(b)) => tensor_truth(cx, "aten::eq.Tensor", a, b),
        _ => Ok(a == b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rushlight_types::print_text;

    #[test]
    fn nans_in_short_lists_stop_insertion() {
        // Where the reference leaves them.
        let list: List<f64> = vec![3.0, f64::NAN, 1.0, 2.0].into();
        sort_floats(&list, false);
        assert_eq!(print_text(&list.clone().into()), "[1., 3., nan, 2.]");
    }

    #[test]
    fn long_lists_with_nans_sort() {
        let list: List<f64> = (0..100)
            .map(|i| {
                if i % 7 == 0 {
                    f64::NAN
                } else {
                    (i * 37 % 101) as f64
                }
            })
            .collect::<Vec<_>>()
            .into();
        sort_floats(&list, true);
        let items = list.lock();
        assert!(items[..80].is_sorted_by(|a, b| a >= b) && items[99].is_nan());
    }

    #[test]
    fn tuples_sort_by_their_first_difference() {
        let pair = |a: i64, b: &str| Value::tuple(vec![Value::Int(a), Value::str(b)]);
        let element = Type::tuple(vec![Type::Int, Type::Str]);
        let items = vec![pair(1, "b"), pair(1, "a"), pair(0, "c")];
        let list = Arc::new(GenericList::new(element, items));
        sort_any(&Context::silent(), Sequence::Values(&list), false).unwrap();
        assert_eq!(print_text(&Value::List(list)), "[(0, c), (1, a), (1, b)]");
    }
}
