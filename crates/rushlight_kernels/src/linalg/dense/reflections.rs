//! Reflections and rotations of a few rows or columns, as the QR algorithm makes them by the thousand, and the passes over
//! a matrix that change both its rows and its columns.

use super::field::{Pair, Part};
use crate::isa::{fma, multiversion};
use rushlight_tensor::Complex64;
use std::ops::Range;

/// A reflection of two or three elements, `1 - t v vᵀ` with v starting with one.
#[derive(Clone, Copy, Debug)]
pub struct Reflection {
    pub t: f64,
    pub v: [f64; 2],
    /// Elements that it reflects: the last of `v` does not count for two.
    pub count: usize,
}

multiversion! {
    /// Reflects the first rows of a matrix, in a range of columns.
    pub fn reflect_rows(rows: &mut [f64], stride: usize, columns: Range<usize>, by: Reflection) = reflect_rows_of
}
multiversion! {
    /// Reflects the columns from `at` on, in all rows of a matrix.
    pub fn reflect_columns(rows: &mut [f64], stride: usize, at: usize, by: Reflection) = reflect_columns_of
}
multiversion! {
    /// Turns two rows against each other: the upper one becomes `c upper + s lower`, the lower one `c lower - s* upper`.
    pub fn turn_two(upper: &mut [Complex64], lower: &mut [Complex64], c: f64, s: Complex64) = turn_two_rows
}
multiversion! {
    /// Turns neighbouring columns against each other, in all rows of a matrix: rotation `k` turns columns `at + k` and the
    /// next, as [`turn_two`] with s conjugated.
    pub fn turn_columns(rows: &mut [Complex64], stride: usize, at: usize, rotations: &[(f64, Complex64)]) = turn_columns_of
}
multiversion! { pub(super) fn update_both(rows: Part<'_, f64>, pairs: [Pair<'_, f64>; 2], v: &[f64], u: &[f64], out: &mut [f64], sums: &mut [f64]) = update_both_rows }

#[inline(always)]
fn reflect_rows_of<const FUSED: bool>(
    rows: &mut [f64],
    stride: usize,
    columns: Range<usize>,
    by: Reflection,
) {
    let (t, [v, w]) = (by.t, by.v);
    let (first, rest) = rows.split_at_mut(stride);
    if by.count == 2 {
        for (a, b) in first[columns.clone()].iter_mut().zip(&mut rest[columns]) {
            let sum = t * fma::<f64, FUSED>(v, *b, *a);
            *a -= sum;
            *b = fma::<f64, FUSED>(-sum, v, *b);
        }
        return;
    }
    let (second, third) = rest.split_at_mut(stride);
    let two = first[columns.clone()]
        .iter_mut()
        .zip(&mut second[columns.clone()]);
    for ((a, b), c) in two.zip(&mut third[columns]) {
        let sum = t * fma::<f64, FUSED>(w, *c, fma::<f64, FUSED>(v, *b, *a));
        *a -= sum;
        *b = fma::<f64, FUSED>(-sum, v, *b);
        *c = fma::<f64, FUSED>(-sum, w, *c);
    }
}

#[inline(always)]
fn reflect_columns_of<const FUSED: bool>(
    rows: &mut [f64],
    stride: usize,
    at: usize,
    by: Reflection,
) {
    let (t, [v, w]) = (by.t, by.v);
    if by.count == 2 {
        for row in rows.chunks_exact_mut(stride) {
            if let [a, b] = &mut row[at..at + 2] {
                let sum = t * fma::<f64, FUSED>(v, *b, *a);
                *a -= sum;
                *b = fma::<f64, FUSED>(-sum, v, *b);
            }
        }
        return;
    }
    for row in rows.chunks_exact_mut(stride) {
        if let [a, b, c] = &mut row[at..at + 3] {
            let sum = t * fma::<f64, FUSED>(w, *c, fma::<f64, FUSED>(v, *b, *a));
            *a -= sum;
            *b = fma::<f64, FUSED>(-sum, v, *b);
            *c = fma::<f64, FUSED>(-sum, w, *c);
        }
    }
}

