//! Loading: the root object of `data.pkl` with the types and code that it needs.

use super::json;
use super::value::Unpickler;
use crate::LoadError;
use crate::bytes::Bytes;
use crate::code::Importer;
use crate::identify::{FileKind, identify, identify_archive, is_zip};
use crate::mobile::Bytecode;
use crate::pickle::{self, PickleLimits};
use crate::zip::{Archive, Limits};
use rushlight_frontend::script::Compiler;
use rushlight_ir::Unit;
use rushlight_syntax::Diagnostic;
use rushlight_syntax::diagnostic::highlight;
use rushlight_types::{Context, Object, OperatorTable, Value};
use std::rc::Rc;
use std::sync::Arc;

/// How to load.
#[derive(Clone, Default)]
pub struct LoadOptions {
    pub zip: Limits,
    pub pickle: PickleLimits,
}

/// What an archive holds.
pub struct Loaded {
    pub root: Arc<Object>,
    pub unit: Arc<Unit>,
    /// The file format version.
    pub version: u64,
    /// Methods that cannot run because this build lacks an operator, and why; they fail when they are reached.
    pub missing: Vec<(Arc<str>, Diagnostic)>,
    /// Extra files, by name.
    pub extra: Vec<(String, Vec<u8>)>,
}

/// Loads an archive into a fresh unit (with its executor set). The context bounds what `__setstate__` may do.
pub fn load(
    bytes: Bytes,
    unit: Arc<Unit>,
    table: &'static OperatorTable,
    context: &Context,
) -> Result<Loaded, LoadError> {
    load_with(bytes, unit, table, context, &LoadOptions::default())
}

/// As [`load`], with limits of its own.
pub fn load_with(
    bytes: Bytes,
    unit: Arc<Unit>,
    table: &'static OperatorTable,
    context: &Context,
    options: &LoadOptions,
) -> Result<Loaded, LoadError> {
    let (archive, kind) = open(bytes, &options.zip)?;
    let (root, version, importer) = match kind {
        FileKind::Mobile { has_code: false } => {
            of_bytecode(&archive, &unit, table, context, options)?
        }
        FileKind::TorchScriptJson => of_description(&archive, &unit, table, context, options)?,
        _ => of_pickles(&archive, &unit, table, context, options)?,
    };
    let missing = importer.compile_methods().map_err(LoadError::Code)?;
    for (method, problem) in &missing {
        unit.set_missing(method, &highlight::render(problem));
    }
    let extra = archive
        .names()
        .filter_map(|n| n.strip_prefix("extra/").map(str::to_string))
        .collect::<Vec<_>>()
        .into_iter()
        .map(|name| {
            Ok((
                name.clone(),
                archive.read(&format!("extra/{name}"))?.as_slice().to_vec(),
            ))
        })
        .collect::<Result<Vec<_>, LoadError>>()?;
    Ok(Loaded {
        root,
        unit,
        version,
        missing,
        extra,
    })
}

/// The archive in a file, if it is one of those that load, and which.
fn open(bytes: Bytes, limits: &Limits) -> Result<(Rc<Archive>, FileKind), LoadError> {
    if !is_zip(&bytes) {
        return Err(LoadError::WrongKind(identify(&bytes)));
    }
    let archive = Archive::open(bytes.clone(), limits).map_err(|error| match identify(&bytes) {
        kind if kind.is_loadable() => error.into(),
        kind => LoadError::WrongKind(kind),
    })?;
    match identify_archive(&archive) {
        kind if kind.is_loadable() => Ok((Rc::new(archive), kind)),
        kind => Err(LoadError::WrongKind(kind)),
    }
}

/// The importer of an archive of a file format version, into a unit.
fn importer(
    archive: &Rc<Archive>,
    version: u64,
    unit: &Arc<Unit>,
    table: &'static OperatorTable,
) -> Rc<Importer> {
    let compiler = Rc::new(Compiler::new(unit.clone(), table));
    Importer::new(compiler, archive.clone(), version)
}

