//! Eigenvalues and eigenvectors: Jacobi's rotations for Hermitian matrices, the QR algorithm for others.

use super::matrix::{Dense, ONE, ZERO};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Complex64, watch};

/// Sweeps of rotations, or steps per eigenvalue, before giving up.
const LIMIT: usize = 100;

/// Ascending eigenvalues and orthonormal eigenvectors (as columns) of a Hermitian matrix.
pub fn hermitian(a: &Dense) -> (Vec<f64>, Dense) {
    let n = a.rows;
    if !a.is_finite() {
        // The rotations would never see what is not a number.
        return (memory::filled(n, f64::NAN), Dense::unknown(n, n));
    }
    let (mut m, mut v) = (a.clone(), Dense::identity(n));
    let total: f64 = m.elements().iter().map(|c| c.norm_sqr()).sum();
    for _ in 0..LIMIT {
        watch::poll();
        let off: f64 = (0..n)
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|p| m[p].norm_sqr())
            .sum();
        if off.is_nan() || off <= 1e-32 * total {
            break;
        }
        for p in 0..n {
            watch::poll();
            for q in p + 1..n {
                watch::poll();
                rotate(&mut m, &mut v, p, q);
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collected();
    order.sort_by(|x, y| m[(*x, *x)].re.total_cmp(&m[(*y, *y)].re));
    let values = order.iter().map(|k| m[(*k, *k)].re).collected();
    (values, Dense::from_fn(n, n, |i, j| v[(i, order[j])]))
}

/// One rotation that makes the element at `(p, q)` zero.
fn rotate(m: &mut Dense, v: &mut Dense, p: usize, q: usize) {
    let off = m[(p, q)];
    let size = off.norm();
    if size == 0.0 {
        return;
    }
    let phase = off / size;
    let theta = (m[(q, q)].re - m[(p, p)].re) / (2.0 * size);
    let t = if theta >= 0.0 { 1.0 } else { -1.0 } / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let n = m.rows;
    for k in 0..n {
        let (x, y) = (m[(k, p)], m[(k, q)]);
        m[(k, p)] = x * c - y * phase.conj() * s;
        m[(k, q)] = x * phase * s + y * c;
        let (x, y) = (v[(k, p)], v[(k, q)]);
        v[(k, p)] = x * c - y * phase.conj() * s;
        v[(k, q)] = x * phase * s + y * c;
    }
    for k in 0..n {
        let (x, y) = (m[(p, k)], m[(q, k)]);
        m[(p, k)] = x * c - y * phase * s;
        m[(q, k)] = x * phase.conj() * s + y * c;
    }
    m[(p, q)] = ZERO;
    m[(q, p)] = ZERO;
}

/// The Hermitian matrix of which one triangle is given.
pub fn from_triangle(m: &Dense, upper: bool) -> Dense {
    Dense::from_fn(m.rows, m.cols, |i, j| {
        if i == j {
            Complex64::new(m[(i, i)].re, 0.0)
        } else if (i < j) == upper {
            m[(i, j)]
        } else {
            m[(j, i)].conj()
        }
    })
}

/// A unitary matrix and the upper triangular one that the input becomes under it: `A = Q T Qᴴ`.
pub fn schur(a: &Dense) -> Option<(Dense, Dense)> {
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
fn negligible(t: &Dense, k: usize) -> bool {
    let near = t[(k, k)].norm() + t[(k - 1, k - 1)].norm();
    let near = if near == 0.0 { 1.0 } else { near };
    t[(k, k - 1)].norm() <= f64::EPSILON * near
}

/// The eigenvalue of the last two by two block that is nearer to the last element.
fn wilkinson(t: &Dense, high: usize) -> Complex64 {
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
fn qr_step(t: &mut Dense, q: &mut Dense, low: usize, high: usize, shift: Complex64) {
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
fn hessenberg(a: &Dense) -> (Dense, Dense) {
    let n = a.rows;
    let (mut h, mut q) = (a.clone(), Dense::identity(n));
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
pub fn vectors_of(q: &Dense, t: &Dense) -> Dense {
    let n = t.rows;
    let tiny = f64::EPSILON * t.one_norm().max(f64::MIN_POSITIVE);
    let mut all = Dense::zeros(n, n);
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
