//! Householder reflections, `H = I - tau v vᴴ` with v starting with one, alone and in blocks.

use super::matrix::{Dense, Mat, dense_of, dense_of_two, of_either};
use rushlight_kernels::linalg::dense::field::Field;
use rushlight_kernels::linalg::gemm::{self, Matrix};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Complex64, Element, watch};
use std::ops::Range;

/// R on and above the diagonal, the reflectors below it, and their factors.
pub struct Reflectors {
    pub packed: Dense,
    pub tau: Vec<Complex64>,
}

/// Reflectors that are applied at once.
const BLOCK: usize = 32;

/// Up to so many are not worth a block.
const FEW: usize = 4;

/// What brings a vector to a multiple of the first unit vector: that multiple, a real number, and the reflector's factor.
/// The vector becomes the reflector's, except for its first element.
pub fn reflector<T: Field>(x: &mut [T]) -> (f64, T) {
    let Some((first, rest)) = x.split_first_mut() else {
        return (0.0, T::ZERO);
    };
    let below = T::dot(rest, rest).re();
    let alpha = *first;
    if below == 0.0 && alpha.im() == 0.0 {
        return (alpha.re(), T::ZERO);
    }
    let plain = (alpha.norm_sqr() + below).sqrt();
    let length = if below.is_normal() && plain.is_finite() {
        plain
    } else {
        // Squares that are too large or too small.
        let largest = rest.iter().map(|c| c.size()).fold(alpha.size(), f64::max);
        let scaled = |c: &T| (*c / largest).norm_sqr();
        largest * (scaled(&alpha) + rest.iter().map(scaled).sum::<f64>()).sqrt()
    };
    let beta = if alpha.re() >= 0.0 { -length } else { length };
    let scale = T::ONE / (alpha - T::real(beta));
    rest.iter_mut().for_each(|v| *v *= scale);
    (beta, (T::real(beta) - alpha) / beta)
}

/// The reflectors that bring a matrix to triangular form.
pub fn reflect(a: &Dense) -> Reflectors {
    let factors;
    let packed = dense_of!(a, a => {
        let (packed, tau) = triangular(a.clone());
        factors = tau.iter().map(|t| t.to_complex()).collected();
        packed
    });
    Reflectors {
        packed,
        tau: factors,
    }
}

/// R with the reflectors below it, and their factors.
pub fn triangular<T: Field>(mut m: Mat<T>) -> (Mat<T>, Vec<T>) {
    let steps = m.rows.min(m.cols);
    let mut tau = memory::with_capacity(steps);
    for left in (0..steps).step_by(BLOCK) {
        let right = (left + BLOCK).min(steps);
        // The block's columns as rows without gaps.
        let mut panel = m.copied(left..m.rows, left..right).transposed();
        for k in 0..right - left {
            watch::poll();
            let (above, below) = panel.split_rows(k + 1);
            let own = &mut above[k * (m.rows - left)..][k..];
            let (beta, factor) = reflector(own);
            tau.push(factor);
            own[0] = T::ONE;
            for other in below.chunks_exact_mut(m.rows - left) {
                let other = &mut other[k..];
                let dot = T::dot(own, other) * factor.conj();
                T::add_scaled(other, -dot, own);
            }
            own[0] = T::real(beta);
        }
        m.put(left, left, &panel.transposed());
        let (rows, cols) = (m.rows, m.cols);
        if right < cols {
            let own = Block::new(&m, &tau, left..right, rows, 0);
            own.apply(
                &mut m.elements_mut()[left * cols + right..],
                cols - right,
                cols,
                true,
            );
        }
    }
    (m, tau)
}

/// Some reflectors as one: `I - V T Vᴴ` (Schreiber and Van Loan, 1989).
pub(super) struct Block<T> {
    v: Mat<T>,
    adjoint: Mat<T>,
    t: Mat<T>,
}

impl<T: Field> Block<T> {
    /// The reflectors `range` of those in the columns of a matrix, the first of which begins `shift` rows below the
    /// diagonal.
    pub(super) fn new(
        packed: &Mat<T>,
        tau: &[T],
        range: Range<usize>,
        rows: usize,
        shift: usize,
    ) -> Block<T> {
        let (start, width) = (range.start, range.len());
        let v = packed
            .copied(start + shift..rows, range)
            .triangle(false, true);
        let adjoint = v.adjoint();
        let products = adjoint.times(&v);
        let mut t = Mat::zeros(width, width);
        for j in 0..width {
            let factor = tau[start + j];
            for i in 0..j {
                let sum = (i..j).fold(T::ZERO, |sum, k| sum + t[(i, k)] * products[(k, j)]);
                t[(i, j)] = -(factor * sum);
            }
            t[(j, j)] = factor;
        }
        Block { v, adjoint, t }
    }

