//! The functions of the `math` and `cmath` modules on numbers outside tensors.
//!
//! Ints are computed as floats. What comes from a Scalar argument is rounded to single precision, as in the
//! reference, where the result passes through a 32-bit number.

use super::number::{self, real};
use rushlight_tensor::{Complex64, Scalar};
use rushlight_types::{Fault, Result, ScalarOp, op, operators};

/// The Scalar form of a function of floats alone.
macro_rules! of_reals {
    ($f:expr) => {
        |a: Scalar| -> Result<Scalar> { Ok(Scalar::Float(single($f(real(a)?)))) }
    };
}

/// The Scalar form of a function of floats and complex numbers.
macro_rules! of_numbers {
    ($f:expr, $g:expr) => {
        |a: Scalar| -> Scalar {
            match a {
                Scalar::Complex(c) => Scalar::Complex($g(c)),
                other => Scalar::Float(single($f(other.to_f64()))),
            }
        }
    };
}

operators! {
    /// `math.*` and `cmath.*`.
    pub static ROWS = [
        op!("aten::sqrt.int(int a) -> float", f64::sqrt).scalar(ScalarOp::SqrtFloat),
        op!("aten::sqrt.float(float a) -> float", f64::sqrt).scalar(ScalarOp::SqrtFloat),
        op!("aten::sqrt.complex(complex a) -> complex", sqrt_complex),
        op!("aten::sqrt.Scalar(Scalar a) -> Scalar", of_numbers!(f64::sqrt, sqrt_complex)),
        op!("aten::exp.int(int a) -> float", f64::exp).scalar(ScalarOp::ExpFloat),
        op!("aten::exp.float(float a) -> float", f64::exp).scalar(ScalarOp::ExpFloat),
        op!("aten::exp.complex(complex a) -> complex", number::exp_complex),
        op!("aten::exp.Scalar(Scalar a) -> Scalar", of_numbers!(f64::exp, number::exp_complex)),
        op!("aten::expm1.int(int a) -> float", f64::exp_m1).scalar(ScalarOp::Expm1Float),
        op!("aten::expm1.float(float a) -> float", f64::exp_m1).scalar(ScalarOp::Expm1Float),
        op!("aten::expm1.Scalar(Scalar a) -> Scalar", of_reals!(f64::exp_m1)),
        op!("aten::log.int(int a) -> float", f64::ln).scalar(ScalarOp::LogFloat),
        op!("aten::log.float(float a) -> float", f64::ln).scalar(ScalarOp::LogFloat),
        op!("aten::log.complex(complex a) -> complex", ln_complex),
        op!("aten::log.Scalar(Scalar a) -> Scalar", of_numbers!(f64::ln, ln_complex)),
        op!("aten::log.int_int(int a, int b) -> float", log_base),
        op!("aten::log.float_float(float a, float b) -> float", log_base),
        op!("aten::log.int_float(int a, float b) -> float", log_base),
        op!("aten::log.float_int(float a, int b) -> float", log_base),
        op!("aten::log.Scalar_Scalar(Scalar a, Scalar b) -> float", log_base),
        op!("aten::log.complex_complex(complex a, complex b) -> complex", log_base_complex),
        op!("aten::log.int_complex(int a, complex b) -> complex", log_of_real),
        op!("aten::log.complex_int(complex a, int b) -> complex", log_to_real),
        op!("aten::log.float_complex(float a, complex b) -> complex", log_of_real),
        op!("aten::log.complex_float(complex a, float b) -> complex", log_to_real),
        op!("aten::log1p.int(int a) -> float", f64::ln_1p).scalar(ScalarOp::Log1pFloat),
        op!("aten::log1p.float(float a) -> float", f64::ln_1p).scalar(ScalarOp::Log1pFloat),
        op!("aten::log1p.Scalar(Scalar a) -> Scalar", of_reals!(f64::ln_1p)),
        op!("aten::log10.int(int a) -> float", f64::log10).scalar(ScalarOp::Log10Float),
        op!("aten::log10.float(float a) -> float", f64::log10).scalar(ScalarOp::Log10Float),
        op!("aten::log10.complex(complex a) -> complex", log10_complex),
        op!("aten::log10.Scalar(Scalar a) -> Scalar", of_numbers!(f64::log10, log10_complex)),
        op!("aten::sin.int(int a) -> float", f64::sin).scalar(ScalarOp::SinFloat),
        op!("aten::sin.float(float a) -> float", f64::sin).scalar(ScalarOp::SinFloat),
        op!("aten::sin.complex(complex a) -> complex", sin_complex),
        op!("aten::sin.Scalar(Scalar a) -> Scalar", of_numbers!(f64::sin, sin_complex)),
        op!("aten::cos.int(int a) -> float", f64::cos).scalar(ScalarOp::CosFloat),
        op!("aten::cos.float(float a) -> float", f64::cos).scalar(ScalarOp::CosFloat),
        op!("aten::cos.complex(complex a) -> complex", cos_complex),
        op!("aten::cos.Scalar(Scalar a) -> Scalar", of_numbers!(f64::cos, cos_complex)),
        op!("aten::tan.int(int a) -> float", f64::tan).scalar(ScalarOp::TanFloat),
        op!("aten::tan.float(float a) -> float", f64::tan).scalar(ScalarOp::TanFloat),
        op!("aten::tan.complex(complex a) -> complex", tan_complex),
        op!("aten::tan.Scalar(Scalar a) -> Scalar", of_numbers!(f64::tan, tan_complex)),
        op!("aten::asin.int(int a) -> float", f64::asin).scalar(ScalarOp::AsinFloat),
        op!("aten::asin.float(float a) -> float", f64::asin).scalar(ScalarOp::AsinFloat),
        op!("aten::asin.complex(complex a) -> complex", asin_complex),
        op!("aten::asin.Scalar(Scalar a) -> Scalar", of_numbers!(f64::asin, asin_complex)),
        op!("aten::acos.int(int a) -> float", f64::acos).scalar(ScalarOp::AcosFloat),
        op!("aten::acos.float(float a) -> float", f64::acos).scalar(ScalarOp::AcosFloat),
        op!("aten::acos.complex(complex a) -> complex", acos_complex),
        op!("aten::acos.Scalar(Scalar a) -> Scalar", of_numbers!(f64::acos, acos_complex)),
        op!("aten::atan.int(int a) -> float", f64::atan).scalar(ScalarOp::AtanFloat),
        op!("aten::atan.float(float a) -> float", f64::atan).scalar(ScalarOp::AtanFloat),
        op!("aten::atan.complex(complex a) -> complex", atan_complex),
        op!("aten::atan.Scalar(Scalar a) -> Scalar", of_numbers!(f64::atan, atan_complex)),
        op!("aten::sinh.int(int a) -> float", f64::sinh).scalar(ScalarOp::SinhFloat),
        op!("aten::sinh.float(float a) -> float", f64::sinh).scalar(ScalarOp::SinhFloat),
        op!("aten::sinh.complex(complex a) -> complex", sinh_complex),
        op!("aten::sinh.Scalar(Scalar a) -> Scalar", of_numbers!(f64::sinh, sinh_complex)),
        op!("aten::cosh.int(int a) -> float", f64::cosh).scalar(ScalarOp::CoshFloat),
        op!("aten::cosh.float(float a) -> float", f64::cosh).scalar(ScalarOp::CoshFloat),
        op!("aten::cosh.complex(complex a) -> complex", cosh_complex),
        op!("aten::cosh.Scalar(Scalar a) -> Scalar", of_numbers!(f64::cosh, cosh_complex)),
        op!("aten::tanh.int(int a) -> float", f64::tanh).scalar(ScalarOp::TanhFloat),
        op!("aten::tanh.float(float a) -> float", f64::tanh).scalar(ScalarOp::TanhFloat),
        op!("aten::tanh.complex(complex a) -> complex", tanh_complex),
        op!("aten::tanh.Scalar(Scalar a) -> Scalar", of_numbers!(f64::tanh, tanh_complex)),
        op!("aten::asinh.int(int a) -> float", libm::asinh),
        op!("aten::asinh.float(float a) -> float", libm::asinh),
        op!("aten::asinh.complex(complex a) -> complex", asinh_complex),
        op!("aten::asinh.Scalar(Scalar a) -> Scalar", of_numbers!(libm::asinh, asinh_complex)),
        op!("aten::acosh.int(int a) -> float", libm::acosh),
        op!("aten::acosh.float(float a) -> float", libm::acosh),
        op!("aten::acosh.complex(complex a) -> complex", acosh_complex),
        op!("aten::acosh.Scalar(Scalar a) -> Scalar", of_numbers!(libm::acosh, acosh_complex)),
        op!("aten::atanh.int(int a) -> float", libm::atanh),
        op!("aten::atanh.float(float a) -> float", libm::atanh),
        op!("aten::atanh.complex(complex a) -> complex", atanh_complex),
        op!("aten::atanh.Scalar(Scalar a) -> Scalar", of_numbers!(libm::atanh, atanh_complex)),
        op!("aten::atan2.int(int a, int b) -> float", f64::atan2).scalar(ScalarOp::Atan2Float),
        op!("aten::atan2.float(float a, float b) -> float", f64::atan2).scalar(ScalarOp::Atan2Float),
        op!("aten::atan2.int_float(int a, float b) -> float", f64::atan2).scalar(ScalarOp::Atan2Float),
        op!("aten::atan2.float_int(float a, int b) -> float", f64::atan2).scalar(ScalarOp::Atan2Float),
        op!("aten::atan2.Scalar_Scalar(Scalar a, Scalar b) -> float", f64::atan2),
        op!("aten::erf.int(int a) -> float", libm::erf),
        op!("aten::erf.float(float a) -> float", libm::erf),
        op!("aten::erf.Scalar(Scalar a) -> Scalar", of_reals!(libm::erf)),
        op!("aten::erfc.int(int a) -> float", libm::erfc),
        op!("aten::erfc.float(float a) -> float", libm::erfc),
        op!("aten::erfc.Scalar(Scalar a) -> Scalar", of_reals!(libm::erfc)),
        op!("aten::gamma.int(int a) -> float", libm::tgamma),
        op!("aten::gamma.float(float a) -> float", libm::tgamma),
        op!("aten::gamma.Scalar(Scalar a) -> Scalar", of_reals!(libm::tgamma)),
        op!("aten::lgamma.int(int a) -> float", libm::lgamma),
        op!("aten::lgamma.float(float a) -> float", libm::lgamma),
        op!("aten::lgamma.Scalar(Scalar a) -> Scalar", of_reals!(libm::lgamma)),
        op!("aten::fabs.int(int a) -> float", f64::abs).scalar(ScalarOp::AbsFloat),
        op!("aten::fabs.float(float a) -> float", f64::abs).scalar(ScalarOp::AbsFloat),
        op!("aten::fabs.Scalar(Scalar a) -> Scalar", of_reals!(f64::abs)),
        op!("aten::degrees.int(int a) -> float", degrees),
        op!("aten::degrees.float(float a) -> float", degrees),
        op!("aten::degrees.Scalar(Scalar a) -> Scalar", of_reals!(degrees)),
        op!("aten::radians.int(int a) -> float", radians),
        op!("aten::radians.float(float a) -> float", radians),
        op!("aten::radians.Scalar(Scalar a) -> Scalar", of_reals!(radians)),
        op!("aten::angle.int(int a) -> float", angle),
        op!("aten::angle.float(float a) -> float", angle),
        op!("aten::angle.complex(complex a) -> float", angle_complex),
        op!("aten::angle.Scalar(Scalar a) -> Scalar", angle_scalar),
        op!("aten::polar.int(int a, int b) -> complex", polar),
        op!("aten::polar.float(float a, float b) -> complex", polar),
        op!("aten::polar.int_float(int a, float b) -> complex", polar),
        op!("aten::polar.float_int(float a, int b) -> complex", polar),
        op!("aten::polar.Scalar_Scalar(Scalar a, Scalar b) -> Scalar", polar),
        op!("aten::copysign.int(int a, int b) -> float", f64::copysign),
        op!("aten::copysign.float(float a, float b) -> float", f64::copysign),
        op!("aten::copysign.int_float(int a, float b) -> float", f64::copysign),
        op!("aten::copysign.float_int(float a, int b) -> float", f64::copysign),
        op!("aten::copysign(Scalar a, Scalar b) -> float", f64::copysign),
        op!("aten::ceil.int(int a) -> int", |a: i64| a),
        op!("aten::ceil.float(float a) -> int", |a: f64| number::to_int(a.ceil())).scalar(ScalarOp::CeilFloat),
        op!("aten::ceil.Scalar(Scalar a) -> Scalar", |a: Scalar| whole(a, f64::ceil)),
        op!("aten::floor.int(int a) -> int", |a: i64| a),
        op!("aten::floor.float(float a) -> int", |a: f64| number::to_int(a.floor())).scalar(ScalarOp::FloorFloat),
        op!("aten::floor.Scalar(Scalar a) -> Scalar", |a: Scalar| whole(a, f64::floor)),
        op!("aten::round.int(int a) -> float", f64::round_ties_even).scalar(ScalarOp::RoundFloat),
        op!("aten::round.float(float a) -> float", f64::round_ties_even).scalar(ScalarOp::RoundFloat),
        op!("aten::round.Scalar(Scalar a) -> Scalar", of_reals!(f64::round_ties_even)),
        op!("aten::gcd.int(int a, int b) -> int", gcd),
        op!("aten::factorial.int(int a) -> int", factorial),
        op!("aten::frexp(float a) -> (float, int)", frexp),
        op!("aten::modf(float a) -> (float, float)", modf),
        op!("aten::ldexp(float x, int i) -> float", ldexp),
        op!("aten::isnan.float(float a) -> bool", f64::is_nan),
        op!("aten::isnan.complex(complex a) -> bool", |a: Complex64| a.re.is_nan() || a.im.is_nan()),
        op!("aten::isinf.float(float a) -> bool", f64::is_infinite),
        op!("aten::isinf.complex(complex a) -> bool", |a: Complex64| a.re.is_infinite() || a.im.is_infinite()),
        op!("aten::isfinite.float(float a) -> bool", f64::is_finite),
        op!("aten::isfinite.complex(complex a) -> bool", |a: Complex64| a.re.is_finite() && a.im.is_finite()),
    ];
}

