//! Functions of two operands.

use super::definition::{Pointwise, loops2, loops3, stepwise};
use super::functions::real_only;
use super::math::incomplete_gamma::{igamma, igammac};
use super::math::vector::{self, Atan2};
use rushlight_tensor::lanes::{Lanes, Map2, Separate, each2, each3, map2};
use rushlight_tensor::special::angles::WideAtan2;
use rushlight_tensor::special::error::{log_add_exp, log_add_exp2};
use rushlight_tensor::special::gamma::zeta;
use rushlight_tensor::special::implicit::{dirichlet_slope, gamma_slope};
use rushlight_tensor::special::wide;
use rushlight_tensor::{Bool8, Complex64, DType, Fault, Operand, Result, Scalar, bf16, f16};

/// A function of f64 only, which f32 goes through.
macro_rules! wide2 {
    ($($(#[$meta:meta])* $static:ident $name:literal $f64:expr $(, $option:ident $(($($given:expr),*))?)*;)*) => {$(
        $(#[$meta])*
        pub static $static: Pointwise = Pointwise::new(
            $name,
            loops2![f32: each2 |x: f32, y: f32| $f64(x as f64, y as f64) as f32, f64: each2 $f64],
        )
        $(.$option($($($given),*)?))*;
    )*};
}

/// `self ln(other)`, zero where `self` is.
pub static XLOGY: Pointwise =
    Pointwise::new("xlogy_cpu", loops2![f32: map2 Xlogy, f64: each2 xlogy])
        .lifting()
        .stepwise(&stepwise!(f16 xlogy_in), &stepwise!(bf16 xlogy_in));

/// [`xlogy`] of f32, by the logarithm of vectors.
#[derive(Clone, Copy)]
struct Xlogy;

impl Map2<f32, f32, f32> for Xlogy {
    #[inline(always)]
    fn at<L: Lanes>(self, x: f32, y: f32) -> f32 {
        let product = (f64::from(x) * wide::ln::<L>(f64::from(y))) as f32;
        let product = if x == 0.0 { 0.0 } else { product };
        if y.is_nan() { y } else { product }
    }
}

wide2! {
    /// `self ln(1 + other)`, zero where `self` is.
    XLOG1PY "xlog1py_cpu" xlog1py, lifting, stepwise(&stepwise!(f16 xlog1py_in), &stepwise!(bf16 xlog1py_in));
    /// Hurwitz's zeta function.
    ZETA "zeta_cpu" zeta, lifting, without_half;
    /// The lower incomplete gamma function.
    IGAMMA "igamma_cpu" igamma;
    /// The upper incomplete gamma function.
    IGAMMAC "igammac_cpu" igammac;
    /// The change of gamma numbers with their shapes.
    GAMMA_SLOPE "_standard_gamma_grad_cpu" gamma_slope, without_half;
}

/// The change of parts of one with their concentrations.
pub static DIRICHLET_SLOPE: Pointwise = Pointwise::new(
    "_dirichlet_grad_cpu",
    loops3![
        f32: each3 |x: f32, own: f32, all: f32| dirichlet_slope(x as f64, own as f64, all as f64) as f32,
        f64: each3 dirichlet_slope,
    ],
)
.without_half();

/// `ln(exp(a) + exp(b))`.
pub static LOGADDEXP: Pointwise = Pointwise::new(
    "logaddexp_cpu",
    loops2![
        f32: map2 LogAddExp,
        f64: each2 log_add_exp,
        Complex64: each2 complex_log_add_exp,
    ],
);

/// [`vector::log_add_exp`] for loops.
#[derive(Clone, Copy)]
struct LogAddExp;

impl Map2<f32, f32, f32> for LogAddExp {
    #[inline(always)]
    fn at<L: Lanes>(self, x: f32, y: f32) -> f32 {
        vector::log_add_exp::<L>(x, y)
    }
}

/// `log2(2^a + 2^b)`.
pub static LOGADDEXP2: Pointwise = Pointwise::new(
    "logaddexp2_cpu",
    loops2![f32: each2 vector::log_add_exp2::<Separate>, f64: each2 log_add_exp2],
);

/// The angle of the point `(other, self)`.
pub static ATAN2: Pointwise =
    Pointwise::new("atan2_cpu", loops2![f32: map2 Atan2, f64: map2 WideAtan2]).lifting();

/// The first number's magnitude with the second's sign.
pub static COPYSIGN: Pointwise = Pointwise::new(
    "copysign_cpu",
    loops2![f32: map2 |x: f32, y: f32| x.copysign(y), f64: map2 |x: f64, y: f64| x.copysign(y)],
)
.lifting();

/// `self 2^other`.
pub static LDEXP: Pointwise = Pointwise::new(
    "ldexp",
    loops2![
        f32: each2 |x: f32, y: f32| x * y.exp2(),
        f64: each2 |x: f64, y: f64| x * y.exp2(),
        Complex64: each2 |x: Complex64, y: Complex64| x * (y * std::f64::consts::LN_2).exp(),
    ],
)
.lifting()
.stepwise(&stepwise!(f16 ldexp_in), &stepwise!(bf16 ldexp_in));

/// The next float after `self` toward `other`.
pub static NEXTAFTER: Pointwise = Pointwise::new(
    "nextafter_cpu",
    loops2![f32: each2 next_f32, f64: each2 next_f64],
)
.stepwise(&stepwise!(f16 next_f16), &stepwise!(bf16 next_bf16));

/// 0 left of zero, 1 right of it, `values` at it.
pub static HEAVISIDE: Pointwise = Pointwise::new(
    "heaviside_cpu",
    loops2![
        f32: map2 |x: f32, y: f32| if x == 0.0 { y } else { (x > 0.0) as u8 as f32 },
        i64: map2 |x: i64, y: i64| if x == 0 { y } else { (x > 0) as i64 },
        f64: map2 |x: f64, y: f64| if x == 0.0 { y } else { (x > 0.0) as u8 as f64 },
    ],
)
.checked(check_heaviside);

/// The greatest common divisor.
pub static GCD: Pointwise = Pointwise::new("gcd_cpu", loops2![i64: each2 gcd]).without_bool();

/// The least common multiple.
pub static LCM: Pointwise = Pointwise::new("lcm_cpu", loops2![i64: each2 lcm]).without_bool();

/// The larger number; NaN if there is one.
pub static MAXIMUM: Pointwise = Pointwise::new(
    "maximum_cpu",
    loops2![
        f32: map2 |x: f32, y: f32| if x.is_nan() || x > y { x } else { y },
        i64: map2 |x: i64, y: i64| x.max(y),
        i32: map2 |x: i32, y: i32| x.max(y),
        u8: map2 |x: u8, y: u8| x.max(y),
        u64: map2 |x: u64, y: u64| x.max(y),
        f64: map2 |x: f64, y: f64| if x.is_nan() || x > y { x } else { y },
        Bool8: map2 |x: Bool8, y: Bool8| Bool8::from(x.get() | y.get()),
    ],
)
.checked(|_, common, _| ordered_only("maximum not implemented for complex tensors.", common));

/// The smaller number; NaN if there is one.
pub static MINIMUM: Pointwise = Pointwise::new(
    "minimum_cpu",
    loops2![
        f32: map2 |x: f32, y: f32| if x.is_nan() || x < y { x } else { y },
        i64: map2 |x: i64, y: i64| x.min(y),
        i32: map2 |x: i32, y: i32| x.min(y),
        u8: map2 |x: u8, y: u8| x.min(y),
        u64: map2 |x: u64, y: u64| x.min(y),
        f64: map2 |x: f64, y: f64| if x.is_nan() || x < y { x } else { y },
        Bool8: map2 |x: Bool8, y: Bool8| Bool8::from(x.get() & y.get()),
    ],
)
.checked(|_, common, _| ordered_only("minimum not implemented for complex tensors.", common));

/// The larger number; NaN only if both are.
pub static FMAX: Pointwise = Pointwise::new(
    "fmax_cpu",
    loops2![
        f32: map2 |x: f32, y: f32| if y.is_nan() || x > y { x } else { y },
        i64: map2 |x: i64, y: i64| x.max(y),
        u64: map2 |x: u64, y: u64| x.max(y),
        f64: map2 |x: f64, y: f64| if y.is_nan() || x > y { x } else { y },
    ],
)
.checked(|_, common, _| ordered_only("fmax not implemented for complex tensors.", common));

/// The smaller number; NaN only if both are.
pub static FMIN: Pointwise = Pointwise::new(
    "fmin_cpu",
    loops2![
        f32: map2 |x: f32, y: f32| if y.is_nan() || x < y { x } else { y },
        i64: map2 |x: i64, y: i64| x.min(y),
        u64: map2 |x: u64, y: u64| x.min(y),
        f64: map2 |x: f64, y: f64| if y.is_nan() || x < y { x } else { y },
    ],
)
.checked(|_, common, _| ordered_only("fmin not implemented for complex tensors.", common));

/// Refuses complex numbers as a type error.
fn ordered_only(words: &str, common: DType) -> Result<()> {
    if common.is_complex() {
        Err(Fault::type_error(words))
    } else {
        Ok(())
    }
}

/// Refuses complex numbers and operands of two dtypes.
pub fn check_heaviside(operands: &[Operand<'_>], common: DType, _: &[Scalar]) -> Result<()> {
    real_only(
        "heaviside is not yet implemented for complex tensors.",
        common,
    )?;
    match operands {
        [Operand::Tensor(a), Operand::Tensor(b)] if a.dtype() != b.dtype() => Err(Fault::runtime(
            "heaviside is not yet implemented for tensors with different dtypes.",
        )),
        _ => Ok(()),
    }
}

fn xlogy(x: f64, y: f64) -> f64 {
    if y.is_nan() {
        y
    } else if x == 0.0 {
        0.0
    } else {
        x * y.ln()
    }
}

fn xlog1py(x: f64, y: f64) -> f64 {
    if y.is_nan() {
        y
    } else if x == 0.0 {
        0.0
    } else {
        x * y.ln_1p()
    }
}

/// As [`xlogy`], the logarithm rounded first.
fn xlogy_in(x: f32, y: f32, round: fn(f32) -> f32) -> f32 {
    match x == 0.0 || y.is_nan() {
        true => xlogy(x as f64, y as f64) as f32,
        false => x * round((y as f64).ln() as f32),
    }
}

/// As [`xlog1py`], the logarithm rounded first.
fn xlog1py_in(x: f32, y: f32, round: fn(f32) -> f32) -> f32 {
    match x == 0.0 || y.is_nan() {
        true => xlog1py(x as f64, y as f64) as f32,
        false => x * round((y as f64).ln_1p() as f32),
    }
}

/// `x 2^y`, the power rounded first.
fn ldexp_in(x: f32, y: f32, round: fn(f32) -> f32) -> f32 {
    x * round(y.exp2())
}

fn complex_log_add_exp(a: Complex64, b: Complex64) -> Complex64 {
    let (high, low) = if a.re >= b.re { (a, b) } else { (b, a) };
    if high.re.is_infinite() && a.re == b.re {
        return if high.re < 0.0 {
            Complex64::new(f64::NEG_INFINITY, high.im)
        } else {
            (a.exp() + b.exp()).ln()
        };
    }
    high + ((low - high).exp() + 1.0).ln()
}

fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a as i64
}

fn lcm(a: i64, b: i64) -> i64 {
    match gcd(a, b) {
        0 => 0,
        common => a.wrapping_div(common).wrapping_mul(b).wrapping_abs(),
    }
}

macro_rules! next {
    ($name:ident, $t:ident, $zero:expr) => {
        #[inline(always)]
        fn $name(x: $t, toward: $t) -> $t {
            let is_away = (x < toward) == (x > $zero);
            let bits = x.to_bits();
            let next = match is_away {
                true => bits.wrapping_add(1),
                false => bits.wrapping_sub(1),
            };
            let next = $t::from_bits(next);
            let next = match x == $zero {
                true => $t::from_bits(1).copysign(toward),
                false => next,
            };
            let next = if x == toward { toward } else { next };
            match x.is_nan() || toward.is_nan() {
                true => $t::NAN,
                false => next,
            }
        }
    };
}

next!(next_f32, f32, 0.0);

next!(next_f64, f64, 0.0);

next!(next_of_f16, f16, f16::ZERO);

next!(next_of_bf16, bf16, bf16::ZERO);

/// The next f16 of two.
fn next_f16(x: f32, toward: f32, _: fn(f32) -> f32) -> f32 {
    next_of_f16(f16::from_f32(x), f16::from_f32(toward)).to_f32()
}

/// The next bf16 of two.
fn next_bf16(x: f32, toward: f32, _: fn(f32) -> f32) -> f32 {
    next_of_bf16(bf16::from_f32(x), bf16::from_f32(toward)).to_f32()
}
