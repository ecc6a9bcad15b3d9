//! Solving with triangles.

use super::matrix::{Dense, Mat, dense_of_two};
use rushlight_kernels::linalg::dense::field::Field;
use rushlight_tensor::watch;

/// Which part of a matrix is meant.
#[derive(Clone, Copy)]
pub struct Triangle {
    pub upper: bool,
    /// The diagonal counts as ones.
    pub unit: bool,
}

impl Triangle {
    pub const LOWER: Triangle = Triangle {
        upper: false,
        unit: false,
    };
    pub const UPPER: Triangle = Triangle {
        upper: true,
        unit: false,
    };
    /// The same with ones on the diagonal.
    pub const UNIT_LOWER: Triangle = Triangle {
        upper: false,
        unit: true,
    };
    pub const UNIT_UPPER: Triangle = Triangle {
        upper: true,
        unit: true,
    };
}

/// The solution of `T X = B` for a triangle T of the leading square of `a`.
pub fn solve_left(a: &Dense, b: &Dense, triangle: Triangle) -> Dense {
    dense_of_two!(a, b, (a, b) => {
        let mut x = b.clone();
        solve(a, &mut x, triangle);
        x
    })
}

/// Solves `T X = B` where B is.
pub fn solve<T: Field>(a: &Mat<T>, x: &mut Mat<T>, triangle: Triangle) {
    let (n, cols) = (x.rows, x.cols);
    solve_part(a, 0, n, x.elements_mut(), cols, triangle);
}

/// The rows of triangles that are solved row by row.
const BASE: usize = 16;

/// Solves with the triangle of `n` rows at `at` on the diagonal; `x` begins with the first of `n` rows.
fn solve_part<T: Field>(
    a: &Mat<T>,
    at: usize,
    n: usize,
    x: &mut [T],
    cols: usize,
    triangle: Triangle,
) {
    watch::poll();
    if n <= BASE {
        return solve_rows(a, at, n, x, cols, triangle);
    }
    let half = (n / 2).next_multiple_of(BASE);
    let (above, below) = x.split_at_mut(half * cols);
    let (first, second) = (at..at + half, at + half..at + n);
    let take = |from: &[T], rows, into: &mut [T], part: [std::ops::Range<usize>; 2]| {
        let [down, across] = part;
        let factors = a.copied(down, across).map(|x| -x);
        let from = rushlight_kernels::linalg::gemm::Matrix::dense(from, rows, cols);
        rushlight_kernels::linalg::gemm::product(factors.whole(), from, into, cols, true);
    };
    if triangle.upper {
        solve_part(a, at + half, n - half, below, cols, triangle);
        take(below, n - half, above, [first, second]);
        solve_part(a, at, half, above, cols, triangle);
    } else {
        solve_part(a, at, half, above, cols, triangle);
        take(above, half, below, [second, first]);
        solve_part(a, at + half, n - half, below, cols, triangle);
    }
}

fn solve_rows<T: Field>(a: &Mat<T>, at: usize, n: usize, x: &mut [T], cols: usize, t: Triangle) {
    for step in 0..n {
        let k = if t.upper { n - 1 - step } else { step };
        let (above, rest) = x.split_at_mut(k * cols);
        let (row, below) = rest.split_at_mut(cols);
        let (others, first) = match t.upper {
            true => (&*below, k + 1),
            false => (&*above, 0),
        };
        for (i, other) in (first..).zip(others.chunks_exact(cols.max(1))) {
            T::add_scaled(row, -a[(at + k, at + i)], other);
        }
        if !t.unit {
            let pivot = a[(at + k, at + k)];
            row.iter_mut().for_each(|v| *v = *v / pivot);
        }
    }
}
