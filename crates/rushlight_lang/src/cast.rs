//! Conversions between numbers, strings and tensors of one element.

use super::number::{self, truncated};
use super::truth::truth;
use rushlight_tensor::{Complex64, DType, Scalar, Tensor};
use rushlight_types::{
    Dispatch, ElementOp, Elements, Fault, Result, ScalarOp, op, operators, quick_op,
};

operators! {
    /// `int()`, `float()`, `bool()`, `complex()`, `.item()` and the implicit forms.
    pub static ROWS = [
        op!("aten::Int.bool(bool a) -> int", |a: i64| a).scalar(ScalarOp::IntOf),
        op!("aten::Int.float(float a) -> int", truncated).scalar(ScalarOp::IntOf),
        op!("aten::Int.Scalar(Scalar a) -> int", int_of_scalar).scalar(ScalarOp::IntOf),
        quick_op!("aten::Int.str(str a) -> int", int_of_str),
        quick_op!("aten::Int.Tensor(Tensor a) -> int", int_of_tensor).dispatch(Dispatch::Item).element(ElementOp::Int),
        op!("aten::Float.bool(bool a) -> float", |a: f64| a).scalar(ScalarOp::FloatOf),
        op!("aten::Float.int(int a) -> float", |a: f64| a).scalar(ScalarOp::FloatOf),
        op!("aten::Float.Scalar(Scalar a) -> float", Scalar::to_f64).scalar(ScalarOp::FloatOf),
        quick_op!("aten::Float.str(str a) -> float", float_of_str),
        quick_op!("aten::Float.Tensor(Tensor a) -> float", float_of_tensor).dispatch(Dispatch::Item).element(ElementOp::Float),
        op!("aten::Bool.int(int a) -> bool", |a: i64| a != 0).scalar(ScalarOp::BoolOf),
        op!("aten::Bool.float(float a) -> bool", |a: f64| a != 0.0).scalar(ScalarOp::BoolOf),
        quick_op!("aten::Bool.Tensor(Tensor a) -> bool", truth).dispatch(Dispatch::Item).element(ElementOp::Bool),
        op!("aten::Complex.Scalar(Scalar a) -> complex", Scalar::to_complex),
        op!("aten::Complex.bool_bool(bool x, bool y) -> complex", Complex64::new).in_parts(&["a", "c"]),
        op!("aten::Complex.bool_int(bool x, int y) -> complex", Complex64::new).in_parts(&["a", "c"]),
        op!("aten::Complex.bool_float(bool x, float y) -> complex", Complex64::new).in_parts(&["a", "c"]),
        op!("aten::Complex.int_bool(int x, bool y) -> complex", Complex64::new).in_parts(&["a", "c"]),
        op!("aten::Complex.int_int(int x, int y) -> complex", Complex64::new).in_parts(&["a", "c"]),
        op!("aten::Complex.int_float(int x, float y) -> complex", Complex64::new).in_parts(&["a", "c"]),
        op!("aten::Complex.float_bool(float x, bool y) -> complex", Complex64::new).in_parts(&["a", "c"]),
        op!("aten::Complex.float_int(float x, int y) -> complex", Complex64::new).in_parts(&["a", "c"]),
        quick_op!("aten::Complex.float_float(float x, float y) -> complex", complex_of).in_parts(&["a", "c"]).scalar(ScalarOp::ComplexOf),
        op!("aten::Complex.Tensor_Tensor(Tensor a, Tensor b) -> complex", complex_of_parts).dispatch(Dispatch::Item),
        op!("aten::Complex.Tensor_bool(Tensor x, bool y) -> complex", complex_tensor_first).dispatch(Dispatch::Item),
        op!("aten::Complex.Tensor_int(Tensor x, int y) -> complex", complex_tensor_first).dispatch(Dispatch::Item),
        op!("aten::Complex.Tensor_float(Tensor x, float y) -> complex", complex_tensor_first).dispatch(Dispatch::Item),
        op!("aten::Complex.bool_Tensor(bool x, Tensor y) -> complex", complex_tensor_second).dispatch(Dispatch::Item),
        op!("aten::Complex.int_Tensor(int x, Tensor y) -> complex", complex_tensor_second).dispatch(Dispatch::Item),
        op!("aten::Complex.float_Tensor(float x, Tensor y) -> complex", complex_tensor_second).dispatch(Dispatch::Item),
        quick_op!("aten::IntImplicit(Tensor a) -> int", int_implicit).dispatch(Dispatch::Item),
        quick_op!("aten::FloatImplicit(Tensor a) -> float", float_implicit).dispatch(Dispatch::Item),
        op!("aten::ComplexImplicit(Tensor a) -> complex", complex_implicit).dispatch(Dispatch::Item),
        op!("aten::ScalarImplicit(Tensor a) -> Scalar", scalar_implicit).dispatch(Dispatch::Item),
        quick_op!("aten::item(Tensor self) -> Scalar", item).elements_are(Elements::ThroughMarks).element(ElementOp::Item),
        op!("prim::NumToTensor.Scalar(Scalar a) -> Tensor", tensor_of_number),
        op!("prim::NumToTensor.bool(bool a) -> Tensor", |a: bool| Tensor::scalar(Scalar::Bool(a), DType::Bool)),
    ];
}

