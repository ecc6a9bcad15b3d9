//! The exponential function in vectors, by the steps of `exp_in_passing` in `pointwise/math/vector.rs`, to the bit.

use crate::pointwise::math::vector::LEAST_NORMAL;
use crate::vector::Vector;

/// Adding and subtracting this rounds to a whole number, which is then also in the low bits.
const ROUND: f32 = 12_582_912.0;

/// The exponentials of numbers.
///
/// # Safety
/// The processor has the vectors' instructions; `V` is `__m256` and those of AVX-512 are there if it `SCALES`.
#[inline(always)]
pub unsafe fn exponential<V: Vector, const SCALES: bool>(x: V) -> V {
    // SAFETY: passed on.
    unsafe {
        let given = x;
        let least = V::splat(LEAST_NORMAL);
        let x = x.within(least, V::splat(89.0));
        let shifted = x.fma(V::splat(std::f32::consts::LOG2_E), V::splat(ROUND));
        let turns = shifted.sub(V::splat(ROUND));
        let coarse = turns.fma(V::splat(-0.693_359_375), x);
        let r = turns.fma(V::splat(2.121_944_4e-4), coarse);
        let q = V::splat(0.001_395_062_8).fma(r, V::splat(0.008_368_97));
        let q = q.fma(r, V::splat(0.041_666_202));
        let q = q.fma(r, V::splat(0.166_665_18));
        let q = q.fma(r, V::splat(0.5));
        let p = q.fma(r.mul(r), r).add(V::splat(1.0));
        // One instruction rounds as once as two steps do, the first of which is exact.
        #[cfg(target_arch = "x86_64")]
        if SCALES {
            use std::arch::x86_64::*;
            use std::mem::transmute_copy;
            let scaled = _mm256_scalef_ps(transmute_copy(&p), transmute_copy(&turns));
            let scaled: V = transmute_copy(&scaled);
            return scaled.kept_from(given, least);
        }
        p.times_power_of_two(shifted).kept_from(given, least)
    }
}
