//! Functions of one tensor that give floats (or complex numbers) whatever goes in.

use super::complex_functions;
use super::definition::{Pointwise, loops1, slices};
use super::math::vector::{
    Cos, Erf, Exp, Exp2, ExpM1, Ln, Ln1p, Log2, Log10, Sigmoid, Sin, TURNS_LIMIT, Tan, Tanh,
    acos_loop, asin_loop, atan_loop, atanh,
};
use super::math::wide_special;
use rushlight_tensor::lanes::{Separate, each1, map1};
use rushlight_tensor::special::angles::{WIDE_TURNS_LIMIT, WideAtan, WideCos, WideSin};
use rushlight_tensor::special::error::{entr, erfcx, log_ndtr};
use rushlight_tensor::special::gamma::digamma;
use rushlight_tensor::special::wide::{self as wider, through};
use rushlight_tensor::{Complex64, DType, Fault, Real, Result, Scalar};
use std::f64::consts::{LN_2, PI};

/// A function with vector code for f32, and that or a library function for f64.
macro_rules! vectors {
    ($($(#[$meta:meta])* $static:ident $name:literal $vector:ident $how:ident $f64:expr $(, $complex:expr)?;)*) => {$(
        $(#[$meta])*
        pub static $static: Pointwise = Pointwise::new(
            $name,
            loops1![f32: map1 $vector, f64: $how $f64 $(, Complex64: each1 $complex)?],
        )
        .lifting();
    )*};
}

vectors! {
    /// The exponential.
    EXP "exp_vml_cpu" Exp map1 wider::Exp, complex_functions::exp;
    /// `2^x`.
    EXP2 "exp2_vml_cpu" Exp2 each1 f64::exp2, |z: Complex64| complex_functions::exp(z * LN_2);
    /// `exp(x) - 1`.
    EXPM1 "expm1_vml_cpu" ExpM1 map1 wider::ExpM1, complex_exp_m1;
    /// The natural logarithm.
    LOG "log_vml_cpu" Ln map1 wider::Ln, |z: Complex64| z.ln();
    /// The logarithm to base 2.
    LOG2 "log2_vml_cpu" Log2 each1 f64::log2, |z: Complex64| z.ln() / LN_2;
    /// The logarithm to base 10.
    LOG10 "log10_vml_cpu" Log10 each1 f64::log10, |z: Complex64| z.ln() / std::f64::consts::LN_10;
    /// `ln(1 + x)`.
    LOG1P "log1p_vml_cpu" Ln1p map1 wider::Ln1p, complex_ln_1p;
    /// The hyperbolic tangent.
    TANH "tanh_vml_cpu" Tanh map1 wider::Tanh, complex_functions::tanh;
    /// The logistic function.
    SIGMOID "sigmoid_cpu" Sigmoid map1 wider::Sigmoid, complex_functions::sigmoid;
}

/// The error function.
pub static ERF: Pointwise = Pointwise::new(
    "erf_vml_cpu",
    slices![Loop1:
        |r: &mut [f32], a: &[f32], _: &[Scalar]| map1(r, a, Erf),
        |r: &mut [f64], a: &[f64], _: &[Scalar]| wide_special::erf_loop(r, a),
    ],
)
.lifting();

/// An angle of a number.
macro_rules! angles {
    ($($(#[$meta:meta])* $static:ident $name:literal $f32:expr, $how:ident $f64:expr, $complex:expr;)*) => {$(
        $(#[$meta])*
        pub static $static: Pointwise = Pointwise::new(
            $name,
            slices![Loop1:
                |r: &mut [f32], a: &[f32], _: &[Scalar]| $f32(r, a),
                |r: &mut [f64], a: &[f64], _: &[Scalar]| $how(r, a, $f64),
                |r: &mut [Complex64], a: &[Complex64], _: &[Scalar]| each1(r, a, $complex),
            ],
        )
        .lifting();
    )*};
}

angles! {
    /// The inverse sine.
    ASIN "asin_vml_cpu" asin_loop, each1 f64::asin, complex_asin;
    /// The inverse cosine.
    ACOS "acos_vml_cpu" acos_loop, each1 f64::acos, complex_acos;
    /// The inverse tangent.
    ATAN "atan_vml_cpu" atan_loop, map1 WideAtan, complex_atan;
}

/// A function of turns: vector code, and library functions for arguments too large for it.
macro_rules! turns {
    ($($(#[$meta:meta])* $static:ident $name:literal $type:ident $f32:expr, $f64:expr $(=> $wide:ident)?, $complex:expr;)*) => {$(
        $(#[$meta])*
        pub static $static: Pointwise = Pointwise::new(
            $name,
            slices![Loop1:
                |r: &mut [f32], a: &[f32], _: &[Scalar]| turning(r, a, TURNS_LIMIT, $f32, |r, a| map1(r, a, $type)),
                turns!(@wide $f64 $(=> $wide)?),
                |r: &mut [Complex64], a: &[Complex64], _: &[Scalar]| each1(r, a, $complex),
            ],
        )
        .lifting();
    )*};
    (@wide $each:expr) => { |r: &mut [f64], a: &[f64], _: &[Scalar]| each1(r, a, $each) };
    (@wide $each:expr => $type:ident) => {
        |r: &mut [f64], a: &[f64], _: &[Scalar]| turning(r, a, WIDE_TURNS_LIMIT, $each, |r, a| map1(r, a, $type))
    };
}

turns! {
    /// The sine.
    SIN "sin_vml_cpu" Sin f32::sin, f64::sin => WideSin, complex_functions::sin;
    /// The cosine.
    COS "cos_vml_cpu" Cos f32::cos, f64::cos => WideCos, complex_functions::cos;
    /// The tangent.
    TAN "tan_vml_cpu" Tan f32::tan, f64::tan, complex_functions::tan;
}

/// Runs the vector code, and the library function on arguments too large for it.
fn turning<T: Real>(r: &mut [T], a: &[T], limit: T, each: fn(T) -> T, vector: fn(&mut [T], &[T])) {
    vector(r, a);
    let low = limit.neg();
    let is_large = |x: T| (x > limit) | (x < low);
    if a.iter().fold(false, |any, x| any | is_large(*x)) {
        for (r, x) in r.iter_mut().zip(a).filter(|(_, x)| is_large(**x)) {
            *r = each(*x);
        }
    }
}

/// A function with library functions for both floats.
macro_rules! library {
    ($($(#[$meta:meta])* $static:ident $name:literal $f32:expr, $f64:expr $(, $complex:expr)?;)*) => {$(
        $(#[$meta])*
        pub static $static: Pointwise = Pointwise::new(
            $name,
            loops1![f32: each1 $f32, f64: each1 $f64 $(, Complex64: each1 $complex)?],
        )
        .lifting();
    )*};
}

library! {
    /// The hyperbolic sine.
    SINH "sinh_vml_cpu" f32::sinh, f64::sinh, complex_functions::sinh;
    /// The hyperbolic cosine.
    COSH "cosh_vml_cpu" f32::cosh, f64::cosh, complex_functions::cosh;
    /// The inverse hyperbolic sine.
    ASINH "asinh_vml_cpu" |x: f32| inverse_sinh(x as f64) as f32, inverse_sinh, complex_asinh;
    /// The inverse hyperbolic cosine.
    ACOSH "acosh_vml_cpu" |x: f32| inverse_cosh(x as f64) as f32, inverse_cosh, complex_acosh;
    /// The inverse hyperbolic tangent.
    ATANH "atanh_vml_cpu" atanh::<Separate>, inverse_tanh, complex_atanh;
    /// `sin(πx) / πx`.
    SINC "sinc_cpu" sinc_f32, sinc, complex_sinc;
}

/// A function of f64 only, which f32 goes through.
macro_rules! wide {
    ($($(#[$meta:meta])* $static:ident $name:literal $f64:expr $(, $without:ident)?;)*) => {$(
        $(#[$meta])*
        pub static $static: Pointwise = Pointwise::new(
            $name,
            loops1![f32: each1 |x: f32| $f64(x as f64) as f32, f64: each1 $f64],
        )
        .lifting()
        $(.$without())?;
    )*};
}
pub(super) use wide;

wide! {
    /// `exp(x²) erfc(x)`.
    ERFCX "erfcx_cpu" erfcx, without_half;
    /// The logarithm of [`NDTR`].
    LOG_NDTR "log_ndtr_cpu" log_ndtr, without_half;
    /// `-x ln x`.
    ENTR "entr_cpu" entr;
    /// The derivative of the logarithm of the gamma function.
    DIGAMMA "digamma" digamma;
}

/// Runs a loop over f64.
fn through_itself(r: &mut [f64], a: &[f64], wide: fn(&mut [f64], &[f64])) {
    wide(r, a);
}

/// A function with loops over f64 for both floats: f32 goes through the first, f64 through the second.
macro_rules! through_wide {
    ($($(#[$meta:meta])* $static:ident $name:literal $narrow:expr, $wide:expr $(, $without:ident)?;)*) => {$(
        $(#[$meta])*
        pub static $static: Pointwise = Pointwise::new(
            $name,
            slices![Loop1:
                |r: &mut [f32], a: &[f32], _: &[Scalar]| through(r, a, &$narrow),
                |r: &mut [f64], a: &[f64], _: &[Scalar]| through_itself(r, a, $wide),
            ],
        )
        .lifting()
        $(.$without())?;
    )*};
}

through_wide! {
    /// `1 - erf(x)`.
    ERFC "erfc_vml_cpu" wide_special::erfc_loop, wide_special::erfc_loop;
    /// The inverse of the error function.
    ERFINV "erfinv_vml_cpu" wide_special::erfinv_narrow_loop, wide_special::erfinv_loop;
    /// The distribution function of the standard normal distribution.
    NDTR "erf_vml_cpu" wide_special::ndtr_loop, wide_special::ndtr_loop;
    /// The inverse of [`NDTR`].
    NDTRI "ndtri_cpu" |r, a| wide_special::ndtri_loop(r, a, 1), |r, a| wide_special::ndtri_loop(r, a, 2), without_half;
    /// The logarithm of the gamma function.
    LGAMMA "lgamma_vml_cpu" wide_special::lgamma_loop, wide_special::lgamma_loop;
}

/// The square root.
pub static SQRT: Pointwise = Pointwise::new(
    "sqrt_vml_cpu",
    loops1![
        f32: map1 |x: f32| x.sqrt(),
        f64: map1 |x: f64| x.sqrt(),
        Complex64: each1 complex_functions::sqrt,
    ],
)
.lifting();

/// One over the square root.
pub static RSQRT: Pointwise = Pointwise::new(
    "rsqrt_cpu",
    loops1![
        f32: map1 |x: f32| 1.0 / x.sqrt(),
        f64: map1 |x: f64| 1.0 / x.sqrt(),
        Complex64: each1 complex_rsqrt,
    ],
)
.lifting();

/// One over the number.
pub static RECIPROCAL: Pointwise = Pointwise::new(
    "reciprocal_cpu",
    loops1![
        f32: map1 |x: f32| 1.0 / x,
        f64: map1 |x: f64| 1.0 / x,
        Complex64: each1 |z: Complex64| super::arithmetic::complex_quotient(Complex64::new(1.0, 0.0), z),
    ],
)
.lifting();

/// Degrees to radians.
pub static DEG2RAD: Pointwise = Pointwise::new(
    "mul_stub",
    loops1![f32: map1 |x: f32| x * (PI / 180.0) as f32, f64: map1 |x: f64| x * (PI / 180.0)],
)
.lifting()
.checked(|_, common, _| real_only("deg2rad is not supported for complex tensors.", common));

/// Radians to degrees.
pub static RAD2DEG: Pointwise = Pointwise::new(
    "mul_stub",
    loops1![f32: map1 |x: f32| x * (180.0 / PI) as f32, f64: map1 |x: f64| x * (180.0 / PI)],
)
.lifting()
.checked(|_, common, _| real_only("rad2deg is not supported for complex tensors.", common));

/// Refuses complex numbers with these words.
pub fn real_only(words: &str, common: DType) -> Result<()> {
    if common.is_complex() {
        Err(Fault::not_implemented(words))
    } else {
        Ok(())
    }
}

fn inverse_sinh(x: f64) -> f64 {
    let a = x.abs();
    let y = if a > 1e10 {
        a.ln() + LN_2
    } else {
        (a + a * a / (1.0 + (a * a + 1.0).sqrt())).ln_1p()
    };
    y.copysign(x)
}

fn inverse_cosh(x: f64) -> f64 {
    if x < 1.0 {
        return f64::NAN;
    }
    if x > 1e10 {
        return x.ln() + LN_2;
    }
    let d = x - 1.0;
    (d + (d * (x + 1.0)).sqrt()).ln_1p()
}

fn inverse_tanh(x: f64) -> f64 {
    let a = x.abs();
    (0.5 * (2.0 * a / (1.0 - a)).ln_1p()).copysign(x)
}

fn sinc(x: f64) -> f64 {
    if x == 0.0 {
        return 1.0;
    }
    let turn = x * PI;
    turn.sin() / turn
}

/// The turn is rounded, so that whole numbers give small ones rather than none.
fn sinc_f32(x: f32) -> f32 {
    if x == 0.0 {
        return 1.0;
    }
    let turn = x * std::f32::consts::PI;
    turn.sin() / turn
}

fn complex_sinc(z: Complex64) -> Complex64 {
    if z.re == 0.0 && z.im == 0.0 {
        return Complex64::new(1.0, 0.0);
    }
    let turn = z * PI;
    turn.sin() / turn
}

fn complex_exp_m1(z: Complex64) -> Complex64 {
    let half = (z.im / 2.0).sin();
    let grown = z.re.exp_m1();
    Complex64::new(
        grown * z.im.cos() - 2.0 * half * half,
        (grown + 1.0) * z.im.sin(),
    )
}

fn complex_ln_1p(z: Complex64) -> Complex64 {
    let re = if z.re.abs() < 0.5 && z.im.abs() < 0.5 {
        0.5 * (z.re * (2.0 + z.re) + z.im * z.im).ln_1p()
    } else {
        (z.re + 1.0).hypot(z.im).ln()
    };
    Complex64::new(re, z.im.atan2(z.re + 1.0))
}

fn complex_rsqrt(z: Complex64) -> Complex64 {
    let root = complex_functions::sqrt(z);
    if root.re.is_infinite() && root.im.is_infinite() {
        return Complex64::new(f64::NAN, f64::NAN);
    }
    if root.re.is_infinite() || root.im.is_infinite() {
        return Complex64::new(0.0, 0.0);
    }
    super::arithmetic::complex_quotient(Complex64::new(1.0, 0.0), root)
}

/// The roots of the distances to both ends of the branch cuts. The sign of a zero says on which side of a cut a number is.
fn beside_one(z: Complex64) -> (Complex64, Complex64) {
    let below = Complex64::new(1.0 - z.re, -z.im).sqrt();
    (below, Complex64::new(1.0 + z.re, z.im).sqrt())
}

/// Hull's arrangement: products of square roots keep precision near the branch points.
fn complex_asin(z: Complex64) -> Complex64 {
    if let Some(angle) = angle_of_infinity(z) {
        return Complex64::new(
            std::f64::consts::FRAC_PI_2 - angle,
            f64::INFINITY.copysign(z.im),
        );
    }
    let (below, above) = beside_one(z);
    let re = z.re.atan2((below * above).re);
    Complex64::new(re, inverse_sinh((below.conj() * above).im))
}

/// The angle between the real axis and a number that is infinite.
fn angle_of_infinity(z: Complex64) -> Option<f64> {
    let is_infinite = z.re.is_infinite() || z.im.is_infinite();
    is_infinite.then(|| z.im.abs().atan2(z.re))
}

fn complex_acos(z: Complex64) -> Complex64 {
    if let Some(angle) = angle_of_infinity(z) {
        return Complex64::new(angle, f64::NEG_INFINITY.copysign(-z.im));
    }
    let (below, above) = beside_one(z);
    Complex64::new(
        2.0 * below.re.atan2(above.re),
        inverse_sinh((above.conj() * below).im),
    )
}

fn complex_asinh(z: Complex64) -> Complex64 {
    // asinh(z) = -i asin(iz)
    let turned = complex_asin(Complex64::new(-z.im, z.re));
    Complex64::new(turned.im, -turned.re)
}

fn complex_acosh(z: Complex64) -> Complex64 {
    if let Some(angle) = angle_of_infinity(z) {
        return Complex64::new(f64::INFINITY, angle.copysign(z.im));
    }
    let below = Complex64::new(z.re - 1.0, z.im).sqrt();
    let above = Complex64::new(z.re + 1.0, z.im).sqrt();
    Complex64::new(
        inverse_sinh((below.conj() * above).re),
        2.0 * below.im.atan2(above.re),
    )
}

fn complex_atanh(z: Complex64) -> Complex64 {
    if let Some(limit) = complex_functions::atanh_of_infinity(z) {
        return limit;
    }
    let (x, y) = (z.re, z.im);
    let re = 0.25 * (4.0 * x / ((1.0 - x) * (1.0 - x) + y * y)).ln_1p();
    let im = 0.5 * (2.0 * y).atan2((1.0 - x) * (1.0 + x) - y * y);
    Complex64::new(re, im)
}

fn complex_atan(z: Complex64) -> Complex64 {
    // atan(z) = -i atanh(iz)
    let turned = complex_atanh(Complex64::new(-z.im, z.re));
    Complex64::new(turned.im, -turned.re)
}
