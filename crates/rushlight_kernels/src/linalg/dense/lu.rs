//! LU factors with row exchanges, and what follows from them.

use super::matrix::{Batch, Dense, ONE, ZERO};
use super::triangular::{Triangle, solve_left};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Complex64, Result, Tensor, watch};

/// L below and U on and above the diagonal, which row was exchanged with each row, and the first zero pivot counted
/// from one, or 0.
pub struct Factors {
    pub lu: Dense,
    pub pivots: Vec<usize>,
    pub info: usize,
}

/// The factors of a matrix of any shape.
pub fn factor(a: &Dense, pivot: bool) -> Factors {
    let mut lu = a.clone();
    let steps = a.rows.min(a.cols);
    let (mut pivots, mut info) = (memory::with_capacity(steps), 0);
    let size = |c: Complex64| c.re.abs() + c.im.abs();
    for k in 0..steps {
        watch::poll();
        let mut best = k;
        if pivot {
            for i in k + 1..a.rows {
                if size(lu[(i, k)]) > size(lu[(best, k)]) {
                    best = i;
                }
            }
        }
        pivots.push(best);
        lu.swap_rows(k, best);
        let top = lu[(k, k)];
        if top == ZERO {
            info = if info == 0 { k + 1 } else { info };
            continue;
        }
        for i in k + 1..a.rows {
            watch::poll();
            let factor = lu[(i, k)] / top;
            lu[(i, k)] = factor;
            if factor != ZERO {
                for j in k + 1..a.cols {
                    let step = factor * lu[(k, j)];
                    lu[(i, j)] -= step;
                }
            }
        }
    }
    Factors { lu, pivots, info }
}

impl Factors {
    /// The solution of `A X = B`.
    pub fn solve(&self, b: &Dense) -> Dense {
        let mut x = b.clone();
        for (k, p) in self.pivots.iter().enumerate() {
            x.swap_rows(k, *p);
        }
        let x = solve_left(
            &self.lu,
            &x,
            Triangle {
                upper: false,
                unit: true,
            },
        );
        solve_left(
            &self.lu,
            &x,
            Triangle {
                upper: true,
                unit: false,
            },
        )
    }

    /// The solution of `Aᴴ X = B`.
    pub fn solve_adjoint(&self, b: &Dense) -> Dense {
        let adjoint = self.lu.adjoint();
        let x = solve_left(
            &adjoint,
            b,
            Triangle {
                upper: false,
                unit: false,
            },
        );
        let mut x = solve_left(
            &adjoint,
            &x,
            Triangle {
                upper: true,
                unit: true,
            },
        );
        for (k, p) in self.pivots.iter().enumerate().rev() {
            x.swap_rows(k, *p);
        }
        x
    }

    /// The determinant's phase and the logarithm of its magnitude.
    pub fn log_determinant(&self) -> (Complex64, f64) {
        let swaps = self
            .pivots
            .iter()
            .enumerate()
            .filter(|(k, p)| k != *p)
            .count();
        let mut sign = if swaps.is_multiple_of(2) { ONE } else { -ONE };
        let mut log = 0.0;
        for k in 0..self.lu.rows {
            let d = self.lu[(k, k)];
            let size = d.norm();
            sign = if size == 0.0 { ZERO } else { sign * d / size };
            log += size.ln();
        }
        (sign, log)
    }

    pub fn determinant(&self) -> Complex64 {
        let swaps = self
            .pivots
            .iter()
            .enumerate()
            .filter(|(k, p)| k != *p)
            .count();
        let sign = if swaps.is_multiple_of(2) { ONE } else { -ONE };
        (0..self.lu.rows).fold(sign, |d, k| d * self.lu[(k, k)])
    }
}

/// The factors of all matrices of a batch.
pub fn factor_all(batch: &Batch, pivot: bool) -> Vec<Factors> {
    batch.matrices.iter().map(|m| factor(m, pivot)).collected()
}

/// The factors as tensors: the packed matrix, the pivots counted from one, the status.
pub fn packed(batch: &Batch, all: &[Factors]) -> Result<(Tensor, Tensor, Tensor)> {
    let lus: Vec<Dense> = all.iter().map(|f| f.lu.clone()).collected();
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
    let k = lu.rows.min(lu.cols);
    let l = Dense::from_fn(lu.rows, k, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => ZERO,
        std::cmp::Ordering::Equal => ONE,
        std::cmp::Ordering::Greater => lu[(i, j)],
    });
    let u = Dense::from_fn(k, lu.cols, |i, j| if i <= j { lu[(i, j)] } else { ZERO });
    (l, u)
}

/// The permutation matrix P of `A = P L U`.
pub fn permutation(pivots: &[usize], rows: usize) -> Dense {
    let mut order: Vec<usize> = (0..rows).collected();
    for (k, p) in pivots.iter().enumerate() {
        order.swap(k, *p);
    }
    let mut out = Dense::zeros(rows, rows);
    for (k, row) in order.iter().enumerate() {
        out[(*row, k)] = ONE;
    }
    out
}
