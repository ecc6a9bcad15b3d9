//! Keeping numbers within bounds, which are numbers or tensors.

use super::in_context::InContext;
use super::table::{Tables, forms, table, tiles};
pub(crate) use rushlight_kernels::pointwise::clamp::*;
use rushlight_tensor::iter::ResultForm;
use rushlight_tensor::promote::{check_number, result_type, whole_range};
use rushlight_tensor::{DType, Fault, Operand, Result, Scalar, Tensor};
use rushlight_types::{Context, Functional, general_text};
use smallvec::SmallVec;

/// `clamp` with the bounds that are there.
pub(super) fn clamp<'a>(
    cx: &Context,
    form: ResultForm<'a>,
    a: &'a Tensor,
    low: Option<Operand<'a>>,
    high: Option<Operand<'a>>,
) -> Result<Tensor> {
    let given = [Some(a.into()), low, high].into_iter().flatten();
    let given: SmallVec<[Operand<'_>; 3]> = given.collect();
    let common = result_type(&given, cx.default_dtype());
    let with_tensors = [low, high]
        .iter()
        .flatten()
        .any(|b| matches!(b, Operand::Tensor(_)));
    if let ResultForm::Out(out) = form
        && !with_tensors
        && out.dtype() != common
    {
        return Err(Fault::runtime(format!(
            "Found dtype {} but expected {}",
            out.dtype().class_name(),
            common.class_name()
        )));
    }
    let low = low.map(|low| bound(low, common, false)).transpose()?;
    let high = high.map(|high| bound(high, common, true)).transpose()?;
    if let (Some(Operand::Tensor(_)), Some(Operand::Tensor(_)), DType::Bool) = (low, high, common) {
        return Err(Fault::no_kernel("clamp_cpu", common));
    }
    if common.is_complex() && with_tensors && !a.dtype().is_complex() {
        let kernel = match (low, high) {
            (Some(_), None) => "maximum_cpu",
            (None, Some(_)) => "minimum_cpu",
            _ => "clamp_cpu",
        };
        return Err(Fault::no_kernel(kernel, common));
    }
    match (low, high) {
        (Some(low), Some(high)) => WITHIN.call(cx, form, &[a.into(), low, high], &[]),
        (Some(low), None) => AT_LEAST.call(cx, form, &[a.into(), low], &[]),
        (None, Some(high)) => AT_MOST.call(cx, form, &[a.into(), high], &[]),
        (None, None) => Err(Fault::runtime(
            "torch.clamp: At least one of 'min' or 'max' must not be None",
        )),
    }
}

/// A bound as a dtype has it: integers stop at their ends, where that leaves elements to choose from.
fn bound(bound: Operand<'_>, dtype: DType, is_upper: bool) -> Result<Operand<'_>> {
    let Operand::Number(number) = bound else {
        return Ok(bound);
    };
    let is_whole = matches!(number, Scalar::Int(_)) && dtype.is_integral(false);
    if !is_whole {
        check_number(number, dtype)?;
        return Ok(bound);
    }
    let (least, most) = whole_range(dtype);
    let v = number.to_i64();
    let is_above = u64::try_from(v).is_ok_and(|v| v > most);
    let nearest = match (v < least, is_above) {
        (true, _) if !is_upper => Scalar::Int(least),
        (_, true) if is_upper => Scalar::Int(most as i64),
        (false, false) => number,
        _ => {
            return Err(Fault::runtime(format!(
                "Clamp {} value {} is outside the representable range of {}",
                if is_upper { "max" } else { "min" },
                general_text(v as f64, 6),
                dtype.class_name()
            )));
        }
    };
    Ok(Operand::Number(nearest))
}

/// `hardtanh`: `clamp` that keeps the tensor's dtype whatever the bounds.
fn hardtanh(form: ResultForm<'_>, a: &Tensor, low: Scalar, high: Scalar) -> Result<Tensor> {
    if a.dtype() == DType::Bool {
        return Err(Fault::not_implemented(
            "Bool inputs not supported for hardtanh",
        ));
    }
    let low = match a.dtype() {
        // No element is below zero.
        DType::U8 if low.to_i64() < 0 => Scalar::Int(0),
        _ => low,
    };
    WITHIN.call_in(a.dtype(), form, &[a.into(), low.into(), high.into()], &[])
}

/// `relu`.
fn relu(cx: &Context, form: ResultForm<'_>, a: &Tensor) -> Result<Tensor> {
    if a.dtype() == DType::Bool {
        return Err(Fault::not_implemented(
            "Boolean inputs not supported for relu",
        ));
    }
    RELU.call(cx, form, &[a.into()], &[])
}

forms! {
    /// With numbers.
    pub mod numbers ("self", ", Scalar? min=None, Scalar? max=None") fresh "", in_place "", out ".out";
    (|cx, form, a, low: Option<Scalar>, high: Option<Scalar>| _op =>
        clamp(cx, form, a, low.map(Operand::Number), high.map(Operand::Number)))
    { "clamp" => WITHIN => Numbers => [.tiled(tiles!(WITHIN, [0, 1, 2] []; AT_LEAST, [0, 1] []; AT_MOST, [0, 2] []))], "clip" => WITHIN => Numbers => [.tiled(tiles!(WITHIN, [0, 1, 2] []; AT_LEAST, [0, 1] []; AT_MOST, [0, 2] []))] }
}
forms! {
    /// With tensors.
    pub mod tensors ("self", ", Tensor? min=None, Tensor? max=None") fresh ".Tensor", in_place ".Tensor", out ".Tensor_out";
    (|cx, form, a, low: Option<&Tensor>, high: Option<&Tensor>| _op =>
        clamp(cx, form, a, low.map(Operand::Tensor), high.map(Operand::Tensor)))
    { "clamp" => WITHIN => Numbers => [.tiled(tiles!(WITHIN, [0, 1, 2] []; AT_LEAST, [0, 1] []; AT_MOST, [0, 2] []))], "clip" => WITHIN => Numbers => [.tiled(tiles!(WITHIN, [0, 1, 2] []; AT_LEAST, [0, 1] []; AT_MOST, [0, 2] []))] }
}
forms! {
    /// A lower bound that is a number.
    pub mod low_number ("self", ", Scalar min") fresh "", in_place "", out ".out";
    (|cx, form, a, low: Scalar| _op => clamp(cx, form, a, Some(low.into()), None))
    tiles [0, 1] []
    { "clamp_min" => AT_LEAST }
}
forms! {
    /// An upper bound that is a number.
    pub mod high_number ("self", ", Scalar max") fresh "", in_place "", out ".out";
    (|cx, form, a, high: Scalar| _op => clamp(cx, form, a, None, Some(high.into())))
    tiles [0, 1] []
    { "clamp_max" => AT_MOST }
}
/// Refuses complex numbers, which have no order.
fn ordered(kernel: &str, form: ResultForm<'_>, a: &Tensor, bound: &Tensor) -> Result<()> {
    let mut dtypes = [a.dtype(), bound.dtype()].into_iter();
    match dtypes.find(|d| d.is_complex()) {
        Some(dtype) => {
            if matches!(form, ResultForm::InPlace(_)) {
                // Sizes are looked at before there is a kernel to miss.
                let sizes = rushlight_tensor::layout::broadcast(a.sizes(), bound.sizes());
                if let Some(sizes) = sizes.filter(|sizes| sizes.as_slice() != a.sizes()) {
                    return Err(Fault::runtime(format!(
                        "output with shape {} doesn't match the broadcast shape {}",
                        rushlight_tensor::layout::list(a.sizes()),
                        rushlight_tensor::layout::list(&sizes)
                    )));
                }
            }
            Err(Fault::no_kernel(kernel, dtype))
        }
        None => Ok(()),
    }
}

forms! {
    /// A lower bound that is a tensor.
    pub mod low_tensor ("self", ", Tensor min") fresh ".Tensor", in_place ".Tensor", out ".Tensor_out";
    (|cx, form, a, low: &Tensor| op => {
        ordered("maximum_cpu", form, a, low)?;
        op.call(cx, form, &[a.into(), low.into()], &[])
    })
    tiles [0, 1] []
    { "clamp_min" => AT_LEAST }
}
forms! {
    /// An upper bound that is a tensor.
    pub mod high_tensor ("self", ", Tensor max") fresh ".Tensor", in_place ".Tensor", out ".Tensor_out";
    (|cx, form, a, high: &Tensor| op => {
        ordered("minimum_cpu", form, a, high)?;
        op.call(cx, form, &[a.into(), high.into()], &[])
    })
    tiles [0, 1] []
    { "clamp_max" => AT_MOST }
}
forms! {
    /// `hardtanh`.
    pub mod hardtanh_forms ("self", ", Scalar min_val=-1, Scalar max_val=1") fresh "", in_place "", out ".out";
    (|_cx, form, a, low: Scalar, high: Scalar| _op => hardtanh(form, a, low, high))
    tiles [0, 1, 2] []
    { "hardtanh" => WITHIN => Numbers => [.functional(Functional::Activation)] }
}
forms! {
    /// `relu6`.
    pub mod relu6 ("self", "") fresh "", in_place "";
    (|_cx, form, a| _op => hardtanh(form, a, Scalar::Int(0), Scalar::Int(6)))
    { "relu6" => WITHIN => Numbers => [.functional(Functional::Activation)] }
}
forms! {
    /// `relu`.
    pub mod relu_forms ("self", "") fresh "", in_place "", out ".out";
    (|cx, form, a| _op => relu(cx, form, a))
    tiles [0] []
    { "relu" => RELU => Numbers => [.functional(Functional::Activation)] }
}

/// The rows of this file.
pub static TABLES: &[Tables] = &[
    numbers::TABLES,
    tensors::TABLES,
    low_number::TABLES,
    high_number::TABLES,
    low_tensor::TABLES,
    high_tensor::TABLES,
    hardtanh_forms::TABLES,
    relu6::TABLES,
    relu_forms::TABLES,
];
