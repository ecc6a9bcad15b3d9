//! The vectors that convolutions and products are written over: 16 or 8 numbers, by what the processor has.

/// `unrolled!(r < R, { .. })` writes the block once for every `r` below `R`, a constant of at most eleven;
/// `unrolled!(r < R, at most 4, { .. })` where it is of at most four.
///
/// Arrays of vectors stay in registers only where every index into them is a constant when the compiler looks for such
/// arrays. Loops are unrolled before that if their bodies are small, which a change far away may end: then every round of a
/// product's inner loop stores all its sums to the stack, at a third of the speed.
///
/// Every block is there for the compiler's first half, in a block that is itself unrolled as often as that: the tightest limit that
/// holds is worth its place. `r` is a constant, so that a condition on it can be one as well (`if const { r < S }`), of which the
/// compiler's second half sees one side alone.
#[macro_export]
macro_rules! unrolled {
    ($i:ident < $n:expr, $body:block) => {
        $crate::unrolled!($i < $n, at most 11, $body);
    };
    ($i:ident < $n:expr, at most 2, $body:block) => {
        $crate::unrolled!(@ $i, $n, $body, 2, 0 1);
    };
    ($i:ident < $n:expr, at most 3, $body:block) => {
        $crate::unrolled!(@ $i, $n, $body, 3, 0 1 2);
    };
    ($i:ident < $n:expr, at most 4, $body:block) => {
        $crate::unrolled!(@ $i, $n, $body, 4, 0 1 2 3);
    };
    ($i:ident < $n:expr, at most 5, $body:block) => {
        $crate::unrolled!(@ $i, $n, $body, 5, 0 1 2 3 4);
    };
    ($i:ident < $n:expr, at most 6, $body:block) => {
        $crate::unrolled!(@ $i, $n, $body, 6, 0 1 2 3 4 5);
    };
    ($i:ident < $n:expr, at most 8, $body:block) => {
        $crate::unrolled!(@ $i, $n, $body, 8, 0 1 2 3 4 5 6 7);
    };
    ($i:ident < $n:expr, at most 9, $body:block) => {
        $crate::unrolled!(@ $i, $n, $body, 9, 0 1 2 3 4 5 6 7 8);
    };
    ($i:ident < $n:expr, at most 11, $body:block) => {
        $crate::unrolled!(@ $i, $n, $body, 11, 0 1 2 3 4 5 6 7 8 9 10);
    };
    (@ $i:ident, $n:expr, $body:block, $most:literal, $($at:literal)*) => {
        const { assert!($n <= $most) };
        $(if const { $at < $n } {
            #[allow(non_upper_case_globals)]
            const $i: usize = $at;
            $body
        })*
    };
}
pub use unrolled;

