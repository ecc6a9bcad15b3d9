//! Products in f32 of some rows with a matrix whose rows are dense, as sums of scaled rows: the matrix is read once, from front
//! to back, without packing.
//!
//! A strip of the result's columns is put aside, where it stays in the first-level cache (rows of a result that are a power of two apart
//! would drive one another out of it). Four rows of the matrix at a time are scaled and added to a few rows of
//! the strip. Every number of the result is added up in the order of the matrix's rows, wherever it stands.

use super::gemm::{Matrix, cost};
use crate::vector::{Vector, unrolled};
use rushlight_tensor::lanes::{Isa, isa};
use rushlight_tensor::threads::{self, Strip};
use rushlight_tensor::{Buffer, watch};
use std::ops::Range;

/// Most rows for which that beats packing.
pub const MOST: usize = 32;

/// Numbers of a matrix from which on that beats what packs it, or scales a row at a time.
pub const LEAST: usize = 1 << 14;

/// Columns of a strip: as many numbers of the most rows, and of four of the matrix, fit a first-level cache.
const STRIP: usize = 192;

/// How many rows of the matrix are added at a time.
const DEEP: usize = 4;

/// `c = a·b`, or its sum with what `c` holds; says whether the processor has the instructions.
pub fn run(
    a: Matrix<'_, f32>,
    b: Matrix<'_, f32>,
    c: &mut [f32],
    stride: usize,
    accumulate: bool,
) -> bool {
    let (rows, cols) = (a.rows(), b.cols());
    if isa() == Isa::Baseline {
        return false;
    }
    assert!(b.has_dense_rows() && a.cols() == b.rows());
    let lent = Strip::of(c, rows, cols, stride);
    threads::split_lent(cols, 16, cost(rows, a.cols()), lent, &|part, mut c| {
        #[cfg(target_arch = "x86_64")]
        match isa() {
            // SAFETY: the processor has AVX-512, and the operands were checked.
            Isa::Avx512 => unsafe { avx512(a, b, part, &mut c, accumulate) },
            // SAFETY: as above, with AVX2 and FMA.
            Isa::Avx2 => unsafe { avx2(a, b, part, &mut c, accumulate) },
            Isa::Baseline => unreachable!("asked above"),
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: every processor of this kind has these vectors, and the operands were checked.
        unsafe {
            strips::<crate::vector::Neon, 4>(a, b, part, &mut c, accumulate)
        };
    });
    true
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
unsafe fn avx512(
    a: Matrix<'_, f32>,
    b: Matrix<'_, f32>,
    columns: Range<usize>,
    c: &mut Strip<'_, f32>,
    accumulate: bool,
) {
    // SAFETY: passed on.
    unsafe { strips::<std::arch::x86_64::__m512, 4>(a, b, columns, c, accumulate) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(
    a: Matrix<'_, f32>,
    b: Matrix<'_, f32>,
    columns: Range<usize>,
    c: &mut Strip<'_, f32>,
    accumulate: bool,
) {
    // SAFETY: passed on.
    unsafe { strips::<std::arch::x86_64::__m256, 2>(a, b, columns, c, accumulate) }
}

/// Some columns of the product, which are those of `c`, with up to `R` rows of the result at a time.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn strips<V: Vector, const R: usize>(
    a: Matrix<'_, f32>,
    b: Matrix<'_, f32>,
    columns: Range<usize>,
    c: &mut Strip<'_, f32>,
    accumulate: bool,
) {
    let (rows, depth) = (a.rows(), b.rows());
    let mut aside = Buffer::<f32>::unspecified(rows * STRIP.min(columns.len()));
    for first in columns.clone().step_by(STRIP) {
        let width = STRIP.min(columns.end - first);
        let at = first - columns.start;
        for (i, strip) in aside.chunks_exact_mut(width).take(rows).enumerate() {
            match accumulate {
                true => strip.copy_from_slice(&c.row(i)[at..at + width]),
                false => strip.fill(0.0),
            }
        }
        let right = |k: usize| &b.row(k)[first..first + width];
        let mut k = 0;
        while k < depth {
            watch::poll();
            let strip = &mut aside[..rows * width];
            // SAFETY: passed on.
            unsafe {
                if depth - k >= DEEP {
                    let right: [&[f32]; DEEP] = std::array::from_fn(|d| right(k + d));
                    let mut i = 0;
                    while R > 2 && rows - i >= 4 {
                        add::<V, 4, DEEP>(a, (i, k), right, &mut strip[i * width..]);
                        i += 4;
                    }
                    while rows - i >= 2 {
                        add::<V, 2, DEEP>(a, (i, k), right, &mut strip[i * width..]);
                        i += 2;
                    }
                    if i < rows {
                        add::<V, 1, DEEP>(a, (i, k), right, &mut strip[i * width..]);
                    }
                    k += DEEP;
                } else {
                    for i in 0..rows {
                        add::<V, 1, 1>(a, (i, k), [right(k)], &mut strip[i * width..]);
                    }
                    k += 1;
                }
            }
        }
        for (i, strip) in aside.chunks_exact(width).take(rows).enumerate() {
            c.row(i)[at..at + width].copy_from_slice(strip);
        }
    }
}

/// Adds `D` rows on the right, scaled by the numbers of `a` from a place on, to `R` rows of the result.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn add<V: Vector, const R: usize, const D: usize>(
    a: Matrix<'_, f32>,
    (i, k): (usize, usize),
    right: [&[f32]; D],
    out: &mut [f32],
) {
    let width = right[0].len();
    assert!(right.iter().all(|row| row.len() == width) && out.len() >= R * width);
    let right = right.map(<[f32]>::as_ptr);
    let out: [*mut f32; R] = std::array::from_fn(|r| out[r * width..].as_mut_ptr());
    // SAFETY: all rows have `width` numbers, and no more are read or written.
    unsafe {
        let left: [[V; D]; R] =
            std::array::from_fn(|r| std::array::from_fn(|d| V::splat(a.at(i + r, k + d))));
        let whole = width - width % V::WIDTH;
        for x in (0..whole).step_by(V::WIDTH) {
            let rows = right.map(|row| V::load(row.add(x)));
            unrolled!(r < R, at most 4, {
                let mut sum = V::load(out[r].add(x));
                unrolled!(d < D, at most 4, {
                    sum = left[r][d].fma(rows[d], sum);
                });
                sum.store(out[r].add(x));
            });
        }
        if whole < width {
            let mask = V::mask((1u32 << (width - whole)) - 1);
            let rows = right.map(|row| V::load_chosen(row.add(whole), mask));
            unrolled!(r < R, at most 4, {
                let at = out[r].add(whole);
                let mut sum = V::load_chosen(at, mask);
                unrolled!(d < D, at most 4, {
                    sum = left[r][d].fma(rows[d], sum);
                });
                sum.store_chosen(at, mask);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::gemm::{Matrix, product};
    use super::MOST;
    use crate::testing::numbers;

    #[test]
    fn strips_of_any_width_are_the_products_that_they_stand_for() {
        for rows in [1, 2, 3, 4, 7, MOST] {
            for (depth, cols) in [(1, 5), (4, 16), (40, 431), (129, 200)] {
                let (x, w) = (numbers(rows * depth, 5), numbers(depth * cols, 3));
                let stride = cols + 3;
                let (mut c, mut sums) = (vec![7.0; rows * stride], vec![1.0; rows * stride]);
                let a = Matrix::dense(&x, rows, depth);
                let turned: Vec<f32> = (0..rows * depth)
                    .map(|i| x[i % rows * depth + i / rows])
                    .collect();
                let b = Matrix::dense(&w, depth, cols);
                product(a, b, &mut c, stride, false);
                let a = Matrix::dense(&turned, depth, rows).transposed();
                product(a, b, &mut sums, stride, true);
                for i in 0..rows {
                    let row = &c[i * stride..(i + 1) * stride];
                    for (j, got) in row.iter().take(cols).enumerate() {
                        let terms = (0..depth).map(|k| x[i * depth + k] * w[k * cols + j]);
                        let want: f32 = terms.sum();
                        let bound = 1e-4 * want.abs().max(1.0);
                        assert!((got - want).abs() <= bound, "{rows}x{depth}x{cols}");
                        let more = sums[i * stride + j];
                        assert!((more - want - 1.0).abs() <= bound, "{rows}x{depth}x{cols}");
                    }
                    assert!(row[cols..].iter().all(|v| *v == 7.0));
                }
            }
        }
    }
}
