//! Gradients of activation functions, in one pass over the gradient and the argument (or the result).

use super::definition::{Pointwise, slices};
use super::math::analysis::Analysis;
use rushlight_tensor::lanes::{Lanes, Map2, each2, map2};
use rushlight_tensor::{Complex64, Scalar};

/// `(definition, kernel name, loop, type [numbers] |gradient, x, L| body)`, as `activations!` in `activation.rs`. Results
/// lie as the first of the two does, which for some is the argument.
macro_rules! gradients {
    ($($(#[$meta:meta])* $static:ident $name:literal $function:ident $type:ident [$($number:ident),*] |$g:ident, $x:ident, $lanes:ident| $body:expr;)*) => {$(
        #[derive(Clone, Copy)]
        struct $type<T> {
            $($number: T,)*
            of: std::marker::PhantomData<T>,
        }
        impl<T: Analysis> Map2<T, T, T> for $type<T> {
            #[inline(always)]
            fn at<$lanes: Lanes>(self, $g: T, $x: T) -> T {
                $(let $number = self.$number;)*
                $body
            }
        }
        #[allow(unused_mut, unused_variables, reason = "not every activation has numbers")]
        fn $function<T: Analysis>(r: &mut [T], g: &[T], x: &[T], numbers: &[Scalar]) {
            let mut numbers = numbers.iter();
            map2(r, g, x, $type {
                $($number: numbers.next().map_or(T::ONE, |n| T::of(n.to_f64())),)*
                of: std::marker::PhantomData,
            });
        }
        $(#[$meta])*
        pub static $static: Pointwise =
            Pointwise::new($name, slices![Loop2: $function::<f32>, $function::<f64>]).without_bool();
    )*};
}

gradients! {
    /// Of [`THRESHOLD`](super::activation::THRESHOLD), and of `relu` by its result: the gradient above the threshold.
    THRESHOLD_BACKWARD "threshold_cpu" threshold Threshold [threshold] |x, g, L| {
        if x <= threshold { T::ZERO } else { g }
    };
    /// Of [`LEAKY_RELU`](super::activation::LEAKY_RELU), by its argument or its result.
    LEAKY_RELU_BACKWARD "leaky_relu_backward_cpu" leaky_relu LeakyRelu [slope] |x, g, L| {
        if x > T::ZERO { g } else { g * slope }
    };
    /// Of `hardtanh`: the gradient between the bounds.
    HARDTANH_BACKWARD "hardshrink_backward_cpu" hardtanh HardTanh [low, high] |g, x, L| {
        if x <= low || x >= high { T::ZERO } else { g }
    };
    /// Of [`HARDSIGMOID`](super::activation::HARDSIGMOID).
    HARDSIGMOID_BACKWARD "hardsigmoid_backward" hardsigmoid HardSigmoid [] |g, x, L| {
        if x > -T::of(3.0) && x < T::of(3.0) { g * T::of(1.0 / 6.0) } else { T::ZERO }
    };
    /// Of [`HARDSWISH`](super::activation::HARDSWISH).
    HARDSWISH_BACKWARD "hardswish_backward_cpu" hardswish HardSwish [] |g, x, L| {
        if x <= -T::of(3.0) {
            T::ZERO
        } else if x < T::of(3.0) {
            g * (x / T::of(3.0) + T::of(0.5))
        } else {
            g
        }
    };
    /// Of both shrinking functions: the gradient outside of `-lambda` to `lambda`.
    SHRINK_BACKWARD "shrink_backward_cpu" shrink Shrink [lambda] |g, x, L| {
        if x >= -lambda && x <= lambda { T::ZERO } else { g }
    };
    /// Of [`ELU`](super::activation::ELU) by its argument.
    ELU_BACKWARD "elu_backward_cpu" elu Elu [alpha, scale, input_scale] |g, x, L| {
        if x <= T::ZERO {
            g * input_scale * alpha * scale * (x.at_most(T::ZERO) * input_scale).exp_in::<L>()
        } else {
            g * scale
        }
    };
    /// Of [`ELU`](super::activation::ELU) by its result.
    ELU_BACKWARD_BY_RESULT "elu_backward_cpu" elu_by_result EluByResult [alpha, scale, input_scale] |g, y, L| {
        if y <= T::ZERO { g * input_scale * (y + alpha * scale) } else { g * scale }
    };
    /// Of [`SOFTPLUS`](super::activation::SOFTPLUS).
    SOFTPLUS_BACKWARD "softplus_backward_cpu" softplus SoftPlus [beta, threshold] |g, x, L| {
        let scaled = x * beta;
        if scaled > threshold { g } else { g * scaled.sigmoid_in::<L>() }
    };
    /// Of [`GELU`](super::activation::GELU).
    GELU_BACKWARD "GeluBackwardKernelImpl" gelu Gelu [] |g, x, L| {
        let below = T::of(0.5) * (T::ONE + (x * T::of(std::f64::consts::FRAC_1_SQRT_2)).erf_in::<L>());
        let density = (x * x * T::of(-0.5)).exp_in::<L>() * T::of(0.398_942_280_401_432_7);
        g * (below + x * density)
    };
    /// Of [`GELU_TANH`](super::activation::GELU_TANH).
    GELU_TANH_BACKWARD "GeluBackwardKernelImpl" gelu_tanh GeluTanh [] |g, x, L| {
        let beta = T::of(0.797_884_560_802_865_4);
        let tanh = (beta * (x + T::of(0.044_715) * x * x * x)).tanh_in::<L>();
        let slope = beta * (T::ONE + T::of(0.134_145) * x * x);
        let half = T::of(0.5);
        g * (half * (T::ONE + tanh) + half * x * (T::ONE - tanh * tanh) * slope)
    };
    /// Of [`MISH`](super::activation::MISH).
    MISH_BACKWARD "mish_backward_cpu" mish Mish [] |g, x, L| {
        // As in `MISH`: tanh(ln(1 + e)) = n / (n + 2) with n = e (e + 2); its slope is 4 e (e + 1) / (n + 2)^2.
        let e = x.at_most(T::of(20.0)).exp_in::<L>();
        let n = e * (e + T::of(2.0));
        let whole = n + T::of(2.0);
        let slope = T::of(4.0) * (e / whole) * ((e + T::ONE) / whole);
        // Nothing comes of infinity, as of the formula.
        let high = T::ONE + x * T::ZERO;
        g * if x > T::of(20.0) { high } else { n / whole + x * slope }
    };
    /// Of `log_sigmoid`.
    LOG_SIGMOID_BACKWARD "log_sigmoid_backward_cpu" log_sigmoid LogSigmoid [] |g, x, L| {
        g * (-x).sigmoid_in::<L>()
    };
}

/// `(definition, kernel name, loop, type |gradient, x, L| body, |gradient, z| body)`: those that are for complex numbers, too.
macro_rules! gradients_of_numbers {
    ($($(#[$meta:meta])* $static:ident $name:literal $type:ident |$g:ident, $x:ident, $lanes:ident| $body:expr, |$gc:ident, $z:ident| $complex:expr;)*) => {$(
        #[derive(Clone, Copy)]
        struct $type;
        impl<T: Analysis> Map2<T, T, T> for $type {
            #[inline(always)]
            fn at<$lanes: Lanes>(self, $g: T, $x: T) -> T {
                $body
            }
        }
        $(#[$meta])*
        pub static $static: Pointwise = Pointwise::new(
            $name,
            slices![Loop2:
                |r: &mut [f32], g: &[f32], x: &[f32], _| map2(r, g, x, $type),
                |r: &mut [f64], g: &[f64], x: &[f64], _| map2(r, g, x, $type),
                |r: &mut [Complex64], g: &[Complex64], x: &[Complex64], _| {
                    each2(r, g, x, |$gc: Complex64, $z: Complex64| $complex);
                },
            ],
        )
        .without_bool();
    )*};
}

gradients_of_numbers! {
    /// Of `sigmoid` by its result.
    SIGMOID_BACKWARD "sigmoid_backward_cpu" Sigmoid |g, y, L| g * (T::ONE - y) * y, |g, y| g * ((1.0 - y) * y).conj();
    /// Of `tanh` by its result.
    TANH_BACKWARD "tanh_backward_cpu" Tanh |g, y, L| g * (T::ONE - y * y), |g, y| g * (1.0 - y * y).conj();
    /// Of [`SILU`](super::activation::SILU).
    SILU_BACKWARD "silu_backward_cpu" Silu |g, x, L| {
        let s = x.sigmoid_in::<L>();
        g * (s * (T::ONE + x * (T::ONE - s)))
    }, |g, z| {
        let s = 1.0 / (1.0 + (-z).exp());
        g * (s * (1.0 + z * (1.0 - s))).conj()
    };
}
