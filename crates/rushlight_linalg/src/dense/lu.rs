//! LU factors with row exchanges, and what follows from them.

use super::batch::Batch;
use super::matrix::{Dense, Mat, ONE, ZERO, dense_of, dense_of_two, of_either};
use super::triangular::{self, Triangle, solve_left};
use rushlight_kernels::linalg::dense::field::{Field, WIDTH};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Complex64, Result, Tensor, watch};
use std::ops::Range;

/// L below and U on and above the diagonal, which row was exchanged with each row, and the first zero pivot counted
/// from one, or 0.
pub struct Factors {
    pub lu: Dense,
    pub pivots: Vec<usize>,
    pub info: usize,
}

/// The factors of a matrix of any shape.
pub fn factor(a: &Dense) -> Factors {
    let mut work = Work {
        pivots: memory::with_capacity(a.rows().min(a.cols())),
        info: 0,
    };
    let lu = dense_of!(a, a => {
        let mut lu = a.clone();
        work.halves(&mut lu, 0..a.cols);
        lu
    });
    Factors {
        lu,
        pivots: work.pivots,
        info: work.info,
    }
}

/// What becomes of a matrix: as many rows are done as there are pivots.
struct Work {
    pivots: Vec<usize>,
    info: usize,
}

impl Work {
    /// Factors some columns, the left half first (Toledo, 1997: locality of reference in LU decomposition).
    fn halves<T: Field>(&mut self, m: &mut Mat<T>, columns: Range<usize>) {
        let (start, end, top) = (columns.start, columns.end, self.pivots.len());
        if columns.len() <= WIDTH {
            return self.narrow(m, columns);
        }
        if top >= m.rows {
            return;
        }
        let half = start + (columns.len() / 2).next_multiple_of(WIDTH);
        self.halves(m, start..half);
        let done = self.pivots.len();
        let own = start..start + (done - top);
        exchange(m, half..end, top, &self.pivots[top..done]);
        // What stands above: the solution with L.
        let square = m.copied(top..done, own.clone());
        let mut right = m.copied(top..done, half..end);
        triangular::solve(&square, &mut right, Triangle::UNIT_LOWER);
        m.put(top, half, &right);
        let below = m.copied(done..m.rows, own).map(|x| -x);
        m.add_product((done, half), below.whole(), right.whole());
        self.halves(m, half..end);
        exchange(m, start..half, done, &self.pivots[done..]);
    }

    /// Factors a few columns in a copy without gaps.
    fn narrow<T: Field>(&mut self, m: &mut Mat<T>, columns: Range<usize>) {
        watch::poll();
        let (top, width) = (self.pivots.len(), columns.len());
        let mut rows: Vec<[T; WIDTH]> = memory::with_capacity(m.rows - top);
        for i in top..m.rows {
            let mut row = [T::ZERO; WIDTH];
            row[..width].copy_from_slice(&m.row(i)[columns.clone()]);
            rows.push(row);
        }
        for k in 0..width.min(rows.len()) {
            let mut best = k;
            let mut largest = rows[k][k].size();
            for (i, row) in rows.iter().enumerate().skip(k + 1) {
                let size = row[k].size();
                if size > largest {
                    (best, largest) = (i, size);
                }
            }
            self.pivots.push(top + best);
            rows.swap(k, best);
            if rows[k][k] == T::ZERO {
                self.info = if self.info == 0 {
                    self.pivots.len()
                } else {
                    self.info
                };
                continue;
            }
            let (above, below) = rows.split_at_mut(k + 1);
            T::eliminate(below, &above[k], k);
        }
        for (i, row) in rows.iter().enumerate() {
            m.row_mut(top + i)[columns.clone()].copy_from_slice(&row[..width]);
        }
    }
}

/// Exchanges rows in some columns.
fn exchange<T: Field>(m: &mut Mat<T>, columns: Range<usize>, top: usize, pivots: &[usize]) {
    let cols = m.cols;
    for (k, p) in (top..).zip(pivots) {
        if k != *p {
            let (above, below) = m.split_rows(*p);
            above[k * cols..][columns.clone()].swap_with_slice(&mut below[..cols][columns.clone()]);
        }
    }
}

