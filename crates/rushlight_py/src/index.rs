//! Eager indexing: `x[0, 1:, None, mask]`. While somebody records, every step is a call of its operator.

use crate::convert::{array_scalar, infer, is_array};
use crate::identity::{PyTensor, tensor_of};
use crate::operator::call_values;
use crate::trace::{adoption, recording};
use crate::{errors, profiler, state};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyBytes, PyEllipsis, PyInt, PyList, PyRange, PySequence, PySlice, PyString, PyTuple,
};
use rushlight::frontend::trace::Stash;
use rushlight::tensor::memory;
use rushlight::tensor::promote::check_number;
use rushlight::types::{GenericList, Type};
use rushlight::{Tensor, Value};
use std::sync::Arc;

/// The view that ints, slices, None and `...` make, and the index tensors left over.
struct Steps {
    view: Tensor,
    indices: Vec<Option<Tensor>>,
    /// How many dimensions of the view masks take beyond one: a mask has one place among the indices.
    folded: usize,
}

impl Steps {
    /// Adds an index tensor that stands for dimensions of the view from one on, `width` of them.
    fn push_index(&mut self, dim: usize, width: usize, index: Tensor) {
        self.indices.resize(dim - self.folded, None);
        self.indices.push(Some(index));
        self.folded += width - 1;
    }
}

/// Whether every step is a call of its operator, which somebody sees: a tracer, a profile, or the gradient engine, which
/// knows views of what requires gradients also while none are recorded.
fn by_operators(tensor: &Tensor) -> bool {
    recording::is_on()
        || profiler::is_on()
        || tensor.requires_grad()
        // Views may have other channels, which operators look at.
        || tensor.quantizer().is_some()
}

/// Runs what may be left by a failed allocation or a refused view, which becomes its error.
fn polite<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    memory::catching(|| Ok(work())).map_err(errors::fault)?
}

fn parts<'py>(key: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let parts: Vec<Bound<'py, PyAny>> = if let Ok(tuple) = key.cast::<PyTuple>() {
        tuple.iter().collect()
    } else if let Ok(list) = key.cast::<PyList>()
        && stands_for_tuple(list)
    {
        warn_of_list(key.py())?;
        list.iter().collect()
    } else if let Ok(text) = key.cast::<PyString>()
        && !text.is_empty()?
    {
        // A text is a sequence of texts, none of which is an index.
        warn_of_list(key.py())?;
        text.try_iter()?.collect::<PyResult<_>>()?
    } else {
        vec![key.clone()]
    };
    parts.into_iter().map(array_as_tensor).collect()
}

/// A `range` as the list of its numbers.
fn range_as_list<'py>(part: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if !part.is_instance_of::<PyRange>() {
        return Ok(None);
    }
    let numbers = part.try_iter()?.collect::<PyResult<Vec<_>>>()?;
    Ok(Some(PyList::new(part.py(), numbers)?.into_any()))
}

/// Whether a list of indices is meant as a tuple, as old programs write it: a short one with anything but numbers in it.
fn stands_for_tuple(list: &Bound<'_, PyList>) -> bool {
    const SHORT: usize = 32;
    let is_index = |part: Bound<'_, PyAny>| {
        part.is_none()
            || part.is_instance_of::<PyEllipsis>()
            || part.is_instance_of::<PySlice>()
            || part.is_instance_of::<PyTensor>()
            || is_array(&part)
            || part.cast::<PySequence>().is_ok()
    };
    list.len() < SHORT && list.iter().any(is_index)
}

fn warn_of_list(py: Python<'_>) -> PyResult<()> {
    let category = py.get_type::<PyUserWarning>();
    let message = c"Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], which will result either in an error or a different result";
    PyErr::warn(py, &category, message, 1)
}

