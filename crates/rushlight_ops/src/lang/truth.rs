//! Truth values that need another operator: comparing tensors inside lists goes through the operator table.

use rushlight_tensor::Tensor;
use rushlight_types::{Context, Fault, Result, Value};

/// The one truth value of a comparison of two tensors by the operator of that name.
pub(super) fn tensor_truth(cx: &Context, operator: &str, a: &Tensor, b: &Tensor) -> Result<bool> {
    let operator = crate::table()
        .find(operator)
        .ok_or_else(|| Fault::internal(format!("operator {operator} is missing")))?;
    let results =
        operator.call_vec(cx, vec![Value::Tensor(a.clone()), Value::Tensor(b.clone())])?;
    match results.first() {
        Some(Value::Tensor(t)) => truth(t),
        _ => Err(Fault::internal("a comparison gave no tensor")),
    }
}

/// Whether a tensor of one element is anything but zero.
pub(super) fn truth(t: &Tensor) -> Result<bool> {
    match t.numel() {
        1 => Ok(t.item()?.to_bool()),
        0 => Err(Fault::runtime(
            "Boolean value of Tensor with no values is ambiguous",
        )),
        _ => Err(Fault::runtime(
            "Boolean value of Tensor with more than one value is ambiguous",
        )),
    }
}
