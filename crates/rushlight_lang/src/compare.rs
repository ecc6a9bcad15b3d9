//! Comparisons and truth: numbers, strings, devices, enum members, lists of plain elements, and Python's `is`.

use super::number::{self, Pair, pair};
use rushlight_tensor::{Complex64, Device, Scalar};
use rushlight_types::{
    Elements, EnumValue, List, Result, ScalarOp, Value, op, operators, quick_op,
};
use std::cmp::Ordering;
use std::sync::Arc;

operators! {
    /// `== != < <= > >=`, `is`, `not`, and bitwise operators.
    pub static ROWS = [
        op!("aten::eq.int(int a, int b) -> bool", |a: i64, b: i64| a == b).scalar(ScalarOp::EqInt),
        op!("aten::eq.float(float a, float b) -> bool", |a: f64, b: f64| a == b).scalar(ScalarOp::EqFloat),
        op!("aten::eq.int_float(int a, float b) -> bool", |a: f64, b: f64| a == b).scalar(ScalarOp::EqFloat),
        op!("aten::eq.float_int(float a, int b) -> bool", |a: f64, b: f64| a == b).scalar(ScalarOp::EqFloat),
        op!("aten::eq.bool(bool a, bool b) -> bool", |a: bool, b: bool| a == b).scalar(ScalarOp::EqBool),
        op!("aten::eq.complex(complex a, complex b) -> bool", |a: Complex64, b: Complex64| a == b),
        op!("aten::eq.complex_float(complex a, float b) -> bool", |a: Complex64, b: Complex64| a == b),
        op!("aten::eq.float_complex(float a, complex b) -> bool", |a: Complex64, b: Complex64| a == b),
        quick_op!("aten::eq.str(str a, str b) -> bool", eq_str).scalar(ScalarOp::EqStr),
        op!("aten::eq.device(Device a, Device b) -> bool", |a: Device, b: Device| a == b),
        quick_op!("aten::eq.enum(AnyEnumType a, AnyEnumType b) -> bool", eq_enum),
        op!("aten::eq(Scalar a, Scalar b) -> bool", eq),
        op!("aten::eq.int_list(int[] a, int[] b) -> bool", eq_int_list),
        op!("aten::eq.float_list(float[] a, float[] b) -> bool", eq_float_list),
        op!("aten::eq.bool_list(bool[] a, bool[] b) -> bool", eq_bool_list),
        op!("aten::eq.str_list(str[] a, str[] b) -> bool", eq_values),
        op!("aten::ne.int(int a, int b) -> bool", |a: i64, b: i64| a != b).scalar(ScalarOp::NeInt),
        op!("aten::ne.float(float a, float b) -> bool", |a: f64, b: f64| a != b).scalar(ScalarOp::NeFloat),
        op!("aten::ne.int_float(int a, float b) -> bool", |a: f64, b: f64| a != b).scalar(ScalarOp::NeFloat),
        op!("aten::ne.float_int(float a, int b) -> bool", |a: f64, b: f64| a != b).scalar(ScalarOp::NeFloat),
        op!("aten::ne.bool(bool a, bool b) -> bool", |a: bool, b: bool| a != b).scalar(ScalarOp::NeBool),
        op!("aten::ne.complex(complex a, complex b) -> bool", |a: Complex64, b: Complex64| a != b),
        op!("aten::ne.complex_float(complex a, float b) -> bool", |a: Complex64, b: Complex64| a != b),
        op!("aten::ne.float_complex(float a, complex b) -> bool", |a: Complex64, b: Complex64| a != b),
        quick_op!("aten::ne.str(str a, str b) -> bool", ne_str).scalar(ScalarOp::NeStr),
        op!("aten::ne.device(Device a, Device b) -> bool", |a: Device, b: Device| a != b),
        quick_op!("aten::ne.enum(AnyEnumType a, AnyEnumType b) -> bool", ne_enum),
        op!("aten::ne(Scalar a, Scalar b) -> bool", ne),
        op!("aten::ne.int_list(int[] a, int[] b) -> bool", ne_int_list),
        op!("aten::ne.float_list(float[] a, float[] b) -> bool", ne_float_list),
        op!("aten::ne.bool_list(bool[] a, bool[] b) -> bool", ne_bool_list),
        op!("aten::ne.str_list(str[] a, str[] b) -> bool", ne_values),
        op!("aten::lt.int(int a, int b) -> bool", |a: i64, b: i64| a < b).scalar(ScalarOp::LtInt),
        op!("aten::lt.float(float a, float b) -> bool", |a: f64, b: f64| a < b).scalar(ScalarOp::LtFloat),
        op!("aten::lt.int_float(int a, float b) -> bool", |a: f64, b: f64| a < b).scalar(ScalarOp::LtFloat),
        op!("aten::lt.float_int(float a, int b) -> bool", |a: f64, b: f64| a < b).scalar(ScalarOp::LtFloat),
        op!("aten::lt(Scalar a, Scalar b) -> bool", lt),
        quick_op!("aten::lt.str(str a, str b) -> bool", lt_str),
        op!("aten::le.int(int a, int b) -> bool", |a: i64, b: i64| a <= b).scalar(ScalarOp::LeInt),
        op!("aten::le.float(float a, float b) -> bool", |a: f64, b: f64| a <= b).scalar(ScalarOp::LeFloat),
        op!("aten::le.int_float(int a, float b) -> bool", |a: f64, b: f64| a <= b).scalar(ScalarOp::LeFloat),
        op!("aten::le.float_int(float a, int b) -> bool", |a: f64, b: f64| a <= b).scalar(ScalarOp::LeFloat),
        op!("aten::le(Scalar a, Scalar b) -> bool", le),
        quick_op!("aten::le.str(str a, str b) -> bool", le_str),
        op!("aten::gt.int(int a, int b) -> bool", |a: i64, b: i64| a > b).scalar(ScalarOp::GtInt),
        op!("aten::gt.float(float a, float b) -> bool", |a: f64, b: f64| a > b).scalar(ScalarOp::GtFloat),
        op!("aten::gt.int_float(int a, float b) -> bool", |a: f64, b: f64| a > b).scalar(ScalarOp::GtFloat),
        op!("aten::gt.float_int(float a, int b) -> bool", |a: f64, b: f64| a > b).scalar(ScalarOp::GtFloat),
        op!("aten::gt(Scalar a, Scalar b) -> bool", gt),
        quick_op!("aten::gt.str(str a, str b) -> bool", gt_str),
        op!("aten::ge.int(int a, int b) -> bool", |a: i64, b: i64| a >= b).scalar(ScalarOp::GeInt),
        op!("aten::ge.float(float a, float b) -> bool", |a: f64, b: f64| a >= b).scalar(ScalarOp::GeFloat),
        op!("aten::ge.int_float(int a, float b) -> bool", |a: f64, b: f64| a >= b).scalar(ScalarOp::GeFloat),
        op!("aten::ge.float_int(float a, int b) -> bool", |a: f64, b: f64| a >= b).scalar(ScalarOp::GeFloat),
        op!("aten::ge(Scalar a, Scalar b) -> bool", ge),
        quick_op!("aten::ge.str(str a, str b) -> bool", ge_str),
        op!("aten::__is__(t1 self, t2 obj) -> bool", Value::is_same).scalar(ScalarOp::Is).elements_are(Elements::Untouched),
        op!("aten::__isnot__(t1 self, t2 obj) -> bool", is_not).scalar(ScalarOp::IsNot).elements_are(Elements::Untouched),
        op!("aten::__not__(bool self) -> bool", |a: bool| !a).scalar(ScalarOp::Not),
        op!("aten::__and__.bool(bool a, bool b) -> bool", |a: bool, b: bool| a & b).scalar(ScalarOp::AndBool),
        op!("aten::__and__.int(int a, int b) -> int", |a: i64, b: i64| a & b).scalar(ScalarOp::AndInt),
        op!("aten::__or__.bool(bool a, bool b) -> bool", |a: bool, b: bool| a | b).scalar(ScalarOp::OrBool),
        op!("aten::__or__.int(int a, int b) -> int", |a: i64, b: i64| a | b).scalar(ScalarOp::OrInt),
        op!("aten::__xor__.bool(bool a, bool b) -> bool", |a: bool, b: bool| a ^ b).scalar(ScalarOp::XorBool),
        op!("aten::__xor__.int(int a, int b) -> int", |a: i64, b: i64| a ^ b).scalar(ScalarOp::XorInt),
        // The processor takes a shift's count modulo 64, and so does the reference.
        op!("aten::__lshift__.int(int a, int b) -> int", |a: i64, b: i64| a.wrapping_shl(b as u32)).scalar(ScalarOp::ShlInt),
        op!("aten::__rshift__.int(int a, int b) -> int", |a: i64, b: i64| a.wrapping_shr(b as u32)).scalar(ScalarOp::ShrInt),
    ];
}