/// A NumPy array as the index tensor that it stands for, a `range` as a list: what is neither a mask nor whole numbers becomes the latter.
fn array_as_tensor(part: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    if !is_array(&part) {
        return Ok(range_as_list(&part)?.unwrap_or(part));
    }
    let index = adoption::of_array(crate::literal::build(&part, None)?)?;
    let index = match index.dtype() {
        rushlight::DType::Bool | rushlight::DType::U8 | rushlight::DType::I64 => index,
        _ => index.to_dtype(rushlight::DType::I64),
    };
    PyTensor::new(index_from_program(index)?).into_bound_py_any(part.py())
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
    if tensor.rank() == 0 && key.is_instance_of::<PySlice>() {
        return Err(PyIndexError::new_err(
            "slice() cannot be applied to a 0-dim tensor.",
        ));
    }
    if tensor.rank() == 0 && key.is_instance_of::<PyInt>() && !key.is_instance_of::<PyBool>() {
        return Err(PyIndexError::new_err(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to a number",
        ));
    }
    let parts = parts(key)?;
    let used: usize = parts.iter().map(consumed).sum();
    if used > tensor.rank() {
        return Err(PyIndexError::new_err(format!(
            "too many indices for tensor of dimension {}",
            tensor.rank()
        )));
    }
    let mut out = Steps {
        view: if by_operators(tensor) {
            tensor.clone()
        } else {
            tensor.alias()
        },
        indices: Vec::new(),
        folded: 0,
    };
    let mut dim = 0usize;
    for (place, part) in parts.iter().enumerate() {
        if part.is_instance_of::<PyEllipsis>() {
            dim += tensor.rank() - used;
        } else if part.is_none() {
            out.view = unsqueezed(&out.view, dim)?;
            dim += 1;
        } else if part.is_instance_of::<PyBool>() {
            out.view = unsqueezed(&out.view, dim)?;
            let flag = Tensor::scalar(
                rushlight::Scalar::Bool(part.extract()?),
                rushlight::DType::Bool,
            );
            out.push_index(dim, 1, flag.unsqueeze(0).map_err(errors::fault)?);
            dim += 1;
        } else if let Ok(slice) = part.cast::<PySlice>() {
            let leaves_out = !key.is_instance_of::<PySlice>() && is_whole(&out.view, dim, slice);
            if !leaves_out {
                out.view = sliced(&out.view, dim, slice)?;
            }
            dim += 1;
        } else if part.is_instance_of::<PyInt>() {
            let at = part
                .extract()
                .map_err(|_| PyValueError::new_err("Overflow when unpacking long long"))?;
            out.view = selected(&out.view, dim, at, place)?;
        } else if let Ok(index) = part.cast::<PyTensor>() {
            let index = tensor_of(index);
            if index.rank() == 0 && index.dtype().is_integral(false) {
                let at = index.item().map_err(errors::fault)?.to_i64();
                recording::stash(vec![Stash {
                    argument: 2,
                    element: None,
                    tensor: index,
                }]);
                out.view = selected(&out.view, dim, at, place)?;
                continue;
            }
            if index.rank() == 0 && index.dtype() == rushlight::DType::Bool {
                // One flag chooses all or nothing, in a dimension of its own.
                out.view = unsqueezed(&out.view, dim)?;
                out.push_index(dim, 1, index.unsqueeze(0).map_err(errors::fault)?);
                dim += 1;
                continue;
            }
            let width = consumed(part).max(1);
            out.push_index(dim, width, index);
            dim += width;
        } else if part.is_instance_of::<PyList>() || part.is_instance_of::<PyTuple>() {
            let index = crate::literal::build(part, None)?;
            // A list of other numbers chooses by their whole parts, as one without elements does.
            let index = if index.numel() == 0 || !index.dtype().is_integral(true) {
                index.to_dtype(rushlight::DType::I64)
            } else {
                index
            };
            let index = index_from_program(index)?;
            let width = if index.dtype() == rushlight::DType::Bool {
                index.rank()
            } else {
                1
            };
            out.push_index(dim, width, index);
            dim += width;
        } else if let Ok(at) = part.extract::<i64>() {
            out.view = selected(&out.view, dim, at, place)?;
        } else if part.is_instance_of::<PyString>() || part.is_instance_of::<PyBytes>() {
            return Err(PyTypeError::new_err(format!(
                "new(): invalid data type '{}'",
                crate::convert::shown_type(part)
            )));
        } else {
            return Err(PyIndexError::new_err(
                "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got ".to_string()
                    + &crate::convert::shown_type(part)
                    + ")",
            ));
        }
    }
    Ok(out)
}

