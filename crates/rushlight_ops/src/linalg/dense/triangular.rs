//! Triangular systems.

use super::lu::pair;
use super::matrix::Dense;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Result, Tensor, watch};
use rushlight_types::{op, operators};

operators! {
    /// Triangular systems.
    pub static ROWS = [
        op!("aten::linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor", solve_triangular),
        op!("aten::triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)", triangular_solve),
        op_out!("aten::linalg_solve_triangular.out(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False, Tensor(a!) out) -> Tensor(a!)", solve_triangular),
        op_out_exact!("aten::triangular_solve.X(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False, *, Tensor(a!) X, Tensor(b!) M) -> (Tensor(a!) solution, Tensor(b!) cloned_coefficient)", triangular_solve),
    ];
}

/// Which part of a matrix is meant.
#[derive(Clone, Copy)]
pub(super) struct Triangle {
    pub upper: bool,
    /// The diagonal counts as ones.
    pub unit: bool,
}

/// The solution of `T X = B` for a triangle T of the leading square of `a`.
pub(super) fn solve_left(a: &Dense, b: &Dense, triangle: Triangle) -> Dense {
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

fn solve_triangular(a: &Tensor, b: &Tensor, upper: bool, left: bool, unit: bool) -> Result<Tensor> {
    let (batch, right) = pair("linalg.solve_triangular", a, b, left)?;
    let out: Vec<Dense> = batch
        .matrices
        .iter()
        .zip(&right.matrices)
        .map(|(a, b)| {
            if left {
                solve_left(a, b, Triangle { upper, unit })
            } else {
                let flipped = Triangle {
                    upper: !upper,
                    unit,
                };
                solve_left(&a.transposed(), &b.transposed(), flipped).transposed()
            }
        })
        .collected();
    right.tensor(&out, right.rows, right.cols)
}

fn triangular_solve(
    b: &Tensor,
    a: &Tensor,
    upper: bool,
    transpose: bool,
    unit: bool,
) -> Result<(Tensor, Tensor)> {
    let (batch, right) = pair("triangular_solve", a, b, true)?;
    let out: Vec<Dense> = batch
        .matrices
        .iter()
        .zip(&right.matrices)
        .map(|(a, b)| {
            if transpose {
                solve_left(
                    &a.transposed(),
                    b,
                    Triangle {
                        upper: !upper,
                        unit,
                    },
                )
            } else {
                solve_left(a, b, Triangle { upper, unit })
            }
        })
        .collected();
    let solution = right.tensor(&out, right.rows, right.cols)?;
    Ok((
        solution,
        batch.tensor(&batch.matrices, batch.rows, batch.cols)?,
    ))
}
