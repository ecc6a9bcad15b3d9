//! The singular value decomposition of a matrix.

use super::eigen::hermitian;
use super::matrix::{Batch, Dense, ONE, ZERO};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Complex64, Result, Tensor, watch};

/// `A = U diag(S) Vᴴ` with as many columns as the smaller size; singular values descend.
pub struct Svd {
    pub u: Dense,
    pub s: Vec<f64>,
    pub v: Dense,
}

/// The thin decomposition of a matrix.
pub fn decompose(a: &Dense) -> Svd {
    if a.rows < a.cols {
        let flipped = decompose(&a.adjoint());
        return Svd {
            u: flipped.v,
            s: flipped.s,
            v: flipped.u,
        };
    }
    let n = a.cols;
    if !a.is_finite() {
        return Svd {
            u: Dense::unknown(a.rows, n),
            s: memory::filled(n, f64::NAN),
            v: Dense::unknown(n, n),
        };
    }
    let (mut w, mut v) = (a.clone(), Dense::identity(n));
    for _ in 0..60 {
        watch::poll();
        let mut rotated = false;
        for p in 0..n {
            watch::poll();
            for q in p + 1..n {
                watch::poll();
                rotated |= orthogonalise(&mut w, &mut v, p, q);
            }
        }
        if !rotated {
            break;
        }
    }
    let lengths: Vec<f64> = (0..n)
        .map(|j| {
            (0..w.rows)
                .map(|i| w[(i, j)].norm_sqr())
                .sum::<f64>()
                .sqrt()
        })
        .collected();
    let mut order: Vec<usize> = (0..n).collected();
    order.sort_by(|x, y| lengths[*y].total_cmp(&lengths[*x]));
    let s: Vec<f64> = order.iter().map(|k| lengths[*k]).collected();
    let mut u = Dense::from_fn(w.rows, n, |i, j| {
        if s[j] > 0.0 {
            w[(i, order[j])] / s[j]
        } else {
            ZERO
        }
    });
    // Columns without length are filled with anything orthogonal to the others.
    let filled = s.iter().take_while(|s| **s > 0.0).count();
    complete(&mut u, filled);
    Svd {
        u,
        s,
        v: Dense::from_fn(n, n, |i, j| v[(i, order[j])]),
    }
}

/// Rotates two columns until they are orthogonal; says whether they were not.
fn orthogonalise(w: &mut Dense, v: &mut Dense, p: usize, q: usize) -> bool {
    let (mut pp, mut qq, mut pq) = (0.0, 0.0, ZERO);
    for i in 0..w.rows {
        pp += w[(i, p)].norm_sqr();
        qq += w[(i, q)].norm_sqr();
        pq += w[(i, p)].conj() * w[(i, q)];
    }
    let size = pq.norm();
    if size.is_nan() || size <= 1e-16 * (pp * qq).sqrt() || size == 0.0 {
        return false;
    }
    let phase = pq / size;
    let theta = (qq - pp) / (2.0 * size);
    let t = if theta >= 0.0 { 1.0 } else { -1.0 } / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for m in [w, v] {
        watch::poll();
        for i in 0..m.rows {
            let (x, y) = (m[(i, p)], m[(i, q)]);
            m[(i, p)] = x * c - y * phase.conj() * s;
            m[(i, q)] = x * phase * s + y * c;
        }
    }
    true
}

/// Fills the columns from `first` on so that all are orthonormal.
pub fn complete(u: &mut Dense, first: usize) {
    let mut candidate = 0;
    for j in first..u.cols {
        watch::poll();
        while candidate < u.rows {
            watch::poll();
            let mut x: Vec<Complex64> = (0..u.rows)
                .map(|i| if i == candidate { ONE } else { ZERO })
                .collected();
            candidate += 1;
            for _ in 0..2 {
                for k in 0..j {
                    watch::poll();
                    let dot: Complex64 = (0..u.rows).map(|i| u[(i, k)].conj() * x[i]).sum();
                    for (i, value) in x.iter_mut().enumerate() {
                        *value -= u[(i, k)] * dot;
                    }
                }
            }
            let length = x.iter().map(|c| c.norm_sqr()).sum::<f64>().sqrt();
            if length > 1e-6 {
                for (i, value) in x.iter().enumerate() {
                    u[(i, j)] = value / length;
                }
                break;
            }
        }
    }
}

/// Singular values, as magnitudes of eigenvalues for Hermitian matrices; with the vectors.
pub fn spectrum(m: &Dense, is_hermitian: bool) -> Svd {
    if !is_hermitian {
        return decompose(m);
    }
    let lower = Dense::from_fn(m.rows, m.cols, |i, j| {
        if j <= i { m[(i, j)] } else { m[(j, i)].conj() }
    });
    let (values, vectors) = hermitian(&lower);
    let mut order: Vec<usize> = (0..values.len()).collected();
    order.sort_by(|x, y| values[*y].abs().total_cmp(&values[*x].abs()));
    let sign = |k: usize| if values[k] < 0.0 { -1.0 } else { 1.0 };
    Svd {
        u: Dense::from_fn(m.rows, m.rows, |i, j| {
            vectors[(i, order[j])] * sign(order[j])
        }),
        s: order.iter().map(|k| values[*k].abs()).collected(),
        v: Dense::from_fn(m.rows, m.rows, |i, j| vectors[(i, order[j])]),
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
        let gap = m.times(x).plus(-1.0, b);
        for j in 0..gap.cols {
            watch::poll();
            let sum: f64 = (0..gap.rows).map(|i| gap[(i, j)].norm_sqr()).sum();
            out.push(Complex64::new(sum, 0.0));
        }
    }
    right.vectors(out, right.cols, real)
}
