//! Conjugate transposes, as views, and copies of conjugates.

use super::order;
use crate::pointwise::complex::conjugated;
use rushlight_tensor::{Fault, Marks, Result, Tensor};
use rushlight_types::{op, operators};

operators! {
    /// Conjugation where it is part of a view in the reference.
    pub static ROWS = [
        op!("aten::_conj_copy(Tensor self) -> Tensor", conjugate_copy).out("out", crate::out::cast),
        op!("aten::_neg_view_copy(Tensor self) -> Tensor", negated_copy).out("out", crate::out::cast),
        op!("aten::adjoint(Tensor(a) self) -> Tensor(a)", adjoint),
        op!("aten::mH(Tensor(a) self) -> Tensor(a)", matrix_adjoint),
        op!("aten::mH.a(Tensor(a) self) -> Tensor(a)", matrix_adjoint),
        op!("aten::matrix_H(Tensor(a) self) -> Tensor(a)", hermitian),
        op!("aten::matrix_H.a(Tensor(a) self) -> Tensor(a)", hermitian),
    ];
}

fn conjugate_copy(t: &Tensor) -> Tensor {
    conjugated(t).deep_copy()
}

fn negated_copy(t: &Tensor) -> Tensor {
    t.marked(Marks::NEGATED).deep_copy()
}

/// The conjugate transpose of the last two dimensions, under the name that a refusal gives it. What has no dimension is
/// only conjugated.
fn transposed(t: &Tensor, name: &str) -> Result<Tensor> {
    match t.rank() {
        0 => Ok(conjugated(t)),
        1 => Err(Fault::runtime(format!(
            "tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor."
        ))),
        _ => Ok(conjugated(&t.transpose(-2, -1)?)),
    }
}

fn adjoint(t: &Tensor) -> Result<Tensor> {
    transposed(t, "adjoint()")
}

fn matrix_adjoint(t: &Tensor) -> Result<Tensor> {
    transposed(t, "mH")
}

fn hermitian(t: &Tensor) -> Result<Tensor> {
    match t.rank() {
        0 => Ok(conjugated(t)),
        2 => Ok(conjugated(&order::t(t)?)),
        rank => Err(Fault::runtime(format!(
            "tensor.H is only supported on matrices (2-D tensors). Got {rank}-D tensor.{}",
            if rank > 2 {
                " For batches of matrices, consider using tensor.mH"
            } else {
                ""
            }
        ))),
    }
}
