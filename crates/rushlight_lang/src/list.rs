//! Lists: building, reading, changing, searching, and folding them to one value.

use super::sequence::Sequence;
use super::truth::tensor_truth;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Complex64, Tensor};
use rushlight_types::{
    Context, Elements, Fault, List, Result, ScalarOp, Str, Value, op, operators, quick_effect,
    quick_op,
};
use std::fmt::Display;

operators! {
    /// List operators of every element type.
    pub static ROWS = [
        op!("aten::len.t(t[] a) -> int", len).scalar(ScalarOp::ListLen).elements_are(Elements::Untouched),
        quick_op!("aten::len.any(Any[] a) -> int", len).elements_are(Elements::Untouched),
        op!("aten::__getitem__.t(t[](a) list, int idx) -> t(*)", get).scalar(ScalarOp::ListGet),
        quick_op!("aten::select.t(t[](a) list, int idx) -> t(*)", get),
        op!("aten::_set_item.t(t[](a!) l, int idx, t(b -> *) el) -> t[](a!)", set_item).scalar(ScalarOp::ListSet),
        op!("aten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!)", append).scalar(ScalarOp::ListAppend),
        quick_effect!("aten::extend.t(t[](a!) self, t[] other) -> ()", extend, |list: Sequence<'_>, other: Sequence<'_>|),
        quick_effect!("aten::insert.t(t[](a!) self, int idx, t(b -> *) el) -> ()", insert, |list: Sequence<'_>, at: i64, value: &Value|),
        quick_op!("aten::pop.t(t[](a!) self, int idx=-1) -> t(*)", pop).scalar(ScalarOp::ListPop),
        op!("aten::Delete.t(t[](a!) self, int idx) -> ()", delete),
        op!("aten::clear.t(t[](a!) self) -> ()", clear),
        quick_effect!("aten::reverse.t(t[](a!) self) -> ()", reverse, |list: Sequence<'_>|),
        quick_op!("aten::copy.t(t[](a) self) -> t[]", copy),
        quick_op!("aten::list.t(t[] l) -> t[]", copy),
        quick_op!("aten::slice.t(t[] l, int? start=None, int? end=None, int step=1) -> t[]", slice),
        quick_op!("aten::add.t(t[] a, t[] b) -> t[]", add),
        op!("aten::add_.t(t[](a!) self, t[] b) -> t[]", add_in_place),
        quick_op!("aten::mul.left_t(t[] l, int n) -> t[]", repeat),
        op!("aten::mul.right_(int n, t[] l) -> t[]", repeat_right),
        op!("aten::mul_.t(t[](a!) l, int n) -> t[](a!)", repeat_in_place),
        op!("aten::remove.int(int[](a!) self, int el) -> ()", remove_int),
        op!("aten::remove.float(float[](a!) self, float el) -> ()", remove_float),
        op!("aten::remove.bool(bool[](a!) self, bool el) -> ()", remove_bool),
        op!("aten::remove.str(str[](a!) self, str el) -> ()", remove_str),
        op!("aten::remove.Tensor(Tensor[](a!) self, Tensor el) -> ()", remove_tensor),
        quick_op!("aten::index.list_int(int[] self, int el) -> int", index_int),
        op!("aten::index.list_float(float[] self, float el) -> int", index_float),
        op!("aten::index.list_bool(bool[] self, bool el) -> int", index_bool),
        quick_op!("aten::index.list_str(str[] self, str el) -> int", index_str),
        op!("aten::index.list_Tensor(Tensor[] self, Tensor el) -> int", index_tensor),
        quick_op!("aten::count.int(int[] self, int el) -> int", count_int),
        op!("aten::count.float(float[] self, float el) -> int", count_float),
        op!("aten::count.bool(bool[] self, bool el) -> int", count_bool),
        quick_op!("aten::count.str(str[] self, str el) -> int", count_str),
        op!("aten::count.Tensor(Tensor[] self, Tensor el) -> int", count_tensor),
        quick_op!("aten::__contains__.int_list(int[] l, int item) -> bool", contains_int),
        quick_op!("aten::__contains__.float_list(float[] l, float item) -> bool", contains_float),
        quick_op!("aten::__contains__.str_list(str[] l, str item) -> bool", contains_str),
        op!("aten::eq.Tensor_list(Tensor[] a, Tensor[] b) -> bool", eq_tensors),
        op!("aten::ne.Tensor_list(Tensor[] a, Tensor[] b) -> bool", ne_tensors),
        op!("aten::all.int(int[] self) -> bool", |l: &List<i64>| l.lock().iter().all(|v| *v != 0)),
        op!("aten::all.float(float[] self) -> bool", |l: &List<f64>| l.lock().iter().all(|v| *v != 0.0)),
        op!("aten::all.bool(bool[] self) -> bool", |l: &List<bool>| l.lock().iter().all(|v| *v)),
        op!("aten::any.int(int[] self) -> bool", |l: &List<i64>| l.lock().iter().any(|v| *v != 0)),
        op!("aten::any.float(float[] self) -> bool", |l: &List<f64>| l.lock().iter().any(|v| *v != 0.0)),
        op!("aten::any.bool(bool[] self) -> bool", |l: &List<bool>| l.lock().iter().any(|v| *v)),
        op!("aten::any.str(str[] self) -> bool", any_str),
        quick_op!("aten::sum.int(int[] self) -> int", |l: &List<i64>| l.lock().iter().fold(0i32, |a, b| a.wrapping_add(*b as i32)) as i64),
        quick_op!("aten::sum.float(float[] self) -> float", |l: &List<f64>| l.lock().iter().fold(0.0, |a, b| a + b)),
        op!("aten::sum.bool(bool[] self) -> int", |l: &List<bool>| l.lock().iter().filter(|v| **v).count() as i64),
        op!("aten::sum.complex(complex[] self) -> complex", sum_complex),
        op!("aten::__range_length(int lo, int hi, int step) -> int", range_length).scalar(ScalarOp::RangeLength),
        op!("aten::__derive_index(int index, int start, int step) -> int", derive_index).scalar(ScalarOp::DeriveIndex),
        op!("prim::rangelist(int n) -> int[]", range_list),
    ];
}

fn len(list: Sequence<'_>) -> i64 {
    list.len() as i64
}

fn get(list: Sequence<'_>, index: i64) -> Result<Value> {
    list.get(index)
}

fn set_item(list: &Value, index: i64, value: &Value) -> Result<Value> {
    sequence(list)?.set(index, value)?;
    Ok(list.clone())
}

fn append(list: &Value, value: &Value) -> Result<Value> {
    sequence(list)?.push(value)?;
    Ok(list.clone())
}

/// The list behind a value that is also returned.
#[inline(always)]
fn sequence(value: &Value) -> Result<Sequence<'_>> {
    rushlight_types::ValueKind::from_value(value)
}

fn extend(list: Sequence<'_>, other: Sequence<'_>) -> Result<()> {
    list.extend(other)
}

fn insert(list: Sequence<'_>, index: i64, value: &Value) -> Result<()> {
    list.insert(index, value)
}

fn pop(list: Sequence<'_>, index: i64) -> Result<Value> {
    if list.len() == 0 {
        return Err(Fault::runtime("pop from empty list"));
    }
    list.remove(index)
}

fn delete(list: Sequence<'_>, index: i64) -> Result<()> {
    match list.remove(index) {
        Ok(_) => Ok(()),
        Err(_) => Err(Fault::index("list index out of range")),
    }
}

fn clear(list: Sequence<'_>) {
    list.clear();
}

fn reverse(list: Sequence<'_>) {
    list.reverse();
}

fn copy(list: Sequence<'_>) -> Value {
    list.copy()
}

fn slice(list: Sequence<'_>, start: Option<i64>, end: Option<i64>, step: i64) -> Result<Value> {
    list.slice(start, end, step)
}

fn add(a: Sequence<'_>, b: Sequence<'_>) -> Result<Value> {
    a.followed_by(b)
}

fn add_in_place(list: &Value, other: Sequence<'_>) -> Result<Value> {
    sequence(list)?.extend(other)?;
    Ok(list.clone())
}

fn repeat(list: Sequence<'_>, times: i64) -> Result<Value> {
    list.repeated(times)
}

fn repeat_right(times: i64, list: Sequence<'_>) -> Result<Value> {
    list.repeated(times)
}

fn repeat_in_place(list: &Value, times: i64) -> Result<Value> {
    sequence(list)?.repeat(times.max(0) as usize)?;
    Ok(list.clone())
}

#[cold]
fn not_there() -> Fault {
    Fault::runtime("list.remove(x): x not in list")
}

#[cold]
fn not_in_list(element: impl Display) -> Fault {
    Fault::runtime(format!("'{element}' is not in list"))
}

fn find<T: PartialEq>(list: &List<T>, element: &T) -> Option<usize> {
    list.lock().iter().position(|item| item == element)
}

fn remove_plain<T: PartialEq>(list: &List<T>, element: T) -> Result<()> {
    let mut items = list.lock();
    let at = items.iter().position(|item| *item == element);
    items.remove(at.ok_or_else(not_there)?);
    Ok(())
}

fn remove_int(list: &List<i64>, element: i64) -> Result<()> {
    remove_plain(list, element)
}
fn remove_float(list: &List<f64>, element: f64) -> Result<()> {
    remove_plain(list, element)
}
fn remove_bool(list: &List<bool>, element: bool) -> Result<()> {
    remove_plain(list, element)
}

fn index_int(list: &List<i64>, element: i64) -> Result<i64> {
    find(list, &element)
        .map(|at| at as i64)
        .ok_or_else(|| not_in_list(element))
}
fn index_float(list: &List<f64>, element: f64) -> Result<i64> {
    find(list, &element)
        .map(|at| at as i64)
        .ok_or_else(|| not_in_list(rushlight_types::general_text(element, 6)))
}
fn index_bool(list: &List<bool>, element: bool) -> Result<i64> {
    find(list, &element)
        .map(|at| at as i64)
        .ok_or_else(|| not_in_list(element as i64))
}

fn count_int(list: &List<i64>, element: i64) -> i64 {
    list.lock().iter().filter(|item| **item == element).count() as i64
}
fn count_float(list: &List<f64>, element: f64) -> i64 {
    list.lock().iter().filter(|item| **item == element).count() as i64
}
fn count_bool(list: &List<bool>, element: bool) -> i64 {
    list.lock().iter().filter(|item| **item == element).count() as i64
}

fn contains_int(list: &List<i64>, element: i64) -> bool {
    find(list, &element).is_some()
}
fn contains_float(list: &List<f64>, element: f64) -> bool {
    find(list, &element).is_some()
}

/// Lets something look at the elements of a list of strings.
fn strings<T>(list: &Value, look: impl FnOnce(&[Value]) -> T) -> Result<T> {
    match list {
        Value::List(list) => Ok(look(&list.items.lock())),
        other => Ok(look(&sequence(other)?.values())),
    }
}

fn is_text(item: &Value, text: &Str) -> bool {
    matches!(item, Value::Str(s) if s == text)
}

/// The first position at which a list of strings holds one.
fn find_str(list: &Value, element: &Str) -> Result<Option<usize>> {
    strings(list, |items| {
        items.iter().position(|item| is_text(item, element))
    })
}

fn remove_str(list: &Value, element: &Str) -> Result<()> {
    let at = find_str(list, element)?.ok_or_else(not_there)?;
    sequence(list)?.remove(at as i64).map(drop)
}

fn index_str(list: &Value, element: &Str) -> Result<i64> {
    let at = find_str(list, element)?;
    at.map(|at| at as i64).ok_or_else(|| not_in_list(element))
}

fn count_str(list: &Value, element: &Str) -> Result<i64> {
    let count = |items: &[Value]| items.iter().filter(|item| is_text(item, element)).count();
    Ok(strings(list, count)? as i64)
}

fn contains_str(list: &Value, element: &Str) -> Result<bool> {
    Ok(find_str(list, element)?.is_some())
}

fn any_str(list: &Value) -> Result<bool> {
    let items = sequence(list)?.values();
    Ok(items
        .iter()
        .any(|s| s.as_str().is_ok_and(|s| !s.is_empty())))
}

/// The first tensor equal to `element`; comparing asks each comparison for one truth value.
fn find_tensor(cx: &Context, items: &[Tensor], element: &Tensor) -> Result<Option<usize>> {
    for (at, item) in items.iter().enumerate() {
        if tensor_truth(cx, "aten::eq.Tensor", item, element)? {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

fn remove_tensor(cx: &Context, list: &List<Tensor>, element: &Tensor) -> Result<()> {
    let items = list.lock().clone();
    let at = find_tensor(cx, &items, element)?.ok_or_else(not_there)?;
    Sequence::Tensors(list).remove(at as i64).map(drop)
}

fn index_tensor(cx: &Context, items: Vec<Tensor>, element: &Tensor) -> Result<i64> {
    match find_tensor(cx, &items, element)? {
        Some(at) => Ok(at as i64),
        None => Err(not_in_list(element.script_text())),
    }
}

fn count_tensor(cx: &Context, items: Vec<Tensor>, element: &Tensor) -> Result<i64> {
    items.iter().try_fold(0, |count, item| {
        Ok(count + tensor_truth(cx, "aten::eq.Tensor", item, element)? as i64)
    })
}

fn eq_tensors(cx: &Context, a: &List<Tensor>, b: &List<Tensor>) -> Result<bool> {
    // One after the other: both may be the same list.
    let a = a.lock().clone();
    let b = b.lock().clone();
    if a.len() != b.len() {
        return Ok(false);
    }
    for (a, b) in a.iter().zip(&b) {
        if !tensor_truth(cx, "aten::eq.Tensor", a, b)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn ne_tensors(cx: &Context, a: &List<Tensor>, b: &List<Tensor>) -> Result<bool> {
    Ok(!eq_tensors(cx, a, b)?)
}

fn sum_complex(list: Sequence<'_>) -> Result<Complex64> {
    list.values()
        .iter()
        .try_fold(Complex64::new(0.0, 0.0), |sum, v| {
            Ok(sum + v.as_scalar()?.to_complex())
        })
}

/// How many steps a `range` makes.
fn range_length(low: i64, high: i64, step: i64) -> Result<i64> {
    let distance = match step {
        0 => return Err(Fault::runtime("range() arg 3 must not be zero")),
        1.. if low < high => high.wrapping_sub(low),
        ..=-1 if high < low => low.wrapping_sub(high),
        _ => return Ok(0),
    };
    Ok((distance as u64).div_ceil(step.unsigned_abs()) as i64)
}

fn derive_index(index: i64, start: i64, step: i64) -> i64 {
    start.wrapping_add(index.wrapping_mul(step))
}

fn range_list(n: i64) -> Result<Vec<i64>> {
    const MOST: i64 = 1 << 32;
    if !(0..=MOST).contains(&n) {
        return Err(Fault::runtime("vector::reserve"));
    }
    Ok((0..n).collected())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_count_their_steps() {
        let steps = [(0, 10, 3), (0, 10, -3), (10, 0, -3), (5, 5, 1)];
        let counts = steps.map(|(low, high, step)| range_length(low, high, step).unwrap());
        assert_eq!(counts, [4, 0, 4, 0]);
        assert!(range_length(0, 10, 0).is_err());
    }

    #[test]
    fn append_serves_every_representation() {
        let ints = Value::from(vec![1i64]);
        append(&ints, &Value::Int(2)).unwrap();
        assert!(ints == Value::from(vec![1i64, 2]));
        let texts = Value::from(vec!["a".to_string()]);
        append(&texts, &Value::str("b")).unwrap();
        assert_eq!(index_str(&texts, &"b".into()).unwrap(), 1);
        assert!(append(&ints, &Value::str("b")).is_err());
    }

    #[test]
    fn missing_elements_are_named_as_numbers_print() {
        let list: List<f64> = vec![1.0].into();
        let fault = index_float(&list, -3.0).unwrap_err();
        assert_eq!(fault.message(), "'-3' is not in list");
    }
}