/// A SIMD vector of f32.
///
/// # Safety
/// Methods must only be called where the processor has the instructions, in functions compiled for them.
pub unsafe trait Vector: Copy {
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
    /// The chosen lanes from memory, `self` in the others.
    ///
    /// # Safety
    /// See the trait; the chosen numbers must be readable.
    unsafe fn load_over(self, from: *const f32, mask: Self::Mask) -> Self;
    /// Writes the chosen lanes to memory.
    ///
    /// # Safety
    /// See the trait; the chosen places must be writable.
    unsafe fn store_chosen(self, to: *mut f32, mask: Self::Mask);
    /// As [`Vector::store_chosen`], for results that are mostly whole vectors: it is faster where the chosen lanes are the
    /// first ones, and needs more registers.
    ///
    /// # Safety
    /// As for [`Vector::store_chosen`].
    unsafe fn store_first(self, to: *mut f32, mask: Self::Mask);
    /// The first, third, fifth .. numbers of two vectors in a row.
    ///
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn evens(self, next: Self) -> Self {
        // SAFETY: passed on.
        unsafe { self.some_evens(next).sorted() }
    }
    /// The second, fourth, sixth .. numbers of two vectors in a row.
    ///
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn odds(self, next: Self) -> Self {
        // SAFETY: passed on.
        unsafe { self.some_odds(next).sorted() }
    }
    /// As [`Vector::evens`], in an order of the processor's own.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn some_evens(self, next: Self) -> Self;
    /// As [`Vector::odds`], in the order of [`Vector::some_evens`].
    ///
    /// # Safety
    /// See the trait.
    unsafe fn some_odds(self, next: Self) -> Self;
    /// What is in the order of [`Vector::some_evens`] as [`Vector::evens`] has it.
    ///
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn sorted(self) -> Self {
        self
    }
    /// The last one or two lanes of another vector, then the first ones of this.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn behind(self, other: Self, lanes: usize) -> Self;
    /// This vector's lanes but the first one or two, then the first ones of another.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn ahead(self, other: Self, lanes: usize) -> Self;
    /// `self + b`.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn add(self, b: Self) -> Self;
    /// `self - b`.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn sub(self, b: Self) -> Self;
    /// `self * b`.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn mul(self, b: Self) -> Self;
    /// `self / b`.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn div(self, b: Self) -> Self;
    /// The numbers of `b` with their signs turned where those of `self` are set.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn flip(self, b: Self) -> Self;
    /// `self` times two to the power of whole numbers between -252 and 252, which are the low bits of `shifted`: they were
    /// rounded by adding 12582912. It is done in two steps, so that neither leaves what a number can be on the way.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn times_power_of_two(self, shifted: Self) -> Self;
    /// The numbers brought between `low` and `high`; what is not a number stays.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn within(self, low: Self, high: Self) -> Self;
    /// The lanes where `x` is not below `low`, zero in the others.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn kept_from(self, x: Self, low: Self) -> Self;
    /// `self * b + c`.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn fma(self, b: Self, c: Self) -> Self;
    /// The first halves of two vectors, number by number in turn.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn zip_low(self, other: Self) -> Self;
    /// The second halves of two vectors, number by number in turn.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn zip_high(self, other: Self) -> Self;
    /// See [`transpose`].
    ///
    /// # Safety
    /// See the trait.
    #[inline(always)]
    unsafe fn turn(square: &mut [Self; 16]) {
        let half = Self::WIDTH / 2;
        for _ in 0..Self::WIDTH.trailing_zeros() {
            let from = *square;
            for i in 0..half {
                // SAFETY: passed on.
                unsafe {
                    square[2 * i] = from[i].zip_low(from[i + half]);
                    square[2 * i + 1] = from[i].zip_high(from[i + half]);
                }
            }
        }
    }
    /// Asks for a cache line before it is needed; any address will do.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn prefetch(at: *const f32);
    /// Asks for a cache line long before it is needed: into the second-level cache.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn prefetch_far(at: *const f32);
}

