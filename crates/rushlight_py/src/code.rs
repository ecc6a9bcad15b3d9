//! The printed code of functions in Python.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rushlight::Value;
use rushlight::ir::Function;
use std::sync::Arc;

/// The source that archives would hold for a function.
pub fn code(function: &Arc<Function>) -> PyResult<String> {
    code_with_constants(function).map(|(text, _)| text)
}

/// The source of a function, and the values that it calls `CONSTANTS.c0`, `CONSTANTS.c1`, ...
pub fn code_with_constants(function: &Arc<Function>) -> PyResult<(String, Vec<Value>)> {
    rushlight::archive::code::function_code(function)
        .map_err(|error| PyRuntimeError::new_err(error.to_string()))
}
