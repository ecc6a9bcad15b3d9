//! Functions of analysis in f32 without branches or calls, so that loops over them become vector code.
//!
//! Errors are below two and a half units in the last place where nothing else is said. Polynomials are minimax fits made for these
//! intervals; arguments are reduced in the usual ways (powers of two for `exp`, mantissa and exponent for `log`, quarter
//! turns in f64 for `sin`).

use rushlight_tensor::lanes::{Lanes, Map1, Map2, map2};

/// Adding and subtracting this rounds to a whole number, which is then also in the low bits.
const ROUND: f32 = 12_582_912.0;
const ROUND_BITS: i32 = 0x4B40_0000;

/// `2^n` for `n` of the exponents of normal numbers.
#[inline(always)]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) << 23) as u32)
}

/// `p` times `2^n`, in two steps, so that neither leaves what a number can be on the way.
#[inline(always)]
fn times_power_of_two(p: f32, n: i32) -> f32 {
    let half = n >> 1;
    p * power_of_two(half) * power_of_two(n.wrapping_sub(half))
}

/// `x = n ln 2 + r` with `r` at most half of ln 2: `(n, n as f32, r)`.
#[inline(always)]
fn reduce<L: Lanes>(x: f32) -> (i32, f32, f32) {
    let (n, turns, r, _) = reduce_exactly::<L>(x);
    (n, turns, r)
}

