//! Archives of modules from files and from memory, and what scripts may do with files.

use crate::handles::ScriptObject;
use crate::objects::DTypeObject;
use crate::{load_errors, registry, state};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rushlight::types::Files;
use rushlight::{Device, LoadFailure, Target};
use std::sync::Arc;

fn loaded<'py>(
    py: Python<'py>,
    result: Result<rushlight::Module, LoadFailure>,
    size: usize,
    in_memory: bool,
    target: &Target,
) -> PyResult<(Bound<'py, PyAny>, String)> {
    let module = result.map_err(|e| match e.cause() {
        LoadFailure::Io(error) => match error.kind() {
            std::io::ErrorKind::NotFound => {
                PyValueError::new_err(format!("The provided filename does not exist: {error}"))
            }
            _ => PyOSError::new_err(error.to_string()),
        },
        LoadFailure::Load(error) => load_errors::refusal(py, error, size, in_memory),
        LoadFailure::File(..) => PyRuntimeError::new_err(e.to_string()),
    })?;
    let changes = module.retarget(target).to_string();
    let inner = module.loaded();
    let object = ScriptObject {
        object: inner.root.clone(),
        unit: inner.unit.clone(),
        extra: Arc::new(inner.extra.clone()),
    }
    .into_bound_py_any(py)?;
    let module = match registry::registered(py, "wrap_object") {
        Ok(wrap) => wrap.call1((object, true))?,
        Err(_) => object,
    };
    Ok((module, changes))
}

/// What a module is to be made for; `None` leaves it as it is.
fn target(device: Option<&str>, dtype: Option<DTypeObject>) -> PyResult<Target> {
    let device = match device {
        None => None,
        Some(name) => Some(
            Device::parse(name).map_err(|e| PyRuntimeError::new_err(e.message().to_string()))?,
        ),
    };
    Ok(Target {
        device,
        dtype: dtype.map(|dtype| dtype.0),
    })
}

/// Loads an archive from a file, for a device and in a precision if these are given; with the module comes what was
/// changed for their sake. A file that is trusted to stay as it is is mapped, others are read.
#[pyfunction]
#[pyo3(signature = (path, device=None, dtype=None, trusted=false))]
pub fn load_file<'py>(
    py: Python<'py>,
    path: &str,
    device: Option<&str>,
    dtype: Option<DTypeObject>,
    trusted: bool,
) -> PyResult<(Bound<'py, PyAny>, String)> {
    let target = target(device, dtype)?;
    let bytes = rushlight::archive::bytes::Bytes::open(path.as_ref(), trusted);
    let size = bytes.as_ref().map_or(0, |bytes| bytes.len());
    let result = bytes
        .map_err(LoadFailure::Io)
        .and_then(|bytes| rushlight::load_bytes(bytes, state::context().clone()));
    loaded(py, result, size, false, &target)
}

/// As [`load_file`], from memory.
#[pyfunction]
#[pyo3(signature = (buffer, device=None, dtype=None))]
pub fn load_buffer<'py>(
    py: Python<'py>,
    buffer: &[u8],
    device: Option<&str>,
    dtype: Option<DTypeObject>,
) -> PyResult<(Bound<'py, PyAny>, String)> {
    let target = target(device, dtype)?;
    let bytes = rushlight::archive::bytes::Bytes::from(buffer.to_vec());
    let result = rushlight::load_bytes(bytes, state::context().clone());
    loaded(py, result, buffer.len(), true, &target)
}

/// Lets scripts read and write files below a folder; `None` takes that back.
#[pyfunction]
#[pyo3(signature = (folder))]
pub fn allow_files(folder: Option<std::path::PathBuf>) {
    let files = folder.map(|folder| Arc::new(rushlight::Folder::new(folder)) as Arc<dyn Files>);
    state::context().allow_files(files);
}

/// Writes a file, which is replaced only when everything has been written.
#[pyfunction]
pub fn write_file(path: std::path::PathBuf, bytes: &[u8]) -> PyResult<()> {
    rushlight::write_file(&path, bytes).map_err(|error| {
        PyRuntimeError::new_err(format!("{} cannot be written: {error}", path.display()))
    })
}
