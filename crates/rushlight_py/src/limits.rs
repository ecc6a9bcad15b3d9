//! `torch.jit.Limits`: how far scripts, operators and loading may go inside a `with` block.

use crate::state;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rushlight::tensor::watch::{self, Entered};
use rushlight::types::Limits;
use std::cell::RefCell;

thread_local! {
    /// What this thread has entered and not left.
    static ENTERED: RefCell<Vec<Entered<'static>>> = const { RefCell::new(Vec::new()) };
}

/// Limits(*, time=0, memory=0, instructions=0)
/// --
///
/// How far scripts, operators and loading may go inside ``with Limits(...):``, counted from its beginning: ``time`` in
/// seconds, ``memory`` in bytes in use at once, ``instructions`` of scripts; 0 means any number. What goes further ends
/// with a ``RuntimeError`` (``MemoryError`` for memory).
#[pyclass(name = "Limits", module = "torch.jit", frozen)]
pub struct PyLimits {
    #[pyo3(get)]
    time: f64,
    #[pyo3(get)]
    memory: u64,
    #[pyo3(get)]
    instructions: u64,
}

#[pymethods]
impl PyLimits {
    #[new]
    #[pyo3(signature = (*, time=0.0, memory=0, instructions=0))]
    fn new(time: f64, memory: u64, instructions: u64) -> PyResult<PyLimits> {
        if !(0.0..=1e9).contains(&time) {
            return Err(PyValueError::new_err(
                "time is a number of seconds between 0 and 1e9",
            ));
        }
        Ok(PyLimits {
            time,
            memory,
            instructions,
        })
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        let limits = slf.get();
        let watch = state::context().watch(Limits {
            millis: (limits.time * 1000.0).ceil() as u64,
            bytes: limits.memory,
            instructions: limits.instructions,
            ..Limits::default()
        });
        ENTERED.with_borrow_mut(|entered| entered.push(watch::enter_owned(watch)));
        slf
    }

    fn __exit__(&self, _class: Py<PyAny>, _value: Py<PyAny>, _traceback: Py<PyAny>) {
        ENTERED.with_borrow_mut(|entered| entered.pop());
    }

    fn __repr__(&self) -> String {
        format!(
            "Limits(time={}, memory={}, instructions={})",
            self.time, self.memory, self.instructions
        )
    }
}

/// For processes that were forked from this one.
#[pyfunction]
pub fn after_fork() {
    watch::after_fork();
}