/// Turns a square of `WIDTH` vectors around its diagonal. As many of `square` are used as a vector has numbers.
///
/// Interleaving vector `i` with vector `i + WIDTH / 2` moves one bit of every number's row into its place within the
/// vector; after as many rounds as a place has bits, rows and places have changed roles.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
pub unsafe fn transpose<V: Vector>(square: &mut [V; 16]) {
    // SAFETY: passed on.
    unsafe { V::turn(square) }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
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
                let places =
                    _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
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
                    let (low_next, high_next) =
                        (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
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
}

#[cfg(target_arch = "aarch64")]
pub use neon::Neon;

#[cfg(target_arch = "aarch64")]
mod neon {
    use super::Vector;
    use std::arch::aarch64::*;

    /// Two registers of NEON as one vector: there are twice as many registers as AVX2 has, of half their length, so that
    /// what is written for AVX2 fits, and has the same bits.
    #[derive(Clone, Copy)]
    pub struct Neon(float32x4_t, float32x4_t);

    impl Neon {
        /// The lanes one by one. Only the chosen ones are read.
        ///
        /// # Safety
        /// The chosen numbers are readable.
        #[inline(always)]
        unsafe fn merge(self, from: *const f32, mask: u32) -> Neon {
            let mut lanes = [0f32; 8];
            // SAFETY: there is room for eight numbers; the chosen ones are readable, as the caller says.
            unsafe {
                self.store(lanes.as_mut_ptr());
                for (i, lane) in lanes.iter_mut().enumerate() {
                    if mask >> i & 1 == 1 {
                        *lane = *from.add(i);
                    }
                }
                Neon::load(lanes.as_ptr())
            }
        }
    }

    // SAFETY: thin names for intrinsics that every processor of this kind has; the callers vouch for the pointers.
    unsafe impl Vector for Neon {
        const WIDTH: usize = 8;
        /// A bit per lane: there are no instructions that read or write some lanes alone.
        type Mask = u32;
        #[inline(always)]
        unsafe fn mask(bits: u32) -> u32 {
            bits & 0xff
        }
        #[inline(always)]
        unsafe fn splat(value: f32) -> Neon {
            // SAFETY: as the trait says.
            let four = unsafe { vdupq_n_f32(value) };
            Neon(four, four)
        }
        #[inline(always)]
        unsafe fn load(from: *const f32) -> Neon {
            // SAFETY: as the trait says.
            unsafe { Neon(vld1q_f32(from), vld1q_f32(from.add(4))) }
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut f32) {
            // SAFETY: as the trait says.
            unsafe {
                vst1q_f32(to, self.0);
                vst1q_f32(to.add(4), self.1);
            }
        }
        #[inline(always)]
        unsafe fn load_chosen(from: *const f32, mask: u32) -> Neon {
            // SAFETY: as the trait says.
            unsafe { Neon::splat(0.0).load_over(from, mask) }
        }
        #[inline(always)]
        unsafe fn load_over(self, from: *const f32, mask: u32) -> Neon {
            // SAFETY: as the trait says.
            unsafe {
                match mask {
                    0xff => Neon::load(from),
                    _ => self.merge(from, mask),
                }
            }
        }
        #[inline(always)]
        unsafe fn store_chosen(self, to: *mut f32, mask: u32) {
            if mask == 0xff {
                // SAFETY: as the trait says.
                return unsafe { self.store(to) };
            }
            let mut lanes = [0f32; 8];
            // SAFETY: there is room for eight numbers; the chosen places are writable, as the trait says.
            unsafe {
                self.store(lanes.as_mut_ptr());
                for (i, lane) in lanes.iter().enumerate() {
                    if mask >> i & 1 == 1 {
                        *to.add(i) = *lane;
                    }
                }
            }
        }
        #[inline(always)]
        unsafe fn store_first(self, to: *mut f32, mask: u32) {
            // SAFETY: as the trait says.
            unsafe { self.store_chosen(to, mask) }
        }
        #[inline(always)]
        unsafe fn some_evens(self, next: Neon) -> Neon {
            // SAFETY: as the trait says.
            unsafe { Neon(vuzp1q_f32(self.0, self.1), vuzp1q_f32(next.0, next.1)) }
        }
        #[inline(always)]
        unsafe fn some_odds(self, next: Neon) -> Neon {
            // SAFETY: as the trait says.
            unsafe { Neon(vuzp2q_f32(self.0, self.1), vuzp2q_f32(next.0, next.1)) }
        }
        #[inline(always)]
        unsafe fn behind(self, other: Neon, lanes: usize) -> Neon {
            // SAFETY: as the trait says.
            unsafe {
                match lanes {
                    1 => Neon(
                        vextq_f32::<3>(other.1, self.0),
                        vextq_f32::<3>(self.0, self.1),
                    ),
                    _ => Neon(
                        vextq_f32::<2>(other.1, self.0),
                        vextq_f32::<2>(self.0, self.1),
                    ),
                }
            }
        }
        #[inline(always)]
        unsafe fn ahead(self, other: Neon, lanes: usize) -> Neon {
            // SAFETY: as the trait says.
            unsafe {
                match lanes {
                    1 => Neon(
                        vextq_f32::<1>(self.0, self.1),
                        vextq_f32::<1>(self.1, other.0),
                    ),
                    _ => Neon(
                        vextq_f32::<2>(self.0, self.1),
                        vextq_f32::<2>(self.1, other.0),
                    ),
                }
            }
        }
        #[inline(always)]
        unsafe fn add(self, b: Neon) -> Neon {
            // SAFETY: as the trait says.
            unsafe { Neon(vaddq_f32(self.0, b.0), vaddq_f32(self.1, b.1)) }
        }
        #[inline(always)]
        unsafe fn sub(self, b: Neon) -> Neon {
            // SAFETY: as the trait says.
            unsafe { Neon(vsubq_f32(self.0, b.0), vsubq_f32(self.1, b.1)) }
        }
        #[inline(always)]
        unsafe fn mul(self, b: Neon) -> Neon {
            // SAFETY: as the trait says.
            unsafe { Neon(vmulq_f32(self.0, b.0), vmulq_f32(self.1, b.1)) }
        }
        #[inline(always)]
        unsafe fn flip(self, b: Neon) -> Neon {
            // SAFETY: as the trait says.
            let flip = |a, b| unsafe {
                let bits = veorq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b));
                vreinterpretq_f32_u32(bits)
            };
            Neon(flip(self.0, b.0), flip(self.1, b.1))
        }
        #[inline(always)]
        unsafe fn times_power_of_two(self, shifted: Neon) -> Neon {
            // SAFETY: as the trait says.
            let times = |p, shifted| unsafe {
                let bias = vdupq_n_s32(127);
                let n = vsubq_s32(vreinterpretq_s32_f32(shifted), vdupq_n_s32(0x4B40_0000));
                let half = vshrq_n_s32::<1>(n);
                let first = vshlq_n_s32::<23>(vaddq_s32(half, bias));
                let second = vshlq_n_s32::<23>(vaddq_s32(vsubq_s32(n, half), bias));
                let some = vmulq_f32(p, vreinterpretq_f32_s32(first));
                vmulq_f32(some, vreinterpretq_f32_s32(second))
            };
            Neon(times(self.0, shifted.0), times(self.1, shifted.1))
        }
        #[inline(always)]
        unsafe fn div(self, b: Neon) -> Neon {
            // SAFETY: as the trait says.
            unsafe { Neon(vdivq_f32(self.0, b.0), vdivq_f32(self.1, b.1)) }
        }
        #[inline(always)]
        unsafe fn within(self, low: Neon, high: Neon) -> Neon {
            // By comparing, so that what is not a number stays, and a negative zero as well, as on other processors.
            let four = |x, low, high| {
                // SAFETY: as the trait says.
                unsafe {
                    let x = vbslq_f32(vcgtq_f32(low, x), low, x);
                    vbslq_f32(vcgtq_f32(x, high), high, x)
                }
            };
            Neon(four(self.0, low.0, high.0), four(self.1, low.1, high.1))
        }
        #[inline(always)]
        unsafe fn kept_from(self, x: Neon, low: Neon) -> Neon {
            let four = |kept, x, low| {
                // SAFETY: as the trait says.
                unsafe { vbslq_f32(vcltq_f32(x, low), vdupq_n_f32(0.0), kept) }
            };
            Neon(four(self.0, x.0, low.0), four(self.1, x.1, low.1))
        }
        #[inline(always)]
        unsafe fn fma(self, b: Neon, c: Neon) -> Neon {
            // SAFETY: as the trait says.
            unsafe { Neon(vfmaq_f32(c.0, self.0, b.0), vfmaq_f32(c.1, self.1, b.1)) }
        }
        #[inline(always)]
        unsafe fn zip_low(self, other: Neon) -> Neon {
            // SAFETY: as the trait says.
            unsafe { Neon(vzip1q_f32(self.0, other.0), vzip2q_f32(self.0, other.0)) }
        }
        #[inline(always)]
        unsafe fn zip_high(self, other: Neon) -> Neon {
            // SAFETY: as the trait says.
            unsafe { Neon(vzip1q_f32(self.1, other.1), vzip2q_f32(self.1, other.1)) }
        }
        #[inline(always)]
        unsafe fn prefetch(at: *const f32) {
            // SAFETY: a prefetch reads nothing and does not fault.
            unsafe {
                std::arch::asm!("prfm pldl1keep, [{}]", in(reg) at, options(nostack, preserves_flags, readonly));
            }
        }
        #[inline(always)]
        unsafe fn prefetch_far(at: *const f32) {
            // SAFETY: as above.
            unsafe {
                std::arch::asm!("prfm pldl2keep, [{}]", in(reg) at, options(nostack, preserves_flags, readonly));
            }
        }
    }
}

