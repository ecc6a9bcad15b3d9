//! Exponential functions that vectorise: plain arithmetic on f32 without branches or calls.
//!
//! Cephes' polynomials (S. L. Moshier): about one unit in the last place over the whole range. f64 goes to the
//! standard library.

use crate::compute::Compute;
use crate::isa::fma;

/// Adding this number leaves the nearest integer of a small f32 in the low bits.
const SHIFTER: f32 = 12_582_912.0;
const LOG2_E: f32 = std::f32::consts::LOG2_E;
const LN2_HIGH: f32 = 0.693_359_4;
const LN2_LOW: f32 = -2.121_944_4e-4;
/// The exponential of anything below is under the smallest normal number, and taken as 0.
const LOWEST: f32 = -87.336_54;
/// The exponential of anything above is infinite.
const HIGHEST: f32 = 88.722_83;

/// Compute types with fast exponential functions.
pub(crate) trait Exponential: Compute {
    /// `e` to the power of `self`.
    fn fast_exp<const FUSED: bool>(self) -> Self;
    /// `1 / (1 + exp(-self))`.
    fn fast_sigmoid<const FUSED: bool>(self) -> Self;
    /// The hyperbolic tangent.
    fn fast_tanh<const FUSED: bool>(self) -> Self;
}

impl Exponential for f32 {
    #[inline(always)]
    fn fast_exp<const FUSED: bool>(self) -> f32 {
        let shifted = fma::<f32, FUSED>(self, LOG2_E, SHIFTER);
        let n = shifted - SHIFTER;
        let r = fma::<f32, FUSED>(n, -LN2_HIGH, self);
        let r = fma::<f32, FUSED>(n, -LN2_LOW, r);
        let mut p = 1.987_569_1e-4;
        for c in [
            1.398_2e-3,
            8.333_452e-3,
            4.166_579_6e-2,
            1.666_666_5e-1,
            5e-1,
        ] {
            p = fma::<f32, FUSED>(p, r, c);
        }
        let p = fma::<f32, FUSED>(p * r, r, r) + 1.0;
        // Times two to the n: n goes into the exponent's bits.
        let scaled = f32::from_bits(p.to_bits().wrapping_add(shifted.to_bits() << 23));
        let low = if self < LOWEST { 0.0 } else { scaled };
        let out = if self > HIGHEST { f32::INFINITY } else { low };
        if self.is_nan() { self } else { out }
    }

    #[inline(always)]
    fn fast_sigmoid<const FUSED: bool>(self) -> f32 {
        1.0 / (1.0 + (-self).fast_exp::<FUSED>())
    }

    #[inline(always)]
    fn fast_tanh<const FUSED: bool>(self) -> f32 {
        let z = self * self;
        let mut p = -5.704_988_7e-3;
        for c in [
            2.063_908_9e-2,
            -5.373_971_6e-2,
            1.333_144_2e-1,
            -3.333_328_2e-1,
        ] {
            p = fma::<f32, FUSED>(p, z, c);
        }
        let small = fma::<f32, FUSED>(p * z, self, self);
        let magnitude = self.abs();
        let large = 1.0 - 2.0 / ((2.0 * magnitude).fast_exp::<FUSED>() + 1.0);
        if magnitude < 0.625 {
            small
        } else {
            large.copysign(self)
        }
    }
}

impl Exponential for f64 {
    #[inline(always)]
    fn fast_exp<const FUSED: bool>(self) -> f64 {
        self.exp()
    }
    #[inline(always)]
    fn fast_sigmoid<const FUSED: bool>(self) -> f64 {
        1.0 / (1.0 + (-self).exp())
    }
    #[inline(always)]
    fn fast_tanh<const FUSED: bool>(self) -> f64 {
        self.tanh()
    }
}

#[cfg(test)]
mod tests {
    use super::Exponential;

    #[test]
    fn exponentials_are_within_two_units_in_the_last_place() {
        for i in -8000..8000 {
            let x = i as f32 * 0.0109;
            let want = (x as f64).exp();
            let got = x.fast_exp::<false>() as f64;
            assert!(
                (got - want).abs() <= 2.4e-7 * want,
                "exp({x}) = {got}, not {want}"
            );
            let (got, want) = (x.fast_tanh::<false>() as f64, (x as f64).tanh());
            assert!(
                (got - want).abs() <= 2.4e-7 * want.abs(),
                "tanh({x}) = {got}, not {want}"
            );
        }
    }

    #[test]
    fn exponentials_of_special_values_are_exact() {
        assert_eq!(f32::NEG_INFINITY.fast_exp::<false>(), 0.0);
        assert_eq!(f32::INFINITY.fast_exp::<false>(), f32::INFINITY);
        assert_eq!(0f32.fast_exp::<false>(), 1.0);
        assert!(f32::NAN.fast_exp::<false>().is_nan());
        assert!(f32::NAN.fast_tanh::<false>().is_nan());
        assert_eq!(f32::INFINITY.fast_tanh::<false>(), 1.0);
        assert_eq!(f32::NEG_INFINITY.fast_sigmoid::<false>(), 0.0);
    }
}
