//! Functions of three tensors: `lerp`, `addcmul`, `addcdiv`.

use super::definition::Pointwise;
use super::in_context::InContext;
use super::table::{Tables, forms, table, tiles};
pub(crate) use rushlight_kernels::pointwise::blend::*;
use rushlight_tensor::iter::ResultForm;
use rushlight_tensor::promote::check_real;
use rushlight_tensor::{Fault, Operand, Result, Scalar, Tensor};
use rushlight_types::Context;

fn lerp(
    op: &Pointwise,
    cx: &Context,
    form: ResultForm<'_>,
    operands: &[Operand<'_>; 3],
) -> Result<Tensor> {
    let Operand::Tensor(a) = operands[0] else {
        return Err(Fault::internal("lerp of a number"));
    };
    for (operand, name) in operands[1..].iter().zip(["end", "weight"]) {
        // A weight of no dimensions takes part in promotion as a number does.
        if let Operand::Tensor(t) = operand
            && t.dtype() != a.dtype()
            && (name == "end" || t.rank() > 0)
        {
            return Err(Fault::runtime(format!(
                "expected dtype {} for `{name}` but got dtype {}",
                a.dtype().scalar_name(),
                t.dtype().scalar_name()
            )));
        }
    }
    let is_continuous = a.dtype().is_float() || a.dtype().is_complex();
    if !is_continuous && !matches!(operands[2], Operand::Tensor(_)) {
        return Err(Fault::not_implemented(format!(
            "\"lerp_kernel_scalar\" not implemented for '{}'",
            a.dtype().class_name()
        )));
    }
    match form {
        ResultForm::Fresh => op.call(cx, form, operands, &[]),
        _ => op.call_in(a.dtype(), form, operands, &[]),
    }
}

/// A weight for real tensors as a real number.
fn fitting(weight: Scalar, a: &Tensor) -> Result<Scalar> {
    match weight {
        Scalar::Complex(c) if !a.dtype().is_complex() => {
            check_real(weight, a.dtype())?;
            Ok(Scalar::Float(c.re))
        }
        weight => Ok(weight),
    }
}

forms! {
    /// Products and quotients added.
    pub mod added ("self", ", Tensor tensor1, Tensor tensor2" * ", Scalar value=1") fresh "", in_place "", out ".out";
    (|cx, form, a, b: &Tensor, c: &Tensor, value: Scalar| op =>
        op.call(cx, form, &[a.into(), b.into(), c.into()], &[value]))
    tiles [0, 1, 2] [3]
    { "addcmul" => ADDCMUL => [.has_old_form()], "addcdiv" => ADDCDIV => [.has_old_form()] }
}
forms! {
    /// `lerp` with a number.
    pub mod lerp_number ("self", ", Tensor end, Scalar weight") fresh ".Scalar", in_place ".Scalar", out ".Scalar_out";
    (|cx, form, a, end: &Tensor, weight: Scalar| op => lerp(op, cx, form, &[a.into(), end.into(), fitting(weight, a)?.into()]))
    tiles [0, 1, 2] []
    { "lerp" => LERP_NUMBER => [.refused_as("aten::lerp.Scalar_out")] }
}
forms! {
    /// `lerp` with a tensor.
    pub mod lerp_tensor ("self", ", Tensor end, Tensor weight") fresh ".Tensor", in_place ".Tensor", out ".Tensor_out";
    (|cx, form, a, end: &Tensor, weight: &Tensor| op => lerp(op, cx, form, &[a.into(), end.into(), weight.into()]))
    tiles [0, 1, 2] []
    { "lerp" => LERP_TENSOR => [.refused_as("aten::lerp.Tensor_out")] }
}

/// The rows of this file.
pub static TABLES: &[Tables] = &[added::TABLES, lerp_number::TABLES, lerp_tensor::TABLES];
