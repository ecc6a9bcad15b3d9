//! Saving: a module object, the code of everything it can reach, and its tensors, as one archive.
//!
//! Equal modules give equal bytes.

use super::objects::ObjectPickler;
use super::states::KeptStates;
use crate::code::print::{Constants, Needs, print_definitions};
use crate::code::ranges;
use crate::pickle::Unwritable;
use crate::zip::{AddError, Writer};
use rushlight_ir::Unit;
use rushlight_types::{ClassType, Object, Type, Value};
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// How to save.
#[derive(Clone, Debug)]
pub struct SaveOptions {
    /// The folder inside the zip file that holds everything: the file's name without its extension.
    pub folder: String,
    /// Further files, by name, kept under `extra/`.
    pub extra: Vec<(String, Vec<u8>)>,
    /// Whether to write from where in the source the code comes, so that errors can show it.
    pub source_ranges: bool,
    /// The file format version to write; the oldest that the code allows where none is wished for.
    pub version: Option<u64>,
}

impl Default for SaveOptions {
    fn default() -> SaveOptions {
        SaveOptions {
            folder: "archive".into(),
            extra: Vec::new(),
            source_ranges: true,
            version: None,
        }
    }
}

/// Why a module cannot be saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaveError {
    /// Some code has no form in source.
    Code(String),
    /// Some value cannot be written.
    Value(String),
    /// The archive cannot hold a record.
    Record(AddError),
}

impl fmt::Display for SaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SaveError::Code(message) | SaveError::Value(message) => f.write_str(message),
            SaveError::Record(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for SaveError {}

impl From<AddError> for SaveError {
    fn from(error: AddError) -> SaveError {
        SaveError::Record(error)
    }
}

impl From<Unwritable> for SaveError {
    fn from(error: Unwritable) -> SaveError {
        SaveError::Value(error.to_string())
    }
}

/// The bytes of an archive that holds a module, whose methods live in `unit`.
///
/// `context` runs `__getstate__` where classes have it.
pub fn save(
    root: &Arc<Object>,
    unit: &Unit,
    context: &rushlight_types::Context,
    options: &SaveOptions,
) -> Result<Vec<u8>, SaveError> {
    let data = ObjectPickler::new(unit, context);
    save_by(data, root, unit, context, options)
}

/// As [`save`], of a module whose objects were not restored: their states are written as they are, and no code runs.
pub fn save_kept(
    root: &Arc<Object>,
    unit: &Unit,
    kept: &KeptStates,
    options: &SaveOptions,
) -> Result<Vec<u8>, SaveError> {
    let context = rushlight_types::Context::silent();
    let data = ObjectPickler::new(unit, &context).with_states(kept.by_address());
    save_by(data, root, unit, &context, options)
}

fn save_by(
    mut data: ObjectPickler<'_>,
    root: &Arc<Object>,
    unit: &Unit,
    context: &rushlight_types::Context,
    options: &SaveOptions,
) -> Result<Vec<u8>, SaveError> {
    let mut zip = Writer::new(&options.folder);
    let mut extra: Vec<_> = options.extra.iter().collect();
    rushlight_tensor::order::sort_by(&mut extra, |a, b| a.0.cmp(&b.0));
    for (name, bytes) in extra {
        zip.add_stored(&format!("extra/{name}"), bytes)?;
    }
    data.root(&rushlight_types::Value::Object(root.clone()))?;
    let (pickled, classes) = data.finish("data", &mut zip)?;
    zip.add_stored("data.pkl", &pickled)?;

    // Constants may be objects, whose classes are printed as well, with constants of their own.
    let mut wanted = vec![root.class().clone()];
    wanted.extend(classes);
    let (files, constants, needs) = loop {
        let (mut constants, mut needs) = (Constants::default(), Needs::default());
        for class in &wanted {
            needs.add_type(&Type::Class(class.clone()));
        }
        let files = print_definitions(unit, &mut constants, &mut needs)
            .map_err(|error| SaveError::Code(error.to_string()))?;
        let mut met = Vec::new();
        let mut seen = HashSet::new();
        for value in constants.values() {
            classes_of(value, &mut seen, &mut met);
        }
        met.retain(|class| !wanted.iter().any(|known| Arc::ptr_eq(known, class)));
        if met.is_empty() {
            break (files, constants, needs);
        }
        wanted.extend(met);
    };
    for file in &files {
        let record = file.record();
        zip.add_code(&record, file.text.text.as_bytes())?;
        if options.source_ranges {
            zip.add_code(&format!("{record}.debug_pkl"), &ranges::write(&file.text)?)?;
        }
    }
    let mut table = ObjectPickler::new(unit, context);
    table.tuple(constants.values())?;
    let (pickled, _) = table.finish("constants", &mut zip)?;
    zip.add_stored("constants.pkl", &pickled)?;
    let version = needs.version_as(options.version).map_err(SaveError::Code)?;
    zip.add_stored(version_record(version), format!("{version}\n").as_bytes())?;
    zip.add_stored("byteorder", b"little")?;
    let id = zip.serialization_id();
    zip.add_stored(".data/serialization_id", id.as_bytes())?;
    Ok(zip.finish())
}

/// The classes of the objects in a value.
fn classes_of(value: &Value, seen: &mut HashSet<usize>, found: &mut Vec<Arc<ClassType>>) {
    let mut pending = vec![value.clone()];
    while let Some(value) = pending.pop() {
        match &value {
            Value::Object(object) => {
                if !seen.insert(Arc::as_ptr(object) as usize) {
                    continue;
                }
                if !found.iter().any(|known| Arc::ptr_eq(known, object.class())) {
                    found.push(object.class().clone());
                }
                let attributes = object.class().attributes();
                pending.extend(attributes.iter().filter_map(|a| object.get(&a.name)));
            }
            Value::Tuple(tuple) => pending.extend(tuple.items.iter().cloned()),
            Value::Dict(dict) => {
                pending.extend(dict.entries().into_iter().map(|(_, item)| item));
            }
            list if list.is_list() => pending.extend(list.list_items().unwrap_or_default()),
            _ => {}
        }
    }
}

/// The bytes of an archive that holds one value and no code, as `torch.save` writes it. Values of classes are refused: nobody
/// could read them without their code.
pub fn save_value(
    value: &rushlight_types::Value,
    context: &rushlight_types::Context,
) -> Result<Vec<u8>, SaveError> {
    let mut zip = Writer::new("archive");
    let unit = Unit::new();
    let mut data = ObjectPickler::new(&unit, context);
    data.root(value)?;
    let (pickled, classes) = data.finish("data", &mut zip)?;
    if let Some(class) = classes.first() {
        let name = class.name();
        return Err(SaveError::Value(format!(
            "an instance of {name} is saved with its module only"
        )));
    }
    zip.add_stored("data.pkl", &pickled)?;
    zip.add_stored("version", b"3\n")?;
    zip.add_stored("byteorder", b"little")?;
    Ok(zip.finish())
}

/// Where the file format version stands: later ones are kept out of sight of readers that would not understand them.
fn version_record(version: u64) -> &'static str {
    if version > 5 {
        ".data/version"
    } else {
        "version"
    }
}
