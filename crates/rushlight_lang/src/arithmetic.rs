//! Arithmetic on numbers outside tensors: ints wrap at 64 bits, floats follow IEEE, quotients round as in Python.

use super::number::{self, Pair, pair};
use rushlight_tensor::{Complex64, Scalar, Tensor};
use rushlight_types::{Context, Fault, Result, ScalarOp, op, operators, quick_op};

operators! {
    /// `+ - * / // % **` and their kin on int, float, complex and Scalar.
    pub static ROWS = [
        op!("aten::add.int(int a, int b) -> int", i64::wrapping_add).scalar(ScalarOp::AddInt),
        op!("aten::add.float(float a, float b) -> float", add_float).scalar(ScalarOp::AddFloat),
        op!("aten::add.int_float(int a, float b) -> float", add_float).scalar(ScalarOp::AddFloat),
        op!("aten::add.float_int(float a, int b) -> float", add_float).scalar(ScalarOp::AddFloat),
        quick_op!("aten::add.complex(complex a, complex b) -> complex", add_complex).in_parts(&["ac+", "bd+"]),
        quick_op!("aten::add.int_complex(int a, complex b) -> complex", |a: i64, b: Complex64| shifted(b, a as f64)).in_parts(&["ca+", "d"]),
        quick_op!("aten::add.complex_int(complex a, int b) -> complex", |a: Complex64, b: i64| shifted(a, b as f64)).in_parts(&["ac+", "b"]),
        quick_op!("aten::add.float_complex(float a, complex b) -> complex", |a: f64, b: Complex64| shifted(b, a)).in_parts(&["ca+", "d"]),
        quick_op!("aten::add.complex_float(complex a, float b) -> complex", shifted).in_parts(&["ac+", "b"]),
        op!("aten::add(Scalar a, Scalar b) -> Scalar", add),
        op!("aten::sub.int(int a, int b) -> int", i64::wrapping_sub).scalar(ScalarOp::SubInt),
        op!("aten::sub.float(float a, float b) -> float", sub_float).scalar(ScalarOp::SubFloat),
        op!("aten::sub.int_float(int a, float b) -> float", sub_float).scalar(ScalarOp::SubFloat),
        op!("aten::sub.float_int(float a, int b) -> float", sub_float).scalar(ScalarOp::SubFloat),
        quick_op!("aten::sub.complex(complex a, complex b) -> complex", sub_complex).in_parts(&["ac-", "bd-"]),
        quick_op!("aten::sub.int_complex(int a, complex b) -> complex", |a: i64, b: Complex64| taken_from(a as f64, b)).in_parts(&["ac-", "d~"]),
        quick_op!("aten::sub.complex_int(complex a, int b) -> complex", |a: Complex64, b: i64| shifted(a, -(b as f64))).in_parts(&["ac-", "b"]),
        quick_op!("aten::sub.float_complex(float a, complex b) -> complex", taken_from).in_parts(&["ac-", "d~"]),
        quick_op!("aten::sub.complex_float(complex a, float b) -> complex", |a: Complex64, b: f64| shifted(a, -b)).in_parts(&["ac-", "b"]),
        op!("aten::sub(Scalar a, Scalar b) -> Scalar", sub),
        op!("aten::mul.int(int a, int b) -> int", i64::wrapping_mul).scalar(ScalarOp::MulInt),
        op!("aten::mul.float(float a, float b) -> float", mul_float).scalar(ScalarOp::MulFloat),
        op!("aten::mul.int_float(int a, float b) -> float", mul_float).scalar(ScalarOp::MulFloat),
        op!("aten::mul.float_int(float a, int b) -> float", mul_float).scalar(ScalarOp::MulFloat),
        quick_op!("aten::mul.complex(complex a, complex b) -> complex", mul_complex).in_parts(&["ac*bd*-", "ad*bc*+"]),
        quick_op!("aten::mul.int_complex(int a, complex b) -> complex", |a: i64, b: Complex64| scaled(b, a as f64)).in_parts(&["ca*", "da*"]),
        quick_op!("aten::mul.complex_int(complex a, int b) -> complex", |a: Complex64, b: i64| scaled(a, b as f64)).in_parts(&["ac*", "bc*"]),
        quick_op!("aten::mul.float_complex(float a, complex b) -> complex", |a: f64, b: Complex64| scaled(b, a)).in_parts(&["ca*", "da*"]),
        quick_op!("aten::mul.complex_float(complex a, float b) -> complex", scaled).in_parts(&["ac*", "bc*"]),
        op!("aten::mul(Scalar a, Scalar b) -> Scalar", mul),
        op!("aten::div.int(int a, int b) -> float", div_float).scalar(ScalarOp::DivInt),
        op!("aten::div.float(float a, float b) -> float", div_float).scalar(ScalarOp::DivFloat),
        quick_op!("aten::div.complex(complex a, complex b) -> complex", number::div_complex),
        op!("aten::div(Scalar a, Scalar b) -> float", div).scalar(ScalarOp::DivFloat),
        op!("aten::floordiv.int(int a, int b) -> int", floordiv_int).scalar(ScalarOp::FloorDivInt),
        op!("aten::floordiv.float(float a, float b) -> float", floordiv_float).scalar(ScalarOp::FloorDivFloat),
        op!("aten::floordiv.int_float(int a, float b) -> float", floordiv_float).scalar(ScalarOp::FloorDivFloat),
        op!("aten::floordiv.float_int(float a, int b) -> float", floordiv_float).scalar(ScalarOp::FloorDivFloat),
        op!("aten::floordiv(Scalar a, Scalar b) -> Scalar", floordiv),
        op!("aten::__round_to_zero_floordiv.int(int a, int b) -> int", truncated_quotient),
        op!("aten::remainder.int(int a, int b) -> int", remainder_int).scalar(ScalarOp::RemainderInt),
        op!("aten::remainder.float(float a, float b) -> float", remainder_float).scalar(ScalarOp::RemainderFloat),
        op!("aten::remainder.int_float(int a, float b) -> float", remainder_float).scalar(ScalarOp::RemainderFloat),
        op!("aten::remainder.float_int(float a, int b) -> float", remainder_float).scalar(ScalarOp::RemainderFloat),
        op!("aten::remainder(Scalar a, Scalar b) -> Scalar", remainder),
        op!("aten::fmod.int(int a, int b) -> float", fmod_float).scalar(ScalarOp::FmodFloat),
        op!("aten::fmod.float(float a, float b) -> float", fmod_float).scalar(ScalarOp::FmodFloat),
        op!("aten::fmod.int_float(int a, float b) -> float", fmod_float).scalar(ScalarOp::FmodFloat),
        op!("aten::fmod.float_int(float a, int b) -> float", fmod_float).scalar(ScalarOp::FmodFloat),
        op!("aten::fmod(Scalar a, Scalar b) -> float", fmod_float),
        op!("aten::mathremainder.int(int a, int b) -> float", number::ieee_remainder),
        op!("aten::mathremainder.float(float a, float b) -> float", number::ieee_remainder),
        op!("aten::mathremainder.int_float(int a, float b) -> float", number::ieee_remainder),
        op!("aten::mathremainder.float_int(float a, int b) -> float", number::ieee_remainder),
        op!("aten::mathremainder(Scalar a, Scalar b) -> float", number::ieee_remainder),
        op!("aten::divmod.int(int x, int y) -> (int, int)", divmod_int),
        op!("aten::divmod.float(float x, float y) -> (float, float)", divmod_float),
        op!("aten::divmod.int_float(int x, float y) -> (float, float)", |x: i64, y: f64| divmod_mixed(x as i32 as f32, y as f32)),
        op!("aten::divmod.float_int(float x, int y) -> (float, float)", |x: f64, y: i64| divmod_mixed(x as f32, y as i32 as f32)),
        op!("aten::pow.int(int a, int b) -> float", pow_float).scalar(ScalarOp::PowFloat),
        op!("aten::pow.float(float a, float b) -> float", pow_float).scalar(ScalarOp::PowFloat),
        op!("aten::pow.int_float(int a, float b) -> float", pow_float).scalar(ScalarOp::PowFloat),
        op!("aten::pow.float_int(float a, int b) -> float", pow_float).scalar(ScalarOp::PowFloat),
        op!("aten::pow.complex(complex a, complex b) -> complex", number::pow_complex),
        op!("aten::pow.complex_float(complex a, float b) -> complex", number::pow_complex),
        op!("aten::pow.float_complex(float a, complex b) -> complex", number::pow_complex),
        op!("aten::pow.Scalar_Scalar(Scalar a, Scalar b) -> float", f64::powf),
        op!("aten::pow.int_to_int(int a, int b) -> int", pow_int),
        op!("aten::neg.int(int a) -> int", i64::wrapping_neg).scalar(ScalarOp::NegInt),
        op!("aten::neg.float(float a) -> float", neg_float).scalar(ScalarOp::NegFloat),
        quick_op!("aten::neg.complex(complex a) -> complex", neg_complex).in_parts(&["a~", "b~"]),
        op!("aten::neg.Scalar(Scalar a) -> Scalar", neg),
        op!("prim::abs.int(int a) -> int", i64::wrapping_abs).scalar(ScalarOp::AbsInt),
        op!("prim::abs.float(float a) -> float", f64::abs).scalar(ScalarOp::AbsFloat),
        quick_op!("prim::abs.complex(complex a) -> float", abs_complex).in_parts(&["abh", ""]),
        // What machine code takes complex numbers apart by.
        op!("rushlight::hypot(float a, float b) -> float", f64::hypot).scalar(ScalarOp::HypotFloat),
        quick_op!("rushlight::real(complex a) -> float", real).scalar(ScalarOp::RealOf),
        quick_op!("rushlight::imag(complex a) -> float", imag).scalar(ScalarOp::ImagOf),
        op!("prim::abs.Scalar(Scalar a) -> Scalar", abs),
        op!("prim::abs(Tensor x) -> Tensor", abs_tensor),
    ];
}

