//! Factors of matrices of a few rows, without memory of their own: batches of them are many.

use super::functions::{TERMS, halvings};
use super::orthogonal::reflector;

/// The most rows.
pub const MOST: usize = 8;

/// A matrix of a few rows: what is outside of it is zero.
pub type Square = [[f64; MOST]; MOST];

/// A matrix of its elements, row by row.
pub fn square(a: &[f64], n: usize) -> Square {
    let mut own = Square::default();
    for (row, a) in own.iter_mut().zip(a.chunks_exact(n)) {
        row[..n].copy_from_slice(a);
    }
    own
}

/// L below and U on and above the diagonal of a square matrix, and where each row came from.
pub struct Small {
    lu: Square,
    order: [usize; MOST],
    n: usize,
    odd: bool,
    /// The first zero pivot counted from one, or 0.
    pub info: usize,
}

impl Small {
    /// The factors of a matrix of `n` rows, row-major.
    #[inline]
    pub fn factor(a: &[f64], n: usize) -> Small {
        let mut own = Small {
            lu: square(a, n),
            order: std::array::from_fn(|k| k),
            n,
            odd: false,
            info: 0,
        };
        let lu = &mut own.lu;
        for k in 0..n {
            let mut best = k;
            for i in k + 1..n {
                if lu[i][k].abs() > lu[best][k].abs() {
                    best = i;
                }
            }
            if best != k {
                lu.swap(k, best);
                own.order.swap(k, best);
                own.odd = !own.odd;
            }
            let top = lu[k];
            if top[k] == 0.0 {
                own.info = if own.info == 0 { k + 1 } else { own.info };
                continue;
            }
            for row in &mut lu[k + 1..n] {
                let factor = row[k] / top[k];
                row[k] = factor;
                for j in k + 1..n {
                    row[j] -= factor * top[j];
                }
            }
        }
        own
    }

    /// The determinant.
    pub fn determinant(&self) -> f64 {
        let sign = if self.odd { -1.0 } else { 1.0 };
        (0..self.n).fold(sign, |d, k| d * self.lu[k][k])
    }

    /// The sign of the determinant, and the logarithm of its magnitude.
    pub fn log_determinant(&self) -> (f64, f64) {
        let sign = if self.odd { -1.0 } else { 1.0 };
        (0..self.n).fold((sign, 0.0), |(sign, log), k| {
            let pivot = self.lu[k][k];
            let size = pivot.abs();
            // What is no number has no sign.
            let own = if size > 0.0 { pivot.signum() } else { 0.0 };
            (sign * own, log + pivot.abs().ln())
        })
    }

    /// Adds the elements of P, L and U, row by row, to three lists, where `A = P L U`.
    pub fn split(&self, [p, l, u]: [&mut Vec<f64>; 3]) {
        let n = self.n;
        for i in 0..n {
            p.extend((0..n).map(|j| f64::from(u8::from(self.order[j] == i))));
            let row = &self.lu[i];
            l.extend_from_slice(&row[..i]);
            l.push(1.0);
            l.extend((i + 1..n).map(|_| 0.0));
            u.extend((0..i).map(|_| 0.0));
            u.extend_from_slice(&row[i..n]);
        }
    }

    /// The solution of `A x = b` for a column: `from` gives the elements of b.
    #[inline]
    pub fn solve(&self, from: impl Fn(usize) -> f64) -> [f64; MOST] {
        let n = self.n;
        let mut x = [0.0; MOST];
        for k in 0..n {
            let row = &self.lu[k];
            let mut sum = from(self.order[k]);
            for j in 0..k {
                sum -= row[j] * x[j];
            }
            x[k] = sum;
        }
        for k in (0..n).rev() {
            let row = &self.lu[k];
            let mut sum = x[k];
            for j in k + 1..n {
                sum -= row[j] * x[j];
            }
            x[k] = sum / row[k];
        }
        x
    }
}

/// Cholesky's lower factor, from the lower triangle; none where a minor is not positive.
pub fn cholesky(a: &Square, n: usize) -> Option<Square> {
    let mut l = Square::default();
    for i in 0..n {
        for j in 0..=i {
            let sum = (0..j).fold(a[i][j], |sum, k| sum - l[i][k] * l[j][k]);
            if i > j {
                l[i][j] = sum / l[j][j];
            } else if sum > 0.0 {
                l[i][i] = sum.sqrt();
            } else {
                return None;
            }
        }
    }
    Some(l)
}

/// The transposes of Q and of R, by reflections.
pub fn reflect(a: &Square, n: usize) -> (Square, Square) {
    let mut r = transposed(a);
    let (mut vectors, mut tau) = (Square::default(), [0.0; MOST]);
    for k in 0..n {
        let mut v = r[k];
        v[..k].fill(0.0);
        let (beta, factor) = reflector(&mut v[k..n]);
        v[k] = 1.0;
        for row in &mut r[k + 1..n] {
            take_off(&mut row[k..n], &v[k..n], factor);
        }
        r[k][k] = beta;
        r[k][k + 1..].fill(0.0);
        (vectors[k], tau[k]) = (v, factor);
    }
    let mut q = Square::default();
    for (j, row) in q[..n].iter_mut().enumerate() {
        row[j] = 1.0;
        for k in (0..n).rev() {
            take_off(&mut row[k..n], &vectors[k][k..n], tau[k]);
        }
    }
    (q, r)
}

/// `x - factor (v·x) v`.
fn take_off(x: &mut [f64], v: &[f64], factor: f64) {
    let dot: f64 = x.iter().zip(v).map(|(x, v)| x * v).sum();
    for (x, v) in x.iter_mut().zip(v) {
        *x -= factor * dot * v;
    }
}

/// The exponential, by the series of [`super::functions`]; none where the matrix is not finite.
pub fn exponential(a: &Square, n: usize) -> Option<Square> {
    let sums = (0..n).map(|j| a[..n].iter().map(|row| row[j].abs()).sum::<f64>());
    let norm = sums.fold(0.0, f64::max);
    if !a.iter().flatten().all(|x| x.is_finite()) || !norm.is_finite() {
        return None;
    }
    let (halvings, scale) = halvings(norm);
    let scaled = a.map(|row| row.map(|x| x * scale));
    // Horner's scheme: the matrix is small.
    let mut out = Square::default();
    for k in (0..=TERMS).rev() {
        if k < TERMS {
            let factor = 1.0 / (k + 1) as f64;
            out = product(&out, &scaled, n).map(|row| row.map(|x| x * factor));
        }
        for (i, row) in out[..n].iter_mut().enumerate() {
            row[i] += 1.0;
        }
    }
    for _ in 0..halvings {
        out = product(&out, &out, n);
    }
    Some(out)
}

fn product(a: &Square, b: &Square, n: usize) -> Square {
    let mut out = Square::default();
    for (out, a) in out[..n].iter_mut().zip(a) {
        for (a, b) in a[..n].iter().zip(b) {
            for j in 0..n {
                out[j] += a * b[j];
            }
        }
    }
    out
}

/// The transpose.
pub fn transposed(a: &Square) -> Square {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}
