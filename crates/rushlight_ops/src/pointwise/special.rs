//! Bessel functions, orthogonal polynomials, polygamma and others that few models use.

use super::in_context::InContext;
use super::table::{Tables, forms, number_forms, table};
use crate::out::check_result_type;
pub(crate) use rushlight_kernels::pointwise::special::*;
use rushlight_tensor::iter::{ResultForm, ResultTarget, apply1};
use rushlight_tensor::lanes::each1;
use rushlight_tensor::{DType, Fault, Result, Scalar, Tensor};
use rushlight_types::{Context, OutDtype, op};

fn polygamma_of(cx: &Context, form: ResultForm<'_>, n: i64, a: &Tensor) -> Result<Tensor> {
    if n < 0 {
        return Err(Fault::runtime(
            "polygamma(n, x) does not support negative n.",
        ));
    }
    if matches!(form, ResultForm::InPlace(_)) && a.dtype().is_integral(true) {
        check_result_type(cx.default_dtype(), a.dtype())?;
    }
    if a.dtype().is_complex() {
        let kernel = match n {
            0 => "digamma",
            1 => "trigamma",
            _ => "polygamma",
        };
        return Err(Fault::no_kernel(kernel, a.dtype()));
    }
    POLYGAMMA.call(cx, form, &[a.into()], &[n.into()])
}

fn mvlgamma_of(cx: &Context, form: ResultForm<'_>, a: &Tensor, p: i64) -> Result<Tensor> {
    if a.dtype() == DType::Bool {
        return Err(Fault::runtime(
            "The input tensor may not be a boolean tensor.",
        ));
    }
    if a.dtype().is_complex() {
        return Err(Fault::no_kernel("arange_cpu", a.dtype()));
    }
    if matches!(form, ResultForm::InPlace(_)) && a.dtype().is_integral(true) {
        return Err(Fault::runtime(format!(
            "mvlgamma: result type {} can't be cast to the desired output type {}",
            a.dtype().class_name(),
            cx.default_dtype().class_name()
        )));
    }
    if p < 1 {
        return Err(Fault::runtime("p has to be greater than or equal to 1"));
    }
    if p > 1 << 20 {
        return Err(Fault::runtime("p is too large"));
    }
    MVLGAMMA.call(cx, form, &[a.into()], &[p.into(), a.dtype().code().into()])
}

fn frexp(a: &Tensor) -> Result<(Tensor, Tensor)> {
    if !a.dtype().is_float() {
        return Err(Fault::runtime(
            "torch.frexp() only supports floating-point dtypes",
        ));
    }
    let operands = [a.into()];
    let mantissas = ResultTarget::prepare(ResultForm::Fresh, &operands, a.dtype())?;
    apply1::<f64, f64>(mantissas.tensor(), &operands, &|r, a| {
        each1(r, a, |x: f64| parts(x).0)
    })?;
    let exponents = ResultTarget::prepare(ResultForm::Fresh, &operands, DType::I32)?;
    apply1::<f64, i64>(exponents.tensor(), &operands, &|r, a| {
        each1(r, a, |x: f64| parts(x).1)
    })?;
    Ok((mantissas.finish()?, exponents.finish()?))
}

/// `x = m 2^e` with `m` in 0.5..1: `(m, e)`.
fn parts(x: f64) -> (f64, i64) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let scale = if x.abs() < f64::MIN_POSITIVE { 54 } else { 0 };
    let bits = (x * 2f64.powi(scale)).to_bits();
    let exponent = ((bits >> 52) & 0x7FF) as i64 - 1022 - scale as i64;
    (
        f64::from_bits((bits & !(0x7FF << 52)) | (1022 << 52)),
        exponent,
    )
}

forms! {
    /// The one with a form in place.
    pub mod plain ("self", "") fresh "", in_place "", out ".out";
    (|cx, form, a| op => op.call(cx, form, &[a.into()], &[]))
    { "i0" => I0 }
}
forms! {
    /// Functions of `self`.
    pub mod of_self ("self", "") fresh "", out ".out";
    (|cx, form, a| op => op.call(cx, form, &[a.into()], &[]))
    {
        "special_i0" => I0, "special_i0e" => I0E, "special_i1" => I1, "special_i1e" => I1E,
        "special_modified_bessel_i0" => MODIFIED_I0, "special_modified_bessel_i1" => MODIFIED_I1,
        "special_modified_bessel_k0" => MODIFIED_K0, "special_modified_bessel_k1" => MODIFIED_K1,
        "special_bessel_j0" => J0, "special_bessel_j1" => J1, "special_bessel_y0" => Y0, "special_bessel_y1" => Y1,
    }
}
forms! {
    /// Functions of `x`.
    pub mod of_x ("x", "") fresh "", out ".out";
    (|cx, form, a| op => op.call(cx, form, &[a.into()], &[]))
    {
        "special_scaled_modified_bessel_k0" => SCALED_K0, "special_scaled_modified_bessel_k1" => SCALED_K1,
        "special_spherical_bessel_j0" => SPHERICAL_J0, "special_airy_ai" => AIRY,
    }
}