/// The part at a place of a dimension; `place` is that of the index among all, which messages name.
fn selected(view: &Tensor, dim: usize, at: i64, place: usize) -> PyResult<Tensor> {
    let size = view.sizes().get(dim).copied().unwrap_or(0) as i64;
    if dim >= view.rank() {
        return Err(PyIndexError::new_err(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to a number",
        ));
    }
    if at < -size || at >= size {
        return Err(PyIndexError::new_err(format!(
            "index {at} is out of bounds for dimension {place} with size {size}"
        )));
    }
    if by_operators(view) {
        let arguments = vec![view.clone().into(), Value::Int(dim as i64), Value::Int(at)];
        return traced("aten::select.int", arguments);
    }
    view.select(dim as i64, at).map_err(errors::fault)
}

fn unsqueezed(view: &Tensor, dim: usize) -> PyResult<Tensor> {
    if by_operators(view) {
        let arguments = vec![view.clone().into(), Value::Int(dim as i64)];
        return traced("aten::unsqueeze", arguments);
    }
    view.unsqueeze(dim as i64).map_err(errors::fault)
}

/// A view by the call of its operator, which the trace records.
fn traced(operator: &str, arguments: Vec<Value>) -> PyResult<Tensor> {
    let result = Python::attach(|py| call_values(py, operator, arguments))?;
    result.as_tensor().cloned().map_err(errors::fault)
}

/// A part of a slice, and the traced number that it is.
fn slice_part(slice: &Bound<'_, PySlice>, name: &str) -> PyResult<(Option<i64>, Option<Tensor>)> {
    let value = slice.getattr(name)?;
    if value.is_none() {
        return Ok((None, None));
    }
    let tensor = value.cast::<PyTensor>().ok().map(|t| tensor_of(t));
    Ok((Some(value.extract().map_err(|_| no_bound(&value))?), tensor))
}

fn no_bound(value: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(match value.is_instance_of::<PyTensor>() {
        true => "only integer tensors of a single element can be converted to an index",
        false => "slice indices must be integers or None or have an __index__ method",
    })
}

/// Whether a slice among several parts of an index takes a whole dimension, so that nothing is called for it.
fn is_whole(view: &Tensor, dim: usize, slice: &Bound<'_, PySlice>) -> bool {
    if recording::is_on() || !by_operators(view) {
        return false;
    }
    // What is no bound is refused by the slice.
    let part = |name: &str, default: i64| Some(bound(slice, name).ok()?.unwrap_or(default));
    let size = view.sizes().get(dim).map_or(i64::MAX, |n| *n as i64);
    part("start", 0) == Some(0)
        && part("step", 1) == Some(1)
        && part("stop", i64::MAX).is_some_and(|stop| stop >= size)
}

/// A bound of a slice, or its step; none where it is left out.
fn bound(slice: &Bound<'_, PySlice>, name: &str) -> PyResult<Option<i64>> {
    let value = slice.getattr(name)?;
    if value.is_none() {
        return Ok(None);
    }
    value.extract().map(Some).map_err(|_| no_bound(&value))
}

fn traced_slice(view: &Tensor, dim: usize, slice: &Bound<'_, PySlice>) -> PyResult<Tensor> {
    let parts = [("start", 0), ("stop", i64::MAX), ("step", 1)];
    let mut arguments = vec![view.clone().into(), Value::Int(dim as i64)];
    let mut stashed = Vec::new();
    for (name, default) in parts {
        let (number, tensor) = slice_part(slice, name)?;
        if let Some(tensor) = tensor {
            stashed.push(Stash {
                argument: arguments.len(),
                element: None,
                tensor,
            });
        }
        arguments.push(Value::Int(number.unwrap_or(default)));
    }
    recording::stash(stashed);
    traced("aten::slice.Tensor", arguments)
}