impl Factors {
    /// The solution of `A X = B`.
    pub fn solve(&self, b: &Dense) -> Dense {
        dense_of_two!(&self.lu, b, (lu, b) => {
            let mut x = b.clone();
            for (k, p) in self.pivots.iter().enumerate() {
                x.swap_rows(k, *p);
            }
            triangular::solve(lu, &mut x, Triangle::UNIT_LOWER);
            triangular::solve(lu, &mut x, Triangle::UPPER);
            x
        })
    }

    /// The solution of `Aᴴ X = B`.
    pub fn solve_adjoint(&self, b: &Dense) -> Dense {
        let adjoint = self.lu.adjoint();
        let x = solve_left(&adjoint, b, Triangle::LOWER);
        let mut x = solve_left(&adjoint, &x, Triangle::UNIT_UPPER);
        of_either!(&mut x, x => {
            for (k, p) in self.pivots.iter().enumerate().rev() {
                x.swap_rows(k, *p);
            }
        });
        x
    }

    /// The inverse.
    pub fn inverse(&self) -> Dense {
        let n = self.lu.rows();
        self.solve(&self.lu.eye(n, n))
    }

    /// One or minus one, by how many rows were exchanged.
    fn sign(&self) -> Complex64 {
        let pairs = self.pivots.iter().enumerate();
        let swaps = pairs.filter(|(k, p)| k != *p).count();
        if swaps.is_multiple_of(2) { ONE } else { -ONE }
    }

    /// The determinant's phase and the logarithm of its magnitude.
    pub fn log_determinant(&self) -> (Complex64, f64) {
        let mut sign = self.sign();
        let mut log = 0.0;
        let is_complex = matches!(self.lu, Dense::Complex(_));
        for k in 0..self.lu.rows() {
            let d = self.lu.at(k, k);
            let size = d.norm();
            // A real number that is none has no sign.
            let is_signed = size != 0.0 && (is_complex || !size.is_nan());
            sign = if is_signed {
                sign * d / size
            } else {
                sign * ZERO
            };
            log += size.ln();
        }
        (sign, log)
    }

    pub fn determinant(&self) -> Complex64 {
        (0..self.lu.rows()).fold(self.sign(), |d, k| d * self.lu.at(k, k))
    }
}

/// The factors of all matrices of a batch.
pub fn factor_all(batch: &Batch) -> Vec<Factors> {
    batch.matrices.iter().map(factor).collected()
}

/// The factors as tensors: the packed matrix, the pivots counted from one, the status.
pub fn packed(batch: &Batch, all: &[Factors]) -> Result<(Tensor, Tensor, Tensor)> {
    let lus: Vec<&Dense> = all.iter().map(|f| &f.lu).collected();
    let pivots = all
        .iter()
        .flat_map(|f| f.pivots.iter().map(|p| *p as i64 + 1))
        .collected();
    let infos: Vec<usize> = all.iter().map(|f| f.info).collected();
    Ok((
        batch.tensor(&lus, batch.rows, batch.cols)?,
        batch.integers(pivots, batch.rows.min(batch.cols))?,
        batch.infos(&infos)?,
    ))
}

/// L with its unit diagonal, and U, of a packed matrix.
pub fn split(lu: &Dense) -> (Dense, Dense) {
    let k = lu.rows().min(lu.cols());
    let l = dense_of!(lu, m => m.copied(0..m.rows, 0..k).triangle(false, true));
    let u = dense_of!(lu, m => m.copied(0..k, 0..m.cols).triangle(true, false));
    (l, u)
}

/// The permutation matrix P of `A = P L U`.
pub fn permutation(pivots: &[usize], rows: usize) -> Dense {
    let mut order: Vec<usize> = (0..rows).collected();
    for (k, p) in pivots.iter().enumerate() {
        order.swap(k, *p);
    }
    let mut out = Mat::zeros(rows, rows);
    for (k, row) in order.iter().enumerate() {
        out[(*row, k)] = 1.0;
    }
    Dense::Real(out)
}
