//! The error function, the logarithm of the gamma function and their relatives, as those of [`rushlight_tensor::special::wide`].

use rushlight_tensor::lanes::{Lanes, Map1, Map2, Map3, map1, map2, map3};
use rushlight_tensor::special::chebyshev::Chebyshev;
use rushlight_tensor::special::error::{NEAR_ZERO, SCALED};
use rushlight_tensor::special::gamma::{AROUND_TWO, EULER, STIRLING};
use rushlight_tensor::special::wide::{Ln, exp, polynomial};
use rushlight_tensor::watch;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, PI, SQRT_2};

/// The value of a series of which `powers` are the coefficients.
#[inline(always)]
fn series<L: Lanes, const N: usize>(table: &Chebyshev<N>, powers: &[f64; N], x: f64) -> f64 {
    let scale = 2.0 / (table.high - table.low);
    let u = L::fma64(
        x,
        scale,
        -(table.low + table.high) / (table.high - table.low),
    );
    polynomial::<L, N>(powers, u)
}

/// The value of a series at a point.
macro_rules! series {
    ($table:expr, $x:expr) => {
        series::<L, { $table.terms.len() }>(&$table, const { &$table.powers() }, $x)
    };
}

/// `exp(x²) erfc(x)` of a number that is not negative.
#[inline(always)]
fn scaled<L: Lanes>(x: f64) -> f64 {
    let t = 2.0 / (2.0 + x);
    t * series!(SCALED, t)
}

/// `exp(-x²)`, with what rounding takes from the square.
#[inline(always)]
fn exp_of_square<L: Lanes>(x: f64) -> f64 {
    let a = x.abs();
    let a = if a > 30.0 { 30.0 } else { a };
    // So short that its square is exact.
    let high = f64::from_bits(a.to_bits() & 0xFFFF_FFFF_F800_0000);
    let rest = (a - high) * (a + high);
    let rest = rest * (1.0 - rest * (0.5 - rest * (1.0 / 6.0)));
    let size = exp::<L>(-high * high);
    size - size * rest
}

/// `erf(x)` of a number between -1 and 1.
#[inline(always)]
fn near_erf<L: Lanes>(x: f64) -> f64 {
    x * series!(NEAR_ZERO, x * x)
}

/// `1 - erf(x)`, given `exp(-x²)`.
#[inline(always)]
fn erfc<L: Lanes>(x: f64, fallen: f64) -> f64 {
    let a = x.abs();
    let a = if a > 30.0 { 30.0 } else { a };
    let far = scaled::<L>(a) * fallen;
    let far = if x < 0.0 { 2.0 - far } else { far };
    let y = if a < 0.5 { 1.0 - near_erf::<L>(x) } else { far };
    if x.is_nan() { x } else { y }
}

/// The error function.
#[inline(always)]
pub fn erf<L: Lanes>(x: f64) -> f64 {
    erf_of_fallen::<L>(x, exp_of_square::<L>(x))
}

/// As [`erf`], given `exp(-x²)`.
#[inline(always)]
fn erf_of_fallen<L: Lanes>(x: f64, fallen: f64) -> f64 {
    let a = x.abs();
    let a = if a > 30.0 { 30.0 } else { a };
    let far = 1.0 - scaled::<L>(a) * fallen;
    let near = near_erf::<L>(if a < 1.0 { a } else { 1.0 });
    let y = if a < 1.0 { near } else { far };
    if x.is_nan() { x } else { y.copysign(x) }
}

/// Where the search for the inverse of the error function begins, good to three digits: of `|y|`, given the
/// logarithm of half of what is left of it to one. For small numbers it is as good as anything.
#[inline(always)]
fn inverse_start<L: Lanes>(y: f64, log: f64) -> f64 {
    let a = y.abs();
    let t = (-2.0 * log).sqrt();
    let above = polynomial::<L, 3>(&[2.515_517, 0.802_853, 0.010_328], t);
    let below = polynomial::<L, 4>(&[1.0, 1.432_788, 0.189_269, 0.001_308], t);
    let far = (t - above / below) * FRAC_1_SQRT_2;
    let near = [
        0.886_226_925_452_758,
        0.232_013_666_534_654_5,
        0.127_556_175_305_597_96,
        0.086_552_129_241_547_53,
    ];
    match a < 0.5 {
        true => a * polynomial::<L, 4>(&near, a * a),
        false => far,
    }
}

