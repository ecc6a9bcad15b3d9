//! Python objects that the extension needs by name: the package tells it of them when it is imported.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

fn registry() -> &'static Mutex<HashMap<String, Py<PyAny>>> {
    static REGISTRY: OnceLock<Mutex<HashMap<String, Py<PyAny>>>> = OnceLock::new();
    REGISTRY.get_or_init(Mutex::default)
}

static SIZE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
static BATCHED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Tells the extension about a Python object that it needs by name: the `Size` class, the `Error` class, ...
#[pyfunction]
pub fn register(name: &str, object: &Bound<'_, PyAny>) {
    let known = match name {
        "Size" => Some(&SIZE),
        "Batched" => Some(&BATCHED),
        _ => None,
    };
    if let Some(place) = known {
        place.get_or_init(object.py(), || object.clone().unbind());
    } else if let Ok(mut registry) = registry().lock() {
        registry.insert(name.to_string(), object.clone().unbind());
    }
}

/// An object that Python registered.
pub fn registered<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let registry = registry().lock().ok();
    let found = registry.and_then(|r| r.get(name).map(|object| object.bind(py).clone()));
    found.ok_or_else(|| {
        pyo3::exceptions::PyRuntimeError::new_err(format!(
            "{name} was not registered with the extension"
        ))
    })
}

/// Whether an object is a tensor that stands for one sample of many: its class does operators on it.
pub fn is_batched(object: &Bound<'_, PyAny>) -> bool {
    let class = BATCHED.get(object.py());
    class.is_some_and(|class| object.get_type().is(class))
}

/// The class of sizes, once Python has registered it.
pub fn size_class<'py>(py: Python<'py>) -> Option<&'py Bound<'py, PyAny>> {
    SIZE.get(py).map(|class| class.bind(py))
}
