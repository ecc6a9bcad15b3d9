//! Eager indexing: `x[0, 1:, None, mask]`.

use crate::convert::infer;
use crate::eager::call_values;
use crate::errors;
use crate::tensor::PyTensor;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PyInt, PyList, PySlice, PyTuple};
use rushlight::types::{GenericList, Type};
use rushlight::{Tensor, Value};
use std::sync::Arc;

/// The view that ints, slices, None and `...` make, and the index tensors left over.
struct Steps {
    view: Tensor,
    indices: Vec<Option<Tensor>>,
}

fn parts<'py>(key: &Bound<'py, PyAny>) -> Vec<Bound<'py, PyAny>> {
    match key.cast::<PyTuple>() {
        Ok(tuple) => tuple.iter().collect(),
        Err(_) => vec![key.clone()],
    }
}

/// How many dimensions of the tensor a part uses up.
fn consumed(part: &Bound<'_, PyAny>) -> usize {
    if part.is_none() || part.is_instance_of::<PyEllipsis>() || part.is_instance_of::<PyBool>() {
        return 0;
    }
    match part.cast::<PyTensor>() {
        Ok(t)
            if matches!(
                t.get().0.dtype(),
                rushlight::DType::Bool | rushlight::DType::U8
            ) =>
        {
            t.get().0.rank()
        }
        _ => 1,
    }
}

fn steps(tensor: &Tensor, key: &Bound<'_, PyAny>) -> PyResult<Steps> {
    let parts = parts(key);
    let used: usize = parts.iter().map(consumed).sum();
    if used > tensor.rank() {
        return Err(PyIndexError::new_err(format!(
            "too many indices for tensor of dimension {}",
            tensor.rank()
        )));
    }
    let mut out = Steps {
        view: tensor.alias(),
        indices: Vec::new(),
    };
    let mut dim = 0usize;
    for part in &parts {
        if part.is_instance_of::<PyEllipsis>() {
            dim += tensor.rank() - used;
        } else if part.is_none() {
            out.view = out.view.unsqueeze(dim as i64).map_err(errors::fault)?;
            dim += 1;
        } else if part.is_instance_of::<PyBool>() {
            out.view = out.view.unsqueeze(dim as i64).map_err(errors::fault)?;
            let flag = Tensor::scalar(
                rushlight::Scalar::Bool(part.extract()?),
                rushlight::DType::Bool,
            );
            push_index(&mut out, dim, flag.unsqueeze(0).map_err(errors::fault)?);
            dim += 1;
        } else if let Ok(slice) = part.cast::<PySlice>() {
            out.view = sliced(&out.view, dim, slice)?;
            dim += 1;
        } else if part.is_instance_of::<PyInt>() {
            out.view = selected(&out.view, dim, part.extract()?)?;
        } else if let Ok(index) = part.cast::<PyTensor>() {
            let index = index.get().0.clone();
            if index.rank() == 0 && index.dtype().is_integral(false) {
                let at = index.item().map_err(errors::fault)?.to_i64();
                out.view = selected(&out.view, dim, at)?;
                continue;
            }
            let width = consumed(part).max(1);
            push_index(&mut out, dim, index);
            dim += width;
        } else if part.is_instance_of::<PyList>() || part.is_instance_of::<PyTuple>() {
            let index = crate::literal::build(part, None)?;
            let index = if index.numel() == 0 {
                index.to_dtype(rushlight::DType::I64)
            } else {
                index
            };
            let width = if index.dtype() == rushlight::DType::Bool {
                index.rank()
            } else {
                1
            };
            push_index(&mut out, dim, index);
            dim += width;
        } else if let Ok(at) = part.extract::<i64>() {
            out.view = selected(&out.view, dim, at)?;
        } else {
            return Err(PyIndexError::new_err(
                "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got ".to_string()
                    + &crate::convert::type_name(part)
                    + ")",
            ));
        }
    }
    Ok(out)
}

fn push_index(out: &mut Steps, dim: usize, index: Tensor) {
    while out.indices.len() < dim {
        out.indices.push(None);
    }
    out.indices.push(Some(index));
}

fn selected(view: &Tensor, dim: usize, at: i64) -> PyResult<Tensor> {
    let size = view.sizes().get(dim).copied().unwrap_or(0) as i64;
    if dim >= view.rank() {
        return Err(PyIndexError::new_err(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to a number",
        ));
    }
    if at < -size || at >= size {
        return Err(PyIndexError::new_err(format!(
            "index {at} is out of bounds for dimension {dim} with size {size}"
        )));
    }
    view.select(dim as i64, at).map_err(errors::fault)
}

fn sliced(view: &Tensor, dim: usize, slice: &Bound<'_, PySlice>) -> PyResult<Tensor> {
    let bound = |name: &str| -> PyResult<Option<i64>> {
        let value = slice.getattr(name)?;
        if value.is_none() {
            Ok(None)
        } else {
            value.extract().map(Some)
        }
    };
    let step = bound("step")?.unwrap_or(1);
    if step <= 0 {
        return Err(PyValueError::new_err("step must be greater than zero"));
    }
    view.slice(dim as i64, bound("start")?, bound("stop")?, step)
        .map_err(errors::fault)
}

fn index_list(indices: Vec<Option<Tensor>>) -> Value {
    let items = indices
        .into_iter()
        .map(|i| i.map_or(Value::None, Value::Tensor))
        .collect();
    Value::List(Arc::new(GenericList::new(
        Type::optional(Type::TENSOR),
        items,
    )))
}

/// `tensor[key]`.
pub fn get(py: Python<'_>, tensor: &Tensor, key: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    let steps = steps(tensor, key)?;
    if steps.indices.is_empty() {
        return Ok(steps.view);
    }
    let result = call_values(
        py,
        "aten::index.Tensor",
        vec![Value::Tensor(steps.view), index_list(steps.indices)],
    )?;
    result.as_tensor().cloned().map_err(errors::fault)
}

/// `tensor[key] = value`.
pub fn set(
    py: Python<'_>,
    tensor: &Tensor,
    key: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let steps = steps(tensor, key)?;
    let value = match infer(value)? {
        Value::Tensor(t) => t,
        number @ (Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Complex(_)) => {
            Tensor::scalar(number.as_scalar().map_err(errors::fault)?, tensor.dtype())
        }
        _ => match crate::literal::build(value, Some(tensor.dtype())) {
            Ok(t) => t,
            Err(_) => {
                return Err(PyTypeError::new_err(format!(
                    "can't assign a {} to a torch.{}Tensor",
                    crate::convert::type_name(value),
                    tensor.dtype().class_name()
                )));
            }
        },
    };
    if steps.indices.is_empty() {
        return steps.view.copy_from(&value).map_err(errors::fault);
    }
    let arguments = vec![
        Value::Tensor(steps.view),
        index_list(steps.indices),
        Value::Tensor(value),
        Value::Bool(false),
    ];
    call_values(py, "aten::index_put_", arguments).map(drop)
}
