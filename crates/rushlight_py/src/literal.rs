//! `torch.tensor(data)`: nested sequences of numbers, and arrays.

use crate::convert::shown_type;
use crate::identity::{PyTensor, tensor_of};
use crate::objects::{DeviceObject, dtype_of};
use crate::trace::{adoption, recording};
use crate::{dispatching, errors, operator, state};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use rushlight::tensor::promote::promote_types;
use rushlight::tensor::{Complex64, DType, Fault, Scalar};
use rushlight::types::warning::Notice;
use rushlight::{Device, Tensor};
use std::ffi::CString;

/// Says how a tensor should be copied that is given to `function`, which makes new ones of data.
fn warn_of_copy(py: Python<'_>, function: &str) -> PyResult<()> {
    let category = py.get_type::<pyo3::exceptions::PyUserWarning>();
    let message = format!(
        "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or sourceTensor.detach().clone().requires_grad_(True), rather than {function}(sourceTensor)."
    );
    PyErr::warn(py, &category, &CString::new(message)?, 1)
}

/// `torch.tensor(data, *, dtype=None, device=None, requires_grad=False)`.
#[pyfunction]
#[pyo3(name = "tensor", signature = (*given, data=None, dtype=None, device=None, requires_grad=None, pin_memory=None, **others))]
pub fn called_tensor<'py>(
    given: &Bound<'py, PyTuple>,
    data: Option<&Bound<'py, PyAny>>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: Option<&Bound<'_, PyAny>>,
    pin_memory: Option<&Bound<'_, PyAny>>,
    others: Option<&Bound<'_, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let data = match (given.len(), data) {
        (0, Some(data)) => data.clone(),
        (0, None) => {
            return Err(PyTypeError::new_err(
                "tensor() missing 1 required positional arguments: \"data\"",
            ));
        }
        (1, None) => given.get_item(0)?,
        (1, Some(_)) => {
            return Err(PyTypeError::new_err(
                "tensor() got multiple values for argument 'data'",
            ));
        }
        (many, _) => {
            return Err(PyTypeError::new_err(format!(
                "tensor() takes 1 positional argument but {many} were given"
            )));
        }
    };
    if let Some(name) = others.and_then(|others| others.keys().iter().next()) {
        return Err(PyTypeError::new_err(format!(
            "tensor() got an unexpected keyword argument '{name}'"
        )));
    }
    let requires_grad = truth("requires_grad", requires_grad)?;
    recording::warn(data.py(), "tensor")?;
    tensor(
        "torch.tensor",
        &data,
        dtype,
        device,
        requires_grad,
        truth("pin_memory", pin_memory)?,
    )
}

/// A truth value of `tensor`, false unless given.
fn truth(name: &str, given: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
    given.map_or(Ok(false), |given| {
        given.extract().map_err(|_| not_fit(name, "bool", given))
    })
}

fn not_fit(name: &str, wanted: &str, given: &Bound<'_, PyAny>) -> PyErr {
    let given = shown_type(given);
    PyTypeError::new_err(format!(
        "tensor(): argument '{name}' must be {wanted}, not {given}"
    ))
}

