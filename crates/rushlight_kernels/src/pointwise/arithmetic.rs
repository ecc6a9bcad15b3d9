//! Sums, differences, products, quotients and remainders.

use super::definition::{Loop2, Pointwise, Spread2, loops2, slices, stepwise};
use rushlight_tensor::lanes::{Lanes, Map2, each2, map2, map3, spread2};
use rushlight_tensor::{
    Complex32, Complex64, DType, Element, Fault, Number, Operand, Result, Scalar, Tensor,
};

/// A loop over floats and the number that the second operand is multiplied with; with one, sums stay what they are to the bit.
macro_rules! with_alpha {
    ($t:ty, $alpha:ident, $f:expr) => {
        Spread2(|r: &mut [$t], a: &[$t], b: &[$t], numbers: &[Scalar]| {
            let $alpha: $t = numbers.first().map_or(1.0, |n| <$t>::from_scalar(*n));
            spread2::<$t>(r, a, b, $f);
        })
    };
}

/// `self + alpha * other`.
pub static ADD: Pointwise = Pointwise::new(
    "add_stub",
    &[
        &with_alpha!(f32, alpha, |x, y| x + alpha * y),
        &Loop2(add::<i64>),
        &with_alpha!(f64, alpha, |x, y| x + alpha * y),
        &Loop2(add_complex),
        &Loop2(add::<i32>),
        &Loop2(add::<u8>),
    ],
)
.rounding_numbers()
.checked(check_alpha);

/// `self - alpha * other`.
pub static SUB: Pointwise = Pointwise::new(
    "add_stub",
    &[
        &with_alpha!(f32, alpha, |x, y| x - alpha * y),
        &Loop2(sub::<i64>),
        &with_alpha!(f64, alpha, |x, y| x - alpha * y),
        &Loop2(sub_complex),
        &Loop2(sub::<i32>),
        &Loop2(sub::<u8>),
    ],
)
.rounding_numbers()
.checked(check_difference);

/// `self * other`.
pub static MUL: Pointwise = Pointwise::new(
    "mul_stub",
    &[
        &Spread2(|r: &mut [f32], a: &[f32], b: &[f32], _| spread2(r, a, b, |x, y| x * y)),
        &Loop2(mul::<i64>),
        &Spread2(|r: &mut [f64], a: &[f64], b: &[f64], _| spread2(r, a, b, |x, y| x * y)),
        &Loop2(mul::<Complex64>),
        &Loop2(mul::<i32>),
        &Loop2(mul::<u8>),
        &Loop2(|r: &mut [Complex32], a: &[Complex32], b: &[Complex32], _| {
            map2(r, a, b, complex_product);
        }),
    ],
)
.keeping_second()
.with_eights()
.checked(check_factors)
.with_unsigned();

/// Floats of eight bits are multiplied with one another only.
fn check_factors(operands: &[Operand<'_>], common: DType, _: &[Scalar]) -> Result<()> {
    let single = |o: &Operand<'_>| match o {
        Operand::Tensor(t) => t.rank() == 0,
        Operand::Number(_) => true,
    };
    match common.is_eight() && operands.iter().any(single) {
        true => Err(Fault::no_kernel("mul_cpu_reduced_float", common)),
        false => Ok(()),
    }
}

/// The quotient; integers give floats.
pub static DIV: Pointwise = Pointwise::new(
    "div_cpu",
    loops2![
        f32: spread2 |x: f32, y: f32| x / y,
        f64: spread2 |x: f64, y: f64| x / y,
        Complex64: each2 complex_quotient,
    ],
)
.keeping_second()
.lifting();

/// The quotient rounded toward minus infinity.
pub static DIV_FLOOR: Pointwise = Pointwise::new(
    "div_floor_cpu",
    slices![Loop2:
        |r: &mut [f32], a: &[f32], b: &[f32], _: &[Scalar]| with_rests(r, (a, b), rests_f32, |r, a, b, rest| map3(r, a, b, rest, floor_quotient_f32)),
        |r: &mut [i64], a: &[i64], b: &[i64], _: &[Scalar]| each2(r, a, b, floor_quotient_i64),
        |r: &mut [f64], a: &[f64], b: &[f64], _: &[Scalar]| with_rests(r, (a, b), rests_f64, |r, a, b, rest| map3(r, a, b, rest, floor_quotient_f64)),
    ],
)
.keeping_second()
.stepwise(
    &stepwise!(f16 floor_quotient_in),
    &stepwise!(bf16 floor_quotient_in),
)
.without_bool()
.with_elements_checked(check_divisor);

