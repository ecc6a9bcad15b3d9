//! Keeping numbers within bounds, which are numbers or tensors.

use super::definition::{Pointwise, loops1, loops2, loops3};
use super::table::{Tables, forms, table};
use rushlight_tensor::iter::Form;
use rushlight_tensor::lanes::{map1, map2, map3};
use rushlight_tensor::{DType, Fault, Operand, Result, Scalar, Tensor};
use rushlight_types::Context;

/// At least the bound; NaN in either stays.
pub static AT_LEAST: Pointwise = Pointwise::new(
    "clamp_min_cpu",
    loops2![
        f32: map2 |x: f32, y: f32| if x.is_nan() || x > y { x } else { y },
        i64: map2 |x: i64, y: i64| x.max(y),
        f64: map2 |x: f64, y: f64| if x.is_nan() || x > y { x } else { y },
    ],
)
.checked(check);

/// At most the bound; NaN in either stays.
static AT_MOST: Pointwise = Pointwise::new(
    "clamp_max_cpu",
    loops2![
        f32: map2 |x: f32, y: f32| if x.is_nan() || x < y { x } else { y },
        i64: map2 |x: i64, y: i64| x.min(y),
        f64: map2 |x: f64, y: f64| if x.is_nan() || x < y { x } else { y },
    ],
)
.checked(check);

/// Within both bounds; the upper one wins when they cross.
static WITHIN: Pointwise = Pointwise::new(
    "clamp_cpu",
    loops3![
        f32: map3 |x: f32, low: f32, high: f32| {
            let x = if x.is_nan() || x > low { x } else { low };
            if x.is_nan() || x < high { x } else { high }
        },
        i64: map3 |x: i64, low: i64, high: i64| x.max(low).min(high),
        f64: map3 |x: f64, low: f64, high: f64| {
            let x = if x.is_nan() || x > low { x } else { low };
            if x.is_nan() || x < high { x } else { high }
        },
    ],
)
.without_bool()
.checked(check);

fn check(_: &[Operand<'_>], common: DType, _: &[Scalar]) -> Result<()> {
    super::functions::real_only("clamp is not supported for complex types", common)
}

/// `clamp` with the bounds that are there.
pub(super) fn clamp<'a>(
    cx: &Context,
    form: Form<'a>,
    a: &'a Tensor,
    low: Option<Operand<'a>>,
    high: Option<Operand<'a>>,
) -> Result<Tensor> {
    match (low, high) {
        (Some(low), Some(high)) => WITHIN.call(cx, form, &[a.into(), low, high], &[]),
        (Some(low), None) => AT_LEAST.call(cx, form, &[a.into(), low], &[]),
        (None, Some(high)) => AT_MOST.call(cx, form, &[a.into(), high], &[]),
        (None, None) => Err(Fault::runtime(
            "torch.clamp: At least one of 'min' or 'max' must not be None",
        )),
    }
}

/// `hardtanh`: `clamp` that keeps the tensor's dtype whatever the bounds.
fn hardtanh(form: Form<'_>, a: &Tensor, low: Scalar, high: Scalar) -> Result<Tensor> {
    if a.dtype() == DType::Bool {
        return Err(Fault::not_implemented(
            "Bool inputs not supported for hardtanh",
        ));
    }
    if a.dtype() == DType::U8 && (low.to_i64() < 0 || high.to_i64() < 0) {
        return Err(Fault::runtime(
            "cannot do hardtanh on an unsigned type with negative limits",
        ));
    }
    WITHIN.call_in(a.dtype(), form, &[a.into(), low.into(), high.into()], &[])
}

/// `relu`.
fn relu(cx: &Context, form: Form<'_>, a: &Tensor) -> Result<Tensor> {
    if a.dtype() == DType::Bool {
        return Err(Fault::not_implemented(
            "Boolean inputs not supported for relu",
        ));
    }
    RELU.call(cx, form, &[a.into()], &[])
}

/// At least zero; NaN stays.
static RELU: Pointwise = Pointwise::new(
    "clamp_min_cpu",
    loops1![
        f32: map1 |x: f32| if x < 0.0 { 0.0 } else { x },
        i64: map1 |x: i64| x.max(0),
        f64: map1 |x: f64| if x < 0.0 { 0.0 } else { x },
    ],
)
.checked(check);

forms! {
    /// With numbers.
    pub mod numbers ("self", ", Scalar? min=None, Scalar? max=None") fresh "", in_place "", out ".out";
    (|cx, form, a, low: Option<Scalar>, high: Option<Scalar>| _op =>
        clamp(cx, form, a, low.map(Operand::Number), high.map(Operand::Number)))
    { "clamp" => WITHIN => Numbers, "clip" => WITHIN => Numbers }
}
forms! {
    /// With tensors.
    pub mod tensors ("self", ", Tensor? min=None, Tensor? max=None") fresh ".Tensor", in_place ".Tensor", out ".Tensor_out";
    (|cx, form, a, low: Option<&Tensor>, high: Option<&Tensor>| _op =>
        clamp(cx, form, a, low.map(Operand::Tensor), high.map(Operand::Tensor)))
    { "clamp" => WITHIN => Numbers, "clip" => WITHIN => Numbers }
}
forms! {
    /// A lower bound that is a number.
    pub mod low_number ("self", ", Scalar min") fresh "", in_place "", out ".out";
    (|cx, form, a, low: Scalar| op => op.call(cx, form, &[a.into(), low.into()], &[]))
    { "clamp_min" => AT_LEAST }
}
forms! {
    /// An upper bound that is a number.
    pub mod high_number ("self", ", Scalar max") fresh "", in_place "", out ".out";
    (|cx, form, a, high: Scalar| op => op.call(cx, form, &[a.into(), high.into()], &[]))
    { "clamp_max" => AT_MOST }
}
forms! {
    /// A lower bound that is a tensor.
    pub mod low_tensor ("self", ", Tensor min") fresh ".Tensor", in_place ".Tensor", out ".Tensor_out";
    (|cx, form, a, low: &Tensor| op => op.call(cx, form, &[a.into(), low.into()], &[]))
    { "clamp_min" => AT_LEAST }
}
forms! {
    /// An upper bound that is a tensor.
    pub mod high_tensor ("self", ", Tensor max") fresh ".Tensor", in_place ".Tensor", out ".Tensor_out";
    (|cx, form, a, high: &Tensor| op => op.call(cx, form, &[a.into(), high.into()], &[]))
    { "clamp_max" => AT_MOST }
}
forms! {
    /// `hardtanh`.
    pub mod hardtanh_forms ("self", ", Scalar min_val=-1, Scalar max_val=1") fresh "", in_place "", out ".out";
    (|_cx, form, a, low: Scalar, high: Scalar| _op => hardtanh(form, a, low, high))
    { "hardtanh" => WITHIN => Numbers }
}
forms! {
    /// `relu6`.
    pub mod relu6 ("self", "") fresh "", in_place "";
    (|_cx, form, a| _op => hardtanh(form, a, Scalar::Int(0), Scalar::Int(6)))
    { "relu6" => WITHIN => Numbers }
}
forms! {
    /// `relu`.
    pub mod relu_forms ("self", "") fresh "", in_place "", out ".out";
    (|cx, form, a| _op => relu(cx, form, a))
    { "relu" => RELU => Numbers }
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