fn eq_str(a: &[u8], b: &[u8]) -> bool {
    a == b
}
fn ne_str(a: &[u8], b: &[u8]) -> bool {
    a != b
}
fn lt_str(a: &[u8], b: &[u8]) -> bool {
    a < b
}
fn le_str(a: &[u8], b: &[u8]) -> bool {
    a <= b
}
fn gt_str(a: &[u8], b: &[u8]) -> bool {
    a > b
}
fn ge_str(a: &[u8], b: &[u8]) -> bool {
    a >= b
}

fn is_not(a: &Value, b: &Value) -> bool {
    !a.is_same(b)
}

fn eq(a: Scalar, b: Scalar) -> bool {
    match pair(a, b) {
        Pair::Ints(a, b) => a == b,
        Pair::Floats(a, b) => a == b,
        Pair::Complexes(a, b) => a == b,
    }
}
fn ne(a: Scalar, b: Scalar) -> bool {
    !eq(a, b)
}

/// How two real numbers stand to each other; `None` with a NaN.
fn order(a: Scalar, b: Scalar) -> Result<Option<Ordering>> {
    match pair(a, b) {
        Pair::Ints(a, b) => Ok(Some(a.cmp(&b))),
        Pair::Floats(a, b) => Ok(a.partial_cmp(&b)),
        Pair::Complexes(..) => Err(number::not_real()),
    }
}
fn lt(a: Scalar, b: Scalar) -> Result<bool> {
    Ok(order(a, b)?.is_some_and(Ordering::is_lt))
}
fn le(a: Scalar, b: Scalar) -> Result<bool> {
    Ok(order(a, b)?.is_some_and(Ordering::is_le))
}
fn gt(a: Scalar, b: Scalar) -> Result<bool> {
    Ok(order(a, b)?.is_some_and(Ordering::is_gt))
}
fn ge(a: Scalar, b: Scalar) -> Result<bool> {
    Ok(order(a, b)?.is_some_and(Ordering::is_ge))
}