fn add_float(a: f64, b: f64) -> f64 {
    a + b
}
fn sub_float(a: f64, b: f64) -> f64 {
    a - b
}
fn mul_float(a: f64, b: f64) -> f64 {
    a * b
}
fn div_float(a: f64, b: f64) -> f64 {
    a / b
}
fn neg_float(a: f64) -> f64 {
    -a
}
fn add_complex(a: Complex64, b: Complex64) -> Complex64 {
    a + b
}
fn sub_complex(a: Complex64, b: Complex64) -> Complex64 {
    a - b
}
fn mul_complex(a: Complex64, b: Complex64) -> Complex64 {
    a * b
}
/// A sum with a real number, which has no imaginary part: signs of zeros stay.
fn shifted(a: Complex64, by: f64) -> Complex64 {
    Complex64::new(a.re + by, a.im)
}
/// What is left of a real number.
fn taken_from(a: f64, b: Complex64) -> Complex64 {
    Complex64::new(a - b.re, -b.im)
}
/// A product with a real number.
fn scaled(a: Complex64, by: f64) -> Complex64 {
    Complex64::new(a.re * by, a.im * by)
}
fn neg_complex(a: Complex64) -> Complex64 {
    -a
}
fn real(a: Complex64) -> f64 {
    a.re
}
fn imag(a: Complex64) -> f64 {
    a.im
}
fn abs_complex(a: Complex64) -> f64 {
    a.re.hypot(a.im)
}

