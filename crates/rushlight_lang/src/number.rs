//! What several families of number operators share: pairs of numbers in a common kind, complex quotients and powers,
//! checked conversion to int.

use rushlight_tensor::{Complex64, Scalar};
use rushlight_types::{Fault, Result};

/// Two numbers in the wider of their kinds.
pub(super) enum Pair {
    Ints(i64, i64),
    Floats(f64, f64),
    Complexes(Complex64, Complex64),
}

/// Brings two numbers to the wider of their kinds; bools count as ints.
#[inline]
pub(super) fn pair(a: Scalar, b: Scalar) -> Pair {
    if a.is_complex() || b.is_complex() {
        Pair::Complexes(a.to_complex(), b.to_complex())
    } else if a.is_float() || b.is_float() {
        Pair::Floats(a.to_f64(), b.to_f64())
    } else {
        Pair::Ints(a.to_i64(), b.to_i64())
    }
}

/// The fault of a complex number where order or rounding is asked for.
#[cold]
pub(super) fn not_real() -> Fault {
    Fault::runtime("expected an int or a float but found a complex number")
}

/// A real number as f64, or a fault.
pub(super) fn real(a: Scalar) -> Result<f64> {
    match a {
        Scalar::Complex(_) => Err(not_real()),
        other => Ok(other.to_f64()),
    }
}

/// A whole float as an int; NaN and what does not fit are refused.
pub(super) fn to_int(f: f64) -> Result<i64> {
    if (-9223372036854775808.0..9223372036854775808.0).contains(&f) {
        Ok(f as i64)
    } else {
        Err(Fault::runtime(format!(
            "Cannot convert float {} to integer",
            fixed_text(f)
        )))
    }
}

/// A float with six decimals, as `%f` writes it.
pub(super) fn fixed_text(f: f64) -> String {
    match f {
        f if f.is_nan() => (if f.is_sign_negative() { "-nan" } else { "nan" }).into(),
        f if f.is_infinite() => (if f > 0.0 { "inf" } else { "-inf" }).into(),
        f => format!("{f:.6}"),
    }
}

/// A float as an int the way the processor converts: what does not fit becomes the smallest int.
#[inline]
pub(super) fn truncated(f: f64) -> i64 {
    if (-9223372036854775808.0..9223372036854775808.0).contains(&f) {
        f as i64
    } else {
        i64::MIN
    }
}

/// The quotient by Smith's algorithm, which neither overflows nor loses small parts; a zero divisor divides by parts.
pub(super) fn div_complex(a: Complex64, b: Complex64) -> Complex64 {
    let (c, d) = (b.re.abs(), b.im.abs());
    if c >= d {
        if c == 0.0 && d == 0.0 {
            return Complex64::new(a.re / c, a.im / d);
        }
        let ratio = b.im / b.re;
        let scale = 1.0 / (b.re + b.im * ratio);
        Complex64::new((a.re + a.im * ratio) * scale, (a.im - a.re * ratio) * scale)
    } else {
        let ratio = b.re / b.im;
        let scale = 1.0 / (b.re * ratio + b.im);
        Complex64::new((a.re * ratio + a.im) * scale, (a.im * ratio - a.re) * scale)
    }
}

/// The principal power `exp(b * ln a)`.
pub(super) fn pow_complex(a: Complex64, b: Complex64) -> Complex64 {
    let log = Complex64::new(a.re.hypot(a.im).ln(), a.im.atan2(a.re));
    let exponent = log * b;
    exp_complex(exponent)
}

/// The exponential. Zero where the real part is minus infinity, whatever the angle.
pub(super) fn exp_complex(a: Complex64) -> Complex64 {
    if a.re == f64::NEG_INFINITY && !a.im.is_finite() {
        return Complex64::new(0.0, 0.0);
    }
    let size = a.re.exp();
    if a.im == 0.0 {
        return Complex64::new(size, a.im);
    }
    Complex64::new(size * a.im.cos(), size * a.im.sin())
}

/// `a - n * b` for the int n nearest to `a / b`, ties to even.
pub(super) fn ieee_remainder(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() || a.is_infinite() || b == 0.0 {
        return f64::NAN;
    }
    if b.is_infinite() {
        return a;
    }
    let (size, sign) = (b.abs(), if a.is_sign_negative() { -1.0 } else { 1.0 });
    let rest = a.abs() % size;
    // Whether n is odd decides a tie; the remainder by twice the divisor shows it.
    let half = size - rest;
    let nearest = if rest < half {
        rest
    } else if rest > half {
        -half
    } else {
        let odd = (a.abs() % (2.0 * size)) >= size;
        if odd { -half } else { rest }
    };
    sign * nearest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainder_goes_to_the_nearest_multiple() {
        assert_eq!(ieee_remainder(7.0, 2.0), -1.0);
        assert_eq!(ieee_remainder(5.0, 2.0), 1.0);
        assert_eq!(ieee_remainder(-7.0, 2.0), 1.0);
        assert_eq!(ieee_remainder(7.5, -2.0), -0.5);
        assert_eq!(ieee_remainder(1.0, f64::INFINITY), 1.0);
        assert!(ieee_remainder(1.0, 0.0).is_nan());
    }

    #[test]
    fn complex_division_by_zero_divides_by_parts() {
        let q = div_complex(Complex64::new(1.0, 2.0), Complex64::new(0.0, 0.0));
        assert_eq!((q.re, q.im), (f64::INFINITY, f64::INFINITY));
    }
}