/// One of Halley's steps towards the number whose error function is `1 - rest`.
#[inline(always)]
fn inverse_step<L: Lanes>(x: f64, fallen: f64, rest: f64) -> f64 {
    let beyond = rest - scaled::<L>(x) * fallen;
    let step = beyond / (fallen * FRAC_2_SQRT_PI);
    x - step / L::fma64(x, step, 1.0)
}

/// The number whose error function is `y`, to the digits of f32, where `log`, above -5, is the logarithm of `1 - y²`: `y` times a
/// minimax polynomial in that.
#[inline(always)]
fn inverse_in_the_middle<L: Lanes>(y: f64, log: f64) -> f64 {
    // Over u = 0.4 w - 1, which lies within [-1, 1] for w = -log up to 5; a relative error of 2.3e-9.
    const MIDDLE: [f64; 11] = [
        1.501_409_353_513_867_7,
        0.616_600_719_089_603_8,
        -0.026_108_371_281_406_195,
        -0.019_574_135_351_343_66,
        0.008_526_665_274_830_692,
        -0.000_484_561_600_611_301_03,
        -0.000_838_528_182_644_098_7,
        0.000_284_357_818_988_014_83,
        2.752_247_309_400_130_2e-5,
        -3.346_559_419_306_014_4e-5,
        3.200_016_682_424_623_6e-6,
    ];
    y * polynomial::<L, 11>(&MIDDLE, L::fma64(log, -0.4, -1.0))
}

/// The same for all numbers: near one by a polynomial in the root of the logarithm.
#[inline(always)]
fn inverse_of_narrow<L: Lanes>(y: f64, log: f64) -> f64 {
    // Over u = 1.133.. sqrt(w) - 3.535.., which lies within [-1, 1] for w = -log from 5 to 16; a relative error of 1.3e-9.
    const ENDS: [f64; 11] = [
        2.951_328_575_027_836_6,
        0.885_158_463_688_830_8,
        0.005_569_532_364_502_83,
        -0.003_709_694_063_165_145_3,
        0.002_347_609_247_328_855,
        -0.001_375_526_240_307_154,
        0.000_607_980_733_064_209_5,
        -0.000_128_957_955_661_827_74,
        -4.791_336_984_583_951e-5,
        4.123_661_960_808_459_7e-5,
        -7.503_740_696_377_65e-6,
    ];
    let root = (-log).sqrt();
    let u = L::fma64(root, 1.133_830_541_363_598, -3.535_322_165_454_392_7);
    let ends = y * polynomial::<L, 11>(&ENDS, u);
    let x = if log > -5.0 {
        inverse_in_the_middle::<L>(y, log)
    } else {
        ends
    };
    if y.abs() == 1.0 { y * f64::INFINITY } else { x }
}

/// The number whose error function is `y`, given where the search began and where it ended.
#[inline(always)]
fn inverse_end(y: f64, start: f64, end: f64) -> f64 {
    let a = y.abs();
    let size = if a < 0.01 { start } else { end };
    // Nothing is left to one.
    let is_end = a == 1.0 && end.is_nan();
    let size = if is_end { f64::INFINITY } else { size };
    let size = if a <= 1.0 { size } else { f64::NAN };
    size.copysign(y)
}

/// `sin(πx)` but for its sign.
#[inline(always)]
fn half_turn_sine<L: Lanes>(x: f64) -> f64 {
    let part = x - x.round_ties_even();
    let terms = [
        PI,
        -5.167_712_780_049_97,
        2.550_164_039_877_345_5,
        -0.599_264_529_320_792_1,
        0.082_145_886_611_128_23,
        -0.007_370_430_945_714_351,
        0.000_466_302_805_767_612_6,
        -2.191_535_344_783_022e-5,
        7.952_054_001_475_513e-7,
        -2.294_842_897_269_873_5e-8,
        5.392_664_662_608_127e-10,
    ];
    part.abs() * polynomial::<L, 11>(&terms, part * part)
}