/// As [`reduce`], with what rounding takes from `r`.
#[inline(always)]
fn reduce_exactly<L: Lanes>(x: f32) -> (i32, f32, f32, f32) {
    const REST: f32 = 2.121_944_4e-4;
    let shifted = L::fma(x, std::f32::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let coarse = L::fma(n, -0.693_359_375, x);
    let r = L::fma(n, REST, coarse);
    let lost = L::fma(n, REST, coarse - r);
    (
        (shifted.to_bits() as i32).wrapping_sub(ROUND_BITS),
        n,
        r,
        lost,
    )
}

/// `(exp(r) - 1 - r) / r²` for a reduced argument.
#[inline(always)]
fn exp_rest<L: Lanes>(r: f32) -> f32 {
    let q = L::fma(0.000_197_901_45, r, 0.001_394_487);
    let q = L::fma(q, r, 0.008_333_499);
    let q = L::fma(q, r, 0.041_666_29);
    let q = L::fma(q, r, 0.166_666_66);
    L::fma(q, r, 0.5)
}

/// `exp(r) - 1` for a reduced argument.
#[inline(always)]
fn exp_m1_reduced<L: Lanes>(r: f32) -> f32 {
    let q = L::fma(0.001_395_062_8, r, 0.008_368_97);
    let q = L::fma(q, r, 0.041_666_202);
    let q = L::fma(q, r, 0.166_665_18);
    let q = L::fma(q, r, 0.5);
    L::fma(q, r * r, r)
}

/// Keeps `x` within bounds; NaN stays.
#[inline(always)]
fn within(x: f32, low: f32, high: f32) -> f32 {
    let x = if x > high { high } else { x };
    if x < low { low } else { x }
}

/// The exponential; two thirds of a unit in the last place.
#[inline(always)]
pub fn exp<L: Lanes>(x: f32) -> f32 {
    // Some processors take a hundred times as long where a product is too small for a normal number.
    let is_nothing = x < -103.98;
    let x = if is_nothing { 0.0 } else { x };
    let (n, _, r, lost) = reduce_exactly::<L>(within(x, -104.0, 89.0));
    let sum = 1.0 + r;
    let p = sum + ((r - (sum - 1.0)) + L::fma(exp_rest::<L>(r), r * r, lost));
    let y = times_power_of_two(p, n);
    if is_nothing { 0.0 } else { y }
}

/// From where on an exponential is a normal number.
pub const LEAST_NORMAL: f32 = -87.336_54;

/// The exponential, for functions that round more than once: two units in the last place, in less time, and nothing where it is
/// too small for a normal number.
#[inline(always)]
pub fn exp_in_passing<L: Lanes>(x: f32) -> f32 {
    let (n, _, r) = reduce::<L>(within(x, LEAST_NORMAL, 89.0));
    let p = exp_m1_reduced::<L>(r) + 1.0;
    let y = times_power_of_two(p, n);
    if x < LEAST_NORMAL { 0.0 } else { y }
}

/// The exponential of a number between -80 and 0.
#[inline(always)]
fn exp_of_some_negative<L: Lanes>(x: f32) -> f32 {
    let (n, _, r) = reduce::<L>(x);
    let p = exp_m1_reduced::<L>(r);
    let power = power_of_two(n);
    L::fma(p, power, power)
}

/// `exp(x) - 1`.
#[inline(always)]
pub fn exp_m1<L: Lanes>(x: f32) -> f32 {
    let (n, _, r) = reduce::<L>(within(x, -18.0, 89.0));
    let p = exp_m1_reduced::<L>(r);
    // Half the power, so that 2^128 is not needed; the last doubling may overflow, as it should.
    let scale = power_of_two(n.wrapping_sub(1));
    let y = L::fma(p, scale, scale - 0.5) * 2.0;
    if n == 0 { p } else { y }
}

/// `2^x`.
#[inline(always)]
pub fn exp2<L: Lanes>(x: f32) -> f32 {
    let is_nothing = x < -150.0;
    let x = if is_nothing { 0.0 } else { x };
    let x = within(x, -151.0, 129.0);
    let shifted = x + ROUND;
    let r = (x - (shifted - ROUND)) * std::f32::consts::LN_2;
    let n = (shifted.to_bits() as i32).wrapping_sub(ROUND_BITS);
    let p = exp_m1_reduced::<L>(r) + 1.0;
    let y = times_power_of_two(p, n);
    if is_nothing { 0.0 } else { y }
}

/// `x = 2^e (1 + f)` with `1 + f` around one: `(e, f)`. For positive finite numbers.
#[inline(always)]
fn split(x: f32) -> (f32, f32) {
    let tiny = x < f32::MIN_POSITIVE;
    let y = if tiny { x * 8_388_608.0 } else { x };
    let bits = (y.to_bits() as i32).wrapping_sub(0x3F35_04F3);
    let e = (bits >> 23) as f32 - if tiny { 23.0 } else { 0.0 };
    let m = f32::from_bits((bits & 0x007F_FFFF).wrapping_add(0x3F35_04F3) as u32);
    (e, m - 1.0)
}

/// `ln(1 + f) - f` for the second part of [`split`].
#[inline(always)]
fn ln_1p_rest<L: Lanes>(f: f32) -> f32 {
    let q = L::fma(0.069_138_24, f, -0.117_881_78);
    let q = L::fma(q, f, 0.118_727_08);
    let q = L::fma(q, f, -0.123_846_21);
    let q = L::fma(q, f, 0.142_187_49);
    let q = L::fma(q, f, -0.166_692_38);
    let q = L::fma(q, f, 0.200_022_2);
    let q = L::fma(q, f, -0.249_999_87);
    let q = L::fma(q, f, 0.333_333_1);
    let square = f * f;
    L::fma(q, f * square, -0.5 * square)
}

/// What logarithms give outside the positive finite numbers.
#[inline(always)]
fn log_edges(x: f32, y: f32) -> f32 {
    let y = if x == f32::INFINITY { x } else { y };
    let y = if x == 0.0 { f32::NEG_INFINITY } else { y };
    if x >= 0.0 { y } else { f32::NAN }
}

/// The natural logarithm.
#[inline(always)]
pub fn ln<L: Lanes>(x: f32) -> f32 {
    let (e, f) = split(x);
    let y = L::fma(e, -2.121_944_4e-4, ln_1p_rest::<L>(f)) + f;
    log_edges(x, L::fma(e, 0.693_359_375, y))
}

/// The logarithm to base 2; exact for powers of two.
#[inline(always)]
pub fn log2<L: Lanes>(x: f32) -> f32 {
    let (e, f) = split(x);
    let y = f + ln_1p_rest::<L>(f);
    log_edges(x, L::fma(y, std::f32::consts::LOG2_E, e))
}

/// The logarithm to base 10.
#[inline(always)]
pub fn log10<L: Lanes>(x: f32) -> f32 {
    let (e, f) = split(x);
    let y = (f + ln_1p_rest::<L>(f)) * std::f32::consts::LOG10_E;
    let y = L::fma(e, 4.605_039e-6, y);
    log_edges(x, L::fma(e, 0.301_025_4, y))
}

/// `ln(1 + x)`, also for small `x`.
#[inline(always)]
pub fn ln_1p<L: Lanes>(x: f32) -> f32 {
    let u = 1.0 + x;
    let lost = (x - (u - 1.0)) / u;
    let y = ln::<L>(u)
        + if u < f32::INFINITY && u > 0.0 {
            lost
        } else {
            0.0
        };
    // Keeps the sign of zero.
    if u == 1.0 { x } else { y }
}

/// The logistic function.
#[inline(always)]
pub fn sigmoid<L: Lanes>(x: f32) -> f32 {
    1.0 / (1.0 + exp_in_passing::<L>(-x))
}

/// The hyperbolic tangent, for functions that round more than once: two units in the last place, in less time.
#[inline(always)]
pub fn tanh_in_passing<L: Lanes>(x: f32) -> f32 {
    let t = exp_m1::<L>(2.0 * within(x.abs(), 0.0, 10.0));
    (t / (t + 2.0)).copysign(x)
}

/// The hyperbolic tangent; little more than half a unit in the last place. With `e = exp(2x)` it is `(e - 1) / (e + 1)`, where
/// both are kept with what rounding takes from them, and the quotient is corrected once.
#[inline(always)]
pub fn tanh<L: Lanes>(x: f32) -> f32 {
    let a = within(x.abs(), 0.0, 10.0);
    let (n, _, r, lost) = reduce_exactly::<L>(2.0 * a);
    let sum = 1.0 + r;
    let rest = (r - (sum - 1.0)) + L::fma(exp_rest::<L>(r), r * r, lost);
    let whole = sum + rest;
    let power = power_of_two(n);
    let (e, lost) = (whole * power, (rest - (whole - sum)) * power);
    let (above, below) = (e - 1.0, e + 1.0);
    let above_lost = ((e - above) - 1.0) + lost;
    let below_lost = ((e - below) + 1.0) + lost;
    let inverse = 1.0 / below;
    let q = above * inverse;
    let left = L::fma(-q, below, above) + L::fma(-q, below_lost, above_lost);
    let y = L::fma(left, inverse, q);
    // Zero keeps its sign, and the smallest their bits.
    if a < 2.4e-4 { x } else { y.copysign(x) }
}

/// The error function; three units in the last place.
#[inline(always)]
pub fn erf<L: Lanes>(x: f32) -> f32 {
    let t = x * x;
    let small = L::fma(-0.000_601_303_9, t, 0.004_997_933_3);
    let small = L::fma(small, t, -0.026_770_188);
    let small = L::fma(small, t, 0.112_819_26);
    let small = L::fma(small, t, -0.376_125_07);
    let small = L::fma(small, t, 1.128_379_1);
    let a = x.abs();
    let a = if a > 4.0 { 4.0 } else { a };
    // -ln(erfc(a)), at most 18
    let large = L::fma(2.116_228e-5, a, -0.000_435_222_5);
    let large = L::fma(large, a, 0.004_174_656_7);
    let large = L::fma(large, a, -0.025_128_651);
    let large = L::fma(large, a, 0.108_293_97);
    let large = L::fma(large, a, 0.633_334_64);
    let large = L::fma(large, a, 1.129_520_8);
    let large = L::fma(large, a, -0.000_175_873_6);
    let large = (1.0 - exp_of_some_negative::<L>(-large)).copysign(x);
    if a < 0.921_875 { x * small } else { large }
}

/// Where [`sin`] and [`cos`] are as good as their comment says.
pub const TURNS_LIMIT: f32 = 1e8;

/// `x` reduced to an eighth of a turn around a multiple of a quarter turn: `(rest, what rounding takes from it, which quarter)`.
#[inline(always)]
fn quarter<L: Lanes>(x: f32) -> (f32, f32, u32) {
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    let x = x as f64;
    let shifted = L::fma64(x, std::f64::consts::FRAC_2_PI, SHIFT);
    let n = shifted - SHIFT;
    let r = L::fma64(n, -std::f64::consts::FRAC_PI_2, x);
    let r = L::fma64(n, -6.123_233_995_736_766e-17, r);
    let rest = r as f32;
    (rest, (r - rest as f64) as f32, shifted.to_bits() as u32)
}

/// The sine and the cosine of `x` before it is known in which quarter of a turn it lies, and that quarter.
#[inline(always)]
fn sine_and_cosine<L: Lanes>(x: f32) -> (f32, f32, u32) {
    let (r, lost, n) = quarter::<L>(x);
    let t = r * r;
    let s = L::fma(2.718_308_7e-6, t, -0.000_198_393_35);
    let s = L::fma(s, t, 0.008_333_329);
    let s = L::fma(s, t, -0.166_666_67);
    let s = r + L::fma(s, r * t, lost);
    // Zero keeps its sign.
    let s = if r == 0.0 { r } else { s };
    let c = L::fma(-2.721_025e-7, t, 2.479_952e-5);
    let c = L::fma(c, t, -0.001_388_888_3);
    let c = L::fma(c, t, 0.041_666_668);
    let half = t * 0.5;
    let most = 1.0 - half;
    let least = L::fma(L::fma(r, r, -t), -0.5, (1.0 - most) - half);
    let c = most + L::fma(c, t * t, L::fma(-r, lost, least));
    (s, c, n)
}

/// The sine of `x` plus `quarters` quarter turns.
#[inline(always)]
fn turned<L: Lanes>(x: f32, quarters: u32) -> f32 {
    let (s, c, n) = sine_and_cosine::<L>(x);
    let n = n.wrapping_add(quarters);
    let y = if n & 1 == 0 { s } else { c };
    f32::from_bits(y.to_bits() ^ ((n & 2) << 30))
}

/// The sine, nine tenths of a unit in the last place, for arguments up to [`TURNS_LIMIT`].
#[inline(always)]
pub fn sin<L: Lanes>(x: f32) -> f32 {
    turned::<L>(x, 0)
}

/// The cosine, nine tenths of a unit in the last place, for arguments up to [`TURNS_LIMIT`].
#[inline(always)]
pub fn cos<L: Lanes>(x: f32) -> f32 {
    turned::<L>(x, 1)
}

/// The tangent, for arguments up to [`TURNS_LIMIT`].
#[inline(always)]
pub fn tan<L: Lanes>(x: f32) -> f32 {
    let (s, c, n) = sine_and_cosine::<L>(x);
    let (above, below) = if n & 1 == 0 { (s, c) } else { (-c, s) };
    above / below
}

/// The angle of the point `(x, y)`, two and a half units in the last place.
#[inline(always)]
pub fn atan2<L: Lanes>(y: f32, x: f32) -> f32 {
    const LOST: f32 = -4.371_139e-8;
    let (a, b) = (y.abs(), x.abs());
    let scale = if a > 1e38 || b > 1e38 { 0.125 } else { 1.0 };
    let is_steep = a > b;
    let (low, high) = if is_steep { (b, a) } else { (a, b) };
    let (low, high) = (low * scale, high * scale);
    // Around an eighth of a turn.
    let is_endless = a == b && a == f32::INFINITY;
    let is_middle = low > 0.414_213_57 * high || is_endless;
    let above = if is_middle { low - high } else { low };
    let below = if is_middle { low + high } else { high };
    // Nothing over nothing, and two infinities.
    let is_open = high == 0.0 || is_endless;
    let t = if is_open { 0.0 } else { above / below };
    let z = t * t;
    let q = L::fma(0.080_537_45, z, -0.138_776_86);
    let q = L::fma(q, z, 0.199_777_11);
    let q = L::fma(q, z, -0.333_329_5);
    let angle = L::fma(q * z, t, t);
    let angle = match is_middle {
        true => (angle + 0.5 * LOST) + std::f32::consts::FRAC_PI_4,
        false => angle,
    };
    let other = std::f32::consts::FRAC_PI_2 - (angle - LOST);
    let angle = if is_steep { other } else { angle };
    let other = std::f32::consts::PI - (angle - 2.0 * LOST);
    let angle = if x.is_sign_negative() { other } else { angle };
    let is_number = !x.is_nan() && !y.is_nan();
    if is_number {
        angle.copysign(y)
    } else {
        f32::NAN
    }
}

/// The inverse hyperbolic tangent.
#[inline(always)]
pub fn atanh<L: Lanes>(x: f32) -> f32 {
    let a = x.abs();
    (0.5 * ln_1p::<L>(2.0 * a / (1.0 - a))).copysign(x)
}

/// `ln(exp(a) + exp(b))`.
#[inline(always)]
pub fn log_add_exp<L: Lanes>(a: f32, b: f32) -> f32 {
    let high = if a > b || a.is_nan() { a } else { b };
    let sum = high + ln_1p::<L>(exp_in_passing::<L>(-(a - b).abs()));
    if a == b && a.is_infinite() { a } else { sum }
}

/// `log2(2^a + 2^b)`.
#[inline(always)]
pub fn log_add_exp2<L: Lanes>(a: f32, b: f32) -> f32 {
    let high = if a > b || a.is_nan() { a } else { b };
    let more = ln_1p::<L>(exp2::<L>(-(a - b).abs()));
    let sum = L::fma(more, std::f32::consts::LOG2_E, high);
    if a == b && a.is_infinite() { a } else { sum }
}

macro_rules! functions {
    ($($type:ident $function:ident $doc:literal;)*) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy)]
        pub struct $type;
        impl Map1<f32, f32> for $type {
            #[inline(always)]
            fn at<L: Lanes>(self, x: f32) -> f32 {
                $function::<L>(x)
            }
        }
    )*};
}
functions! {
    Exp exp "[`exp`] for loops.";
    ExpM1 exp_m1 "[`exp_m1`] for loops.";
    Exp2 exp2 "[`exp2`] for loops.";
    Ln ln "[`ln`] for loops.";
    Log2 log2 "[`log2`] for loops.";
    Log10 log10 "[`log10`] for loops.";
    Ln1p ln_1p "[`ln_1p`] for loops.";
    Sigmoid sigmoid "[`sigmoid`] for loops.";
    Tanh tanh "[`tanh`] for loops.";
    Erf erf "[`erf`] for loops.";
    Sin sin "[`sin`] for loops.";
    Cos cos "[`cos`] for loops.";
    Tan tan "[`tan`] for loops.";
}

