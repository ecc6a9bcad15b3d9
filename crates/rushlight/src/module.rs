//! Loaded modules: methods, attributes, parameters.

use crate::{new_unit, write_file};
use rushlight_archive::bytes::Bytes;
use rushlight_archive::module::{Changes, Target};
use rushlight_archive::{LoadError, LoadOptions, Loaded, Restore, SaveError, SaveOptions};
use rushlight_ir::Unit;
use rushlight_types::{Context, Fault, Object, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A TorchScript module.
#[derive(Clone)]
pub struct Module {
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) context: Arc<Context>,
}

/// Loads a `.pt` file, which is read into memory. See [`load_file`] for large files that nobody changes.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = rushlight::load("model.pt")?;
/// let result = model.forward(&[rushlight::Tensor::zeros(&[1, 3], rushlight::DType::F32)?.into()])?;
/// # Ok(()) }
/// ```
pub fn load(path: impl AsRef<Path>) -> Result<Module, LoadFailure> {
    let context = Context::new(Box::new(std::io::stdout()));
    load_file(path, context.into(), &LoadOptions::default())
}

/// As [`load`], with a context and options of one's own. A file that [`LoadOptions::trusted`] vouches for is mapped: loading
/// reads no more of it than it needs, and programs that load the same file share its memory.
pub fn load_file(
    path: impl AsRef<Path>,
    context: Arc<Context>,
    options: &LoadOptions,
) -> Result<Module, LoadFailure> {
    let path = path.as_ref();
    Bytes::open(path, options.trusted)
        .map_err(LoadFailure::Io)
        .and_then(|bytes| load_with(bytes, context, options))
        .map_err(|failure| LoadFailure::File(path.to_path_buf(), Box::new(failure)))
}

/// Loads a module from memory, with a context of the caller's choice.
pub fn load_bytes(bytes: Bytes, context: Arc<Context>) -> Result<Module, LoadFailure> {
    load_with(bytes, context, &LoadOptions::default())
}

/// As [`load_bytes`], with options of one's own. With [`Restore::Keep`] none of the file's code runs, neither now nor later:
/// the module can be looked at, retargeted and saved.
pub fn load_with(
    bytes: Bytes,
    context: Arc<Context>,
    options: &LoadOptions,
) -> Result<Module, LoadFailure> {
    let unit = match options.restore {
        Restore::Run => new_unit(),
        // Without anything that could execute it.
        Restore::Keep => Unit::new(),
    };
    let table = crate::table();
    let loaded = rushlight_archive::load_with(bytes, unit, table, &context, options)
        .map_err(LoadFailure::Load)?;
    Ok(Module {
        loaded: Arc::new(loaded),
        context,
    })
}

/// Why a module could not be loaded.
#[derive(Debug)]
pub enum LoadFailure {
    /// The file could not be read.
    Io(std::io::Error),
    /// The file could not be understood.
    Load(LoadError),
    /// A file, and one of the others, which is about it.
    File(PathBuf, Box<LoadFailure>),
}

impl LoadFailure {
    /// What happened, whichever file it was.
    pub fn cause(&self) -> &LoadFailure {
        match self {
            LoadFailure::File(_, failure) => failure.cause(),
            failure => failure,
        }
    }
}

impl std::fmt::Display for LoadFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LoadFailure::Io(error) => write!(f, "{error}"),
            LoadFailure::Load(error) => write!(f, "{error}"),
            LoadFailure::File(path, failure) => write!(f, "{}: {failure}", path.display()),
        }
    }
}

impl std::error::Error for LoadFailure {}

/// Why a module could not be saved.
#[derive(Debug)]
pub enum SaveFailure {
    /// The file could not be written.
    Io(std::io::Error),
    /// The module holds something that archives cannot.
    Save(SaveError),
}

