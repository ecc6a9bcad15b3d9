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
use balance::balance;
use francis::Form;
use rushlight_kernels::linalg::dense::field::Field;
use rushlight_tensor::Complex64;

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

fn of_real(a: &Mat<f64>, vectors: bool) -> Option<Eigen> {
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
    let mut form = Form {
        h: form.h,
        z,
        unit,
        tiny,
    };
    if !form.solve(balance.rest.clone()) {
        return None;
    }
    let mut values = form.values(0..n);
    let vectors = form.vectors(&values, &balance);
    values.iter_mut().for_each(|x| *x *= factor);
    Some(Eigen { values, vectors })
}

fn of_complex(a: &Mat<Complex64>, vectors: bool) -> Option<Eigen> {
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
    let mut form = complex::Form {
        h: form.h,
        z,
        unit,
        tiny,
    };
    if !form.iterate(balance.rest.clone()) {
        return None;
    }
    let values = (0..n).map(|k| form.h[(k, k)] * factor).collect();
    let vectors = form.vectors(&balance);
    Some(Eigen { values, vectors })
}
