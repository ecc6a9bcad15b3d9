//! Operators run on values, and their results as Python objects.

use crate::binding::Slots;
use crate::convert::to_python;
use crate::identity::tensor_object;
use crate::objects::dtype_object;
use crate::overloads::base_name;
use crate::{errors, registry, state};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rushlight::Value;
use rushlight::tensor::DType;
use rushlight::types::warning::Notice;
use rushlight::types::{Argument, Operator, Type};

/// Calls an operator on values; the results are values too.
pub fn call_values(py: Python<'_>, full_name: &str, arguments: Vec<Value>) -> PyResult<Value> {
    let operator = rushlight::table()
        .find(full_name)
        .ok_or_else(|| PyAttributeError::new_err(format!("there is no operator {full_name}")))?;
    let mut slots = Slots::from_vec(arguments);
    run(py, operator, &mut slots)?;
    Ok(slots.into_iter().next().unwrap_or_default())
}

/// Calls an operator on the values of the slots, which hold its results afterwards and nothing else.
pub fn run(py: Python<'_>, operator: &'static Operator, slots: &mut Slots) -> PyResult<()> {
    let context = state::context_for(operator);
    let inputs = slots.len();
    let returns = operator.schema().returns.len();
    let elements: usize = slots
        .iter()
        .filter_map(|v| match v {
            Value::Tensor(t) => Some(t.numel()),
            _ => None,
        })
        .sum();
    slots.resize(inputs.max(returns), Value::None);
    let mut call = || context.supervise(|| operator.call(context, slots, inputs));
    // Handing the lock back costs more than a small operator.
    let result = if elements < 4096 {
        call()
    } else {
        py.detach(call)
    };
    slots.truncate(returns);
    let of_kind = |value: &Value| match value {
        Value::Tensor(tensor) => announcement_of(tensor.dtype()),
        _ => None,
    };
    let announced = || match slots.first().and_then(of_kind) {
        Some(notice) => notice.give(context),
        None => Ok(()),
    };
    result
        .and_then(|()| announced())
        .map_err(|fault| errors::fault(operator.named_in(fault)))
}

static COMPLEX_HALVES: Notice =
    Notice::new("ComplexHalf support is experimental and many operators don't support it yet.");
static QUANTIZED: Notice = Notice::new(
    "torch.quantize_per_tensor, torch.quantize_per_channel and other quantized tensor creation functions that produce tensors with dtype torch.quint8, torch.qint8, and torch.qint32 are deprecated and will be removed in a future PyTorch release. Please see https://github.com/pytorch/pytorch/issues/184982 for more information.",
);

/// What a process is told where the first tensor of a dtype is made.
#[inline]
fn announcement_of(dtype: DType) -> Option<&'static Notice> {
    match dtype {
        DType::C32 => Some(&COMPLEX_HALVES),
        DType::QI8 | DType::QU8 | DType::QI32 => Some(&QUANTIZED),
        _ => None,
    }
}

/// The results of a call as Python gets them.
pub fn pack<'py>(
    py: Python<'py>,
    operator: &Operator,
    mut results: Slots,
) -> PyResult<Bound<'py, PyAny>> {
    if results.len() > 1 {
        return pack_many(py, operator, &results);
    }
    match results.pop() {
        None => Ok(py.None().into_bound(py)),
        Some(Value::Int(code)) if gives_dtype(operator) => match DType::from_code(code) {
            Some(dtype) => dtype_object(py, dtype)?.into_bound_py_any(py),
            None => give(py, Value::Int(code)),
        },
        Some(Value::TensorList(list)) => {
            let items = list.lock().clone();
            let items = items.into_iter().map(|item| give(py, Value::Tensor(item)));
            let items = items.collect::<PyResult<Vec<_>>>()?;
            Ok(PyTuple::new(py, items)?.into_any())
        }
        Some(other) => give(py, other),
    }
}

/// Whether an operator gives a dtype, which is a number to scripts.
fn gives_dtype(operator: &Operator) -> bool {
    let returns = &operator.schema().returns;
    returns.first().is_some_and(|r| r.ty == Type::ScalarType)
}

/// Several results: a tuple, with names where the schema has them.
fn pack_many<'py>(
    py: Python<'py>,
    operator: &Operator,
    results: &[Value],
) -> PyResult<Bound<'py, PyAny>> {
    let items = results
        .iter()
        .map(|v| to_python(py, v))
        .collect::<PyResult<Vec<_>>>()?;
    let returns = &operator.schema().returns;
    if returns.iter().any(|r| r.name.is_empty()) {
        return Ok(PyTuple::new(py, items)?.into_any());
    }
    let mut name = base_name(operator.name()).to_string();
    if operator
        .schema()
        .arguments
        .iter()
        .any(|a| a.kwarg_only && a.is_written())
    {
        name.push_str("_out");
    }
    let fields: Vec<&str> = returns.iter().map(|r| &*r.name).collect();
    let class = registry::registered(py, "return_type")?.call1((name, fields))?;
    class.call1(PyTuple::new(py, items)?)
}

/// A value as a Python object, for pymethods.
pub fn give<'py>(py: Python<'py>, value: Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Tensor(t) => tensor_object(py, t),
        other => to_python(py, &other),
    }
}

/// An argument as Python programs know it: dtypes are objects there.
pub fn argument<'py>(
    py: Python<'py>,
    formal: &Argument,
    value: &Value,
) -> PyResult<Bound<'py, PyAny>> {
    let ty = match &formal.ty {
        Type::Optional(inner) => inner,
        other => other,
    };
    let code = (*ty == Type::ScalarType)
        .then(|| value.as_int().ok())
        .flatten();
    match code.and_then(DType::from_code) {
        Some(dtype) => Ok(dtype_object(py, dtype)?.into_bound(py).into_any()),
        None => to_python(py, value),
    }
}