/// The module that `data.pkl` must hold.
fn module(root: Value) -> Result<Arc<Object>, LoadError> {
    match root {
        Value::Object(root) => Ok(root),
        _ => Err(in_record("data.pkl", "the root is not a module".into())),
    }
}

/// What either form of an archive gives: the root, the file format version, and what finds its code.
type Opened = (Arc<Object>, u64, Rc<Importer>);

/// The module of a `model.json`.
fn of_description(
    archive: &Rc<Archive>,
    unit: &Arc<Unit>,
    table: &'static OperatorTable,
    context: &Context,
    options: &LoadOptions,
) -> Result<Opened, LoadError> {
    let described = json::describe(archive)?;
    let importer = importer(archive, described.version, unit, table);
    let root = json::load(&described, archive, &importer, context, options)?;
    Ok((root, version_of(archive)?, importer))
}

/// The module of `data.pkl` and `constants.pkl`.
fn of_pickles(
    archive: &Rc<Archive>,
    unit: &Arc<Unit>,
    table: &'static OperatorTable,
    context: &Context,
    options: &LoadOptions,
) -> Result<Opened, LoadError> {
    let version = version_of(archive)?;
    let importer = importer(archive, version, unit, table);
    if archive.contains("constants.pkl") {
        let constants = unpickled(archive, "constants", &importer, context, options)?;
        let items = match &constants {
            Value::Tuple(items) => items.items.to_vec(),
            other => other.list_items().unwrap_or_default(),
        };
        importer.set_constants(items);
    }
    let root = module(unpickled(archive, "data", &importer, context, options)?)?;
    Ok((root, version, importer))
}

/// The module of `data.pkl` and `bytecode.pkl`.
fn of_bytecode(
    archive: &Rc<Archive>,
    unit: &Arc<Unit>,
    table: &'static OperatorTable,
    context: &Context,
    options: &LoadOptions,
) -> Result<Opened, LoadError> {
    let version = version_of(archive)?;
    let importer = importer(archive, version, unit, table);
    let program = unpickled(archive, "bytecode", &importer, context, options)?;
    let record = archive.read("data.pkl")?;
    let data = read_pickle("data.pkl", &record, &options.pickle)?;
    let bytecode = Bytecode::new(&program, &data, &importer)?;
    if bytecode.restores_state() {
        bytecode.translate()?;
    }
    let root = Unpickler::new(&data, archive, "data", &importer, context)
        .root()
        .map_err(|message| in_record("data.pkl", message))?;
    let root = module(root)?;
    bytecode.refine(&root);
    bytecode.translate()?;
    Ok((root, version, importer))
}

/// The value of one of the pickles, whose tensors lie in the folder of its name.
fn unpickled(
    archive: &Archive,
    folder: &str,
    importer: &Rc<Importer>,
    context: &Context,
    options: &LoadOptions,
) -> Result<Value, LoadError> {
    let name = format!("{folder}.pkl");
    let record = archive.read(&name)?;
    let parsed = read_pickle(&name, &record, &options.pickle)?;
    Unpickler::new(&parsed, archive, folder, importer, context)
        .root()
        .map_err(|message| in_record(&name, message))
}

fn in_record(record: &str, message: String) -> LoadError {
    LoadError::Pickle {
        record: record.into(),
        message,
    }
}

fn read_pickle(
    name: &str,
    record: &[u8],
    limits: &PickleLimits,
) -> Result<pickle::Pickle, LoadError> {
    let parsed = pickle::read(record, limits).map_err(|e| in_record(name, e.to_string()))?;
    if parsed.is_cyclic() {
        return Err(in_record(name, "the data refers to itself".into()));
    }
    Ok(parsed)
}

fn version_of(archive: &Archive) -> Result<u64, LoadError> {
    for name in ["version", ".data/version"] {
        if archive.contains(name) {
            let text = archive.read_text(name)?;
            return text.trim().parse().map_err(|_| {
                in_record(name, format!("`{}` is not a version number", text.trim()))
            });
        }
    }
    Ok(1)
}
