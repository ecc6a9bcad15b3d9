//! Products with few rows: the large operand is read once, from front to back, without packing.
//!
//! Two forms, by which way the large operand lies: dot products where its columns are dense (the weight of a linear
//! layer), sums of scaled rows where its rows are. Products with few columns are the same, transposed.

use super::gemm::Matrix;
use super::{dots, rows};
use crate::compute::Compute;
use crate::isa::{BASELINE_FUSED, fma, multiversion};
use rushlight_tensor::memory;
use rushlight_tensor::watch;

/// Most rows for which streaming beats packing where columns are dense.
pub const FEW: usize = 8;

/// Computes the product if it has few rows or one column and a form that fits; says whether it did.
pub fn product(
    a: Matrix<'_, f32>,
    b: Matrix<'_, f32>,
    c: &mut [f32],
    stride: usize,
    accumulate: bool,
) -> bool {
    if b.cols() == 1 && a.rows() > 1 {
        // A column: multiply from the other side into a dense row, then spread it.
        let mut row = memory::filled(a.rows(), 0.0);
        if !few_rows(b.transposed(), a.transposed(), &mut row, a.rows(), false) {
            return false;
        }
        for (out, value) in c.iter_mut().step_by(stride).zip(row) {
            *out = if accumulate { *out + value } else { value };
        }
        return true;
    }
    few_rows(a, b, c, stride, accumulate)
}

fn few_rows(
    a: Matrix<'_, f32>,
    b: Matrix<'_, f32>,
    c: &mut [f32],
    stride: usize,
    accumulate: bool,
) -> bool {
    if a.rows() <= rows::MOST
        && b.rows().saturating_mul(b.cols()) >= rows::LEAST
        && b.has_dense_rows()
        && !b.has_dense_columns()
        && rows::run(a, b, c, stride, accumulate)
    {
        return true;
    }
    if a.rows() > FEW || !(a.has_dense_rows() || a.cols() == 1) {
        return false;
    }
    if b.has_dense_columns() {
        if !dots::run(a, b.transposed(), c, stride, accumulate) {
            plain_dots::<BASELINE_FUSED, f32>(a, b.transposed(), c, stride, accumulate);
        }
    } else if b.has_dense_rows() {
        scaled_rows(a, b, c, stride, accumulate);
    } else {
        return false;
    }
    true
}

/// `c[i][j] = a.row(i) · b.row(j)`, for processors without vectors that [`dots`] knows.
fn plain_dots<const FUSED: bool, W: Compute>(
    a: Matrix<'_, W>,
    b: Matrix<'_, W>,
    c: &mut [W],
    stride: usize,
    accumulate: bool,
) {
    let mut i = 0;
    while i < a.rows() {
        if a.rows() - i >= 4 {
            dot_rows::<FUSED, W, 4, 4>(a, b, i, c, stride, accumulate);
            i += 4;
        } else if a.rows() - i >= 2 {
            dot_rows::<FUSED, W, 2, 4>(a, b, i, c, stride, accumulate);
            i += 2;
        } else {
            dot_rows::<FUSED, W, 1, 8>(a, b, i, c, stride, accumulate);
            i += 1;
        }
    }
}

/// Lanes of one accumulator: an AVX-512 vector of f32, two of f64.
const LANES: usize = 16;

#[inline(always)]
fn dot_rows<const FUSED: bool, W: Compute, const R: usize, const C: usize>(
    a: Matrix<'_, W>,
    b: Matrix<'_, W>,
    first: usize,
    c: &mut [W],
    stride: usize,
    accumulate: bool,
) {
    let left: [&[W]; R] = std::array::from_fn(|r| a.row(first + r));
    let mut put = |i: usize, j: usize, sum: W| {
        let out = &mut c[(first + i) * stride + j];
        *out = if accumulate { *out + sum } else { sum };
    };
    let mut j = 0;
    while j + C <= b.rows() {
        watch::poll();
        let right: [&[W]; C] = std::array::from_fn(|k| b.row(j + k));
        let sums = dot_block::<FUSED, W, R, C>(left, right);
        for (r, row) in sums.iter().enumerate() {
            for (k, sum) in row.iter().enumerate() {
                put(r, j + k, *sum);
            }
        }
        j += C;
    }
    for j in j..b.rows() {
        let sums = dot_block::<FUSED, W, R, 1>(left, [b.row(j)]);
        for (r, row) in sums.iter().enumerate() {
            put(r, j, row[0]);
        }
    }
}

