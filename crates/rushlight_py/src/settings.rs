//! What a program sets for all calls: seeds, threads, gradients, the default dtype and device, how tensors print.

use crate::default_device;
use crate::objects::{DTypeObject, DeviceObject, GeneratorObject, dtype_object, seed_of};
use crate::state::context;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyInt;
use rushlight::Device;
use rushlight::tensor::{PrintOptions, threads};
use rushlight::types::determinism::{self, Determinism};
use std::sync::{Mutex, OnceLock};

/// Restarts the default random stream.
#[pyfunction]
pub fn manual_seed(seed: &Bound<'_, PyAny>) -> PyResult<GeneratorObject> {
    let number = seed.py().get_type::<PyInt>().call1((seed,))?;
    context().manual_seed(seed_of(&number)?);
    Ok(default_generator())
}

/// How many threads one operator may use.
#[pyfunction]
pub fn get_num_threads() -> usize {
    threads::count()
}

/// Sets how many threads one operator may use.
#[pyfunction]
pub fn set_num_threads(count: usize) {
    threads::set_count(count);
}

/// The seed the default random stream was started from.
#[pyfunction]
pub fn initial_seed() -> u64 {
    context().initial_seed()
}

/// The default random stream.
#[pyfunction]
pub fn default_generator() -> GeneratorObject {
    GeneratorObject(context().generator().clone())
}

/// Turns recording of gradients on or off; returns the state before.
#[pyfunction]
pub fn set_grad_enabled(on: bool) -> bool {
    context().set_grad_enabled(on)
}

/// Turns inference mode on or off; returns the state before.
#[pyfunction]
pub fn set_inference_mode(on: bool) -> bool {
    context().set_inference_mode(on)
}

/// Whether inference mode is on.
#[pyfunction]
pub fn is_inference_mode() -> bool {
    context().inference_mode()
}

/// Whether gradients are recorded.
#[pyfunction]
pub fn is_grad_enabled() -> bool {
    context().grad_enabled()
}

/// Sets the dtype of floats without one.
#[pyfunction]
pub fn set_default_dtype(dtype: &Bound<'_, PyAny>) -> PyResult<()> {
    let refuse = |text| Err(PyTypeError::new_err(text));
    match dtype.extract::<DTypeObject>() {
        Err(_) => refuse(
            "invalid dtype object: only floating-point types are supported as the default type",
        ),
        Ok(dtype) if !dtype.0.is_float() => {
            refuse("only floating-point types are supported as the default type")
        }
        Ok(dtype) if dtype.0.is_eight() => Err(PyTypeError::new_err(format!(
            "couldn't find storage object {}Storage",
            dtype.0.class_name()
        ))),
        Ok(dtype) => {
            context().set_default_dtype(dtype.0);
            Ok(())
        }
    }
}

/// The dtype of floats without one.
#[pyfunction]
pub fn get_default_dtype(py: Python<'_>) -> PyResult<Py<DTypeObject>> {
    dtype_object(py, context().default_dtype())
}

fn print_options() -> &'static Mutex<PrintOptions> {
    static OPTIONS: OnceLock<Mutex<PrintOptions>> = OnceLock::new();
    OPTIONS.get_or_init(Mutex::default)
}

/// How tensors print.
pub fn printing() -> PrintOptions {
    print_options()
        .lock()
        .map_or_else(|_| PrintOptions::default(), |o| o.clone())
}

/// Sets how tensors print; absent settings stay.
#[pyfunction]
#[pyo3(signature = (precision=None, threshold=None, edgeitems=None, linewidth=None, sci_mode=None, keep_sci_mode=false))]
pub fn set_print_options(
    precision: Option<usize>,
    threshold: Option<f64>,
    edgeitems: Option<usize>,
    linewidth: Option<usize>,
    sci_mode: Option<bool>,
    keep_sci_mode: bool,
) {
    if let Ok(mut options) = print_options().lock() {
        options.precision = precision.unwrap_or(options.precision);
        options.threshold = threshold.unwrap_or(options.threshold);
        options.edgeitems = edgeitems.unwrap_or(options.edgeitems);
        options.linewidth = linewidth.unwrap_or(options.linewidth);
        if !keep_sci_mode {
            options.sci_mode = sci_mode;
        }
    }
}

/// Sets the device of this thread's new tensors.
#[pyfunction]
#[pyo3(signature = (device))]
pub fn set_default_device(device: Option<DeviceObject>) -> PyResult<()> {
    default_device::set(device.map(|device| device.0))
}

/// The device of new tensors.
#[pyfunction]
pub fn get_default_device() -> DeviceObject {
    DeviceObject(default_device::current().unwrap_or(Device::CPU))
}

/// Says what becomes of operators that do not promise the same results in every run: 0, 1 or 2, as the reference counts.
#[pyfunction]
pub fn set_determinism(mode: u8) {
    determinism::want(match mode {
        0 => Determinism::Free,
        1 => Determinism::Warned,
        _ => Determinism::Required,
    });
}

/// What was said.
#[pyfunction]
pub fn determinism_mode() -> u8 {
    determinism::wanted() as u8
}

/// Says whether memory of no content in particular is filled where the same results are wanted.
#[pyfunction]
pub fn set_fills_memory(on: bool) {
    determinism::set_fills(on);
}

/// Whether it is.
#[pyfunction]
pub fn fills_memory() -> bool {
    determinism::fills()
}
