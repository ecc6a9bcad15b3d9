//! Elements of tensors as bytes, records of archives and what archives of functions leave out, for Python's own pickles.

use crate::convert::argument::PyArgument;
use crate::errors;
use crate::handles::ScriptFunction;
use crate::identity::PyTensor;
use crate::objects::DTypeObject;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction, PyDict, PyTuple};
use rushlight::Tensor;
use rushlight::archive::bytes::Bytes;
use rushlight::archive::zip::{Archive, Limits, Writer};
use rushlight::runtime::invoke::{HostArgument, Refusal};
use rushlight::tensor::{DType, Layout, Storage};
use rushlight::types::Callable;

/// The elements of a tensor in order.
#[pyfunction]
pub fn tensor_bytes<'py>(py: Python<'py>, tensor: &PyTensor) -> PyResult<Bound<'py, PyBytes>> {
    let dense = tensor.0.resolved().contiguous();
    let size = dense.dtype().size();
    let layout = Layout::strided(
        &[dense.numel() * size],
        &[1],
        dense.layout().offset() * size,
    );
    let bytes = Tensor::view_of(&dense.storage(), DType::U8, layout).map_err(errors::fault)?;
    Ok(PyBytes::new(py, &bytes.to_vec::<u8>()))
}

/// A tensor from its elements in order.
#[pyfunction]
pub fn tensor_from_bytes(data: &[u8], dtype: DTypeObject, sizes: Vec<usize>) -> PyResult<PyTensor> {
    let dtype = dtype.0;
    let layout = Layout::contiguous(&sizes);
    if layout.end().and_then(|n| n.checked_mul(dtype.size())) != Some(data.len()) {
        return Err(PyValueError::new_err("the bytes do not fit the sizes"));
    }
    let storage = if dtype == DType::Bool {
        let truths: Vec<u8> = data.iter().map(|b| (*b != 0) as u8).collect();
        Storage::copy_of(&truths)
    } else {
        Storage::copy_of(data)
    };
    Tensor::view_of(&storage, dtype, layout)
        .map(PyTensor::new)
        .map_err(errors::fault)
}

/// A copy of a tensor over a copy of its whole storage, which tensors over the same storage share: `memo` keeps them.
pub fn deep_copy(tensor: &Tensor, memo: Option<&Bound<'_, PyAny>>) -> PyResult<Tensor> {
    let Some(memo) = memo.filter(|_| tensor.quantizer().is_none() && tensor.marks().is_none())
    else {
        return Ok(tensor.deep_copy());
    };
    let storage = tensor.storage();
    let key = ("storage", storage.as_ptr() as usize);
    let known = memo.call_method1("get", (key,))?;
    let copied = match known.cast::<PyTensor>() {
        Ok(copied) => copied.get().0.storage(),
        Err(_) => {
            let layout = Layout::contiguous(&[storage.len()]);
            let bytes = Tensor::view_of(&storage, DType::U8, layout).map_err(errors::fault)?;
            let copied = bytes.deep_copy();
            memo.set_item(key, PyTensor::new(copied.clone()))?;
            copied.storage()
        }
    };
    Tensor::view_of(&copied, tensor.dtype(), tensor.layout().clone()).map_err(errors::fault)
}

/// The identity of a tensor's storage, how many of its elements fit in it, how many bytes it has, and a function that
/// gives them.
#[pyfunction]
pub fn storage_of<'py>(
    py: Python<'py>,
    tensor: &PyTensor,
) -> PyResult<(usize, usize, usize, Bound<'py, PyCFunction>)> {
    let storage = tensor.0.storage();
    let size = storage.seen();
    let count = size / tensor.0.dtype().size();
    let id = storage.as_ptr() as usize;
    let bytes =
        move |args: &Bound<'_, PyTuple>, _: Option<&Bound<'_, PyDict>>| -> PyResult<Py<PyBytes>> {
            let layout = Layout::contiguous(&[storage.seen()]);
            let whole = Tensor::view_of(&storage, DType::U8, layout).map_err(errors::fault)?;
            Ok(PyBytes::new(args.py(), &whole.to_vec::<u8>()).unbind())
        };
    let bytes = PyCFunction::new_closure(py, None, None, bytes)?;
    Ok((id, count, size, bytes))
}

