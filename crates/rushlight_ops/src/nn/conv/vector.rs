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
    /// A choice of lanes.
    type Mask: Copy;
    /// The lanes whose bits are set, the first lane's lowest.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn mask(bits: u32) -> Self::Mask;
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
    /// The chosen lanes from memory, zero in the others.
    ///
    /// # Safety
    /// See the trait; the chosen numbers must be readable.
    unsafe fn load_chosen(from: *const f32, mask: Self::Mask) -> Self;
    /// Writes the chosen lanes to memory.
    ///
    /// # Safety
    /// See the trait; the chosen places must be writable.
    unsafe fn store_chosen(self, to: *mut f32, mask: Self::Mask);
    /// The first, third, fifth .. numbers of two vectors in a row.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn evens(self, next: Self) -> Self;
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

    /// The methods that are one intrinsic in both.
    macro_rules! common {
        ($t:ty, $width:literal, $splat:ident, $load:ident, $store:ident, $fma:ident) => {
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
        };
    }

    // SAFETY: thin names for intrinsics; the callers vouch for the instruction set and the pointers.
    unsafe impl Vector for __m512 {
        common!(
            __m512,
            16,
            _mm512_set1_ps,
            _mm512_loadu_ps,
            _mm512_storeu_ps,
            _mm512_fmadd_ps
        );
        type Mask = __mmask16;
        #[inline(always)]
        unsafe fn mask(bits: u32) -> __mmask16 {
            bits as __mmask16
        }
        #[inline(always)]
        unsafe fn load_chosen(from: *const f32, mask: __mmask16) -> __m512 {
            // SAFETY: as the trait says.
            unsafe { _mm512_maskz_loadu_ps(mask, from) }
        }
        #[inline(always)]
        unsafe fn store_chosen(self, to: *mut f32, mask: __mmask16) {
            // SAFETY: as the trait says.
            unsafe { _mm512_mask_storeu_ps(to, mask, self) }
        }
        #[inline(always)]
        unsafe fn evens(self, next: __m512) -> __m512 {
            // SAFETY: as the trait says.
            unsafe {
                let places =
                    _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
                _mm512_permutex2var_ps(self, places, next)
            }
        }
    }

    // SAFETY: as above.
    unsafe impl Vector for __m256 {
        common!(
            __m256,
            8,
            _mm256_set1_ps,
            _mm256_loadu_ps,
            _mm256_storeu_ps,
            _mm256_fmadd_ps
        );
        type Mask = __m256i;
        #[inline(always)]
        unsafe fn mask(bits: u32) -> __m256i {
            // SAFETY: as the trait says.
            unsafe {
                let own = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
                let chosen = _mm256_and_si256(_mm256_set1_epi32(bits as i32), own);
                _mm256_cmpeq_epi32(chosen, own)
            }
        }
        #[inline(always)]
        unsafe fn load_chosen(from: *const f32, mask: __m256i) -> __m256 {
            // SAFETY: as the trait says.
            unsafe { _mm256_maskload_ps(from, mask) }
        }
        #[inline(always)]
        unsafe fn store_chosen(self, to: *mut f32, mask: __m256i) {
            // SAFETY: as the trait says.
            unsafe { _mm256_maskstore_ps(to, mask, self) }
        }
        #[inline(always)]
        unsafe fn evens(self, next: __m256) -> __m256 {
            // SAFETY: as the trait says.
            unsafe {
                let pairs = _mm256_shuffle_ps::<0b10_00_10_00>(self, next);
                let sorted = _mm256_permute4x64_pd::<0b11_01_10_00>(_mm256_castps_pd(pairs));
                _mm256_castpd_ps(sorted)
            }
        }
    }
}
