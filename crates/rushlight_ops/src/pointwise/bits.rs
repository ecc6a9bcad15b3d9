//! Bitwise operators and shifts, under their names and as Python's operators.

use super::definition::{Pointwise, loops1, loops2};
use super::table::{Tables, forms, number_forms, table};
use rushlight_tensor::lanes::{map1, map2};
use rushlight_tensor::{Bool8, Scalar, Tensor};

macro_rules! bitwise {
    ($($(#[$meta:meta])* $static:ident $name:literal $operator:tt;)*) => {$(
        $(#[$meta])*
        pub static $static: Pointwise = Pointwise::new(
            $name,
            loops2![
                Bool8: map2 |x: Bool8, y: Bool8| Bool8::from(x.get() $operator y.get()),
                i64: map2 |x: i64, y: i64| x $operator y,
            ],
        );
    )*};
}
bitwise! {
    /// `self & other`.
    AND "bitwise_and_cpu" &;
    /// `self | other`.
    OR "bitwise_or_cpu" |;
    /// `self ^ other`.
    XOR "bitwise_xor_cpu" ^;
}

/// `~self`.
pub static NOT: Pointwise = Pointwise::new(
    "bitwise_not_cpu",
    loops1![Bool8: map1 |x: Bool8| Bool8::from(!x.get()), i64: map1 |x: i64| !x],
);

/// `self << other`; nothing is left of shifts by more than the width.
pub static LEFT: Pointwise =
    Pointwise::new("lshift_cpu", loops2![i64: map2 shift_left]).without_bool();

/// `self >> other`; the sign fills up.
pub static RIGHT: Pointwise =
    Pointwise::new("rshift_cpu", loops2![i64: map2 shift_right]).without_bool();

fn shift_left(x: i64, by: i64) -> i64 {
    if (0..64).contains(&by) { x << by } else { 0 }
}

fn shift_right(x: i64, by: i64) -> i64 {
    x >> if (0..64).contains(&by) { by } else { 63 }
}

forms! {
    /// Operators of tensors.
    pub mod tensors ("self", ", Tensor other") fresh ".Tensor", in_place ".Tensor", out ".Tensor_out";
    (|cx, form, a, b: &Tensor| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    {
        "bitwise_and" => AND, "bitwise_or" => OR, "bitwise_xor" => XOR, "bitwise_left_shift" => LEFT,
        "bitwise_right_shift" => RIGHT,
    }
}
forms! {
    /// Operators with a number.
    pub mod numbers ("self", ", Scalar other") fresh ".Scalar", in_place ".Scalar", out ".Scalar_out";
    (|cx, form, a, b: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "bitwise_and" => AND, "bitwise_or" => OR, "bitwise_xor" => XOR }
}
forms! {
    /// Shifts by a number.
    pub mod shift_numbers ("self", ", Scalar other")
    fresh ".Tensor_Scalar", in_place ".Tensor_Scalar", out ".Tensor_Scalar_out";
    (|cx, form, a, b: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "bitwise_left_shift" => LEFT, "bitwise_right_shift" => RIGHT }
}
number_forms! {
    /// Operators of a number and a tensor.
    pub mod of_number ("self", ", Tensor other") fresh ".Scalar_Tensor", out ".Scalar_Tensor_out";
    (|cx, form, a, b| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    {
        "bitwise_and" => AND, "bitwise_or" => OR, "bitwise_xor" => XOR, "bitwise_left_shift" => LEFT,
        "bitwise_right_shift" => RIGHT,
    }
}
forms! {
    /// `~`.
    pub mod negation ("self", "") fresh "", in_place "", out ".out";
    (|cx, form, a| op => op.call(cx, form, &[a.into()], &[]))
    { "bitwise_not" => NOT }
}
forms! {
    /// Python's operators on tensors.
    pub mod dunder ("self", ", Tensor other") fresh ".Tensor";
    (|cx, form, a, b: &Tensor| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "__and__" => AND, "__or__" => OR, "__xor__" => XOR }
}
forms! {
    /// Python's operators with a number.
    pub mod dunder_numbers ("self", ", Scalar other") fresh ".Scalar";
    (|cx, form, a, b: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "__and__" => AND, "__or__" => OR, "__xor__" => XOR }
}
forms! {
    /// Python's shifts of tensors.
    pub mod dunder_shifts ("self", ", Tensor other") fresh ".Tensor", out ".Tensor_out";
    (|cx, form, a, b: &Tensor| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "__lshift__" => LEFT, "__rshift__" => RIGHT }
}
forms! {
    /// Python's shifts by a number.
    pub mod dunder_shift_numbers ("self", ", Scalar other") fresh ".Scalar", out ".Scalar_out";
    (|cx, form, a, b: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    { "__lshift__" => LEFT, "__rshift__" => RIGHT }
}
table! {
    /// Python's operators in place.
    static ASSIGNMENTS = ".Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)";
    (|cx: &rushlight_types::Context, a: &Tensor, b: &Tensor| op =>
        op.call(cx, rushlight_tensor::iter::Form::InPlace(a), &[a.into(), b.into()], &[]))
    { "__iand__" => AND, "__ior__" => OR, "__ixor__" => XOR, "__ilshift__" => LEFT, "__irshift__" => RIGHT }
}
table! {
    /// Python's operators in place with a number.
    static NUMBER_ASSIGNMENTS = ".Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)";
    (|cx: &rushlight_types::Context, a: &Tensor, b: Scalar| op =>
        op.call(cx, rushlight_tensor::iter::Form::InPlace(a), &[a.into(), b.into()], &[]))
    { "__iand__" => AND, "__ior__" => OR, "__ixor__" => XOR, "__ilshift__" => LEFT, "__irshift__" => RIGHT }
}

/// The rows of this file.
pub static TABLES: &[Tables] = &[
    tensors::TABLES,
    numbers::TABLES,
    shift_numbers::TABLES,
    of_number::TABLES,
    negation::TABLES,
    dunder::TABLES,
    dunder_numbers::TABLES,
    dunder_shifts::TABLES,
    dunder_shift_numbers::TABLES,
    &[ASSIGNMENTS, NUMBER_ASSIGNMENTS],
];
