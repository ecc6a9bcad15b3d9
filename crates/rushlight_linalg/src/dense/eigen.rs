//! Eigenvalues and eigenvectors of Hermitian matrices by their tridiagonal form.

use super::matrix::{Dense, Mat, dense_of, of_either};
use super::tridiagonal;
use rushlight_tensor::memory;

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