/// A double that has passed through single precision.
fn single(f: f64) -> f64 {
    f as f32 as f64
}

fn whole(a: Scalar, rounding: fn(f64) -> f64) -> Result<Scalar> {
    match a {
        Scalar::Float(f) => number::to_int(rounding(f)).map(Scalar::Int),
        Scalar::Complex(_) => Err(number::not_real()),
        other => Ok(Scalar::Int(other.to_i64())),
    }
}

fn log_base(a: f64, b: f64) -> f64 {
    a.ln() / b.ln()
}

fn degrees(a: f64) -> f64 {
    a * (180.0 / std::f64::consts::PI)
}

fn radians(a: f64) -> f64 {
    a * (std::f64::consts::PI / 180.0)
}

/// The angle of a real number: pi where the sign bit is set.
fn angle(a: f64) -> f64 {
    if a.is_sign_negative() && !a.is_nan() {
        std::f64::consts::PI
    } else {
        0.0
    }
}

fn angle_complex(a: Complex64) -> f64 {
    a.im.atan2(a.re)
}

fn angle_scalar(a: Scalar) -> Scalar {
    Scalar::Float(single(match a {
        Scalar::Complex(c) => angle_complex(c),
        other => angle(other.to_f64()),
    }))
}

fn polar(a: f64, b: f64) -> Complex64 {
    Complex64::new(a * b.cos(), a * b.sin())
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a as i64
}

