//! Orthogonal polynomials by degree: Chebyshev's four kinds, Hermite's two, Laguerre's, Legendre's.
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

/// A float in whose type a polynomial is computed: its recurrence rounds after every step.
pub trait Real:
    Copy
    + PartialOrd
    + std::ops::Add<Output = Self>
    + std::ops::Sub<Output = Self>
    + std::ops::Mul<Output = Self>
    + std::ops::Div<Output = Self>
{
    /// The nearest number of the type.
    fn of(x: f64) -> Self;
    fn wide(self) -> f64;
    fn cos(self) -> Self;
    fn sin(self) -> Self;
    fn acos(self) -> Self;
}

macro_rules! real {
    ($($t:ty)*) => {$(
        impl Real for $t {
            fn of(x: f64) -> Self {
                x as $t
            }
            fn wide(self) -> f64 {
                self as f64
            }
            fn cos(self) -> Self {
                <$t>::cos(self)
            }
            fn sin(self) -> Self {
                <$t>::sin(self)
            }
            fn acos(self) -> Self {
                <$t>::acos(self)
            }
        }
    )*};
}

real! { f32 f64 }

/// A family: the polynomial of degree 1 and the step from two neighbours to the next, given `x` and the degree.
struct Family<T> {
    first: fn(T) -> T,
    next: fn(x: T, n: T, last: T, before: T) -> T,
}

fn evaluate<T: Real>(family: &Family<T>, x: T, degree: T) -> T {
    let degree = degree.wide().trunc();
    if !(0.0..COUNTED).contains(&degree) {
        return T::of(0.0);
    }
    if degree > HIGHEST {
        return T::of(f64::NAN);
    }
    let (mut before, mut last) = (T::of(1.0), (family.first)(x));
    if degree == 0.0 {
        return before;
    }
    if degree > LONG {
        watch::poll();
    }
    let mut n = 1.0;
    while n < degree && !last.wide().is_nan() {
        (before, last) = (last, (family.next)(x, T::of(n), last, before));
        n += 1.0;
    }
    last
}

fn double<T: Real>(x: T, _: T, last: T, before: T) -> T {
    (x + x) * last - before
}

/// The trigonometric form of a Chebyshev polynomial of high degree at the cosine of an angle.
fn chebyshev<T: Real>(
    x: T,
    degree: T,
    first: fn(T) -> T,
    by_angle: fn(angle: T, degree: T) -> T,
) -> T {
    let whole = degree.wide().trunc();
    let high = whole > 6.0 && whole < COUNTED;
    if high && x.wide().abs() < 1.0 {
        return by_angle(x.acos(), T::of(whole));
    }
    if high && x.wide().abs() == 1.0 {
        return ends(x, whole, first);
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
fn ends<T: Real>(x: T, degree: f64, first: fn(T) -> T) -> T {
    let sign = if x.wide() < 0.0 && degree % 2.0 != 0.0 {
        -1.0
    } else {
        1.0
    };
    T::of(sign * (1.0 + (first(x).wide() * x.wide() - 1.0) * degree))
}

/// First kind.
pub fn chebyshev_t<T: Real>(x: T, n: T) -> T {
    chebyshev(x, n, |x| x, |angle, n| (n * angle).cos())
}

/// Second kind.
pub fn chebyshev_u<T: Real>(x: T, n: T) -> T {
    chebyshev(
        x,
        n,
        |x| x + x,
        |angle, n| ((n + T::of(1.0)) * angle).sin() / angle.sin(),
    )
}

/// Third kind.
pub fn chebyshev_v<T: Real>(x: T, n: T) -> T {
    chebyshev(
        x,
        n,
        |x| x + x - T::of(1.0),
        |angle, n| ((n + T::of(0.5)) * angle).cos() / (angle / T::of(2.0)).cos(),
    )
}

/// Fourth kind.
pub fn chebyshev_w<T: Real>(x: T, n: T) -> T {
    chebyshev(
        x,
        n,
        |x| x + x + T::of(1.0),
        |angle, n| ((n + T::of(0.5)) * angle).sin() / (angle / T::of(2.0)).sin(),
    )
}

fn shifted<T: Real>(x: T) -> T {
    x + x - T::of(1.0)
}

/// First kind on 0..1.
pub fn shifted_t<T: Real>(x: T, n: T) -> T {
    chebyshev_t(shifted(x), n)
}

/// Second kind on 0..1.
pub fn shifted_u<T: Real>(x: T, n: T) -> T {
    chebyshev_u(shifted(x), n)
}

/// Third kind on 0..1.
pub fn shifted_v<T: Real>(x: T, n: T) -> T {
    chebyshev_v(shifted(x), n)
}

/// Fourth kind on 0..1.
pub fn shifted_w<T: Real>(x: T, n: T) -> T {
    chebyshev_w(shifted(x), n)
}

/// Hermite's polynomials of physicists.
pub fn hermite_h<T: Real>(x: T, n: T) -> T {
    let family = Family {
        first: |x| x + x,
        next: |x, n, last, before| (x + x) * last - (n + n) * before,
    };
    evaluate(&family, x, n)
}

/// Hermite's polynomials of probabilists.
pub fn hermite_he<T: Real>(x: T, n: T) -> T {
    let family = Family {
        first: |x| x,
        next: |x, n, last, before| x * last - n * before,
    };
    evaluate(&family, x, n)
}

/// Laguerre's polynomials.
pub fn laguerre_l<T: Real>(x: T, n: T) -> T {
    let family = Family {
        first: |x| T::of(1.0) - x,
        next: |x, n, last, before| {
            ((n + n + T::of(1.0) - x) * last - n * before) / (n + T::of(1.0))
        },
    };
    evaluate(&family, x, n)
}

/// Legendre's polynomials.
pub fn legendre_p<T: Real>(x: T, n: T) -> T {
    let family = Family {
        first: |x| x,
        next: |x, n, last, before| {
            ((n + n + T::of(1.0)) * x * last - n * before) / (n + T::of(1.0))
        },
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
            (chebyshev_t, |x: f64| x),
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
        assert!((laguerre_l(1.0_f64, 3.0) + 2.0 / 3.0).abs() < 1e-15);
        assert_eq!(legendre_p(-0.5, 3.0), 0.4375);
        assert_eq!(legendre_p(0.5, -1.0), 0.0);
    }
}