/// The data as a new tensor, by a function of this name; what a trace says of `torch.tensor` is the caller's.
pub fn tensor<'py>(
    function: &str,
    data: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    device: Option<&Bound<'_, PyAny>>,
    requires_grad: bool,
    pin_memory: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let _ = pin_memory;
    let device = device_of_new(device)?;
    let given = dtype;
    let dtype = wanted("tensor", given)?;
    if data.is_instance_of::<PyTensor>() {
        warn_of_copy(data.py(), function)?;
    }
    // What only Python knows the elements of.
    if crate::own_kind::is_own(data) {
        let copy = data.call_method0("detach")?.call_method0("clone")?;
        let copy = match given {
            Some(dtype) => copy.call_method1("to", (dtype.clone().unbind(),))?,
            None => copy,
        };
        if requires_grad {
            copy.call_method0("requires_grad_")?;
        }
        return Ok(copy);
    }
    let out = match data.cast::<PyTensor>() {
        // The copy of a tensor stays part of the trace.
        Ok(original) if recording::is_on() => adoption::adopt(tensor_of(original), true)?,
        _ if recording::is_on() && crate::convert::is_array(data) => {
            let array = build(data, None)?;
            let dtype = dtype.unwrap_or(array.dtype());
            adoption::adopt_array(array, dtype)?
        }
        _ => adoption::adopt(build(data, dtype)?, false)?,
    };
    let out = match device == Device::META {
        true => out.to_meta().map_err(errors::fault)?,
        false => out,
    };
    if requires_grad && !out.dtype().is_float() && !out.dtype().is_complex() {
        return Err(pyo3::exceptions::PyRuntimeError::new_err(
            "Only Tensors of floating point and complex dtype can require gradients",
        ));
    }
    out.set_requires_grad(requires_grad);
    let mut new = rushlight::Value::Tensor(out);
    if dispatching::is_on() {
        new = operator::call_values(data.py(), "aten::lift_fresh", vec![new])?;
    }
    operator::give(data.py(), new)
}

/// `torch.as_tensor` and its kin while a trace is recorded; `told` is what is said to be lost, if anything is.
#[pyfunction]
#[pyo3(signature = (data, dtype, told=None))]
pub fn traced_as_tensor<'py>(
    data: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    told: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    use pyo3::IntoPyObjectExt;
    let dtype = wanted("as_tensor", dtype)?;
    if let Some(told) = told {
        recording::warn(data.py(), told)?;
    }
    let given = match data.cast::<PyTensor>() {
        Ok(tensor) => tensor_of(tensor),
        Err(_) if crate::convert::is_array(data) => adoption::of_array(build(data, None)?)?,
        Err(_) => build(data, dtype)?,
    };
    let wanted = dtype.unwrap_or(given.dtype());
    PyTensor::new(adoption::moved(given, wanted, false)?).into_bound_py_any(data.py())
}

/// Where a new tensor is to be: on the CPU or the `meta` device, for there are no others.
fn device_of_new(device: Option<&Bound<'_, PyAny>>) -> PyResult<Device> {
    let device = match device {
        None => return Ok(crate::default_device::current().unwrap_or(Device::CPU)),
        Some(object) => match object.extract::<DeviceObject>() {
            Ok(device) => device.0,
            Err(_) => {
                let name = object.extract::<String>();
                let name = name.map_err(|_| not_fit("device", "torch.device", object))?;
                Device::parse(&name).map_err(errors::fault)?
            }
        },
    };
    if device != Device::META {
        device.check_available().map_err(errors::fault)?;
    }
    Ok(device)
}

/// The dtype that an argument names.
fn wanted(function: &str, dtype: Option<&Bound<'_, PyAny>>) -> PyResult<Option<DType>> {
    let Some(object) = dtype else {
        return Ok(None);
    };
    dtype_of(object).map(Some).ok_or_else(|| {
        PyTypeError::new_err(format!(
            "{function}(): argument 'dtype' must be torch.dtype, not {}",
            shown_type(object)
        ))
    })
}

