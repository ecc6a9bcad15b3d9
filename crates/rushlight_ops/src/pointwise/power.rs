//! Powers: of tensors and numbers, to tensors and numbers.

use super::in_context::InContext;
use super::table::{Tables, forms, number_forms, table, tiles};
pub(crate) use rushlight_kernels::pointwise::power::*;
use rushlight_tensor::iter::ResultForm;
use rushlight_tensor::promote::{Operand, result_type};
use rushlight_tensor::{DType, Fault, Result, Scalar, Tensor};
use rushlight_types::Context;

/// `self ^ number`.
fn to_number(cx: &Context, form: ResultForm<'_>, a: &Tensor, exponent: Scalar) -> Result<Tensor> {
    let common = result_type(&[a.into(), exponent.into()], cx.default_dtype());
    if common.is_integral(true) && exponent.is_integral() && exponent.to_i64() < 0 {
        return Err(Fault::runtime(
            "Integers to negative integer powers are not allowed.",
        ));
    }
    // Also for bools, which have no loop.
    let short = match exponent {
        Scalar::Complex(c) => c.im == 0.0 && (c.re == 0.0 || c.re == 1.0),
        real => real.to_f64() == 0.0 || real.to_f64() == 1.0,
    };
    if short && common == DType::Bool {
        let or = !exponent.to_bool();
        return super::bits::OR.call_in(common, form, &[a.into(), Scalar::Bool(or).into()], &[]);
    }
    POW_NUMBER.call_in(common, form, &[a.into()], &[exponent])
}

/// `number ^ exponent`.
fn of_number(
    cx: &Context,
    form: ResultForm<'_>,
    base: Scalar,
    exponent: &Tensor,
) -> Result<Tensor> {
    POW.call(cx, form, &[base.into(), exponent.into()], &[])
}

/// The dtype that `float_power` works in.
fn widest(operands: &[Operand<'_>], cx: &Context) -> DType {
    if result_type(operands, cx.default_dtype()).is_complex() {
        DType::C128
    } else {
        DType::F64
    }
}

/// Powers in double precision.
fn float_power(cx: &Context, form: ResultForm<'_>, operands: &[Operand<'_>; 2]) -> Result<Tensor> {
    let dtype = widest(operands, cx);
    if let ResultForm::InPlace(given) | ResultForm::Out(given) = form
        && given.dtype() != dtype
    {
        let what = if matches!(form, ResultForm::Out(_)) {
            "output given to float_power"
        } else {
            "base given to float_power_"
        };
        return Err(Fault::runtime(format!(
            "the {what} has dtype {} but the operation's result requires dtype {}",
            given.dtype().class_name(),
            dtype.class_name()
        )));
    }
    match operands {
        [Operand::Tensor(_), Operand::Number(exponent)] => {
            POW_NUMBER.call_in(dtype, form, &operands[..1], &[*exponent])
        }
        _ => POW.call_in(dtype, form, operands, &[]),
    }
}

forms! {
    /// Powers to tensors.
    pub mod tensors ("self", ", Tensor exponent") fresh ".Tensor_Tensor", in_place ".Tensor", out ".Tensor_Tensor_out";
    (|cx, form, a, b: &Tensor| op => op.call(cx, form, &[a.into(), b.into()], &[]))
    tiles [0, 1] []
    { "pow" => POW => [.refused_as("aten::pow.Tensor_Tensor_out")] }
}
forms! {
    /// Powers to a number.
    pub mod numbers ("self", ", Scalar exponent") fresh ".Tensor_Scalar", in_place ".Scalar", out ".Tensor_Scalar_out";
    (|cx, form, a, b: Scalar| _op => to_number(cx, form, a, b))
    tiles [0] [1]
    { "pow" => POW_NUMBER => [.refused_as("aten::pow.Tensor_Scalar_out")] }
}
number_forms! {
    /// Powers of a number.
    pub mod of_numbers ("self", ", Tensor exponent") fresh ".Scalar", out ".Scalar_out";
    (|cx, form, a, b| _op => of_number(cx, form, a, b))
    tiles [0, 1] []
    { "pow" => POW => [.refused_as("aten::pow.Scalar_out")] }
}
forms! {
    /// Double precision powers to tensors.
    pub mod float_tensors ("self", ", Tensor exponent")
    fresh ".Tensor_Tensor", in_place ".Tensor", out ".Tensor_Tensor_out";
    (|cx, form, a, b: &Tensor| _op => float_power(cx, form, &[a.into(), b.into()]))
    { "float_power" => POW }
}
forms! {
    /// Double precision powers to a number.
    pub mod float_numbers ("self", ", Scalar exponent")
    fresh ".Tensor_Scalar", in_place ".Scalar", out ".Tensor_Scalar_out";
    (|cx, form, a, b: Scalar| _op => float_power(cx, form, &[a.into(), b.into()]))
    { "float_power" => POW }
}
number_forms! {
    /// Double precision powers of a number.
    pub mod float_of_numbers ("self", ", Tensor exponent") fresh ".Scalar", out ".Scalar_out";
    (|cx, form, a, b| _op => float_power(cx, form, &[a.into(), b.into()]))
    { "float_power" => POW }
}

/// The rows of this file.
pub static TABLES: &[Tables] = &[
    tensors::TABLES,
    numbers::TABLES,
    of_numbers::TABLES,
    float_tensors::TABLES,
    float_numbers::TABLES,
    float_of_numbers::TABLES,
];
