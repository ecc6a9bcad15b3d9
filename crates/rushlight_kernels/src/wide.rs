//! Vectors of f32 and of f64 under one name, with what transforms and small products do with them; what is written for them is compiled
//! once for each kind of processor and chosen where it is called.

use crate::unrolled;
use rushlight_tensor::Element;
use rushlight_tensor::lanes::{Isa, isa};
use std::ops::{Add, Mul, Neg, Sub};

/// The lanes of the longest vector.
pub const MOST_LANES: usize = 16;

/// A vector of real numbers.
///
/// # Safety
/// Methods must only be called where the processor has the instructions, in functions compiled for them.
pub unsafe trait Wide: Copy {
    /// What it is a vector of.
    type Part: Part;
    /// How many.
    const LANES: usize;
    /// # Safety
    /// See the trait.
    unsafe fn splat(value: Self::Part) -> Self;
    /// # Safety
    /// See the trait; the numbers must be readable.
    unsafe fn load(from: *const Self::Part) -> Self;
    /// # Safety
    /// See the trait; the places must be writable.
    unsafe fn store(self, to: *mut Self::Part);
    /// So many of the numbers, and zeros.
    ///
    /// # Safety
    /// See the trait; so many numbers must be readable.
    #[inline(always)]
    unsafe fn load_first(from: *const Self::Part, count: usize) -> Self {
        let mut whole = [Self::Part::default(); MOST_LANES];
        // SAFETY: as the trait says; there are no vectors of more lanes.
        unsafe {
            std::ptr::copy_nonoverlapping(from, whole.as_mut_ptr(), count.min(Self::LANES));
            Self::load(whole.as_ptr())
        }
    }
    /// Writes the first lanes.
    ///
    /// # Safety
    /// See the trait; so many places must be writable.
    #[inline(always)]
    unsafe fn store_first(self, to: *mut Self::Part, count: usize) {
        let mut whole = [Self::Part::default(); MOST_LANES];
        // SAFETY: as the trait says; there are no vectors of more lanes.
        unsafe {
            self.store(whole.as_mut_ptr());
            std::ptr::copy_nonoverlapping(whole.as_ptr(), to, count.min(Self::LANES));
        }
    }
    /// # Safety
    /// See the trait.
    unsafe fn add(self, b: Self) -> Self;
    /// # Safety
    /// See the trait.
    unsafe fn sub(self, b: Self) -> Self;
    /// # Safety
    /// See the trait.
    unsafe fn mul(self, b: Self) -> Self;
    /// `self * b + c`.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn fma(self, b: Self, c: Self) -> Self;
    /// `c - self * b`.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn fnma(self, b: Self, c: Self) -> Self;
    /// The even lanes of two vectors and the odd ones: lane `i` of both is of pair [`place(i)`](Wide::place), in the order that
    /// costs least.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn apart(self, next: Self) -> (Self, Self);
    /// What [`Wide::apart`] has taken apart.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn together(self, odd: Self) -> (Self, Self);
    /// Which pair a lane has after [`Wide::apart`].
    fn place(lane: usize) -> usize;
    /// The lanes of both in turn: first those of the lower halves, then those of the upper ones.
    ///
    /// # Safety
    /// See the trait.
    unsafe fn zip(self, other: Self) -> (Self, Self);
}

/// f32 and f64, with their vectors.
pub trait Part:
    Element + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// The vector of processors with AVX-512.
    type Longest: Wide<Part = Self>;
    /// The vector of processors with AVX2.
    type Long: Wide<Part = Self>;
    /// `self * b + c`, rounded once where that is one instruction of any processor of this kind.
    fn times_plus(self, b: Self, c: Self) -> Self;
}

/// Four numbers that any processor can work on.
#[derive(Clone, Copy)]
pub struct Four<T>([T; 4]);

impl<T: Part> Four<T> {
    #[inline(always)]
    fn with(self, b: Four<T>, f: impl Fn(T, T) -> T) -> Four<T> {
        let ([a, b, c, d], [e, g, h, i]) = (self.0, b.0);
        Four([f(a, e), f(b, g), f(c, h), f(d, i)])
    }
}

