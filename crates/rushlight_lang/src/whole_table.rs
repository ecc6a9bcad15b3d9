//! The table of all operators, which crates of operators ask for those that stand above them.

use rushlight_tensor::Tensor;
use rushlight_types::{Context, Fault, Operator, OperatorTable, Result, Value};
use std::sync::OnceLock;

/// The table that the rows of all crates of operators are part of.
static TABLE: OnceLock<&'static OperatorTable> = OnceLock::new();

/// Says which table the rows of this crate, and of those that use it, are part of. The first one stays.
pub fn complete(table: &'static OperatorTable) {
    TABLE.get_or_init(|| table);
}

/// The operator of that name (`aten::add.Tensor`) in the table of all.
pub fn find(name: &str) -> Result<&'static Operator> {
    TABLE
        .get()
        .and_then(|table| table.find(name))
        .ok_or_else(|| Fault::internal(format!("there is no operator {name}")))
}

/// The tensor that the operator of that name gives.
pub fn call(cx: &Context, name: &str, arguments: Vec<Value>) -> Result<Tensor> {
    match find(name)?.call_vec(cx, arguments)?.into_iter().next() {
        Some(Value::Tensor(t)) => Ok(t),
        _ => Err(Fault::internal(format!("{name} gives no tensor"))),
    }
}