/// The factorial in wrapping integers: zero from 66 on, where 64 factors of two have gathered.
fn factorial(a: i64) -> Result<i64> {
    if a < 0 {
        return Err(Fault::runtime(
            "factorial() not defined for negative values",
        ));
    }
    if a >= 66 {
        return Ok(0);
    }
    Ok((1..=a).fold(1, i64::wrapping_mul))
}

/// The fraction in `0.5..1` and the power of two.
fn frexp(a: f64) -> Result<(f64, i64)> {
    if a == 0.0 || !a.is_finite() {
        return Ok((a, 0));
    }
    const MASK: u64 = 0x7ff << 52;
    let (a, shift) = if a.abs() < f64::MIN_POSITIVE {
        (a * (1u64 << 54) as f64, -54)
    } else {
        (a, 0)
    };
    let bits = a.to_bits();
    let exponent = ((bits & MASK) >> 52) as i64 - 1022;
    let fraction = f64::from_bits((bits & !MASK) | (1022 << 52));
    Ok((fraction, exponent + shift))
}

fn modf(a: f64) -> Result<(f64, f64)> {
    let whole = a.trunc();
    let fraction = if a.is_infinite() { 0.0 } else { a - whole };
    Ok((fraction.copysign(a), whole))
}

/// `x * 2^i`; the exponent is taken as a 32-bit int.
fn ldexp(x: f64, i: i64) -> f64 {
    let mut rest = (i as i32).clamp(-2200, 2200);
    let mut x = x;
    // Downwards the last step must be the only one that rounds: stay clear of subnormal numbers until then.
    while rest > 1000 {
        x *= 2f64.powi(1000);
        rest -= 1000;
    }
    while rest < -1000 {
        x *= 2f64.powi(-900);
        rest += 900;
    }
    x * 2f64.powi(rest)
}

