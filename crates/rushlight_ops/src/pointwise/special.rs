//! Bessel functions, orthogonal polynomials, polygamma and others that few models use.

use super::definition::{Pointwise, loops1, loops2, slices};
use super::functions::wide;
use super::math::airy::airy_ai;
use super::math::bessel::{j0, j1, spherical_j0, y0, y1};
use super::math::modified_bessel::{i0, i0e, i1, i1e, k0, k0e, k1, k1e};
use super::math::orthogonal::{
    chebyshev_t, chebyshev_u, chebyshev_v, chebyshev_w, hermite_h, hermite_he, laguerre_l,
    legendre_p, shifted_t, shifted_u, shifted_v, shifted_w,
};
use super::table::{Tables, forms, number_forms, table};
use crate::compute::round_to;
use rushlight_tensor::iter::{Form, Target, apply1};
use rushlight_tensor::lanes::{each1, each2};
use rushlight_tensor::special::gamma::{lgamma, multigammaln, polygamma};
use rushlight_tensor::{DType, Fault, Result, Scalar, Tensor};
use rushlight_types::{Context, op};

wide! {
    /// The modified Bessel function of the first kind of order 0.
    I0 "i0_vml_cpu" i0;
    /// The same, scaled.
    I0E "i0e_cpu" i0e;
    /// Order 1.
    I1 "i1_cpu" i1;
    /// Order 1, scaled.
    I1E "i1e_cpu" i1e;
    /// [`I0`] under its other name.
    MODIFIED_I0 "modified_bessel_i0_cpu" i0, without_half;
    /// [`I1`] under its other name.
    MODIFIED_I1 "modified_bessel_i1_cpu" i1, without_half;
    /// The second kind, order 0.
    MODIFIED_K0 "modified_bessel_k0_cpu" k0, without_half;
    /// The second kind, order 1.
    MODIFIED_K1 "modified_bessel_k1_cpu" k1, without_half;
    /// The second kind, order 0, scaled.
    SCALED_K0 "scaled_modified_bessel_k0_cpu" k0e, without_half;
    /// The second kind, order 1, scaled.
    SCALED_K1 "scaled_modified_bessel_k1_cpu" k1e, without_half;
    /// The spherical Bessel function of order 0.
    SPHERICAL_J0 "spherical_bessel_j0_cpu" spherical_j0, without_half;
}