fn sliced(view: &Tensor, dim: usize, slice: &Bound<'_, PySlice>) -> PyResult<Tensor> {
    let bound = |name: &str| bound(slice, name);
    let step = bound("step")?.unwrap_or(1);
    if step <= 0 {
        let message = match step {
            0 => "slice step cannot be zero",
            _ => "step must be greater than zero",
        };
        return Err(PyValueError::new_err(message));
    }
    if by_operators(view) {
        return traced_slice(view, dim, slice);
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

/// Index tensors as the reference puts them on the device of the tensor, which a trace shows for those that it makes.
fn index_from_program(index: Tensor) -> PyResult<Tensor> {
    if !recording::is_on() {
        return Ok(index);
    }
    let dtype = index.dtype();
    adoption::moved(index, dtype, false)
}

/// What is assigned, without dimensions of one element before all others.
fn without_leading_ones(py: Python<'_>, source: Tensor) -> PyResult<Tensor> {
    let ones = source.sizes().iter().take_while(|&&n| n == 1).count();
    if ones == 0 {
        return Ok(source);
    }
    let rest = source.sizes()[ones..].iter().map(|&n| Value::Int(n as i64));
    let sizes = Value::list(&Type::Int, rest.collect()).map_err(errors::fault)?;
    let viewed = call_values(py, "aten::view", vec![source.into(), sizes])?;
    viewed.as_tensor().cloned().map_err(errors::fault)
}

/// What is assigned to a view, in the view's shape.
fn fitted(py: Python<'_>, source: Tensor, view: &Tensor) -> PyResult<Tensor> {
    if source.sizes() == view.sizes() {
        return Ok(source);
    }
    let source = without_leading_ones(py, source)?;
    if source.sizes() == view.sizes() {
        return Ok(source);
    }
    let sizes = view.sizes().iter().map(|&n| Value::Int(n as i64));
    let sizes = Value::list(&Type::Int, sizes.collect()).map_err(errors::fault)?;
    let arguments = vec![source.into(), sizes, Value::Bool(false)];
    let expanded = call_values(py, "aten::expand", arguments)?;
    expanded.as_tensor().cloned().map_err(errors::fault)
}

/// `tensor[key] = value` while a trace is recorded; false where the plain way serves.
fn set_traced(py: Python<'_>, steps: &Steps, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let number = match infer(value) {
        Ok(number @ (Value::Int(_) | Value::Float(_) | Value::Bool(_))) => Some(number),
        _ => None,
    };
    let view = Value::Tensor(steps.view.clone());
    match (number, steps.indices.as_slice()) {
        (Some(number), []) => {
            call_values(py, "aten::fill_.Scalar", vec![view, number])?;
        }
        (Some(number), [before @ .., Some(index)]) if before.iter().all(Option::is_none) => {
            return fill(py, &steps.view, before.len(), index, number);
        }
        (None, []) if value.cast::<PyTensor>().is_ok() => {
            let source = tensor_of(value.cast::<PyTensor>()?);
            if source.rank() == 0 && steps.view.rank() > 0 {
                call_values(py, "aten::fill_.Tensor", vec![view, source.into()])?;
            } else {
                let source = fitted(py, source, &steps.view)?;
                let arguments = vec![view, source.into(), Value::Bool(false)];
                call_values(py, "aten::copy_", arguments)?;
            }
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Fills what a single index tensor chooses in a dimension, or a mask from there on; false where the plain way serves.
fn fill(
    py: Python<'_>,
    view: &Tensor,
    dim: usize,
    index: &Tensor,
    number: Value,
) -> PyResult<bool> {
    let end = dim + index.rank();
    if index.dtype() == rushlight::DType::Bool {
        if view.sizes().get(dim..end) != Some(index.sizes()) {
            return Ok(false);
        }
        let mut mask = index.clone();
        for _ in end..view.rank() {
            mask = unsqueezed(&mask, mask.rank())?;
        }
        let arguments = vec![view.clone().into(), mask.into(), number];
        call_values(py, "aten::masked_fill_.Scalar", arguments)?;
        return Ok(true);
    }
    let is_filled = index.dtype() == rushlight::DType::I64 && index.rank() > 0;
    if !is_filled || dim >= view.rank() {
        return Ok(false);
    }
    let index = match index.rank() {
        1 => index.clone(),
        _ => traced("aten::view", vec![index.clone().into(), vec![-1i64].into()])?,
    };
    let arguments = vec![
        view.clone().into(),
        Value::Int(dim as i64),
        index.into(),
        number,
    ];
    call_values(py, "aten::index_fill_.int_Scalar", arguments)?;
    Ok(true)
}

/// `tensor[key]`.
pub fn get(py: Python<'_>, tensor: &Tensor, key: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    polite(|| get_by(py, tensor, key))
}

fn get_by(py: Python<'_>, tensor: &Tensor, key: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    let steps = steps(tensor, key)?;
    if steps.indices.is_empty() {
        if steps.view.is(tensor) {
            return traced("aten::alias", vec![tensor.clone().into()]);
        }
        if !by_operators(tensor) && state::context().grad_enabled() {
            rushlight::autograd::declare_view(&steps.view, tensor);
        }
        return Ok(steps.view);
    }
    let result = call_values(
        py,
        "aten::index.Tensor",
        vec![Value::Tensor(steps.view), index_list(steps.indices)],
    )?;
    result.as_tensor().cloned().map_err(errors::fault)
}

/// Of what NumPy makes, only whole numbers and those that are Python's own can be assigned.
fn check_value(tensor: &Tensor, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let refused = is_array(value)
        || array_scalar(value).is_some_and(|number| !matches!(number, Value::Int(_)));
    if !refused {
        return Ok(());
    }
    Err(PyTypeError::new_err(format!(
        "can't assign a {} to a torch.{}Tensor",
        crate::convert::shown_type(value),
        tensor.dtype().class_name()
    )))
}

/// `tensor[key] = value`.
pub fn set(
    py: Python<'_>,
    tensor: &Tensor,
    key: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
) -> PyResult<()> {
    polite(|| set_by(py, tensor, key, value))
}

/// Whether a key is `False`, so that nothing is written and nothing is asked of the value.
fn chooses_nothing(key: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(key.is_instance_of::<PyBool>() && !key.is_truthy()?)
}

fn is_number_or_tensor(value: &Bound<'_, PyAny>) -> bool {
    let known = infer(value);
    known.is_ok_and(|value| matches!(value, Value::Tensor(_)) || value.as_scalar().is_ok())
}

fn set_by(
    py: Python<'_>,
    tensor: &Tensor,
    key: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
) -> PyResult<()> {
    check_value(tensor, value)?;
    let steps = steps(tensor, key)?;
    if chooses_nothing(key)? && is_number_or_tensor(value) {
        return Ok(());
    }
    let brings_gradients = state::context().grad_enabled()
        && value
            .cast::<PyTensor>()
            .is_ok_and(|t| t.get().0.requires_grad());
    if brings_gradients && !by_operators(tensor) {
        rushlight::autograd::declare_view(&steps.view, tensor);
    }
    if (brings_gradients || by_operators(tensor)) && set_traced(py, &steps, value)? {
        return Ok(());
    }
    let value = match infer(value).or_else(|error| array_scalar(value).ok_or(error))? {
        Value::Tensor(t) => t,
        number @ (Value::Int(_) | Value::Float(_) | Value::Bool(_) | Value::Complex(_)) => {
            let number = number.as_scalar().map_err(errors::fault)?;
            // A single element of a small float becomes infinite.
            let is_small = matches!(
                tensor.dtype(),
                rushlight::DType::F16 | rushlight::DType::BF16
            );
            if !(is_small && steps.indices.is_empty() && steps.view.rank() == 0) {
                check_number(number, tensor.dtype()).map_err(errors::fault)?;
            }
            Tensor::scalar(number, tensor.dtype())
        }
        _ => {
            // Of what is no number itself, only what NumPy takes for one.
            let sequence = value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>();
            let built = match sequence {
                true => None,
                false => crate::literal::build(value, Some(tensor.dtype())).ok(),
            };
            built.ok_or_else(|| {
                PyTypeError::new_err(format!(
                    "can't assign a {} to a torch.{}Tensor",
                    crate::convert::shown_type(value),
                    tensor.dtype().class_name()
                ))
            })?
        }
    };
    if steps.indices.is_empty() {
        let (from, to) = (value.rank(), steps.view.rank());
        let value = if from > to {
            without_leading_ones(py, value)?
        } else {
            value
        };
        let sizes: Vec<i64> = steps.view.sizes().iter().map(|n| *n as i64).collect();
        let value = value.expand(&sizes).map_err(errors::fault)?;
        if value.numel() > 1 && to > 0 && from > 0 {
            rushlight::tensor::iter::check_writable(&steps.view).map_err(errors::fault)?;
        }
        return steps.view.copy_from(&value).map_err(errors::fault);
    }
    let value = without_leading_ones(py, value)?;
    let arguments = vec![
        Value::Tensor(steps.view),
        index_list(steps.indices),
        Value::Tensor(value),
        Value::Bool(false),
    ];
    call_values(py, "aten::index_put_", arguments).map(drop)
}
