//! Powers.

use super::arithmetic::complex_quotient;
use super::definition::{Pointwise, slices};
use rushlight_tensor::lanes::{each1, each2, map1};
use rushlight_tensor::special::wide::{Exp, Ln};
use rushlight_tensor::{Complex64, Scalar};

/// `self ^ exponent` of two operands.
pub static POW: Pointwise = Pointwise::new(
    "pow",
    slices![Loop2:
        |r: &mut [f32], a: &[f32], b: &[f32], _| {
            let parts = r.chunks_mut(PART).zip(a.chunks(PART));
            parts.zip(b.chunks(PART)).for_each(|((r, a), b)| powers(r, a, b));
        },
        |r: &mut [i64], a: &[i64], b: &[i64], _| each2(r, a, b, integer_power),
        |r: &mut [f64], a: &[f64], b: &[f64], _| each2(r, a, b, f64::powf),
        |r: &mut [Complex64], a: &[Complex64], b: &[Complex64], _| each2(r, a, b, complex_power),
    ],
)
.without_bool();

/// `self ^ number`; the number is the first of the loop's numbers.
pub static POW_NUMBER: Pointwise = Pointwise::new(
    "pow",
    slices![Loop1: power_f32, power_i64, power_f64, power_complex],
)
.rounding_numbers()
.without_bool();

/// So many powers are made at once.
const PART: usize = 64;

/// At most [`PART`] powers of f32 through f64: exponentials of products with logarithms where every base is positive and all
/// is finite, otherwise one by one.
fn powers(r: &mut [f32], bases: &[f32], exponents: &[f32]) {
    let n = bases.len();
    // Without branches, so that it is vector code.
    let is_usual = |(x, y): (&f32, &f32)| (*x > 0.0) & (*x < f32::INFINITY) & y.is_finite();
    let usual = bases.iter().zip(exponents).map(is_usual);
    if !usual.fold(true, |all, one| all & one) {
        return each2(r, bases, exponents, f32::powf);
    }
    let (mut wide, mut logs) = ([0.0; PART], [0.0; PART]);
    map1(&mut wide[..n], bases, |x: f32| f64::from(x));
    map1(&mut logs[..n], &wide[..n], Ln);
    for (log, exponent) in logs.iter_mut().zip(exponents) {
        *log *= f64::from(*exponent);
    }
    map1(&mut wide[..n], &logs[..n], Exp);
    map1(r, &wide[..n], |x: f64| x as f32);
}

/// Powers of f32 with one exponent.
fn same_powers_f32(r: &mut [f32], a: &[f32], exponent: f32) {
    let exponents = [exponent; PART];
    let parts = r.chunks_mut(PART).zip(a.chunks(PART));
    parts.for_each(|(r, a)| powers(r, a, &exponents[..a.len()]));
}

fn same_powers_f64(r: &mut [f64], a: &[f64], exponent: f64) {
    each1(r, a, |x: f64| x.powf(exponent));
}

macro_rules! power {
    ($name:ident, $t:ident, $rest:ident) => {
        /// The exponents that need no logarithm are multiplications, divisions and roots.
        fn $name(r: &mut [$t], a: &[$t], numbers: &[Scalar]) {
            let exponent = numbers.first().map_or(1.0, |n| n.to_f64());
            if exponent == 2.0 {
                map1(r, a, |x: $t| x * x);
            } else if exponent == 3.0 {
                map1(r, a, |x: $t| x * x * x);
            } else if exponent == 0.5 {
                map1(r, a, |x: $t| x.sqrt());
            } else if exponent == -0.5 {
                map1(r, a, |x: $t| 1.0 / x.sqrt());
            } else if exponent == -1.0 {
                map1(r, a, |x: $t| 1.0 / x);
            } else if exponent == -2.0 {
                map1(r, a, |x: $t| 1.0 / (x * x));
            } else if exponent == 1.0 {
                r.copy_from_slice(a);
            } else {
                $rest(r, a, exponent as $t);
            }
        }
    };
}

power!(power_f32, f32, same_powers_f32);

power!(power_f64, f64, same_powers_f64);

fn power_i64(r: &mut [i64], a: &[i64], numbers: &[Scalar]) {
    let exponent = numbers.first().map_or(1, |n| n.to_i64());
    each1(r, a, |x: i64| integer_power(x, exponent));
}

fn power_complex(r: &mut [Complex64], a: &[Complex64], numbers: &[Scalar]) {
    let exponent = numbers
        .first()
        .map_or(Complex64::new(1.0, 0.0), |n| n.to_complex());
    each1(r, a, |x: Complex64| complex_power(x, exponent));
}

/// Wrapping; negative exponents give what rounding toward zero leaves.
fn integer_power(base: i64, exponent: i64) -> i64 {
    if exponent < 0 {
        return match base {
            1 => 1,
            -1 if exponent % 2 == 0 => 1,
            -1 => -1,
            _ => 0,
        };
    }
    let (mut base, mut exponent, mut out) = (base, exponent, 1i64);
    while exponent > 0 {
        if exponent & 1 == 1 {
            out = out.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    out
}

fn complex_power(base: Complex64, exponent: Complex64) -> Complex64 {
    let one = Complex64::new(1.0, 0.0);
    if exponent.im == 0.0 {
        if exponent.re == 0.0 {
            return one;
        }
        if exponent.re == 0.5 {
            return base.sqrt();
        }
        if exponent.re.fract() == 0.0 && exponent.re.abs() <= 64.0 {
            let whole = base.powu(exponent.re.abs() as u32);
            return if exponent.re < 0.0 {
                complex_quotient(one, whole)
            } else {
                whole
            };
        }
    }
    if base.re == 0.0 && base.im == 0.0 {
        return if exponent.re > 0.0 {
            base
        } else {
            (exponent * base.ln()).exp()
        };
    }
    (exponent * base.ln()).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_those_of_the_library_within_a_unit() {
        let bases: Vec<f32> = (0..640).map(|i| 1.03f32.powi(i - 300)).collect();
        for exponent in [2.5, -3.0, 0.1, 1e-3, 17.0, -40.0, 88.0] {
            let mut got = vec![0.0; bases.len()];
            same_powers_f32(&mut got, &bases, exponent);
            for (x, got) in bases.iter().zip(&got) {
                let want = x.powf(exponent);
                let units = (got.to_bits() as i64 - want.to_bits() as i64).abs();
                assert!(units <= 1, "{x} ^ {exponent} is {got}, not {want}");
            }
        }
    }

    #[test]
    fn odd_bases_go_one_by_one() {
        let bases = [0.0, -0.0, -2.0, f32::INFINITY, f32::NAN, 4.0];
        let mut got = [0.0; 6];
        powers(&mut got, &bases, &[3.0, -1.0, 3.0, 0.5, 0.0, 0.5]);
        assert_eq!(got, [0.0, f32::NEG_INFINITY, -8.0, f32::INFINITY, 1.0, 2.0]);
    }
}
