//! Cholesky's factor of a matrix, and solving with it.

use super::matrix::{Dense, Mat};
use super::triangular::{Triangle, solve_left, solve_part};
use rushlight_kernels::linalg::dense::field::Field;
use rushlight_tensor::watch;

/// The lower factor, from the lower triangle, and the order of the first minor that is not positive, or 0. From there
/// on the matrix stays as it was.
pub fn factor(a: &Dense) -> (Dense, usize) {
    match a {
        Dense::Real(a) => {
            let (l, info) = factor_of(a);
            (Dense::Real(l), info)
        }
        Dense::Complex(a) => {
            let (l, info) = factor_of(a);
            (Dense::Complex(l), info)
        }
    }
}

/// Columns that are factored one by one before the rest is.
const BLOCK: usize = 32;

fn factor_of<T: Field>(a: &Mat<T>) -> (Mat<T>, usize) {
    let n = a.rows;
    let mut l = a.triangle(false, false);
    for left in (0..n).step_by(BLOCK) {
        let right = (left + BLOCK).min(n);
        if let Err(at) = block(&mut l, left..right) {
            // What has not been reached stays as it was.
            for i in at..n {
                l.row_mut(i)[at..=i].copy_from_slice(&a.row(i)[at..=i]);
            }
            return (l, at + 1);
        }
        if right == n {
            break;
        }
        // What stands below: the solution with the block, as rows of the adjoint.
        let lower = Triangle {
            upper: false,
            unit: false,
        };
        let mut other = l.copied(right..n, left..right).adjoint();
        solve_part(
            &l,
            left,
            right - left,
            other.elements_mut(),
            n - right,
            lower,
        );
        let done = other.adjoint();
        for (i, row) in (right..n).zip(done.elements().chunks_exact(right - left)) {
            l.row_mut(i)[left..right].copy_from_slice(row);
        }
        // The rest of the triangle, a strip of columns at a time.
        let other = other.map(|x| -x);
        for strip in (right..n).step_by(4 * BLOCK) {
            let end = (strip + 4 * BLOCK).min(n);
            let rows = done.part(strip - right..n - right, 0..right - left);
            let columns = other.part(0..right - left, strip - right..end - right);
            l.add_product((strip, strip), rows, columns);
        }
    }
    let l = if n > BLOCK {
        l.triangle(false, false)
    } else {
        l
    };
    (l, 0)
}

/// Factors a block on the diagonal from which everything to the left has been taken off. Where there is a column without
/// a positive pivot, it is returned, and the rows below have all that the columns before it give them.
fn block<T: Field>(l: &mut Mat<T>, columns: std::ops::Range<usize>) -> Result<(), usize> {
    let (cols, start) = (l.cols, columns.start);
    let (mut end, mut i) = (columns.end, start);
    while i < end || (end < columns.end && i < l.rows) {
        watch::poll();
        let (above, rest) = l.split_rows(i);
        let row = &mut rest[..cols];
        for j in start..end.min(i) {
            let other = &above[j * cols..][..=j];
            let sum = T::dot(&other[start..j], &row[start..j]);
            row[j] = (row[j] - sum) / other[j];
        }
        if i < end {
            let own = T::dot(&row[start..i], &row[start..i]);
            let pivot = row[i].re() - own.re();
            if pivot.is_nan() || pivot <= 0.0 {
                end = i;
            } else {
                row[i] = T::real(pivot.sqrt());
            }
        }
        i += 1;
    }
    if end < columns.end { Err(end) } else { Ok(()) }
}

/// The solution of `L Lᴴ x = b`.
pub fn solve(l: &Dense, b: &Dense) -> Dense {
    let mut triangle = Triangle {
        upper: false,
        unit: false,
    };
    let y = solve_left(l, b, triangle);
    triangle.upper = true;
    solve_left(&l.adjoint(), &y, triangle)
}
