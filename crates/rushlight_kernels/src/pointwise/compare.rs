//! Comparisons and truth values.

use super::definition::{Pointwise, loops1, loops2};
use rushlight_tensor::lanes::{each2, map1, map2};
use rushlight_tensor::{Bool8, Complex64, Element, Scalar};

macro_rules! orders {
    ($($(#[$meta:meta])* $static:ident $name:literal $operator:tt;)*) => {$(
        $(#[$meta])*
        pub static $static: Pointwise = Pointwise::new(
            $name,
            loops2![
                f32 => Bool8: map2 |x: f32, y: f32| Bool8::from(x $operator y),
                i64 => Bool8: map2 |x: i64, y: i64| Bool8::from(x $operator y),
                i32 => Bool8: map2 |x: i32, y: i32| Bool8::from(x $operator y),
                u8 => Bool8: map2 |x: u8, y: u8| Bool8::from(x $operator y),
                f64 => Bool8: map2 |x: f64, y: f64| Bool8::from(x $operator y),
            ],
        );
    )*};
}

orders! {
    /// `self < other`.
    LT "lt_cpu" <;
    /// `self <= other`.
    LE "le_cpu" <=;
    /// `self > other`.
    GT "gt_cpu" >;
    /// `self >= other`.
    GE "ge_cpu" >=;
}

macro_rules! equalities {
    ($($(#[$meta:meta])* $static:ident $name:literal $operator:tt;)*) => {$(
        $(#[$meta])*
        pub static $static: Pointwise = Pointwise::new(
            $name,
            loops2![
                f32 => Bool8: map2 |x: f32, y: f32| Bool8::from(x $operator y),
                i64 => Bool8: map2 |x: i64, y: i64| Bool8::from(x $operator y),
                i32 => Bool8: map2 |x: i32, y: i32| Bool8::from(x $operator y),
                u8 => Bool8: map2 |x: u8, y: u8| Bool8::from(x $operator y),
                f64 => Bool8: map2 |x: f64, y: f64| Bool8::from(x $operator y),
                Bool8: map2 |x: Bool8, y: Bool8| Bool8::from(x.get() $operator y.get()),
                Complex64 => Bool8: map2 |x: Complex64, y: Complex64| Bool8::from(x $operator y),
            ],
        )
        .with_eights()
        .with_unsigned();
    )*};
}

equalities! {
    /// `self == other`.
    EQ "eq_cpu" ==;
    /// `self != other`.
    NE "ne_cpu" !=;
}

macro_rules! logic {
    ($($(#[$meta:meta])* $static:ident $name:literal $operator:tt;)*) => {$(
        $(#[$meta])*
        pub static $static: Pointwise = Pointwise::new(
            $name,
            loops2![
                Bool8: map2 |x: Bool8, y: Bool8| Bool8::from(x.get() $operator y.get()),
                f32 => Bool8: map2 |x: f32, y: f32| Bool8::from((x != 0.0) $operator (y != 0.0)),
                i64 => Bool8: map2 |x: i64, y: i64| Bool8::from((x != 0) $operator (y != 0)),
                f64 => Bool8: map2 |x: f64, y: f64| Bool8::from((x != 0.0) $operator (y != 0.0)),
                Complex64 => Bool8: each2 |x: Complex64, y: Complex64| Bool8::from(x.is_nonzero() $operator y.is_nonzero()),
            ],
        );
    )*};
}

logic! {
    /// Whether both are true.
    LOGICAL_AND "logical_and_cpu" &;
    /// Whether one is true.
    LOGICAL_OR "logical_or_cpu" |;
    /// Whether exactly one is true.
    LOGICAL_XOR "logical_xor_cpu" ^;
}

/// Whether the element is zero.
pub static LOGICAL_NOT: Pointwise = Pointwise::new(
    "logical_not_cpu",
    loops1![
        Bool8: map1 |x: Bool8| Bool8::from(!x.get()),
        f32 => Bool8: map1 |x: f32| Bool8::from(x == 0.0),
        i64 => Bool8: map1 |x: i64| Bool8::from(x == 0),
        f64 => Bool8: map1 |x: f64| Bool8::from(x == 0.0),
        Complex64 => Bool8: map1 |x: Complex64| Bool8::from(!x.is_nonzero()),
    ],
);

/// Whether `|self - other| <= atol + rtol |other|`; the numbers are rtol, atol and whether NaN equals NaN.
pub static IS_CLOSE: Pointwise = Pointwise::new(
    "isclose",
    &[
        &super::definition::Loop2(|r: &mut [Bool8], a: &[f32], b: &[f32], n| {
            close(r, a, b, n, |x, y| {
                (
                    (x - y).abs() as f64,
                    y.abs() as f64,
                    x.is_nan() && y.is_nan(),
                )
            });
        }),
        &super::definition::Loop2(|r: &mut [Bool8], a: &[i64], b: &[i64], n| {
            close(r, a, b, n, |x, y| {
                (
                    x.wrapping_sub(y).unsigned_abs() as f64,
                    y.unsigned_abs() as f64,
                    false,
                )
            });
        }),
        &super::definition::Loop2(|r: &mut [Bool8], a: &[f64], b: &[f64], n| {
            close(r, a, b, n, |x, y| {
                ((x - y).abs(), y.abs(), x.is_nan() && y.is_nan())
            });
        }),
        &super::definition::Loop2(|r: &mut [Bool8], a: &[Complex64], b: &[Complex64], n| {
            let is_nan = |z: Complex64| z.re.is_nan() || z.im.is_nan();
            close(r, a, b, n, |x, y| {
                ((x - y).norm(), y.norm(), is_nan(x) && is_nan(y))
            });
        }),
    ],
);

/// `measure` gives the distance, the size of the second number, and whether both are NaN.
fn close<T: Copy + PartialEq>(
    r: &mut [Bool8],
    a: &[T],
    b: &[T],
    numbers: &[Scalar],
    measure: impl Fn(T, T) -> (f64, f64, bool),
) {
    let number = |i: usize| numbers.get(i).copied().unwrap_or(Scalar::Int(0));
    let (rtol, atol, equal_nan) = (number(0).to_f64(), number(1).to_f64(), number(2).to_bool());
    each2(r, a, b, |x, y| {
        let (distance, size, both_nan) = measure(x, y);
        let near = distance.is_finite() && distance <= atol + (rtol * size).abs();
        Bool8::from(x == y || near || (equal_nan && both_nan))
    });
}