/// The quotient rounded toward zero.
pub static DIV_TRUNC: Pointwise = Pointwise::new(
    "div_trunc_cpu",
    loops2![
        f32: map2 |x: f32, y: f32| (x / y).trunc(),
        i64: each2 i64::wrapping_div,
        f64: map2 |x: f64, y: f64| (x / y).trunc(),
    ],
)
.keeping_second()
.stepwise(
    &stepwise!(f16 trunc_quotient_in),
    &stepwise!(bf16 trunc_quotient_in),
)
.without_bool()
.with_elements_checked(check_divisor);

/// The remainder with the divisor's sign (Python's `%`).
pub static REMAINDER: Pointwise = Pointwise::new(
    "remainder_cpu",
    slices![Loop2:
        |r: &mut [f32], a: &[f32], b: &[f32], _: &[Scalar]| with_rests(r, (a, b), rests_f32, |r, _, b, rest| each2(r, rest, b, remainder_f32)),
        |r: &mut [i64], a: &[i64], b: &[i64], _: &[Scalar]| each2(r, a, b, remainder_i64),
        |r: &mut [f64], a: &[f64], b: &[f64], _: &[Scalar]| with_rests(r, (a, b), rests_f64, |r, _, b, rest| map2(r, rest, b, remainder_f64)),
    ],
)
.without_bool()
.with_elements_checked(check_divisor);

/// The remainder with the dividend's sign (C's `fmod`).
pub static FMOD: Pointwise = Pointwise::new(
    "fmod_cpu",
    slices![Loop2:
        |r: &mut [f32], a: &[f32], b: &[f32], _: &[Scalar]| rests_f32(r, a, b),
        |r: &mut [i64], a: &[i64], b: &[i64], _: &[Scalar]| each2(r, a, b, i64::wrapping_rem),
        |r: &mut [f64], a: &[f64], b: &[f64], _: &[Scalar]| rests_f64(r, a, b),
    ],
)
.without_bool()
.with_elements_checked(check_divisor);

fn is_one(number: &Scalar) -> bool {
    matches!(number, Scalar::Int(1) | Scalar::Bool(true)) || *number == Scalar::Float(1.0)
}

fn add<T: Number>(out: &mut [T], a: &[T], b: &[T], numbers: &[Scalar]) {
    match numbers {
        [alpha, ..] if !is_one(alpha) => {
            let alpha = T::from_scalar(*alpha);
            map2(out, a, b, move |x: T, y: T| x.add(alpha.mul(y)));
        }
        _ => map2(out, a, b, |x: T, y: T| x.add(y)),
    }
}

/// What complex numbers are scaled by, which is a product even by one: infinite parts leave no other part a number.
fn scale(numbers: &[Scalar]) -> Complex64 {
    let one = Complex64::new(1.0, 0.0);
    numbers
        .first()
        .map_or(one, |alpha| Complex64::from_scalar(*alpha))
}

fn add_complex(out: &mut [Complex64], a: &[Complex64], b: &[Complex64], numbers: &[Scalar]) {
    let alpha = scale(numbers);
    map2(out, a, b, move |x: Complex64, y| x + alpha * y);
}

fn sub_complex(out: &mut [Complex64], a: &[Complex64], b: &[Complex64], numbers: &[Scalar]) {
    let alpha = scale(numbers);
    map2(out, a, b, move |x: Complex64, y| x - alpha * y);
}

fn sub<T: Number>(out: &mut [T], a: &[T], b: &[T], numbers: &[Scalar]) {
    match numbers {
        [alpha, ..] if !is_one(alpha) => {
            let alpha = T::from_scalar(*alpha);
            map2(out, a, b, move |x: T, y: T| x.sub(alpha.mul(y)));
        }
        _ => map2(out, a, b, |x: T, y: T| x.sub(y)),
    }
}

