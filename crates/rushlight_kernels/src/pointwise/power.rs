//! Powers.

use super::arithmetic::complex_quotient;
use super::definition::{Pointwise, slices};
use rushlight_tensor::lanes::{each1, each2, map1};
use rushlight_tensor::{Complex64, Scalar};

/// `self ^ exponent` of two operands.
pub static POW: Pointwise = Pointwise::new(
    "pow",
    slices![Loop2:
        |r: &mut [f32], a: &[f32], b: &[f32], _| each2(r, a, b, f32::powf),
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

macro_rules! power {
    ($name:ident, $t:ident) => {
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
                each1(r, a, |x: $t| x.powf(exponent as $t));
            }
        }
    };
}

power!(power_f32, f32);

power!(power_f64, f64);

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
