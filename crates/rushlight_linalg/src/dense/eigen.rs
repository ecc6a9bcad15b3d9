//! Eigenvalues and eigenvectors: of Hermitian matrices by their tridiagonal form, of others by the QR algorithm.

use super::matrix::{Dense, Mat, ONE, ZERO, dense_of, of_either};
use super::tridiagonal;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Complex64, watch};

type Complex = Mat<Complex64>;

/// Steps per eigenvalue before giving up.
const LIMIT: usize = 100;

/// Ascending eigenvalues of a Hermitian matrix.
pub fn hermitian_values(a: &Dense) -> Vec<f64> {
    if !a.is_finite() {
        return memory::filled(a.rows(), f64::NAN);
    }
    of_either!(a, a => tridiagonal::values(a.clone()))
}

/// Ascending eigenvalues and orthonormal eigenvectors (as columns) of a Hermitian matrix.
pub fn hermitian(a: &Dense) -> (Vec<f64>, Dense) {
    let mut values = memory::filled(a.rows(), f64::NAN);
    let finite = a.is_finite();
    let vectors = dense_of!(a, a => {
        if finite {
            let (own, vectors) = tridiagonal::eigen(a.clone());
            values = own;
            vectors
        } else {
            Mat::unknown(a.rows, a.cols)
        }
    });
    (values, vectors)
}

/// A unitary matrix and the upper triangular one that the input becomes under it: `A = Q T Qᴴ`.
pub fn schur(a: &Complex) -> Option<(Complex, Complex)> {
    let n = a.rows;
    let (mut t, mut q) = hessenberg(a);
    let mut high = n;
    let mut steps = 0;
    while high > 1 {
        watch::poll();
        let low = (1..high)
            .rev()
            .find(|k| negligible(&t, *k))
            .inspect(|k| t[(*k, *k - 1)] = ZERO)
            .unwrap_or(0);
        if low == high - 1 {
            high -= 1;
            steps = 0;
            continue;
        }
        steps += 1;
        if steps > LIMIT {
            return None;
        }
        // Every tenth step another shift, against cycles.
        let shift = if steps.is_multiple_of(10) {
            t[(high - 1, high - 1)] + t[(high - 1, high - 2)].norm()
        } else {
            wilkinson(&t, high)
        };
        qr_step(&mut t, &mut q, low, high, shift);
    }
    Some((q, t))
}

/// Whether the element below the diagonal of row `k` is as good as zero.
fn negligible(t: &Complex, k: usize) -> bool {
    let near = t[(k, k)].norm() + t[(k - 1, k - 1)].norm();
    let near = if near == 0.0 { 1.0 } else { near };
    t[(k, k - 1)].norm() <= f64::EPSILON * near
}

/// The eigenvalue of the last two by two block that is nearer to the last element.
fn wilkinson(t: &Complex, high: usize) -> Complex64 {
    let (a, b) = (t[(high - 2, high - 2)], t[(high - 2, high - 1)]);
    let (c, d) = (t[(high - 1, high - 2)], t[(high - 1, high - 1)]);
    let half = (a - d) * 0.5;
    let root = (half * half + b * c).sqrt();
    let (x, y) = (half + root, half - root);
    let larger = if x.norm() >= y.norm() { x } else { y };
    if larger == ZERO {
        d
    } else {
        d - b * c / larger
    }
}