fn eq_enum(a: &Arc<EnumValue>, b: &Arc<EnumValue>) -> bool {
    a.index == b.index && (Arc::ptr_eq(&a.ty, &b.ty) || a.ty == b.ty)
}
fn ne_enum(a: &Arc<EnumValue>, b: &Arc<EnumValue>) -> bool {
    !eq_enum(a, b)
}

/// Whether two lists are equal element by element. Comparing a list with itself must not lock it twice.
fn lists_equal<T: PartialEq>(a: &List<T>, b: &List<T>) -> bool {
    if a.is(b) {
        let items = a.lock();
        return items.iter().all(|item| item == item);
    }
    // Always in the order of addresses, so that two threads never wait for each other.
    let (first, second) = if a.id() < b.id() { (a, b) } else { (b, a) };
    let (first, second) = (first.lock(), second.lock());
    *first == *second
}

fn eq_int_list(a: &List<i64>, b: &List<i64>) -> bool {
    lists_equal(a, b)
}
fn ne_int_list(a: &List<i64>, b: &List<i64>) -> bool {
    !lists_equal(a, b)
}
fn eq_float_list(a: &List<f64>, b: &List<f64>) -> bool {
    lists_equal(a, b)
}
fn ne_float_list(a: &List<f64>, b: &List<f64>) -> bool {
    !lists_equal(a, b)
}
fn eq_bool_list(a: &List<bool>, b: &List<bool>) -> bool {
    lists_equal(a, b)
}
fn ne_bool_list(a: &List<bool>, b: &List<bool>) -> bool {
    !lists_equal(a, b)
}
fn eq_values(a: &Value, b: &Value) -> bool {
    a == b
}
fn ne_values(a: &Value, b: &Value) -> bool {
    a != b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_with_a_nan_differs_from_itself() {
        let list: List<f64> = vec![1.0, f64::NAN].into();
        assert!(!eq_float_list(&list, &list));
        let plain: List<f64> = vec![1.0].into();
        assert!(eq_float_list(&plain, &plain));
    }

    #[test]
    fn order_of_complex_numbers_is_an_error() {
        assert!(lt(Scalar::Complex(Complex64::new(0.0, 1.0)), Scalar::Int(1)).is_err());
        assert!(!lt(Scalar::Float(f64::NAN), Scalar::Int(1)).unwrap());
    }
}
