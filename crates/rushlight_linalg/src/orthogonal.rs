//! QR by Householder reflectors, in LAPACK's convention: `H = I - tau v vᴴ`, v starting with one.

use super::small;
use crate::dense::batch::Batch;
use crate::dense::matrix::Dense;
use crate::dense::orthogonal::{Reflectors, reflect};
use rushlight_ops::op_out_exact;
use rushlight_tensor::layout::list;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::view::no_dimensions;
use rushlight_tensor::{Complex64, Fault, Result, Tensor};
use rushlight_types::{OutDtype, op, operators};

operators! {
    /// QR factors and reflectors.
    pub static ROWS = [
        op!("aten::linalg_qr(Tensor A, str mode=\"reduced\") -> (Tensor Q, Tensor R)", linalg_qr),
        op!("aten::geqrf(Tensor self) -> (Tensor a, Tensor tau)", geqrf).out("a", rushlight_ops::out::cast_like).out_dtype(OutDtype::Castable("torch.geqrf: Expected a to be safely castable from {result} dtype, but got a with dtype {out}|torch.geqrf: Expected tau to be safely castable from {result} dtype, but got tau with dtype {out}")),
        op!("aten::linalg_householder_product(Tensor input, Tensor tau) -> Tensor", householder_product).out("out", rushlight_ops::out::cast_like).out_dtype(OutDtype::Castable("torch.linalg.householder_product: Expected result to be safely castable from {result} dtype, but got result with dtype {out}")),
        op!("aten::orgqr(Tensor self, Tensor input2) -> Tensor", householder_product).out("out", rushlight_ops::out::cast_like).out_dtype(OutDtype::Castable("torch.linalg.householder_product: Expected result to be safely castable from {result} dtype, but got result with dtype {out}")),
        op!("aten::ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor", ormqr).out("out", rushlight_ops::out::cast_like).out_dtype(OutDtype::Same("torch.ormqr: Expected input and result to have the same dtype, but input has dtype{result} and result has dtype {out}")),
        op_out_exact!("aten::linalg_qr.out(Tensor A, str mode=\"reduced\", *, Tensor(a!) Q, Tensor(b!) R) -> (Tensor(a!) Q, Tensor(b!) R)", linalg_qr),
    ];
}

fn linalg_qr(a: &Tensor, mode: &str) -> Result<(Tensor, Tensor)> {
    if matches!(mode, "reduced" | "complete")
        && let Some((q, r)) = small::orthogonal(a)?
    {
        return Ok((q, r));
    }
    let batch = Batch::read("linalg.qr", a)?;
    let k = batch.rows.min(batch.cols);
    let (q_cols, r_rows) = match mode {
        "reduced" => (Some(k), k),
        "complete" => (Some(batch.rows), batch.rows),
        "r" => (None, k),
        _ => {
            return Err(Fault::runtime(format!(
                "qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
            )));
        }
    };
    let all: Vec<Reflectors> = batch.matrices.iter().map(reflect).collected();
    let rs: Vec<Dense> = all.iter().map(|f| f.r(r_rows)).collected();
    let q = match q_cols {
        Some(cols) => {
            let qs: Vec<Dense> = all.iter().map(|f| f.q(cols)).collected();
            batch.tensor(&qs, batch.rows, cols)?
        }
        None => Tensor::empty(&[0], batch.dtype)?,
    };
    Ok((q, batch.tensor(&rs, r_rows, batch.cols)?))
}

fn geqrf(a: &Tensor) -> Result<(Tensor, Tensor)> {
    let batch = Batch::read("torch.geqrf", a)?;
    let all: Vec<Reflectors> = batch.matrices.iter().map(reflect).collected();
    let packed: Vec<Dense> = all.iter().map(|f| f.packed.clone()).collected();
    let tau = all.iter().flat_map(|f| f.tau.iter().copied()).collected();
    let k = batch.rows.min(batch.cols);
    Ok((
        batch.tensor(&packed, batch.rows, batch.cols)?,
        batch.vectors(tau, k, batch.dtype)?,
    ))
}

/// Reflectors from a tensor of them and their factors.
fn read(name: &str, a: &Tensor, tau: &Tensor) -> Result<(Batch, Vec<Reflectors>)> {
    let batch = Batch::read(name, a)?;
    let k = tau.size(tau.rank() - 1);
    let values = tau.to_vec::<Complex64>();
    let all = batch
        .matrices
        .iter()
        .enumerate()
        .map(|(b, m)| Reflectors {
            packed: m.clone(),
            tau: values[b * k..(b + 1) * k].to_vec(),
        })
        .collected();
    Ok((batch, all))
}

