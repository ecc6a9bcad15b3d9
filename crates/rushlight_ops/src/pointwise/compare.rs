//! Comparisons and the logic of truth values.

use super::definition::{Pointwise, loops1, loops2};
use super::table::{Tables, forms, table};
use rushlight_tensor::lanes::{each2, map1, map2};
use rushlight_tensor::{Bool8, Complex64, Element, Fault, Result, Scalar, Tensor};
use rushlight_types::{Context, op};

macro_rules! orders {
    ($($(#[$meta:meta])* $static:ident $name:literal $operator:tt;)*) => {$(
        $(#[$meta])*
        pub static $static: Pointwise = Pointwise::new(
            $name,
            loops2![
                f32 => Bool8: map2 |x: f32, y: f32| Bool8::from(x $operator y),
                i64 => Bool8: map2 |x: i64, y: i64| Bool8::from(x $operator y),
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
                f64 => Bool8: map2 |x: f64, y: f64| Bool8::from(x $operator y),
                Bool8: map2 |x: Bool8, y: Bool8| Bool8::from(x.get() $operator y.get()),
                Complex64 => Bool8: map2 |x: Complex64, y: Complex64| Bool8::from(x $operator y),
            ],
        );
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
static IS_CLOSE: Pointwise = Pointwise::new(
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

fn is_close(
    cx: &Context,
    a: &Tensor,
    b: &Tensor,
    rtol: f64,
    atol: f64,
    equal_nan: bool,
) -> Result<Tensor> {
    if a.dtype() != b.dtype() {
        return Err(Fault::runtime(format!(
            "{} did not match {}",
            a.dtype().class_name(),
            b.dtype().class_name()
        )));
    }
    for (value, name) in [(rtol, "rtol"), (atol, "atol")] {
        if value < 0.0 {
            return Err(Fault::runtime(format!(
                "{name} must be greater than or equal to zero, but got {value}"
            )));
        }
    }
    let numbers = [rtol.into(), atol.into(), equal_nan.into()];
    IS_CLOSE.call(
        cx,
        rushlight_tensor::iter::Form::Fresh,
        &[a.into(), b.into()],
        &numbers,
    )
}

rushlight_types::operators! {
    /// Comparisons that are not elementwise, or have numbers of their own.
    static OTHERS = [
        op!("aten::isclose(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, bool equal_nan=False) -> Tensor", is_close),
    ];
}

forms! {
    /// Comparisons of tensors.
    pub mod tensors ("self", ", Tensor other") fresh ".Tensor", in_place ".Tensor", out ".Tensor_out";
    (|cx, form, a, b: &Tensor| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    {
        "eq" => EQ => Numbers, "ne" => NE => Numbers, "lt" => LT => Numbers, "le" => LE => Numbers, "gt" => GT => Numbers, "ge" => GE => Numbers, "not_equal" => NE => Numbers, "less" => LT => Numbers,
        "less_equal" => LE => Numbers, "greater" => GT => Numbers, "greater_equal" => GE => Numbers,
    }
}
forms! {
    /// Comparisons with a number.
    pub mod numbers ("self", ", Scalar other") fresh ".Scalar", in_place ".Scalar", out ".Scalar_out";
    (|cx, form, a, b: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    {
        "eq" => EQ => Numbers, "ne" => NE => Numbers, "lt" => LT => Numbers, "le" => LE => Numbers, "gt" => GT => Numbers, "ge" => GE => Numbers, "not_equal" => NE => Numbers, "less" => LT => Numbers,
        "less_equal" => LE => Numbers, "greater" => GT => Numbers, "greater_equal" => GE => Numbers,
    }
}
forms! {
    /// Logic of two truth values.
    pub mod logic ("self", ", Tensor other") fresh "", in_place "", out ".out";
    (|cx, form, a, b: &Tensor| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "logical_and" => LOGICAL_AND, "logical_or" => LOGICAL_OR, "logical_xor" => LOGICAL_XOR }
}
forms! {
    /// Negation.
    pub mod negation ("self", "") fresh "", in_place "", out ".out";
    (|cx, form, a| op => op.call(cx, form, &[a.into()], &[]))
    { "logical_not" => LOGICAL_NOT }
}

/// The rows of this file.
pub static TABLES: &[Tables] = &[
    tensors::TABLES,
    numbers::TABLES,
    logic::TABLES,
    negation::TABLES,
    &[OTHERS],
];
