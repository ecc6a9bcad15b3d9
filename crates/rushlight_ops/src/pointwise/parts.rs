//! Signs, magnitudes, rounding: functions of one tensor that keep its dtype.

use super::in_context::InContext;
use super::table::{Tables, forms, table, tiles};
use rushlight_kernels::pointwise::definition::Pointwise;
pub(crate) use rushlight_kernels::pointwise::parts::*;
use rushlight_tensor::iter::ResultForm;
use rushlight_tensor::{DType, Fault, Result, Tensor};
use rushlight_types::ElementOp;

/// Magnitudes of complex numbers have no place among them.
fn refuse_magnitudes(op: &Pointwise, form: ResultForm<'_>, a: &Tensor) -> Result<()> {
    match form {
        ResultForm::InPlace(_) if a.dtype().is_complex() && std::ptr::eq(op, &ABS) => Err(
            Fault::runtime("In-place abs is not supported for complex tensors."),
        ),
        _ => Ok(()),
    }
}

forms! {
    /// Functions with a form in place.
    pub mod plain ("self", "") fresh "", in_place "", out ".out";
    (|cx, form, a| op => {
        refuse_magnitudes(op, form, a)?;
        op.call(cx, form, &[a.into()], &[])
    })
    tiles [0] []
    {
        "neg" => NEG => [.element(ElementOp::Neg)], "negative" => NEG, "abs" => ABS => [.element(ElementOp::Abs)], "absolute" => ABS, "sign" => SIGN, "sgn" => SGN,
        "floor" => FLOOR, "ceil" => CEIL, "trunc" => TRUNC, "fix" => TRUNC, "round" => ROUND,
        "frac" => FRAC,
    }
}
forms! {
    /// Squares; those of bools are integers.
    pub mod squares ("self", "") fresh "", in_place "", out ".out";
    (|cx, form, a| op => match a.dtype() {
        DType::Bool => op.call_in(DType::I64, form, &[a.into()], &[]),
        _ => op.call(cx, form, &[a.into()], &[]),
    })
    tiles [0] []
    { "square" => SQUARE => [.refused_as("aten::pow.Tensor_Scalar_out")] }
}
forms! {
    /// Tests.
    pub mod tests ("self", "") fresh "", out ".out";
    (|cx, form, a| op => op.call(cx, form, &[a.into()], &[]))
    tiles [0] []
    {
        "isnan" => IS_NAN => [.refused_as("aten::isnan")], "isinf" => IS_INF, "isposinf" => IS_POSINF, "isneginf" => IS_NEGINF,
        "signbit" => SIGNBIT,
    }
}
forms! {
    /// Tests without other forms.
    pub mod plain_tests ("self", "") fresh "";
    (|cx, form, a| op => op.call(cx, form, &[a.into()], &[]))
    tiles [0] []
    { "isfinite" => IS_FINITE, "isreal" => IS_REAL }
}
/// How to round to some decimals, which may be none.
fn round(op: &'static Pointwise, decimals: i64) -> &'static Pointwise {
    match decimals {
        0 => &ROUND_NO_DECIMALS,
        _ => op,
    }
}

forms! {
    /// Rounding to decimals.
    pub mod decimals ("self", "" * ", int decimals") fresh ".decimals", in_place ".decimals", out ".decimals_out";
    (|cx, form, a, decimals: i64| op => round(op, decimals).call(cx, form, &[a.into()], &[decimals.into()]))
    { "round" => ROUND_DECIMALS }
}
forms! {
    /// Rounding to decimals under its other name.
    pub mod special_decimals ("self", "" * ", int decimals=0") fresh "", out ".out";
    (|cx, form, a, decimals: i64| op => round(op, decimals).call(cx, form, &[a.into()], &[decimals.into()]))
    { "special_round" => ROUND_DECIMALS }
}
forms! {
    /// Replacing what is not finite.
    pub mod nan_to_num ("self", ", float? nan=None, float? posinf=None, float? neginf=None")
    fresh "", in_place "", out ".out";
    (|cx, form, a, nan: Option<f64>, high: Option<f64>, low: Option<f64>| op =>
        op.call(cx, form, &[a.into()], &nan_to_num_numbers(nan, high, low, a.dtype())))
    { "nan_to_num" => NAN_TO_NUM }
}

/// The rows of this file.
pub static TABLES: &[Tables] = &[
    plain::TABLES,
    squares::TABLES,
    tests::TABLES,
    plain_tests::TABLES,
    decimals::TABLES,
    special_decimals::TABLES,
    nan_to_num::TABLES,
];
