//! Sums, differences, products, quotients and remainders.

use super::definition::{Pointwise, loops2, slices};
use super::table::{Tables, forms, number_forms, table};
use rushlight_tensor::lanes::{each2, map2};
use rushlight_tensor::{Complex64, DType, Fault, Number, Operand, Result, Scalar, Tensor};

/// `self + alpha * other`.
pub static ADD: Pointwise = Pointwise::new(
    "add_stub",
    slices![Loop2: add::<f32>, add::<i64>, add::<f64>, add::<Complex64>],
)
.checked(check_alpha);

/// `self - alpha * other`.
pub static SUB: Pointwise = Pointwise::new(
    "sub_stub",
    slices![Loop2: sub::<f32>, sub::<i64>, sub::<f64>, sub::<Complex64>],
)
.checked(check_difference);

/// `self * other`.
pub static MUL: Pointwise = Pointwise::new(
    "mul_stub",
    slices![Loop2: mul::<f32>, mul::<i64>, mul::<f64>, mul::<Complex64>],
);

/// The quotient; integers give floats.
pub static DIV: Pointwise = Pointwise::new(
    "div_true_cpu",
    loops2![
        f32: map2 |x: f32, y: f32| x / y,
        f64: map2 |x: f64, y: f64| x / y,
        Complex64: each2 complex_quotient,
    ],
)
.lifting();

/// The quotient rounded toward minus infinity.
pub static DIV_FLOOR: Pointwise = Pointwise::new(
    "div_floor_cpu",
    loops2![f32: each2 floor_quotient_f32, i64: each2 floor_quotient_i64, f64: each2 floor_quotient_f64],
)
.without_bool()
.checked(check_divisor);

/// The quotient rounded toward zero.
pub static DIV_TRUNC: Pointwise = Pointwise::new(
    "div_trunc_cpu",
    loops2![
        f32: map2 |x: f32, y: f32| (x / y).trunc(),
        i64: each2 i64::wrapping_div,
        f64: map2 |x: f64, y: f64| (x / y).trunc(),
    ],
)
.without_bool()
.checked(check_divisor);

/// The remainder with the divisor's sign (Python's `%`).
pub static REMAINDER: Pointwise = Pointwise::new(
    "remainder_cpu",
    loops2![f32: each2 remainder_f32, i64: each2 remainder_i64, f64: each2 remainder_f64],
)
.without_bool()
.checked(check_divisor);

/// The remainder with the dividend's sign (C's `fmod`).
pub static FMOD: Pointwise = Pointwise::new(
    "fmod_cpu",
    loops2![
        f32: each2 |x: f32, y: f32| x % y,
        i64: each2 i64::wrapping_rem,
        f64: each2 |x: f64, y: f64| x % y,
    ],
)
.without_bool()
.checked(check_divisor);

fn is_one(number: &Scalar) -> bool {
    matches!(number, Scalar::Int(1) | Scalar::Bool(true)) || *number == Scalar::Float(1.0)
}

fn add<T: Number>(out: &mut [T], a: &[T], b: &[T], numbers: &[Scalar]) {
    match numbers {
        [alpha, ..] if !is_one(alpha) => {
            let alpha = T::from_scalar(*alpha);
            map2(out, a, b, |x: T, y: T| x.add(alpha.mul(y)));
        }
        _ => map2(out, a, b, |x: T, y: T| x.add(y)),
    }
}

fn sub<T: Number>(out: &mut [T], a: &[T], b: &[T], numbers: &[Scalar]) {
    match numbers {
        [alpha, ..] if !is_one(alpha) => {
            let alpha = T::from_scalar(*alpha);
            map2(out, a, b, |x: T, y: T| x.sub(alpha.mul(y)));
        }
        _ => map2(out, a, b, |x: T, y: T| x.sub(y)),
    }
}

fn mul<T: Number>(out: &mut [T], a: &[T], b: &[T], _: &[Scalar]) {
    map2(out, a, b, |x: T, y: T| x.mul(y));
}

/// Division that scales by the larger part of the divisor, so that no intermediate overflows.
pub(super) fn complex_quotient(x: Complex64, y: Complex64) -> Complex64 {
    if y.re.abs() >= y.im.abs() {
        if y.re == 0.0 && y.im == 0.0 {
            return Complex64::new(x.re / y.re.abs(), x.im / y.im.abs());
        }
        let ratio = y.im / y.re;
        let scale = 1.0 / (y.re + y.im * ratio);
        return Complex64::new((x.re + x.im * ratio) * scale, (x.im - x.re * ratio) * scale);
    }
    let ratio = y.re / y.im;
    let scale = 1.0 / (y.re * ratio + y.im);
    Complex64::new((x.re * ratio + x.im) * scale, (x.im * ratio - x.re) * scale)
}