fn add(a: Scalar, b: Scalar) -> Scalar {
    match pair(a, b) {
        Pair::Ints(a, b) => Scalar::Int(a.wrapping_add(b)),
        Pair::Floats(a, b) => Scalar::Float(a + b),
        Pair::Complexes(a, b) => Scalar::Complex(a + b),
    }
}

fn sub(a: Scalar, b: Scalar) -> Scalar {
    match pair(a, b) {
        Pair::Ints(a, b) => Scalar::Int(a.wrapping_sub(b)),
        Pair::Floats(a, b) => Scalar::Float(a - b),
        Pair::Complexes(a, b) => Scalar::Complex(a - b),
    }
}

fn mul(a: Scalar, b: Scalar) -> Scalar {
    match pair(a, b) {
        Pair::Ints(a, b) => Scalar::Int(a.wrapping_mul(b)),
        Pair::Floats(a, b) => Scalar::Float(a * b),
        Pair::Complexes(a, b) => Scalar::Complex(a * b),
    }
}

/// The schema promises a float; a complex operand gives a complex quotient all the same.
/// Of real numbers alone, as its result says.
fn div(a: Scalar, b: Scalar) -> Result<f64> {
    match pair(a, b) {
        Pair::Ints(a, b) => Ok(a as f64 / b as f64),
        Pair::Floats(a, b) => Ok(a / b),
        Pair::Complexes(..) => Err(Fault::runtime("expected int")),
    }
}

