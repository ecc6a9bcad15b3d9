//! Special functions: orthogonal polynomials, polygamma and gamma of matrices.

use super::definition::{Pointwise, loops1, loops2, slices};
use super::functions::wide;
use super::math::airy::airy_ai;
use super::math::bessel::{j0, j1, spherical_j0, y0, y1};
use super::math::modified_bessel::{i0, i0e, i1, i1e, k0, k0e, k1, k1e};
use super::math::wide_special;
use crate::compute::round_to;
use rushlight_tensor::lanes::{each1, each2};
use rushlight_tensor::special::gamma::{lgamma, polygamma};
use rushlight_tensor::special::orthogonal::{
    chebyshev_t, chebyshev_u, chebyshev_v, chebyshev_w, hermite_h, hermite_he, laguerre_l,
    legendre_p, shifted_t, shifted_u, shifted_v, shifted_w,
};
use rushlight_tensor::special::wide::through;
use rushlight_tensor::{DType, Scalar};

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
        pub static $static: Pointwise = Pointwise::new(
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
        pub static $static: Pointwise = Pointwise::new(
            $name,
            loops2![f32: each2 $function::<f32>, f64: each2 $function::<f64>],
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
pub static POLYGAMMA: Pointwise = Pointwise::new(
    "polygamma",
    slices![Loop1:
        |r: &mut [f32], a: &[f32], n: &[Scalar]| each1(r, a, |x: f32| polygamma(n[0].to_i64(), x)),
        |r: &mut [f64], a: &[f64], n: &[Scalar]| each1(r, a, |x: f64| polygamma(n[0].to_i64(), x)),
    ],
)
.lifting();

/// The logarithm of the multivariate gamma function of the dimension that is the loop's number.
pub static MVLGAMMA: Pointwise = Pointwise::new(
    "mvlgamma",
    slices![Loop1:
        |r: &mut [f32], a: &[f32], n: &[Scalar]| {
            let (p, dtype) = (n[0].to_i64(), DType::from_code(n[1].to_i64()));
            match dtype.filter(|d| d.size() == 2) {
                Some(narrow) => each1(r, a, |x: f32| narrow_multigammaln(x as f64, p, narrow) as f32),
                None => through(r, a, &|r, a| wide_special::multigammaln(r, a, p)),
            }
        },
        |r: &mut [f64], a: &[f64], n: &[Scalar]| wide_special::multigammaln(r, a, n[0].to_i64()),
    ],
)
.lifting();

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
