//! Functions of analysis in f64 without branches or calls, for loops over f64 and for those over f32 that need more digits
//! on the way.
//!
//! Errors are a few units in the last place of f64, so that what is rounded to f32 is as good as rounded once. Arguments
//! are reduced in the usual ways; the tables are those of the functions of one number, as sums of powers.

use crate::lanes::{Lanes, Map1, map1};
use std::f64::consts::LOG2_E;

/// Adding and subtracting this rounds to a whole number, which is then also in the low bits.
const SHIFT: f64 = 6_755_399_441_055_744.0;
/// ln 2, the first part so short that whole numbers times it are exact.
const LN_2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];

/// The sum of powers of `x` with these coefficients, from that of 1 on. Long ones are taken apart into those of every second or
/// fourth power, which are computed side by side.
#[inline(always)]
pub fn polynomial<L: Lanes, const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    if N < 9 {
        return every::<L, N>(coefficients, 0, 1, x);
    }
    let square = x * x;
    if N < 17 {
        let odd = every::<L, N>(coefficients, 1, 2, square);
        return L::fma64(odd, x, every::<L, N>(coefficients, 0, 2, square));
    }
    let fourth = square * square;
    let part = |first| every::<L, N>(coefficients, first, 4, fourth);
    let (low, high) = (L::fma64(part(1), x, part(0)), L::fma64(part(3), x, part(2)));
    L::fma64(high, square, low)
}

/// The sum of powers of `x` with every so many of the coefficients.
#[inline(always)]
fn every<L: Lanes, const N: usize>(
    coefficients: &[f64; N],
    first: usize,
    step: usize,
    x: f64,
) -> f64 {
    let last = (N - 1 - first) / step;
    let mut sum = coefficients[first + last * step];
    for i in (0..last).rev() {
        sum = L::fma64(sum, x, coefficients[first + i * step]);
    }
    sum
}

/// Keeps `x` within bounds; NaN stays.
#[inline(always)]
fn within(x: f64, low: f64, high: f64) -> f64 {
    let x = if x > high { high } else { x };
    if x < low { low } else { x }
}

