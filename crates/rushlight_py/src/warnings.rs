//! Warnings of scripts as Python's own, which filters may drop, collect or turn into exceptions.

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use rushlight::types::Fault;
use rushlight::types::warning::{Place, afterwards, place};
use std::cell::RefCell;

thread_local! {
    /// The exception that a filter made of a warning, or that a function of the program raised, and the text of the fault that stands for it in the script.
    static RAISED: RefCell<Option<(String, PyErr)>> = const { RefCell::new(None) };
}

/// Hears the warnings of the default context. Python runs only afterwards: its hooks may call scripts.
pub fn hear(message: &str) {
    let (message, place) = (message.to_string(), place());
    afterwards(move || Python::attach(|py| give(py, &message, place).map_err(standing_for)));
}

/// Each warning is new to Python, as those of the reference's scripts are: no place is remembered.
fn give(py: Python<'_>, message: &str, place: Option<Place>) -> PyResult<()> {
    let warnings = py.import("warnings")?;
    let category = py.get_type::<PyUserWarning>();
    match place {
        Some(place) => {
            let arguments = (message, category, place.file, place.line);
            warnings.call_method1("warn_explicit", arguments)?;
        }
        None => {
            warnings.call_method1("warn", (message, category))?;
        }
    }
    Ok(())
}

/// The fault that stands for an exception while no Python runs.
pub fn standing_for(error: PyErr) -> Fault {
    let text = error.to_string();
    RAISED.set(Some((text.clone(), error)));
    Fault::runtime(text)
}

/// The exception that a fault stands for, if a filter has raised one.
pub fn raised(fault: &Fault) -> Option<PyErr> {
    let (text, error) = RAISED.take()?;
    (text == fault.message()).then_some(error)
}