fn neg(a: Scalar) -> Scalar {
    match a {
        Scalar::Bool(b) => Scalar::Int(-(b as i64)),
        Scalar::Int(i) => Scalar::Int(i.wrapping_neg()),
        Scalar::Float(f) => Scalar::Float(-f),
        Scalar::Complex(c) => Scalar::Complex(-c),
    }
}

fn abs(a: Scalar) -> Scalar {
    match a {
        Scalar::Bool(b) => Scalar::Int(b as i64),
        Scalar::Int(i) => Scalar::Int(i.wrapping_abs()),
        Scalar::Float(f) => Scalar::Float(f.abs()),
        Scalar::Complex(c) => Scalar::Float(abs_complex(c)),
    }
}

fn abs_tensor(cx: &Context, t: &Tensor) -> Result<Tensor> {
    super::whole_table::call(cx, "aten::abs", vec![t.into()])
}

#[cold]
fn int_division_by_zero() -> Fault {
    Fault::runtime("division by 0")
}

/// The quotient rounded toward minus infinity. The reference's process dies on a zero divisor; here it is an error.
pub(super) fn floordiv_int(a: i64, b: i64) -> Result<i64> {
    if b == 0 {
        return Err(int_division_by_zero());
    }
    let quotient = a.wrapping_div(b);
    let exact = a.wrapping_rem(b) == 0;
    Ok(quotient - (!exact && (a < 0) != (b < 0)) as i64)
}

fn floordiv_float(a: f64, b: f64) -> f64 {
    (a / b).floor()
}

fn floordiv(a: Scalar, b: Scalar) -> Result<Scalar> {
    Ok(match pair(a, b) {
        Pair::Ints(a, b) => Scalar::Int(floordiv_int(a, b)?),
        Pair::Floats(a, b) => Scalar::Float(floordiv_float(a, b)),
        Pair::Complexes(..) => return Err(number::not_real()),
    })
}

fn truncated_quotient(a: i64, b: i64) -> Result<i64> {
    if b == 0 {
        return Err(int_division_by_zero());
    }
    Ok(a.wrapping_div(b))
}

/// The remainder with the divisor's sign.
fn remainder_int(a: i64, b: i64) -> Result<i64> {
    if b == 0 {
        return Err(int_division_by_zero());
    }
    let rest = a.wrapping_rem(b);
    Ok(if rest != 0 && (rest < 0) != (b < 0) {
        rest + b
    } else {
        rest
    })
}

fn remainder_float(a: f64, b: f64) -> f64 {
    ((a % b) + b) % b
}

fn remainder(a: Scalar, b: Scalar) -> Result<Scalar> {
    Ok(match pair(a, b) {
        Pair::Ints(a, b) => Scalar::Int(remainder_int(a, b)?),
        Pair::Floats(a, b) => Scalar::Float(remainder_float(a, b)),
        Pair::Complexes(..) => return Err(number::not_real()),
    })
}

