//! The gamma function's logarithm, its derivatives, and the incomplete gamma functions in f64.

use crate::Element;
use crate::element::wide::Wide;
use std::f64::consts::PI;

/// `ln|Γ(x)|`.
pub fn lgamma(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.is_infinite() || (x <= 0.0 && x == x.floor()) {
        return f64::INFINITY;
    }
    if x < 0.5 {
        // Reflection.
        return (PI / (PI * x).sin().abs()).ln() - lgamma(1.0 - x);
    }
    if x < 8.0 {
        return lgamma_moderate(x);
    }
    let inverse = 1.0 / (x * x);
    let series = STIRLING
        .iter()
        .rev()
        .fold(0.0, |sum, term| sum * inverse + term)
        / x;
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * PI).ln() + series
}

/// `B(2k) / (2k (2k - 1))`, the terms of Stirling's series.
pub const STIRLING: [f64; 9] = [
    1.0 / 12.0,
    -1.0 / 360.0,
    1.0 / 1260.0,
    -1.0 / 1680.0,
    1.0 / 1188.0,
    -691.0 / 360_360.0,
    1.0 / 156.0,
    -3617.0 / 122_400.0,
    43_867.0 / 244_188.0,
];

/// `ln Γ` between one half and eight: moved to 1.5..2.5, where a Taylor series around two keeps the zeros at one and two.
fn lgamma_moderate(x: f64) -> f64 {
    let (mut y, mut log) = (x, 0.0);
    let mut product = 1.0;
    while y > 2.5 {
        y -= 1.0;
        product *= y;
    }
    if y < 1.5 {
        log -= y.ln();
        y += 1.0;
    }
    let z = y - 2.0;
    // ln Γ(2 + z) = (1 - γ) z + Σ (-1)^k (ζ(k) - 1) z^k / k
    let series = ZETA_LESS_ONE
        .iter()
        .enumerate()
        .rev()
        .fold(0.0, |sum, (i, zeta)| -z * sum + zeta / (i + 2) as f64);
    log + product.ln() + z * (1.0 - EULER) + z * z * series
}

pub const EULER: f64 = 0.577_215_664_901_532_9;

/// `ζ(k) - 1` from `k = 2` on.
/// `(-1)^k (ζ(k) - 1) / k` from `k = 2` on: the series of `ln Γ(2 + z)` behind its first term.
pub const AROUND_TWO: [f64; 28] = around_two();

const fn around_two() -> [f64; 28] {
    let mut out = [0.0; 28];
    let mut i = 0;
    while i < 28 {
        let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
        out[i] = sign * ZETA_LESS_ONE[i] / (i + 2) as f64;
        i += 1;
    }
    out
}

const ZETA_LESS_ONE: [f64; 50] = zeta_less_one();

/// Sums of inverse powers with an Euler–Maclaurin tail.
const fn zeta_less_one() -> [f64; 50] {
    let mut out = [0.0; 50];
    let mut i = 0;
    while i < 50 {
        let k = i + 2;
        let n = 64;
        let mut sum = 0.0;
        let mut j = n - 1;
        while j >= 2 {
            sum += 1.0 / power(j as f64, k);
            j -= 1;
        }
        let (x, s) = (n as f64, k as f64);
        let last = 1.0 / power(x, k);
        let mut tail = last * x / (s - 1.0) + last / 2.0;
        let first = s * last / x / 12.0;
        let second = first / (x * x) * (s + 1.0) * (s + 2.0) / 60.0;
        let third = second / (x * x) * (s + 3.0) * (s + 4.0) / 42.0;
        tail += first - second + third;
        out[i] = sum + tail;
        i += 1;
    }
    out
}

const fn power(x: f64, n: usize) -> f64 {
    let (mut out, mut i) = (1.0, 0);
    while i < n {
        out *= x;
        i += 1;
    }
    out
}

/// The derivative of [`lgamma`].
pub fn digamma(x: f64) -> f64 {
    if x == 0.0 {
        return f64::INFINITY.copysign(-x);
    }
    if x.is_nan() || x == f64::NEG_INFINITY || (x < 0.0 && x == x.floor()) {
        return f64::NAN;
    }
    if x == f64::INFINITY {
        return x;
    }
    if x < 0.0 {
        let part = x - x.trunc();
        return digamma(1.0 - x) - PI / (PI * part).tan();
    }
    let (mut y, mut sum) = (x, 0.0);
    while y < 10.0 {
        sum -= 1.0 / y;
        y += 1.0;
    }
    // B(2k) / 2k
    const TERMS: [f64; 7] = [
        1.0 / 12.0,
        -1.0 / 120.0,
        1.0 / 252.0,
        -1.0 / 240.0,
        1.0 / 132.0,
        -691.0 / 32_760.0,
        1.0 / 12.0,
    ];
    let inverse = 1.0 / (y * y);
    let series = TERMS
        .iter()
        .rev()
        .fold(0.0, |sum, term| sum * inverse + term)
        * inverse;
    sum + y.ln() - 0.5 / y - series
}