/// The number that [`lgamma`] takes the logarithm of besides that of Stirling's formula, given the sine of half a turn of its
/// argument.
#[inline(always)]
fn gamma_left_out(x: f64, sine: f64) -> f64 {
    let a = x.abs();
    // To 1.5..2.5, around the zeros, or to where Stirling's series is good.
    let near = if a < 0.5 { a * (a + 1.0) } else { a };
    let near = if a < 1.5 { near } else { 1.0 };
    let far = a * (a + 1.0) * (a + 2.0) * ((a + 3.0) * (a + 4.0) * (a + 5.0));
    let far = if a < 8.5 { far } else { 1.0 };
    let left_out = if a < 2.5 { near } else { far };
    // Γ(-a) = -π / (a sin(πa) Γ(a)).
    match x < 0.0 {
        true => PI * left_out / (a * sine),
        false => left_out,
    }
}

/// `ln|Γ(x)|`, given the logarithms of [`gamma_left_out`] and of [`stirling`]'s argument.
#[inline(always)]
fn lgamma<L: Lanes>(x: f64, left_out: f64, log: f64) -> f64 {
    let a = x.abs();
    let rise = if a < 1.5 { 1.0 } else { 0.0 };
    let rise = if a < 0.5 { 2.0 } else { rise };
    let z = (a - 2.0) + rise;
    let near = z * L::fma64(z, polynomial::<L, 28>(&AROUND_TWO, z), 1.0 - EULER);
    let w = stirling(a);
    let inverse = 1.0 / w;
    let tail = polynomial::<L, 9>(&STIRLING, inverse * inverse) * inverse;
    let far = L::fma64(w - 0.5, log - 1.0, tail + 0.418_938_533_204_672_8);
    let value = if a < 2.5 { near } else { far };
    let y = match x < 0.0 {
        true => left_out - value,
        false => value - left_out,
    };
    if a == f64::INFINITY { a } else { y }
}

/// Where Stirling's series is good.
#[inline(always)]
fn stirling(a: f64) -> f64 {
    if a < 8.5 { a + 6.0 } else { a }
}

/// Functions of several numbers for loops.
macro_rules! loops {
    ($($trait:ident $type:ident $function:ident($($x:ident),*);)*) => {$(
        #[derive(Clone, Copy)]
        struct $type;
        impl $trait<$(loops!(@f64 $x),)* f64> for $type {
            #[inline(always)]
            fn at<L: Lanes>(self, $($x: f64),*) -> f64 {
                $function::<L>($($x),*)
            }
        }
    )*};
    (@f64 $x:ident) => { f64 };
}
loops! {
    Map1 ExpOfSquare exp_of_square(x);
    Map2 Erf erf_of_fallen(x, fallen);
    Map2 Erfc erfc(x, fallen);
    Map2 InverseStart inverse_start(a, log);
    Map2 InverseInTheMiddle inverse_in_the_middle(y, log);
    Map2 InverseOfNarrow inverse_of_narrow(y, log);
    Map3 InverseStep inverse_step(x, fallen, rest);
    Map1 HalfTurnSine half_turn_sine(x);
    Map3 Lgamma lgamma(x, left_out, log);
}

/// So many numbers go through a function in one step. Short loops one after the other wait less for one another's numbers than
/// one long loop.
const PART: usize = 64;

/// Runs over parts of a slice with as much room beside them.
fn in_parts(r: &mut [f64], a: &[f64], mut part: impl FnMut(&mut [f64], &[f64], &mut [f64])) {
    let mut room = [0.0; PART];
    for (r, a) in r.chunks_mut(PART).zip(a.chunks(PART)) {
        part(r, a, &mut room[..a.len()]);
    }
}

/// The error function.
pub fn erf_loop(r: &mut [f64], a: &[f64]) {
    in_parts(r, a, |r, a, room| {
        map1(room, a, ExpOfSquare);
        map2(r, a, room, Erf);
    });
}

/// `1 - erf(x)`.
pub fn erfc_loop(r: &mut [f64], a: &[f64]) {
    in_parts(r, a, |r, a, room| {
        map1(room, a, ExpOfSquare);
        map2(r, a, room, Erfc);
    });
}

