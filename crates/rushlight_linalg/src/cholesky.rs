//! Cholesky factors of positive definite matrices.

use super::small;
use super::systems;
use crate::dense::batch::Batch;
use crate::dense::cholesky::{factor, solve};
use crate::dense::matrix::{Dense, ZERO};
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{DType, Fault, Result, Tensor};
use rushlight_types::{OutDtype, op, operators};

operators! {
    /// Cholesky factors.
    pub static ROWS = [
        op!("aten::linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)", cholesky_ex).out("L", rushlight_ops::out::exact_like),
        op!("aten::linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor", linalg_cholesky).out("out", rushlight_ops::out::exact_like),
        op!("aten::cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor", cholesky_solve).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("cholesky_solve: Expected result to be safely castable from {result} dtype, but got result with dtype {out}")),
        op!("aten::_cholesky_solve_helper(Tensor self, Tensor A, bool upper) -> Tensor", cholesky_solve).out("out", rushlight_ops::out::cast),
        op!("aten::cholesky_inverse(Tensor self, bool upper=False) -> Tensor", cholesky_inverse).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("cholesky_inverse: Expected result to be safely castable from {result} dtype, but got result with dtype {out}")),
    ];
}

fn run(name: &str, a: &Tensor, upper: bool, check: bool) -> Result<(Tensor, Tensor)> {
    if let Some(factors) = small::roots(a, upper)? {
        let infos = Tensor::zeros(&a.sizes()[..a.rank() - 2], DType::I32)?;
        return Ok((factors, infos));
    }
    let batch = Batch::read_square("linalg.cholesky", a)?;
    let (mut factors, mut infos) = (Vec::new(), Vec::new());
    for m in &batch.matrices {
        let source = if upper { m.adjoint() } else { m.clone() };
        let (l, info) = factor(&source);
        factors.push(if upper { l.adjoint() } else { l });
        infos.push(info);
    }
    if let Some((index, info)) = infos.iter().enumerate().find(|(_, i)| check && **i > 0) {
        return Err(Fault::linear_algebra(format!(
            "{name}: {}The factorization could not be completed because the input is not positive-definite (the leading minor of order {info} is not positive-definite).",
            batch.place(index)
        )));
    }
    Ok((
        batch.tensor(&factors, batch.rows, batch.cols)?,
        batch.infos(&infos)?,
    ))
}

fn cholesky_ex(a: &Tensor, upper: bool, check: bool) -> Result<(Tensor, Tensor)> {
    run("linalg.cholesky_ex", a, upper, check)
}

fn linalg_cholesky(a: &Tensor, upper: bool) -> Result<Tensor> {
    Ok(run("linalg.cholesky", a, upper, true)?.0)
}

/// The lower factor of a factor that may be the upper one.
fn lower(factor: &Dense, upper: bool) -> Dense {
    match upper {
        true => factor.adjoint().triangle(false, false),
        false => factor.triangle(false, false),
    }
}

fn cholesky_solve(b: &Tensor, factor: &Tensor, upper: bool) -> Result<Tensor> {
    for (name, t) in [("b", b), ("u", factor)] {
        if t.rank() < 2 {
            return Err(Fault::runtime(format!(
                "{name} should have at least 2 dimensions, but has {} dimensions instead",
                t.rank()
            )));
        }
    }
    systems::check_in_older_words("cholesky_solve", factor, b)?;
    let (batch, right) = systems::read("cholesky_solve", factor, b)?;
    let out: Vec<Dense> = batch
        .matrices
        .iter()
        .zip(&right.matrices)
        .map(|(f, b)| solve(&lower(f, upper), b))
        .collected();
    right.tensor(&out, right.rows, right.cols)
}

fn cholesky_inverse(factor: &Tensor, upper: bool) -> Result<Tensor> {
    let batch = Batch::read_square("cholesky_inverse", factor)?;
    for (index, f) in batch.matrices.iter().enumerate() {
        if let Some(zero) = (0..batch.rows).find(|k| f.at(*k, *k) == ZERO) {
            return Err(Fault::linear_algebra(format!(
                "cholesky_inverse: {}The diagonal element {} is zero, the inversion could not be completed because the input matrix is singular.",
                batch.place(index),
                zero + 1
            )));
        }
    }
    let out: Vec<Dense> = batch
        .matrices
        .iter()
        .map(|f| solve(&lower(f, upper), &f.eye(batch.rows, batch.rows)))
        .collected();
    batch.tensor(&out, batch.rows, batch.cols)
}
