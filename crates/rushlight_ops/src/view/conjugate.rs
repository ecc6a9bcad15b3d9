//! Conjugate transposes. Conjugation is done at once: no tensor here has a pending conjugation.

use super::order;
use rushlight_tensor::{Buffer, Complex32, Complex64, DType, Element, Fault, Result, Tensor};
use rushlight_types::{op, operators};

operators! {
    /// Conjugation where it is part of a view in the reference.
    pub static ROWS = [
        op!("aten::_conj_copy(Tensor self) -> Tensor", conjugate_copy),
        op_out!("aten::_conj_copy.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)", conjugate_copy),
        op!("aten::adjoint(Tensor(a) self) -> Tensor(a)", adjoint),
        op!("aten::mH(Tensor(a) self) -> Tensor(a)", matrix_adjoint),
        op!("aten::mH.a(Tensor(a) self) -> Tensor(a)", matrix_adjoint),
        op!("aten::matrix_H(Tensor(a) self) -> Tensor(a)", hermitian),
        op!("aten::matrix_H.a(Tensor(a) self) -> Tensor(a)", hermitian),
    ];
}

fn conjugate(t: &Tensor) -> Tensor {
    fn each<T: Element>(t: &Tensor, f: impl Fn(T) -> T) -> Tensor {
        let out: Buffer<T> = t.data::<T>().iter().map(|v| f(*v)).collect();
        out.into_tensor(t.sizes())
    }
    match t.dtype() {
        DType::C64 => each(t, |v: Complex32| v.conj()),
        DType::C128 => each(t, |v: Complex64| v.conj()),
        _ => t.clone(),
    }
}

fn conjugate_copy(t: &Tensor) -> Tensor {
    match t.dtype().is_complex() {
        true => conjugate(t),
        false => t.deep_copy(),
    }
}

fn adjoint(t: &Tensor) -> Result<Tensor> {
    if t.rank() < 2 {
        return Err(Fault::runtime(format!(
            "tensor.adjoint() is only supported on matrices or batches of matrices. Got {}-D tensor.",
            t.rank()
        )));
    }
    Ok(conjugate(&t.transpose(-2, -1)?))
}

fn matrix_adjoint(t: &Tensor) -> Result<Tensor> {
    if t.rank() < 2 {
        return Err(Fault::runtime(format!(
            "tensor.mH is only supported on matrices or batches of matrices. Got {}-D tensor.",
            t.rank()
        )));
    }
    adjoint(t)
}

fn hermitian(t: &Tensor) -> Result<Tensor> {
    match t.rank() {
        0 | 2 => Ok(conjugate(&order::t(t)?)),
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
