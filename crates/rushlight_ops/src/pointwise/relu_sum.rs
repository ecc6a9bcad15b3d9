//! Sums without what is below zero.

use super::arithmetic::ADD;
use super::clamp::AT_LEAST;
use super::in_context::InContext;
use super::table::Tables;
use rushlight_tensor::iter::ResultForm;
use rushlight_tensor::{Operand, Result, Scalar, Tensor};
use rushlight_types::{Context, op};

rushlight_types::operators! {
    /// All forms.
    static ROWS = [
        op!("aten::_add_relu.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", of_tensors).out("out", crate::out::cast),
        op!("aten::_add_relu.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", with_number).out("Scalar_out", crate::out::cast),
        op_inplace!("aten::_add_relu_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)", of_tensors),
        op_inplace!("aten::_add_relu_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)", with_number),
    ];
}

fn sum(cx: &Context, a: &Tensor, b: Operand<'_>, alpha: Scalar) -> Result<Tensor> {
    let sum = ADD.call(cx, ResultForm::Fresh, &[a.into(), b], &[alpha])?;
    AT_LEAST.call(
        cx,
        ResultForm::InPlace(&sum),
        &[(&sum).into(), Scalar::Int(0).into()],
        &[],
    )
}

fn of_tensors(cx: &Context, a: &Tensor, b: &Tensor, alpha: Scalar) -> Result<Tensor> {
    sum(cx, a, b.into(), alpha)
}

fn with_number(cx: &Context, a: &Tensor, b: Scalar, alpha: Scalar) -> Result<Tensor> {
    sum(cx, a, b.into(), alpha)
}

/// The rows of this file.
pub static TABLES: &[Tables] = &[&[ROWS]];