macro_rules! functions_of_two {
    ($($type:ident $function:ident $doc:literal;)*) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy)]
        pub struct $type;
        impl Map2<f32, f32, f32> for $type {
            #[inline(always)]
            fn at<L: Lanes>(self, a: f32, b: f32) -> f32 {
                $function::<L>(a, b)
            }
        }
    )*};
}
functions_of_two! {
    Atan2 atan2 "[`atan2`] for loops.";
}

/// So many numbers become points at once.
const PART: usize = 64;

/// The angles of the points that numbers become, `(y, x)`.
#[inline(always)]
fn angles(r: &mut [f32], a: &[f32], point: impl Fn(f32) -> (f32, f32)) {
    let (mut y, mut x) = ([0.0; PART], [0.0; PART]);
    for (r, a) in r.chunks_mut(PART).zip(a.chunks(PART)) {
        for (at, v) in a.iter().enumerate() {
            (y[at], x[at]) = point(*v);
        }
        map2(r, &y[..a.len()], &x[..a.len()], Atan2);
    }
}

/// The other side of a triangle with a right angle, a side and a longest side of one.
#[inline(always)]
fn other_side(v: f32) -> f32 {
    ((1.0 - v) * (1.0 + v)).sqrt()
}

/// The inverse sine.
pub fn asin_loop(r: &mut [f32], a: &[f32]) {
    angles(r, a, |v| (v, other_side(v)));
}

