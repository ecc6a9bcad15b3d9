//! Choosing between elements by a mask: `where` and `masked_fill`.

use super::table::{Tables, forms, table, tiles};
use crate::index::advanced::fill_repeats;
pub(crate) use rushlight_kernels::pointwise::select::*;
use rushlight_tensor::iter::{ResultForm, has_repeats};
use rushlight_tensor::layout::broadcast_or_fault;
use rushlight_tensor::promote::{Operand, check_number, result_type};
use rushlight_tensor::{DType, Fault, Result, Scalar, Tensor};
use rushlight_types::{Context, Quantized, op, warning};

pub(super) fn select(
    cx: &Context,
    form: ResultForm<'_>,
    mask: &Tensor,
    a: Operand<'_>,
    b: Operand<'_>,
) -> Result<Tensor> {
    if !matches!(mask.dtype(), DType::Bool | DType::U8) {
        return Err(Fault::runtime(format!(
            "where expected condition to be a boolean tensor, but got a tensor with dtype {}",
            mask.dtype().class_name()
        )));
    }
    if mask.dtype() == DType::U8 {
        warning::warn(
            cx,
            "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of PyTorch. Use a boolean condition instead.",
            None,
        )?;
    }
    let common = result_type(&[a, b], cx.default_dtype());
    for operand in [a, b] {
        // Those become infinite in small floats.
        if let Operand::Number(number) = operand
            && !matches!(common, DType::F16 | DType::BF16)
        {
            check_number(number, common)?;
        }
    }
    if let ResultForm::Out(out) = form
        && out.dtype() != common
    {
        return Err(Fault::runtime(format!(
            "Expected out type to be {} but got {}",
            common.class_name(),
            out.dtype().class_name()
        )));
    }
    WHERE.call_in(common, form, &[mask.into(), a, b], &[])
}

/// The refusal of a mask that is not of booleans.
pub(crate) fn no_mask(dtype: DType) -> Fault {
    Fault::runtime(format!(
        "masked_fill_ only supports boolean masks, but got mask with dtype {}",
        dtype.scalar_name()
    ))
}

/// What is new has the sizes of both, which are looked at before anything else.
fn check_sizes(form: &ResultForm<'_>, a: &Tensor, mask: &Tensor) -> Result<()> {
    match form {
        ResultForm::Fresh => broadcast_or_fault(mask.sizes(), a.sizes()).map(drop),
        _ => Ok(()),
    }
}

fn masked_fill(
    cx: &Context,
    form: ResultForm<'_>,
    a: &Tensor,
    mask: &Tensor,
    value: Scalar,
) -> Result<Tensor> {
    check_sizes(&form, a, mask)?;
    if mask.dtype() != DType::Bool {
        return Err(no_mask(mask.dtype()));
    }
    check_number(value, a.dtype())?;
    // The number as an element of the dtype: the loop may compute in a wider type.
    let value = Tensor::scalar(value, a.dtype());
    if let ResultForm::InPlace(target) = form
        && has_repeats(target)
    {
        fill_repeats(cx, target, mask, &value)?;
        return Ok(target.clone());
    }
    // What is new is row-major.
    let row_major;
    let a = match form {
        ResultForm::Fresh if !a.is_contiguous() => {
            row_major = a.contiguous_copy();
            &row_major
        }
        _ => a,
    };
    MASKED_FILL.call_in(
        a.dtype(),
        form,
        &[a.into(), mask.into(), (&value).into()],
        &[],
    )
}

fn masked_fill_tensor(
    cx: &Context,
    form: ResultForm<'_>,
    a: &Tensor,
    mask: &Tensor,
    value: &Tensor,
) -> Result<Tensor> {
    check_sizes(&form, a, mask)?;
    if value.rank() != 0 {
        return Err(Fault::runtime(format!(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).",
            value.rank()
        )));
    }
    masked_fill(cx, form, a, mask, value.item()?)
}

forms! {
    /// `where` of tensors.
    pub mod tensors ("condition", ", Tensor self, Tensor other") fresh ".self", out ".self_out";
    (|cx, form, mask, a: &Tensor, b: &Tensor| _op => select(cx, form, mask, a.into(), b.into()))
    tiles [0, 1, 2] []
    { "where" => WHERE => [.refused_as("aten::where.self")] }
}
forms! {
    /// `masked_fill` with a number.
    pub mod fill_number ("self", ", Tensor mask, Scalar value") fresh ".Scalar", in_place ".Scalar", out ".Scalar_out";
    (|cx, form, a, mask: &Tensor, value: Scalar| _op => masked_fill(cx, form, a, mask, value))
    tiles [0, 1, 2] []
    { "masked_fill" => MASKED_FILL => [.quantized(Quantized::Numbers)] }
}
forms! {
    /// `masked_fill` with a tensor.
    pub mod fill_tensor ("self", ", Tensor mask, Tensor value") fresh ".Tensor", in_place ".Tensor", out ".Tensor_out";
    (|cx, form, a, mask: &Tensor, value: &Tensor| _op => masked_fill_tensor(cx, form, a, mask, value))
    { "masked_fill" => MASKED_FILL => [.quantized(Quantized::Numbers)] }
}
rushlight_types::operators! {
    /// `where` with numbers.
    static NUMBERS = [
        op!("aten::where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor", |cx: &Context, mask: &Tensor, a: Scalar, b: Scalar| select(cx, ResultForm::Fresh, mask, a.into(), b.into())),
        op!("aten::where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor", |cx: &Context, mask: &Tensor, a: Scalar, b: &Tensor| select(cx, ResultForm::Fresh, mask, a.into(), b.into())),
        op!("aten::where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor", |cx: &Context, mask: &Tensor, a: &Tensor, b: Scalar| select(cx, ResultForm::Fresh, mask, a.into(), b.into())),
    ];
}

/// The rows of this file.
pub static TABLES: &[Tables] = &[
    tensors::TABLES,
    fill_number::TABLES,
    fill_tensor::TABLES,
    &[NUMBERS],
];
