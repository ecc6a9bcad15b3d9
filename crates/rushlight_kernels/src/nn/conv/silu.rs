//! `x sigmoid(x)` of numbers where they lie, in vectors: what the operator `silu` gives, to the bit.

#![cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(dead_code, reason = "other processors take the operator's loop")
)]

use crate::vector::Vector;

/// Adding and subtracting this rounds to a whole number, which is then also in the low bits.
const ROUND: f32 = 12_582_912.0;

/// A vector of numbers by their sigmoids. The steps are those of `exp_in_passing` in `pointwise/math/vector.rs`.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn silu<V: Vector>(x: V) -> V {
    // SAFETY: passed on.
    unsafe {
        let minus = V::splat(-0.0)
            .flip(x)
            .within(V::splat(-104.0), V::splat(89.0));
        let shifted = minus.fma(V::splat(std::f32::consts::LOG2_E), V::splat(ROUND));
        let turns = shifted.sub(V::splat(ROUND));
        let coarse = turns.fma(V::splat(-0.693_359_375), minus);
        let r = turns.fma(V::splat(2.121_944_4e-4), coarse);
        let q = V::splat(0.001_395_062_8).fma(r, V::splat(0.008_368_97));
        let q = q.fma(r, V::splat(0.041_666_202));
        let q = q.fma(r, V::splat(0.166_665_18));
        let q = q.fma(r, V::splat(0.5));
        let one = V::splat(1.0);
        let p = q.fma(r.mul(r), r).add(one);
        x.div(one.add(p.times_power_of_two(shifted)))
    }
}

/// Puts numbers through the function.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
pub unsafe fn in_place<V: Vector>(numbers: &mut [f32]) {
    let mut vectors = numbers.chunks_exact_mut(V::WIDTH);
    for vector in &mut vectors {
        let at = vector.as_mut_ptr();
        // SAFETY: passed on; a chunk is a vector.
        unsafe { silu(V::load(at)).store(at) };
    }
    let rest = vectors.into_remainder();
    if !rest.is_empty() {
        let at = rest.as_mut_ptr();
        // SAFETY: passed on; as many lanes are chosen as there are numbers.
        unsafe {
            let mask = V::mask(((1u64 << rest.len()) - 1) as u32);
            silu(V::load_chosen(at, mask)).store_first(at, mask);
        }
    }
}