/// A new tensor of the data.
pub fn build(data: &Bound<'_, PyAny>, dtype: Option<DType>) -> PyResult<Tensor> {
    if let Ok(tensor) = data.cast::<PyTensor>() {
        let copy = tensor.get().0.deep_copy();
        return Ok(dtype.map_or(copy.clone(), |d| copy.to_dtype(d)));
    }
    let sequence = data.is_instance_of::<PyList>() || data.is_instance_of::<PyTuple>();
    if !sequence && data.hasattr("__array_interface__")? {
        let view = crate::tensor::arrays::from_array(data)?.0.clone();
        return Ok(match dtype {
            Some(d) if d != view.dtype() => view.to_dtype(d),
            _ => view.deep_copy(),
        });
    }
    if data.is_instance_of::<PyBytes>() || data.is_instance_of::<PyString>() {
        return Err(invalid_data(data));
    }
    let mut sizes = Vec::new();
    measure(data, &mut sizes)?;
    let mut values = Leaves::default();
    if !sizes.contains(&0)
        && let Err(fault) = flatten(data, &sizes, 0, dtype, &mut values)
    {
        if dtype.is_some() {
            return Err(fault);
        }
        // What the dtype would be comes first: a leaf that has none is refused as such.
        let mut leaves = Vec::new();
        gather(data, &mut leaves)?;
        values = Leaves::default();
        flatten(data, &sizes, 0, Some(infer(&leaves)), &mut values)?;
        return Err(fault);
    }
    if let Some(dtype) = dtype
        && !dtype.is_complex()
        && dtype != DType::Bool
        && values
            .numbers
            .iter()
            .any(|v| matches!(v, Scalar::Complex(_)))
    {
        return Err(PyTypeError::new_err(match dtype.is_integral(true) {
            true => "'complex' object cannot be interpreted as an integer",
            false => "must be real number, not complex",
        }));
    }
    let own = dtype.or_else(|| values.have_dtypes.then(|| element_dtype(data, 0))?);
    let dtype = own.unwrap_or_else(|| infer(&values.numbers));
    pack(&values.numbers, &sizes, dtype)
}

/// The numbers of the data, in order.
#[derive(Default)]
struct Leaves {
    numbers: Vec<Scalar>,
    /// Whether one of them may be a tensor or a number of NumPy, which has a dtype of its own.
    have_dtypes: bool,
}

/// The dtype that all elements of a sequence of sequences have in common, where numbers of Python have the ones they are given
/// alone; None where something is neither a number nor has a dtype.
fn element_dtype(data: &Bound<'_, PyAny>, depth: usize) -> Option<DType> {
    if depth > 64 {
        return None;
    }
    if data.is_instance_of::<PyList>() || data.is_instance_of::<PyTuple>() {
        let mut dtypes = data
            .try_iter()
            .ok()?
            .map(|item| element_dtype(&item.ok()?, depth + 1));
        let first = dtypes.next()??;
        return dtypes.try_fold(first, |all, one| Some(promote_types(all, one?)));
    }
    if let Ok(tensor) = data.cast::<PyTensor>() {
        return Some(tensor.get().0.dtype());
    }
    if is_plain_number(data) {
        return scalar(data, None).ok().map(|number| infer(&[number]));
    }
    let is_own = data.get_type().module().is_ok_and(|m| m == "numpy");
    is_own.then(|| crate::tensor::arrays::array_dtype(data))?
}

/// Whether it is a number of Python itself, not of a class made from one.
fn is_plain_number(data: &Bound<'_, PyAny>) -> bool {
    data.is_exact_instance_of::<PyFloat>()
        || data.is_exact_instance_of::<PyInt>()
        || data.is_exact_instance_of::<PyBool>()
        || data.is_exact_instance_of::<PyComplex>()
}

fn items<'py>(data: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    if let Ok(list) = data.cast::<PyList>() {
        return Some(list.iter().collect());
    }
    if let Ok(tuple) = data.cast::<PyTuple>() {
        return Some(tuple.iter().collect());
    }
    let other_sequence = !data.is_instance_of::<PyString>()
        && !data.is_instance_of::<PyDict>()
        && data.cast::<PyTensor>().is_err()
        && data.hasattr("__len__").unwrap_or(false)
        && data.hasattr("__getitem__").unwrap_or(false)
        && data.try_iter().is_ok();
    if other_sequence {
        return data.try_iter().ok()?.collect::<PyResult<Vec<_>>>().ok();
    }
    None
}

fn measure(data: &Bound<'_, PyAny>, sizes: &mut Vec<usize>) -> PyResult<()> {
    if sizes.len() > 64 {
        return Err(PyValueError::new_err("too many dimensions"));
    }
    // The first letter of a text is a text again.
    if !sizes.is_empty() && data.is_instance_of::<PyString>() {
        return Err(PyValueError::new_err("too many dimensions 'str'"));
    }
    if let Some(items) = items(data) {
        sizes.push(items.len());
        if let Some(first) = items.first() {
            return measure(first, sizes);
        }
    }
    Ok(())
}