fn ln_complex(a: Complex64) -> Complex64 {
    Complex64::new(a.re.hypot(a.im).ln(), angle_complex(a))
}

fn log_base_complex(a: Complex64, b: Complex64) -> Complex64 {
    number::div_complex(ln_complex(a), ln_complex(b))
}

/// A real number has a real logarithm here, which negative ones have not.
fn log_of_real(a: f64, b: Complex64) -> Complex64 {
    number::div_complex(Complex64::new(a.ln(), 0.0), ln_complex(b))
}

fn log_to_real(a: Complex64, b: f64) -> Complex64 {
    let (a, b) = (ln_complex(a), b.ln());
    Complex64::new(a.re / b, a.im / b)
}

fn log10_complex(a: Complex64) -> Complex64 {
    Complex64::new(
        a.re.hypot(a.im).log10(),
        angle_complex(a) / std::f64::consts::LN_10,
    )
}

fn sqrt_complex(a: Complex64) -> Complex64 {
    a.sqrt()
}
fn sin_complex(a: Complex64) -> Complex64 {
    Complex64::new(a.re.sin() * a.im.cosh(), a.re.cos() * a.im.sinh())
}
fn cos_complex(a: Complex64) -> Complex64 {
    Complex64::new(a.re.cos() * a.im.cosh(), -(a.re.sin() * a.im.sinh()))
}
fn sinh_complex(a: Complex64) -> Complex64 {
    Complex64::new(a.re.sinh() * a.im.cos(), a.re.cosh() * a.im.sin())
}
fn cosh_complex(a: Complex64) -> Complex64 {
    Complex64::new(a.re.cosh() * a.im.cos(), a.re.sinh() * a.im.sin())
}

