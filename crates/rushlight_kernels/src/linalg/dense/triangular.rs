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
    if a.is_real() && b.is_real() {
        // By real arithmetic: what is not finite must stay in the real part.
        solve_real(a, &mut x, triangle);
        return x;
    }
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

/// [`solve_left`] where all numbers are real.
fn solve_real(a: &Dense, x: &mut Dense, triangle: Triangle) {
    let n = x.rows;
    for step in 0..n {
        watch::poll();
        let k = if triangle.upper { n - 1 - step } else { step };
        let others = if triangle.upper { k + 1..n } else { 0..k };
        for j in 0..x.cols {
            watch::poll();
            let mut sum = x[(k, j)].re;
            for i in others.clone() {
                sum -= a[(k, i)].re * x[(i, j)].re;
            }
            x[(k, j)].re = if triangle.unit {
                sum
            } else {
                sum / a[(k, k)].re
            };
        }
    }
}
