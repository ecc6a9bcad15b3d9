//! Triangular systems.

use super::systems;
use crate::dense::matrix::Dense;
pub(crate) use crate::dense::triangular::{Triangle, solve_left};
use rushlight_ops::op_out_exact;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Fault, Result, Tensor};
use rushlight_types::warning::Notice;
use rushlight_types::{Context, OutDtype, op, operators};

operators! {
    /// Triangular systems.
    pub static ROWS = [
        op!("aten::linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor", solve_triangular).out("out", rushlight_ops::out::cast_like).out_dtype(OutDtype::Same("expected scalar type {result} but found {out}")),
        op!("aten::triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)", triangular_solve),
        op_out_exact!("aten::triangular_solve.X(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False, *, Tensor(a!) X, Tensor(b!) M) -> (Tensor(a!) solution, Tensor(b!) cloned_coefficient)", triangular_solve),
    ];
}

fn solve_triangular(a: &Tensor, b: &Tensor, upper: bool, left: bool, unit: bool) -> Result<Tensor> {
    let name = "linalg.solve_triangular";
    systems::check_square(name, a)?;
    systems::check_sides(name, a, b, left)?;
    // The matrices say in which dtype it is computed.
    let (batch, right) = systems::read(name, a, &b.to_dtype(a.dtype()))?;
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

static IN_FAVOUR_OF_SOLVE: Notice = Notice::new(
    "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a future PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a copy of one of the inputs.\nX = torch.triangular_solve(B, A).solution\nshould be replaced with\nX = torch.linalg.solve_triangular(A, B).",
);

fn triangular_solve(
    cx: &Context,
    b: &Tensor,
    a: &Tensor,
    upper: bool,
    transpose: bool,
    unit: bool,
) -> Result<(Tensor, Tensor)> {
    IN_FAVOUR_OF_SOLVE.give(cx)?;
    let name = "triangular_solve";
    for (what, t) in [("b", b), ("A", a)] {
        if t.rank() < 2 {
            return Err(Fault::runtime(format!(
                "torch.{name}: Expected {what} to have at least 2 dimensions, but it has {} dimensions instead",
                t.rank()
            )));
        }
    }
    systems::check_in_older_words(name, a, b)?;
    let (batch, right) = systems::read(name, a, b)?;
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
