//! Cholesky's factor of a matrix, and solving with it.

use super::matrix::Dense;
use super::triangular::{Triangle, solve_left};
use rushlight_tensor::{Complex64, watch};

/// The lower factor, from the lower triangle, and the order of the first minor that is not positive, or 0.
pub fn factor(a: &Dense) -> (Dense, usize) {
    let n = a.rows;
    let mut l = Dense::zeros(n, n);
    for j in 0..n {
        watch::poll();
        let own = (0..j).map(|k| l[(j, k)].norm_sqr()).sum::<f64>();
        let pivot = a[(j, j)].re - own;
        if pivot.is_nan() || pivot <= 0.0 {
            // What has not been reached stays as it was.
            for i in j..n {
                for k in j..=i {
                    l[(i, k)] = a[(i, k)];
                }
            }
            return (l, j + 1);
        }
        let root = pivot.sqrt();
        l[(j, j)] = Complex64::new(root, 0.0);
        for i in j + 1..n {
            watch::poll();
            let mut sum = a[(i, j)];
            for k in 0..j {
                sum -= l[(i, k)] * l[(j, k)].conj();
            }
            l[(i, j)] = sum / root;
        }
    }
    (l, 0)
}

/// The solution of `L Lᴴ x = b`.
pub fn solve(l: &Dense, b: &Dense) -> Dense {
    let y = solve_left(
        l,
        b,
        Triangle {
            upper: false,
            unit: false,
        },
    );
    solve_left(
        &l.adjoint(),
        &y,
        Triangle {
            upper: true,
            unit: false,
        },
    )
}
