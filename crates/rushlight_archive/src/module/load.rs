//! Loading: the root object of `data.pkl` with the types and code that it needs.

use super::json;
use super::states::{KeptStates, Restore};
use super::value::Unpickler;
use crate::bytes::Bytes;
use crate::code::Importer;
use crate::error::{LoadError, MAX_VERSION, MIN_VERSION, VersionProblem};
use crate::identify::{FileKind, identify, identify_archive, is_zip};
use crate::mobile::{Bytecode, FlatFile};
use crate::pickle::{self, Pickle, PickleLimits};
use crate::zip::{Archive, Limits};
use rushlight_frontend::script::Compiler;
use rushlight_ir::Unit;
use rushlight_syntax::Diagnostic;
use rushlight_syntax::diagnostic::highlight;
use rushlight_syntax::stack::with_room;
use rushlight_types::{Context, Object, OperatorTable, Value};
use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

/// How to load.
#[derive(Clone, Default)]
pub struct LoadOptions {
    pub zip: Limits,
    pub pickle: PickleLimits,
    /// Whether the file may be mapped: somebody vouches that it is not changed or cut while its module lives.
    pub trusted: bool,
    /// Whether objects restore themselves by their own code.
    pub restore: Restore,
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
    /// The states of objects that were not restored, where [`Restore::Keep`] was asked for.
    pub kept: Option<KeptStates>,
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
    with_room(|| load_here(bytes, unit, table, context, options))
}

fn load_here(
    bytes: Bytes,
    unit: Arc<Unit>,
    table: &'static OperatorTable,
    context: &Context,
    options: &LoadOptions,
) -> Result<Loaded, LoadError> {
    let (file, kind) = open(bytes, options)?;
    let kept = match options.restore {
        Restore::Run => None,
        Restore::Keep => Some(KeptStates::default()),
    };
    let loader = Loader {
        archive: &file.archive,
        flat: file.flat.as_ref(),
        unit: &unit,
        table,
        context,
        options,
        kept: kept.as_ref(),
    };
    let (root, version, importer) = match kind {
        FileKind::Mobile { has_code: false } => loader.of_bytecode()?,
        FileKind::TorchScriptJson => loader.of_description()?,
        _ => loader.of_pickles()?,
    };
    let missing = importer.compile_methods().map_err(LoadError::Code)?;
    for (method, problem) in &missing {
        unit.set_missing(method, &highlight::render(problem));
    }
    let archive = &file.archive;
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
        kept,
    })
}

/// A file that has been opened.
struct File {
    archive: Rc<Archive>,
    /// The trees of its values, if it is a flatbuffer.
    flat: Option<FlatFile>,
}

/// The records of a file that loads: those of a zip archive, and the parts of a flatbuffer that archives keep as records.
pub fn records(bytes: Bytes) -> Result<Rc<Archive>, LoadError> {
    Ok(open(bytes, &LoadOptions::default())?.0.archive)
}

/// What is in a file, if it is one of those that load, and which kind it is.
fn open(bytes: Bytes, options: &LoadOptions) -> Result<(File, FileKind), LoadError> {
    if !is_zip(&bytes) {
        return match identify(&bytes) {
            FileKind::MobileFlatbuffer => open_flatbuffer(&bytes, &options.pickle),
            other => Err(LoadError::WrongKind(other)),
        };
    }
    let opened = Archive::open(bytes.clone(), &options.zip);
    let archive = opened.map_err(|error| match identify(&bytes) {
        kind if kind.is_loadable() => error.into(),
        kind => LoadError::WrongKind(kind),
    })?;
    let kind = identify_archive(&archive);
    if !kind.is_loadable() {
        return Err(LoadError::WrongKind(kind));
    }
    let archive = Rc::new(archive);
    Ok((
        File {
            archive,
            flat: None,
        },
        kind,
    ))
}

fn open_flatbuffer(bytes: &Bytes, limits: &PickleLimits) -> Result<(File, FileKind), LoadError> {
    let flat = FlatFile::open(bytes, limits)?;
    let kind = FileKind::Mobile {
        has_code: flat.has_code(),
    };
    let file = File {
        archive: flat.archive.clone(),
        flat: Some(flat),
    };
    Ok((file, kind))
}

/// The module that `data.pkl` must hold.
fn module(root: Value) -> Result<Arc<Object>, LoadError> {
    match root {
        Value::Object(root) => Ok(root),
        _ => Err(in_record("data.pkl", "the root is not a module".into())),
    }
}

/// What every form of a file gives: the root, the file format version, and what finds its code.
type Opened = (Arc<Object>, u64, Rc<Importer>);