macro_rules! float_division {
    ($quotient:ident, $remainder:ident, $t:ident) => {
        /// The remainder with the divisor's sign.
        pub(super) fn $remainder(x: $t, y: $t) -> $t {
            let rest = x % y;
            if rest != 0.0 && (y < 0.0) != (rest < 0.0) {
                rest + y
            } else {
                rest
            }
        }

        /// Python's `//`: exact also where `x / y` rounds up to a whole number.
        pub(super) fn $quotient(x: $t, y: $t) -> $t {
            if y == 0.0 {
                return x / y;
            }
            let rest = x % y;
            let mut quotient = (x - rest) / y;
            if rest != 0.0 && (y < 0.0) != (rest < 0.0) {
                quotient -= 1.0;
            }
            if quotient == 0.0 {
                return (0.0 as $t).copysign(x / y);
            }
            let floor = quotient.floor();
            if quotient - floor > 0.5 {
                floor + 1.0
            } else {
                floor
            }
        }
    };
}
float_division!(floor_quotient_f32, remainder_f32, f32);
float_division!(floor_quotient_f64, remainder_f64, f64);

fn floor_quotient_i64(x: i64, y: i64) -> i64 {
    let quotient = x.wrapping_div(y);
    if x.wrapping_rem(y) != 0 && (x < 0) != (y < 0) {
        quotient - 1
    } else {
        quotient
    }
}

fn remainder_i64(x: i64, y: i64) -> i64 {
    let rest = x.wrapping_rem(y);
    if rest != 0 && (rest < 0) != (y < 0) {
        rest + y
    } else {
        rest
    }
}

