//! Signs, roundings and other functions that keep the dtype.

use super::definition::{FOUND, Loop1, Pointwise, loops1, slices};
use super::functions::real_only;
use rushlight_tensor::lanes::{each1, map1};
use rushlight_tensor::{Bool8, Complex32, Complex64, DType, Fault, Number, Scalar, bf16, f16};

/// `-x`.
pub static NEG: Pointwise = Pointwise::new(
    "neg_cpu",
    &[
        &Loop1(|r: &mut [f32], a: &[f32], _| map1(r, a, |x: f32| -x)),
        &Loop1(|r: &mut [i64], a: &[i64], _| map1(r, a, i64::wrapping_neg)),
        &Loop1(|r: &mut [f64], a: &[f64], _| map1(r, a, |x: f64| -x)),
        &Loop1(|r: &mut [Complex64], a: &[Complex64], _| map1(r, a, |z: Complex64| -z)),
        &Loop1(|r: &mut [i32], a: &[i32], _| map1(r, a, i32::wrapping_neg)),
        &Loop1(|r: &mut [u8], a: &[u8], _| map1(r, a, u8::wrapping_neg)),
        &Loop1(|r: &mut [f16], a: &[f16], _| map1(r, a, |x: f16| f16::from_bits(x.to_bits() ^ 0x8000))),
        &Loop1(|r: &mut [bf16], a: &[bf16], _| map1(r, a, |x: bf16| bf16::from_bits(x.to_bits() ^ 0x8000))),
    ],
)
.checked(|_, common, _| {
    if common == DType::Bool {
        return Err(Fault::not_implemented(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use the `~` or `logical_not()` operator instead.",
        ));
    }
    Ok(())
}).of_one_dtype(FOUND);

/// The magnitude of a number whose parts squared neither overflow nor vanish in f64.
#[inline]
fn magnitude(z: Complex32) -> f32 {
    let (re, im) = (f64::from(z.re), f64::from(z.im));
    let size = (re * re + im * im).sqrt() as f32;
    // An infinite part counts even beside one that is not a number.
    let is_infinite = z.re.abs() == f32::INFINITY || z.im.abs() == f32::INFINITY;
    if is_infinite { f32::INFINITY } else { size }
}

/// The magnitude; real also for complex numbers.
pub static ABS: Pointwise = Pointwise::new(
    "abs_cpu",
    &[
        &Loop1(|r: &mut [f32], a: &[f32], _| map1(r, a, |x: f32| x.abs())),
        &Loop1(|r: &mut [i64], a: &[i64], _| map1(r, a, |x: i64| x.wrapping_abs())),
        &Loop1(|r: &mut [f64], a: &[f64], _| map1(r, a, |x: f64| x.abs())),
        &Loop1(|r: &mut [f64], a: &[Complex64], _| each1(r, a, |z: Complex64| z.norm())),
        &Loop1(|r: &mut [f32], a: &[Complex32], _| map1(r, a, magnitude)),
        &Loop1(|r: &mut [f16], a: &[f16], _| {
            map1(r, a, |x: f16| f16::from_bits(x.to_bits() & 0x7FFF))
        }),
        &Loop1(|r: &mut [bf16], a: &[bf16], _| {
            map1(r, a, |x: bf16| bf16::from_bits(x.to_bits() & 0x7FFF))
        }),
        &Loop1(|r: &mut [i32], a: &[i32], _| map1(r, a, |x: i32| x.wrapping_abs())),
        &Loop1(|r: &mut [u8], a: &[u8], _| r.copy_from_slice(a)),
    ],
)
.with_eights()
.without_bool()
.of_one_dtype(FOUND);

/// -1, 0 or 1.
pub static SIGN: Pointwise = Pointwise::new(
    "sign_cpu",
    loops1![
        f32: map1 |x: f32| ((x > 0.0) as i32 - (x < 0.0) as i32) as f32,
        i64: map1 |x: i64| x.signum(),
        f64: map1 |x: f64| ((x > 0.0) as i32 - (x < 0.0) as i32) as f64,
    ],
)
.checked(|_, common, _| {
    real_only(
        "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead.",
        common,
    )
}).of_one_dtype(FOUND);

/// The sign; for complex numbers the number over its magnitude.
pub static SGN: Pointwise = Pointwise::new(
    "sgn_cpu",
    loops1![
        f32: map1 |x: f32| ((x > 0.0) as i32 - (x < 0.0) as i32) as f32,
        i64: map1 |x: i64| x.signum(),
        f64: map1 |x: f64| ((x > 0.0) as i32 - (x < 0.0) as i32) as f64,
        Complex64: each1 |z: Complex64| {
            let size = z.norm();
            if size == 0.0 {
                Complex64::new(0.0, 0.0)
            } else if size.is_infinite() {
                Complex64::new(f64::NAN, f64::NAN)
            } else {
                z / size
            }
        },
    ],
)
.of_one_dtype(FOUND);

