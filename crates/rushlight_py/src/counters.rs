//! `torch.jit._logging.LockingLogger`: counters of scripts.

use crate::state;
use pyo3::prelude::*;
use rushlight::types::{Aggregation, Counters};
use std::sync::Arc;

/// Counters by name.
#[pyclass(name = "LockingLogger", module = "torch", frozen, subclass)]
#[derive(Default)]
pub struct PyCounters(Arc<Counters>);

#[pymethods]
impl PyCounters {
    #[new]
    fn new() -> PyCounters {
        PyCounters::default()
    }

    /// What a counter has come to.
    fn get_counter_val(&self, name: &str) -> i64 {
        self.0.value(name)
    }

    fn _set_average(&self, name: &str, average: bool) {
        let aggregation = match average {
            true => Aggregation::Average,
            false => Aggregation::Sum,
        };
        self.0.set_aggregation(name, aggregation);
    }
}

/// Chooses who counts for scripts, or that nobody does.
#[pyfunction]
#[pyo3(signature = (counters=None))]
pub fn set_counters(counters: Option<&PyCounters>) {
    state::context().set_counters(counters.map(|c| c.0.clone()));
}
