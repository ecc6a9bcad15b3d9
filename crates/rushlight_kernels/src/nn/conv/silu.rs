//! `x sigmoid(x)` of numbers where they lie, in vectors: what the operator `silu` gives, to the bit.

use crate::vector::Vector;
use crate::vector_exp::exponential;

/// A vector of numbers by their sigmoids.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn silu<V: Vector>(x: V) -> V {
    // SAFETY: passed on.
    unsafe {
        let falling = exponential::<V, false>(V::splat(-0.0).flip(x));
        x.div(V::splat(1.0).add(falling))
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
