//! The printed code of functions in Python.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rushlight::Value;
use rushlight::ir::Function;
use std::sync::Arc;

/// The source that archives would hold for a function.
pub fn code(function: &Arc<Function>) -> PyResult<String> {
    code_with_constants(function).map(|(text, _)| text)
}

/// The source of a function, and the values that it calls `CONSTANTS.c0`, `CONSTANTS.c1`, ...
fn code_with_constants(function: &Arc<Function>) -> PyResult<(String, Vec<Value>)> {
    rushlight::archive::code::function_code(function)
        .map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// The code of a function, and a dictionary of its constants.
pub fn code_and_constants<'py>(
    py: Python<'py>,
    function: &Arc<Function>,
) -> PyResult<(String, Bound<'py, PyAny>)> {
    let (text, constants) = code_with_constants(function)?;
    let named = PyDict::new(py);
    for (i, value) in constants.iter().enumerate() {
        named.set_item(format!("c{i}"), crate::convert::to_python(py, value)?)?;
    }
    Ok((text, named.into_any()))
}
