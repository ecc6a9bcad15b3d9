//! Factors of symmetric and Hermitian indefinite matrices: `A = L D Lᵀ` with pivots of one or two rows (Bunch and
//! Kaufman, 1977), packed and numbered as LAPACK does.

use super::systems;
use crate::dense::batch::{Batch, no_dtype};
use crate::dense::ldl::{Factors, factor, solve};
use crate::dense::matrix::Dense;
use rushlight_tensor::layout::list;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Fault, Result, Tensor};
use rushlight_types::{op, operators};

operators! {
    /// Symmetric indefinite factors.
    pub static ROWS = [
        op!("aten::linalg_ldl_factor_ex(Tensor self, *, bool hermitian=False, bool check_errors=False) -> (Tensor LD, Tensor pivots, Tensor info)", ldl_factor_ex).out("out", rushlight_ops::out::exact_like),
        op!("aten::linalg_ldl_factor(Tensor self, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)", ldl_factor).out("out", rushlight_ops::out::exact_like),
        op!("aten::linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor", ldl_solve).out("out", rushlight_ops::out::exact_like),
    ];
}

fn ldl_factor_ex(a: &Tensor, hermitian: bool, check: bool) -> Result<(Tensor, Tensor, Tensor)> {
    let batch = Batch::read_square("torch.linalg.ldl_factor_ex", a)?;
    let hermitian = hermitian && batch.dtype.is_complex();
    let all: Vec<Factors> = batch
        .matrices
        .iter()
        .map(|m| factor(m, hermitian))
        .collected();
    if let Some((index, f)) = all.iter().enumerate().find(|(_, f)| check && f.info > 0) {
        return Err(Fault::runtime(format!(
            "torch.linalg.ldl_factor_ex: {}The factor D is exactly singular at {}.",
            batch.place(index),
            f.info
        )));
    }
    let packed: Vec<Dense> = all
        .iter()
        .map(|f| {
            // The part above the diagonal plays no role and reads as zero.
            f.packed.triangle(false, false)
        })
        .collected();
    let pivots = all
        .iter()
        .flat_map(|f| f.pivots.iter().copied())
        .collected();
    let infos: Vec<usize> = all.iter().map(|f| f.info).collected();
    Ok((
        batch.tensor(&packed, batch.rows, batch.cols)?,
        batch.integers(pivots, batch.rows)?,
        batch.infos(&infos)?,
    ))
}

fn ldl_factor(a: &Tensor, hermitian: bool) -> Result<(Tensor, Tensor)> {
    let (ld, pivots, _) = ldl_factor_ex(a, hermitian, true)?;
    Ok((ld, pivots))
}

/// Refuses pivots that do not belong to the matrices of factors.
fn check_pivots_of(ld: &Tensor, pivots: &Tensor) -> Result<()> {
    let name = "torch.linalg.ldl_solve";
    if *pivots.sizes() != ld.sizes()[..ld.rank() - 1] {
        return Err(Fault::runtime(format!(
            "{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape {} instead",
            list(pivots.sizes())
        )));
    }
    if !pivots.dtype().is_integral(false) {
        return Err(Fault::runtime(format!(
            "{name}: Expected pivots to be integers. Got {}",
            pivots.dtype().class_name()
        )));
    }
    Ok(())
}

fn ldl_solve(ld: &Tensor, pivots: &Tensor, b: &Tensor, hermitian: bool) -> Result<Tensor> {
    let name = "torch.linalg.ldl_solve";
    systems::check_square(name, ld)?;
    if ld.dtype().is_integral(true) {
        return Err(no_dtype(name, ld));
    }
    systems::check_in_older_words(name, ld, b)?;
    check_pivots_of(ld, pivots)?;
    let (batch, right) = systems::read(name, ld, b)?;
    let hermitian = hermitian && batch.dtype.is_complex();
    let n = batch.rows;
    let sizes: rushlight_tensor::Dims = batch.lead.iter().copied().chain([n]).collect();
    let values = pivots.expand_to(&sizes)?.to_vec::<i64>();
    if values
        .iter()
        .any(|p| *p == 0 || p.unsigned_abs() as usize > n)
    {
        return Err(Fault::runtime(
            "Pivots given to ldl_solve must all satisfy |pivot| <= LD.size(-2). Did you properly pass the result of ldl_factor?",
        ));
    }
    let out: Vec<Dense> = batch
        .matrices
        .iter()
        .zip(&right.matrices)
        .enumerate()
        .map(|(i, (m, b))| {
            let pivots = values[i * n..(i + 1) * n].to_vec();
            solve(
                &Factors {
                    packed: m.clone(),
                    pivots,
                    info: 0,
                },
                b,
                hermitian,
            )
        })
        .collected();
    right.tensor(&out, right.rows, right.cols)
}
