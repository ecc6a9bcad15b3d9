//! Error and gamma functions in double precision, and inverse hyperbolic ones that keep small arguments.

use std::f64::consts::{FRAC_2_SQRT_PI, PI};

/// The error function.
pub(super) fn erf(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.abs() < 2.0 {
        erf_series(x)
    } else {
        (1.0 - erfc_fraction(x.abs())).copysign(x)
    }
}

/// The complement of the error function, without cancellation for large arguments.
pub(super) fn erfc(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    match x {
        x if x < -2.0 => 2.0 - erfc_fraction(-x),
        x if x < 0.5 => 1.0 - erf_series(x),
        x if x < 2.0 => erfc_between(x),
        x => erfc_fraction(x),
    }
}

/// `2/sqrt(pi) * exp(-x^2) * sum of 2^n x^(2n+1) / (2n+1)!!`: all terms of one sign (Abramowitz and Stegun 7.1.6).
fn erf_series(x: f64) -> f64 {
    let square = x * x;
    let (mut term, mut sum, mut n) = (x, x, 1.0);
    while term.abs() > sum.abs() * 1e-17 {
        term *= 2.0 * square / (2.0 * n + 1.0);
        sum += term;
        n += 1.0;
    }
    FRAC_2_SQRT_PI * (-square).exp() * sum
}

/// Between the series and the fraction: the Taylor series of `erfc` around the nearest quarter.
fn erfc_between(x: f64) -> f64 {
    // The continued fraction converges here too, only more slowly.
    erfc_lentz(x, 400)
}

fn erfc_fraction(x: f64) -> f64 {
    if x > 27.5 {
        return 0.0;
    }
    erfc_lentz(x, 120)
}

/// `exp(-x^2)/sqrt(pi) * 1/(x + (1/2)/(x + 1/(x + (3/2)/(x + ...))))`, evaluated from the far end.
fn erfc_lentz(x: f64, terms: u32) -> f64 {
    let tail = (1..=terms)
        .rev()
        .fold(x, |below, k| x + 0.5 * k as f64 / below);
    // exp(-x^2) with the square split, so that its rounding does not reach the result.
    let high = f64::from_bits(x.to_bits() & 0xffff_ffff_0000_0000);
    let size = (-high * high).exp() * (-(x - high) * (x + high)).exp();
    size * 0.5 * FRAC_2_SQRT_PI / tail
}

/// Lanczos' coefficients for g = 607/128 (Godfrey).
const LANCZOS_G: f64 = 607.0 / 128.0;
const LANCZOS: [f64; 15] = [
    0.999_999_999_999_997_1,
    57.156_235_665_862_92,
    -59.597_960_355_475_49,
    14.136_097_974_741_746,
    -0.491_913_816_097_620_2,
    0.339_946_499_848_118_9e-4,
    0.465_236_289_270_485_8e-4,
    -0.983_744_753_048_795_6e-4,
    0.158_088_703_224_912_5e-3,
    -0.210_264_441_724_104_88e-3,
    0.217_439_618_115_212_64e-3,
    -0.164_318_106_536_763_9e-3,
    0.844_182_239_838_527_4e-4,
    -0.261_908_384_015_814_1e-4,
    0.368_991_826_595_316_2e-5,
];

fn lanczos_sum(x: f64) -> f64 {
    LANCZOS[0]
        + (1..LANCZOS.len())
            .rev()
            .map(|i| LANCZOS[i] / (x + i as f64))
            .sum::<f64>()
}

/// The gamma function; NaN at negative whole numbers.
pub(super) fn gamma(x: f64) -> f64 {
    if x == 0.0 {
        return f64::INFINITY.copysign(x);
    }
    if x.is_nan() || x == f64::NEG_INFINITY || (x < 0.0 && x == x.floor()) {
        return f64::NAN;
    }
    if x > 171.7 {
        return f64::INFINITY;
    }
    if x == x.floor() && x <= 171.0 {
        return (2..x as u32).fold(1.0, |product, k| product * k as f64);
    }
    if x < 0.5 {
        return PI / (sin_pi(x) * gamma(1.0 - x));
    }
    let x = x - 1.0;
    let base = x + LANCZOS_G + 0.5;
    // The power in two halves: alone it would overflow before the exponential brings it down.
    let half = base.powf((x + 0.5) / 2.0);
    (2.0 * PI).sqrt() * half * (-base).exp() * half * lanczos_sum(x)
}

