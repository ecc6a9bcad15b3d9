//! Functions of one tensor that give floats (or complex numbers) whatever goes in.

use super::arithmetic::{ADD, MUL};
use super::definition::Pointwise;
use super::in_context::InContext;
use super::table::{Tables, forms, table, tiles};
pub(crate) use rushlight_kernels::pointwise::functions::*;
use rushlight_tensor::iter::ResultForm;
use rushlight_tensor::{DType, Result, Scalar, Tensor};
use rushlight_types::{Context, Functional};

/// `ndtr`. The 16-bit floats go through `erf` with every step rounded.
fn ndtr_of(cx: &Context, form: ResultForm<'_>, a: &Tensor) -> Result<Tensor> {
    if !matches!(a.dtype(), DType::F16 | DType::BF16) {
        return NDTR.call(cx, form, &[a.into()], &[]);
    }
    let step = |op: &Pointwise, x: &Tensor, number: f64| {
        op.call(
            cx,
            ResultForm::Fresh,
            &[x.into(), Scalar::Float(number).into()],
            &[],
        )
    };
    let scaled = step(&MUL, a, std::f64::consts::FRAC_1_SQRT_2)?;
    let y = ERF.call(cx, ResultForm::Fresh, &[(&scaled).into()], &[])?;
    let y = step(&ADD, &y, 1.0)?;
    MUL.call(cx, form, &[(&y).into(), Scalar::Float(0.5).into()], &[])
}

forms! {
    /// Functions with a form in place.
    pub mod plain ("self", "") fresh "", in_place "", out ".out";
    (|cx, form, a| op => op.call(cx, form, &[a.into()], &[]))
    tiles [0] []
    {
        "exp" => EXP, "exp2" => EXP2, "expm1" => EXPM1, "log" => LOG, "log2" => LOG2, "log10" => LOG10,
        "log1p" => LOG1P, "tanh" => TANH => MinusOneToOne => [.functional(Functional::Activation)], "sigmoid" => SIGMOID => ZeroToOne => [.functional(Functional::Activation)], "erf" => ERF, "erfc" => ERFC, "erfinv" => ERFINV,
        "sin" => SIN, "cos" => COS, "tan" => TAN, "asin" => ASIN, "acos" => ACOS, "atan" => ATAN,
        "arcsin" => ASIN, "arccos" => ACOS, "arctan" => ATAN, "sinh" => SINH, "cosh" => COSH, "asinh" => ASINH,
        "acosh" => ACOSH, "atanh" => ATANH, "arcsinh" => ASINH, "arccosh" => ACOSH, "arctanh" => ATANH,
        "sinc" => SINC, "lgamma" => LGAMMA, "digamma" => DIGAMMA, "sqrt" => SQRT, "rsqrt" => RSQRT,
        "reciprocal" => RECIPROCAL, "deg2rad" => DEG2RAD, "rad2deg" => RAD2DEG,
    }
}
forms! {
    /// Functions without one.
    pub mod special ("self", "") fresh "", out ".out";
    (|cx, form, a| op => op.call(cx, form, &[a.into()], &[]))
    tiles [0] []
    {
        "special_exp2" => EXP2, "special_expm1" => EXPM1, "special_log1p" => LOG1P, "special_expit" => SIGMOID,
        "special_erf" => ERF, "special_erfc" => ERFC, "special_erfinv" => ERFINV, "special_erfcx" => ERFCX, "special_log_ndtr" => LOG_NDTR, "special_ndtri" => NDTRI, "special_entr" => ENTR,
        "special_sinc" => SINC, "special_gammaln" => LGAMMA, "special_digamma" => DIGAMMA, "special_psi" => DIGAMMA,
    }
}

forms! {
    /// The normal distribution's function.
    pub mod normal ("self", "") fresh "", out ".out";
    (|cx, form, a| _op => ndtr_of(cx, form, a))
    { "special_ndtr" => NDTR }
}

/// The rows of this file.
pub static TABLES: &[Tables] = &[normal::TABLES, plain::TABLES, special::TABLES];
