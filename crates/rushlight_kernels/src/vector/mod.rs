//! The vectors that convolutions and products are written over: 16 or 8 numbers, by what the processor has.

#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(all(test, target_arch = "x86_64"))]
mod tests;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "aarch64")]
pub use neon::Neon;

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