static LIST_OF_ARRAYS: Notice = Notice::new(
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a single numpy.ndarray with numpy.array() before converting to a tensor.",
);

/// The numbers in the data, in order. With a dtype, what is no number is refused as something that cannot become one of it.
fn flatten(
    data: &Bound<'_, PyAny>,
    sizes: &[usize],
    depth: usize,
    dtype: Option<DType>,
    out: &mut Leaves,
) -> PyResult<()> {
    if depth == sizes.len() {
        out.numbers.push(scalar(data, dtype)?);
        out.have_dtypes |= !is_plain_number(data);
        return Ok(());
    }
    if let Ok(tensor) = data.cast::<PyTensor>()
        && tensor.get().0.sizes() == &sizes[depth..]
    {
        let tensor = tensor.get().0.contiguous();
        let rows = tensor.numel() as i64;
        let row = tensor.reshape(&[rows]).map_err(errors::fault)?;
        for place in 0..rows {
            let item = row.select(0, place).and_then(|one| one.item());
            out.numbers.push(item.map_err(errors::fault)?);
        }
        out.have_dtypes = true;
        return Ok(());
    }
    let Some(items) = items(data) else {
        let lone = data.is_instance_of::<PyString>() || data.cast::<PyTensor>().is_ok();
        return Err(match lone {
            true => no_number(data, dtype),
            false => PyTypeError::new_err("not a sequence"),
        });
    };
    if depth > 0 && crate::convert::is_array(data) {
        LIST_OF_ARRAYS
            .give(state::context())
            .map_err(errors::fault)?;
    }
    if items.len() != sizes[depth] {
        return Err(PyValueError::new_err(format!(
            "expected sequence of length {} at dim {depth} (got {})",
            sizes[depth],
            items.len()
        )));
    }
    items
        .iter()
        .try_for_each(|item| flatten(item, sizes, depth + 1, dtype, out))
}

/// All leaves, however deep each is: those that the dtype is inferred from.
fn gather(data: &Bound<'_, PyAny>, out: &mut Vec<Scalar>) -> PyResult<()> {
    if let Ok(tensor) = data.cast::<PyTensor>() {
        out.push(
            Tensor::zeros(&[], tensor.get().0.dtype())
                .and_then(|zero| zero.item())
                .map_err(errors::fault)?,
        );
        return Ok(());
    }
    if data.is_instance_of::<PyBytes>() {
        return Err(invalid_data(data));
    }
    match items(data) {
        Some(items) => items.iter().try_for_each(|item| gather(item, out)),
        None => {
            out.push(scalar(data, None)?);
            Ok(())
        }
    }
}

/// The refusal of text where a number belongs.
fn invalid_data(data: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!(
        "new(): invalid data type '{}'",
        crate::convert::type_name(data)
    ))
}

/// The refusal of what is no number, as one of a dtype where that is known.
fn no_number(data: &Bound<'_, PyAny>, dtype: Option<DType>) -> PyErr {
    if data.cast::<PyTensor>().is_ok() {
        return match dtype.is_some_and(|d| d.is_integral(false)) {
            true => PyTypeError::new_err(
                "only integer tensors of a single element can be converted to an index",
            ),
            false => {
                PyValueError::new_err("only one element tensors can be converted to Python scalars")
            }
        };
    }
    match dtype {
        Some(d) if d.is_integral(false) => PyTypeError::new_err(format!(
            "'{}' object cannot be interpreted as an integer",
            shown_type(data)
        )),
        Some(d) if d.is_float() => {
            PyTypeError::new_err(format!("must be real number, not {}", shown_type(data)))
        }
        _ if data.is_instance_of::<PyString>() => invalid_data(data),
        _ => could_not_infer(data),
    }
}