fn mul<T: Number>(out: &mut [T], a: &[T], b: &[T], _: &[Scalar]) {
    map2(out, a, b, |x: T, y: T| x.mul(y));
}

/// A product that is rounded once.
#[inline]
fn complex_product(x: Complex32, y: Complex32) -> Complex32 {
    let [a, b, c, d] = [x.re, x.im, y.re, y.im].map(f64::from);
    Complex32::new((a * c - b * d) as f32, (a * d + b * c) as f32)
}

/// Division that scales by the larger part of the divisor, so that no intermediate overflows.
#[inline]
pub fn complex_quotient(x: Complex64, y: Complex64) -> Complex64 {
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
        /// The remainder with the divisor's sign, made of that with the dividend's.
        #[inline(always)]
        fn $remainder(rest: $t, y: $t) -> $t {
            let is_other = rest != 0.0 && (y < 0.0) != (rest < 0.0);
            if is_other { rest + y } else { rest }
        }

        /// Python's `//`: exact also where `x / y` rounds up to a whole number. `rest` is the remainder with the dividend's
        /// sign.
        #[inline(always)]
        fn $quotient(x: $t, y: $t, rest: $t) -> $t {
            let whole = (x - rest) / y;
            let is_other = rest != 0.0 && (y < 0.0) != (rest < 0.0);
            let whole = if is_other { whole - 1.0 } else { whole };
            let floor = whole.floor();
            let nearest = if whole - floor > 0.5 {
                floor + 1.0
            } else {
                floor
            };
            let result = match whole == 0.0 {
                true => (0.0 as $t).copysign(x / y),
                false => nearest,
            };
            if y == 0.0 { x / y } else { result }
        }
    };
}

float_division!(floor_quotient_f32, remainder_f32, f32);

/// As [`floor_quotient_f32`], rounded after each step.
fn floor_quotient_in(x: f32, y: f32, round: fn(f32) -> f32) -> f32 {
    if y == 0.0 {
        return x / y;
    }
    let rest = x % y;
    let mut quotient = round(round(x - rest) / y);
    if rest != 0.0 && (y < 0.0) != (rest < 0.0) {
        quotient = round(quotient - 1.0);
    }
    if quotient == 0.0 {
        return 0.0f32.copysign(x / y);
    }
    let floor = quotient.floor();
    match round(quotient - floor) > 0.5 {
        true => floor + 1.0,
        false => floor,
    }
}

/// The quotient, rounded, without its fraction.
fn trunc_quotient_in(x: f32, y: f32, round: fn(f32) -> f32) -> f32 {
    round(x / y).trunc()
}

float_division!(floor_quotient_f64, remainder_f64, f64);

/// The remainder with the dividend's sign, if the quotient is below 2^28: then it is exact in f64, and so is what is left.
#[inline(always)]
fn short_rest_f32(x: f32, y: f32) -> f32 {
    let (a, b) = (f64::from(x), f64::from(y));
    let rest = (a - (a / b).trunc() * b) as f32;
    let rest = if y.is_infinite() && x.is_finite() {
        x
    } else {
        rest
    };
    rest.copysign(x)
}

macro_rules! rests {
    ($name:ident, $t:ident, $short:expr, $limit:literal) => {
        /// Remainders with the dividend's sign.
        fn $name(r: &mut [$t], a: &[$t], b: &[$t]) {
            // Quotients too long for the short way are rare.
            let is_long = |x: $t, y: $t| x.is_finite() && x.abs() > $limit * y.abs() && y != 0.0;
            map2(r, a, b, $short);
            let pairs = || a.iter().zip(b);
            if pairs().fold(false, |any, (x, y)| any | is_long(*x, *y)) {
                for (r, (x, y)) in r.iter_mut().zip(pairs()) {
                    if is_long(*x, *y) {
                        *r = x % y;
                    }
                }
            }
        }
    };
}

rests!(rests_f32, f32, short_rest_f32, 268_435_456.0);
rests!(rests_f64, f64, ShortRest, 2_251_799_813_685_248.0);

