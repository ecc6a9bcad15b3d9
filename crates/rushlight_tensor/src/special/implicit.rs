//! How draws change with the parameters of their distribution while the probability below them stays: the derivative of
//! the distribution function by the parameter, over the density, with the other sign (implicit reparametrisation;
//! Figurnov, Mohamed and Mnih, 2018). Both share their leading factor, so that only logarithms and sums are left.

use super::gamma::digamma;

/// Sums of more terms are nowhere needed: shapes that would need them have [`wide_gamma`].
const MOST_TERMS: usize = 100_000;

/// The change of a gamma number `x` with its shape.
pub fn gamma_slope(shape: f64, x: f64) -> f64 {
    if !(shape > 0.0 && x >= 0.0) {
        return f64::NAN;
    }
    if x == 0.0 {
        return 0.0;
    }
    if shape > 1e5 {
        return wide_gamma(shape, x);
    }
    if x > shape + 1.0 {
        return gamma_tail(shape, x);
    }
    // The power series of the lower function, x^a e^-x / Γ(a+1) Σ x^n / ((a+1) ... (a+n)).
    let (mut term, mut slope) = (1.0, 0.0);
    let (mut sum, mut slopes) = (1.0, 0.0);
    for n in 1..MOST_TERMS {
        let next = shape + n as f64;
        term *= x / next;
        slope -= 1.0 / next;
        sum += term;
        slopes += term * slope;
        if term < sum * 1e-17 {
            break;
        }
    }
    -x / shape * ((x.ln() - digamma(shape + 1.0)) * sum + slopes)
}

/// By Legendre's continued fraction of the upper function, x^a e^-x / (x+1-a - 1(1-a) / (x+3-a - ...)), from its end.
fn gamma_tail(shape: f64, x: f64) -> f64 {
    let terms = 60 + (30.0 * shape.sqrt()) as usize;
    let (mut below, mut slope) = (x + 2.0 * terms as f64 + 1.0 - shape, -1.0);
    for k in (1..=terms).rev() {
        let k = k as f64;
        let (top, top_slope) = (k * (k - shape), -k);
        slope = -1.0 - (top_slope - top * slope / below) / below;
        below = x + 2.0 * k - 1.0 - shape - top / below;
    }
    let fraction = 1.0 / below;
    x * fraction * (x.ln() - digamma(shape) - slope * fraction)
}

/// By the first terms of Cornish and Fisher's expansion in a normal number.
fn wide_gamma(shape: f64, x: f64) -> f64 {
    let root = shape.sqrt();
    let mut z = (x - shape) / root;
    for _ in 0..3 {
        z = (x - shape - (z * z - 1.0) / 3.0) / root;
    }
    1.0 + z / (2.0 * root)
}

/// The change of a beta number `x` with its first parameter.
pub fn beta_slope(a: f64, b: f64, x: f64) -> f64 {
    if !(a > 0.0 && b > 0.0 && (0.0..=1.0).contains(&x)) {
        return f64::NAN;
    }
    if x == 0.0 || x == 1.0 {
        return 0.0;
    }
    let whole = digamma(a + b);
    if x <= a / (a + b) {
        let (sum, first, _) = beta_series(a, b, x);
        -x * (1.0 - x) / a * ((x.ln() - digamma(a) + whole - 1.0 / a) * sum + first)
    } else {
        let (sum, _, second) = beta_series(b, a, 1.0 - x);
        x * (1.0 - x) / b * ((x.ln() - digamma(a) + whole) * sum + second)
    }
}

/// The series of the incomplete beta function, x^p (1-x)^q / (p B(p, q)) Σ (p+q)...(p+q+n-1) / ((p+1)...(p+n)) x^n,
/// without what stands before it, and its derivatives by both parameters.
fn beta_series(p: f64, q: f64, x: f64) -> (f64, f64, f64) {
    let (mut term, mut up, mut down) = (1.0, 0.0, 0.0);
    let (mut sum, mut first, mut second) = (1.0, 0.0, 0.0);
    for n in 0..MOST_TERMS {
        let (over, under) = (p + q + n as f64, p + 1.0 + n as f64);
        term *= over / under * x;
        up += 1.0 / over;
        down += 1.0 / under;
        sum += term;
        first += term * (up - down);
        second += term * up;
        if term < sum * 1e-17 {
            break;
        }
    }
    (sum, first, second)
}

/// The change of a part of one with its concentration, over what the other parts are together.
pub fn dirichlet_slope(x: f64, concentration: f64, total: f64) -> f64 {
    beta_slope(concentration, total - concentration, x) / (1.0 - x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::special::gamma::lgamma;

    /// The slope by differences of the distribution function, which is the sum of the density.
    fn by_differences(density: impl Fn(f64, f64) -> f64, parameter: f64, x: f64) -> f64 {
        let below = |parameter: f64| {
            let n = 200_000;
            let h = x / n as f64;
            let middle = |i: usize| density(parameter, (i as f64 + 0.5) * h);
            (0..n).map(middle).sum::<f64>() * h
        };
        let step = 1e-4 * parameter;
        -(below(parameter + step) - below(parameter - step)) / (2.0 * step) / density(parameter, x)
    }

    fn close(found: f64, wanted: f64, within: f64) {
        assert!(
            (found / wanted - 1.0).abs() < within,
            "{found} is not {wanted}"
        );
    }

    #[test]
    fn gamma_numbers_change_with_their_shape() {
        let density = |a: f64, x: f64| ((a - 1.0) * x.ln() - x - lgamma(a)).exp();
        for (shape, x) in [
            (2.0, 0.3),
            (2.0, 2.5),
            (2.0, 9.0),
            (5.5, 4.0),
            (5.5, 20.0),
            (40.0, 35.0),
            (40.0, 60.0),
        ] {
            close(
                gamma_slope(shape, x),
                by_differences(density, shape, x),
                1e-5,
            );
        }
    }

    #[test]
    fn both_ways_to_the_slope_of_gamma_numbers_meet() {
        for shape in [0.01, 0.5, 1.0, 7.0, 300.0, 9e4] {
            let x: f64 = shape + 1.0;
            let gap = x * 1e-9;
            close(
                gamma_slope(shape, x + gap),
                gamma_slope(shape, x - gap),
                1e-6,
            );
        }
        close(
            gamma_slope(1.001e5, 1.003e5),
            gamma_slope(0.999e5, 1.001e5),
            1e-5,
        );
    }

    #[test]
    fn beta_numbers_change_with_their_parameters() {
        for (a, b, x) in [
            (2.0, 3.0, 0.2),
            (2.0, 3.0, 0.7),
            (6.0, 1.5, 0.5),
            (6.0, 1.5, 0.95),
            (30.0, 50.0, 0.4),
        ] {
            let density = |a: f64, x: f64| {
                let scale = lgamma(a + b) - lgamma(a) - lgamma(b);
                (scale + (a - 1.0) * x.ln() + (b - 1.0) * (-x).ln_1p()).exp()
            };
            close(beta_slope(a, b, x), by_differences(density, a, x), 1e-5);
        }
    }
}
