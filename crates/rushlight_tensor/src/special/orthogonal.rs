//! Orthogonal polynomials by degree in f64: Chebyshev's four kinds, Hermite's two, Laguerre's, Legendre's.
//!
//! All follow a recurrence over two neighbours. Inside their interval Chebyshev's polynomials of high degree are
//! trigonometric, which takes one step whatever the degree.

use crate::watch;

/// Degrees above this are not computed by recurrence; the answer is NaN.
const HIGHEST: f64 = 1e6;

/// Degrees that no 64-bit integer is are none.
const COUNTED: f64 = 9_223_372_036_854_775_808.0;

/// Recurrences of more steps than this can be stopped between elements.
const LONG: f64 = 500.0;

/// A family: the polynomial of degree 1 and the step from two neighbours to the next, given `x` and the degree.
struct Family {
    first: fn(f64) -> f64,
    next: fn(x: f64, n: f64, last: f64, before: f64) -> f64,
}

fn evaluate(family: &Family, x: f64, degree: f64) -> f64 {
    let degree = degree.trunc();
    if !(0.0..COUNTED).contains(&degree) {
        return 0.0;
    }
    if degree > HIGHEST {
        return f64::NAN;
    }
    let (mut before, mut last) = (1.0, (family.first)(x));
    if degree == 0.0 {
        return before;
    }
    if degree > LONG {
        watch::poll();
    }
    let mut n = 1.0;
    while n < degree && !last.is_nan() {
        (before, last) = (last, (family.next)(x, n, last, before));
        n += 1.0;
    }
    last
}

fn double(x: f64, _: f64, last: f64, before: f64) -> f64 {
    2.0 * x * last - before
}

/// The trigonometric form of a Chebyshev polynomial of high degree at the cosine of an angle.
fn chebyshev(
    x: f64,
    degree: f64,
    first: fn(f64) -> f64,
    by_angle: fn(angle: f64, degree: f64) -> f64,
) -> f64 {
    let degree = degree.trunc();
    if degree > 6.0 && degree < COUNTED && x.abs() < 1.0 {
        return by_angle(x.acos(), degree);
    }
    if degree > 6.0 && degree < COUNTED && x.abs() == 1.0 {
        return ends(x, degree, first);
    }
    evaluate(
        &Family {
            first,
            next: double,
        },
        x,
        degree,
    )
}

/// At 1 and -1 the values run in arithmetic sequences (up to sign).
fn ends(x: f64, degree: f64, first: fn(f64) -> f64) -> f64 {
    let sign = if x < 0.0 && degree % 2.0 != 0.0 {
        -1.0
    } else {
        1.0
    };
    sign * (1.0 + (first(x) * x - 1.0) * degree)
}

/// First kind.
pub fn chebyshev_t(x: f64, n: f64) -> f64 {
    chebyshev(x, n, |x| x, |angle, n| (n * angle).cos())
}

/// Second kind.
pub fn chebyshev_u(x: f64, n: f64) -> f64 {
    chebyshev(
        x,
        n,
        |x| 2.0 * x,
        |angle, n| ((n + 1.0) * angle).sin() / angle.sin(),
    )
}

/// Third kind.
pub fn chebyshev_v(x: f64, n: f64) -> f64 {
    chebyshev(
        x,
        n,
        |x| 2.0 * x - 1.0,
        |angle, n| ((n + 0.5) * angle).cos() / (angle / 2.0).cos(),
    )
}

/// Fourth kind.
pub fn chebyshev_w(x: f64, n: f64) -> f64 {
    chebyshev(
        x,
        n,
        |x| 2.0 * x + 1.0,
        |angle, n| ((n + 0.5) * angle).sin() / (angle / 2.0).sin(),
    )
}

/// First kind on 0..1.
pub fn shifted_t(x: f64, n: f64) -> f64 {
    chebyshev_t(2.0 * x - 1.0, n)
}

/// Second kind on 0..1.
pub fn shifted_u(x: f64, n: f64) -> f64 {
    chebyshev_u(2.0 * x - 1.0, n)
}

/// Third kind on 0..1.
pub fn shifted_v(x: f64, n: f64) -> f64 {
    chebyshev_v(2.0 * x - 1.0, n)
}

/// Fourth kind on 0..1.
pub fn shifted_w(x: f64, n: f64) -> f64 {
    chebyshev_w(2.0 * x - 1.0, n)
}

/// Hermite's polynomials of physicists.
pub fn hermite_h(x: f64, n: f64) -> f64 {
    let family = Family {
        first: |x| 2.0 * x,
        next: |x, n, last, before| 2.0 * x * last - 2.0 * n * before,
    };
    evaluate(&family, x, n)
}

/// Hermite's polynomials of probabilists.
pub fn hermite_he(x: f64, n: f64) -> f64 {
    let family = Family {
        first: |x| x,
        next: |x, n, last, before| x * last - n * before,
    };
    evaluate(&family, x, n)
}

/// Laguerre's polynomials.
pub fn laguerre_l(x: f64, n: f64) -> f64 {
    let family = Family {
        first: |x| 1.0 - x,
        next: |x, n, last, before| ((2.0 * n + 1.0 - x) * last - n * before) / (n + 1.0),
    };
    evaluate(&family, x, n)
}

/// Legendre's polynomials.
pub fn legendre_p(x: f64, n: f64) -> f64 {
    let family = Family {
        first: |x| x,
        next: |x, n, last, before| ((2.0 * n + 1.0) * x * last - n * before) / (n + 1.0),
    };
    evaluate(&family, x, n)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A family, and its polynomial of first degree.
    type Case = (fn(f64, f64) -> f64, fn(f64) -> f64);

    #[test]
    fn both_forms_agree() {
        let families: [Case; 4] = [
            (chebyshev_t, |x| x),
            (chebyshev_u, |x| 2.0 * x),
            (chebyshev_v, |x| 2.0 * x - 1.0),
            (chebyshev_w, |x| 2.0 * x + 1.0),
        ];
        for (function, first) in families {
            for x in [-1.0, -0.7, 0.0, 0.4, 1.0] {
                for n in 0..40 {
                    let n = n as f64;
                    let plain = evaluate(
                        &Family {
                            first,
                            next: double,
                        },
                        x,
                        n,
                    );
                    assert!((function(x, n) - plain).abs() < 1e-10, "{x} {n}");
                }
            }
        }
    }

    #[test]
    fn low_degrees_are_the_known_polynomials() {
        assert_eq!(hermite_h(0.5, 3.0), -5.0);
        assert_eq!(hermite_he(2.0, 3.0), 2.0);
        assert!((laguerre_l(1.0, 3.0) + 2.0 / 3.0).abs() < 1e-15);
        assert_eq!(legendre_p(-0.5, 3.0), 0.4375);
        assert_eq!(legendre_p(0.5, -1.0), 0.0);
    }
}
