//! Eigenvalues: of Hermitian matrices by their tridiagonal form, of general ones by the shifted QR algorithm.

use crate::dense::batch::Batch;
pub(crate) use crate::dense::eigen::hermitian;
use crate::dense::eigen::hermitian_values;
use crate::dense::general::eigen;
use crate::dense::matrix::Dense;
use rushlight_ops::{op_out, op_out_exact};
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Complex64, Fault, Result, Tensor, watch};
use rushlight_types::{OutDtype, op, operators};

operators! {
    /// Eigenvalues and eigenvectors.
    pub static ROWS = [
        op!("aten::linalg_eigh(Tensor self, str UPLO=\"L\") -> (Tensor eigenvalues, Tensor eigenvectors)", eigh),
        op!("aten::_linalg_eigh(Tensor A, str UPLO=\"L\", bool compute_v=True) -> (Tensor eigenvalues, Tensor eigenvectors)", eigh_maybe),
        op!("aten::linalg_eigvalsh(Tensor self, str UPLO=\"L\") -> Tensor", eigvalsh),
        op!("aten::linalg_eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)", eig).out("out", rushlight_ops::out::cast_like).out_dtype(OutDtype::Castable("torch.linalg.eig: Expected eigenvalues to be safely castable from {result} dtype, but got eigenvalues with dtype {out}|torch.linalg.eig: Expected eigenvectors to be safely castable from {result} dtype, but got eigenvectors with dtype {out}")),
        op!("aten::linalg_eigvals(Tensor self) -> Tensor", eigvals).out("out", rushlight_ops::out::cast).out_dtype(OutDtype::Castable("torch.linalg.eigvals: Expected eigenvalues to be safely castable from {result} dtype, but got eigenvalues with dtype {out}")),
        op!("aten::_linalg_eigvals(Tensor self) -> Tensor", eigvals),
        op_out_exact!("aten::linalg_eigh.eigvals(Tensor self, str UPLO=\"L\", *, Tensor(a!) eigvals, Tensor(b!) eigvecs) -> (Tensor(a!) eigenvalues, Tensor(b!) eigenvectors)", eigh),
        op_out!("aten::_linalg_eigh.eigenvalues(Tensor A, str UPLO=\"L\", bool compute_v=True, *, Tensor(a!) eigenvalues, Tensor(b!) eigenvectors) -> (Tensor(a!) eigenvalues, Tensor(b!) eigenvectors)", eigh_maybe),
        op_out_exact!("aten::linalg_eigvalsh.out(Tensor self, str UPLO=\"L\", *, Tensor(a!) out) -> Tensor(a!)", eigvalsh),
    ];
}

/// Refuses a Hermitian matrix of a batch whose eigenvalues are not found.
pub(crate) fn check_convergence(
    batch: &Batch,
    index: usize,
    whole: &Dense,
    vectors: bool,
) -> Result<()> {
    // Reflections spread what lies there; what they leave alone does not have to converge.
    if whole.is_finite_outside_band() {
        return Ok(());
    }
    Err(Fault::linear_algebra(format!(
        "linalg.eigh: {}The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated eigenvalues (error code: {}).",
        batch.place(index),
        batch.rows - if vectors { 1 } else { 2 }
    )))
}

fn eigh_maybe(a: &Tensor, triangle: &str, vectors: bool) -> Result<(Tensor, Tensor)> {
    let upper = match triangle {
        "U" | "u" => true,
        "L" | "l" => false,
        other => {
            return Err(Fault::runtime(format!(
                "Expected UPLO argument to be 'L' or 'U', but got {other}"
            )));
        }
    };
    let batch = Batch::read_square("linalg.eigh", a)?;
    let (mut values, mut all): (Vec<f64>, Vec<Dense>) = (Vec::new(), Vec::new());
    for (index, m) in batch.matrices.iter().enumerate() {
        watch::poll();
        let whole = m.of_triangle(upper);
        check_convergence(&batch, index, &whole, vectors)?;
        if vectors {
            let (own, v) = hermitian(&whole);
            values.extend(own);
            all.push(v);
        } else {
            values.extend(hermitian_values(&whole));
        }
    }
    let numbers = values.iter().map(|x| Complex64::new(*x, 0.0)).collected();
    let values = batch.vectors(numbers, batch.rows, batch.dtype.to_real())?;
    let vectors = if vectors {
        batch.tensor(&all, batch.rows, batch.cols)?
    } else {
        Tensor::empty(&[0], batch.dtype)?
    };
    Ok((values, vectors))
}

fn eigh(a: &Tensor, triangle: &str) -> Result<(Tensor, Tensor)> {
    eigh_maybe(a, triangle, true)
}

fn eigvalsh(a: &Tensor, triangle: &str) -> Result<Tensor> {
    Ok(eigh_maybe(a, triangle, false)?.0)
}

/// Eigenvalues of all matrices and, where wanted, eigenvectors, one after the other.
fn general(name: &str, a: &Tensor, vectors: bool) -> Result<(Tensor, Option<Tensor>)> {
    let mut batch = Batch::read_square(name, a)?;
    let n = batch.rows;
    let (mut values, mut all) = (Vec::new(), Vec::new());
    for (index, m) in batch.matrices.iter().enumerate() {
        watch::poll();
        if !m.is_finite() {
            return Err(Fault::runtime(
                "torch.linalg.eig: input tensor should not contain infs or NaNs.",
            ));
        }
        let own = eigen(m, vectors).ok_or_else(|| {
            Fault::linear_algebra(format!(
                "linalg.eig: {}The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated eigenvalues.",
                batch.place(index)
            ))
        })?;
        values.extend(own.values);
        all.extend(own.vectors);
    }
    batch.dtype = batch.dtype.to_complex();
    let values = batch.vectors(values, n, batch.dtype)?;
    let vectors = vectors.then(|| batch.columns(all, n, n)).transpose()?;
    Ok((values, vectors))
}

fn eig(a: &Tensor) -> Result<(Tensor, Tensor)> {
    let (values, vectors) = general("linalg.eig", a, true)?;
    let vectors = vectors.ok_or_else(|| Fault::internal("vectors that were wanted are there"))?;
    Ok((values, vectors))
}

fn eigvals(a: &Tensor) -> Result<Tensor> {
    Ok(general("linalg.eigvals", a, false)?.0)
}
