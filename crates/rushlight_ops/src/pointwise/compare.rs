//! Comparisons and the logic of truth values.

use super::in_context::InContext;
use super::table::{Tables, forms, table, tiles};
pub(crate) use rushlight_kernels::pointwise::compare::*;
use rushlight_tensor::{Fault, Result, Scalar, Tensor};
use rushlight_types::{Context, ElementOp, op};

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
        if value.is_nan() || value < 0.0 {
            return Err(Fault::runtime(format!(
                "{name} must be greater than or equal to zero, but got {}",
                rushlight_types::general_text(value, 6)
            )));
        }
    }
    let numbers = [rtol.into(), atol.into(), equal_nan.into()];
    IS_CLOSE.call(
        cx,
        rushlight_tensor::iter::ResultForm::Fresh,
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
    tiles [0, 1] []
    {
        "eq" => EQ => Numbers => [.element(ElementOp::Eq)], "ne" => NE => Numbers => [.element(ElementOp::Ne)], "lt" => LT => Numbers => [.element(ElementOp::Lt)], "le" => LE => Numbers => [.element(ElementOp::Le)], "gt" => GT => Numbers => [.element(ElementOp::Gt)], "ge" => GE => Numbers => [.element(ElementOp::Ge)], "not_equal" => NE => Numbers, "less" => LT => Numbers,
        "less_equal" => LE => Numbers, "greater" => GT => Numbers, "greater_equal" => GE => Numbers,
    }
}
forms! {
    /// Comparisons with a number.
    pub mod numbers ("self", ", Scalar other") fresh ".Scalar", in_place ".Scalar", out ".Scalar_out";
    (|cx, form, a, b: Scalar| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    tiles [0, 1] []
    {
        "eq" => EQ => Numbers => [.element(ElementOp::Eq)], "ne" => NE => Numbers => [.element(ElementOp::Ne)], "lt" => LT => Numbers => [.element(ElementOp::Lt)], "le" => LE => Numbers => [.element(ElementOp::Le)], "gt" => GT => Numbers => [.element(ElementOp::Gt)], "ge" => GE => Numbers => [.element(ElementOp::Ge)], "not_equal" => NE => Numbers, "less" => LT => Numbers,
        "less_equal" => LE => Numbers, "greater" => GT => Numbers, "greater_equal" => GE => Numbers,
    }
}
forms! {
    /// Logic of two truth values.
    pub mod logic ("self", ", Tensor other") fresh "", in_place "", out ".out";
    (|cx, form, a, b: &Tensor| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    tiles [0, 1] []
    { "logical_and" => LOGICAL_AND, "logical_or" => LOGICAL_OR, "logical_xor" => LOGICAL_XOR }
}
forms! {
    /// Negation.
    pub mod negation ("self", "") fresh "", in_place "", out ".out";
    (|cx, form, a| op => op.call(cx, form, &[a.into()], &[]))
    tiles [0] []
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