forms! {
    /// Polynomials of tensors of degrees.
    pub mod polynomials ("x", ", Tensor n") fresh "", out ".out";
    (|cx, form, a, n: &Tensor| op => op.call(cx, form, &[a.into(), n.into()], &[]))
    {
        "special_chebyshev_polynomial_t" => CHEBYSHEV_T, "special_chebyshev_polynomial_u" => CHEBYSHEV_U,
        "special_chebyshev_polynomial_v" => CHEBYSHEV_V, "special_chebyshev_polynomial_w" => CHEBYSHEV_W,
        "special_shifted_chebyshev_polynomial_t" => SHIFTED_T, "special_shifted_chebyshev_polynomial_u" => SHIFTED_U,
        "special_shifted_chebyshev_polynomial_v" => SHIFTED_V, "special_shifted_chebyshev_polynomial_w" => SHIFTED_W,
        "special_hermite_polynomial_h" => HERMITE_H, "special_hermite_polynomial_he" => HERMITE_HE,
        "special_laguerre_polynomial_l" => LAGUERRE, "special_legendre_polynomial_p" => LEGENDRE,
    }
}
forms! {
    /// Polynomials of one degree.
    pub mod polynomials_of_degree ("x", ", Scalar n") fresh ".n_scalar", out ".n_scalar_out";
    (|cx, form, a, n: Scalar| op => op.call(cx, form, &[a.into(), n.into()], &[]))
    {
        "special_chebyshev_polynomial_t" => CHEBYSHEV_T, "special_chebyshev_polynomial_u" => CHEBYSHEV_U,
        "special_chebyshev_polynomial_v" => CHEBYSHEV_V, "special_chebyshev_polynomial_w" => CHEBYSHEV_W,
        "special_shifted_chebyshev_polynomial_t" => SHIFTED_T, "special_shifted_chebyshev_polynomial_u" => SHIFTED_U,
        "special_shifted_chebyshev_polynomial_v" => SHIFTED_V, "special_shifted_chebyshev_polynomial_w" => SHIFTED_W,
        "special_hermite_polynomial_h" => HERMITE_H, "special_hermite_polynomial_he" => HERMITE_HE,
        "special_laguerre_polynomial_l" => LAGUERRE, "special_legendre_polynomial_p" => LEGENDRE,
    }
}
number_forms! {
    /// Polynomials of many degrees at one point.
    pub mod polynomials_at ("x", ", Tensor n") fresh ".x_scalar", out ".x_scalar_out";
    (|cx, form, a, n| op => op.call(cx, form, &[a.into(), n.into()], &[]))
    {
        "special_chebyshev_polynomial_t" => CHEBYSHEV_T, "special_chebyshev_polynomial_u" => CHEBYSHEV_U,
        "special_chebyshev_polynomial_v" => CHEBYSHEV_V, "special_chebyshev_polynomial_w" => CHEBYSHEV_W,
        "special_shifted_chebyshev_polynomial_t" => SHIFTED_T, "special_shifted_chebyshev_polynomial_u" => SHIFTED_U,
        "special_shifted_chebyshev_polynomial_v" => SHIFTED_V, "special_shifted_chebyshev_polynomial_w" => SHIFTED_W,
        "special_hermite_polynomial_h" => HERMITE_H, "special_hermite_polynomial_he" => HERMITE_HE,
        "special_laguerre_polynomial_l" => LAGUERRE, "special_legendre_polynomial_p" => LEGENDRE,
    }
}
forms! {
    /// `mvlgamma`.
    pub mod mvlgamma_forms ("self", ", int p") fresh "", in_place "", out ".out";
    (|cx, form, a, p: i64| _op => mvlgamma_of(cx, form, a, p))
    { "mvlgamma" => MVLGAMMA }
}
forms! {
    /// `mvlgamma` under its other name.
    pub mod multigammaln_forms ("self", ", int p") fresh "", out ".out";
    (|cx, form, a, p: i64| _op => mvlgamma_of(cx, form, a, p))
    { "special_multigammaln" => MVLGAMMA }
}
table! {
    /// `polygamma`, whose order comes first.
    static POLYGAMMAS = "(int n, Tensor self) -> Tensor";
    (|cx: &Context, n: i64, a: &Tensor| _op => polygamma_of(cx, ResultForm::Fresh, n, a))
    { "polygamma" => POLYGAMMA, "special_polygamma" => POLYGAMMA }
}
table! {
    /// `polygamma` into a given tensor.
    static POLYGAMMAS_OUT = ".out(int n, Tensor self, *, Tensor(a!) out) -> Tensor(a!)";
    (|cx: &Context, n: i64, a: &Tensor, out: &Tensor| _op => polygamma_of(cx, ResultForm::Out(out), n, a))
    { "polygamma" => POLYGAMMA, "special_polygamma" => POLYGAMMA }
}
rushlight_types::operators! {
    /// Operators with other signatures.
    static OTHERS = [
        op!("aten::polygamma_(Tensor(a!) self, int n) -> Tensor(a!)", |cx: &Context, a: &Tensor, n: i64| polygamma_of(cx, ResultForm::InPlace(a), n, a)),
        op!("aten::frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)", frexp).out("Tensor_out", crate::out::cast).out_dtype(OutDtype::Same("torch.frexp() expects mantissa to have dtype {result:c} but got {out:c}|torch.frexp() expects exponent to have int dtype but got {out:c}")),
    ];
}

/// The rows of this file.
pub static TABLES: &[Tables] = &[
    plain::TABLES,
    of_self::TABLES,
    of_x::TABLES,
    polynomials::TABLES,
    polynomials_of_degree::TABLES,
    polynomials_at::TABLES,
    mvlgamma_forms::TABLES,
    multigammaln_forms::TABLES,
    &[POLYGAMMAS, POLYGAMMAS_OUT, OTHERS],
];
