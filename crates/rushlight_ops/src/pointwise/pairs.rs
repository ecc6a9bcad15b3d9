//! Functions of two tensors: angles, logarithms of sums, divisors, and extremes.

use super::definition::{Pointwise, loops2};
use super::in_context::InContext;
use super::table::{Tables, forms, number_forms, table, tiles};
pub(crate) use rushlight_kernels::pointwise::pairs::*;
use rushlight_tensor::iter::ResultForm;
use rushlight_tensor::lanes::each2;
use rushlight_tensor::{DType, Fault, Result, Scalar, Tensor};
use rushlight_types::ElementOp;

/// The length of the hypotenuse, whose squares an f64 holds.
#[inline(always)]
fn hypot_f32(x: f32, y: f32) -> f32 {
    let (a, b) = (f64::from(x), f64::from(y));
    let length = (a * a + b * b).sqrt() as f32;
    match x.is_infinite() | y.is_infinite() {
        true => f32::INFINITY,
        false => length,
    }
}

/// The length of the hypotenuse.
static HYPOT: Pointwise = Pointwise::new(
    "hypot_cpu",
    loops2![f32: each2 hypot_f32, f64: each2 f64::hypot],
);

forms! {
    /// Functions with a form in place.
    pub mod methods ("self", ", Tensor other") fresh "", in_place "", out ".out";
    (|cx, form, a, b: &Tensor| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    tiles [0, 1] []
    {
        "atan2" => ATAN2, "arctan2" => ATAN2, "hypot" => HYPOT, "gcd" => GCD, "lcm" => LCM, "igamma" => IGAMMA,
        "igammac" => IGAMMAC, "nextafter" => NEXTAFTER,
    }
}
forms! {
    /// Functions without one.
    pub mod functions ("self", ", Tensor other") fresh "", out ".out";
    (|cx, form, a, b: &Tensor| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    tiles [0, 1] []
    {
        "maximum" => MAXIMUM => [.element(ElementOp::Maximum)], "minimum" => MINIMUM => [.element(ElementOp::Minimum)], "fmax" => FMAX, "fmin" => FMIN, "logaddexp" => LOGADDEXP,
        "logaddexp2" => LOGADDEXP2, "special_gammainc" => IGAMMA, "special_gammaincc" => IGAMMAC,
        "special_xlogy" => XLOGY, "special_xlog1py" => XLOG1PY, "special_zeta" => ZETA,
    }
}
forms! {
    /// How gamma numbers change with their shapes.
    pub mod gamma_slope ("self", ", Tensor output") fresh "", out ".out";
    (|cx, form, a, output: &Tensor| op => op.call(cx, form, &[a.into(), output.into()], &[]))
    { "_standard_gamma_grad" => GAMMA_SLOPE }
}
forms! {
    /// How parts of one change with their concentrations.
    pub mod dirichlet_slope ("x", ", Tensor alpha, Tensor total") fresh "", out ".out";
    (|cx, form, a, alpha: &Tensor, total: &Tensor| op => op.call(cx, form, &[a.into(), alpha.into(), total.into()], &[]))
    { "_dirichlet_grad" => DIRICHLET_SLOPE }
}
forms! {
    /// `maximum` and `minimum` under their older names.
    pub mod older ("self", ", Tensor other") fresh ".other", out ".out";
    (|cx, form, a, b: &Tensor| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    tiles [0, 1] []
    { "max" => MAXIMUM => [.element(ElementOp::Maximum)], "min" => MINIMUM => [.element(ElementOp::Minimum)] }
}
forms! {
    /// Special functions with a number second.
    pub mod special_numbers ("self", ", Scalar other") fresh ".other_scalar", out ".other_scalar_out";
    (|cx, form, a, b: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "special_xlogy" => XLOGY, "special_xlog1py" => XLOG1PY, "special_zeta" => ZETA }
}
number_forms! {
    /// Special functions with a number first.
    pub mod special_of_number ("self", ", Tensor other") fresh ".self_scalar", out ".self_scalar_out";
    (|cx, form, a, b| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "special_xlogy" => XLOGY, "special_xlog1py" => XLOG1PY, "special_zeta" => ZETA }
}
forms! {
    /// `xlogy`.
    pub mod xlogy_tensor ("self", ", Tensor other") fresh ".Tensor", in_place ".Tensor", out ".OutTensor";
    (|cx, form, a, b: &Tensor| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "xlogy" => XLOGY }
}
forms! {
    /// `xlogy` with a number second.
    pub mod xlogy_number ("self", ", Scalar other")
    fresh ".Scalar_Other", in_place ".Scalar_Other", out ".OutScalar_Other";
    (|cx, form, a, b: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "xlogy" => XLOGY }
}
number_forms! {
    /// `xlogy` with a number first.
    pub mod xlogy_of_number ("self", ", Tensor other") fresh ".Scalar_Self", out ".OutScalar_Self";
    (|cx, form, a, b| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "xlogy" => XLOGY }
}
forms! {
    /// Signs copied from a tensor.
    pub mod copysign ("self", ", Tensor other") fresh ".Tensor", in_place ".Tensor", out ".out";
    (|cx, form, a, b: &Tensor| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "copysign" => COPYSIGN }
}
forms! {
    /// Signs copied from a number.
    pub mod copysign_number ("self", ", Scalar other") fresh ".Scalar", in_place ".Scalar", out ".Scalar_out";
    (|cx, form, a, b: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "copysign" => COPYSIGN }
}
forms! {
    /// `ldexp`.
    pub mod ldexp ("self", ", Tensor other") fresh ".Tensor", in_place "", out ".out";
    (|cx, form, a, b: &Tensor| op => {
        check_ldexp(form)?;
        check_exponent(a, b)?;
        op.call(cx, form, &[a.into(), b.into()], &[])
    })
    { "ldexp" => LDEXP }
}
forms! {
    /// `heaviside`.
    pub mod heaviside ("self", ", Tensor values") fresh "", in_place "", out ".out";
    (|cx, form, a, b: &Tensor| op => {
        if let ResultForm::Out(out) = form {
            // It counts as an operand.
            check_heaviside(&[a.into(), out.into()], out.dtype(), &[])?;
        }
        op.call(cx, form, &[a.into(), b.into()], &[])
    })
    { "heaviside" => HEAVISIDE }
}

/// The exponents of real floats are no truth values.
fn check_exponent(a: &Tensor, exponent: &Tensor) -> Result<()> {
    match exponent.dtype() {
        DType::Bool if a.dtype().is_float() => Err(Fault::no_kernel("ldexp_cpu_exp", DType::Bool)),
        _ => Ok(()),
    }
}

/// Results of `ldexp` are floats at least.
fn check_ldexp(form: ResultForm<'_>) -> Result<()> {
    let out = match form {
        ResultForm::Out(out) | ResultForm::InPlace(out) => Some(out),
        ResultForm::Fresh => None,
    };
    match out {
        Some(out) if out.dtype().is_integral(true) => Err(Fault::runtime(format!(
            "ldexp can't be cast to the desired output type {}",
            out.dtype().class_name()
        ))),
        _ => Ok(()),
    }
}

/// The rows of this file.
pub static TABLES: &[Tables] = &[
    methods::TABLES,
    functions::TABLES,
    gamma_slope::TABLES,
    dirichlet_slope::TABLES,
    older::TABLES,
    special_numbers::TABLES,
    special_of_number::TABLES,
    xlogy_tensor::TABLES,
    xlogy_number::TABLES,
    xlogy_of_number::TABLES,
    copysign::TABLES,
    copysign_number::TABLES,
    ldexp::TABLES,
    heaviside::TABLES,
];
