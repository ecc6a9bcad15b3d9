//! Whether a trace is being recorded, by what, and where its calls are said to come from: what those ask who call operators.

use crate::identity::PyTensor;
use crate::{errors, registry, state};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rushlight::Tensor;
use rushlight::frontend::trace::{Recorder, Stash};
use rushlight::types::Layer;
use std::cell::Cell;
use std::sync::{Arc, Mutex};

/// The recorder of the trace that is going on.
static CURRENT: Mutex<Option<Arc<Recorder>>> = Mutex::new(None);

thread_local! {
    /// Where a call is said to come from that Python code of the reference makes.
    static ORIGIN: Cell<Option<(&'static str, u32)>> = const { Cell::new(None) };
}

/// Makes a recorder the one that calls go to.
pub fn begin(recorder: Arc<Recorder>) -> PyResult<()> {
    let mut current = CURRENT
        .lock()
        .map_err(|_| PyRuntimeError::new_err("the tracer is in disorder"))?;
    if current.is_some() {
        return Err(PyRuntimeError::new_err("Tracing can't be nested"));
    }
    *current = Some(recorder);
    Ok(())
}

/// Lets go of the recorder.
pub fn end() {
    if let Ok(mut current) = CURRENT.lock() {
        *current = None;
    }
}

/// The place in the reference's library that a call is said to come from.
pub fn origin() -> Option<(&'static str, u32)> {
    ORIGIN.get()
}

/// Whether operator calls are being recorded.
#[inline]
pub fn is_on() -> bool {
    state::context().layers() & Layer::Trace as u8 != 0
}

/// The recorder, while calls are being recorded.
pub fn current() -> Option<Arc<Recorder>> {
    if !is_on() {
        return None;
    }
    CURRENT.lock().ok()?.clone()
}

/// Whether operator calls are being recorded.
#[pyfunction]
pub fn is_tracing() -> bool {
    is_on()
}

/// Runs something whose operator calls are not recorded.
pub fn paused<R>(run: impl FnOnce() -> R) -> R {
    let context = state::context();
    let on = is_on();
    context.set_layer(Layer::Trace, false);
    let result = run();
    context.set_layer(Layer::Trace, on);
    result
}

/// Runs something whose operator calls are said to come from a place in the reference's library.
pub fn from_library<R>(file: &'static str, line: u32, run: impl FnOnce() -> R) -> R {
    let before = ORIGIN.replace(Some((file, line)));
    let result = run();
    ORIGIN.set(before);
    result
}

/// Operators that the reference calls from Python code of its own: traces show no variable and no line of the program.
const FROM_LIBRARY: &[(&str, &str, u32)] = &[
    ("aten::split.sizes", "torch/_tensor.py", 1071),
    ("aten::split", "torch/_tensor.py", 1069),
    ("aten::einsum", "torch/functional.py", 372),
    ("aten::norm", "torch/functional.py", 1866),
    ("aten::cdist", "torch/functional.py", 1535),
    ("aten::meshgrid", "torch/functional.py", 504),
    ("aten::_unique2", "torch/functional.py", 973),
    ("aten::tensordot", "torch/functional.py", 1407),
    ("aten::broadcast_tensors", "torch/functional.py", 76),
    ("aten::stft", "torch/functional.py", 730),
    ("aten::istft", "torch/_tensor.py", 986),
    ("aten::cartesian_prod", "torch/functional.py", 1451),
    ("aten::block_diag", "torch/functional.py", 1485),
    ("aten::atleast_1d", "torch/functional.py", 1580),
    ("aten::atleast_2d", "torch/functional.py", 1620),
    ("aten::atleast_3d", "torch/functional.py", 1660),
    ("aten::chain_matmul", "torch/functional.py", 1930),
    ("aten::pow_", "torch/_tensor.py", 39),
];

/// Calls whose numbers the reference's own Python code makes plain: traces have constants there.
const PLAIN_NUMBERS: &[&str] = &["aten::split.Tensor"];

/// Says which arguments of a call are traced numbers, those that stay so.
pub fn stash_for(py: Python<'_>, operator: &str, stashed: Vec<Stash>) -> PyResult<()> {
    if !PLAIN_NUMBERS.contains(&operator) {
        stash(stashed);
    } else if !stashed.is_empty() {
        warn(py, "integer")?;
        stash(Vec::new());
    }
    Ok(())
}

/// Runs the recorded call of an operator that the reference makes from where [`FROM_LIBRARY`] says.
pub fn calling<R>(operator: &str, run: impl FnOnce() -> R) -> R {
    let base = operator.split('.').next().unwrap_or(operator);
    let found = |(name, ..): &&(&str, &str, u32)| *name == operator || *name == base;
    match FROM_LIBRARY.iter().find(found) {
        Some((_, file, line)) => from_library(file, *line, run),
        None => run(),
    }
}

/// Says which arguments of the next operator call are traced numbers.
pub fn stash(stashed: Vec<Stash>) {
    if let Some(recorder) = current() {
        recorder.stash(stashed);
    }
}

/// Warns that the trace loses something; `what` is the name of the text in `jit/_trace.py`.
pub fn warn(py: Python<'_>, what: &str) -> PyResult<()> {
    if is_on() {
        registry::registered(py, "tracer_warning")?.call1((what,))?;
    }
    Ok(())
}

/// Warns of something that a trace loses; for functions written in Python.
#[pyfunction]
pub fn tracer_warning(py: Python<'_>, what: &str) -> PyResult<()> {
    warn(py, what)
}

/// The size of a tensor as a traced number.
pub fn size<'py>(
    py: Python<'py>,
    recorder: &Recorder,
    tensor: &Tensor,
    dim: i64,
) -> PyResult<Bound<'py, PyAny>> {
    let number = recorder.size(tensor, dim).map_err(errors::fault)?;
    PyTensor::new(number).into_bound_py_any(py)
}