/// `tanh x = (sinh 2re + i sin 2im) / (cosh 2re + cos 2im)`, saturated before the quotient overflows.
fn tanh_complex(a: Complex64) -> Complex64 {
    if a.re.abs() > 20.0 {
        let im = 4.0 * a.im.sin() * a.im.cos() * (-2.0 * a.re.abs()).exp();
        return Complex64::new(1f64.copysign(a.re), im);
    }
    let below = a.re.sinh().powi(2) + a.im.cos().powi(2);
    Complex64::new(
        a.re.sinh() * a.re.cosh() / below,
        a.im.sin() * a.im.cos() / below,
    )
}

fn tan_complex(a: Complex64) -> Complex64 {
    turned_back(tanh_complex(turned(a)))
}

/// `i * a`.
fn turned(a: Complex64) -> Complex64 {
    Complex64::new(-a.im, a.re)
}

/// `a / i`.
fn turned_back(a: Complex64) -> Complex64 {
    Complex64::new(a.im, -a.re)
}

/// Kahan's formula: exact signs on the branch cuts.
fn asinh_complex(a: Complex64) -> Complex64 {
    turned_back(asin_complex(turned(a)))
}

fn asin_complex(a: Complex64) -> Complex64 {
    let (below, above) = (
        (Complex64::new(1.0 - a.re, -a.im)).sqrt(),
        (Complex64::new(1.0 + a.re, a.im)).sqrt(),
    );
    let re = a.re.atan2((below * above).re);
    let im = libm::asinh((below.conj() * above).im);
    Complex64::new(re, im)
}

