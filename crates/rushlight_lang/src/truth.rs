//! Truth values that need another operator: comparing tensors inside lists goes through the operator table.

use rushlight_tensor::Tensor;
use rushlight_types::{Context, Fault, OperatorTable, Result, Value};
use std::sync::OnceLock;

/// The table that the rows of this crate are part of.
static TABLE: OnceLock<&'static OperatorTable> = OnceLock::new();

/// Says which table the rows of this crate are part of: they look operators on tensors up in it. The first one stays.
pub fn complete(table: &'static OperatorTable) {
    TABLE.get_or_init(|| table);
}

/// What the operator of that name, of the same table, makes of some tensors.
pub(super) fn call(cx: &Context, operator: &str, tensors: &[&Tensor]) -> Result<Tensor> {
    let operator = TABLE
        .get()
        .and_then(|table| table.find(operator))
        .ok_or_else(|| Fault::internal(format!("operator {operator} is missing")))?;
    let tensors = tensors.iter().map(|t| Value::Tensor((*t).clone()));
    match operator.call_vec(cx, tensors.collect())?.pop() {
        Some(Value::Tensor(t)) => Ok(t),
        _ => Err(Fault::internal("an operator on tensors gave no tensor")),
    }
}

/// The one truth value of a comparison of two tensors by the operator of that name.
pub(super) fn tensor_truth(cx: &Context, operator: &str, a: &Tensor, b: &Tensor) -> Result<bool> {
    truth(&call(cx, operator, &[a, b])?)
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
