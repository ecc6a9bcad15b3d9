//! Looking for anomalies in runs backwards, as the program asks for it.

use crate::registry;
use pyo3::prelude::*;
use rushlight::autograd;

/// Switches the mode, and whether it looks for what is not a number.
#[pyfunction]
pub fn set_anomaly_mode(enabled: bool, check_nan: bool) {
    autograd::set_anomaly_witness(program_place);
    autograd::set_anomaly_mode(enabled, check_nan);
}

/// Whether the mode is on, and whether it looks for what is not a number.
#[pyfunction]
pub fn anomaly_mode() -> (bool, bool) {
    autograd::anomaly_mode()
}

/// The calls that are running in Python, as a traceback.
fn program_place() -> Option<String> {
    Python::attach(|py| {
        let place = registry::registered(py, "anomaly_place")?;
        place.call0()?.extract::<String>()
    })
    .ok()
}
