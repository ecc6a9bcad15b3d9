//! LU factors with row exchanges, and what follows from them.

use super::batch::Batch;
use super::matrix::{Dense, Mat, ONE, ZERO, dense_of, dense_of_two, of_either};
use super::triangular::{self, Triangle, solve_left, solve_part};
use rushlight_kernels::linalg::dense::field::{Field, WIDTH};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Complex64, Result, Tensor, watch};

/// L below and U on and above the diagonal, which row was exchanged with each row, and the first zero pivot counted
/// from one, or 0.
pub struct Factors {
    pub lu: Dense,
    pub pivots: Vec<usize>,
    pub info: usize,
}

/// The triangle of L, and that of U.
const LOWER: Triangle = Triangle {
    upper: false,
    unit: true,
};
const UPPER: Triangle = Triangle {
    upper: true,
    unit: false,
};

/// The factors of a matrix of any shape.
pub fn factor(a: &Dense, pivot: bool) -> Factors {
    let mut pivots = memory::with_capacity(a.rows().min(a.cols()));
    let mut info = 0;
    let lu = dense_of!(a, a => {
        let mut lu = a.clone();
        halves(&mut lu, 0..a.cols, 0, pivot, &mut pivots, &mut info);
        lu
    });
    Factors { lu, pivots, info }
}

/// Factors some columns from row `top` on, the left half first (Toledo, 1997: locality of reference in LU decomposition).
fn halves<T: Field>(
    m: &mut Mat<T>,
    columns: std::ops::Range<usize>,
    top: usize,
    pivot: bool,
    pivots: &mut Vec<usize>,
    info: &mut usize,
) {
    let (start, end) = (columns.start, columns.end);
    if columns.len() <= WIDTH {
        return narrow(m, columns, top, pivot, pivots, info);
    }
    if top >= m.rows {
        return;
    }
    let half = start + (columns.len() / 2).next_multiple_of(WIDTH);
    halves(m, start..half, top, pivot, pivots, info);
    let done = pivots.len();
    exchange(m, half..end, top, &pivots[top..done]);
    // What stands above: the solution with L.
    let square = m.copied(top..done, start..start + (done - top));
    let mut right = m.copied(top..done, half..end);
    solve_part(
        &square,
        0,
        done - top,
        right.elements_mut(),
        end - half,
        LOWER,
    );
    for (i, row) in (top..done).zip(right.elements().chunks_exact((end - half).max(1))) {
        m.row_mut(i)[half..end].copy_from_slice(row);
    }
    let below = m
        .copied(done..m.rows, start..start + (done - top))
        .map(|x| -x);
    m.add_product((done.min(m.rows), half), below.whole(), right.whole());
    halves(m, half..end, done, pivot, pivots, info);
    exchange(m, start..half, done, &pivots[done..]);
}

/// Exchanges rows in some columns.
fn exchange<T: Field>(
    m: &mut Mat<T>,
    columns: std::ops::Range<usize>,
    top: usize,
    pivots: &[usize],
) {
    let cols = m.cols;
    for (k, p) in (top..).zip(pivots) {
        if k != *p {
            let (above, below) = m.split_rows(*p);
            above[k * cols..][columns.clone()].swap_with_slice(&mut below[..cols][columns.clone()]);
        }
    }
}

/// Factors a few columns in a copy without gaps.
fn narrow<T: Field>(
    m: &mut Mat<T>,
    columns: std::ops::Range<usize>,
    top: usize,
    pivot: bool,
    pivots: &mut Vec<usize>,
    info: &mut usize,
) {
    watch::poll();
    let (count, width) = (m.rows - top.min(m.rows), columns.len());
    let mut rows = memory::filled(count, [T::ZERO; WIDTH]);
    for (i, row) in rows.iter_mut().enumerate() {
        row[..width].copy_from_slice(&m.row(top + i)[columns.clone()]);
    }
    for k in 0..width.min(count) {
        let mut best = k;
        if pivot {
            let mut largest = rows[k][k].size();
            for (i, row) in rows.iter().enumerate().skip(k + 1) {
                let size = row[k].size();
                if size > largest {
                    (best, largest) = (i, size);
                }
            }
        }
        pivots.push(top + best);
        rows.swap(k, best);
        if rows[k][k] == T::ZERO {
            *info = if *info == 0 { pivots.len() } else { *info };
            continue;
        }
        let (above, below) = rows.split_at_mut(k + 1);
        T::eliminate(below, &above[k], k);
    }
    for (i, row) in rows.iter().enumerate() {
        m.row_mut(top + i)[columns.clone()].copy_from_slice(&row[..width]);
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
            triangular::solve(lu, &mut x, LOWER);
            triangular::solve(lu, &mut x, UPPER);
            x
        })
    }

    /// The solution of `Aᴴ X = B`.
    pub fn solve_adjoint(&self, b: &Dense) -> Dense {
        let adjoint = self.lu.adjoint();
        let (lower, upper) = (
            Triangle {
                upper: false,
                ..UPPER
            },
            Triangle {
                upper: true,
                ..LOWER
            },
        );
        let x = solve_left(&adjoint, b, lower);
        let mut x = solve_left(&adjoint, &x, upper);
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
        for k in 0..self.lu.rows() {
            let d = self.lu.at(k, k);
            let size = d.norm();
            sign = if size == 0.0 { ZERO } else { sign * d / size };
            log += size.ln();
        }
        (sign, log)
    }

    pub fn determinant(&self) -> Complex64 {
        (0..self.lu.rows()).fold(self.sign(), |d, k| d * self.lu.at(k, k))
    }
}

/// The factors of all matrices of a batch.
pub fn factor_all(batch: &Batch, pivot: bool) -> Vec<Factors> {
    batch.matrices.iter().map(|m| factor(m, pivot)).collected()
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
