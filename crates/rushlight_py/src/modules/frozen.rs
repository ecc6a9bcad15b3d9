//! `torch.jit.freeze`.

use crate::errors;
use crate::module::ScriptObject;
use pyo3::prelude::*;
use rushlight::ir::freeze::{FreezeOptions, freeze};

/// A module whose attributes are constants, but for those that its methods write and those that are preserved.
#[pyfunction]
pub fn freeze_module(
    py: Python<'_>,
    object: &ScriptObject,
    preserved: Vec<String>,
    numerics: bool,
) -> PyResult<ScriptObject> {
    let options = FreezeOptions {
        preserved: &preserved,
        numerics,
    };
    let (module, unit) = (object.object.clone(), object.unit.clone());
    let frozen = py.detach(|| freeze(&module, &unit, rushlight::table(), &options));
    frozen
        .map(|frozen| ScriptObject::of(frozen, object.unit.clone()))
        .map_err(errors::fault)
}