/// The remainder with the dividend's sign, if the quotient is below 2^51: then what a product rounded once leaves is exact.
#[derive(Clone, Copy)]
struct ShortRest;

impl Map2<f64, f64, f64> for ShortRest {
    #[inline(always)]
    fn at<L: Lanes>(self, x: f64, y: f64) -> f64 {
        if !L::FUSED {
            return x % y;
        }
        let rest = L::fma64(-(x / y).trunc(), y, x);
        // The quotient may have been rounded up to a whole number.
        let is_below = rest != 0.0 && (rest < 0.0) != (x < 0.0);
        let rest = if is_below {
            rest + y.abs().copysign(x)
        } else {
            rest
        };
        let is_whole = y.is_infinite() && x.is_finite();
        let rest = if is_whole { x } else { rest };
        rest.copysign(x)
    }
}

/// Runs `finish` over parts of operands and their remainders with the dividend's sign.
fn with_rests<T: Copy + Default>(
    r: &mut [T],
    (a, b): (&[T], &[T]),
    rests: fn(&mut [T], &[T], &[T]),
    finish: impl Fn(&mut [T], &[T], &[T], &[T]),
) {
    const PART: usize = 256;
    let mut room = [T::default(); PART];
    for ((r, a), b) in r.chunks_mut(PART).zip(a.chunks(PART)).zip(b.chunks(PART)) {
        let room = &mut room[..a.len()];
        rests(room, a, b);
        finish(r, a, b, room);
    }
}

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
fn check_alpha(_: &[Operand<'_>], common: DType, numbers: &[Scalar]) -> Result<()> {
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
    check_no_bools(operands)?;
    check_alpha(operands, common, numbers)
}

/// Refuses differences of bools.
pub fn check_no_bools(operands: &[Operand<'_>]) -> Result<()> {
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
    Ok(())
}

/// Refuses a zero among integer divisors, where anything is divided.
fn check_divisor(operands: &[Operand<'_>], common: DType, _: &[Scalar]) -> Result<()> {
    let is_empty = |o: &Operand<'_>| matches!(o, Operand::Tensor(t) if t.numel() == 0);
    if !common.is_integral(false) || operands.iter().any(is_empty) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of all sizes, the odd ones among them.
    fn numbers() -> Vec<f64> {
        let some = (-40..40).map(|i| f64::from(i) * 0.37 * 10f64.powi(i % 9));
        let ends = [
            0.0,
            -0.0,
            1.0,
            -3.0,
            1e-40,
            3e38,
            1e-300,
            1e300,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
        ];
        some.chain(ends).collect()
    }

    #[test]
    fn remainders_are_exact_whatever_the_quotient() {
        let same =
            |got: f64, want: f64| got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan();
        for x in numbers() {
            for y in numbers() {
                let mut out = [0.0];
                rests_f64(&mut out, &[x], &[y]);
                assert!(same(out[0], x % y), "{x} % {y} is {}", out[0]);
                let (x, y) = (x as f32, y as f32);
                let mut out = [0.0];
                rests_f32(&mut out, &[x], &[y]);
                assert!(
                    same(out[0].into(), (x % y).into()),
                    "{x} % {y} is {}",
                    out[0]
                );
            }
        }
    }

    #[test]
    fn quotients_and_remainders_have_the_signs_of_python() {
        for (x, y, quotient, left) in [
            (7.0, 2.0, 3.0, 1.0),
            (-7.0, 2.0, -4.0, 1.0),
            (7.0, -2.0, -4.0, -1.0),
            (-7.0, -2.0, 3.0, -1.0),
            (1.0, f32::INFINITY, 0.0, 1.0),
            (-1.0, f32::INFINITY, -1.0, f32::INFINITY),
            (6.0, 0.0, f32::INFINITY, f32::NAN),
        ] {
            let mut rest = [0.0];
            rests_f32(&mut rest, &[x], &[y]);
            let (whole, got) = (floor_quotient_f32(x, y, rest[0]), remainder_f32(rest[0], y));
            assert_eq!(whole, quotient, "{x} // {y}");
            assert!(
                got == left || got.is_nan() && f32::is_nan(left),
                "{x} % {y}"
            );
        }
    }
}