/// The `n`-th derivative of [`digamma`].
pub fn polygamma<W: Element + Wide>(n: i64, x: W) -> W {
    if n == 1 {
        return trigamma(x);
    }
    W::of(wide_polygamma(n, x.f64()))
}

/// The derivative of the digamma function, in the type that is asked for: by reflection on the left, by the recurrence
/// up to where the asymptotic series holds.
fn trigamma<W: Element + Wide>(x: W) -> W {
    let of = W::of;
    let (mut sign, mut sum, mut x) = (of(1.0), of(0.0), x);
    if x < of(0.5) {
        sign = of(-1.0);
        let sine = (of(PI) * x).sin();
        sum -= of(PI) * of(PI) / (sine * sine);
        x = of(1.0) - x;
    }
    for _ in 0..6 {
        sum += of(1.0) / (x * x);
        x += of(1.0);
    }
    let t = of(1.0) / (x * x);
    let series = of(1.0 / 6.0) - t * (of(1.0 / 30.0) - t * of(1.0 / 42.0));
    sum += (of(1.0) + of(1.0) / (of(2.0) * x) + t * series) / x;
    sign * sum
}

fn wide_polygamma(n: i64, x: f64) -> f64 {
    if n == 0 {
        return digamma(x);
    }
    let sign = if n % 2 == 0 { -1.0 } else { 1.0 };
    sign * lgamma(n as f64 + 1.0).exp() * zeta(n as f64 + 1.0, x)
}

/// Hurwitz's zeta function `Σ (k + q)^-s`, by the Euler–Maclaurin formula.
pub fn zeta(s: f64, q: f64) -> f64 {
    if s == 1.0 {
        return f64::INFINITY;
    }
    if s < 1.0 {
        return f64::NAN;
    }
    if q <= 0.0 {
        if q == q.floor() {
            return f64::INFINITY;
        }
        if s != s.floor() {
            return f64::NAN;
        }
    }
    if s.is_nan() || q.is_nan() || q == f64::INFINITY {
        return f64::NAN;
    }
    let (mut sum, mut x) = (0.0, q);
    let mut steps = 0;
    while steps < 9 || x <= 9.0 {
        let term = x.powf(-s);
        sum += term;
        x += 1.0;
        steps += 1;
        if (term / sum).abs() < f64::EPSILON / 2.0 && x > 0.0 {
            return sum;
        }
        if steps % 64 == 0 {
            crate::watch::poll();
        }
        // Far to the left the sum would take forever; nothing there is asked for in earnest.
        if steps > 1_000_000 {
            return f64::NAN;
        }
    }
    let last = x.powf(-s);
    sum += last * x / (s - 1.0) + last / 2.0;
    // B(2k) / (2k)!
    const TERMS: [f64; 12] = [
        8.333_333_333_333_333e-2,
        -1.388_888_888_888_889e-3,
        3.306_878_306_878_307e-5,
        -8.267_195_767_195_767e-7,
        2.087_675_698_786_81e-8,
        -5.284_190_138_687_493e-10,
        1.338_253_653_068_468e-11,
        -3.389_680_296_322_583e-13,
        8.586_062_056_277_845e-15,
        -2.174_868_698_558_062e-16,
        5.509_002_828_360_23e-18,
        -1.395_446_468_581_252e-19,
    ];
    let mut factor = s * last / x;
    let mut k = 0.0;
    for term in TERMS {
        let add = factor * term;
        sum += add;
        if (add / sum).abs() < f64::EPSILON / 2.0 {
            break;
        }
        factor *= (s + k + 1.0) * (s + k + 2.0) / (x * x);
        k += 2.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference's series ends early: these are its values, right to nine digits.
    #[test]
    fn the_trigamma_function_is_as_exact_as_the_references() {
        for (x, want) in [
            (1.0, 1.644_934_067_638_337_5),
            (-2.5, 9.539_246_644_937_52),
            (0.3, 12.245_364_544_940_365),
            (10.0, 0.105_166_335_682_166_57),
        ] {
            let got: f64 = polygamma(1, x);
            assert!((got - want).abs() <= 1e-14 * want, "{got}, not {want}");
        }
    }

    /// Values from 40-digit evaluation.
    #[test]
    fn values_agree_with_tables() {
        let close = |got: f64, want: f64| {
            assert!(
                (got - want).abs() <= 1e-13 * (1.0 + want.abs()),
                "{got}, not {want}"
            );
        };
        close(lgamma(0.5), 0.572_364_942_924_700_1);
        close(lgamma(1.0), 0.0);
        close(lgamma(3.5), 1.200_973_602_347_074_3);
        close(lgamma(100.0), 359.134_205_369_575_4);
        close(lgamma(-1.5), 0.860_047_015_376_481);
        close(digamma(1.0), -0.577_215_664_901_532_9);
        close(digamma(-0.5), 0.036_489_973_978_576_52);
        close(polygamma(2, 1.0), -2.404_113_806_319_188_5);
        close(zeta(2.0, 1.0), PI * PI / 6.0);
        close(zeta(3.5, 0.3), 68.102_656_052_432_28);
    }
}
