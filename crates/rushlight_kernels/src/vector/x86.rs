//! Vectors of AVX2 and AVX-512.

use super::Vector;
use std::arch::x86_64::*;

/// The methods that are one intrinsic in both.
macro_rules! common {
    ($t:ty, $width:literal, $splat:ident, $load:ident, $store:ident, $fma:ident, $add:ident, $sub:ident, $mul:ident, $div:ident, $min:ident, $max:ident) => {
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
        #[inline(always)]
        unsafe fn add(self, b: $t) -> $t {
            // SAFETY: as the trait says.
            unsafe { $add(self, b) }
        }
        #[inline(always)]
        unsafe fn sub(self, b: $t) -> $t {
            // SAFETY: as the trait says.
            unsafe { $sub(self, b) }
        }
        #[inline(always)]
        unsafe fn mul(self, b: $t) -> $t {
            // SAFETY: as the trait says.
            unsafe { $mul(self, b) }
        }
        #[inline(always)]
        unsafe fn div(self, b: $t) -> $t {
            // SAFETY: as the trait says.
            unsafe { $div(self, b) }
        }
        #[inline(always)]
        unsafe fn within(self, low: $t, high: $t) -> $t {
            // SAFETY: as the trait says. The second operand is what these give where one is not a number.
            unsafe { $min(high, $max(low, self)) }
        }
        #[inline(always)]
        unsafe fn prefetch(at: *const f32) {
            // SAFETY: a prefetch reads nothing and does not fault.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
        }
        #[inline(always)]
        unsafe fn prefetch_far(at: *const f32) {
            // SAFETY: as above.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(at.cast()) }
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
        _mm512_fmadd_ps,
        _mm512_add_ps,
        _mm512_sub_ps,
        _mm512_mul_ps,
        _mm512_div_ps,
        _mm512_min_ps,
        _mm512_max_ps
    );
    type Mask = __mmask16;
    #[inline(always)]
    unsafe fn flip(self, b: __m512) -> __m512 {
        // SAFETY: as the trait says.
        unsafe { _mm512_xor_ps(self, b) }
    }
    #[inline(always)]
    unsafe fn kept_from(self, x: __m512, low: __m512) -> __m512 {
        // SAFETY: as the trait says.
        unsafe { _mm512_maskz_mov_ps(_mm512_cmp_ps_mask::<_CMP_NLT_UQ>(x, low), self) }
    }
    #[inline(always)]
    unsafe fn times_power_of_two(self, shifted: __m512) -> __m512 {
        // Rounds once, as two products do of which the first is exact.
        // SAFETY: as the trait says.
        unsafe {
            let bits = _mm512_castps_si512(shifted);
            let n = _mm512_sub_epi32(bits, _mm512_set1_epi32(0x4B40_0000));
            _mm512_scalef_ps(self, _mm512_cvtepi32_ps(n))
        }
    }
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
    unsafe fn load_over(self, from: *const f32, mask: __mmask16) -> __m512 {
        // SAFETY: as the trait says.
        unsafe { _mm512_mask_loadu_ps(self, mask, from) }
    }
    #[inline(always)]
    unsafe fn store_chosen(self, to: *mut f32, mask: __mmask16) {
        // SAFETY: as the trait says.
        unsafe { _mm512_mask_storeu_ps(to, mask, self) }
    }
    #[inline(always)]
    unsafe fn store_first(self, to: *mut f32, mask: __mmask16) {
        // SAFETY: as the trait says.
        unsafe { self.store_chosen(to, mask) }
    }
    #[inline(always)]
    unsafe fn some_evens(self, next: __m512) -> __m512 {
        // SAFETY: as the trait says.
        unsafe {
            let places =
                _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
            _mm512_permutex2var_ps(self, places, next)
        }
    }
    #[inline(always)]
    unsafe fn some_odds(self, next: __m512) -> __m512 {
        // SAFETY: as the trait says.
        unsafe {
            let places =
                _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
            _mm512_permutex2var_ps(self, places, next)
        }
    }
    #[inline(always)]
    unsafe fn behind(self, other: __m512, lanes: usize) -> __m512 {
        // SAFETY: as the trait says.
        unsafe {
            let (own, other) = (_mm512_castps_si512(self), _mm512_castps_si512(other));
            _mm512_castsi512_ps(match lanes {
                1 => _mm512_alignr_epi32::<15>(own, other),
                _ => _mm512_alignr_epi32::<14>(own, other),
            })
        }
    }
    #[inline(always)]
    unsafe fn ahead(self, other: __m512, lanes: usize) -> __m512 {
        // SAFETY: as the trait says.
        unsafe {
            let (own, other) = (_mm512_castps_si512(self), _mm512_castps_si512(other));
            _mm512_castsi512_ps(match lanes {
                1 => _mm512_alignr_epi32::<1>(other, own),
                _ => _mm512_alignr_epi32::<2>(other, own),
            })
        }
    }
    #[inline(always)]
    unsafe fn zip_low(self, other: __m512) -> __m512 {
        // SAFETY: as the trait says.
        unsafe {
            let places = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            _mm512_permutex2var_ps(self, places, other)
        }
    }
    #[inline(always)]
    unsafe fn zip_high(self, other: __m512) -> __m512 {
        // SAFETY: as the trait says.
        unsafe {
            let places =
                _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
            _mm512_permutex2var_ps(self, places, other)
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
        _mm256_fmadd_ps,
        _mm256_add_ps,
        _mm256_sub_ps,
        _mm256_mul_ps,
        _mm256_div_ps,
        _mm256_min_ps,
        _mm256_max_ps
    );
    /// Pairs of rows, then pairs of pairs, within the halves of vectors, which then change places: half as many instructions
    /// as rounds of interleaving.
    #[inline(always)]
    unsafe fn turn(square: &mut [__m256; 16]) {
        // SAFETY: as the trait says.
        unsafe {
            for i in [0, 4] {
                let (a, b) = (square[i], square[i + 1]);
                let (c, d) = (square[i + 2], square[i + 3]);
                let (low, high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
                let (low_next, high_next) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
                square[i] = _mm256_shuffle_ps::<0x44>(low, low_next);
                square[i + 1] = _mm256_shuffle_ps::<0xEE>(low, low_next);
                square[i + 2] = _mm256_shuffle_ps::<0x44>(high, high_next);
                square[i + 3] = _mm256_shuffle_ps::<0xEE>(high, high_next);
            }
            for i in 0..4 {
                let (a, b) = (square[i], square[i + 4]);
                square[i] = _mm256_permute2f128_ps::<0x20>(a, b);
                square[i + 4] = _mm256_permute2f128_ps::<0x31>(a, b);
            }
        }
    }
    type Mask = __m256i;
    #[inline(always)]
    unsafe fn flip(self, b: __m256) -> __m256 {
        // SAFETY: as the trait says.
        unsafe { _mm256_xor_ps(self, b) }
    }
    #[inline(always)]
    unsafe fn kept_from(self, x: __m256, low: __m256) -> __m256 {
        // SAFETY: as the trait says.
        unsafe { _mm256_and_ps(self, _mm256_cmp_ps::<_CMP_NLT_UQ>(x, low)) }
    }
    #[inline(always)]
    unsafe fn times_power_of_two(self, shifted: __m256) -> __m256 {
        // SAFETY: as the trait says.
        unsafe {
            let bias = _mm256_set1_epi32(127);
            let bits = _mm256_castps_si256(shifted);
            let n = _mm256_sub_epi32(bits, _mm256_set1_epi32(0x4B40_0000));
            let half = _mm256_srai_epi32::<1>(n);
            let first = _mm256_slli_epi32::<23>(_mm256_add_epi32(half, bias));
            let rest = _mm256_add_epi32(_mm256_sub_epi32(n, half), bias);
            let second = _mm256_slli_epi32::<23>(rest);
            let some = _mm256_mul_ps(self, _mm256_castsi256_ps(first));
            _mm256_mul_ps(some, _mm256_castsi256_ps(second))
        }
    }
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
    unsafe fn load_over(self, from: *const f32, mask: __m256i) -> __m256 {
        // SAFETY: as the trait says.
        unsafe {
            let new = _mm256_maskload_ps(from, mask);
            _mm256_blendv_ps(self, new, _mm256_castsi256_ps(mask))
        }
    }
    #[inline(always)]
    unsafe fn store_chosen(self, to: *mut f32, mask: __m256i) {
        // SAFETY: as the trait says.
        unsafe { _mm256_maskstore_ps(to, mask, self) }
    }
    #[inline(always)]
    unsafe fn store_first(self, to: *mut f32, mask: __m256i) {
        // SAFETY: as the trait says. Where the lanes are the first ones, whole parts of the vector are written: AMD's
        // processors take a dozen cycles for a store with a mask.
        unsafe {
            let mut bits = _mm256_movemask_ps(_mm256_castsi256_ps(mask)) as u32;
            if bits == 0xff {
                return _mm256_storeu_ps(to, self);
            }
            if bits & (bits + 1) != 0 {
                return _mm256_maskstore_ps(to, mask, self);
            }
            let (mut to, mut rest) = (to, _mm256_castps256_ps128(self));
            if bits & 0b1000 != 0 {
                _mm_storeu_ps(to, rest);
                (to, rest, bits) = (to.add(4), _mm256_extractf128_ps::<1>(self), bits >> 4);
            }
            if bits & 0b10 != 0 {
                _mm_storel_pd(to.cast(), _mm_castps_pd(rest));
                (to, rest, bits) = (to.add(2), _mm_movehl_ps(rest, rest), bits >> 2);
            }
            if bits & 1 != 0 {
                _mm_store_ss(to, rest);
            }
        }
    }
    // Those of the first halves of both vectors, then those of the second ones.
    #[inline(always)]
    unsafe fn some_evens(self, next: __m256) -> __m256 {
        // SAFETY: as the trait says.
        unsafe { _mm256_shuffle_ps::<0b10_00_10_00>(self, next) }
    }
    #[inline(always)]
    unsafe fn some_odds(self, next: __m256) -> __m256 {
        // SAFETY: as the trait says.
        unsafe { _mm256_shuffle_ps::<0b11_01_11_01>(self, next) }
    }
    #[inline(always)]
    unsafe fn sorted(self) -> __m256 {
        // SAFETY: as the trait says.
        unsafe {
            let pairs = _mm256_castps_pd(self);
            _mm256_castpd_ps(_mm256_permute4x64_pd::<0b11_01_10_00>(pairs))
        }
    }
    #[inline(always)]
    unsafe fn behind(self, other: __m256, lanes: usize) -> __m256 {
        // SAFETY: as the trait says.
        unsafe {
            let halves = _mm256_castps_si256(_mm256_permute2f128_ps::<0x21>(other, self));
            let own = _mm256_castps_si256(self);
            _mm256_castsi256_ps(match lanes {
                1 => _mm256_alignr_epi8::<12>(own, halves),
                _ => _mm256_alignr_epi8::<8>(own, halves),
            })
        }
    }
    #[inline(always)]
    unsafe fn ahead(self, other: __m256, lanes: usize) -> __m256 {
        // SAFETY: as the trait says.
        unsafe {
            let halves = _mm256_castps_si256(_mm256_permute2f128_ps::<0x21>(self, other));
            let own = _mm256_castps_si256(self);
            _mm256_castsi256_ps(match lanes {
                1 => _mm256_alignr_epi8::<4>(halves, own),
                _ => _mm256_alignr_epi8::<8>(halves, own),
            })
        }
    }
    #[inline(always)]
    unsafe fn zip_low(self, other: __m256) -> __m256 {
        // SAFETY: as the trait says.
        unsafe {
            let (low, high) = (
                _mm256_unpacklo_ps(self, other),
                _mm256_unpackhi_ps(self, other),
            );
            _mm256_permute2f128_ps::<0x20>(low, high)
        }
    }
    #[inline(always)]
    unsafe fn zip_high(self, other: __m256) -> __m256 {
        // SAFETY: as the trait says.
        unsafe {
            let (low, high) = (
                _mm256_unpacklo_ps(self, other),
                _mm256_unpackhi_ps(self, other),
            );
            _mm256_permute2f128_ps::<0x31>(low, high)
        }
    }
}