/// Whether the sign bit is set.
pub static SIGNBIT: Pointwise = Pointwise::new(
    "signbit_cpu",
    loops1![
        f32 => Bool8: map1 |x: f32| Bool8::from(x.is_sign_negative()),
        i64 => Bool8: map1 |x: i64| Bool8::from(x < 0),
        f64 => Bool8: map1 |x: f64| Bool8::from(x.is_sign_negative()),
    ],
)
.checked(|_, common, _| real_only("signbit is not implemented for complex tensors.", common))
.of_one_dtype("signbit does not support non-boolean outputs.");

/// The square.
pub static SQUARE: Pointwise = Pointwise::new(
    "pow",
    slices![Loop1: square::<f32>, square::<i64>, square::<f64>, square::<Complex64>],
);

fn square<T: Number>(r: &mut [T], a: &[T], _: &[Scalar]) {
    map1(r, a, |x: T| x.mul(x));
}

/// Rounds down.
pub static FLOOR: Pointwise = Pointwise::new(
    "floor_vml_cpu",
    loops1![f32: map1 |x: f32| x.floor(), i64: map1 |x: i64| x, f64: map1 |x: f64| x.floor()],
)
.without_bool()
.checked(|_, common, _| real_only("floor is not supported for complex inputs", common))
.of_one_dtype(FOUND);

/// Rounds up.
pub static CEIL: Pointwise = Pointwise::new(
    "ceil_vml_cpu",
    loops1![f32: map1 |x: f32| x.ceil(), i64: map1 |x: i64| x, f64: map1 |x: f64| x.ceil()],
)
.without_bool()
.checked(|_, common, _| real_only("ceil is not supported for complex inputs", common))
.of_one_dtype(FOUND);

/// Rounds toward zero.
pub static TRUNC: Pointwise = Pointwise::new(
    "trunc_vml_cpu",
    loops1![f32: map1 |x: f32| x.trunc(), i64: map1 |x: i64| x, f64: map1 |x: f64| x.trunc()],
)
.without_bool()
.checked(|_, common, _| real_only("trunc is not supported for complex inputs", common))
.of_one_dtype(FOUND);

/// Rounds to the nearest whole number, halves to even.
pub static ROUND: Pointwise = Pointwise::new(
    "round_vml_cpu",
    loops1![
        f32: map1 |x: f32| x.round_ties_even(),
        i64: map1 |x: i64| x,
        f64: map1 |x: f64| x.round_ties_even(),
    ],
)
.without_bool()
.of_one_dtype(FOUND);

/// Rounds to a number of decimals; a negative one rounds to tens, hundreds and so on.
pub static ROUND_DECIMALS: Pointwise = Pointwise::new(
    "round_cpu",
    slices![Loop1: round_decimals_f32, round_decimals_f64],
)
.of_one_dtype(FOUND);

/// The same with no decimals, which is refused as rounding is.
pub static ROUND_NO_DECIMALS: Pointwise = Pointwise::new(
    "round_vml_cpu",
    slices![Loop1: round_decimals_f32, round_decimals_f64],
)
.of_one_dtype(FOUND);

fn keep<T: Copy>(r: &mut [T], a: &[T], _: &[Scalar]) {
    r.copy_from_slice(a);
}

macro_rules! round_decimals {
    ($name:ident, $t:ident) => {
        fn $name(r: &mut [$t], a: &[$t], numbers: &[Scalar]) {
            let decimals = numbers.first().map_or(0, |d| d.to_i64()).clamp(-400, 400) as i32;
            let scale = (10.0 as $t).powi(decimals.abs());
            match decimals {
                0 => map1(r, a, |x: $t| x.round_ties_even()),
                1.. => map1(r, a, |x: $t| (x * scale).round_ties_even() / scale),
                _ => map1(r, a, |x: $t| (x / scale).round_ties_even() * scale),
            }
        }
    };
}

round_decimals!(round_decimals_f32, f32);

round_decimals!(round_decimals_f64, f64);

/// The part behind the point, with the number's sign.
pub static FRAC: Pointwise = Pointwise::new(
    "frac_cpu",
    loops1![f32: map1 |x: f32| x - x.trunc(), f64: map1 |x: f64| x - x.trunc()],
)
.without_bool()
.of_one_dtype(FOUND);

/// Replaces NaN and infinities by given numbers, or by zero and the ends of the dtype's range.
pub static NAN_TO_NUM: Pointwise = Pointwise::new(
    "nan_to_num",
    slices![Loop1: nan_to_num_f32, keep::<i64>, keep::<u64>, nan_to_num_f64, nan_to_num_complex],
)
.of_one_dtype("nan_to_num: dtype of out: {out} should be same as input: {result}");