/// A file, and what is needed to load it.
struct Loader<'a> {
    archive: &'a Rc<Archive>,
    flat: Option<&'a FlatFile>,
    unit: &'a Arc<Unit>,
    table: &'static OperatorTable,
    context: &'a Context,
    options: &'a LoadOptions,
    kept: Option<&'a KeptStates>,
}

impl<'a> Loader<'a> {
    /// The importer of a file whose operators are of a version.
    fn importer(&self, version: u64) -> Rc<Importer> {
        let compiler = Rc::new(Compiler::new(self.unit.clone(), self.table));
        Importer::new(compiler, self.archive.clone(), version)
    }

    fn version(&self) -> Result<u64, LoadError> {
        match self.flat {
            Some(flat) => Ok(flat.version),
            None => version_of(self.archive),
        }
    }

    /// The tree of `data.pkl`, `constants.pkl` or `bytecode.pkl`, by the name of the folder of its tensors.
    fn pickle(&self, folder: &str) -> Result<Cow<'a, Pickle>, LoadError> {
        if let Some(flat) = self.flat {
            return Ok(Cow::Borrowed(match folder {
                "data" => &flat.data,
                "constants" => &flat.constants,
                _ => &flat.program,
            }));
        }
        let name = format!("{folder}.pkl");
        let record = self.archive.read(&name)?;
        let pickle = read_pickle(&name, &record, &self.options.pickle)?;
        Ok(Cow::Owned(pickle))
    }

    fn unpickler<'p>(
        &self,
        pickle: &'p Pickle,
        folder: &'p str,
        importer: &'p Rc<Importer>,
    ) -> Unpickler<'p>
    where
        'a: 'p,
    {
        Unpickler::new(pickle, self.archive, folder, importer, self.context).keeping(self.kept)
    }

    /// The value of one of the pickles, whose tensors lie in the folder of its name.
    fn unpickled(&self, folder: &str, importer: &Rc<Importer>) -> Result<Value, LoadError> {
        let pickle = self.pickle(folder)?;
        self.root(&pickle, folder, importer)
    }

    fn root(
        &self,
        pickle: &Pickle,
        folder: &str,
        importer: &Rc<Importer>,
    ) -> Result<Value, LoadError> {
        let value = self.unpickler(pickle, folder, importer).root();
        value.map_err(|refusal| refusal.of_record(&format!("{folder}.pkl")))
    }

    /// The module of a `model.json`.
    fn of_description(&self) -> Result<Opened, LoadError> {
        let described = json::describe(self.archive)?;
        let importer = self.importer(described.version);
        let root = json::load(
            &described,
            self.archive,
            &importer,
            self.context,
            self.options,
            self.kept,
        )?;
        Ok((root, self.version()?, importer))
    }

    /// The module of `data.pkl` and `constants.pkl`.
    fn of_pickles(&self) -> Result<Opened, LoadError> {
        let version = self.version()?;
        let importer = self.importer(version);
        let constants = self.unpickled("constants", &importer)?;
        importer.set_constants(match &constants {
            Value::Tuple(items) => items.items.to_vec(),
            other => other.list_items().unwrap_or_default(),
        });
        let root = self.unpickled("data", &importer)?;
        Ok((module(root)?, version, importer))
    }

    /// The module of `data.pkl` and `bytecode.pkl`.
    fn of_bytecode(&self) -> Result<Opened, LoadError> {
        let version = self.version()?;
        let importer = self.importer(version);
        let (program, data) = (self.pickle("bytecode")?, self.pickle("data")?);
        let mut program = self.unpickler(&program, "bytecode", &importer);
        let bytecode = Bytecode::read(&mut program, self.flat, &data, &importer)?;
        bytecode.translate_restoring()?;
        let root = module(self.root(&data, "data", &importer)?)?;
        bytecode.refine(&root);
        bytecode.translate()?;
        Ok((root, version, importer))
    }
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
    let record = ["version", ".data/version"]
        .into_iter()
        .find(|name| archive.contains(name));
    let Some(record) = record else {
        return Err(LoadError::Version(VersionProblem::Missing));
    };
    let text = archive.read_text(record)?;
    let text = text.trim();
    match text.parse() {
        Ok(version) if version < MIN_VERSION => Err(VersionProblem::TooOld(version)),
        Ok(version) if version > MAX_VERSION => Err(VersionProblem::TooNew(version)),
        Ok(version) => Ok(version),
        Err(_) => Err(VersionProblem::NotANumber(text.into())),
    }
    .map_err(LoadError::Version)
}