#[cfg(all(test, target_arch = "aarch64"))]
mod tests_of_neon {
    use super::{Neon, Vector, transpose};

    fn numbers(first: usize) -> [f32; 8] {
        std::array::from_fn(|i| (first + i) as f32)
    }

    fn lanes(vector: Neon) -> [f32; 8] {
        let mut out = [0f32; 8];
        // SAFETY: there is room for eight numbers.
        unsafe { vector.store(out.as_mut_ptr()) };
        out
    }

    #[test]
    fn chosen_lanes_are_read_and_written_alone() {
        for bits in 0..=0xffu32 {
            let from = numbers(1);
            let chosen = |i: usize| bits >> i & 1 == 1;
            // SAFETY: all have eight numbers.
            unsafe {
                let mask = Neon::mask(bits);
                let read = lanes(Neon::load_chosen(from.as_ptr(), mask));
                let over = lanes(Neon::splat(-1.0).load_over(from.as_ptr(), mask));
                let (mut plain, mut first) = ([0f32; 8], [0f32; 8]);
                Neon::load(from.as_ptr()).store_chosen(plain.as_mut_ptr(), mask);
                Neon::load(from.as_ptr()).store_first(first.as_mut_ptr(), mask);
                for i in 0..8 {
                    let want = if chosen(i) { from[i] } else { 0.0 };
                    assert_eq!([read[i], plain[i], first[i]], [want; 3], "{bits:b}");
                    assert_eq!(over[i], if chosen(i) { from[i] } else { -1.0 }, "{bits:b}");
                }
            }
        }
    }

