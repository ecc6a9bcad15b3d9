//! Sines, cosines and angles of f64 for loops, as those of [`super::wide`].

use super::wide::polynomial;
use crate::lanes::{Lanes, Map1, Map2};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4, PI};

/// Up to here turns of numbers are as good as those of small ones.
pub const WIDE_TURNS_LIMIT: f64 = 5e5;

/// A quarter turn in three parts, of which whole numbers times the first two are exact.
const QUARTER: [f64; 3] = [
    1.570_796_326_734_125_6,
    6.077_100_506_303_966e-11,
    2.022_266_248_795_950_6e-21,
];

/// The sine of `x` plus `quarters` quarter turns.
#[inline(always)]
fn turned<L: Lanes>(x: f64, quarters: u64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0;
    let shifted = L::fma64(x, FRAC_2_PI, SHIFT);
    let n = shifted - SHIFT;
    let near = L::fma64(n, -QUARTER[0], x);
    let step = n * QUARTER[1];
    let r = near - step;
    let lost = L::fma64(n, -QUARTER[2], (near - r) - step);
    let t = r * r;
    let half = 0.5 * t;
    let s = polynomial::<L, 6>(
        &[
            -0.166_666_666_666_666_32,
            0.008_333_333_333_322_49,
            -0.000_198_412_698_298_579_5,
            2.755_731_370_707_006_8e-6,
            -2.505_076_025_340_686_3e-8,
            1.589_690_995_211_55e-10,
        ],
        t,
    );
    let s = r + L::fma64(s, r * t, L::fma64(lost, -half, lost));
    // Zero keeps its sign.
    let s = if r == 0.0 { r } else { s };
    let c = polynomial::<L, 6>(
        &[
            0.041_666_666_666_666_6,
            -0.001_388_888_888_887_411,
            2.480_158_728_947_673e-5,
            -2.755_731_435_139_066_3e-7,
            2.087_572_321_298_175e-9,
            -1.135_964_755_778_819_5e-11,
        ],
        t,
    );
    let most = 1.0 - half;
    let c = most + (((1.0 - most) - half) + L::fma64(c, t * t, -r * lost));
    let n = shifted.to_bits().wrapping_add(quarters);
    let y = if n & 1 == 0 { s } else { c };
    f64::from_bits(y.to_bits() ^ ((n & 2) << 62))
}

/// The angle of a point whose coordinates are not negative, at most an eighth of a turn or not: `(y, x)`.
#[inline(always)]
fn angle<L: Lanes>(y: f64, x: f64) -> f64 {
    const LOST: f64 = 3.061_616_997_868_383e-17;
    let scale = if y > 1e300 || x > 1e300 { 0.125 } else { 1.0 };
    let (y, x) = (y * scale, x * scale);
    let is_steep = y > x;
    let (low, high) = if is_steep { (x, y) } else { (y, x) };
    // Tangents above that of a sixteenth of a turn are turned back by an eighth.
    let is_far = low > 0.414_213_562_373_095_15 * high;
    let (above, below) = match is_far {
        true => (low - high, low + high),
        false => (low, high),
    };
    let ratio = above / below;
    // Two numbers without end are at an eighth of a turn, two zeros at none.
    let ratio = if low == high { 0.0 } else { ratio };
    let is_far = is_far || low == high && low > 0.0;
    let t = ratio * ratio;
    let rest = polynomial::<L, 11>(
        &[
            0.333_333_333_333_329_3,
            -0.199_999_999_998_764_83,
            0.142_857_142_725_034_66,
            -0.111_111_104_054_623_56,
            0.090_908_871_334_365_07,
            -0.076_918_762_050_448_3,
            0.066_610_731_373_875_31,
            -0.058_335_701_337_905_735,
            0.049_768_779_946_159_324,
            -0.036_531_572_744_216_916,
            0.016_285_820_115_365_782,
        ],
        t,
    );
    let near = L::fma64(-rest, t * ratio, ratio);
    let near = if is_far {
        FRAC_PI_4 + (near + LOST)
    } else {
        near
    };
    if is_steep {
        FRAC_PI_2 - (near - 2.0 * LOST)
    } else {
        near
    }
}