// SAFETY: no instructions are needed.
unsafe impl<T: Part> Wide for Four<T> {
    type Part = T;
    const LANES: usize = 4;
    #[inline(always)]
    unsafe fn splat(value: T) -> Four<T> {
        Four([value; 4])
    }
    #[inline(always)]
    unsafe fn load(from: *const T) -> Four<T> {
        // SAFETY: as the trait says.
        Four(unsafe { from.cast::<[T; 4]>().read_unaligned() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut T) {
        // SAFETY: as the trait says.
        unsafe { to.cast::<[T; 4]>().write_unaligned(self.0) }
    }
    #[inline(always)]
    unsafe fn add(self, b: Four<T>) -> Four<T> {
        self.with(b, |a, b| a + b)
    }
    #[inline(always)]
    unsafe fn sub(self, b: Four<T>) -> Four<T> {
        self.with(b, |a, b| a - b)
    }
    #[inline(always)]
    unsafe fn mul(self, b: Four<T>) -> Four<T> {
        self.with(b, |a, b| a * b)
    }
    #[inline(always)]
    unsafe fn fma(self, b: Four<T>, c: Four<T>) -> Four<T> {
        let ([a, d, e, f], [g, h, i, j], [k, l, m, n]) = (self.0, b.0, c.0);
        Four([
            a.times_plus(g, k),
            d.times_plus(h, l),
            e.times_plus(i, m),
            f.times_plus(j, n),
        ])
    }
    #[inline(always)]
    unsafe fn fnma(self, b: Four<T>, c: Four<T>) -> Four<T> {
        // SAFETY: as the trait says.
        unsafe { self.with(self, |a, _| -a).fma(b, c) }
    }
    #[inline(always)]
    unsafe fn apart(self, next: Four<T>) -> (Four<T>, Four<T>) {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, next.0);
        (Four([a, c, e, g]), Four([b, d, f, h]))
    }
    #[inline(always)]
    unsafe fn together(self, odd: Four<T>) -> (Four<T>, Four<T>) {
        let ([a, c, e, g], [b, d, f, h]) = (self.0, odd.0);
        (Four([a, b, c, d]), Four([e, f, g, h]))
    }
    fn place(lane: usize) -> usize {
        lane
    }
    #[inline(always)]
    unsafe fn zip(self, other: Four<T>) -> (Four<T>, Four<T>) {
        // SAFETY: as the trait says.
        unsafe { self.together(other) }
    }
}

/// As many vectors as they have lanes, the first of so many.
pub type Square<V> = [V; MOST_LANES];

/// Makes a square of what a block gives for every place below the lanes, all of it in registers.
macro_rules! square {
    ($V:ident, $i:ident => $body:expr) => {{
        let mut square = [<$V as Wide>::splat(Default::default()); MOST_LANES];
        $crate::unrolled!(number < $V::LANES / 2, at most 8, {
            let $i = number;
            square[number] = $body;
            let $i = number + $V::LANES / 2;
            square[number + $V::LANES / 2] = $body;
        });
        square
    }};
}
pub(crate) use square;

/// Turns a square: what was lane `l` is vector `l`.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
pub unsafe fn turned<V: Wide>(mut square: Square<V>) -> Square<V> {
    // SAFETY: passed on.
    unsafe {
        // A rotation of the bits of a number's place, by one each time.
        square = zipped(zipped(square));
        if const { V::LANES > 4 } {
            square = zipped(square);
        }
        if const { V::LANES > 8 } {
            square = zipped(square);
        }
        const { assert!(matches!(V::LANES, 4 | 8 | 16)) };
        square
    }
}

/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn zipped<V: Wide>(square: Square<V>) -> Square<V> {
    let mut next = square;
    unrolled!(i < V::LANES / 2, at most 8, {
        // SAFETY: passed on.
        unsafe {
            (next[2 * i], next[2 * i + 1]) = square[i].zip(square[i + V::LANES / 2]);
        }
    });
    next
}

/// Stores a square one vector after the other, `step` numbers apart.
///
/// # Safety
/// The processor has the vectors' instructions; the places are writable.
#[inline(always)]
pub unsafe fn store_square<V: Wide>(square: Square<V>, to: *mut V::Part, step: usize) {
    unrolled!(i < V::LANES / 2, at most 8, {
        // SAFETY: passed on.
        unsafe {
            square[i].store(to.add(i * step));
            square[i + V::LANES / 2].store(to.add((i + V::LANES / 2) * step));
        }
    });
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Wide;
    use std::arch::x86_64::*;

    /// The methods that are one instruction.
    macro_rules! wide {
        ($v:ident of $t:ident, $lanes:literal, $quarter:literal: $splat:ident $load:ident $store:ident $add:ident $sub:ident $mul:ident
         $fma:ident $fnma:ident, apart $apart:expr, together $low:ident $high:ident, zip $zip:expr
         $(, masked $mask:ident $load_first:ident $store_first:ident)? $(, first $first:ident)?) => {
            // SAFETY: the intrinsics need what the caller vouches for.
            unsafe impl Wide for $v {
                type Part = $t;
                const LANES: usize = $lanes;
                #[inline(always)]
                unsafe fn splat(value: $t) -> $v {
                    // SAFETY: as the trait says.
                    unsafe { $splat(value) }
                }
                #[inline(always)]
                unsafe fn load(from: *const $t) -> $v {
                    // SAFETY: as the trait says.
                    unsafe { $load(from) }
                }
                #[inline(always)]
                unsafe fn store(self, to: *mut $t) {
                    // SAFETY: as the trait says.
                    unsafe { $store(to, self) }
                }
                $(#[inline(always)]
                unsafe fn load_first(from: *const $t, count: usize) -> $v {
                    // SAFETY: as the trait says.
                    unsafe { $first(from, count) }
                })?
                $(#[inline(always)]
                unsafe fn load_first(from: *const $t, count: usize) -> $v {
                    // SAFETY: as the trait says.
                    unsafe { $load_first(((1u32 << count.min($lanes)) - 1) as $mask, from) }
                }
                #[inline(always)]
                unsafe fn store_first(self, to: *mut $t, count: usize) {
                    // SAFETY: as the trait says.
                    unsafe { $store_first(to, ((1u32 << count.min($lanes)) - 1) as $mask, self) }
                })?
                #[inline(always)]
                unsafe fn add(self, b: $v) -> $v {
                    // SAFETY: as the trait says.
                    unsafe { $add(self, b) }
                }
                #[inline(always)]
                unsafe fn sub(self, b: $v) -> $v {
                    // SAFETY: as the trait says.
                    unsafe { $sub(self, b) }
                }
                #[inline(always)]
                unsafe fn mul(self, b: $v) -> $v {
                    // SAFETY: as the trait says.
                    unsafe { $mul(self, b) }
                }
                #[inline(always)]
                unsafe fn fma(self, b: $v, c: $v) -> $v {
                    // SAFETY: as the trait says.
                    unsafe { $fma(self, b, c) }
                }
                #[inline(always)]
                unsafe fn fnma(self, b: $v, c: $v) -> $v {
                    // SAFETY: as the trait says.
                    unsafe { $fnma(self, b, c) }
                }
                #[inline(always)]
                unsafe fn apart(self, next: $v) -> ($v, $v) {
                    let apart: unsafe fn($v, $v) -> ($v, $v) = $apart;
                    // SAFETY: as the trait says.
                    unsafe { apart(self, next) }
                }
                #[inline(always)]
                unsafe fn together(self, odd: $v) -> ($v, $v) {
                    // SAFETY: as the trait says.
                    unsafe { ($low(self, odd), $high(self, odd)) }
                }
                /// Within each sixteen bytes the first half is of the first vector.
                fn place(lane: usize) -> usize {
                    let (block, within) = (lane / (2 * $quarter), lane % (2 * $quarter));
                    let upper = within / $quarter;
                    $quarter * block + (within - $quarter * upper) + $lanes / 2 * upper
                }
                #[inline(always)]
                unsafe fn zip(self, other: $v) -> ($v, $v) {
                    let zip: unsafe fn($v, $v) -> ($v, $v) = $zip;
                    // SAFETY: as the trait says.
                    unsafe { zip(self, other) }
                }
            }
        };
    }

    wide!(__m512 of f32, 16, 2: _mm512_set1_ps _mm512_loadu_ps _mm512_storeu_ps _mm512_add_ps _mm512_sub_ps _mm512_mul_ps
        _mm512_fmadd_ps _mm512_fnmadd_ps, apart apart_16, together _mm512_unpacklo_ps _mm512_unpackhi_ps, zip zip_16,
        masked __mmask16 _mm512_maskz_loadu_ps _mm512_mask_storeu_ps);
    wide!(__m256 of f32, 8, 2: _mm256_set1_ps _mm256_loadu_ps _mm256_storeu_ps _mm256_add_ps _mm256_sub_ps _mm256_mul_ps
        _mm256_fmadd_ps _mm256_fnmadd_ps, apart apart_8, together _mm256_unpacklo_ps _mm256_unpackhi_ps, zip zip_8, first first_8);
    wide!(__m512d of f64, 8, 1: _mm512_set1_pd _mm512_loadu_pd _mm512_storeu_pd _mm512_add_pd _mm512_sub_pd _mm512_mul_pd
        _mm512_fmadd_pd _mm512_fnmadd_pd, apart apart_8d, together _mm512_unpacklo_pd _mm512_unpackhi_pd, zip zip_8d,
        masked __mmask8 _mm512_maskz_loadu_pd _mm512_mask_storeu_pd);
    wide!(__m256d of f64, 4, 1: _mm256_set1_pd _mm256_loadu_pd _mm256_storeu_pd _mm256_add_pd _mm256_sub_pd _mm256_mul_pd
        _mm256_fmadd_pd _mm256_fnmadd_pd, apart apart_4d, together _mm256_unpacklo_pd _mm256_unpackhi_pd, zip zip_4d, first first_4d);

    #[inline(always)]
    unsafe fn first_8(from: *const f32, count: usize) -> __m256 {
        const CHOSEN: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];
        // SAFETY: the trait's; the window ends within the table.
        unsafe {
            let mask = CHOSEN.as_ptr().add(8 - count.min(8));
            _mm256_maskload_ps(from, _mm256_loadu_si256(mask.cast()))
        }
    }