    /// Applies it, or its adjoint, to `cols` columns of rows of `stride` elements, the first of which is that where the
    /// reflectors begin.
    fn apply(&self, x: &mut [T], cols: usize, stride: usize, adjoint: bool) {
        let (rows, width) = (self.v.rows, self.v.cols);
        let own = Matrix::new(x, rows, cols, stride, 1);
        let mut w = Mat::zeros(width, cols);
        gemm::product(self.adjoint.whole(), own, w.elements_mut(), cols, false);
        let t = if adjoint {
            self.t.adjoint()
        } else {
            self.t.clone()
        };
        let w = t.map(|x| -x).times(&w);
        gemm::product(self.v.whole(), w.whole(), x, stride, true);
    }

    /// Applies it from the right to so many rows of `stride` elements, from column `at` on.
    pub(super) fn apply_right(&self, x: &mut [T], rows: usize, at: usize, stride: usize) {
        let (height, width) = (self.v.rows, self.v.cols);
        let own = Matrix::new(&x[at..], rows, height, stride, 1);
        let mut w = Mat::zeros(rows, width);
        gemm::product(own, self.v.whole(), w.elements_mut(), width, false);
        let w = w.times(&self.t).map(|x| -x);
        gemm::product(w.whole(), self.adjoint.whole(), &mut x[at..], stride, true);
    }
}

/// `Q x` or `Qᴴ x` of reflectors in the columns of a matrix that begin `shift` rows below the diagonal.
pub fn apply<T: Field>(packed: &Mat<T>, tau: &[T], shift: usize, x: &mut Mat<T>, adjoint: bool) {
    let (count, cols) = (tau.len(), x.cols);
    if cols == 0 {
        return;
    }
    let blocks = count.div_ceil(BLOCK);
    for step in 0..blocks {
        watch::poll();
        let own = if adjoint { step } else { blocks - 1 - step };
        let range = own * BLOCK..((own + 1) * BLOCK).min(count);
        let first = (range.start + shift) * cols;
        let (small, rows) = (range.len() <= FEW, x.rows);
        let x = &mut x.elements_mut()[first..];
        if small {
            one_by_one(packed, tau, range, shift, x, cols, adjoint);
        } else {
            Block::new(packed, tau, range, rows, shift).apply(x, cols, cols, adjoint);
        }
    }
}

/// The first `cols` columns of Q. A block meets no column of the identity before its own first one.
fn columns<T: Field>(packed: &Mat<T>, tau: &[T], cols: usize) -> Mat<T> {
    let (rows, count) = (packed.rows, tau.len());
    let mut x = Mat::eye(rows, cols);
    if count <= FEW {
        apply(packed, tau, 0, &mut x, false);
        return x;
    }
    for start in (0..count.min(cols)).step_by(BLOCK).rev() {
        watch::poll();
        let range = start..(start + BLOCK).min(count);
        let own = &mut x.elements_mut()[start * cols + start..];
        Block::new(packed, tau, range, rows, 0).apply(own, cols - start, cols, false);
    }
    x
}

/// Applies a few reflectors; `x` begins with the row where the first one does.
fn one_by_one<T: Field>(
    packed: &Mat<T>,
    tau: &[T],
    range: Range<usize>,
    shift: usize,
    x: &mut [T],
    cols: usize,
    adjoint: bool,
) {
    let (start, count) = (range.start, range.len());
    let mut w = memory::filled(cols, T::ZERO);
    for step in 0..count {
        let k = if adjoint { step } else { count - 1 - step };
        let column = start + k;
        let v = |i: usize| match i {
            0 => T::ONE,
            _ => packed[(column + shift + i, column)],
        };
        let factor = tau[column];
        let factor = if adjoint { factor.conj() } else { factor };
        let rows = &mut x[k * cols..];
        w.fill(T::ZERO);
        for (i, row) in rows.chunks_exact(cols).enumerate() {
            T::add_scaled(&mut w, v(i).conj(), row);
        }
        for (i, row) in rows.chunks_exact_mut(cols).enumerate() {
            T::add_scaled(row, -(factor * v(i)), &w);
        }
    }
}

impl Reflectors {
    /// `Q x` or `Qᴴ x`.
    pub fn times(&self, x: &Dense, adjoint: bool) -> Dense {
        dense_of_two!(&self.packed, x, (packed, x) => {
            applied(packed, &self.tau, x.clone(), adjoint)
        })
    }

    /// The first `cols` columns of Q.
    pub fn q(&self, cols: usize) -> Dense {
        dense_of!(&self.packed, m => columns(m, &factors(&self.tau), cols))
    }

    /// The first `rows` rows of R.
    pub fn r(&self, rows: usize) -> Dense {
        let own = of_either!(&self.packed, m => rows.min(m.rows));
        dense_of!(&self.packed, m => m.copied(0..own, 0..m.cols).triangle(true, false))
            .with_rows(rows)
    }
}

/// [`apply`] with factors that are given as complex numbers.
fn applied<T: Field>(packed: &Mat<T>, tau: &[Complex64], mut x: Mat<T>, adjoint: bool) -> Mat<T> {
    apply(packed, &factors(tau), 0, &mut x, adjoint);
    x
}

/// Factors of reflectors as numbers of the matrix's kind.
fn factors<T: Field>(tau: &[Complex64]) -> Vec<T> {
    tau.iter().map(|t| T::from_complex(*t)).collected()
}