#[cold]
fn overflow(kind: &str) -> Fault {
    Fault::runtime(format!(
        "value cannot be converted to type {kind} without overflow"
    ))
}

fn int_of_scalar(a: Scalar) -> Result<i64> {
    match a {
        Scalar::Complex(c) if c.im != 0.0 => Err(overflow("int")),
        Scalar::Complex(c) => Ok(truncated(c.re)),
        Scalar::Float(f) => Ok(truncated(f)),
        other => Ok(other.to_i64()),
    }
}

/// White space as C skips it before a number.
fn after_space(text: &str) -> &str {
    text.trim_start_matches(|c| matches!(c, ' ' | '\t'..='\r'))
}

fn int_of_str(text: &str) -> Result<i64> {
    let body = after_space(text);
    let (negative, digits) = match body.as_bytes().first() {
        Some(b'-') => (true, &body[1..]),
        Some(b'+') => (false, &body[1..]),
        _ => (false, body),
    };
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    let (digits, rest) = digits.split_at(end);
    let magnitude = digits.parse::<i128>().ok();
    let value = magnitude.and_then(|m| i64::try_from(if negative { -m } else { m }).ok());
    match value {
        None => Err(Fault::runtime("stoll")),
        Some(_) if !rest.is_empty() => Err(Fault::runtime(format!(
            "invalid literal for int() with base 10: '{text}'"
        ))),
        Some(value) => Ok(value),
    }
}

fn float_of_str(text: &str) -> Result<f64> {
    let body = after_space(text);
    let (value, used) = leading_float(body).ok_or_else(|| Fault::runtime("stod"))?;
    if used < body.len() {
        return Err(Fault::runtime(format!(
            "could not convert string to float: '{text}'"
        )));
    }
    Ok(value)
}

/// The float at the start of a text as C reads it, and its length: decimal, hexadecimal, infinite or NaN. `None`
/// where there is none or it does not fit.
fn leading_float(text: &str) -> Option<(f64, usize)> {
    let sign = text.starts_with(['-', '+']) as usize;
    let body = &text[sign..];
    let signed = |value: f64, used: usize| {
        let value = if text.starts_with('-') { -value } else { value };
        Some((value, sign + used))
    };
    if let Some(used) = word(body, &["infinity", "inf"]) {
        return signed(f64::INFINITY, used);
    }
    if let Some(used) = word(body, &["nan"]) {
        return signed(f64::NAN, used + payload(&body[used..]));
    }
    if let Some((value, used)) = hexadecimal(body) {
        return signed(value, used);
    }
    let used = decimal_length(body)?;
    let value: f64 = body[..used].parse().ok()?;
    let mantissa = body[..used].split(['e', 'E']).next().unwrap_or_default();
    let is_zero = !mantissa.contains(|c: char| ('1'..='9').contains(&c));
    let fits = value.is_finite() && (is_zero || value.abs() >= f64::MIN_POSITIVE);
    if fits { signed(value, used) } else { None }
}

/// The length of the first of these words that the text starts with, in whatever case.
fn word(text: &str, words: &[&str]) -> Option<usize> {
    words
        .iter()
        .find(|w| {
            text.get(..w.len())
                .is_some_and(|t| t.eq_ignore_ascii_case(w))
        })
        .map(|w| w.len())
}

/// The length of a NaN's `(chars)`.
fn payload(text: &str) -> usize {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match text.strip_prefix('(') {
        Some(rest) => {
            let end = rest.find(|c| !inside(c)).unwrap_or(rest.len());
            if rest[end..].starts_with(')') {
                end + 2
            } else {
                0
            }
        }
        None => 0,
    }
}

fn digits_at(text: &str, from: usize, digit: impl Fn(u8) -> bool) -> usize {
    text.as_bytes()[from..]
        .iter()
        .take_while(|b| digit(**b))
        .count()
}

/// The length of `12`, `1.5`, `.5`, `1.`, `1e-3` at the start of the text.
fn decimal_length(text: &str) -> Option<usize> {
    let is_digit = |b: u8| b.is_ascii_digit();
    let whole = digits_at(text, 0, is_digit);
    let mut used = whole;
    let mut digits = whole;
    if text[used..].starts_with('.') {
        let fraction = digits_at(text, used + 1, is_digit);
        if whole + fraction > 0 {
            used += 1 + fraction;
            digits += fraction;
        }
    }
    if digits == 0 {
        return None;
    }
    Some(used + exponent_length(&text[used..], ['e', 'E']))
}

/// The length of an exponent with its letter, 0 where there is none.
fn exponent_length(text: &str, letters: [char; 2]) -> usize {
    if !text.starts_with(letters) {
        return 0;
    }
    let sign = text[1..].starts_with(['-', '+']) as usize;
    match digits_at(text, 1 + sign, |b| b.is_ascii_digit()) {
        0 => 0,
        digits => 1 + sign + digits,
    }
}