/// The angle of the point `(x, y)`.
#[inline(always)]
fn atan2<L: Lanes>(y: f64, x: f64) -> f64 {
    const LOST: f64 = 1.224_646_799_147_353_2e-16;
    let near = angle::<L>(y.abs(), x.abs());
    let all = if x.is_sign_negative() {
        PI - (near - LOST)
    } else {
        near
    };
    let all = all.copysign(y);
    if x.is_nan() || y.is_nan() { x + y } else { all }
}

macro_rules! functions {
    ($($trait:ident $type:ident($($x:ident),*) $function:expr, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[derive(Clone, Copy)]
        pub struct $type;
        impl $trait<$(functions!(@f64 $x),)* f64> for $type {
            #[inline(always)]
            fn at<L: Lanes>(self, $($x: f64),*) -> f64 {
                $function
            }
        }
    )*};
    (@f64 $x:ident) => { f64 };
}

functions! {
    Map1 WideSin(x) turned::<L>(x, 0), "The sine, for arguments up to [`WIDE_TURNS_LIMIT`].";
    Map1 WideCos(x) turned::<L>(x, 1), "The cosine, for such.";
    Map1 WideAtan(x) angle::<L>(x.abs(), 1.0).copysign(x), "The inverse tangent.";
    Map2 WideAtan2(y, x) atan2::<L>(y, x), "The angle of the point `(x, y)`.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::{Fused, Separate};

    /// Numbers of all sizes up to a limit, with both signs.
    fn numbers(limit: f64) -> Vec<f64> {
        let some = (0..40_000).map(|i| {
            let x = (f64::from(i) * 0.618_033_988_749_894_9).fract() * 2.0 - 1.0;
            x * limit * 10f64.powi(-(i % 12))
        });
        some.chain((-2000..2000).map(|i| f64::from(i) * FRAC_PI_4))
            .collect()
    }

    fn is_near(name: &str, at: (f64, f64), got: f64, want: f64) {
        let is_near = (got - want).abs() <= 1e-15 * want.abs() || got == want;
        assert!(
            is_near || got.is_nan() && want.is_nan(),
            "{name}{at:?} is {got:e}, not {want:e}"
        );
    }

    #[test]
    fn turns_are_as_good_as_those_of_the_library() {
        for x in numbers(WIDE_TURNS_LIMIT) {
            for (sin, cos) in [
                (WideSin.at::<Fused>(x), WideCos.at::<Fused>(x)),
                (WideSin.at::<Separate>(x), WideCos.at::<Separate>(x)),
            ] {
                is_near("sin", (x, 0.0), sin, x.sin());
                is_near("cos", (x, 0.0), cos, x.cos());
            }
        }
        assert!(WideSin.at::<Separate>(-0.0).is_sign_negative());
    }

    #[test]
    fn angles_are_as_good_as_those_of_the_library() {
        let ends = [0.0, -0.0, 1.0, -1.0, 5e-324, 1e308, -1e308, 1e-308];
        let odd = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
        let ends: Vec<f64> = ends.into_iter().chain(odd).collect();
        let all: Vec<f64> = numbers(1e6).into_iter().step_by(101).chain(ends).collect();
        for y in &all {
            is_near("atan", (*y, 1.0), WideAtan.at::<Fused>(*y), y.atan());
            for x in &all {
                let want = y.atan2(*x);
                for got in [
                    WideAtan2.at::<Fused>(*y, *x),
                    WideAtan2.at::<Separate>(*y, *x),
                ] {
                    is_near("atan2", (*y, *x), got, want);
                    let is_same = got.is_sign_negative() == want.is_sign_negative();
                    assert!(is_same || want.is_nan(), "atan2({y}, {x}) is {got}");
                }
            }
        }
    }
}