    #[inline(always)]
    unsafe fn first_4d(from: *const f64, count: usize) -> __m256d {
        const CHOSEN: [i64; 8] = [-1, -1, -1, -1, 0, 0, 0, 0];
        // SAFETY: the trait's; the window ends within the table.
        unsafe {
            let mask = CHOSEN.as_ptr().add(4 - count.min(4));
            _mm256_maskload_pd(from, _mm256_loadu_si256(mask.cast()))
        }
    }

    /// A function of two vectors that gives two.
    macro_rules! two {
        ($name:ident($a:ident, $b:ident: $v:ident) $body:block) => {
            #[inline(always)]
            unsafe fn $name($a: $v, $b: $v) -> ($v, $v) {
                // SAFETY: as the trait says.
                unsafe { $body }
            }
        };
    }
    two!(apart_16(a, b: __m512) { (_mm512_shuffle_ps::<0x88>(a, b), _mm512_shuffle_ps::<0xdd>(a, b)) });
    two!(apart_8(a, b: __m256) { (_mm256_shuffle_ps::<0x88>(a, b), _mm256_shuffle_ps::<0xdd>(a, b)) });
    two!(apart_8d(a, b: __m512d) { (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b)) });
    two!(apart_4d(a, b: __m256d) { (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b)) });
    two!(zip_16(a, b: __m512) {
        let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        let high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        (_mm512_permutex2var_ps(a, low, b), _mm512_permutex2var_ps(a, high, b))
    });
    two!(zip_8(a, b: __m256) {
        let (low, high) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
        (_mm256_permute2f128_ps::<0x20>(low, high), _mm256_permute2f128_ps::<0x31>(low, high))
    });
    two!(zip_8d(a, b: __m512d) {
        let low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
        let high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
        (_mm512_permutex2var_pd(a, low, b), _mm512_permutex2var_pd(a, high, b))
    });
    two!(zip_4d(a, b: __m256d) {
        let (low, high) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
        (_mm256_permute2f128_pd::<0x20>(low, high), _mm256_permute2f128_pd::<0x31>(low, high))
    });
}