/// The logarithm of the absolute value of the gamma function; infinite at its poles.
pub(super) fn ln_gamma(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.is_infinite() || (x <= 0.0 && x == x.floor()) {
        return f64::INFINITY;
    }
    if x < 0.5 {
        return (PI / sin_pi(x).abs()).ln() - ln_gamma(1.0 - x);
    }
    if x < 20.0 {
        return gamma(x).ln();
    }
    // Stirling's series.
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    const TERMS: [f64; 6] = [
        1.0 / 12.0,
        -1.0 / 360.0,
        1.0 / 1260.0,
        -1.0 / 1680.0,
        1.0 / 1188.0,
        -691.0 / 360360.0,
    ];
    let correction = TERMS
        .iter()
        .rev()
        .fold(0.0, |sum, term| sum * square + term)
        * inverse;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + correction
}

/// `sin(pi x)` with the whole part of `x` taken out first.
fn sin_pi(x: f64) -> f64 {
    let nearest = x.round();
    let sine = (PI * (x - nearest)).sin();
    if nearest % 2.0 == 0.0 { sine } else { -sine }
}

/// The inverse hyperbolic sine.
pub(super) fn asinh(x: f64) -> f64 {
    let size = x.abs();
    if size == 0.0 || !size.is_finite() {
        return x;
    }
    let value = if size > 1e8 {
        size.ln() + std::f64::consts::LN_2
    } else {
        (size + size * size / (1.0 + (1.0 + size * size).sqrt())).ln_1p()
    };
    value.copysign(x)
}

/// The inverse hyperbolic cosine.
pub(super) fn acosh(x: f64) -> f64 {
    if x > 1e8 {
        return x.ln() + std::f64::consts::LN_2;
    }
    let above = x - 1.0;
    (above + (2.0 * above + above * above).sqrt()).ln_1p()
}

/// The inverse hyperbolic tangent.
pub(super) fn atanh(x: f64) -> f64 {
    let size = x.abs();
    (0.5 * (2.0 * size / (1.0 - size)).ln_1p()).copysign(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the C library, to its last digits.
    fn close(got: f64, want: f64) {
        assert!(
            (got - want).abs() <= 4e-15 * want.abs(),
            "{got} is not {want}"
        );
    }

    #[test]
    fn error_functions_agree_with_the_c_library() {
        close(erf(0.5), 0.5204998778130465);
        close(erf(2.5), 0.999593047982555);
        close(erf(-2.0), -0.9953222650189527);
        close(erfc(2.5), 0.0004069520174449589);
        close(erfc(2.0), 0.004677734981047265);
        close(erfc(1.0), 0.15729920705028513);
        close(erfc(-0.5), 1.5204998778130465);
    }

    #[test]
    fn gamma_functions_agree_with_the_c_library() {
        close(gamma(2.5), 1.329340388179137);
        close(gamma(-0.5), -3.5449077018110318);
        close(gamma(11.0), 3628800.0);
        close(ln_gamma(2.5), 0.2846828704729192);
        close(ln_gamma(-0.5), 1.2655121234846454);
        close(ln_gamma(100.0), 359.1342053695754);
        assert_eq!(ln_gamma(2.0), 0.0);
    }

    #[test]
    fn inverse_hyperbolic_functions_keep_small_arguments() {
        close(asinh(1e-10), 1e-10);
        close(asinh(2.5), 1.6472311463710958);
        close(acosh(2.5), 1.566799236972411);
        close(atanh(-0.5), -0.5493061443340548);
    }
}
