//! Products in f32 of few rows with a matrix whose columns are dense, as dot products: the matrix is read once, as it lies.
//!
//! A tile is a few rows by a few columns. It adds up products in a vector for each of its numbers, and then all lanes of
//! these vectors at once. Every number of the result is added up in the same order wherever it stands in a tile.

use super::gemm::{Matrix, cost};
use super::tiles::STREAMED;
#[cfg(target_arch = "aarch64")]
use crate::vector::Neon;
use crate::vector::Vector;
use rushlight_tensor::lanes::{Isa, isa};
use rushlight_tensor::threads::{self, Strip};
use rushlight_tensor::watch;
use std::ops::Range;

/// Columns that a tile works on at once at the most.
const MOST: usize = 8;
/// Numbers of a matrix that will hardly be in the second-level cache still.
const LARGE: usize = 1 << 19;
/// How many numbers of a large matrix are asked for ahead of their use, at least: what processors foresee by themselves ends with
/// a page, and so do many rows.
const AHEAD: usize = 4096;

/// `c[i][j] = a.row(i) · w.row(j)`, or its sum with what `c` holds; says whether the processor has the instructions.
pub fn run(
    a: Matrix<'_, f32>,
    w: Matrix<'_, f32>,
    c: &mut [f32],
    stride: usize,
    accumulate: bool,
) -> bool {
    let (rows, cols) = (a.rows(), w.rows());
    if isa() == Isa::Baseline {
        return false;
    }
    if rows == 0 || cols == 0 {
        return true;
    }
    assert!(a.has_dense_rows() && w.has_dense_rows() && a.cols() == w.cols());
    if cols == 1 && rows > 1 && stride == 1 {
        // Many columns at once are read sooner than many rows; the sums are the same.
        return run(w, a, c, rows, accumulate);
    }
    let lent = Strip::of(c, rows, cols, stride);
    let cost = cost(rows.max(STREAMED), a.cols());
    threads::split_lent(cols, 16, cost, lent, &|part, mut c| {
        let w = w.rows_in(part);
        #[cfg(target_arch = "x86_64")]
        match isa() {
            // SAFETY: the processor has AVX-512, and the operands were checked.
            Isa::Avx512 => unsafe { avx512(a, w, &mut c, accumulate) },
            // SAFETY: as above, with AVX2 and FMA.
            Isa::Avx2 => unsafe { avx2(a, w, &mut c, accumulate) },
            Isa::Baseline => unreachable!("asked above"),
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: every processor of this kind has these vectors, and the operands were checked.
        unsafe {
            tiles::<Neon, 4, 2>(a, w, &mut c, accumulate)
        };
    });
    true
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
unsafe fn avx512(a: Matrix<'_, f32>, w: Matrix<'_, f32>, c: &mut Strip<'_, f32>, accumulate: bool) {
    // SAFETY: passed on.
    unsafe { tiles::<std::arch::x86_64::__m512, 8, 4>(a, w, c, accumulate) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(a: Matrix<'_, f32>, w: Matrix<'_, f32>, c: &mut Strip<'_, f32>, accumulate: bool) {
    // SAFETY: passed on.
    unsafe { tiles::<std::arch::x86_64::__m256, 4, 2>(a, w, c, accumulate) }
}

/// All tiles: four rows by `C4` columns, what is left by two rows and `C2` columns or one row. The rows of `w` that tiles
/// share stay in the first-level cache.
///
/// # Safety
/// The operands are checked and the processor has the vectors' instructions.
#[inline(always)]
unsafe fn tiles<V: Vector, const C2: usize, const C4: usize>(
    a: Matrix<'_, f32>,
    w: Matrix<'_, f32>,
    c: &mut Strip<'_, f32>,
    accumulate: bool,
) {
    let fetch = w.rows().saturating_mul(w.cols()) >= LARGE;
    for first in (0..w.rows()).step_by(MOST) {
        watch::poll();
        let end = (first + MOST).min(w.rows());
        let mut i = 0;
        while i < a.rows() {
            // SAFETY: passed on.
            i += unsafe {
                match (a.rows() - i, fetch && i == 0) {
                    (1, true) if end == first + 1 => {
                        strip::<V, 1, 1, true>(a, i, w, first..end, c, accumulate)
                    }
                    (1, _) if end == first + 1 => {
                        strip::<V, 1, 1, false>(a, i, w, first..end, c, accumulate)
                    }
                    (4.., true) => strip::<V, 4, C4, true>(a, i, w, first..end, c, accumulate),
                    (4.., _) => strip::<V, 4, C4, false>(a, i, w, first..end, c, accumulate),
                    (2..4, true) => strip::<V, 2, C2, true>(a, i, w, first..end, c, accumulate),
                    (2..4, _) => strip::<V, 2, C2, false>(a, i, w, first..end, c, accumulate),
                    (_, true) => strip::<V, 1, MOST, true>(a, i, w, first..end, c, accumulate),
                    (_, _) => strip::<V, 1, MOST, false>(a, i, w, first..end, c, accumulate),
                }
            };
        }
    }
}

/// The tiles of `R` rows from `top` on and some columns; returns the number of rows. With `FETCH` the columns after them are
/// asked for.
///
/// # Safety
/// As for [`tiles`].
#[inline(always)]
unsafe fn strip<V: Vector, const R: usize, const C: usize, const FETCH: bool>(
    a: Matrix<'_, f32>,
    top: usize,
    w: Matrix<'_, f32>,
    columns: Range<usize>,
    c: &mut Strip<'_, f32>,
    accumulate: bool,
) -> usize {
    let left: [&[f32]; R] = std::array::from_fn(|r| a.row(top + r));
    let ahead = w.row_stride().saturating_mul(C).max(AHEAD);
    for first in columns.clone().step_by(C) {
        // Columns that there are not are the last one again.
        let right: [&[f32]; C] = std::array::from_fn(|k| w.row((first + k).min(columns.end - 1)));
        // SAFETY: passed on.
        let sums = unsafe { sums::<V, R, C, FETCH>(left, right, ahead) };
        let count = C.min(columns.end - first);
        for r in 0..R {
            let out = &mut c.row(top + r)[first..first + count];
            for (k, out) in out.iter_mut().enumerate() {
                let sum = sums[k * R + r];
                *out = if accumulate { *out + sum } else { sum };
            }
        }
    }
    R
}

/// The products of rows: that of `left[r]` and `right[k]` at `k R + r`. There are as many as a vector has numbers, half
/// as many, or one. With `FETCH`, numbers that lie `ahead` of those on the right are asked for.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn sums<V: Vector, const R: usize, const C: usize, const FETCH: bool>(
    left: [&[f32]; R],
    right: [&[f32]; C],
    ahead: usize,
) -> [f32; 16] {
    let depth = left[0].len();
    assert!(left.iter().all(|l| l.len() == depth) && right.iter().all(|l| l.len() == depth));
    // SAFETY: all rows have `depth` numbers, and no more are read.
    unsafe {
        let mut acc = [[V::splat(0.0); R]; C];
        let left = left.map(<[f32]>::as_ptr);
        let right = right.map(<[f32]>::as_ptr);
        let whole = depth - depth % V::WIDTH;
        let mut k = 0;
        while k < whole {
            let x: [V; R] = std::array::from_fn(|r| V::load(left[r].add(k)));
            for c in 0..C {
                let y = V::load(right[c].add(k));
                if FETCH {
                    V::prefetch_far(right[c].wrapping_add(k + ahead));
                }
                for r in 0..R {
                    acc[c][r] = x[r].fma(y, acc[c][r]);
                }
            }
            k += V::WIDTH;
        }
        if whole < depth {
            let mask = V::mask((1u32 << (depth - whole)) - 1);
            let x: [V; R] = std::array::from_fn(|r| V::load_chosen(left[r].add(k), mask));
            for c in 0..C {
                let y = V::load_chosen(right[c].add(k), mask);
                for r in 0..R {
                    acc[c][r] = x[r].fma(y, acc[c][r]);
                }
            }
        }
        let mut all = [V::splat(0.0); 16];
        for c in 0..C {
            for r in 0..R {
                all[c * R + r] = acc[c][r];
            }
        }
        add_up(all, (R * C).max(MOST))
    }
}

/// The sums of all lanes of the first `count` vectors, in their order: each half of the lanes is added to the other, again
/// and again, and every round puts two vectors into one.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn add_up<V: Vector>(mut vectors: [V; 16], count: usize) -> [f32; 16] {
    // SAFETY: passed on.
    unsafe {
        if count > 8 {
            halve::<V, 8>(&mut vectors);
        }
        if count > 4 {
            halve::<V, 4>(&mut vectors);
        }
        halve::<V, 2>(&mut vectors);
        halve::<V, 1>(&mut vectors);
    }
    let mut sums = [0.0; 16];
    // SAFETY: a vector has at most 16 numbers.
    unsafe { vectors[0].store(sums.as_mut_ptr()) };
    let mut parts = V::WIDTH / count;
    while parts > 1 {
        parts /= 2;
        for i in 0..parts * count {
            sums[i] += sums[i + parts * count];
        }
    }
    sums
}

/// Puts the first `2 N` vectors into `N`.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn halve<V: Vector, const N: usize>(vectors: &mut [V; 16]) {
    for i in 0..N {
        let (a, b) = (vectors[i], vectors[i + N]);
        // SAFETY: passed on.
        vectors[i] = unsafe { a.zip_low(b).add(a.zip_high(b)) };
    }
}