/// The replacements as numbers for the loops, the ends of the range being those of `dtype`.
pub fn nan_to_num_numbers(
    nan: Option<f64>,
    high: Option<f64>,
    low: Option<f64>,
    dtype: DType,
) -> [Scalar; 3] {
    let end = match dtype.to_real() {
        DType::F16 => 65504.0,
        DType::BF16 => 3.389_531_389_251_535_5e38,
        DType::F32 => f32::MAX as f64,
        _ => f64::MAX,
    };
    [
        Scalar::Float(nan.unwrap_or(0.0)),
        Scalar::Float(high.unwrap_or(end)),
        Scalar::Float(low.unwrap_or(-end)),
    ]
}

macro_rules! nan_to_num {
    ($name:ident, $t:ident, $bits:ident) => {
        // Bits are compared, which becomes vector code where asking what kind of number it is would not.
        fn $name(r: &mut [$t], a: &[$t], numbers: &[Scalar]) {
            let [nan, high, low] =
                [0, 1, 2].map(|i| numbers.get(i).map_or(0.0, |n| n.to_f64()) as $t);
            map1(r, a, move |x: $t| {
                const ENDLESS: $bits = $t::INFINITY.to_bits();
                let size = x.to_bits() & !(1 << ($bits::BITS - 1));
                let end = if x.to_bits() == ENDLESS { high } else { low };
                let y = if size == ENDLESS { end } else { x };
                if size > ENDLESS { nan } else { y }
            });
        }
    };
}

nan_to_num!(nan_to_num_f32, f32, u32);

nan_to_num!(nan_to_num_f64, f64, u64);

fn nan_to_num_complex(r: &mut [Complex64], a: &[Complex64], numbers: &[Scalar]) {
    for (r, a) in r.iter_mut().zip(a) {
        let mut parts = [0.0; 2];
        nan_to_num_f64(&mut parts, &[a.re, a.im], numbers);
        *r = Complex64::new(parts[0], parts[1]);
    }
}

/// A test that gives a truth value for floats and complex numbers and the same for all integers.
macro_rules! tests {
    ($($(#[$meta:meta])* $static:ident $name:literal integers $integer:literal, $f32:expr, $f64:expr $(, $complex:expr)?;)*) => {$(
        $(#[$meta])*
        pub static $static: Pointwise = Pointwise::new(
            $name,
            loops1![
                f32 => Bool8: map1 |x: f32| Bool8::from($f32(x)),
                i64 => Bool8: map1 |_: i64| Bool8::from($integer),
                u64 => Bool8: map1 |_: u64| Bool8::from($integer),
                f64 => Bool8: map1 |x: f64| Bool8::from($f64(x)),
                $(Complex64 => Bool8: map1 |z: Complex64| Bool8::from($complex(z)),)?
            ],
        )
        .with_eights();
    )*};
}

tests! {
    /// Whether a number is NaN.
    IS_NAN "isnan" integers false, f32::is_nan, f64::is_nan, |z: Complex64| z.re.is_nan() || z.im.is_nan();
    /// Whether a number is infinite.
    IS_INF "isinf" integers false, f32::is_infinite, f64::is_infinite, |z: Complex64| z.re.is_infinite() || z.im.is_infinite();
    /// Whether a number is neither NaN nor infinite.
    IS_FINITE "isfinite" integers true, f32::is_finite, f64::is_finite, |z: Complex64| z.re.is_finite() && z.im.is_finite();
    /// Whether the imaginary part is zero.
    IS_REAL "isreal" integers true, |_| true, |_| true, |z: Complex64| z.im == 0.0;
}

macro_rules! infinity_tests {
    ($($(#[$meta:meta])* $static:ident $name:literal $end:ident;)*) => {$(
        $(#[$meta])*
        pub static $static: Pointwise = Pointwise::new(
            concat!($name, "_cpu"),
            loops1![
                f32 => Bool8: map1 |x: f32| Bool8::from(x == f32::$end),
                i64 => Bool8: map1 |_: i64| Bool8::from(false),
                u64 => Bool8: map1 |_: u64| Bool8::from(false),
                f64 => Bool8: map1 |x: f64| Bool8::from(x == f64::$end),
            ],
        )
        .checked(|_, common, _| {
            if common.is_complex() {
                return Err(Fault::type_error(concat!($name, " does not support complex inputs.")));
            }
            Ok(())
        })
        .of_one_dtype(concat!($name, " does not support non-boolean outputs."));
    )*};
}

infinity_tests! {
    /// Whether a number is positive infinity.
    IS_POSINF "isposinf" INFINITY;
    /// Whether a number is negative infinity.
    IS_NEGINF "isneginf" NEG_INFINITY;
}
