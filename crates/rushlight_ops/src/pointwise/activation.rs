//! Activations of neural networks. Each is one element function written for both floats, with its numbers as fields.

use super::arithmetic::{DIV, SUB};
use super::definition::Pointwise;
use super::functions::LOG;
use super::in_context::InContext;
use super::table::{Tables, forms, table, tiles};
pub(crate) use rushlight_kernels::pointwise::activation::*;
use rushlight_tensor::iter::{ResultForm, ResultTarget, apply2};
use rushlight_tensor::lanes::map2;
use rushlight_tensor::layout::list;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{DType, Fault, Operand, Result, Scalar, Tensor};
use rushlight_types::{Context, Functional, SharedGenerator, Sizes, general_text, op};

/// `celu` by a number that is not zero.
fn celu_checked(cx: &Context, form: ResultForm<'_>, a: &Tensor, alpha: Scalar) -> Result<Tensor> {
    if alpha.to_f64() == 0.0 {
        return Err(Fault::runtime(
            "ZeroDivisionError: alpha cannot be 0 for CELU",
        ));
    }
    CELU.call(cx, form, &[a.into()], &[alpha])
}

fn softshrink_checked(
    cx: &Context,
    form: ResultForm<'_>,
    a: &Tensor,
    lambda: Scalar,
) -> Result<Tensor> {
    let largest = match a.dtype() {
        DType::F32 => f64::from(f32::MAX),
        DType::F64 => f64::MAX,
        DType::F16 => rushlight_tensor::f16::MAX.to_f64(),
        DType::BF16 => rushlight_tensor::bf16::MAX.to_f64(),
        other => return Err(Fault::no_kernel("softshrink_check", other)),
    };
    let value = lambda.to_f64();
    if !(0.0..=largest).contains(&value) {
        return Err(Fault::runtime(format!(
            "lambda must be in range [0, {}] for input dtype {}, but found {}",
            general_text(largest, 6),
            a.dtype().class_name(),
            general_text(value, 6)
        )));
    }
    SOFTSHRINK.call(cx, form, &[a.into()], &[lambda])
}

/// `ln(x / (1 - x))`, with or without an epsilon; integers are lifted. Every step is rounded to the dtype, which shows
/// in the 16-bit floats.
fn logit(cx: &Context, form: ResultForm<'_>, a: &Tensor, epsilon: Option<f64>) -> Result<Tensor> {
    let common = match a.dtype() {
        d if d.is_integral(true) => cx.default_dtype(),
        d if d.is_complex() => return Err(Fault::no_kernel("logit_cpu", d)),
        d => d,
    };
    let x = match epsilon {
        Some(epsilon) if epsilon >= 0.0 => {
            INSIDE.call_in(common, ResultForm::Fresh, &[a.into()], &[epsilon.into()])?
        }
        _ => a.to_dtype(common),
    };
    let rest = SUB.call_in(
        common,
        ResultForm::Fresh,
        &[Scalar::Int(1).into(), (&x).into()],
        &[],
    )?;
    let odds = DIV.call_in(
        common,
        ResultForm::Fresh,
        &[(&x).into(), (&rest).into()],
        &[],
    )?;
    LOG.call_in(common, form, &[(&odds).into()], &[])
}

/// The weight as a tensor that broadcasts along dimension 1.
fn prelu(cx: &Context, a: &Tensor, weight: &Tensor) -> Result<Tensor> {
    if a.dtype() != weight.dtype() {
        return Err(Fault::runtime(format!(
            "prelu: Type promoting not supported. Got {} and {}",
            a.dtype().class_name(),
            weight.dtype().class_name()
        )));
    }
    if weight.numel() != 1 {
        if a.rank() == 0 {
            return Err(Fault::runtime("Not allow zero-dim input tensor."));
        }
        let channels = if a.rank() > 1 { a.size(1) } else { 1 };
        if channels != weight.numel() {
            return Err(Fault::runtime(format!(
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = {} and channel size = {channels}.",
                weight.numel()
            )));
        }
    }
    if weight.rank() > 1 {
        return Err(Fault::runtime(format!(
            "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {}",
            weight.rank()
        )));
    }
    let mut sizes = memory::filled(a.rank(), 1usize);
    if a.rank() > 1 {
        sizes[1] = weight.numel();
    }
    let weight = weight.reshape_to(&sizes)?;
    PRELU.call(cx, ResultForm::Fresh, &[a.into(), (&weight).into()], &[])
}