#[inline(always)]
fn turn_two_rows<const FUSED: bool>(
    upper: &mut [Complex64],
    lower: &mut [Complex64],
    c: f64,
    s: Complex64,
) {
    for (a, b) in upper.iter_mut().zip(lower) {
        (*a, *b) = (*a * c + s * *b, *b * c - s.conj() * *a);
    }
}

#[inline(always)]
fn turn_columns_of<const FUSED: bool>(
    rows: &mut [Complex64],
    stride: usize,
    at: usize,
    rotations: &[(f64, Complex64)],
) {
    /// Rows that stay at hand.
    const ROWS: usize = 8;
    for rows in rows.chunks_mut(ROWS * stride) {
        for (column, (c, s)) in (at..).zip(rotations) {
            for row in rows.chunks_exact_mut(stride) {
                if let [a, b] = &mut row[column..column + 2] {
                    (*a, *b) = (*a * *c + s.conj() * *b, *b * *c - *s * *a);
                }
            }
        }
    }
}

/// Elements of a row that are added up side by side.
const LANES: usize = 16;

#[inline(always)]
fn update_both_rows<const FUSED: bool>(
    rows: Part<'_, f64>,
    pairs: [Pair<'_, f64>; 2],
    v: &[f64],
    u: &[f64],
    out: &mut [f64],
    sums: &mut [f64],
) {
    let (stride, from) = (rows.stride.max(1), rows.from);
    let mut two = rows.data.chunks_exact_mut(2 * stride);
    let mut i = 0;
    for both in &mut two {
        let (a, b) = both.split_at_mut(stride);
        update_few::<FUSED, 2>([&mut a[from..], &mut b[from..]], i, pairs, v, u, out, sums);
        i += 2;
    }
    if let Some(row) = two.into_remainder().get_mut(from..stride) {
        update_few::<FUSED, 1>([row], i, pairs, v, u, out, sums);
    }
}

/// The rows from `first` on.
#[inline(always)]
fn update_few<const FUSED: bool, const ROWS: usize>(
    rows: [&mut [f64]; ROWS],
    first: usize,
    [(f, x), (g, y)]: [Pair<'_, f64>; 2],
    v: &[f64],
    u: &[f64],
    out: &mut [f64],
    sums: &mut [f64],
) {
    let f: [f64; ROWS] = std::array::from_fn(|r| -f[first + r]);
    let g: [f64; ROWS] = std::array::from_fn(|r| -g[first + r]);
    let u: [f64; ROWS] = std::array::from_fn(|r| u[first + r]);
    let len = sums.len();
    let whole = len / LANES * LANES;
    let mut own = [[0.0; LANES]; ROWS];
    let rows = rows.map(|row| &mut row[..len]);
    let (x, y, v) = (&x[..len], &y[..len], &v[..len]);
    let mut at = 0;
    while at < whole {
        let here = at..at + LANES;
        let (x, y, v) = (&x[here.clone()], &y[here.clone()], &v[here.clone()]);
        let mut sum = [0.0; LANES];
        sum.copy_from_slice(&sums[here.clone()]);
        for r in 0..ROWS {
            let row = &mut rows[r][here.clone()];
            for l in 0..LANES {
                let new = fma::<f64, FUSED>(g[r], y[l], fma::<f64, FUSED>(f[r], x[l], row[l]));
                row[l] = new;
                own[r][l] = fma::<f64, FUSED>(new, v[l], own[r][l]);
                sum[l] = fma::<f64, FUSED>(new, u[r], sum[l]);
            }
        }
        sums[here].copy_from_slice(&sum);
        at += LANES;
    }
    for r in 0..ROWS {
        let mut sum = own[r].iter().sum::<f64>();
        for j in whole..len {
            let new = fma::<f64, FUSED>(g[r], y[j], fma::<f64, FUSED>(f[r], x[j], rows[r][j]));
            rows[r][j] = new;
            sum = fma::<f64, FUSED>(new, v[j], sum);
            sums[j] = fma::<f64, FUSED>(new, u[r], sums[j]);
        }
        out[first + r] = sum;
    }
}