/// `0x1.8p3` at the start of the text.
fn hexadecimal(text: &str) -> Option<(f64, usize)> {
    let is_hex = |b: u8| b.is_ascii_hexdigit();
    if !text.get(..2)?.eq_ignore_ascii_case("0x") {
        return None;
    }
    let whole = digits_at(text, 2, is_hex);
    let mut used = 2 + whole;
    let mut fraction = 0;
    if text[used..].starts_with('.') {
        fraction = digits_at(text, used + 1, is_hex);
        used += 1 + fraction;
    }
    if whole + fraction == 0 {
        return None;
    }
    let digits = text[2..used].chars().filter_map(|c| c.to_digit(16));
    let mantissa = digits.fold(0.0, |sum, d| sum * 16.0 + d as f64);
    let length = exponent_length(&text[used..], ['p', 'P']);
    let exponent: i32 = match length {
        0 => 0,
        _ => text[used + 1..used + length].parse().unwrap_or(i32::MAX),
    };
    let shift = exponent.saturating_sub(4 * fraction as i32);
    Some((mantissa * 2f64.powi(shift), used + length))
}

fn item(t: &Tensor) -> Result<Scalar> {
    t.item()
}

fn int_of_tensor(t: &Tensor) -> Result<i64> {
    match t.item()? {
        Scalar::Float(f) => number::to_int(f.trunc()).map_err(|_| overflow("int64_t")),
        Scalar::Complex(c) if c.im != 0.0 => Err(overflow("int64_t")),
        Scalar::Complex(c) => number::to_int(c.re.trunc()).map_err(|_| overflow("int64_t")),
        other => Ok(other.to_i64()),
    }
}

fn float_of_tensor(t: &Tensor) -> Result<f64> {
    match t.item()? {
        Scalar::Complex(c) if c.im != 0.0 => Err(overflow("double")),
        other => Ok(other.to_f64()),
    }
}

/// A complex number of its parts.
fn complex_of(re: f64, im: f64) -> Complex64 {
    Complex64::new(re, im)
}

fn complex_of_parts(re: &Tensor, im: &Tensor) -> Result<Complex64> {
    Ok(Complex64::new(float_of_tensor(re)?, float_of_tensor(im)?))
}

fn complex_tensor_first(re: &Tensor, im: f64) -> Result<Complex64> {
    Ok(Complex64::new(float_of_tensor(re)?, im))
}

fn complex_tensor_second(re: f64, im: &Tensor) -> Result<Complex64> {
    Ok(Complex64::new(re, float_of_tensor(im)?))
}

/// Checks that a tensor may stand for a number where one is asked for.
fn scalar_implicit(t: &Tensor) -> Result<Scalar> {
    if t.requires_grad() {
        return Err(Fault::runtime(
            "Cannot input a tensor that requires grad as a scalar argument",
        ));
    }
    if t.rank() != 0 {
        return Err(Fault::runtime(
            "Cannot input a tensor of dimension other than 0 as a scalar argument",
        ));
    }
    t.item()
}

fn int_implicit(t: &Tensor) -> Result<i64> {
    match scalar_implicit(t)? {
        Scalar::Int(i) => Ok(i),
        _ => Err(Fault::runtime(format!(
            "Cannot input a tensor of type {} as an integral argument",
            t.dtype().class_name()
        ))),
    }
}

fn float_implicit(t: &Tensor) -> Result<f64> {
    scalar_implicit(t).map(Scalar::to_f64)
}

fn complex_implicit(t: &Tensor) -> Result<Complex64> {
    scalar_implicit(t).map(Scalar::to_complex)
}

fn tensor_of_number(a: Scalar) -> Tensor {
    Tensor::scalar(a, a.dtype(DType::F64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int_fault(text: &str) -> String {
        int_of_str(text).unwrap_err().message().to_string()
    }

    #[test]
    fn ints_are_read_with_leading_space_and_sign() {
        assert_eq!(int_of_str("\t-5").unwrap(), -5);
        assert_eq!(int_of_str("010").unwrap(), 10);
        assert_eq!(int_of_str("-9223372036854775808").unwrap(), i64::MIN);
        assert_eq!(int_fault("9223372036854775808"), "stoll");
        assert_eq!(int_fault("- 5"), "stoll");
        assert_eq!(
            int_fault("12 "),
            "invalid literal for int() with base 10: '12 '"
        );
    }

    #[test]
    fn floats_are_read_as_in_c() {
        for (text, value) in [(" .5", 0.5), ("5.", 5.0), ("0x1p3", 8.0), ("-1e3", -1000.0)] {
            assert_eq!(float_of_str(text).unwrap(), value);
        }
        assert_eq!(float_of_str("-inf").unwrap(), f64::NEG_INFINITY);
        assert!(float_of_str("NaN(abc)").unwrap().is_nan());
        for text in ["", "xx", "1e400", "1e-400", "e5", "."] {
            assert_eq!(float_of_str(text).unwrap_err().message(), "stod");
        }
        for text in ["1.5.5", "1_0", "1e", "1e5 "] {
            assert!(
                float_of_str(text)
                    .unwrap_err()
                    .message()
                    .starts_with("could not")
            );
        }
    }
}