/// `2^n` for a number that has been added to [`SHIFT`].
#[inline(always)]
fn power_of_two(shifted: f64) -> f64 {
    f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

/// `x = n ln 2 + r` with `r` at most half of ln 2: `(n + SHIFT, exp(r) - 1)`.
#[inline(always)]
fn reduced<L: Lanes>(x: f64) -> (f64, f64) {
    let shifted = L::fma64(x, LOG2_E, SHIFT);
    let n = shifted - SHIFT;
    let r = L::fma64(n, -LN_2[1], L::fma64(n, -LN_2[0], x));
    // One over the factorials from 2 on.
    let rest = polynomial::<L, 12>(
        &[
            0.5,
            1.0 / 6.0,
            1.0 / 24.0,
            1.0 / 120.0,
            1.0 / 720.0,
            1.0 / 5040.0,
            1.0 / 40_320.0,
            1.0 / 362_880.0,
            1.0 / 3_628_800.0,
            1.0 / 39_916_800.0,
            1.0 / 479_001_600.0,
            1.0 / 6_227_020_800.0,
        ],
        r,
    );
    (shifted, L::fma64(rest, r * r, r))
}

/// The exponential.
#[inline(always)]
pub fn exp<L: Lanes>(x: f64) -> f64 {
    // Some processors take a hundred times as long where a product is too small for a normal number.
    let is_nothing = x < -745.14;
    let x = if is_nothing { 0.0 } else { x };
    let (shifted, p) = reduced::<L>(within(x, -746.0, 710.0));
    // In two steps, so that neither leaves what a number can be on the way.
    let half = L::fma64(shifted - SHIFT, 0.5, SHIFT);
    let rest = (shifted - half) + SHIFT;
    let y = (p + 1.0) * power_of_two(half) * power_of_two(rest);
    if is_nothing { 0.0 } else { y }
}

/// `exp(x) - 1`, also for small `x`.
#[inline(always)]
pub fn exp_m1<L: Lanes>(x: f64) -> f64 {
    let (shifted, p) = reduced::<L>(within(x, -40.0, 710.0));
    // Half the power, so that 2^1024 is not needed; the last doubling may overflow, as it should.
    let scale = power_of_two(shifted - 1.0);
    let y = L::fma64(p, scale, scale - 0.5) * 2.0;
    let y = if shifted == SHIFT { p } else { y };
    // Keeps the sign of zero.
    if x == 0.0 { x } else { y }
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh<L: Lanes>(x: f64) -> f64 {
    let fallen = exp_m1::<L>(-2.0 * x.abs());
    (-fallen / (fallen + 2.0)).copysign(x)
}

/// The logistic function.
#[inline(always)]
pub fn sigmoid<L: Lanes>(x: f64) -> f64 {
    1.0 / (1.0 + exp::<L>(-x))
}

/// `x = 2^e m` with `m` around one: `(e, m - 1)`. For positive finite numbers.
#[inline(always)]
fn split(x: f64) -> (f64, f64) {
    const ROOT: u64 = 0x3FE6_A09E_667F_3BCD;
    let tiny = x < f64::MIN_POSITIVE;
    let y = if tiny {
        x * 18_014_398_509_481_984.0
    } else {
        x
    };
    let bits = y.to_bits().wrapping_sub(ROOT);
    let m = f64::from_bits((bits & 0x000F_FFFF_FFFF_FFFF).wrapping_add(ROOT));
    // The exponent in the low bits of a number whose unit is one.
    let e = bits.wrapping_add(1023 << 52) >> 52;
    let e = f64::from_bits(0x4330_0000_0000_0000 | e) - (4_503_599_627_370_496.0 + 1023.0);
    (if tiny { e - 54.0 } else { e }, m - 1.0)
}

/// The natural logarithm.
#[inline(always)]
pub fn ln<L: Lanes>(x: f64) -> f64 {
    let (e, f) = split(x);
    let s = f / (2.0 + f);
    let z = s * s;
    let rest = z * polynomial::<L, 7>(
        &[
            0.666_666_666_666_673_5,
            0.399_999_999_994_094_2,
            0.285_714_287_436_623_9,
            0.222_221_984_321_497_84,
            0.181_835_721_616_180_5,
            0.153_138_376_992_093_73,
            0.147_981_986_051_165_86,
        ],
        z,
    );
    let half = 0.5 * f * f;
    let y = e * LN_2[0] - ((half - L::fma64(s, half + rest, e * LN_2[1])) - f);
    let y = if x == f64::INFINITY { x } else { y };
    let y = if x == 0.0 { f64::NEG_INFINITY } else { y };
    if x >= 0.0 { y } else { f64::NAN }
}

/// `ln(1 + x)`, also for small `x`.
#[inline(always)]
pub fn ln_1p<L: Lanes>(x: f64) -> f64 {
    let u = 1.0 + x;
    let lost = (x - (u - 1.0)) / u;
    let is_usual = u < f64::INFINITY && u > 0.0;
    let y = ln::<L>(u) + if is_usual { lost } else { 0.0 };
    // Keeps the sign of zero.
    if u == 1.0 { x } else { y }
}

/// So many numbers go through f64 at once.
const TILE: usize = 256;

/// Runs a loop over f64 on numbers of f32.
pub fn through(r: &mut [f32], a: &[f32], wide: &dyn Fn(&mut [f64], &[f64])) {
    let (mut from, mut to) = ([0.0; TILE], [0.0; TILE]);
    for (r, a) in r.chunks_mut(TILE).zip(a.chunks(TILE)) {
        let (from, to) = (&mut from[..a.len()], &mut to[..a.len()]);
        map1(from, a, |x: f32| f64::from(x));
        wide(to, from);
        map1(r, to, |x: f64| x as f32);
    }
}

macro_rules! functions {
    ($($type:ident $function:expr, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy)]
        pub struct $type;
        impl Map1<f64, f64> for $type {
            #[inline(always)]
            fn at<L: Lanes>(self, x: f64) -> f64 {
                $function(x)
            }
        }
    )*};
}