#[inline(always)]
fn dot_block<const FUSED: bool, W: Compute, const R: usize, const C: usize>(
    left: [&[W]; R],
    right: [&[W]; C],
) -> [[W; C]; R] {
    let n = left[0].len();
    let mut acc = [[[W::ZERO; LANES]; C]; R];
    let whole = n - n % LANES;
    let mut k = 0;
    while k < whole {
        for r in 0..R {
            let x: &[W; LANES] = left[r][k..k + LANES].try_into().expect("a full block");
            for c in 0..C {
                let y: &[W; LANES] = right[c][k..k + LANES].try_into().expect("a full block");
                for l in 0..LANES {
                    acc[r][c][l] = fma::<W, FUSED>(x[l], y[l], acc[r][c][l]);
                }
            }
        }
        k += LANES;
    }
    let mut out = [[W::ZERO; C]; R];
    for r in 0..R {
        for c in 0..C {
            let mut lanes = acc[r][c];
            let mut width = LANES / 2;
            while width > 0 {
                for l in 0..width {
                    lanes[l] += lanes[l + width];
                }
                width /= 2;
            }
            let mut sum = lanes[0];
            for k in whole..n {
                sum = fma::<W, FUSED>(left[r][k], right[c][k], sum);
            }
            out[r][c] = sum;
        }
    }
    out
}

/// Columns handled at a time, so that the rows of the result stay in the first-level cache.
const COLUMNS: usize = 2048;

multiversion! {
    /// `c[i] = sum over k of a[i][k] * b.row(k)`, of matrices that are small, and for processors without vectors that [`rows`] knows.
    fn scaled_rows<W: Compute>(a: Matrix<'_, W>, b: Matrix<'_, W>, c: &mut [W], stride: usize, accumulate: bool) = scaled_rows_body
}

#[inline(always)]
fn scaled_rows_body<const FUSED: bool, W: Compute>(
    a: Matrix<'_, W>,
    b: Matrix<'_, W>,
    c: &mut [W],
    stride: usize,
    accumulate: bool,
) {
    let depth = b.rows();
    for start in (0..b.cols()).step_by(COLUMNS) {
        watch::poll();
        let end = (start + COLUMNS).min(b.cols());
        for i in 0..a.rows() {
            let out = &mut c[i * stride + start..i * stride + end];
            if !accumulate {
                out.fill(W::ZERO);
            }
            let factors = a.row(i);
            let mut k = 0;
            while k + 4 <= depth {
                let f = [factors[k], factors[k + 1], factors[k + 2], factors[k + 3]];
                let rows = [0, 1, 2, 3].map(|r| &b.row(k + r)[start..end]);
                let n = out.len();
                let [r0, r1, r2, r3] = rows.map(|r| &r[..n]);
                for x in 0..n {
                    let mut v = out[x];
                    v = fma::<W, FUSED>(f[0], r0[x], v);
                    v = fma::<W, FUSED>(f[1], r1[x], v);
                    v = fma::<W, FUSED>(f[2], r2[x], v);
                    v = fma::<W, FUSED>(f[3], r3[x], v);
                    out[x] = v;
                }
                k += 4;
            }
            for k in k..depth {
                let f = factors[k];
                for (v, x) in out.iter_mut().zip(&b.row(k)[start..end]) {
                    *v = fma::<W, FUSED>(f, *x, *v);
                }
            }
        }
    }
}