fn scalar(data: &Bound<'_, PyAny>, dtype: Option<DType>) -> PyResult<Scalar> {
    if data.is_instance_of::<PyBool>() {
        return data.extract().map(Scalar::Bool);
    }
    if data.is_instance_of::<PyInt>() {
        if let Ok(number) = data.extract() {
            return Ok(Scalar::Int(number));
        }
        if dtype == Some(DType::U64)
            && let Ok(number) = data.extract::<u64>()
        {
            // The bits of what only that type holds.
            return Ok(Scalar::Int(number as i64));
        }
        return match dtype.is_some_and(|d| d.is_float()) {
            true => data.extract().map(Scalar::Float),
            false => Err(PyValueError::new_err("Overflow when unpacking long long")),
        };
    }
    if data.is_instance_of::<PyFloat>() {
        return data.extract().map(Scalar::Float);
    }
    if data.is_instance_of::<PyComplex>() {
        let part = |name: &str| data.getattr(name)?.extract::<f64>();
        return Ok(Scalar::Complex(Complex64::new(
            part("real")?,
            part("imag")?,
        )));
    }
    if let Ok(tensor) = data.cast::<PyTensor>() {
        let tensor = &tensor.get().0;
        let integral = tensor.dtype().is_integral(true);
        if tensor.numel() != 1 || !integral && dtype.is_some_and(|d| d.is_integral(false)) {
            return Err(no_number(data, dtype));
        }
        return tensor.item().map_err(errors::fault);
    }
    if data.is_instance_of::<PyString>() {
        return Err(no_number(data, dtype));
    }
    if let Ok(i) = data
        .call_method0("__index__")
        .and_then(|i| i.extract::<i64>())
    {
        return Ok(Scalar::Int(i));
    }
    data.call_method0("__float__")
        .and_then(|f| f.extract::<f64>())
        .map(Scalar::Float)
        .map_err(|_| no_number(data, dtype))
}

fn could_not_infer(data: &Bound<'_, PyAny>) -> PyErr {
    pyo3::exceptions::PyRuntimeError::new_err(format!(
        "Could not infer dtype of {}",
        shown_type(data)
    ))
}

fn infer(values: &[Scalar]) -> DType {
    let default = state::context().default_dtype();
    let mut out = None;
    for value in values {
        let rank = |d: DType| match d {
            DType::Bool => 0,
            DType::I64 => 1,
            d if d.is_complex() => 3,
            _ => 2,
        };
        let dtype = value.dtype(default);
        if out.is_none_or(|o| rank(dtype) > rank(o)) {
            out = Some(dtype);
        }
    }
    out.unwrap_or(default)
}

/// Whether a number becomes an element of an integral dtype. Negative integers wrap into those without a sign.
fn fits(value: Scalar, dtype: DType) -> bool {
    let bits = 8 * dtype.size() as i32;
    let (low, high) = match dtype.is_signed() {
        true => (-(2f64.powi(bits - 1)), 2f64.powi(bits - 1)),
        false => (0.0, 2f64.powi(bits)),
    };
    match value {
        Scalar::Int(v) if dtype.is_signed() => low <= v as f64 && (bits == 64 || (v as f64) < high),
        Scalar::Int(v) => bits == 64 || (v as f64).abs() < high,
        Scalar::Float(v) => low <= v && v < high,
        Scalar::Bool(_) | Scalar::Complex(_) => true,
    }
}

fn pack(values: &[Scalar], sizes: &[usize], dtype: DType) -> PyResult<Tensor> {
    if dtype.is_eight() {
        return Ok(pack(values, sizes, DType::F32)?.to_dtype(dtype));
    }
    if dtype.is_integral(false) && !values.iter().all(|v| fits(*v, dtype)) {
        return Err(errors::fault(Fault::runtime(format!(
            "value cannot be converted to type {} without overflow",
            dtype.name()
        ))));
    }
    rushlight::tensor::dispatch!(dtype, All, T => {
        let data: Vec<T> = values.iter().map(|v| <T as rushlight::tensor::Element>::from_scalar(*v)).collect();
        Tensor::from_vec(data, sizes).map_err(errors::fault)
    })
}