/// The distribution function of the standard normal distribution.
pub fn ndtr_loop(r: &mut [f64], a: &[f64]) {
    let mut scaled = [0.0; PART];
    in_parts(r, a, |r, a, room| {
        let scaled = &mut scaled[..a.len()];
        for (x, a) in scaled.iter_mut().zip(a) {
            *x = a * -FRAC_1_SQRT_2;
        }
        map1(room, scaled, ExpOfSquare);
        map2(r, scaled, room, Erfc);
        r.iter_mut().for_each(|y| *y *= 0.5);
    });
}

/// `ln|Γ(x)|`.
pub fn lgamma_loop(r: &mut [f64], a: &[f64]) {
    let mut log = [0.0; PART];
    in_parts(r, a, |r, a, room| {
        let log = &mut log[..a.len()];
        if a.iter().any(|x| *x < 0.0) {
            map1(log, a, HalfTurnSine);
        }
        map2(room, a, log, gamma_left_out);
        map1(log, room, Ln);
        for (x, a) in r.iter_mut().zip(a) {
            *x = stirling(a.abs());
        }
        map1(room, r, Ln);
        map3(r, a, log, room, Lgamma);
    });
}

/// The logarithm of the multivariate gamma function of dimension `p`.
pub fn multigammaln(r: &mut [f64], a: &[f64], p: i64) {
    let p = p.max(0);
    let constant = p as f64 * (p as f64 - 1.0) / 4.0 * PI.ln();
    for (r, a) in r.chunks_mut(64).zip(a.chunks(64)) {
        let (mut shifted, mut part) = ([0.0; 64], [0.0; 64]);
        r.fill(0.0);
        for j in 0..p {
            watch::poll();
            let shift = 0.5 * (j + 1 - p) as f64;
            for (x, a) in shifted.iter_mut().zip(a) {
                *x = a + shift;
            }
            lgamma_loop(&mut part[..a.len()], &shifted[..a.len()]);
            for (r, x) in r.iter_mut().zip(&part) {
                *r += x;
            }
        }
        for r in r {
            *r += constant;
        }
    }
}

/// The inverse of the error function in so many steps: 1 for the digits of f32, 2 for those of f64. `center` gives the
/// argument and what is left of it to one.
#[inline(always)]
fn inverses(r: &mut [f64], a: &[f64], steps: usize, center: impl Fn(f64) -> (f64, f64)) {
    let (mut y, mut rest) = ([0.0; PART], [0.0; PART]);
    let (mut start, mut before) = ([0.0; PART], [0.0; PART]);
    in_parts(r, a, |r, a, room| {
        let n = a.len();
        let (y, rest) = (&mut y[..n], &mut rest[..n]);
        let (start, before) = (&mut start[..n], &mut before[..n]);
        for (i, x) in a.iter().enumerate() {
            (y[i], rest[i]) = center(*x);
            before[i] = 0.5 * rest[i];
        }
        map1(room, before, Ln);
        map2(start, y, room, InverseStart);
        before.copy_from_slice(start);
        for _ in 0..steps {
            map1(room, before, ExpOfSquare);
            map3(r, before, room, rest, InverseStep);
            before.copy_from_slice(r);
        }
        map3(r, y, start, before, inverse_end);
    });
}

/// The inverse of the error function.
pub fn erfinv_loop(r: &mut [f64], a: &[f64]) {
    inverses(r, a, 2, |y| (y, 1.0 - y.abs()));
}

/// The inverse of the error function of numbers of f32, to the digits of these.
pub fn erfinv_narrow_loop(r: &mut [f64], a: &[f64]) {
    let mut log = [0.0; PART];
    in_parts(r, a, |r, a, room| {
        let log = &mut log[..a.len()];
        for (x, a) in room.iter_mut().zip(a) {
            *x = (1.0 - a) * (1.0 + a);
        }
        map1(log, room, Ln);
        match log.iter().all(|log| *log > -5.0) {
            true => map2(r, a, log, InverseInTheMiddle),
            false => map2(r, a, log, InverseOfNarrow),
        }
    });
}

