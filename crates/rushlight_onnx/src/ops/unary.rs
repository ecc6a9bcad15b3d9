//! Functions of one tensor, element by element, that ONNX has under a name.

use super::{Call, Out};
use crate::exporter::Exporter;
use rushlight_types::Result;

/// Operator, ONNX's name.
const SAME: &[(&str, &str)] = &[
    ("aten::abs", "Abs"),
    ("aten::absolute", "Abs"),
    ("aten::acos", "Acos"),
    ("aten::acosh", "Acosh"),
    ("aten::arccos", "Acos"),
    ("aten::arccosh", "Acosh"),
    ("aten::arcsin", "Asin"),
    ("aten::arcsinh", "Asinh"),
    ("aten::arctan", "Atan"),
    ("aten::arctanh", "Atanh"),
    ("aten::asin", "Asin"),
    ("aten::asinh", "Asinh"),
    ("aten::atan", "Atan"),
    ("aten::atanh", "Atanh"),
    ("aten::cos", "Cos"),
    ("aten::cosh", "Cosh"),
    ("aten::det", "Det"),
    ("aten::erf", "Erf"),
    ("aten::exp", "Exp"),
    ("aten::linalg_det", "Det"),
    ("aten::log", "Log"),
    ("aten::neg", "Neg"),
    ("aten::negative", "Neg"),
    ("aten::reciprocal", "Reciprocal"),
    ("aten::relu", "Relu"),
    ("aten::sigmoid", "Sigmoid"),
    ("aten::sgn", "Sign"),
    ("aten::sign", "Sign"),
    ("aten::sin", "Sin"),
    ("aten::sinh", "Sinh"),
    ("aten::special_erf", "Erf"),
    ("aten::special_expit", "Sigmoid"),
    ("aten::sqrt", "Sqrt"),
    ("aten::tan", "Tan"),
    ("aten::tanh", "Tanh"),
];

/// Their operators.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    SAME.iter().map(|(name, _)| *name)
}

/// The node of a call, where it is one of these.
pub(super) fn translate(exporter: &mut Exporter<'_>, call: &Call) -> Result<Option<Vec<Out>>> {
    let Some((_, kind)) = SAME.iter().find(|(name, _)| *name == call.name) else {
        return Ok(None);
    };
    let input = exporter.as_dtype(&call.arguments[0], call.result_dtype())?;
    Ok(Some(vec![Out::Name(exporter.apply(kind, &input))]))
}