macro_rules! parts {
    ($($t:ty: $longest:ident, $long:ident);+) => {
        $(impl Part for $t {
            #[cfg(target_arch = "x86_64")]
            type Longest = std::arch::x86_64::$longest;
            #[cfg(target_arch = "x86_64")]
            type Long = std::arch::x86_64::$long;
            #[cfg(not(target_arch = "x86_64"))]
            type Longest = Four<$t>;
            #[cfg(not(target_arch = "x86_64"))]
            type Long = Four<$t>;
            #[inline(always)]
            fn times_plus(self, b: $t, c: $t) -> $t {
                if cfg!(any(target_arch = "aarch64", target_feature = "fma")) {
                    self.mul_add(b, c)
                } else {
                    self * b + c
                }
            }
        })+
    };
}
parts!(f32: __m512, __m256; f64: __m512d, __m256d);

/// Something that is done with the vectors of this machine.
pub trait Job {
    /// What the vectors are of.
    type Part: Part;
    /// What comes out.
    type Output;
    /// Does it. It and what it calls must be inlined (`#[inline(always)]`).
    ///
    /// # Safety
    /// The processor has the vectors' instructions, and the function that calls this is compiled for them.
    unsafe fn run<V: Wide<Part = Self::Part>>(self) -> Self::Output;
}

