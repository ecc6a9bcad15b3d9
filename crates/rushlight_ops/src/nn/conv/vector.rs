//! The vectors that the convolution kernels are written over: 16 or 8 numbers, by what the processor has.

#![cfg_attr(
    not(target_arch = "x86_64"),
    allow(
        dead_code,
        unused_variables,
        reason = "other processors take the matrix product"
    )
)]

/// A SIMD vector of f32.
///
/// # Safety
/// Methods must only be called where the processor has the instructions, in functions compiled for them.
pub(super) unsafe trait Vector: Copy {
    /// Numbers per vector.
    const WIDTH: usize;
    /// A number in every lane.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn splat(value: f32) -> Self;
    /// `WIDTH` numbers from memory.
    ///
    /// # Safety
    /// See the trait; the numbers must be readable.
    unsafe fn load(from: *const f32) -> Self;
    /// Writes `WIDTH` numbers to memory.
    ///
    /// # Safety
    /// See the trait; the places must be writable.
    unsafe fn store(self, to: *mut f32);
    /// `self * b + c`.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn fma(self, b: Self, c: Self) -> Self;
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Vector;
    use std::arch::x86_64::*;

    macro_rules! vector {
        ($t:ty, $width:literal, $splat:ident, $load:ident, $store:ident, $fma:ident) => {
            // SAFETY: thin names for intrinsics; the callers vouch for the instruction set and the pointers.
            unsafe impl Vector for $t {
                const WIDTH: usize = $width;
                #[inline(always)]
                unsafe fn splat(value: f32) -> $t {
                    // SAFETY: as the trait says.
                    unsafe { $splat(value) }
                }
                #[inline(always)]
                unsafe fn load(from: *const f32) -> $t {
                    // SAFETY: as the trait says.
                    unsafe { $load(from) }
                }
                #[inline(always)]
                unsafe fn store(self, to: *mut f32) {
                    // SAFETY: as the trait says.
                    unsafe { $store(to, self) }
                }
                #[inline(always)]
                unsafe fn fma(self, b: $t, c: $t) -> $t {
                    // SAFETY: as the trait says.
                    unsafe { $fma(self, b, c) }
                }
            }
        };
    }
    vector!(
        __m512,
        16,
        _mm512_set1_ps,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_fmadd_ps
    );
    vector!(
        __m256,
        8,
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_fmadd_ps
    );
}