/// Functions that are computed in the type of their argument.
macro_rules! narrow {
    ($($(#[$meta:meta])* $static:ident $name:literal $function:ident;)*) => {$(
        $(#[$meta])*
        static $static: Pointwise = Pointwise::new(
            $name,
            loops1![f32: each1 $function::<f32>, f64: each1 $function::<f64>],
        )
        .lifting()
        .without_half();
    )*};
}
narrow! {
    /// The Bessel function of the first kind of order 0.
    J0 "bessel_j0_cpu" j0;
    /// Order 1.
    J1 "bessel_j1_cpu" j1;
    /// The second kind, order 0.
    Y0 "bessel_y0_cpu" y0;
    /// The second kind, order 1.
    Y1 "bessel_y1_cpu" y1;
    /// The Airy function.
    AIRY "airy_ai_cpu" airy_ai;
}

macro_rules! polynomials {
    ($($static:ident $name:literal $function:ident;)*) => {$(
        static $static: Pointwise = Pointwise::new(
            $name,
            loops2![f32: each2 |x: f32, n: f32| $function(x as f64, n as f64) as f32, f64: each2 $function],
        )
        .lifting()
        .without_half();
    )*};
}
polynomials! {
    CHEBYSHEV_T "chebyshev_polynomial_t_cpu" chebyshev_t;
    CHEBYSHEV_U "chebyshev_polynomial_u_cpu" chebyshev_u;
    CHEBYSHEV_V "chebyshev_polynomial_v_cpu" chebyshev_v;
    CHEBYSHEV_W "chebyshev_polynomial_w_cpu" chebyshev_w;
    SHIFTED_T "shifted_chebyshev_polynomial_t_cpu" shifted_t;
    SHIFTED_U "shifted_chebyshev_polynomial_u_cpu" shifted_u;
    SHIFTED_V "shifted_chebyshev_polynomial_v_cpu" shifted_v;
    SHIFTED_W "shifted_chebyshev_polynomial_w_cpu" shifted_w;
    HERMITE_H "hermite_polynomial_h_cpu" hermite_h;
    HERMITE_HE "hermite_polynomial_he_cpu" hermite_he;
    LAGUERRE "laguerre_polynomial_l_cpu" laguerre_l;
    LEGENDRE "legendre_polynomial_p_cpu" legendre_p;
}

/// The derivative of the digamma function of the order that is the loop's number.
static POLYGAMMA: Pointwise = Pointwise::new(
    "polygamma",
    slices![Loop1:
        |r: &mut [f32], a: &[f32], n: &[Scalar]| each1(r, a, |x: f32| polygamma(n[0].to_i64(), x)),
        |r: &mut [f64], a: &[f64], n: &[Scalar]| each1(r, a, |x: f64| polygamma(n[0].to_i64(), x)),
    ],
)
.lifting();

/// The logarithm of the multivariate gamma function of the dimension that is the loop's number.
static MVLGAMMA: Pointwise = Pointwise::new(
    "mvlgamma",
    slices![Loop1:
        |r: &mut [f32], a: &[f32], n: &[Scalar]| {
            let (p, dtype) = (n[0].to_i64(), DType::from_code(n[1].to_i64()));
            match dtype.filter(|d| d.size() == 2) {
                Some(narrow) => each1(r, a, |x: f32| narrow_multigammaln(x as f64, p, narrow) as f32),
                None => each1(r, a, |x: f32| multigammaln(x as f64, p) as f32),
            }
        },
        |r: &mut [f64], a: &[f64], n: &[Scalar]| each1(r, a, |x: f64| multigammaln(x, n[0].to_i64())),
    ],
)
.lifting();

fn polygamma_of(cx: &Context, form: Form<'_>, n: i64, a: &Tensor) -> Result<Tensor> {
    if n < 0 {
        return Err(Fault::runtime(
            "polygamma(n, x) does not support negative n.",
        ));
    }
    POLYGAMMA.call(cx, form, &[a.into()], &[n.into()])
}

/// As [`multigammaln`], rounded to a 16-bit dtype after every step.
fn narrow_multigammaln(x: f64, p: i64, dtype: DType) -> f64 {
    let rounded = |v: f64| round_to(v, dtype);
    let term = |j: i64| {
        let shift = rounded(0.5 * (j + 1 - p) as f64);
        rounded(lgamma(rounded(x + shift)))
    };
    let sum = rounded((0..p).map(term).sum());
    rounded(sum + p as f64 * (p as f64 - 1.0) / 4.0 * std::f64::consts::PI.ln())
}

fn mvlgamma_of(cx: &Context, form: Form<'_>, a: &Tensor, p: i64) -> Result<Tensor> {
    if a.dtype() == DType::Bool {
        return Err(Fault::runtime(
            "The input tensor may not be a boolean tensor.",
        ));
    }
    if p < 1 {
        return Err(Fault::runtime("p has to be greater than or equal to 1"));
    }
    if p > 1 << 20 {
        return Err(Fault::runtime("p is too large"));
    }
    MVLGAMMA.call(cx, form, &[a.into()], &[p.into(), a.dtype().code().into()])
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

fn frexp_into(a: &Tensor, mantissa: Form<'_>, exponent: Form<'_>) -> Result<(Tensor, Tensor)> {
    if !a.dtype().is_float() {
        return Err(Fault::runtime(
            "torch.frexp() only supports floating-point dtypes",
        ));
    }
    let operands = [a.into()];
    let mantissas = Target::prepare(mantissa, &operands, a.dtype())?;
    apply1::<f64, f64>(mantissas.tensor(), &operands, &|r, a| {
        each1(r, a, |x: f64| parts(x).0)
    })?;
    let exponents = Target::prepare(exponent, &operands, DType::I32)?;
    apply1::<f64, i64>(exponents.tensor(), &operands, &|r, a| {
        each1(r, a, |x: f64| parts(x).1)
    })?;
    Ok((mantissas.finish()?, exponents.finish()?))
}

fn frexp(a: &Tensor) -> Result<(Tensor, Tensor)> {
    frexp_into(a, Form::Fresh, Form::Fresh)
}

fn frexp_out(a: &Tensor, mantissa: &Tensor, exponent: &Tensor) -> Result<(Tensor, Tensor)> {
    frexp_into(a, Form::Out(mantissa), Form::Out(exponent))
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
    (|cx: &Context, n: i64, a: &Tensor| _op => polygamma_of(cx, Form::Fresh, n, a))
    { "polygamma" => POLYGAMMA, "special_polygamma" => POLYGAMMA }
}
table! {
    /// `polygamma` into a given tensor.
    static POLYGAMMAS_OUT = ".out(int n, Tensor self, *, Tensor(a!) out) -> Tensor(a!)";
    (|cx: &Context, n: i64, a: &Tensor, out: &Tensor| _op => polygamma_of(cx, Form::Out(out), n, a))
    { "polygamma" => POLYGAMMA, "special_polygamma" => POLYGAMMA }
}
rushlight_types::operators! {
    /// Operators with other signatures.
    static OTHERS = [
        op!("aten::polygamma_(Tensor(a!) self, int n) -> Tensor(a!)", |cx: &Context, a: &Tensor, n: i64| polygamma_of(cx, Form::InPlace(a), n, a)),
        op!("aten::frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)", frexp),
        op!("aten::frexp.Tensor_out(Tensor self, *, Tensor(a!) mantissa, Tensor(b!) exponent) -> (Tensor(a!) mantissa, Tensor(b!) exponent)", frexp_out),
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