/// The inverse cosine.
pub fn acos_loop(r: &mut [f32], a: &[f32]) {
    angles(r, a, |v| (other_side(v), v));
}

/// The inverse tangent.
pub fn atan_loop(r: &mut [f32], a: &[f32]) {
    angles(r, a, |v| (v, 1.0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use rushlight_tensor::lanes::{Fused, Separate};

    /// The largest error over a sweep of floats, in units in the last place of the f64 answer.
    fn worst(low: f32, high: f32, got: fn(f32) -> f32, want: fn(f64) -> f64) -> (f64, f32) {
        let mut worst = (0.0, 0.0);
        for i in 0..=200_000 {
            let x = low + (high - low) * (i as f32 / 200_000.0);
            let want = want(x as f64);
            let rounded = want as f32;
            if rounded.is_infinite() || rounded.abs() < f32::MIN_POSITIVE {
                continue;
            }
            let ulp = (f32::from_bits(rounded.abs().to_bits() + 1) - rounded.abs()) as f64;
            let error = (got(x) as f64 - want).abs() / ulp;
            if error > worst.0 || error.is_nan() {
                worst = (error, x);
            }
        }
        worst
    }

    #[test]
    fn the_exponential_and_turns_are_nearly_rounded() {
        for got in [exp::<Fused>, exp::<Separate>] {
            let (error, at) = worst(-87.0, 88.7, got, f64::exp);
            assert!(error < 0.75, "exp({at}) is off by {error} units");
        }
        for got in [sin::<Fused>, sin::<Separate>] {
            let (error, at) = worst(-20.0, 20.0, got, f64::sin);
            assert!(error < 0.95, "sin({at}) is off by {error} units");
        }
        for got in [cos::<Fused>, cos::<Separate>] {
            let (error, at) = worst(-20.0, 20.0, got, f64::cos);
            assert!(error < 0.95, "cos({at}) is off by {error} units");
        }
        assert!(sin::<Fused>(-0.0).is_sign_negative());
    }

    #[test]
    fn exponentials_end_where_numbers_do() {
        for exp in [exp::<Fused>, exp::<Separate>] {
            assert_eq!(exp(f32::NEG_INFINITY), 0.0);
            assert_eq!(exp(-103.99), 0.0);
            assert_eq!(exp(-103.9).to_bits(), 1);
            assert_eq!(exp(-95.0), (-95f64).exp() as f32);
            assert!(exp(f32::NAN).is_nan());
        }
        for exp in [exp_in_passing::<Fused>, exp_in_passing::<Separate>] {
            assert_eq!(exp(-87.34), 0.0);
            assert!(exp(-87.3) >= f32::MIN_POSITIVE && exp(f32::NAN).is_nan());
        }
        assert_eq!(
            (exp2::<Fused>(-150.5), exp2::<Fused>(-149.0).to_bits()),
            (0.0, 1)
        );
    }

    #[test]
    fn errors_stay_below_two_and_a_half_units() {
        type Case = (
            &'static str,
            f32,
            f32,
            fn(f32) -> f32,
            fn(f32) -> f32,
            fn(f64) -> f64,
        );
        let cases: &[Case] = &[
            ("exp", -87.0, 88.7, exp::<Fused>, exp::<Separate>, f64::exp),
            (
                "exp_m1",
                -17.0,
                88.7,
                exp_m1::<Fused>,
                exp_m1::<Separate>,
                f64::exp_m1,
            ),
            (
                "exp_m1",
                -0.5,
                0.5,
                exp_m1::<Fused>,
                exp_m1::<Separate>,
                f64::exp_m1,
            ),
            (
                "exp2",
                -125.0,
                127.9,
                exp2::<Fused>,
                exp2::<Separate>,
                f64::exp2,
            ),
            ("ln", 1e-30, 4.0, ln::<Fused>, ln::<Separate>, f64::ln),
            ("ln", 1.0, 1e30, ln::<Fused>, ln::<Separate>, f64::ln),
            (
                "log2",
                1e-3,
                9.0,
                log2::<Fused>,
                log2::<Separate>,
                f64::log2,
            ),
            (
                "log10",
                1e-3,
                1100.0,
                log10::<Fused>,
                log10::<Separate>,
                f64::log10,
            ),
            (
                "ln_1p",
                -0.9,
                3.0,
                ln_1p::<Fused>,
                ln_1p::<Separate>,
                f64::ln_1p,
            ),
            (
                "tanh",
                -12.0,
                12.0,
                tanh::<Fused>,
                tanh::<Separate>,
                f64::tanh,
            ),
            (
                "tanh",
                -0.1,
                0.1,
                tanh::<Fused>,
                tanh::<Separate>,
                f64::tanh,
            ),
            (
                "sigmoid",
                -80.0,
                40.0,
                sigmoid::<Fused>,
                sigmoid::<Separate>,
                |x| 1.0 / (1.0 + (-x).exp()),
            ),
            (
                "sin",
                -1000.0,
                1000.0,
                sin::<Fused>,
                sin::<Separate>,
                f64::sin,
            ),
            ("cos", -10.0, 10.0, cos::<Fused>, cos::<Separate>, f64::cos),
            ("tan", -20.0, 20.0, tan::<Fused>, tan::<Separate>, f64::tan),
            (
                "atanh",
                -0.99,
                0.99,
                atanh::<Fused>,
                atanh::<Separate>,
                f64::atanh,
            ),
        ];
        for (name, low, high, fused, separate, want) in cases {
            for got in [fused, separate] {
                let (error, at) = worst(*low, *high, *got, *want);
                assert!(error < 2.5, "{name}({at}) is off by {error} units");
            }
        }
    }

    #[test]
    fn erf_is_within_three_units() {
        let (error, at) = worst(
            -5.0,
            5.0,
            erf::<Fused>,
            rushlight_tensor::special::error::erf,
        );
        assert!(error < 3.0, "erf({at}) is off by {error} units");
    }

    #[test]
    fn inverse_functions_of_angles_are_within_three_units() {
        type Run = fn(&mut [f32], &[f32]);
        type Case = (Run, fn(f64) -> f64);
        let of = |run: Run, x: f32| {
            let mut out = [0.0];
            run(&mut out, &[x]);
            out[0]
        };
        let cases: [Case; 3] = [
            (asin_loop, f64::asin),
            (acos_loop, f64::acos),
            (atan_loop, f64::atan),
        ];
        for (run, want) in cases {
            for i in -10_000..=10_000 {
                let x = i as f32 / 1e4;
                let want = want(x.into());
                let error = (f64::from(of(run, x)) - want).abs();
                assert!(error <= 3.6e-7 * want.abs(), "{x}");
            }
        }
        assert!(of(asin_loop, -1.5).is_nan() && of(acos_loop, 1.5).is_nan());
        assert_eq!(
            of(atan_loop, f32::NEG_INFINITY),
            -std::f32::consts::FRAC_PI_2
        );
    }

    #[test]
    fn edges_are_as_ieee_wants_them() {
        let inf = f32::INFINITY;
        assert_eq!(exp::<Separate>(inf), inf);
        assert_eq!(exp::<Separate>(-inf), 0.0);
        assert!(exp::<Separate>(f32::NAN).is_nan() && tanh::<Separate>(f32::NAN).is_nan());
        assert_eq!(ln::<Separate>(0.0), -inf);
        assert_eq!(ln::<Separate>(inf), inf);
        assert!(ln::<Separate>(-1.0).is_nan() && ln::<Separate>(f32::NAN).is_nan());
        assert_eq!(ln_1p::<Separate>(-1.0), -inf);
        assert_eq!(ln_1p::<Separate>(inf), inf);
        assert_eq!(exp_m1::<Separate>(-inf), -1.0);
        assert_eq!(exp_m1::<Separate>(inf), inf);
        assert_eq!((tanh::<Separate>(inf), tanh::<Separate>(-inf)), (1.0, -1.0));
        assert_eq!(tanh::<Separate>(-0.0).to_bits(), (-0.0f32).to_bits());
        assert_eq!(
            (sigmoid::<Separate>(inf), sigmoid::<Separate>(-inf)),
            (1.0, 0.0)
        );
        assert_eq!((erf::<Separate>(inf), erf::<Separate>(-inf)), (1.0, -1.0));
        assert!(sin::<Separate>(inf).is_nan());
        let ends = [0.0, -0.0, 1.0, -2.0, 3e38, inf, -inf, f32::NAN];
        for (y, x) in ends.iter().flat_map(|y| ends.map(|x| (*y, x))) {
            let (got, want) = (atan2::<Separate>(y, x), y.atan2(x));
            let is_same = (got - want).abs() <= 3e-7 * want.abs()
                && got.is_sign_negative() == want.is_sign_negative();
            assert!(
                is_same || got.is_nan() && want.is_nan(),
                "atan2({y}, {x}) is {got}"
            );
        }
        assert_eq!(
            (atanh::<Separate>(1.0), atanh::<Separate>(-1.0)),
            (inf, -inf)
        );
        assert!(atanh::<Separate>(1.5).is_nan());
        for add in [log_add_exp::<Separate>, log_add_exp2::<Separate>] {
            assert_eq!(
                (add(inf, inf), add(-inf, -inf), add(-inf, 2.0)),
                (inf, -inf, 2.0)
            );
            assert!(add(1.0, f32::NAN).is_nan() && add(f32::NAN, 1.0).is_nan());
        }
    }

    #[test]
    fn small_results_are_gradual() {
        assert_eq!(exp::<Separate>(-100.0), (-100.0f64).exp() as f32);
        let tiny = f32::from_bits(77);
        assert!((ln::<Separate>(tiny) - (tiny as f64).ln() as f32).abs() < 1e-5);
    }
}
