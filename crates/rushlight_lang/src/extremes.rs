//! `min` and `max` of two values and of lists.

use super::number::{self, Pair, pair};
use rushlight_tensor::Scalar;
use rushlight_types::{Fault, List, Result, ScalarOp, Value, op, operators, quick_op};

operators! {
    /// The smaller and the larger.
    pub static ROWS = [
        op!("prim::min.int(int a, int b) -> int", i64::min).scalar(ScalarOp::MinInt),
        op!("prim::min.float(float a, float b) -> float", min_float).scalar(ScalarOp::MinFloat),
        op!("prim::min.int_float(int a, float b) -> float", min_float).scalar(ScalarOp::MinFloat),
        op!("prim::min.float_int(float a, int b) -> float", min_float).scalar(ScalarOp::MinFloat),
        op!("prim::min(Scalar a, Scalar b) -> Scalar", min),
        op!("prim::min.int_list(int[] l, int[] r) -> int[]", min_ints),
        op!("prim::min.float_list(float[] l, float[] r) -> float[]", min_floats),
        op!("prim::min.bool_list(bool[] l, bool[] r) -> bool[]", min_bools),
        quick_op!("prim::min.self_int(int[] self) -> int", |l: &List<i64>| least(l, "min", |a, b| a < b)),
        quick_op!("prim::min.self_float(float[] self) -> float", |l: &List<f64>| least(l, "min", |a, b| a < b)),
        quick_op!("prim::min.self_bool(bool[] self) -> bool", |l: &List<bool>| least(l, "min", |a, b| !a & b)),
        op!("prim::max.int(int a, int b) -> int", i64::max).scalar(ScalarOp::MaxInt),
        op!("prim::max.float(float a, float b) -> float", max_float).scalar(ScalarOp::MaxFloat),
        op!("prim::max.int_float(int a, float b) -> float", max_float).scalar(ScalarOp::MaxFloat),
        op!("prim::max.float_int(float a, int b) -> float", max_float).scalar(ScalarOp::MaxFloat),
        op!("prim::max(Scalar a, Scalar b) -> Scalar", max),
        op!("prim::max.int_list(int[] l, int[] r) -> int[]", max_ints),
        op!("prim::max.float_list(float[] l, float[] r) -> float[]", max_floats),
        op!("prim::max.bool_list(bool[] l, bool[] r) -> bool[]", max_bools),
        quick_op!("prim::max.self_int(int[] self) -> int", |l: &List<i64>| least(l, "max", |a, b| a > b)),
        quick_op!("prim::max.self_float(float[] self) -> float", |l: &List<f64>| least(l, "max", |a, b| a > b)),
        quick_op!("prim::max.self_bool(bool[] self) -> bool", |l: &List<bool>| least(l, "max", |a, b| a & !b)),
    ];
}

/// With a NaN the second.
fn min_float(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}
fn max_float(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

fn min(a: Scalar, b: Scalar) -> Result<Scalar> {
    Ok(match pair(a, b) {
        Pair::Ints(a, b) => Scalar::Int(a.min(b)),
        Pair::Floats(a, b) => Scalar::Float(min_float(a, b)),
        Pair::Complexes(..) => return Err(number::not_real()),
    })
}

fn max(a: Scalar, b: Scalar) -> Result<Scalar> {
    Ok(match pair(a, b) {
        Pair::Ints(a, b) => Scalar::Int(a.max(b)),
        Pair::Floats(a, b) => Scalar::Float(max_float(a, b)),
        Pair::Complexes(..) => return Err(number::not_real()),
    })
}

/// The first element that no other comes before.
fn least<T: Copy>(list: &List<T>, name: &str, before: fn(T, T) -> bool) -> Result<T> {
    list.lock()
        .iter()
        .copied()
        .reduce(|best, item| if before(item, best) { item } else { best })
        .ok_or_else(|| Fault::runtime(format!("{name}() arg is an empty sequence")))
}

/// Whether the first list comes before the second in the order of dictionaries.
fn comes_before<T: PartialOrd + Clone>(a: &List<T>, b: &List<T>) -> bool {
    // One after the other: both may be the same list.
    let a = a.lock().clone();
    let b = b.lock().clone();
    a < b
}

fn min_list<T: PartialOrd + Clone>(a: &List<T>, b: &List<T>) -> List<T> {
    if comes_before(a, b) { a } else { b }.clone()
}
fn max_list<T: PartialOrd + Clone>(a: &List<T>, b: &List<T>) -> List<T> {
    if comes_before(b, a) { a } else { b }.clone()
}

fn min_ints(a: &List<i64>, b: &List<i64>) -> Value {
    min_list(a, b).into()
}
fn min_floats(a: &List<f64>, b: &List<f64>) -> Value {
    min_list(a, b).into()
}
fn min_bools(a: &List<bool>, b: &List<bool>) -> Value {
    min_list(a, b).into()
}
fn max_ints(a: &List<i64>, b: &List<i64>) -> Value {
    max_list(a, b).into()
}
fn max_floats(a: &List<f64>, b: &List<f64>) -> Value {
    max_list(a, b).into()
}
fn max_bools(a: &List<bool>, b: &List<bool>) -> Value {
    max_list(a, b).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nan_gives_way_only_as_the_first() {
        assert!(min_float(1.0, f64::NAN).is_nan());
        assert_eq!(max_float(f64::NAN, 1.0), 1.0);
        let list: List<f64> = vec![1.0, f64::NAN, 0.0].into();
        assert_eq!(least(&list, "min", |a, b| a < b).unwrap(), 0.0);
        let list: List<f64> = vec![f64::NAN, 0.0].into();
        assert!(least(&list, "min", |a, b| a < b).unwrap().is_nan());
    }

    #[test]
    fn lists_are_ordered_like_words() {
        let (a, b): (List<i64>, List<i64>) = (vec![1, 2].into(), vec![1].into());
        assert!(min_list(&a, &b).is(&b) && max_list(&a, &b).is(&a));
    }
}
