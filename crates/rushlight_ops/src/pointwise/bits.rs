//! Bitwise operators and shifts, under their names and as Python's operators.

use super::in_context::InContext;
use super::table::{Tables, forms, number_forms, table, tiles};
pub(crate) use rushlight_kernels::pointwise::bits::*;
use rushlight_tensor::{Scalar, Tensor};

forms! {
    /// Operators of tensors.
    pub mod tensors ("self", ", Tensor other") fresh ".Tensor", in_place ".Tensor", out ".Tensor_out";
    (|cx, form, a, b: &Tensor| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    tiles [0, 1] []
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
    tiles [0] []
    { "bitwise_not" => NOT }
}
forms! {
    /// Python's operators on tensors.
    pub mod dunder ("self", ", Tensor other") fresh ".Tensor";
    (|cx, form, a, b: &Tensor| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    tiles [0, 1] []
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
        op.call(cx, rushlight_tensor::iter::ResultForm::InPlace(a), &[a.into(), b.into()], &[]))
    { "__iand__" => AND, "__ior__" => OR, "__ixor__" => XOR, "__ilshift__" => LEFT, "__irshift__" => RIGHT }
}
table! {
    /// Python's operators in place with a number.
    static NUMBER_ASSIGNMENTS = ".Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)";
    (|cx: &rushlight_types::Context, a: &Tensor, b: Scalar| op =>
        op.call(cx, rushlight_tensor::iter::ResultForm::InPlace(a), &[a.into(), b.into()], &[]))
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
