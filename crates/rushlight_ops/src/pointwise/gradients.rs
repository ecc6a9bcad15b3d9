//! The operators that gradients of activations are computed with: one pass each.

use super::activation::gelu_by;
use super::definition::Pointwise;
use super::in_context::InContext;
use super::table::{Tables, forms, table};
pub(crate) use rushlight_kernels::pointwise::gradients::*;
use rushlight_tensor::{Fault, Result, Scalar, Tensor};

/// The definition for an argument or for a result. A result tells where its argument was only if `alpha` is not negative.
fn elu_by(is_result: bool, alpha: Scalar) -> Result<&'static Pointwise> {
    if !is_result {
        return Ok(&ELU_BACKWARD);
    }
    if alpha.to_f64() < 0.0 {
        return Err(Fault::runtime(
            "In-place elu backward calculation is triggered with a negative slope which is not supported. This is caused by calling in-place forward function with a negative slope, please call out-of-place version instead.",
        ));
    }
    Ok(&ELU_BACKWARD_BY_RESULT)
}

forms! {
    /// Of functions without numbers, by their argument.
    pub mod by_argument ("grad_output", ", Tensor self") fresh "", grad_input ".grad_input";
    (|cx, form, g, a: &Tensor| op => op.call(cx, form, &[g.into(), a.into()], &[]))
    { "hardsigmoid_backward" => HARDSIGMOID_BACKWARD, "silu_backward" => SILU_BACKWARD }
}
forms! {
    /// The same, under other names of the result.
    pub mod hardswish_forms ("grad_output", ", Tensor self") fresh "", out ".out";
    (|cx, form, g, a: &Tensor| op => op.call(cx, form, &[g.into(), a.into()], &[]))
    { "hardswish_backward" => HARDSWISH_BACKWARD }
}
forms! {
    /// Without a form for a given result.
    pub mod mish_forms ("grad_output", ", Tensor self") fresh "";
    (|cx, form, g, a: &Tensor| op => op.call(cx, form, &[g.into(), a.into()], &[]))
    { "mish_backward" => MISH_BACKWARD }
}
forms! {
    /// Of functions without numbers, by their result.
    pub mod by_result ("grad_output", ", Tensor output") fresh "", grad_input ".grad_input";
    (|cx, form, g, y: &Tensor| op => op.call(cx, form, &[g.into(), y.into()], &[]))
    { "sigmoid_backward" => SIGMOID_BACKWARD, "tanh_backward" => TANH_BACKWARD }
}
forms! {
    /// Of `threshold`, and of `relu` by its result.
    pub mod threshold_forms ("grad_output", ", Tensor self, Scalar threshold") fresh "", grad_input ".grad_input";
    (|cx, form, g, a: &Tensor, threshold: Scalar| op => op.call(cx, form, &[a.into(), g.into()], &[threshold]))
    { "threshold_backward" => THRESHOLD_BACKWARD }
}
forms! {
    /// Of `leaky_relu`, by its argument or, for slopes above zero, its result.
    pub mod leaky_relu_forms ("grad_output", ", Tensor self, Scalar negative_slope, bool self_is_result") fresh "", grad_input ".grad_input";
    (|cx, form, g, a: &Tensor, slope: Scalar, by_result: bool| op => {
        if by_result && slope.to_f64() < 0.0 {
            return Err(Fault::runtime(
                "In-place leakyReLu backward calculation is triggered with a negative slope which is not supported. This is caused by calling in-place forward function with a negative slope, please call out-of-place version instead. File an issue at https://github.com/pytorch/pytorch if you do require supporting in-place leakRelu backward calculation with negative slope",
            ));
        }
        op.call(cx, form, &[a.into(), g.into()], &[slope])
    })
    { "leaky_relu_backward" => LEAKY_RELU_BACKWARD }
}
forms! {
    /// Of `hardtanh` and `relu6`.
    pub mod hardtanh_forms ("grad_output", ", Tensor self, Scalar min_val, Scalar max_val") fresh "", grad_input ".grad_input";
    (|cx, form, g, a: &Tensor, low: Scalar, high: Scalar| op => op.call(cx, form, &[g.into(), a.into()], &[low, high]))
    { "hardtanh_backward" => HARDTANH_BACKWARD }
}
forms! {
    /// Of `softshrink`.
    pub mod softshrink_forms ("grad_output", ", Tensor self, Scalar lambd") fresh "", grad_input ".grad_input";
    (|cx, form, g, a: &Tensor, lambda: Scalar| op => op.call(cx, form, &[g.into(), a.into()], &[lambda]))
    { "softshrink_backward" => SHRINK_BACKWARD }
}
forms! {
    /// Of `hardshrink`.
    pub mod hardshrink_forms ("grad_out", ", Tensor self, Scalar lambd") fresh "", grad_input ".grad_input";
    (|cx, form, g, a: &Tensor, lambda: Scalar| op => op.call(cx, form, &[g.into(), a.into()], &[lambda]))
    { "hardshrink_backward" => SHRINK_BACKWARD }
}
forms! {
    /// Of `softplus`.
    pub mod softplus_forms ("grad_output", ", Tensor self, Scalar beta, Scalar threshold") fresh "", grad_input ".grad_input";
    (|cx, form, g, a: &Tensor, beta: Scalar, threshold: Scalar| op =>
        op.call(cx, form, &[g.into(), a.into()], &[beta, threshold]))
    { "softplus_backward" => SOFTPLUS_BACKWARD }
}
forms! {
    /// Of `elu`, `selu` and `celu`.
    pub mod elu_forms ("grad_output", ", Scalar alpha, Scalar scale, Scalar input_scale, bool is_result, Tensor self_or_result")
    fresh "", grad_input ".grad_input";
    (|cx, form, g, alpha: Scalar, scale: Scalar, input_scale: Scalar, is_result: bool, a: &Tensor| _op =>
        elu_by(is_result, alpha)?.call(cx, form, &[g.into(), a.into()], &[alpha, scale, input_scale]))
    { "elu_backward" => ELU_BACKWARD }
}
forms! {
    /// Of `gelu`.
    pub mod gelu_forms ("grad_output", ", Tensor self" * ", str approximate=\"none\"") fresh "", grad_input ".grad_input";
    (|cx, form, g, a: &Tensor, approximate: &str| _op =>
        gelu_by(approximate, &GELU_BACKWARD, &GELU_TANH_BACKWARD)?.call(cx, form, &[g.into(), a.into()], &[]))
    { "gelu_backward" => GELU_BACKWARD }
}
forms! {
    /// Of `log_sigmoid`, which has what the reference computes it from left over.
    pub mod log_sigmoid_forms ("grad_output", ", Tensor self, Tensor buffer") fresh "", grad_input ".grad_input";
    (|cx, form, g, a: &Tensor, buffer: &Tensor| op => {
        let _ = buffer;
        op.call(cx, form, &[g.into(), a.into()], &[])
    })
    { "log_sigmoid_backward" => LOG_SIGMOID_BACKWARD }
}

/// The rows of this file.
pub static TABLES: &[Tables] = &[
    by_argument::TABLES,
    hardswish_forms::TABLES,
    mish_forms::TABLES,
    by_result::TABLES,
    threshold_forms::TABLES,
    leaky_relu_forms::TABLES,
    hardtanh_forms::TABLES,
    softshrink_forms::TABLES,
    hardshrink_forms::TABLES,
    softplus_forms::TABLES,
    elu_forms::TABLES,
    gelu_forms::TABLES,
    log_sigmoid_forms::TABLES,
];