fn prelu_kernel(cx: &Context, a: &Tensor, weight: &Tensor) -> Result<Tensor> {
    PRELU.call(cx, ResultForm::Fresh, &[a.into(), weight.into()], &[])
}

/// Splits a dimension in two halves.
fn glu_along(cx: &Context, form: ResultForm<'_>, a: &Tensor, dim: i64) -> Result<Tensor> {
    if a.rank() == 0 {
        return Err(Fault::runtime(
            "glu does not support scalars because halving size must be even",
        ));
    }
    let d = rushlight_tensor::view::wrap_dim(dim, a.rank())?;
    let size = a.size(d);
    if !size.is_multiple_of(2) {
        return Err(Fault::runtime(format!(
            "Halving dimension must be even, but dimension {d} is size {size}"
        )));
    }
    let (first, second) = (a.narrow(d, 0, size / 2)?, a.narrow(d, size / 2, size / 2)?);
    GLU.call(cx, form, &[(&first).into(), (&second).into()], &[])
}

/// `rrelu`: a random slope below zero while training, the mean slope otherwise. Slopes that were drawn go to `noise`.
#[derive(Clone, Copy)]
struct RandomSlopes<'a> {
    lower: f64,
    upper: f64,
    training: bool,
    generator: Option<&'a SharedGenerator>,
}

fn rrelu(
    cx: &Context,
    form: ResultForm<'_>,
    a: &Tensor,
    noise: Option<&Tensor>,
    slopes: RandomSlopes<'_>,
) -> Result<Tensor> {
    let RandomSlopes {
        lower,
        upper,
        training,
        generator,
    } = slopes;
    for (which, bound) in [("lower", lower), ("upper", upper)] {
        if !bound.is_finite() && noise.is_none() {
            return Err(Fault::runtime(format!(
                "rrelu: {which} bound must be finite, got {}",
                general_text(bound, 6)
            )));
        }
    }
    if lower > upper && noise.is_none() {
        return Err(Fault::runtime(
            "Lower bound should be less than or equal to the upper bound",
        ));
    }
    let is_half = a.dtype() == DType::F16;
    if !a.dtype().is_float() || training && is_half {
        let kernel = match training {
            true => "rrelu_with_noise_out_cpu",
            false => "leaky_relu_cpu",
        };
        return Err(Fault::no_kernel(kernel, a.dtype()));
    }
    if !training {
        return LEAKY_RELU.call(cx, form, &[a.into()], &[((lower + upper) / 2.0).into()]);
    }
    if let Some(noise) = noise {
        check_noise(a, noise)?;
    }
    let slopes = {
        let mut generator = generator.unwrap_or(cx.generator()).lock();
        let values: Vec<f64> = a
            .to_vec::<f64>()
            .iter()
            .map(|x| {
                if *x <= 0.0 {
                    lower + (upper - lower) * generator.uniform_f64()
                } else {
                    1.0
                }
            })
            .collected();
        Tensor::from_vec(values, a.sizes())?.to_dtype(a.dtype())
    };
    if let Some(noise) = noise {
        noise.copy_from(&slopes)?;
    }
    let operands: [Operand<'_>; 2] = [a.into(), (&slopes).into()];
    let target = ResultTarget::prepare(form, &operands, a.dtype())?;
    apply2::<f64, f64, f64>(target.tensor(), &operands, &|r, a, s| {
        map2(r, a, s, |x: f64, s: f64| x * s);
    })?;
    target.finish()
}

/// Refuses a tensor for slopes that is not like the operand.
fn check_noise(a: &Tensor, noise: &Tensor) -> Result<()> {
    if noise.sizes() != a.sizes() {
        let (own, other) = (list(a.sizes()), list(noise.sizes()));
        return Err(Fault::runtime(format!(
            "noise tensor shape must match self tensor shape. Got self.shape = {own} noise.shape = {other}",
        )));
    }
    if noise.dtype() != a.dtype() {
        let (own, other) = (a.dtype().class_name(), noise.dtype().class_name());
        return Err(Fault::runtime(format!(
            "expected scalar type {own} but found {other}",
        )));
    }
    Ok(())
}

/// `log_sigmoid` and the buffer of its derivative.
fn log_sigmoid_forward(cx: &Context, a: &Tensor) -> Result<(Tensor, Tensor)> {
    let output = LOG_SIGMOID.call(cx, ResultForm::Fresh, &[a.into()], &[])?;
    let buffer = LOG_SIGMOID_BUFFER.call(cx, ResultForm::Fresh, &[a.into()], &[])?;
    Ok((output, buffer))
}

fn log_sigmoid_forward_out(
    cx: &Context,
    a: &Tensor,
    output: &Tensor,
    buffer: &Tensor,
) -> Result<(Tensor, Tensor)> {
    let output = LOG_SIGMOID.call(cx, ResultForm::Out(output), &[a.into()], &[])?;
    let buffer = LOG_SIGMOID_BUFFER.call(cx, ResultForm::Out(buffer), &[a.into()], &[])?;
    Ok((output, buffer))
}

/// The definition that `approximate` names: the function itself, or its approximation by a hyperbolic tangent.
pub(super) fn gelu_by(
    approximate: &str,
    itself: &'static Pointwise,
    by_tanh: &'static Pointwise,
) -> Result<&'static Pointwise> {
    match approximate {
        "none" => Ok(itself),
        "tanh" => Ok(by_tanh),
        _ => Err(Fault::runtime(
            "approximate argument must be either none or tanh.",
        )),
    }
}

