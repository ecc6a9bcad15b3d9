//! The numbers that matrices are decomposed in, and the loops over rows that take the time.

use crate::isa::{fma, multiversion};
use crate::linalg::gemm::Product;
use rushlight_tensor::Complex64;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// Real or complex numbers of f64. The loops over rows are compiled for the processor in the real case.
pub trait Field:
    Product
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + SubAssign
    + Mul<Output = Self>
    + MulAssign
    + Mul<f64, Output = Self>
    + Div<Output = Self>
    + Div<f64, Output = Self>
    + Neg<Output = Self>
{
    /// Whether no number has an imaginary part.
    const IS_REAL: bool;
    /// A number without imaginary part.
    fn real(x: f64) -> Self;
    /// The real part.
    fn re(self) -> f64;
    /// The imaginary part.
    fn im(self) -> f64;
    /// The conjugate.
    fn conj(self) -> Self;
    /// The square of the magnitude.
    fn norm_sqr(self) -> f64;
    /// The sum of the magnitudes of both parts.
    fn size(self) -> f64;
    /// The magnitude.
    fn magnitude(self) -> f64;

    /// Writes the transpose of a matrix of so many rows.
    fn transpose(from: &[Self], rows: usize, to: &mut [Self]) {
        transpose(from, rows, to);
    }

    /// The sum of products of the conjugates of one row with the elements of another.
    fn dot(x: &[Self], y: &[Self]) -> Self {
        let pairs = x.iter().zip(y);
        pairs.fold(Self::ZERO, |sum, (a, b)| sum + a.conj() * *b)
    }

    /// Adds a multiple of one row to another.
    fn add_scaled(y: &mut [Self], factor: Self, x: &[Self]) {
        for (y, x) in y.iter_mut().zip(x) {
            *y += factor * *x;
        }
    }

    /// Divides column `at` of rows of [`WIDTH`] by the pivot and takes the multiples of the pivot's row off what is right
    /// of it.
    fn eliminate(rows: &mut [[Self; WIDTH]], top: &[Self; WIDTH], at: usize) {
        eliminate_rows::<false, Self>(rows, top, at);
    }

    /// `row -= factor * other` for every row of a matrix, then the products with `v`.
    fn update_and_apply(
        rows: Part<'_, Self>,
        (f, x): Pair<'_, Self>,
        v: &[Self],
        out: &mut [Self],
    ) {
        for (i, row) in rows.enumerate() {
            let mut sum = Self::ZERO;
            for j in 0..row.len() {
                row[j] -= f[i] * x[j];
                sum += row[j] * v[j];
            }
            out[i] = sum;
        }
    }

    /// For the lower triangle of a Hermitian matrix: `row -= first factor * first + second factor * second`, then the
    /// product of the whole matrix with `v`.
    fn update_and_apply_lower(
        rows: Part<'_, Self>,
        [(f, x), (g, y)]: [Pair<'_, Self>; 2],
        v: &[Self],
        out: &mut [Self],
    ) {
        for (i, row) in rows.enumerate() {
            let mut sum = Self::ZERO;
            for j in 0..=i {
                row[j] -= f[i] * x[j] + g[i] * y[j];
                sum += row[j] * v[j];
                if j < i {
                    out[j] += row[j].conj() * v[i];
                }
            }
            out[i] = sum;
        }
    }

    /// `row -= first factor * first + second factor * second` for every row of a matrix, then the products with `v`; adds
    /// to `sums` the rows times the conjugates of `u`.
    fn update_both(
        rows: Part<'_, Self>,
        [(f, x), (g, y)]: [Pair<'_, Self>; 2],
        v: &[Self],
        u: &[Self],
        out: &mut [Self],
        sums: &mut [Self],
    ) {
        for (i, row) in rows.enumerate() {
            let (weight, mut sum) = (u[i].conj(), Self::ZERO);
            for j in 0..row.len() {
                row[j] -= f[i] * x[j] + g[i] * y[j];
                sum += row[j] * v[j];
                sums[j] += weight * row[j];
            }
            out[i] = sum;
        }
    }

    /// `row -= factor * other` for every row of a matrix; adds to `out` the rows times the conjugates of `u`.
    fn update_and_gather(
        rows: Part<'_, Self>,
        (f, x): Pair<'_, Self>,
        u: &[Self],
        out: &mut [Self],
    ) {
        for (i, row) in rows.enumerate() {
            let weight = u[i].conj();
            for j in 0..row.len() {
                row[j] -= f[i] * x[j];
                out[j] += weight * row[j];
            }
        }
    }
}

/// How many columns are factored at once: a vector of the widest processors.
pub const WIDTH: usize = 8;

/// A factor per row, and the row that it multiplies.
pub type Pair<'a, T> = (&'a [T], &'a [T]);

/// The right part of some rows of a matrix.
pub struct Part<'a, T> {
    /// From the first row on.
    pub data: &'a mut [T],
    /// Elements of a whole row.
    pub stride: usize,
    /// Where the part begins in each row.
    pub from: usize,
}

impl<'a, T> Part<'a, T> {
    /// The parts of all rows with their numbers.
    fn enumerate(self) -> impl Iterator<Item = (usize, &'a mut [T])> {
        let from = self.from;
        let rows = self.data.chunks_exact_mut(self.stride.max(1));
        rows.map(move |row| &mut row[from..]).enumerate()
    }
}

impl Field for Complex64 {
    const IS_REAL: bool = false;
    #[inline]
    fn real(x: f64) -> Self {
        Complex64::new(x, 0.0)
    }
    #[inline]
    fn re(self) -> f64 {
        self.re
    }
    #[inline]
    fn im(self) -> f64 {
        self.im
    }
    #[inline]
    fn conj(self) -> Self {
        Complex64::conj(&self)
    }
    #[inline]
    fn norm_sqr(self) -> f64 {
        Complex64::norm_sqr(&self)
    }
    #[inline]
    fn size(self) -> f64 {
        self.re.abs() + self.im.abs()
    }
    #[inline]
    fn magnitude(self) -> f64 {
        self.norm()
    }
}

impl Field for f64 {
    const IS_REAL: bool = true;
    #[inline(always)]
    fn real(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn re(self) -> f64 {
        self
    }
    #[inline(always)]
    fn im(self) -> f64 {
        0.0
    }
    #[inline(always)]
    fn conj(self) -> Self {
        self
    }
    #[inline(always)]
    fn norm_sqr(self) -> f64 {
        self * self
    }
    #[inline(always)]
    fn size(self) -> f64 {
        self.abs()
    }
    #[inline(always)]
    fn magnitude(self) -> f64 {
        self.abs()
    }
    fn transpose(from: &[f64], rows: usize, to: &mut [f64]) {
        transpose(from, rows, to);
    }
    fn dot(x: &[f64], y: &[f64]) -> f64 {
        dot(x, y)
    }
    fn add_scaled(y: &mut [f64], factor: f64, x: &[f64]) {
        add_scaled(y, factor, x);
    }
    fn eliminate(rows: &mut [[f64; WIDTH]], top: &[f64; WIDTH], at: usize) {
        eliminate(rows, top, at);
    }
    fn update_and_apply(rows: Part<'_, f64>, pair: Pair<'_, f64>, v: &[f64], out: &mut [f64]) {
        update_and_apply(rows, pair, v, out);
    }
    fn update_and_apply_lower(
        rows: Part<'_, f64>,
        pairs: [Pair<'_, f64>; 2],
        v: &[f64],
        out: &mut [f64],
    ) {
        update_and_apply_lower(rows, pairs, v, out);
    }
    fn update_both(
        rows: Part<'_, f64>,
        pairs: [Pair<'_, f64>; 2],
        v: &[f64],
        u: &[f64],
        out: &mut [f64],
        sums: &mut [f64],
    ) {
        super::reflections::update_both(rows, pairs, v, u, out, sums);
    }
    fn update_and_gather(rows: Part<'_, f64>, pair: Pair<'_, f64>, u: &[f64], out: &mut [f64]) {
        update_and_gather(rows, pair, u, out);
    }
}

/// Writes the transpose of a matrix of so many rows, a square after the other.
fn transpose<T: Copy>(from: &[T], rows: usize, to: &mut [T]) {
    /// Rows and columns that are exchanged at once: lines of the cache in both.
    const SIDE: usize = 8;
    let cols = from.len() / rows.max(1);
    if rows == 0 || cols == 0 {
        return;
    }
    for top in (0..rows).step_by(SIDE) {
        let strip = &from[top * cols..(top + SIDE).min(rows) * cols];
        let height = strip.len() / cols;
        for (j, to) in to.chunks_exact_mut(rows).enumerate() {
            let to = &mut to[top..top + height];
            for (to, row) in to.iter_mut().zip(strip.chunks_exact(cols)) {
                *to = row[j];
            }
        }
    }
}

multiversion! { fn dot(x: &[f64], y: &[f64]) -> f64 = dot_rows }
multiversion! { fn add_scaled(y: &mut [f64], factor: f64, x: &[f64]) = add_scaled_row }
multiversion! { fn eliminate(rows: &mut [[f64; WIDTH]], top: &[f64; WIDTH], at: usize) = eliminate_real }
multiversion! { fn update_and_apply(rows: Part<'_, f64>, pair: Pair<'_, f64>, v: &[f64], out: &mut [f64]) = update_and_apply_rows }
multiversion! { fn update_and_apply_lower(rows: Part<'_, f64>, pairs: [Pair<'_, f64>; 2], v: &[f64], out: &mut [f64]) = update_and_apply_lower_rows }
multiversion! { fn update_and_gather(rows: Part<'_, f64>, pair: Pair<'_, f64>, u: &[f64], out: &mut [f64]) = update_and_gather_rows }
/// Sums that are added up side by side.
const SUMS: usize = 32;

#[inline(always)]
fn total(sums: &[f64; SUMS]) -> f64 {
    let mut sums = *sums;
    let mut width = SUMS / 2;
    while width > 0 {
        for i in 0..width {
            sums[i] += sums[i + width];
        }
        width /= 2;
    }
    sums[0]
}

#[inline(always)]
fn dot_rows<const FUSED: bool>(x: &[f64], y: &[f64]) -> f64 {
    /// Of short rows.
    const FEW: usize = 8;
    let mut sums = [0.0; SUMS];
    let (xs, ys) = (x.chunks_exact(SUMS), y.chunks_exact(SUMS));
    let (few_x, few_y) = (
        xs.remainder().chunks_exact(FEW),
        ys.remainder().chunks_exact(FEW),
    );
    let rest = few_x.remainder().iter().zip(few_y.remainder());
    let rest = rest.fold(0.0, |sum, (a, b)| fma::<f64, FUSED>(*a, *b, sum));
    for (x, y) in few_x.zip(few_y) {
        for l in 0..FEW {
            sums[l] = fma::<f64, FUSED>(x[l], y[l], sums[l]);
        }
    }
    for (x, y) in xs.zip(ys) {
        for l in 0..SUMS {
            sums[l] = fma::<f64, FUSED>(x[l], y[l], sums[l]);
        }
    }
    rest + total(&sums)
}

#[inline(always)]
fn add_scaled_row<const FUSED: bool>(y: &mut [f64], factor: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = fma::<f64, FUSED>(factor, *x, *y);
    }
}

#[inline(always)]
fn eliminate_rows<const FUSED: bool, T: Field>(
    rows: &mut [[T; WIDTH]],
    top: &[T; WIDTH],
    at: usize,
) {
    let pivot = top[at];
    for row in rows {
        let factor = row[at] / pivot;
        for c in 0..WIDTH {
            let less = row[c] - factor * top[c];
            row[c] = if c > at { less } else { row[c] };
        }
        row[at] = factor;
    }
}

#[inline(always)]
fn eliminate_real<const FUSED: bool>(rows: &mut [[f64; WIDTH]], top: &[f64; WIDTH], at: usize) {
    eliminate_rows::<FUSED, f64>(rows, top, at);
}

#[inline(always)]
fn update_and_apply_rows<const FUSED: bool>(
    rows: Part<'_, f64>,
    (f, x): Pair<'_, f64>,
    v: &[f64],
    out: &mut [f64],
) {
    for (i, row) in rows.enumerate() {
        let f = -f[i];
        let mut sums = [0.0; SUMS];
        let whole = row.len() / SUMS * SUMS;
        let (row, last) = row.split_at_mut(whole);
        for (k, row) in row.chunks_exact_mut(SUMS).enumerate() {
            let at = k * SUMS..(k + 1) * SUMS;
            let (x, v) = (&x[at.clone()], &v[at]);
            for l in 0..SUMS {
                row[l] = fma::<f64, FUSED>(f, x[l], row[l]);
                sums[l] = fma::<f64, FUSED>(row[l], v[l], sums[l]);
            }
        }
        let mut sum = total(&sums);
        for (j, element) in (whole..).zip(last) {
            *element = fma::<f64, FUSED>(f, x[j], *element);
            sum = fma::<f64, FUSED>(*element, v[j], sum);
        }
        out[i] = sum;
    }
}

#[inline(always)]
fn update_and_apply_lower_rows<const FUSED: bool>(
    rows: Part<'_, f64>,
    [(f, x), (g, y)]: [Pair<'_, f64>; 2],
    v: &[f64],
    out: &mut [f64],
) {
    for (i, row) in rows.enumerate() {
        let (f, g, own) = (-f[i], -g[i], v[i]);
        let mut sums = [0.0; SUMS];
        let whole = i / SUMS * SUMS;
        let (row, last) = row[..=i].split_at_mut(whole);
        for (k, row) in row.chunks_exact_mut(SUMS).enumerate() {
            let at = k * SUMS..(k + 1) * SUMS;
            let (x, y, v) = (&x[at.clone()], &y[at.clone()], &v[at.clone()]);
            let out = &mut out[at];
            for l in 0..SUMS {
                let new = fma::<f64, FUSED>(g, y[l], fma::<f64, FUSED>(f, x[l], row[l]));
                row[l] = new;
                sums[l] = fma::<f64, FUSED>(new, v[l], sums[l]);
                out[l] = fma::<f64, FUSED>(new, own, out[l]);
            }
        }
        let mut sum = total(&sums);
        for (j, element) in (whole..).zip(last) {
            let new = fma::<f64, FUSED>(g, y[j], fma::<f64, FUSED>(f, x[j], *element));
            *element = new;
            if j < i {
                out[j] = fma::<f64, FUSED>(new, own, out[j]);
            }
            sum = fma::<f64, FUSED>(new, v[j], sum);
        }
        out[i] = sum;
    }
}

#[inline(always)]
fn update_and_gather_rows<const FUSED: bool>(
    rows: Part<'_, f64>,
    (f, x): Pair<'_, f64>,
    u: &[f64],
    out: &mut [f64],
) {
    for (i, row) in rows.enumerate() {
        let (f, weight) = (-f[i], u[i]);
        for ((element, x), out) in row.iter_mut().zip(x).zip(&mut *out) {
            *element = fma::<f64, FUSED>(f, *x, *element);
            *out = fma::<f64, FUSED>(weight, *element, *out);
        }
    }
}