impl std::fmt::Display for SaveFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SaveFailure::Io(error) => write!(f, "{error}"),
            SaveFailure::Save(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for SaveFailure {}

/// The folder inside an archive that is to lie at `path`: the file's name without its extension.
pub fn archive_folder(path: &Path) -> String {
    let stem = path
        .file_stem()
        .and_then(|s| s.to_str())
        .unwrap_or("archive");
    stem.to_string()
}

impl Module {
    /// What the archive held.
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// The root object.
    pub fn object(&self) -> &Arc<Object> {
        &self.loaded.root
    }

    /// The context of calls.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
    }

    /// The archive that [`load`] gives this module back from. Equal modules give equal bytes.
    ///
    /// ```
    /// let script = rushlight::compile("def forward(x: int) -> int:\n    return 2 * x\n").unwrap();
    /// let saved = script.module(None).unwrap().to_bytes(&Default::default()).unwrap();
    /// let bytes = rushlight::archive::bytes::Bytes::from(saved);
    /// let context = rushlight::Context::new(Box::new(std::io::stdout()));
    /// let loaded = rushlight::load_bytes(bytes, context.into()).unwrap();
    /// assert_eq!(loaded.forward(&[21i64.into()]).unwrap().as_int().unwrap(), 42);
    /// ```
    pub fn to_bytes(&self, options: &SaveOptions) -> Result<Vec<u8>, SaveError> {
        let Loaded {
            root, unit, kept, ..
        } = &*self.loaded;
        match kept {
            Some(kept) => rushlight_archive::save_kept(root, unit, kept, options),
            None => rushlight_archive::save(root, unit, &self.context, options),
        }
    }

    /// Saves the module to a file, which is replaced only when everything has been written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), SaveFailure> {
        let options = SaveOptions {
            folder: archive_folder(path.as_ref()),
            ..SaveOptions::default()
        };
        let bytes = self.to_bytes(&options).map_err(SaveFailure::Save)?;
        write_file(path.as_ref(), &bytes).map_err(SaveFailure::Io)
    }

    /// A module of an object and the unit that its methods live in.
    pub fn from_object(root: Arc<Object>, unit: Arc<Unit>, context: Arc<Context>) -> Module {
        let loaded = Loaded {
            root,
            unit,
            version: rushlight_archive::upgrade::OLDEST_WRITTEN,
            missing: Vec::new(),
            extra: Vec::new(),
            kept: None,
        };
        Module {
            loaded: Arc::new(loaded),
            context,
        }
    }

    /// Makes the module run on another device or in another precision than it was traced for, and says what was changed.
    /// Instances that share the module's objects change with it.
    pub fn retarget(&self, target: &Target) -> Changes {
        let Loaded {
            root, unit, kept, ..
        } = &*self.loaded;
        rushlight_archive::module::retarget(root, unit, kept.as_ref(), target)
    }

    /// Runs `forward`.
    pub fn forward(&self, arguments: &[Value]) -> Result<Value, Fault> {
        self.call("forward", arguments)
    }

    /// A method by name. The error lists the methods that there are.
    pub fn method(&self, name: &str) -> Result<Arc<rushlight_ir::Function>, Fault> {
        let class = self.loaded.root.class();
        if let Some(function) = self.loaded.unit.method(class, name) {
            return Ok(function);
        }
        let qualified = format!("{}.{name}", class.name());
        if let Some(why) = self.loaded.unit.why_missing(&qualified) {
            return Err(Fault::not_implemented(why.to_string()));
        }
        let names: Vec<String> = class.methods().iter().map(|m| m.name.to_string()).collect();
        Err(Fault::new(
            rushlight_types::ErrorClass::Attribute,
            format!(
                "Module '{}' has no method '{name}'; it has: {}",
                class.basename(),
                names.join(", ")
            ),
        ))
    }

    /// Runs a method. Arguments are checked against its schema and defaults filled in.
    pub fn call(&self, method: &str, arguments: &[Value]) -> Result<Value, Fault> {
        self.call_with(method, arguments, &[])
    }

    /// As [`Module::call`], with keyword arguments.
    ///
    /// ```
    /// let script = rushlight::compile("def scaled(x: int, by: int = 2) -> int:\n    return x * by\n").unwrap();
    /// let module = script.module(None).unwrap();
    /// let result = module.call_with("scaled", &[7i64.into()], &[("by", 6i64.into())]).unwrap();
    /// assert_eq!(result.as_int().unwrap(), 42);
    /// ```
    pub fn call_with(
        &self,
        method: &str,
        arguments: &[Value],
        keywords: &[(&str, Value)],
    ) -> Result<Value, Fault> {
        let function = self.method(method)?;
        self.call_function(&function, arguments, keywords)
    }

    /// Calls a function as a method of this module.
    pub(crate) fn call_function(
        &self,
        function: &rushlight_ir::Function,
        arguments: &[Value],
        keywords: &[(&str, Value)],
    ) -> Result<Value, Fault> {
        let mut all = rushlight_runtime::spare_arguments();
        all.push(Value::Object(self.loaded.root.clone()));
        all.extend_from_slice(arguments);
        let named = keywords
            .iter()
            .map(|(name, value)| (name.to_string(), value.clone()))
            .collect();
        rushlight_runtime::invoke::call(function, &self.context, all, named)
    }
}

const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Module>();
};