fn acos_complex(a: Complex64) -> Complex64 {
    let (below, above) = (
        (Complex64::new(1.0 - a.re, -a.im)).sqrt(),
        (Complex64::new(1.0 + a.re, a.im)).sqrt(),
    );
    let re = 2.0 * below.re.atan2(above.re);
    let im = libm::asinh((above.conj() * below).im);
    Complex64::new(re, im)
}

fn acosh_complex(a: Complex64) -> Complex64 {
    let (below, above) = (
        (Complex64::new(a.re - 1.0, a.im)).sqrt(),
        (Complex64::new(a.re + 1.0, a.im)).sqrt(),
    );
    let re = libm::asinh((below.conj() * above).re);
    let im = 2.0 * below.im.atan2(above.re);
    Complex64::new(re, im)
}

/// `atanh a` through logarithms of `|1 + a|^2 / |1 - a|^2`.
fn atanh_complex(a: Complex64) -> Complex64 {
    let (re, im) = (a.re, a.im);
    let square = (1.0 - re) * (1.0 - re) + im * im;
    let real = 0.25 * (4.0 * re / square).ln_1p();
    let imaginary = 0.5 * (2.0 * im).atan2((1.0 - re) * (1.0 + re) - im * im);
    Complex64::new(real, imaginary)
}

fn atan_complex(a: Complex64) -> Complex64 {
    turned_back(atanh_complex(turned(a)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the C library, to its last digit but one.
    fn close(a: Complex64, re: f64, im: f64) {
        let want = Complex64::new(re, im);
        assert!(
            (a - want).norm() <= 4e-16 * want.norm(),
            "{a} is not {want}"
        );
    }

    #[test]
    fn complex_functions_agree_with_the_c_library() {
        let a = Complex64::new(1.0, 2.0);
        close(sqrt_complex(a), 1.272019649514069, 0.7861513777574233);
        close(sin_complex(a), 3.165778513216168, 1.9596010414216063);
        close(cos_complex(a), 2.0327230070196656, -3.0518977991518);
        close(tan_complex(a), 0.03381282607989669, 1.0147936161466335);
        close(tanh_complex(a), 1.16673625724092, -0.2434582011857253);
        close(asin_complex(a), 0.42707858639247614, 1.528570919480998);
        close(acos_complex(a), 1.1437177404024206, -1.528570919480998);
        close(atan_complex(a), 1.3389725222944935, 0.40235947810852507);
        close(asinh_complex(a), 1.4693517443681852, 1.0634400235777521);
        close(acosh_complex(a), 1.528570919480998, 1.1437177404024206);
        close(atanh_complex(a), 0.17328679513998632, 1.1780972450961724);
    }

    #[test]
    fn frexp_and_ldexp_reach_subnormal_numbers() {
        assert_eq!(frexp(5e-324).unwrap(), (0.5, -1073));
        assert_eq!(frexp(-3.5).unwrap(), (-0.875, 2));
        assert_eq!(ldexp(0.5, -1073), 5e-324);
        assert_eq!(ldexp(1.0, 2000), f64::INFINITY);
        assert_eq!(ldexp(1.0, 1 << 40), 1.0);
    }

    #[test]
    fn factorials_wrap() {
        assert_eq!(factorial(20).unwrap(), 2432902008176640000);
        assert_eq!(factorial(21).unwrap(), -4249290049419214848);
        assert_eq!(factorial(100).unwrap(), 0);
        assert!(factorial(-1).is_err());
    }

    #[test]
    fn rounding_to_int_refuses_what_does_not_fit() {
        let fault = number::to_int(f64::NAN).unwrap_err();
        assert_eq!(fault.message(), "Cannot convert float nan to integer");
        assert!(number::to_int(1e300).is_err());
    }
}
