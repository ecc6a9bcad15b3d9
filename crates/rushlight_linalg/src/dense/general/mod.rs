//! Eigenvalues and eigenvectors of general matrices: balanced, in Hessenberg form, in Schur's form, and back.

mod back;
mod balance;
mod complex;
mod exchange;
mod francis;
mod hessenberg;
mod windows;

#[cfg(test)]
mod tests;

use super::matrix::{Dense, Mat};
use super::tridiagonal::scaled;
use balance::{Balance, balance};
use rushlight_kernels::linalg::dense::field::Field;
use rushlight_tensor::Complex64;
use std::ops::Range;

/// Eigenvalues, and eigenvectors of length one, one after the other, where wanted.
pub struct Eigen {
    pub values: Vec<Complex64>,
    pub vectors: Vec<Complex64>,
}

/// The eigenvalues of a square matrix of finite numbers; none where they are not found.
pub fn eigen(a: &Dense, vectors: bool) -> Option<Eigen> {
    match a {
        Dense::Real(a) => of_real(a, vectors),
        Dense::Complex(a) => of_complex(a, vectors),
    }
}

/// Whether what is as good as zero is so in f32.
fn is_single(unit: f64) -> bool {
    unit >= f64::from(f32::EPSILON)
}

/// What of a number of a precision is as good as zero next to one, and next to nothing in a matrix of so many rows.
fn units<T: Field>(a: &Mat<T>) -> (f64, f64) {
    let unit = 2.0 * a.precision;
    let least = if is_single(unit) {
        f64::from(f32::MIN_POSITIVE)
    } else {
        f64::MIN_POSITIVE
    };
    (unit, least * (a.rows as f64 / unit))
}

/// A Hessenberg matrix that becomes a triangular one; a real one keeps blocks of two rows on the diagonal, which have complex
/// eigenvalues and equal elements there.
struct Form<T> {
    h: Mat<T>,
    /// The conjugates of Schur's vectors as rows, where wanted.
    z: Option<Mat<T>>,
    /// What is as good as zero next to one.
    unit: f64,
    /// What is as good as zero next to nothing.
    tiny: f64,
}

impl<T: Field> Form<T> {
    /// The Hessenberg form of a matrix that is balanced and brought to a size that can be computed with, and by which factor.
    fn of(a: &Mat<T>, vectors: bool) -> (Form<T>, Balance, f64) {
        let n = a.rows;
        let (unit, tiny) = units(a);
        let (mut a, factor) = scaled(a.clone());
        let balance = balance(&mut a);
        let form = hessenberg::reduce(a, balance.rest.clone());
        let z = vectors.then(|| {
            let mut z = Mat::eye(n, n);
            form.adjoint_times(&mut z);
            z
        });
        let h = form.h;
        (Form { h, z, unit, tiny }, balance, factor)
    }

    /// Whether the element below the diagonal before row `k` is as good as zero (Ahues and Tisseur, 1997).
    fn negligible(&self, k: usize, range: &Range<usize>) -> bool {
        let h = &self.h;
        let below = h[(k, k - 1)].size();
        if below <= self.tiny {
            return true;
        }
        let (a, d) = (h[(k - 1, k - 1)], h[(k, k)]);
        let mut near = a.size() + d.size();
        if near == 0.0 {
            if k >= range.start + 2 {
                near += h[(k - 1, k - 2)].size();
            }
            if k + 1 < range.end {
                near += h[(k + 1, k)].size();
            }
        }
        if below > self.unit * near {
            return false;
        }
        let above = h[(k - 1, k)].size();
        let (large, small) = (below.max(above), below.min(above));
        let apart = (a - d).size();
        let (first, second) = (d.size().max(apart), d.size().min(apart));
        let sum = first + large;
        small * (large / sum) <= self.tiny.max(self.unit * (second * (first / sum)))
    }
}

fn of_real(a: &Mat<f64>, vectors: bool) -> Option<Eigen> {
    let (mut form, balance, factor) = Form::of(a, vectors);
    if !form.solve(balance.rest.clone()) {
        return None;
    }
    let mut values = form.values(0..a.rows);
    let vectors = form.vectors(&values, &balance);
    values.iter_mut().for_each(|x| *x *= factor);
    Some(Eigen { values, vectors })
}

fn of_complex(a: &Mat<Complex64>, vectors: bool) -> Option<Eigen> {
    let (mut form, balance, factor) = Form::of(a, vectors);
    if !form.iterate(balance.rest.clone()) {
        return None;
    }
    let values = (0..a.rows).map(|k| form.h[(k, k)] * factor).collect();
    let vectors = form.vectors(&balance);
    Some(Eigen { values, vectors })
}
