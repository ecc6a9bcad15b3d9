//! Tensors and the arrays of other libraries, over the same memory; elements as lists.

use super::array_struct;
use crate::convert::to_python;
use crate::errors;
use crate::identity::PyTensor;
use crate::operator::call_values;
use crate::trace::recording;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use rushlight::tensor::{DType, Element, Layout, Scalar, Storage};
use rushlight::{Tensor, Value};
use std::ptr::NonNull;

#[pymethods]
impl PyTensor {
    /// The memory as a DLPack capsule, which another library takes over.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<Bound<'py, PyAny>>,
        max_version: Option<Bound<'py, PyAny>>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // There are no streams in main memory, and every library takes the unversioned form.
        let _ = (stream, max_version);
        if dl_device.is_some_and(|device| device != self.__dlpack_device__()) {
            return Err(pyo3::exceptions::PyBufferError::new_err(
                "tensors live in main memory; they can go to no other device",
            ));
        }
        match copy {
            Some(true) => crate::dlpack::to_dlpack(py, &PyTensor::new(self.0.deep_copy())),
            _ => crate::dlpack::to_dlpack(py, self),
        }
    }

    /// Main memory, as DLPack numbers devices.
    fn __dlpack_device__(&self) -> (i32, i32) {
        (1, 0)
    }

    #[pyo3(signature = (*, force=false))]
    fn numpy<'py>(slf: &Bound<'py, Self>, force: bool) -> PyResult<Bound<'py, PyAny>> {
        let is_recorded = slf.get().0.requires_grad() && crate::state::context().grad_enabled();
        if is_recorded && !force {
            return Err(pyo3::exceptions::PyRuntimeError::new_err(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
            ));
        }
        recording::warn(slf.py(), "array")?;
        let is_marked = slf.get().0.is_conjugated() || slf.get().0.is_negated();
        if force && is_marked {
            let plain = slf.call_method0("resolve_conj")?;
            let plain = plain.call_method0("resolve_neg")?.cast_into::<Self>()?;
            return array_struct::array_of(described(slf.py(), &plain.get().0)?);
        }
        array_struct::array_of(described(slf.py(), &slf.get().0)?)
    }

    fn tolist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        recording::warn(py, "list")?;
        if self.0.is_meta() {
            return Err(pyo3::exceptions::PyNotImplementedError::new_err(
                "Cannot copy out of meta tensor; no data!",
            ));
        }
        if recording::is_on() {
            let list = Value::Tensor(self.0.clone());
            let list = call_values(py, "aten::resolve_conj", vec![list])?;
            call_values(py, "aten::resolve_neg", vec![list])?;
        }
        if self.0.dtype().is_quantized() {
            return Err(pyo3::exceptions::PyRuntimeError::new_err(
                "load_scalar: invalid type",
            ));
        }
        if self.0.dtype().is_eight() {
            return PyTensor::new(self.0.to_dtype(DType::F32)).tolist(py);
        }
        let (sizes, dtype) = (self.0.sizes(), self.0.dtype());
        rushlight::tensor::dispatch!(dtype, All, T => nested_list(py, &self.0.data::<T>(), sizes, dtype))
    }
}

/// The memory of a tensor as NumPy wants it described; writing there writes the tensor.
fn described<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    let refused = |bit: &str, how: &str| {
        Err(pyo3::exceptions::PyRuntimeError::new_err(format!(
            "Can't call numpy() on Tensor that has {bit} bit set. Use tensor.{how}().numpy() instead."
        )))
    };
    if tensor.is_meta() {
        return Err(PyTypeError::new_err(
            "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.",
        ));
    }
    if tensor.is_conjugated() {
        return refused("conjugate", "resolve_conj");
    }
    if tensor.is_negated() {
        return refused("negative", "resolve_neg");
    }
    array_struct::described(py, tensor)?.ok_or_else(|| {
        let name = tensor.dtype().class_name();
        PyTypeError::new_err(format!("Got unsupported ScalarType {name}"))
    })
}

/// A number as its dtype has it: those of 64 bits without a sign go through ints with one.
pub(super) fn without_sign<'py>(
    number: Bound<'py, PyAny>,
    dtype: DType,
) -> PyResult<Bound<'py, PyAny>> {
    if dtype != DType::U64 {
        return Ok(number);
    }
    let bits: i64 = number.extract()?;
    (bits as u64).into_bound_py_any(number.py())
}

