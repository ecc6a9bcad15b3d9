//! The singular value decomposition of a matrix.

use super::batch::Batch;
use super::bidiagonal;
use super::eigen::{hermitian, hermitian_values};
use super::matrix::{Dense, Mat, dense_of, of_either};
use super::orthogonal::{apply, triangular};
use super::tridiagonal::{descending, scaled};
use rushlight_kernels::linalg::dense::field::Field;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Complex64, Result, Tensor, watch};

/// `A = U diag(S) Vᴴ`; singular values descend.
pub struct Svd {
    pub u: Dense,
    pub s: Vec<f64>,
    pub v: Dense,
}

/// The decomposition with as many columns as the smaller size has.
pub fn decompose(a: &Dense) -> Svd {
    with_vectors(a, false)
}

/// The decomposition with square U and V.
pub fn decompose_fully(a: &Dense) -> Svd {
    with_vectors(a, true)
}

fn with_vectors(a: &Dense, full: bool) -> Svd {
    let wide = a.rows() < a.cols();
    let turned = wide.then(|| a.adjoint());
    let tall = turned.as_ref().unwrap_or(a);
    let cols = if full { tall.rows() } else { tall.cols() };
    let (s, u, v) = match tall {
        Dense::Real(a) => {
            let (s, u, v) = of_tall(a, Some(cols), wide);
            (s, Dense::Real(u), Dense::Real(v))
        }
        Dense::Complex(a) => {
            let (s, u, v) = of_tall(a, Some(cols), wide);
            (s, Dense::Complex(u), Dense::Complex(v))
        }
    };
    let (u, v) = if wide { (v, u) } else { (u, v) };
    Svd { u, s, v }
}

/// The singular values alone.
pub fn values(a: &Dense) -> Vec<f64> {
    if a.rows() < a.cols() {
        return values(&a.adjoint());
    }
    of_either!(a, a => of_tall(a, None, false).0)
}

/// Values and vectors of a matrix with at least as many rows as columns; much taller ones are made triangular first. Where
/// `wide`, it is the adjoint of the matrix in question, which decides the signs.
fn of_tall<T: Field>(a: &Mat<T>, cols: Option<usize>, wide: bool) -> (Vec<f64>, Mat<T>, Mat<T>) {
    let (m, n) = (a.rows, a.cols);
    let nothing = || Mat::zeros(0, 0);
    if !a.is_finite() {
        let u = cols.map_or_else(nothing, |cols| Mat::unknown(m, cols));
        let v = cols.map_or_else(nothing, |_| Mat::unknown(n, n));
        return (memory::filled(n, f64::NAN), u, v);
    }
    let (a, unit) = scaled(a.clone());
    let tall = m >= n.saturating_mul(3) / 2 && m > n;
    let (mut s, vectors) = if tall {
        let (packed, tau) = triangular(a);
        let r = packed.copied(0..n, 0..n).triangle(true, false);
        let (s, vectors) = bidiagonal::singular(r, cols.map(|_| n), wide);
        let vectors = vectors.zip(cols).map(|((small, v), cols)| {
            let mut u = Mat::eye(m, cols);
            u.put(0, 0, &small);
            apply(&packed, &tau, 0, &mut u, false);
            (u, v)
        });
        (s, vectors)
    } else {
        bidiagonal::singular(a, cols, wide)
    };
    s.iter_mut().for_each(|s| *s *= unit);
    let (u, v) = vectors.unwrap_or_else(|| (nothing(), nothing()));
    (s, u, v)
}

/// Singular values, as magnitudes of eigenvalues for Hermitian matrices.
pub fn spectral_values(m: &Dense, is_hermitian: bool) -> Vec<f64> {
    if !is_hermitian {
        return values(m);
    }
    let own = hermitian_values(&m.of_triangle(false));
    descending(&own)
        .into_iter()
        .map(|k| own[k].abs())
        .collected()
}

/// [`spectral_values`] with the vectors.
pub fn spectrum(m: &Dense, is_hermitian: bool) -> Svd {
    if !is_hermitian {
        return decompose(m);
    }
    let (values, vectors) = hermitian(&m.of_triangle(false));
    let order = descending(&values);
    let signs: Vec<f64> = order
        .iter()
        .map(|k| if values[*k] < 0.0 { -1.0 } else { 1.0 })
        .collected();
    let v = dense_of!(&vectors, v => v.columns(&order));
    Svd {
        u: v.clone().scale_columns(&signs),
        s: order.iter().map(|k| values[*k].abs()).collected(),
        v,
    }
}

/// Squared lengths of what is left over, where the systems are overdetermined and of full rank.
pub fn residuals(
    batch: &Batch,
    right: &Batch,
    solutions: &[Dense],
    ranks: &[i64],
    driver: &str,
) -> Result<Tensor> {
    let real = batch.dtype.to_real();
    let full = driver != "gelsy" && ranks.iter().all(|r| *r as usize == batch.cols);
    if batch.rows <= batch.cols || !full {
        return Tensor::empty(&[0], real);
    }
    let mut out = Vec::new();
    for ((m, x), b) in batch.matrices.iter().zip(solutions).zip(&right.matrices) {
        watch::poll();
        let gap = m.times(x).minus(b).squares();
        for j in 0..right.cols {
            let sum: f64 = gap.iter().skip(j).step_by(right.cols).sum();
            out.push(Complex64::new(sum, 0.0));
        }
    }
    right.vectors(out, right.cols, real)
}
