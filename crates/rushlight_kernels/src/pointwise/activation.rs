//! Activation functions.

use super::definition::{Pointwise, Slices1, loops1, loops2, slices};
use super::math::analysis::Analysis;
use super::math::vector::{Sigmoid, Tanh};
use rushlight_tensor::lanes::{Lanes, Map1, Map2, each1, map1, map2, spread2};
use rushlight_tensor::{Complex64, Scalar};

/// `(definition, kernel name, loop, type [numbers] |x, L| body)`: the element function as a type that vector code can be
/// made of, a loop that reads its numbers, and the definition.
macro_rules! activations {
    ($($(#[$meta:meta])* $static:ident $name:literal $(, $option:ident)* $function:ident $type:ident [$($number:ident),*] |$x:ident, $lanes:ident| $body:expr;)*) => {$(
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
            Pointwise::new($name, slices![Loop1: $function::<f32>, $function::<f64>])
                .without_bool()
                $(.$option())*;
    )*};
}

activations! {
    /// `x Φ(x)` with the normal distribution's function.
    GELU "GeluKernelImpl", unconverted gelu Gelu [] |x, L| {
        T::of(0.5) * x * (T::ONE + (x * T::of(std::f64::consts::FRAC_1_SQRT_2)).erf_in::<L>())
    };
    /// The approximation of [`GELU`] by a hyperbolic tangent.
    GELU_TANH "GeluKernelImpl", unconverted gelu_tanh GeluTanh [] |x, L| {
        let inner = T::of(0.797_884_560_802_865_4) * (x + T::of(0.044_715) * x * x * x);
        T::of(0.5) * x * (T::ONE + inner.tanh_in::<L>())
    };
    /// `x tanh(softplus(x))`.
    MISH "mish_cpu", unconverted mish Mish [] |x, L| {
        // tanh(ln(1 + e)) = n / (n + 2) with n = e (e + 2)
        let e = x.at_most(T::of(20.0)).exp_in::<L>();
        let n = e * (e + T::of(2.0));
        if x > T::of(20.0) { x } else { x * (n / (n + T::of(2.0))) }
    };
    /// A straight line between 0 and 1.
    HARDSIGMOID "hardsigmoid_cpu", unconverted hardsigmoid HardSigmoid [] |x, L| {
        (x + T::of(3.0)).at_least(T::ZERO).at_most(T::of(6.0)) / T::of(6.0)
    };
    /// `x hardsigmoid(x)`.
    HARDSWISH "hardswish_cpu", unconverted hardswish HardSwish [] |x, L| {
        x * (x + T::of(3.0)).at_least(T::ZERO).at_most(T::of(6.0)) / T::of(6.0)
    };
    /// Zero between `-lambda` and `lambda`.
    HARDSHRINK "hardshrink_cpu", rounding_numbers, unconverted hardshrink HardShrink [lambda] |x, L| {
        if x >= -lambda && x <= lambda { T::ZERO } else { x }
    };
    /// Moved toward zero by `lambda`.
    SOFTSHRINK "softshrink_cpu", rounding_numbers, unconverted softshrink SoftShrink [lambda] |x, L| {
        if x > lambda { x - lambda } else if x < -lambda { x + lambda } else { x * T::ZERO }
    };
    /// `ln(1 + exp(beta x)) / beta`, the line itself above the threshold.
    SOFTPLUS "softplus_cpu", unconverted softplus SoftPlus [beta, threshold] |x, L| {
        let scaled = x * beta;
        let bent = scaled.at_most(threshold).exp_in::<L>().ln_1p_in::<L>() / beta;
        if scaled > threshold { x } else { bent }
    };
    /// Exponential below zero, a line above; alpha, scale and input scale.
    ELU "elu_cpu", unconverted elu Elu [alpha, scale, input_scale] |x, L| {
        let low = (x.at_most(T::ZERO) * input_scale).exp_m1_in::<L>() * alpha * scale;
        if x < T::ZERO { low } else { x * scale }
    };
    /// A flatter line below zero.
    LEAKY_RELU "leaky_relu_cpu", unconverted leaky_relu LeakyRelu [slope] |x, L| {
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
pub static SILU: Pointwise = Pointwise::new(
    "silu_cpu",
    loops1![
        f32: map1 SiluOf,
        f64: map1 SiluOf,
        Complex64: each1 |z: Complex64| z / (1.0 + (-z).exp()),
    ],
)
.without_bool()
.unconverted();

/// `x` above the threshold, else the value; the numbers are both.
pub static THRESHOLD: Pointwise = Pointwise::new(
    "threshold_cpu",
    slices![Loop1:
        |r: &mut [f32], a: &[f32], n: &[Scalar]| {
            let (threshold, value) = (n[0].to_f64() as f32, n[1].to_f64() as f32);
            map1(r, a, move |x: f32| if x <= threshold { value } else { x });
        },
        |r: &mut [i64], a: &[i64], n: &[Scalar]| {
            let (threshold, value) = (n[0].to_i64(), n[1].to_i64());
            map1(r, a, move |x: i64| if x <= threshold { value } else { x });
        },
        |r: &mut [f64], a: &[f64], n: &[Scalar]| {
            let (threshold, value) = (n[0].to_f64(), n[1].to_f64());
            map1(r, a, move |x: f64| if x <= threshold { value } else { x });
        },
    ],
)
.without_bool();

/// `x`, times the weight below zero.
pub static PRELU: Pointwise = Pointwise::new(
    "prelu_cpu",
    loops2![
        f32: spread2 |x: f32, w: f32| if x > 0.0 { x } else { x * w },
        f64: spread2 |x: f64, w: f64| if x > 0.0 { x } else { x * w },
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
pub static GLU: Pointwise = Pointwise::new(
    "glu_cpu",
    slices![Loop2:
        |r: &mut [f32], a: &[f32], b: &[f32], _| map2(r, a, b, Gate),
        |r: &mut [f64], a: &[f64], b: &[f64], _| map2(r, a, b, Gate),
    ],
)
.without_bool();

/// The loop of an activation that a layer is fused with, by the name that it has there.
pub fn of_layers(name: &str) -> Option<Slices1<f32, f32>> {
    Some(match name {
        "gelu" => gelu::<f32>,
        "gelu_tanh" => gelu_tanh::<f32>,
        "hardsigmoid" => hardsigmoid::<f32>,
        "hardswish" => hardswish::<f32>,
        "leaky_relu" => leaky_relu::<f32>,
        "sigmoid" => |r, a, _| map1(r, a, Sigmoid),
        "swish" => |r, a, _| map1(r, a, SiluOf),
        "tanh" => |r, a, _| map1(r, a, Tanh),
        _ => return None,
    })
}