/// One step of the QR algorithm on rows `low..high` by Givens rotations.
fn qr_step(t: &mut Complex, q: &mut Complex, low: usize, high: usize, shift: Complex64) {
    let n = t.rows;
    for k in low..high {
        t[(k, k)] -= shift;
    }
    let mut rotations = memory::with_capacity(high - low);
    for k in low..high - 1 {
        watch::poll();
        let (x, y) = (t[(k, k)], t[(k + 1, k)]);
        let r = (x.norm_sqr() + y.norm_sqr()).sqrt();
        let (c, s) = if r == 0.0 {
            (ONE, ZERO)
        } else {
            (x / r, y / r)
        };
        for j in k..n {
            let (u, w) = (t[(k, j)], t[(k + 1, j)]);
            t[(k, j)] = c.conj() * u + s.conj() * w;
            t[(k + 1, j)] = c * w - s * u;
        }
        rotations.push((c, s));
    }
    for (k, (c, s)) in (low..).zip(rotations) {
        watch::poll();
        for i in 0..(k + 2).min(high) {
            let (u, w) = (t[(i, k)], t[(i, k + 1)]);
            t[(i, k)] = u * c + w * s;
            t[(i, k + 1)] = w * c.conj() - u * s.conj();
        }
        for i in 0..n {
            let (u, w) = (q[(i, k)], q[(i, k + 1)]);
            q[(i, k)] = u * c + w * s;
            q[(i, k + 1)] = w * c.conj() - u * s.conj();
        }
    }
    for k in low..high {
        t[(k, k)] += shift;
    }
}

/// Hessenberg form by reflections: `A = Q H Qᴴ`.
fn hessenberg(a: &Complex) -> (Complex, Complex) {
    let n = a.rows;
    let (mut h, mut q) = (a.clone(), Complex::eye(n, n));
    for k in 0..n.saturating_sub(2) {
        watch::poll();
        let mut v: Vec<Complex64> = (k + 1..n).map(|i| h[(i, k)]).collected();
        let length = v.iter().map(|c| c.norm_sqr()).sum::<f64>().sqrt();
        if length == 0.0 {
            continue;
        }
        let phase = if v[0] == ZERO {
            ONE
        } else {
            v[0] / v[0].norm()
        };
        v[0] += phase * length;
        let square: f64 = v.iter().map(|c| c.norm_sqr()).sum();
        for j in 0..n {
            watch::poll();
            let dot: Complex64 = v
                .iter()
                .enumerate()
                .map(|(i, c)| c.conj() * h[(k + 1 + i, j)])
                .sum();
            for (i, c) in v.iter().enumerate() {
                h[(k + 1 + i, j)] -= c * dot * (2.0 / square);
            }
        }
        for m in [&mut h, &mut q] {
            watch::poll();
            for i in 0..n {
                watch::poll();
                let dot: Complex64 = v
                    .iter()
                    .enumerate()
                    .map(|(j, c)| m[(i, k + 1 + j)] * c)
                    .sum();
                for (j, c) in v.iter().enumerate() {
                    m[(i, k + 1 + j)] -= dot * c.conj() * (2.0 / square);
                }
            }
        }
    }
    (h, q)
}

/// Eigenvectors of an upper triangular matrix, taken back by `q`, of length one.
pub fn vectors_of(q: &Complex, t: &Complex) -> Complex {
    let n = t.rows;
    let tiny = f64::EPSILON * t.one_norm().max(f64::MIN_POSITIVE);
    let mut all = Complex::zeros(n, n);
    for k in 0..n {
        watch::poll();
        let mut x = memory::filled(n, ZERO);
        x[k] = ONE;
        for i in (0..k).rev() {
            watch::poll();
            let sum: Complex64 = (i + 1..=k).map(|j| t[(i, j)] * x[j]).sum();
            let gap = t[(i, i)] - t[(k, k)];
            let gap = if gap.norm() < tiny {
                Complex64::new(tiny, 0.0)
            } else {
                gap
            };
            x[i] = -sum / gap;
        }
        let mut column: Vec<Complex64> = (0..n)
            .map(|i| (0..n).map(|j| q[(i, j)] * x[j]).sum())
            .collected();
        let length = column.iter().map(|c| c.norm_sqr()).sum::<f64>().sqrt();
        column.iter_mut().for_each(|c| *c /= length);
        // LAPACK turns each vector so that its largest component is real.
        let largest = column.iter().copied().fold(ZERO, |m, c| {
            if c.norm() > m.norm() * (1.0 + 1e-12) {
                c
            } else {
                m
            }
        });
        let phase = if largest == ZERO {
            ONE
        } else {
            largest.conj() / largest.norm()
        };
        for (i, c) in column.iter().enumerate() {
            all[(i, k)] = c * phase;
        }
    }
    all
}
