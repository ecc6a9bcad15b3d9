//! Archives of PyTorch 1.0 to 1.2: a `model.json` that describes the tree of modules, with `tensors/`, `code/` and `libs/`.
//!
//! These hold no classes for modules: every module has a file of methods, and its parameters, buffers and attributes stand
//! in the description. Each module becomes an object of a class of its own, so that the rest of the loader, and saving, see
//! what newer archives hold.

mod build;
mod layout;
mod tensors;

use super::{KeptStates, LoadOptions, Refusal, Unpickler};
use crate::LoadError;
use crate::code::Importer;
use crate::pickle::{self, Pickle, PickleLimits};
use crate::zip::Archive;
use layout::Model;
use rushlight_types::{Context, Object, Value};
use std::rc::Rc;
use std::sync::Arc;

/// The record that describes the model.
const DESCRIPTION: &str = "model.json";

/// The pickle of all attributes that are no tensors of their own.
const ATTRIBUTES: &str = "attributes.pkl";

/// A description that has been read; loading needs to know the operators' age before it begins.
pub(super) struct Described {
    model: Model,
    /// The lowest `op_version_set` of its code.
    pub version: u64,
}

/// Reads the description.
pub(super) fn describe(archive: &Archive) -> Result<Described, LoadError> {
    let text = archive.read_text(DESCRIPTION)?;
    let model = Model::read(&text).map_err(in_description)?;
    let mut version = u64::MAX;
    for record in model.main.code_records() {
        version = version.min(operator_set(&archive.read_text(record)?));
    }
    Ok(Described {
        model,
        version: if version == u64::MAX { 1 } else { version },
    })
}

/// Makes the modules. Methods are declared, not compiled.
pub(super) fn load(
    described: &Described,
    archive: &Archive,
    importer: &Rc<Importer>,
    context: &Context,
    options: &LoadOptions,
    kept: Option<&KeptStates>,
) -> Result<Arc<Object>, LoadError> {
    let tensors = tensors::read_all(&described.model, archive).map_err(in_description)?;
    importer.set_constants(tensors.iter().cloned().map(Value::Tensor).collect());
    let attributes = attributes(archive, options)?;
    let reader = attributes.as_ref().map(|pickle| {
        Unpickler::new(pickle, archive, "attributes", importer, context)
            .with_tensors(&tensors)
            .keeping(kept)
    });
    let mut builder = build::Builder::new(archive, importer, &tensors, reader);
    builder.root(&described.model.main)
}

/// The pickled attributes, where there are some.
fn attributes(archive: &Archive, options: &LoadOptions) -> Result<Option<Pickle>, LoadError> {
    if !archive.contains(ATTRIBUTES) {
        return Ok(None);
    }
    let record = archive.read(ATTRIBUTES)?;
    // These releases wrote small negative numbers as single bytes.
    let limits = PickleLimits {
        signed_bytes: true,
        ..options.pickle.clone()
    };
    let parsed = pickle::read(&record, &limits).map_err(|e| in_attributes(e.to_string()))?;
    if parsed.is_cyclic() {
        return Err(in_attributes("the data refers to itself"));
    }
    Ok(Some(parsed))
}

/// The `op_version_set = N` that a code record begins with.
fn operator_set(text: &str) -> u64 {
    text.lines()
        .find_map(|line| line.strip_prefix("op_version_set = "))
        .and_then(|number| number.trim().parse().ok())
        .unwrap_or(1)
}

fn in_description(message: String) -> LoadError {
    LoadError::Pickle {
        record: DESCRIPTION.into(),
        message,
    }
}

fn in_attributes(refusal: impl Into<Refusal>) -> LoadError {
    refusal.into().of_record(ATTRIBUTES)
}
