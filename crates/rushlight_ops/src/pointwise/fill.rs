//! Writing over tensors: `fill`, `zero_`, `copy_`.

use super::convert::warn_of_lost_parts;
use super::table::{Tables, forms, table};
use rushlight_tensor::iter::{
    Operand, ResultForm, apply1, check_overlap, check_writable, resize, result_layout,
};
use rushlight_tensor::promote::check_number;
use rushlight_tensor::{Bool8, Complex64, DType, Fault, Result, Scalar, Tensor};
use rushlight_types::{Context, ElementOp, Elements, Sizes, op};

/// The elements of a tensor, each once: the same number may be written to what several indices name.
fn each_once(t: &Tensor) -> Result<Tensor> {
    let mut out = t.clone();
    for d in 0..t.rank() {
        if t.size(d) > 1 && t.strides()[d] == 0 {
            out = out.slice(d as i64, Some(0), Some(1), 1)?;
        }
    }
    Ok(out)
}

/// Writes one number to every element.
pub(crate) fn overwrite(t: &Tensor, value: Scalar) -> Result<()> {
    check_number(value, t.dtype())?;
    t.bump_version();
    let t = &each_once(t)?;
    let operands = [Operand::Number(value)];
    match t.dtype() {
        DType::F32 => apply1::<f32, f32>(t, &operands, &|r, a| r.copy_from_slice(a)),
        DType::F64 => apply1::<f64, f64>(t, &operands, &|r, a| r.copy_from_slice(a)),
        DType::Bool => apply1::<Bool8, Bool8>(t, &operands, &|r, a| r.copy_from_slice(a)),
        d if d.is_float() => apply1::<f32, f32>(t, &operands, &|r, a| r.copy_from_slice(a)),
        d if d.is_complex() => {
            apply1::<Complex64, Complex64>(t, &operands, &|r, a| r.copy_from_slice(a))
        }
        _ => apply1::<i64, i64>(t, &operands, &|r, a| r.copy_from_slice(a)),
    }
}

/// The tensor that a form writes to, with the sizes of `like`.
fn destination(form: ResultForm<'_>, like: &Tensor) -> Result<Tensor> {
    let layout = || result_layout(like.sizes(), &[like.into()]);
    match form {
        ResultForm::Fresh => Tensor::empty_with(&layout(), like.dtype()),
        ResultForm::InPlace(given) => Ok(given.clone()),
        ResultForm::Out(given) => {
            if given.sizes() != like.sizes() {
                resize(given, &layout())?;
            }
            Ok(given.clone())
        }
    }
}

fn fill(form: ResultForm<'_>, like: &Tensor, value: Scalar) -> Result<Tensor> {
    let out = destination(form, like)?;
    overwrite(&out, value)?;
    Ok(out)
}

fn fill_tensor(form: ResultForm<'_>, like: &Tensor, value: &Tensor) -> Result<Tensor> {
    if value.rank() != 0 {
        return Err(Fault::runtime(format!(
            "fill_ only supports 0-dimension value tensor but got tensor with {} dimensions.",
            value.rank()
        )));
    }
    let out = destination(form, like)?;
    check_writable(&out)?;
    out.copy_from(value)?;
    Ok(out)
}

fn copy(cx: &Context, form: ResultForm<'_>, like: &Tensor, source: &Tensor) -> Result<Tensor> {
    let out = destination(form, like)?;
    check_writable(&out)?;
    warn_of_lost_parts(cx, source.dtype(), out.dtype())?;
    // What is repeated may lie in what is written; `copy_from` sees it repeated already.
    check_overlap(&out, source)?;
    out.copy_from(source)?;
    Ok(out)
}

forms! {
    /// Filling with a number.
    pub mod number ("self", ", Scalar value") fresh ".Scalar", in_place ".Scalar", out ".Scalar_out";
    (|_cx, form, a, value: Scalar| _op => fill(form, a, value))
    { "fill" => () => Numbers }
}
forms! {
    /// Filling with a tensor.
    pub mod tensor ("self", ", Tensor value") fresh ".Tensor", in_place ".Tensor", out ".Tensor_out";
    (|_cx, form, a, value: &Tensor| _op => fill_tensor(form, a, value))
    { "fill" => () => Numbers }
}
forms! {
    /// Zeros.
    pub mod zero ("self", "") fresh "", in_place "", out ".out";
    (|_cx, form, a| _op => fill(form, a, Scalar::Int(0)))
    { "zero" => () => Numbers }
}
forms! {
    /// Copies.
    pub mod copies ("self", ", Tensor src, bool non_blocking=False") fresh "", in_place "", out ".out";
    (|cx, form, a, source: &Tensor, _non_blocking: bool| _op => copy(cx, form, a, source))
    { "copy" => () => Numbers => [.wraps_numbers().element(ElementOp::Copy)] }
}
rushlight_types::operators! {
    /// What scripts use to write numbers and tensors into slices.
    static ASSIGNMENTS = [
        op!("aten::copy_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)", |cx: &Context, a: &Tensor, b: &Tensor| copy(cx, ResultForm::InPlace(a), a, b)).elements_are(Elements::ThroughMarks).sizes_are(Sizes::Broadcast),
        op!("aten::copy_.int(Tensor(a!) self, int other) -> Tensor(a!)", |cx: &Context, a: &Tensor, b: i64| copy(cx, ResultForm::InPlace(a), a, &Tensor::scalar(b.into(), DType::I64))).elements_are(Elements::ThroughMarks).sizes_are(Sizes::Broadcast),
        op!("aten::copy_.float(Tensor(a!) self, float other) -> Tensor(a!)", |cx: &Context, a: &Tensor, b: f64| copy(cx, ResultForm::InPlace(a), a, &Tensor::scalar(b.into(), DType::F64))).elements_are(Elements::ThroughMarks).sizes_are(Sizes::Broadcast),
    ];
}

/// The rows of this file.
pub static TABLES: &[Tables] = &[
    number::TABLES,
    tensor::TABLES,
    zero::TABLES,
    copies::TABLES,
    &[ASSIGNMENTS],
];
