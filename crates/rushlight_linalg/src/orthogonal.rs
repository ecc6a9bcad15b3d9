//! QR by Householder reflectors, in LAPACK's convention: `H = I - tau v vᴴ`, v starting with one.

use super::small;
use crate::dense::batch::Batch;
use crate::dense::matrix::Dense;
use crate::dense::orthogonal::{Reflectors, reflect};
use rushlight_ops::op_out_exact;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{Complex64, Dims, Fault, Result, Tensor};
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
    if a.rank() < 2 {
        return Err(Fault::runtime(format!(
            "{name}: input must have at least 2 dimensions."
        )));
    }
    if a.rank() != tau.rank() + 1 || a.sizes()[..a.rank() - 2] != tau.sizes()[..tau.rank() - 1] {
        return Err(Fault::runtime(format!(
            "{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {} and input.ndim is equal to {}",
            tau.rank(),
            a.rank()
        )));
    }
    let batch = Batch::read(name, a)?;
    let k = tau.size(tau.rank() - 1);
    if k > batch.cols || k > batch.rows {
        return Err(Fault::runtime(format!(
            "{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]"
        )));
    }
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

fn householder_product(a: &Tensor, tau: &Tensor) -> Result<Tensor> {
    let name = "torch.linalg.householder_product";
    if a.rank() >= 2 && a.size(a.rank() - 2) < a.size(a.rank() - 1) {
        return Err(Fault::runtime(format!(
            "{name}: input.shape[-2] must be greater than or equal to input.shape[-1]"
        )));
    }
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

fn ormqr(a: &Tensor, tau: &Tensor, other: &Tensor, left: bool, transpose: bool) -> Result<Tensor> {
    let fail = |message: &str| Err(Fault::runtime(format!("torch.ormqr: {message}")));
    if a.rank() < 2 {
        return fail("input must have at least 2 dimensions.");
    }
    if other.rank() < 2 {
        return fail("other must have at least 2 dimensions.");
    }
    let side = if left { 2 } else { 1 };
    let m = other.size(other.rank() - side);
    if tau.rank() == 0 || m < tau.size(tau.rank() - 1) {
        return fail(&format!(
            "other.shape[-{side}] must be greater than or equal to tau.shape[-1]"
        ));
    }
    if tau.size(tau.rank() - 1) != m.min(a.size(a.rank() - 1)) {
        return fail(&format!(
            "tau.shape[-1] must be equal to min(other.shape[-{side}], input.shape[-1])"
        ));
    }
    if m != a.size(a.rank() - 2) {
        return fail(&format!(
            "other.shape[-{side}] must be equal to input.shape[-2]"
        ));
    }
    let (batch, all) = read("torch.ormqr", a, tau)?;
    let lead: Dims = batch.lead.clone();
    if other.sizes()[..other.rank() - 2] != lead[..] {
        return fail("batch dimensions of other do not equal those of input");
    }
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