    #[test]
    fn lanes_change_places_as_the_trait_says() {
        // SAFETY: all have eight numbers.
        unsafe {
            let (a, b) = (
                Neon::load(numbers(0).as_ptr()),
                Neon::load(numbers(8).as_ptr()),
            );
            assert_eq!(lanes(a.evens(b)), [0., 2., 4., 6., 8., 10., 12., 14.]);
            assert_eq!(lanes(a.odds(b)), [1., 3., 5., 7., 9., 11., 13., 15.]);
            assert_eq!(lanes(a.zip_low(b)), [0., 8., 1., 9., 2., 10., 3., 11.]);
            assert_eq!(lanes(a.zip_high(b)), [4., 12., 5., 13., 6., 14., 7., 15.]);
            let mut square = [Neon::splat(0.0); 16];
            for (i, row) in square[..8].iter_mut().enumerate() {
                *row = Neon::load(numbers(8 * i).as_ptr());
            }
            transpose(&mut square);
            for (i, row) in square[..8].iter().enumerate() {
                assert_eq!(lanes(*row), std::array::from_fn(|k| (8 * k + i) as f32));
            }
        }
    }

    #[test]
    fn what_is_not_a_number_and_negative_zero_stay_within() {
        let x = [
            f32::NAN,
            -0.0,
            -1.0,
            7.0,
            3.0,
            f32::INFINITY,
            f32::NEG_INFINITY,
            0.0,
        ];
        // SAFETY: all have eight numbers.
        let out =
            lanes(unsafe { Neon::load(x.as_ptr()).within(Neon::splat(0.0), Neon::splat(6.0)) });
        assert!(out[0].is_nan() && out[1].is_sign_negative());
        assert_eq!(out[1..], [0.0, 0.0, 6.0, 3.0, 6.0, 0.0, 0.0]);
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::Vector;
    use rushlight_tensor::lanes::{Isa, isa};
    use std::arch::x86_64::{__m256, __m512};

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
    fn avx512(bits: u32) -> [[f32; 16]; 2] {
        // SAFETY: the function is compiled for these vectors.
        unsafe { stored::<__m512>(bits) }
    }

    #[target_feature(enable = "avx2,fma")]
    fn avx2(bits: u32) -> [[f32; 16]; 2] {
        // SAFETY: as above.
        unsafe { stored::<__m256>(bits) }
    }

    /// What memory holds after either store of the chosen lanes.
    ///
    /// # Safety
    /// The processor has the vectors' instructions.
    #[inline(always)]
    unsafe fn stored<V: Vector>(bits: u32) -> [[f32; 16]; 2] {
        let numbers: [f32; 16] = std::array::from_fn(|i| i as f32 + 1.0);
        let (mut plain, mut first) = ([0f32; 16], [0f32; 16]);
        // SAFETY: passed on; all three have as many numbers as the largest vector.
        unsafe {
            let (vector, mask) = (V::load(numbers.as_ptr()), V::mask(bits));
            vector.store_chosen(plain.as_mut_ptr(), mask);
            vector.store_first(first.as_mut_ptr(), mask);
        }
        [plain, first]
    }

    #[test]
    fn both_stores_write_the_chosen_lanes_alone() {
        let check = |bits: u32, stored: [[f32; 16]; 2]| {
            for memory in stored {
                for (i, number) in memory.iter().enumerate() {
                    let want = if bits >> i & 1 == 1 { i + 1 } else { 0 };
                    assert_eq!(*number, want as f32, "{bits:b}");
                }
            }
        };
        let masks = (0..=16).map(|n| (1u32 << n) - 1).chain([0b1010, 0x9d]);
        for bits in masks {
            if isa() == Isa::Avx512 {
                // SAFETY: the processor has AVX-512.
                check(bits, unsafe { avx512(bits) });
            }
            if isa() != Isa::Baseline && bits <= 0xff {
                // SAFETY: the processor has AVX2 and FMA.
                check(bits, unsafe { avx2(bits) });
            }
        }
    }
}
