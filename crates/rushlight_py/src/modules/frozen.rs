//! `torch.jit.freeze`.

use crate::errors;
use crate::handles::ScriptObject;
use pyo3::prelude::*;
use rushlight::ir::freeze::{self, FreezeOptions, fold_norms, freeze};

/// A module whose attributes are constants, but for those that its methods write and those that are preserved.
#[pyfunction]
#[pyo3(signature = (object, preserved, numerics, interfaces=true, keep_parameters=false, keep_dropouts=false))]
pub fn freeze_module(
    py: Python<'_>,
    object: &ScriptObject,
    preserved: Vec<String>,
    numerics: bool,
    interfaces: bool,
    keep_parameters: bool,
    keep_dropouts: bool,
) -> PyResult<ScriptObject> {
    let options = FreezeOptions {
        preserved: &preserved,
        numerics,
        interfaces,
        keep_parameters,
        keep_dropouts,
    };
    let (module, unit) = (object.object.clone(), object.unit.clone());
    let frozen = py.detach(|| freeze(&module, &unit, rushlight::table(), &options));
    frozen
        .map(|frozen| ScriptObject::of(frozen, object.unit.clone()))
        .map_err(errors::fault)
}

/// Folds the batch norms of a frozen module into the layers before them, in the methods named.
#[pyfunction]
pub fn fold_frozen_norms(
    py: Python<'_>,
    object: &ScriptObject,
    methods: Vec<String>,
) -> PyResult<()> {
    let (module, unit) = (object.object.clone(), object.unit.clone());
    py.detach(|| fold_norms(&module, &unit, rushlight::table(), &methods))
        .map_err(errors::fault)
}

/// Makes convolutions and the rectifiers after them one operator each, in the methods named of a frozen module.
#[pyfunction]
pub fn fuse_frozen_activations(
    py: Python<'_>,
    object: &ScriptObject,
    methods: Vec<String>,
) -> PyResult<()> {
    let (module, unit) = (object.object.clone(), object.unit.clone());
    py.detach(|| freeze::fuse_activations(&module, &unit, rushlight::table(), &methods))
        .map_err(errors::fault)
}
