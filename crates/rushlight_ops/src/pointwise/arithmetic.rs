//! Sums, differences, products, quotients and remainders.

use super::definition::Pointwise;
use super::in_context::InContext;
use super::table::{Tables, forms, number_forms, table, tiles};
pub(crate) use rushlight_kernels::pointwise::arithmetic::*;
use rushlight_tensor::{Fault, Result, Scalar, Tensor};
use rushlight_types::ElementOp;

/// The operator for a `rounding_mode`.
fn division(mode: Option<&str>) -> Result<&'static Pointwise> {
    match mode {
        None => Ok(&DIV),
        Some("trunc") => Ok(&DIV_TRUNC),
        Some("floor") => Ok(&DIV_FLOOR),
        Some(other) => Err(Fault::runtime(format!(
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{other}'"
        ))),
    }
}

forms! {
    /// Operators of two tensors whose given tensor is `.out`.
    pub mod tensor ("self", ", Tensor other") fresh ".Tensor", in_place ".Tensor", out ".out";
    (|cx, form, a, b: &Tensor| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    tiles [0, 1] []
    { "mul" => MUL => [.wraps_numbers().element(ElementOp::Mul)], "multiply" => MUL => [.refused_as("aten::mul.out")], "div" => DIV => [.wraps_numbers().element(ElementOp::Div)], "divide" => DIV => [.refused_as("aten::div.out")], "true_divide" => DIV => [.refused_as("aten::div.out")] }
}
forms! {
    /// The same with a number.
    pub mod number ("self", ", Scalar other") fresh ".Scalar", in_place ".Scalar", out ".Scalar_out";
    (|cx, form, a, b: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    tiles [0, 1] []
    { "mul" => MUL => [.wraps_numbers().element(ElementOp::Mul)], "div" => DIV => [.wraps_numbers().element(ElementOp::Div)], "remainder" => REMAINDER => [.refused_as("aten::remainder.Tensor_out")], "fmod" => FMOD => [.refused_as("aten::fmod.Tensor_out")] }
}
forms! {
    /// The same with a number, for names that have no `out=` form of it.
    pub mod alias_number ("self", ", Scalar other") fresh ".Scalar", in_place ".Scalar";
    (|cx, form, a, b: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    tiles [0, 1] []
    { "multiply" => MUL => [.wraps_numbers().refused_as("aten::mul.out")], "divide" => DIV => [.wraps_numbers().refused_as("aten::div.out")], "true_divide" => DIV => [.wraps_numbers().refused_as("aten::div.out")] }
}
forms! {
    /// Remainders.
    pub mod rest ("self", ", Tensor other") fresh ".Tensor", in_place ".Tensor", out ".Tensor_out";
    (|cx, form, a, b: &Tensor| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    tiles [0, 1] []
    { "remainder" => REMAINDER => [.refused_as("aten::remainder.Tensor_out")], "fmod" => FMOD => [.refused_as("aten::fmod.Tensor_out")] }
}
number_forms! {
    /// Remainders of a number.
    pub mod rest_of_number ("self", ", Tensor other") fresh ".Scalar_Tensor", out ".Scalar_Tensor_out";
    (|cx, form, a, b| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    tiles [0, 1] []
    { "remainder" => REMAINDER => [.refused_as("aten::remainder.Tensor_out")] }
}
forms! {
    /// Quotients rounded as asked for.
    pub mod mode ("self", ", Tensor other" * ", str? rounding_mode")
    fresh ".Tensor_mode", in_place ".Tensor_mode", out ".out_mode";
    (|cx, form, a, b: &Tensor, mode: Option<&str>| _op =>
        division(mode)?.call(cx, form, &[a.into(), b.into()], &[]))
    { "div" => DIV, "divide" => DIV => [.refused_as("aten::div.out")] }
}
forms! {
    /// The same by a number.
    pub mod mode_number ("self", ", Scalar other" * ", str? rounding_mode")
    fresh ".Scalar_mode", in_place ".Scalar_mode", out ".Scalar_mode_out";
    (|cx, form, a, b: Scalar, mode: Option<&str>| _op =>
        division(mode)?.call(cx, form, &[a.into(), b.into()], &[]))
    { "div" => DIV => [.wraps_numbers()] }
}
forms! {
    /// The same by a number, for the name that has no `out=` form of it.
    pub mod alias_mode_number ("self", ", Scalar other" * ", str? rounding_mode")
    fresh ".Scalar_mode", in_place ".Scalar_mode";
    (|cx, form, a, b: Scalar, mode: Option<&str>| _op =>
        division(mode)?.call(cx, form, &[a.into(), b.into()], &[]))
    { "divide" => DIV => [.wraps_numbers().refused_as("aten::div.out")] }
}
forms! {
    /// Python's `//`.
    pub mod floor ("self", ", Tensor other") fresh "", in_place ".Tensor", out ".out";
    (|cx, form, a, b: &Tensor| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    tiles [0, 1] []
    { "floor_divide" => DIV_FLOOR => [.refused_as("aten::floor_divide")] }
}
forms! {
    /// Python's `//` by a number.
    pub mod floor_number ("self", ", Scalar other") fresh ".Scalar", in_place ".Scalar", out ".Scalar_out";
    (|cx, form, a, b: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    tiles [0, 1] []
    { "floor_divide" => DIV_FLOOR => [.wraps_numbers().refused_as("aten::floor_divide")] }
}
forms! {
    /// Sums and differences, the second operand scaled by `alpha`.
    pub mod scaled ("self", ", Tensor other" * ", Scalar alpha=1") fresh ".Tensor", in_place ".Tensor", out ".out";
    (|cx, form, a, b: &Tensor, alpha: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[alpha]))
    tiles [0, 1] [2]
    { "add" => ADD => [.wraps_numbers().has_old_form().element(ElementOp::Add)], "sub" => SUB => [.wraps_numbers().has_old_form().element(ElementOp::Sub)], "subtract" => SUB => [.refused_as("aten::sub.out")] }
}
forms! {
    /// The same with a number.
    pub mod scaled_number ("self", ", Scalar other, Scalar alpha=1")
    fresh ".Scalar", in_place ".Scalar", out ".Scalar_out";
    (|cx, form, a, b: Scalar, alpha: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[alpha]))
    tiles [0, 1] [2]
    { "add" => ADD => [.wraps_numbers().has_old_form().element(ElementOp::Add)], "sub" => SUB => [.wraps_numbers().has_old_form().element(ElementOp::Sub)] }
}
forms! {
    /// The same with a number, for the name that has no `out=` form of it.
    pub mod alias_scaled_number ("self", ", Scalar other, Scalar alpha=1") fresh ".Scalar", in_place ".Scalar";
    (|cx, form, a, b: Scalar, alpha: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[alpha]))
    tiles [0, 1] [2]
    { "subtract" => SUB => [.wraps_numbers().refused_as("aten::sub.out")] }
}
forms! {
    /// `other - alpha * self`.
    pub mod reversed ("self", ", Tensor other" * ", Scalar alpha=1") fresh ".Tensor", out ".Tensor_out";
    (|cx, form, a, b: &Tensor, alpha: Scalar| op => op.call(cx, form, &[b.into(), a.into()], &[alpha]))
    tiles [1, 0] [2]
    { "rsub" => SUB }
}
forms! {
    /// The difference under the name that archives of version 2 test with.
    pub mod tested ("self", ", Tensor other, Scalar alpha=1") fresh "";
    (|cx, form, a, b: &Tensor, alpha: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[alpha]))
    { "_test_serialization_subcmul" => SUB }
}
forms! {
    /// `number - alpha * self`.
    pub mod reversed_number ("self", ", Scalar other, Scalar alpha=1") fresh ".Scalar", out ".Scalar_out";
    (|cx, form, a, b: Scalar, alpha: Scalar| op => op.call(cx, form, &[b.into(), a.into()], &[alpha]))
    tiles [1, 0] [2]
    { "rsub" => SUB }
}

/// The rows of this file.
pub static TABLES: &[Tables] = &[
    tensor::TABLES,
    number::TABLES,
    alias_number::TABLES,
    rest::TABLES,
    rest_of_number::TABLES,
    mode::TABLES,
    mode_number::TABLES,
    alias_mode_number::TABLES,
    floor::TABLES,
    floor_number::TABLES,
    scaled::TABLES,
    scaled_number::TABLES,
    alias_scaled_number::TABLES,
    reversed::TABLES,
    reversed_number::TABLES,
    tested::TABLES,
];