/// The inverse of the distribution function of the standard normal distribution.
pub fn ndtri_loop(r: &mut [f64], a: &[f64], steps: usize) {
    let less = |p: f64| if p > 0.5 { 1.0 - p } else { p };
    inverses(r, a, steps, |p| (2.0 * (p - 0.5), 2.0 * less(p)));
    r.iter_mut().for_each(|x| *x *= SQRT_2);
}

#[cfg(test)]
mod tests {
    use super::*;
    use rushlight_tensor::special::{error, gamma};

    type Run = fn(&mut [f64], &[f64]);

    fn of(run: Run, x: f64) -> f64 {
        let mut out = [0.0];
        run(&mut out, &[x]);
        out[0]
    }

    #[test]
    fn values_are_those_of_functions_of_one_number() {
        type Case = (&'static str, f64, f64, Run, fn(f64) -> f64, f64);
        let cases: &[Case] = &[
            ("erfc", -7.0, 26.0, erfc_loop, error::erfc, 4e-15),
            ("ndtr", -30.0, 10.0, ndtr_loop, error::ndtr, 4e-15),
            ("lgamma", 0.001, 0.9, lgamma_loop, gamma::lgamma, 2e-14),
            ("lgamma", 0.9, 3.0, lgamma_loop, gamma::lgamma, 1e-11),
            ("lgamma", 2.4, 200.0, lgamma_loop, gamma::lgamma, 2e-14),
            ("lgamma", -1.9, -1.1, lgamma_loop, gamma::lgamma, 1e-12),
            ("erfinv", -1.0, 1.0, erfinv_loop, error::erfinv, 1e-13),
            (
                "erfinv",
                -0.9999,
                0.9999,
                erfinv_narrow_loop,
                error::erfinv,
                3e-9,
            ),
            (
                "ndtri",
                0.0,
                1.0,
                |r, a| ndtri_loop(r, a, 2),
                error::ndtri,
                1e-13,
            ),
            (
                "ndtri",
                0.0,
                1e-30,
                |r, a| ndtri_loop(r, a, 2),
                error::ndtri,
                1e-13,
            ),
        ];
        for (name, low, high, run, want, error) in cases {
            for i in 0..=20_000 {
                let x = low + (high - low) * (f64::from(i) / 2e4);
                let (got, want) = (of(*run, x), want(x));
                let is_close = (got - want).abs() <= error * want.abs();
                assert!(
                    is_close || got == want || got.is_nan() && want.is_nan(),
                    "{name}({x}) is {got}, not {want}"
                );
            }
        }
    }

    #[test]
    fn edges_stay_edges() {
        let inf = f64::INFINITY;
        let cases: &[(Run, &[f64], &[f64])] = &[
            (
                lgamma_loop,
                &[inf, -inf, 0.0, -3.0, 1.0, 2.0],
                &[inf, inf, inf, inf, 0.0, 0.0],
            ),
            (erfc_loop, &[inf, -inf], &[0.0, 2.0]),
            (ndtr_loop, &[inf, -inf], &[1.0, 0.0]),
            (erfinv_narrow_loop, &[1.0, -1.0, -0.0], &[inf, -inf, -0.0]),
            (
                |r, a| ndtri_loop(r, a, 2),
                &[0.0, 1.0, 0.5],
                &[-inf, inf, 0.0],
            ),
        ];
        for (run, from, want) in cases {
            for (x, want) in from.iter().zip(*want) {
                let got = of(*run, *x);
                assert!(
                    got == *want && got.is_sign_negative() == want.is_sign_negative(),
                    "{x}"
                );
            }
            assert!(of(*run, f64::NAN).is_nan());
        }
        assert!(of(erfinv_loop, 1.5).is_nan());
        assert!(of(erfinv_narrow_loop, 1.5).is_nan());
        assert!(
            (of(erfinv_narrow_loop, 1.0 - 6e-8) / error::erfinv(1.0 - 6e-8) - 1.0).abs() < 3e-9
        );
        assert!(of(|r, a| ndtri_loop(r, a, 1), -0.1).is_nan());
    }
}