fn nested_list<'py, T: Element>(
    py: Python<'py>,
    values: &[T],
    sizes: &[usize],
    dtype: DType,
) -> PyResult<Bound<'py, PyAny>> {
    let Some((first, rest)) = sizes.split_first() else {
        return without_sign(number(py, values[0].to_scalar())?, dtype);
    };
    let step: usize = rest.iter().product();
    let items = (0..*first)
        .map(|i| nested_list(py, &values[i * step..(i + 1) * step], rest, dtype))
        .collect::<PyResult<Vec<_>>>()?;
    Ok(PyList::new(py, items)?.into_any())
}

fn number(py: Python<'_>, number: Scalar) -> PyResult<Bound<'_, PyAny>> {
    match number {
        Scalar::Bool(b) => b.into_bound_py_any(py),
        Scalar::Int(i) => i.into_bound_py_any(py),
        Scalar::Float(f) => f.into_bound_py_any(py),
        Scalar::Complex(c) => to_python(py, &Value::complex(c)),
    }
}

/// Dtypes as NumPy spells them.
pub(super) const TYPE_STRINGS: &[(DType, &str)] = &[
    (DType::Bool, "|b1"),
    (DType::U8, "|u1"),
    (DType::I8, "|i1"),
    (DType::I16, "<i2"),
    (DType::I32, "<i4"),
    (DType::I64, "<i8"),
    (DType::F16, "<f2"),
    (DType::F32, "<f4"),
    (DType::F64, "<f8"),
    (DType::U16, "<u2"),
    (DType::U32, "<u4"),
    (DType::U64, "<u8"),
    (DType::C64, "<c8"),
    (DType::C128, "<c16"),
];

/// The dtype of an array or of one of its scalars.
pub fn array_dtype(array: &Bound<'_, PyAny>) -> Option<DType> {
    let kind: String = array
        .getattr("dtype")
        .ok()?
        .getattr("str")
        .ok()?
        .extract()
        .ok()?;
    let found = TYPE_STRINGS.iter().find(|(_, s)| *s == kind);
    found.map(|(dtype, _)| *dtype)
}

/// A tensor over the memory of an object with `__array_interface__`, without a copy.
#[pyfunction]
pub fn from_array(array: &Bound<'_, PyAny>) -> PyResult<PyTensor> {
    let interface = array.getattr("__array_interface__")?;
    let get = |key: &str| interface.get_item(key);
    let kind: String = get("typestr")?.extract()?;
    if kind.starts_with(if cfg!(target_endian = "little") {
        '>'
    } else {
        '<'
    }) {
        return Err(pyo3::exceptions::PyValueError::new_err(
            "given numpy array has byte order different from the native byte order. Conversion between byte orders is currently not supported.",
        ));
    }
    let dtype = TYPE_STRINGS
        .iter()
        .find(|(_, s)| *s == kind)
        .map(|(d, _)| *d)
        .ok_or_else(|| {
            let name = array.getattr("dtype").and_then(|d| d.getattr("type"));
            let name = name.and_then(|t| t.getattr("__name__")).map_or(kind, |n| n.to_string());
            PyTypeError::new_err(format!(
                "can't convert np.ndarray of type numpy.{name}. The only supported types are: float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool."
            ))
        })?;
    let sizes: Vec<usize> = get("shape")?.extract()?;
    let (address, _readonly): (usize, bool) = get("data")?.extract()?;
    let strides: Vec<isize> = match interface.get_item("strides") {
        Ok(strides) if !strides.is_none() => strides.extract()?,
        _ => rushlight::tensor::layout::contiguous_strides(&sizes)
            .iter()
            .map(|s| (s * dtype.size()) as isize)
            .collect(),
    };
    let mut elements = Vec::new();
    for stride in strides {
        if stride < 0 {
            return Err(pyo3::exceptions::PyValueError::new_err(
                "At least one stride in the given numpy array is negative, and tensors with negative strides are not currently supported. (You can probably work around this by making a copy of your array  with array.copy().) ",
            ));
        }
        if !(stride as usize).is_multiple_of(dtype.size()) {
            return Err(pyo3::exceptions::PyValueError::new_err(
                "given numpy array strides not a multiple of the element byte size. Copy the numpy array to reallocate the memory.",
            ));
        }
        elements.push(stride as usize / dtype.size());
    }
    let layout = Layout::strided(&sizes, &elements, 0);
    let length = layout.end().unwrap_or(0) * dtype.size();
    let pointer = NonNull::new(address as *mut u8).unwrap_or(NonNull::dangling());
    // The description is kept, too: that of a scalar of NumPy speaks of memory that only the description holds.
    let owners = (array.clone().unbind(), interface.unbind());
    // SAFETY: the array's own description says that this memory is its, and the storage keeps both alive.
    let storage = unsafe { Storage::foreign(pointer, length, Box::new(owners)) };
    storage.expose();
    Tensor::view_of(&storage, dtype, layout)
        .map(PyTensor::new)
        .map_err(errors::fault)
}