fn fmod_float(a: f64, b: f64) -> f64 {
    a % b
}

fn divmod_int(x: i64, y: i64) -> Result<(i64, i64)> {
    if y == 0 {
        return Err(Fault::runtime(
            "ZeroDivisionError: integer division or modulo by zero",
        ));
    }
    Ok((floordiv_int(x, y)?, remainder_int(x, y)?))
}

#[cold]
fn float_division_by_zero() -> Fault {
    Fault::runtime("ZeroDivisionError: float divmod()")
}

fn divmod_float(x: f64, y: f64) -> Result<(f64, f64)> {
    if y == 0.0 {
        return Err(float_division_by_zero());
    }
    let mut rest = x % y;
    if rest != 0.0 && (y < 0.0) != (rest < 0.0) {
        rest += y;
    }
    Ok(((x - rest) / y, rest))
}

/// With one int and one float the quotient is an int before it is a float again.
/// Of an int, of which 32 bits count, and a float: the quotient in 32 bits.
fn divmod_mixed(x: f32, y: f32) -> Result<(f64, f64)> {
    if y == 0.0 {
        return Err(float_division_by_zero());
    }
    let quotient = number::to_int(f64::from((x / y).floor()))? as f64;
    Ok((quotient, f64::from(x) - quotient * f64::from(y)))
}

fn pow_float(a: f64, b: f64) -> Result<f64> {
    if a == 0.0 && b < 0.0 {
        return Err(zero_to_negative());
    }
    Ok(a.powf(b))
}

#[cold]
fn zero_to_negative() -> Fault {
    Fault::runtime("0.0 cannot be raised to a negative power")
}

/// The power in wrapping integers; negative exponents leave only what `1 / a` truncates to.
fn pow_int(a: i64, b: i64) -> Result<i64> {
    Ok(match (a, b) {
        (0, ..=-1) => return Err(zero_to_negative()),
        (1, _) => 1,
        (-1, b) => 1 - 2 * (b & 1),
        (_, ..=-1) => 0,
        (a, b) => {
            // The low 64 bits of the power need only the low bits of the exponent's binary form, all 63 of them.
            let (mut base, mut rest, mut power) = (a, b as u64, 1i64);
            while rest > 0 {
                if rest & 1 == 1 {
                    power = power.wrapping_mul(base);
                }
                base = base.wrapping_mul(base);
                rest >>= 1;
            }
            power
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn int_quotients_round_down_and_remainders_take_the_divisors_sign() {
        let all = [(7, 2), (-7, 2), (7, -2), (-7, -2)].map(|(a, b)| divmod_int(a, b).unwrap());
        assert_eq!(all, [(3, 1), (-4, 1), (-4, -1), (3, -1)]);
        assert_eq!(
            divmod_int(1, 0).unwrap_err().message(),
            "ZeroDivisionError: integer division or modulo by zero"
        );
        assert_eq!(floordiv_int(i64::MIN, -1).unwrap(), i64::MIN);
    }

    #[test]
    fn float_remainder_takes_the_divisors_sign() {
        assert_eq!(remainder_float(-7.5, 2.0), 0.5);
        assert_eq!(remainder_float(7.5, -2.0), -0.5);
        assert!(remainder_float(1.0, f64::INFINITY).is_nan());
        assert_eq!(divmod_float(0.0, -1.0).unwrap(), (0.0, 0.0));
        assert_eq!(divmod_mixed(-5.0, 2.0).unwrap(), (-3.0, 1.0));
    }

    #[test]
    fn int_powers_wrap() {
        assert_eq!(pow_int(3, 4).unwrap(), 81);
        assert_eq!(pow_int(2, 64).unwrap(), 0);
        assert_eq!(pow_int(-1, -3).unwrap(), -1);
        assert!(pow_int(0, -1).is_err());
    }
}