/// Refuses an alpha of a higher category than the result.
pub(super) fn check_alpha(_: &[Operand<'_>], common: DType, numbers: &[Scalar]) -> Result<()> {
    match numbers.first() {
        Some(Scalar::Bool(_)) if common != DType::Bool => Err(Fault::runtime(
            "Boolean alpha only supported for Boolean results.",
        )),
        Some(Scalar::Float(_)) if common.is_integral(true) => Err(Fault::runtime(
            "For integral input tensors, argument alpha must not be a floating point number.",
        )),
        Some(Scalar::Complex(_)) if !common.is_complex() => Err(Fault::runtime(
            "For non-complex input tensors, argument alpha must not be a complex number.",
        )),
        _ => Ok(()),
    }
}

/// Refuses differences of bools, and what [`check_alpha`] refuses.
fn check_difference(operands: &[Operand<'_>], common: DType, numbers: &[Scalar]) -> Result<()> {
    let is_bool = |operand: &Operand<'_>| match operand {
        Operand::Tensor(t) => t.dtype() == DType::Bool,
        Operand::Number(n) => matches!(n, Scalar::Bool(_)),
    };
    if operands.iter().all(is_bool) {
        return Err(Fault::not_implemented(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.",
        ));
    }
    if operands.iter().any(is_bool) {
        return Err(Fault::not_implemented(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.",
        ));
    }
    check_alpha(operands, common, numbers)
}

/// Refuses a zero among integer divisors.
pub(super) fn check_divisor(operands: &[Operand<'_>], common: DType, _: &[Scalar]) -> Result<()> {
    if !common.is_integral(false) {
        return Ok(());
    }
    let has_zero = match operands {
        // A number becomes an element first, and may wrap to zero.
        [_, Operand::Number(n)] => !Tensor::scalar(*n, common).item()?.to_bool(),
        [_, Operand::Tensor(t)] if t.rank() == 0 => !t.to_dtype(common).item()?.to_bool(),
        [_, Operand::Tensor(t)] => {
            rushlight_tensor::dispatch!(t.dtype(), All, T => t.data::<T>().iter().any(|v| !rushlight_tensor::Element::is_nonzero(*v)))
        }
        _ => false,
    };
    if has_zero {
        Err(Fault::runtime("ZeroDivisionError"))
    } else {
        Ok(())
    }
}

/// The operator for a `rounding_mode`.
fn division(mode: Option<&str>) -> Result<&'static Pointwise> {
    match mode {
        None => Ok(&DIV),
        Some("trunc") => Ok(&DIV_TRUNC),
        Some("floor") => Ok(&DIV_FLOOR),
        Some(other) => Err(Fault::runtime(format!(
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{other}'"
        ))),
    }
}

forms! {
    /// Operators of two tensors whose given tensor is `.out`.
    pub mod tensor ("self", ", Tensor other") fresh ".Tensor", in_place ".Tensor", out ".out";
    (|cx, form, a, b: &Tensor| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "mul" => MUL, "multiply" => MUL, "div" => DIV, "divide" => DIV, "true_divide" => DIV }
}
forms! {
    /// The same with a number.
    pub mod number ("self", ", Scalar other") fresh ".Scalar", in_place ".Scalar", out ".Scalar_out";
    (|cx, form, a, b: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "mul" => MUL, "div" => DIV, "remainder" => REMAINDER, "fmod" => FMOD }
}
forms! {
    /// The same with a number, for names that have no `out=` form of it.
    pub mod alias_number ("self", ", Scalar other") fresh ".Scalar", in_place ".Scalar";
    (|cx, form, a, b: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "multiply" => MUL, "divide" => DIV, "true_divide" => DIV }
}
forms! {
    /// Remainders.
    pub mod rest ("self", ", Tensor other") fresh ".Tensor", in_place ".Tensor", out ".Tensor_out";
    (|cx, form, a, b: &Tensor| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "remainder" => REMAINDER, "fmod" => FMOD }
}
number_forms! {
    /// Remainders of a number.
    pub mod rest_of_number ("self", ", Tensor other") fresh ".Scalar_Tensor", out ".Scalar_Tensor_out";
    (|cx, form, a, b| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "remainder" => REMAINDER }
}
forms! {
    /// Quotients rounded as asked for.
    pub mod mode ("self", ", Tensor other" * ", str? rounding_mode")
    fresh ".Tensor_mode", in_place ".Tensor_mode", out ".out_mode";
    (|cx, form, a, b: &Tensor, mode: Option<&str>| _op =>
        division(mode)?.call(cx, form, &[a.into(), b.into()], &[]))
    { "div" => DIV, "divide" => DIV }
}
forms! {
    /// The same by a number.
    pub mod mode_number ("self", ", Scalar other" * ", str? rounding_mode")
    fresh ".Scalar_mode", in_place ".Scalar_mode", out ".Scalar_mode_out";
    (|cx, form, a, b: Scalar, mode: Option<&str>| _op =>
        division(mode)?.call(cx, form, &[a.into(), b.into()], &[]))
    { "div" => DIV }
}
forms! {
    /// The same by a number, for the name that has no `out=` form of it.
    pub mod alias_mode_number ("self", ", Scalar other" * ", str? rounding_mode")
    fresh ".Scalar_mode", in_place ".Scalar_mode";
    (|cx, form, a, b: Scalar, mode: Option<&str>| _op =>
        division(mode)?.call(cx, form, &[a.into(), b.into()], &[]))
    { "divide" => DIV }
}
forms! {
    /// Python's `//`.
    pub mod floor ("self", ", Tensor other") fresh "", in_place ".Tensor", out ".out";
    (|cx, form, a, b: &Tensor| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "floor_divide" => DIV_FLOOR }
}
forms! {
    /// Python's `//` by a number.
    pub mod floor_number ("self", ", Scalar other") fresh ".Scalar", in_place ".Scalar", out ".Scalar_out";
    (|cx, form, a, b: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "floor_divide" => DIV_FLOOR }
}
forms! {
    /// Sums and differences, the second operand scaled by `alpha`.
    pub mod scaled ("self", ", Tensor other" * ", Scalar alpha=1") fresh ".Tensor", in_place ".Tensor", out ".out";
    (|cx, form, a, b: &Tensor, alpha: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[alpha]))
    { "add" => ADD, "sub" => SUB, "subtract" => SUB }
}
forms! {
    /// The same with a number.
    pub mod scaled_number ("self", ", Scalar other, Scalar alpha=1")
    fresh ".Scalar", in_place ".Scalar", out ".Scalar_out";
    (|cx, form, a, b: Scalar, alpha: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[alpha]))
    { "add" => ADD, "sub" => SUB }
}
forms! {
    /// The same with a number, for the name that has no `out=` form of it.
    pub mod alias_scaled_number ("self", ", Scalar other, Scalar alpha=1") fresh ".Scalar", in_place ".Scalar";
    (|cx, form, a, b: Scalar, alpha: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[alpha]))
    { "subtract" => SUB }
}
forms! {
    /// `other - alpha * self`.
    pub mod reversed ("self", ", Tensor other" * ", Scalar alpha=1") fresh ".Tensor", out ".Tensor_out";
    (|cx, form, a, b: &Tensor, alpha: Scalar| op => op.call(cx, form, &[b.into(), a.into()], &[alpha]))
    { "rsub" => SUB }
}
forms! {
    /// The difference under the name that archives of version 2 test with.
    pub mod tested ("self", ", Tensor other, Scalar alpha=1") fresh "";
    (|cx, form, a, b: &Tensor, alpha: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[alpha]))
    { "_test_serialization_subcmul" => SUB }
}
forms! {
    /// `number - alpha * self`.
    pub mod reversed_number ("self", ", Scalar other, Scalar alpha=1") fresh ".Scalar", out ".Scalar_out";
    (|cx, form, a, b: Scalar, alpha: Scalar| op => op.call(cx, form, &[b.into(), a.into()], &[alpha]))
    { "rsub" => SUB }
}

/// The rows of this file.
pub static TABLES: &[Tables] = &[
    tensor::TABLES,
    number::TABLES,
    alias_number::TABLES,
    rest::TABLES,
    rest_of_number::TABLES,
    mode::TABLES,
    mode_number::TABLES,
    alias_mode_number::TABLES,
    floor::TABLES,
    floor_number::TABLES,
    scaled::TABLES,
    scaled_number::TABLES,
    alias_scaled_number::TABLES,
    reversed::TABLES,
    reversed_number::TABLES,
    tested::TABLES,
];