/// Refuses what has no matrices.
fn check_matrices(name: &str, what: &str, t: &Tensor) -> Result<()> {
    if t.rank() < 2 {
        return Err(Fault::runtime(format!(
            "{name}: {what} must have at least 2 dimensions."
        )));
    }
    Ok(())
}

/// How many numbers a vector of `tau` has.
fn reflections(tau: &Tensor) -> Result<usize> {
    tau.sizes().last().copied().ok_or(no_dimensions(-1))
}

/// Refuses tensors of another number of dimensions than the reflectors have, counting so many less.
fn check_rank(name: &str, what: &str, t: &Tensor, a: &Tensor, less: usize) -> Result<()> {
    if t.rank() + less == a.rank() {
        return Ok(());
    }
    let wanted = match less {
        0 => "the same number of dimensions as",
        _ => "one dimension less than",
    };
    Err(Fault::runtime(format!(
        "{name}: Expected {what} to have {wanted} input, but got {what}.ndim equal to {} and input.ndim is equal to {}",
        t.rank(),
        a.rank()
    )))
}

/// Refuses leading dimensions that are not those of the reflectors.
fn check_lead(name: &str, what: &str, lead: &[usize], a: &Tensor) -> Result<()> {
    if *lead != a.sizes()[..a.rank() - 2] {
        return Err(Fault::runtime(format!(
            "{name}: Expected batch dimensions of {what} to be equal to input.shape[:-2], but got {}",
            list(lead)
        )));
    }
    Ok(())
}

fn householder_product(a: &Tensor, tau: &Tensor) -> Result<Tensor> {
    let name = "torch.linalg.householder_product";
    check_matrices(name, "input", a)?;
    let cols = a.size(a.rank() - 1);
    if a.size(a.rank() - 2) < cols {
        return Err(Fault::runtime(format!(
            "{name}: input.shape[-2] must be greater than or equal to input.shape[-1]"
        )));
    }
    if cols < reflections(tau)? {
        return Err(Fault::runtime(format!(
            "{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]"
        )));
    }
    check_rank(name, "tau", tau, a, 1)?;
    check_lead(name, "tau", &tau.sizes()[..tau.rank() - 1], a)?;
    if a.dtype() != tau.dtype() {
        return Err(Fault::runtime(format!(
            "{name}: tau dtype {} does not match input dtype {}",
            tau.dtype().class_name(),
            a.dtype().class_name()
        )));
    }
    let (batch, all) = read(name, a, tau)?;
    let qs: Vec<Dense> = all.iter().map(|f| f.q(batch.cols)).collected();
    batch.tensor(&qs, batch.rows, batch.cols)
}

/// Refuses reflectors, their factors and a matrix that do not belong together, the matrix being met at one of its sides.
fn check_product(a: &Tensor, tau: &Tensor, other: &Tensor, side: usize) -> Result<()> {
    let name = "torch.ormqr";
    let fail = |message: &str| Err(Fault::runtime(format!("{name}: {message}")));
    check_matrices(name, "input", a)?;
    check_matrices(name, "other", other)?;
    let (m, k) = (other.size(other.rank() - side), reflections(tau)?);
    if m != a.size(a.rank() - 2) {
        return fail(&format!(
            "other.shape[-{side}] must be equal to input.shape[-2]"
        ));
    }
    if k != m.min(a.size(a.rank() - 1)) {
        return fail(&format!(
            "tau.shape[-1] must be equal to min(other.shape[-{side}], input.shape[-1])"
        ));
    }
    check_rank(name, "tau", tau, a, 1)?;
    check_rank(name, "other", other, a, 0)?;
    check_lead(name, "tau", &tau.sizes()[..tau.rank() - 1], a)?;
    check_lead(name, "other", &other.sizes()[..other.rank() - 2], a)?;
    for (what, t) in [("tau", tau), ("other", other)] {
        if t.dtype() != a.dtype() {
            return fail(&format!(
                "Expected input and {what} to have the same dtype, but input has dtype{} and {what} has dtype {}",
                a.dtype().class_name(),
                t.dtype().class_name()
            ));
        }
    }
    Ok(())
}

fn ormqr(a: &Tensor, tau: &Tensor, other: &Tensor, left: bool, transpose: bool) -> Result<Tensor> {
    check_product(a, tau, other, if left { 2 } else { 1 })?;
    let (_, all) = read("torch.ormqr", a, tau)?;
    let right = Batch::read("torch.ormqr", other)?;
    let out: Vec<Dense> = all
        .iter()
        .zip(&right.matrices)
        .map(|(f, x)| {
            if left {
                f.times(x, transpose)
            } else {
                f.times(&x.adjoint(), !transpose).adjoint()
            }
        })
        .collected();
    right.tensor(&out, right.rows, right.cols)
}
