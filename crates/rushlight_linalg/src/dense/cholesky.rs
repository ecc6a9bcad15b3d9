//! Cholesky's factor of a matrix, and solving with it.

use super::matrix::{Dense, Mat};
use super::triangular::{self, Triangle, solve_left};
use rushlight_kernels::linalg::dense::field::Field;
use rushlight_tensor::watch;

/// The lower factor, from the lower triangle, and the order of the first minor that is not positive, or 0.
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
        if !block(&mut l, left..right) {
            let mut l = a.triangle(false, false);
            let info = columns(&mut l);
            return (l, info);
        }
        if right == n {
            break;
        }
        // What stands below: the solution with the block, as rows of the adjoint.
        let square = l.copied(left..right, left..right);
        let mut other = l.copied(right..n, left..right).adjoint();
        triangular::solve(&square, &mut other, Triangle::LOWER);
        let done = other.adjoint();
        l.put(right, left, &done);
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

/// Factors a block on the diagonal from which everything to the left has been taken off; whether all pivots are positive.
fn block<T: Field>(l: &mut Mat<T>, columns: std::ops::Range<usize>) -> bool {
    let (cols, start) = (l.cols, columns.start);
    for i in columns {
        let (above, rest) = l.split_rows(i);
        let row = &mut rest[..cols];
        for j in start..i {
            let other = &above[j * cols..][..=j];
            let sum = T::dot(&other[start..j], &row[start..j]);
            row[j] = (row[j] - sum) / other[j];
        }
        let own = T::dot(&row[start..i], &row[start..i]);
        let pivot = row[i].re() - own.re();
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        row[i] = T::real(pivot.sqrt());
    }
    true
}

/// Factors column by column as LAPACK does, which decides what is left where a pivot is not positive: the columns before are
/// done, those behind are as they were. The order of that minor, or 0.
fn columns<T: Field>(l: &mut Mat<T>) -> usize {
    let n = l.rows;
    for j in 0..n {
        watch::poll();
        let pivot = (0..j).fold(l[(j, j)], |x, k| x - l[(j, k)] * l[(j, k)].conj());
        let pivot = pivot.re();
        l[(j, j)] = T::real(pivot);
        if pivot.is_nan() || pivot <= 0.0 {
            return j + 1;
        }
        let root = T::real(pivot.sqrt());
        l[(j, j)] = root;
        for i in j + 1..n {
            let sum = (0..j).fold(l[(i, j)], |x, k| x - l[(i, k)] * l[(j, k)].conj());
            l[(i, j)] = sum / root;
        }
    }
    0
}

/// The solution of `L Lᴴ x = b`.
pub fn solve(l: &Dense, b: &Dense) -> Dense {
    let y = solve_left(l, b, Triangle::LOWER);
    solve_left(&l.adjoint(), &y, Triangle::UPPER)
}