functions! {
    Exp exp::<L>, "[`exp`] for loops.";
    ExpM1 exp_m1::<L>, "[`exp_m1`] for loops.";
    Ln ln::<L>, "[`ln`] for loops.";
    Ln1p ln_1p::<L>, "[`ln_1p`] for loops.";
    Tanh tanh::<L>, "[`tanh`] for loops.";
    Sigmoid sigmoid::<L>, "[`sigmoid`] for loops.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{Fused, Separate};

    /// The largest relative error over a sweep.
    fn worst(low: f64, high: f64, got: fn(f64) -> f64, want: fn(f64) -> f64) -> (f64, f64) {
        let points = (0..=100_000).map(|i| low + (high - low) * (f64::from(i) / 1e5));
        points.fold((0.0, 0.0), |worst, x| {
            let (got, want) = (got(x), want(x));
            let error = (got - want).abs() / want.abs().max(1e-300);
            match error > worst.0 || got.is_nan() != want.is_nan() {
                true => (error, x),
                false => worst,
            }
        })
    }

    #[test]
    fn functions_are_as_good_as_those_of_the_library() {
        type Case = (f64, f64, fn(f64) -> f64, fn(f64) -> f64, fn(f64) -> f64);
        let cases: &[Case] = &[
            (-700.0, 709.0, exp::<Fused>, exp::<Separate>, f64::exp),
            (1e-9, 3.0, ln::<Fused>, ln::<Separate>, f64::ln),
            (1.0, 1e300, ln::<Fused>, ln::<Separate>, f64::ln),
            (-0.999, 3.0, ln_1p::<Fused>, ln_1p::<Separate>, f64::ln_1p),
            (
                -50.0,
                709.0,
                exp_m1::<Fused>,
                exp_m1::<Separate>,
                f64::exp_m1,
            ),
            (-1.0, 1.0, exp_m1::<Fused>, exp_m1::<Separate>, f64::exp_m1),
            (-1e-6, 1e-6, tanh::<Fused>, tanh::<Separate>, f64::tanh),
            (-25.0, 25.0, tanh::<Fused>, tanh::<Separate>, f64::tanh),
        ];
        for (case, (low, high, fused, separate, want)) in cases.iter().enumerate() {
            for got in [fused, separate] {
                let (error, at) = worst(*low, *high, *got, *want);
                assert!(error < 2e-15, "{case} at {at} is off by {error}");
            }
        }
    }

    #[test]
    fn edges_are_as_those_of_the_library() {
        let ends = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            2.0,
            -3.0,
            0.5,
            -2.5,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
        ];
        let same = |name: &str, at: (f64, f64), got: f64, want: f64| {
            let is_close = (got - want).abs() <= 1e-15 * want.abs();
            let is_same = got == want && got.is_sign_negative() == want.is_sign_negative();
            assert!(
                is_same || is_close && want != 0.0 || got.is_nan() && want.is_nan(),
                "{name}{at:?} is {got}, not {want}"
            );
        };
        for x in ends {
            same("exp", (x, 0.0), exp::<Separate>(x), x.exp());
            same("ln", (x, 0.0), ln::<Separate>(x), x.ln());
            same("ln_1p", (x, 0.0), ln_1p::<Separate>(x), x.ln_1p());
            same("exp_m1", (x, 0.0), exp_m1::<Separate>(x), x.exp_m1());
            same("tanh", (x, 0.0), tanh::<Separate>(x), x.tanh());
        }
        same("exp", (-745.0, 0.0), exp::<Separate>(-745.0), 5e-324);
        same("exp", (709.7, 0.0), exp::<Fused>(709.7), 709.7f64.exp());
    }
}