/// A function that says where a tensor's storage is and how many bytes it has, after giving it as many as it is told.
#[pyfunction]
pub fn storage_size<'py>(py: Python<'py>, tensor: &PyTensor) -> PyResult<Bound<'py, PyCFunction>> {
    let storage = tensor.0.storage();
    let ask = move |args: &Bound<'_, PyTuple>,
                    _: Option<&Bound<'_, PyDict>>|
          -> PyResult<(usize, usize)> {
        if let Ok(bytes) = args.get_item(0) {
            storage.resize(bytes.extract()?).map_err(errors::fault)?;
        }
        Ok((storage.as_ptr() as usize, storage.seen()))
    };
    PyCFunction::new_closure(py, None, None, ask)
}

/// A zip archive of records in one folder, laid out as PyTorch lays out its own.
#[pyfunction]
pub fn write_archive<'py>(
    py: Python<'py>,
    folder: &str,
    records: Vec<(String, Bound<'py, PyBytes>)>,
) -> PyResult<Bound<'py, PyBytes>> {
    let failed =
        |error: rushlight::archive::zip::AddError| PyRuntimeError::new_err(error.to_string());
    let mut zip = Writer::new(folder);
    for (name, bytes) in &records {
        zip.add_stored(name, bytes.as_bytes()).map_err(failed)?;
    }
    let id = zip.serialization_id();
    zip.add_stored(".data/serialization_id", id.as_bytes())
        .map_err(failed)?;
    Ok(PyBytes::new(py, &zip.finish()))
}

/// The records of a zip archive, by name without the folder.
#[pyfunction]
pub fn read_archive<'py>(py: Python<'py>, data: &[u8]) -> PyResult<Bound<'py, PyDict>> {
    let failed = |error: rushlight::archive::zip::ArchiveError| {
        let refused = PyRuntimeError::new_err(crate::load_errors::no_archive());
        crate::load_errors::noted(py, refused, &error.to_string())
    };
    let archive = Archive::open(Bytes::from(data.to_vec()), &Limits::default()).map_err(failed)?;
    let records = PyDict::new(py);
    let names: Vec<String> = archive.names().map(str::to_string).collect();
    for name in names {
        let record = archive.read(&name).map_err(failed)?;
        records.set_item(&name, PyBytes::new(py, &record))?;
    }
    Ok(records)
}

/// Gives the schema of a function what archives of functions do not keep: its own name, and the defaults of arguments. Raises
/// ValueError where the function has no such argument, or one of another type.
#[pyfunction]
pub fn restore_schema(
    function: &ScriptFunction,
    defaults: Vec<(String, Bound<'_, PyAny>)>,
) -> PyResult<()> {
    let function = function
        .function()
        .ok_or_else(|| PyValueError::new_err("only a compiled function can have defaults"))?;
    let mut schema = (*function.schema()).clone();
    schema.name = function.basename().into();
    for (name, value) in defaults {
        let argument = schema
            .arguments
            .iter_mut()
            .find(|argument| *argument.name == *name)
            .ok_or_else(|| PyValueError::new_err(format!("no argument is called '{name}'")))?;
        let cast = PyArgument(value).cast(&argument.ty);
        argument.default = Some(cast.map_err(|refusal| match refusal {
            Refusal::Whole(fault) => errors::fault(fault),
            Refusal::Note(note) => PyValueError::new_err(format!(
                "the default of '{name}' should be {}. {note}",
                argument.ty
            )),
        })?);
    }
    function.set_schema(schema);
    Ok(())
}

/// What a file is, in words, and what to do with it.
#[pyfunction]
pub fn describe_file(data: &[u8]) -> String {
    let kind = rushlight::archive::identify::identify(&Bytes::from(data.to_vec()));
    format!("The file is {}. {}", kind.describe(), kind.advice())
}
