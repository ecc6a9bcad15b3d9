//! Activations of neural networks. Each is one element function written for both floats, with its numbers as fields.

use super::arithmetic::{DIV, SUB};
use super::definition::{Pointwise, loops1, slices};
use super::functions::LOG;
use super::math::analysis::Analysis;
use super::table::{Tables, forms, table};
use rushlight_tensor::iter::{Form, Target, apply2};
use rushlight_tensor::lanes::{Lanes, Map1, Map2, each1, map1, map2};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Complex64, DType, Fault, Operand, Result, Scalar, Tensor};
use rushlight_types::{Context, SharedGenerator, op};

/// `(definition, kernel name, loop, type [numbers] |x, L| body)`: the element function as a type that vector code can be
/// made of, a loop that reads its numbers, and the definition.
macro_rules! activations {
    ($($(#[$meta:meta])* $static:ident $name:literal $function:ident $type:ident [$($number:ident),*] |$x:ident, $lanes:ident| $body:expr;)*) => {$(
        #[derive(Clone, Copy)]
        struct $type<T> {
            $($number: T,)*
            of: std::marker::PhantomData<T>,
        }
        impl<T: Analysis> Map1<T, T> for $type<T> {
            #[inline(always)]
            fn at<$lanes: Lanes>(self, $x: T) -> T {
                $(let $number = self.$number;)*
                $body
            }
        }
        #[allow(unused_mut, unused_variables, reason = "not every activation has numbers")]
        fn $function<T: Analysis>(r: &mut [T], a: &[T], numbers: &[Scalar]) {
            let mut numbers = numbers.iter();
            map1(r, a, $type {
                $($number: numbers.next().map_or(T::ONE, |n| T::of(n.to_f64())),)*
                of: std::marker::PhantomData,
            });
        }
        $(#[$meta])*
        pub static $static: Pointwise =
            Pointwise::new($name, slices![Loop1: $function::<f32>, $function::<f64>]).without_bool();
    )*};
}

activations! {
    /// `x Φ(x)` with the normal distribution's function.
    GELU "GeluKernelImpl" gelu Gelu [] |x, L| {
        let half = T::of(0.5) * x;
        half + half * (x * T::of(std::f64::consts::FRAC_1_SQRT_2)).erf_in::<L>()
    };
    /// The approximation of [`GELU`] by a hyperbolic tangent.
    GELU_TANH "GeluKernelImpl" gelu_tanh GeluTanh [] |x, L| {
        let inner = T::of(0.797_884_560_802_865_4) * (x + T::of(0.044_715) * x * x * x);
        let half = T::of(0.5) * x;
        half + half * inner.tanh_in::<L>()
    };
    /// `x tanh(softplus(x))`.
    MISH "mish_cpu" mish Mish [] |x, L| {
        // tanh(ln(1 + e)) = n / (n + 2) with n = e (e + 2)
        let e = x.at_most(T::of(20.0)).exp_in::<L>();
        let n = e * (e + T::of(2.0));
        if x > T::of(20.0) { x } else { x * (n / (n + T::of(2.0))) }
    };
    /// A straight line between 0 and 1.
    HARDSIGMOID "hardsigmoid_cpu" hardsigmoid HardSigmoid [] |x, L| {
        (x + T::of(3.0)).at_least(T::ZERO).at_most(T::of(6.0)) / T::of(6.0)
    };
    /// `x hardsigmoid(x)`.
    HARDSWISH "hardswish_cpu" hardswish HardSwish [] |x, L| {
        x * (x + T::of(3.0)).at_least(T::ZERO).at_most(T::of(6.0)) / T::of(6.0)
    };
    /// Zero between `-lambda` and `lambda`.
    HARDSHRINK "hardshrink_cpu" hardshrink HardShrink [lambda] |x, L| {
        if x >= -lambda && x <= lambda { T::ZERO } else { x }
    };
    /// Moved toward zero by `lambda`.
    SOFTSHRINK "softshrink_cpu" softshrink SoftShrink [lambda] |x, L| {
        if x > lambda { x - lambda } else if x < -lambda { x + lambda } else { x * T::ZERO }
    };
    /// `ln(1 + exp(beta x)) / beta`, the line itself above the threshold.
    SOFTPLUS "softplus_cpu" softplus SoftPlus [beta, threshold] |x, L| {
        let scaled = x * beta;
        let bent = scaled.at_most(threshold).exp_in::<L>().ln_1p_in::<L>() / beta;
        if scaled > threshold { x } else { bent }
    };
    /// Exponential below zero, a line above; alpha, scale and input scale.
    ELU "elu_cpu" elu Elu [alpha, scale, input_scale] |x, L| {
        let low = (x.at_most(T::ZERO) * input_scale).exp_m1_in::<L>() * alpha * scale;
        if x < T::ZERO { low } else { x * scale }
    };
    /// A flatter line below zero.
    LEAKY_RELU "leaky_relu_cpu" leaky_relu LeakyRelu [slope] |x, L| {
        if x > T::ZERO { x } else { x * slope }
    };
    /// `ln(sigmoid(x))`.
    LOG_SIGMOID "log_sigmoid_cpu" log_sigmoid LogSigmoid [] |x, L| {
        x.at_most(T::ZERO) - (-x.abs()).exp_in::<L>().ln_1p_in::<L>()
    };
    /// What the derivative of [`LOG_SIGMOID`] is computed from.
    LOG_SIGMOID_BUFFER "log_sigmoid_cpu" log_sigmoid_buffer LogSigmoidBuffer [] |x, L| {
        (-x.abs()).exp_in::<L>()
    };
    /// `x` kept `epsilon` away from 0 and 1, the lower bound winning.
    INSIDE "logit_cpu" inside Inside [epsilon] |x, L| {
        let high = T::ONE - epsilon;
        if x < epsilon {
            epsilon
        } else if x > high {
            high
        } else {
            x
        }
    };
    /// `x` below zero divided by alpha in the exponent.
    CELU "elu_cpu" celu Celu [alpha] |x, L| {
        let low = (x.at_most(T::ZERO) / alpha).exp_m1_in::<L>() * alpha;
        if x < T::ZERO { low } else { x }
    };
    /// [`ELU`] with the constants that keep mean and variance.
    SELU "elu_cpu" selu Selu [] |x, L| {
        let scale = T::of(1.050_700_987_355_480_5);
        let low = x.at_most(T::ZERO).exp_m1_in::<L>() * T::of(1.673_263_242_354_377_2 * 1.050_700_987_355_480_5);
        if x < T::ZERO { low } else { x * scale }
    };
}

#[derive(Clone, Copy)]
struct SiluOf;
impl<T: Analysis> Map1<T, T> for SiluOf {
    #[inline(always)]
    fn at<L: Lanes>(self, x: T) -> T {
        x / (T::ONE + (-x).exp_in::<L>())
    }
}

/// `x sigmoid(x)`.
static SILU: Pointwise = Pointwise::new(
    "silu_cpu",
    loops1![
        f32: map1 SiluOf,
        f64: map1 SiluOf,
        Complex64: each1 |z: Complex64| z / (1.0 + (-z).exp()),
    ],
)
.without_bool();

/// `x` above the threshold, else the value; the numbers are both.
static THRESHOLD: Pointwise = Pointwise::new(
    "threshold_cpu",
    slices![Loop1:
        |r: &mut [f32], a: &[f32], n: &[Scalar]| {
            let (threshold, value) = (n[0].to_f64() as f32, n[1].to_f64() as f32);
            map1(r, a, |x: f32| if x <= threshold { value } else { x });
        },
        |r: &mut [i64], a: &[i64], n: &[Scalar]| {
            let (threshold, value) = (n[0].to_i64(), n[1].to_i64());
            map1(r, a, |x: i64| if x <= threshold { value } else { x });
        },
        |r: &mut [f64], a: &[f64], n: &[Scalar]| {
            let (threshold, value) = (n[0].to_f64(), n[1].to_f64());
            map1(r, a, |x: f64| if x <= threshold { value } else { x });
        },
    ],
)
.without_bool();

/// `x`, times the weight below zero.
static PRELU: Pointwise = Pointwise::new(
    "prelu_cpu",
    slices![Loop2:
        |r: &mut [f32], a: &[f32], w: &[f32], _| map2(r, a, w, |x: f32, w: f32| if x > 0.0 { x } else { x * w }),
        |r: &mut [f64], a: &[f64], w: &[f64], _| map2(r, a, w, |x: f64, w: f64| if x > 0.0 { x } else { x * w }),
    ],
)
.without_bool();

#[derive(Clone, Copy)]
struct Gate;
impl<T: Analysis> Map2<T, T, T> for Gate {
    #[inline(always)]
    fn at<L: Lanes>(self, x: T, gate: T) -> T {
        x * gate.sigmoid_in::<L>()
    }
}

/// One half times the sigmoid of the other.
static GLU: Pointwise = Pointwise::new(
    "glu_cpu",
    slices![Loop2:
        |r: &mut [f32], a: &[f32], b: &[f32], _| map2(r, a, b, Gate),
        |r: &mut [f64], a: &[f64], b: &[f64], _| map2(r, a, b, Gate),
    ],
)
.without_bool();

/// The operator for `gelu`'s `approximate`.
fn gelu_by(approximate: &str) -> Result<&'static Pointwise> {
    match approximate {
        "none" => Ok(&GELU),
        "tanh" => Ok(&GELU_TANH),
        _ => Err(Fault::runtime(
            "approximate argument must be either none or tanh.",
        )),
    }
}

/// `celu` by a number that is not zero.
fn celu_checked(cx: &Context, form: Form<'_>, a: &Tensor, alpha: Scalar) -> Result<Tensor> {
    if alpha.to_f64() == 0.0 {
        return Err(Fault::runtime(
            "ZeroDivisionError: alpha cannot be 0 for CELU",
        ));
    }
    CELU.call(cx, form, &[a.into()], &[alpha])
}

fn softshrink_checked(cx: &Context, form: Form<'_>, a: &Tensor, lambda: Scalar) -> Result<Tensor> {
    let largest = match a.dtype() {
        DType::F32 => "3.40282e+38",
        DType::F64 => "1.79769e+308",
        DType::F16 => "65504",
        DType::BF16 => "3.38953e+38",
        other => return Err(Fault::no_kernel("softshrink_check", other)),
    };
    let value = lambda.to_f64();
    if value.is_nan() || value < 0.0 {
        return Err(Fault::runtime(format!(
            "lambda must be in range [0, {largest}] for input dtype {}, but found {value}",
            a.dtype().class_name()
        )));
    }
    SOFTSHRINK.call(cx, form, &[a.into()], &[lambda])
}

/// `ln(x / (1 - x))`, with or without an epsilon; integers are lifted. Every step is rounded to the dtype, which shows
/// in the 16-bit floats.
fn logit(cx: &Context, form: Form<'_>, a: &Tensor, epsilon: Option<f64>) -> Result<Tensor> {
    let common = match a.dtype() {
        d if d.is_integral(true) => cx.default_dtype(),
        d if d.is_complex() => return Err(Fault::no_kernel("logit_cpu", d)),
        d => d,
    };
    let x = match epsilon {
        Some(epsilon) if epsilon >= 0.0 => {
            INSIDE.call_in(common, Form::Fresh, &[a.into()], &[epsilon.into()])?
        }
        _ => a.to_dtype(common),
    };
    let rest = SUB.call_in(
        common,
        Form::Fresh,
        &[Scalar::Int(1).into(), (&x).into()],
        &[],
    )?;
    let odds = DIV.call_in(common, Form::Fresh, &[(&x).into(), (&rest).into()], &[])?;
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
    PRELU.call(cx, Form::Fresh, &[a.into(), (&weight).into()], &[])
}

fn prelu_kernel(cx: &Context, a: &Tensor, weight: &Tensor) -> Result<Tensor> {
    PRELU.call(cx, Form::Fresh, &[a.into(), weight.into()], &[])
}

/// Splits a dimension in two halves.
fn glu_along(cx: &Context, form: Form<'_>, a: &Tensor, dim: i64) -> Result<Tensor> {
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
    form: Form<'_>,
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
    if lower > upper && noise.is_none() {
        return Err(Fault::runtime(
            "Lower bound should be less than or equal to the upper bound",
        ));
    }
    if !a.dtype().is_float() {
        return Err(Fault::no_kernel("rrelu_with_noise_out_cpu", a.dtype()));
    }
    if !training {
        return LEAKY_RELU.call(cx, form, &[a.into()], &[((lower + upper) / 2.0).into()]);
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
    let target = Target::prepare(form, &operands, a.dtype())?;
    apply2::<f64, f64, f64>(target.tensor(), &operands, &|r, a, s| {
        map2(r, a, s, |x: f64, s: f64| x * s);
    })?;
    target.finish()
}

/// `log_sigmoid` and the buffer of its derivative.
fn log_sigmoid_forward(cx: &Context, a: &Tensor) -> Result<(Tensor, Tensor)> {
    let output = LOG_SIGMOID.call(cx, Form::Fresh, &[a.into()], &[])?;
    let buffer = LOG_SIGMOID_BUFFER.call(cx, Form::Fresh, &[a.into()], &[])?;
    Ok((output, buffer))
}

fn log_sigmoid_forward_out(
    cx: &Context,
    a: &Tensor,
    output: &Tensor,
    buffer: &Tensor,
) -> Result<(Tensor, Tensor)> {
    let output = LOG_SIGMOID.call(cx, Form::Out(output), &[a.into()], &[])?;
    let buffer = LOG_SIGMOID_BUFFER.call(cx, Form::Out(buffer), &[a.into()], &[])?;
    Ok((output, buffer))
}

forms! {
    /// Activations without numbers.
    pub mod plain ("self", "") fresh "", in_place "", out ".out";
    (|cx, form, a| op => op.call(cx, form, &[a.into()], &[]))
    { "silu" => SILU, "mish" => MISH, "hardsigmoid" => HARDSIGMOID => ZeroToOne, "hardswish" => HARDSWISH }
}
forms! {
    /// `log_sigmoid`.
    pub mod log_sigmoid_forms ("self", "") fresh "", out ".out";
    (|cx, form, a| op => op.call(cx, form, &[a.into()], &[]))
    { "log_sigmoid" => LOG_SIGMOID }
}
forms! {
    /// `selu`.
    pub mod selu_forms ("self", "") fresh "", in_place "";
    (|cx, form, a| op => op.call(cx, form, &[a.into()], &[]))
    { "selu" => SELU }
}
forms! {
    /// `gelu`.
    pub mod gelu_forms ("self", "" * ", str approximate=\"none\"") fresh "", in_place "", out ".out";
    (|cx, form, a, approximate: &str| _op => gelu_by(approximate)?.call(cx, form, &[a.into()], &[]))
    { "gelu" => GELU => Numbers }
}
forms! {
    /// `hardshrink`.
    pub mod hardshrink_forms ("self", ", Scalar lambd=0.5") fresh "", out ".out";
    (|cx, form, a, lambda: Scalar| op => op.call(cx, form, &[a.into()], &[lambda]))
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
    { "softplus" => SOFTPLUS }
}
forms! {
    /// `elu`.
    pub mod elu_forms ("self", ", Scalar alpha=1, Scalar scale=1, Scalar input_scale=1") fresh "", in_place "", out ".out";
    (|cx, form, a, alpha: Scalar, scale: Scalar, input_scale: Scalar| op =>
        op.call(cx, form, &[a.into()], &[alpha, scale, input_scale]))
    { "elu" => ELU }
}
forms! {
    /// `celu`.
    pub mod celu_forms ("self", ", Scalar alpha=1.") fresh "", in_place "", out ".out";
    (|cx, form, a, alpha: Scalar| _op => celu_checked(cx, form, a, alpha))
    { "celu" => CELU }
}
forms! {
    /// `leaky_relu`.
    pub mod leaky_relu_forms ("self", ", Scalar negative_slope=0.01") fresh "", in_place "", out ".out";
    (|cx, form, a, slope: Scalar| op => op.call(cx, form, &[a.into()], &[slope]))
    { "leaky_relu" => LEAKY_RELU => Numbers }
}
forms! {
    /// `threshold`.
    pub mod threshold_forms ("self", ", Scalar threshold, Scalar value") fresh "", in_place "", out ".out";
    (|cx, form, a, threshold: Scalar, value: Scalar| op => op.call(cx, form, &[a.into()], &[threshold, value]))
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
    { "glu" => GLU }
}
forms! {
    /// `rrelu`.
    pub mod rrelu_forms ("self", ", Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None")
    fresh "", in_place "";
    (|cx, form, a, lower: Scalar, upper: Scalar, training: bool, generator: Option<&SharedGenerator>| _op =>
        rrelu(cx, form, a, None, RandomSlopes { lower: lower.to_f64(), upper: upper.to_f64(), training, generator }))
    { "rrelu" => LEAKY_RELU }
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
