//! The gamma function in double precision, and inverse hyperbolic functions that keep small arguments.

use std::f64::consts::PI;

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
    if x > 2.0 {
        return (2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt())).ln();
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
    fn gamma_agrees_with_the_c_library() {
        close(gamma(2.5), 1.329340388179137);
        close(gamma(-0.5), -3.5449077018110318);
        close(gamma(11.0), 3628800.0);
    }

    #[test]
    fn inverse_hyperbolic_functions_keep_small_arguments() {
        close(asinh(1e-10), 1e-10);
        close(asinh(2.5), 1.6472311463710958);
        close(acosh(2.5), 1.566799236972411);
        close(atanh(-0.5), -0.5493061443340548);
    }
}