forms! {
    /// Activations without numbers.
    pub mod plain ("self", "") fresh "", in_place "", out ".out";
    (|cx, form, a| op => op.call(cx, form, &[a.into()], &[]))
    tiles [0] []
    { "silu" => SILU => [.functional(Functional::Activation)], "mish" => MISH, "hardsigmoid" => HARDSIGMOID => ZeroToOne => [.functional(Functional::Activation)], "hardswish" => HARDSWISH => [.functional(Functional::Activation)] }
}
forms! {
    /// `log_sigmoid`.
    pub mod log_sigmoid_forms ("self", "") fresh "", out ".out";
    (|cx, form, a| op => op.call(cx, form, &[a.into()], &[]))
    tiles [0] []
    { "log_sigmoid" => LOG_SIGMOID }
}
forms! {
    /// `selu`.
    pub mod selu_forms ("self", "") fresh "", in_place "";
    (|cx, form, a| op => op.call(cx, form, &[a.into()], &[]))
    tiles [0] []
    { "selu" => SELU => [.functional(Functional::Activation)] }
}
forms! {
    /// `gelu`.
    pub mod gelu_forms ("self", "" * ", str approximate=\"none\"") fresh "", in_place "", out ".out";
    (|cx, form, a, approximate: &str| _op =>
        gelu_by(approximate, &GELU, &GELU_TANH)?.call(cx, form, &[a.into()], &[]))
    { "gelu" => GELU => Numbers => [.functional(Functional::Activation).tiled(tiles!(GELU, [0] [], 1 = "none"; GELU_TANH, [0] [], 1 = "tanh"))] }
}
forms! {
    /// `hardshrink`.
    pub mod hardshrink_forms ("self", ", Scalar lambd=0.5") fresh "", out ".out";
    (|cx, form, a, lambda: Scalar| op => op.call(cx, form, &[a.into()], &[lambda]))
    tiles [0] [1]
    { "hardshrink" => HARDSHRINK }
}
forms! {
    /// `softshrink`.
    pub mod softshrink_forms ("self", ", Scalar lambd=0.5") fresh "", out ".out";
    (|cx, form, a, lambda: Scalar| _op => softshrink_checked(cx, form, a, lambda))
    { "softshrink" => SOFTSHRINK }
}
forms! {
    /// `softplus`.
    pub mod softplus_forms ("self", ", Scalar beta=1, Scalar threshold=20") fresh "", out ".out";
    (|cx, form, a, beta: Scalar, threshold: Scalar| op => op.call(cx, form, &[a.into()], &[beta, threshold]))
    tiles [0] [1, 2]
    { "softplus" => SOFTPLUS }
}
forms! {
    /// `elu`.
    pub mod elu_forms ("self", ", Scalar alpha=1, Scalar scale=1, Scalar input_scale=1") fresh "", in_place "", out ".out";
    (|cx, form, a, alpha: Scalar, scale: Scalar, input_scale: Scalar| op =>
        op.call(cx, form, &[a.into()], &[alpha, scale, input_scale]))
    tiles [0] [1, 2, 3]
    { "elu" => ELU => [.functional(Functional::Activation)] }
}
forms! {
    /// `celu`.
    pub mod celu_forms ("self", ", Scalar alpha=1.") fresh "", in_place "", out ".out";
    (|cx, form, a, alpha: Scalar| _op => celu_checked(cx, form, a, alpha))
    { "celu" => CELU => [.functional(Functional::Activation)] }
}
forms! {
    /// `leaky_relu`.
    pub mod leaky_relu_forms ("self", ", Scalar negative_slope=0.01") fresh "", in_place "", out ".out";
    (|cx, form, a, slope: Scalar| op => op.call(cx, form, &[a.into()], &[slope]))
    tiles [0] [1]
    { "leaky_relu" => LEAKY_RELU => FusedNumbers => [.functional(Functional::Activation)] }
}
forms! {
    /// `threshold`.
    pub mod threshold_forms ("self", ", Scalar threshold, Scalar value") fresh "", in_place "", out ".out";
    (|cx, form, a, threshold: Scalar, value: Scalar| op => op.call(cx, form, &[a.into()], &[threshold, value]))
    tiles [0] [1, 2]
    { "threshold" => THRESHOLD => Numbers }
}
forms! {
    /// `logit`.
    pub mod logit_forms ("self", ", float? eps=None") fresh "", in_place "", out ".out";
    (|cx, form, a, epsilon: Option<f64>| _op => logit(cx, form, a, epsilon))
    { "logit" => LOG }
}
forms! {
    /// `logit` under its other name.
    pub mod special_logit_forms ("self", ", float? eps=None") fresh "", out ".out";
    (|cx, form, a, epsilon: Option<f64>| _op => logit(cx, form, a, epsilon))
    { "special_logit" => LOG }
}
forms! {
    /// `glu`.
    pub mod glu_forms ("self", ", int dim=-1") fresh "", out ".out";
    (|cx, form, a, dim: i64| _op => glu_along(cx, form, a, dim))
    { "glu" => GLU => [.functional(Functional::Activation).sizes_are(Sizes::ByArguments)] }
}
forms! {
    /// `rrelu`.
    pub mod rrelu_forms ("self", ", Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None")
    fresh "", in_place "";
    (|cx, form, a, lower: Scalar, upper: Scalar, training: bool, generator: Option<&SharedGenerator>| _op =>
        rrelu(cx, form, a, None, RandomSlopes { lower: lower.to_f64(), upper: upper.to_f64(), training, generator }))
    { "rrelu" => LEAKY_RELU => [.functional(Functional::Activation)] }
}
forms! {
    /// `rrelu` that keeps its slopes.
    pub mod rrelu_with_noise_forms ("self", ", Tensor(b!) noise, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None")
    fresh "", in_place "", out ".out";
    (|cx, form, a, noise: &Tensor, lower: Scalar, upper: Scalar, training: bool, generator: Option<&SharedGenerator>| _op =>
        rrelu(cx, form, a, Some(noise), RandomSlopes { lower: lower.to_f64(), upper: upper.to_f64(), training, generator }))
    { "rrelu_with_noise" => LEAKY_RELU }
}
rushlight_types::operators! {
    /// Activations with other signatures.
    static OTHERS = [
        op!("aten::prelu(Tensor self, Tensor weight) -> Tensor", prelu),
        op!("aten::_prelu_kernel(Tensor self, Tensor weight) -> Tensor", prelu_kernel),
        op!("aten::log_sigmoid_forward(Tensor self) -> (Tensor output, Tensor buffer)", log_sigmoid_forward),
        op!("aten::log_sigmoid_forward.output(Tensor self, *, Tensor(a!) output, Tensor(b!) buffer) -> (Tensor(a!), Tensor(b!))", log_sigmoid_forward_out),
    ];
}

/// The rows of this file.
pub static TABLES: &[Tables] = &[
    plain::TABLES,
    log_sigmoid_forms::TABLES,
    selu_forms::TABLES,
    gelu_forms::TABLES,
    hardshrink_forms::TABLES,
    softshrink_forms::TABLES,
    softplus_forms::TABLES,
    elu_forms::TABLES,
    celu_forms::TABLES,
    leaky_relu_forms::TABLES,
    threshold_forms::TABLES,
    logit_forms::TABLES,
    special_logit_forms::TABLES,
    glu_forms::TABLES,
    rrelu_forms::TABLES,
    rrelu_with_noise_forms::TABLES,
    &[OTHERS],
];
