//! Solving with triangles.

use super::matrix::Dense;
use rushlight_tensor::watch;

/// Which part of a matrix is meant.
#[derive(Clone, Copy)]
pub struct Triangle {
    pub upper: bool,
    /// The diagonal counts as ones.
    pub unit: bool,
}

/// The solution of `T X = B` for a triangle T of the leading square of `a`.
pub fn solve_left(a: &Dense, b: &Dense, triangle: Triangle) -> Dense {
    let n = b.rows;
    let mut x = b.clone();
    for step in 0..n {
        watch::poll();
        let k = if triangle.upper { n - 1 - step } else { step };
        let others = if triangle.upper { k + 1..n } else { 0..k };
        for j in 0..x.cols {
            watch::poll();
            let mut sum = x[(k, j)];
            for i in others.clone() {
                sum -= a[(k, i)] * x[(i, j)];
            }
            x[(k, j)] = if triangle.unit { sum } else { sum / a[(k, k)] };
        }
    }
    x
}