/// Does something with the longest vectors that this machine has.
pub fn with_vectors<J: Job>(job: J) -> J::Output {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx2,fma")]
    unsafe fn longest<J: Job>(job: J) -> J::Output {
        // SAFETY: passed on.
        unsafe { job.run::<<J::Part as Part>::Longest>() }
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn long<J: Job>(job: J) -> J::Output {
        // SAFETY: passed on.
        unsafe { job.run::<<J::Part as Part>::Long>() }
    }
    match level() {
        // SAFETY: `isa` has found the features that the function was compiled for.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => unsafe { longest(job) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => unsafe { long(job) },
        // SAFETY: these need nothing.
        _ => unsafe { job.run::<Four<J::Part>>() },
    }
}

/// The instructions that are used: all that the processor has, unless a test wants to see others.
#[cfg(not(test))]
#[inline(always)]
fn level() -> Isa {
    isa()
}

#[cfg(test)]
fn level() -> Isa {
    tests::AT_MOST.get().unwrap_or_else(isa)
}

/// How many lanes the vectors of [`with_vectors`] have.
pub fn lanes<T: Part>() -> usize {
    match level() {
        Isa::Avx512 => T::Longest::LANES,
        Isa::Avx2 => T::Long::LANES,
        _ => Four::<T>::LANES,
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use std::cell::Cell;

    thread_local! {
        /// The instructions that are used on this thread.
        pub static AT_MOST: Cell<Option<Isa>> = const { Cell::new(None) };
    }

    /// Runs a test with each kind of vectors that this machine has.
    pub fn with_each<R>(test: impl Fn() -> R, check: impl Fn(R)) {
        let all = match isa() {
            Isa::Avx512 => vec![Isa::Avx512, Isa::Avx2, Isa::Baseline],
            Isa::Avx2 => vec![Isa::Avx2, Isa::Baseline],
            other => vec![other],
        };
        for level in all {
            AT_MOST.set(Some(level));
            check(test());
        }
        AT_MOST.set(None);
    }

    /// Pairs that are taken apart come together again, in the places that are promised, and squares are turned.
    #[test]
    fn lanes_are_where_they_should_be() {
        struct Check;
        impl Job for Check {
            type Part = f32;
            type Output = ();
            #[inline(always)]
            unsafe fn run<V: Wide<Part = f32>>(self) {
                let numbers: [f32; 32] = std::array::from_fn(|i| i as f32);
                let mut found = [0f32; 32];
                // SAFETY: there are as many numbers as two vectors have.
                unsafe {
                    let (a, b) = (
                        V::load(numbers.as_ptr()),
                        V::load(numbers[V::LANES..].as_ptr()),
                    );
                    let (even, odd) = a.apart(b);
                    even.store(found.as_mut_ptr());
                    for (lane, v) in found[..V::LANES].iter().enumerate() {
                        assert_eq!(*v, 2.0 * V::place(lane) as f32);
                    }
                    let (a, b) = even.together(odd);
                    a.store(found.as_mut_ptr());
                    b.store(found[V::LANES..].as_mut_ptr());
                }
                assert_eq!(found[..2 * V::LANES], numbers[..2 * V::LANES]);
            }
        }
        with_each(|| with_vectors(Check), |()| ());
    }
}
