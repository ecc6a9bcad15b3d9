//! Loaded modules: methods, attributes, parameters.

use crate::new_unit;
use rushlight_archive::bytes::Bytes;
use rushlight_archive::{LoadError, Loaded};
use rushlight_types::{Context, Fault, Object, Value};
use std::path::Path;
use std::sync::Arc;

/// A TorchScript module.
#[derive(Clone)]
pub struct Module {
    loaded: Arc<Loaded>,
    context: Arc<Context>,
}

/// Loads a `.pt` file. The file is mapped; it must not be rewritten in place while the module lives.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = rushlight::load("model.pt")?;
/// let result = model.forward(&[rushlight::Tensor::zeros(&[1, 3], rushlight::DType::F32)?.into()])?;
/// # Ok(()) }
/// ```
pub fn load(path: impl AsRef<Path>) -> Result<Module, LoadFailure> {
    let bytes = Bytes::map(path.as_ref()).map_err(LoadFailure::Io)?;
    load_bytes(bytes, Arc::new(Context::new(Box::new(std::io::stdout()))))
}

/// Loads a module from memory, with surroundings of the caller's choice.
pub fn load_bytes(bytes: Bytes, context: Arc<Context>) -> Result<Module, LoadFailure> {
    let loaded = rushlight_archive::load(bytes, new_unit(), rushlight_ops::table(), &context)
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
}

impl std::fmt::Display for LoadFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LoadFailure::Io(error) => write!(f, "{error}"),
            LoadFailure::Load(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for LoadFailure {}

impl Module {
    /// What the archive held.
    pub fn loaded(&self) -> &Loaded {
        &self.loaded
    }

    /// The root object.
    pub fn object(&self) -> &Arc<Object> {
        &self.loaded.root
    }

    /// The surroundings of calls.
    pub fn context(&self) -> &Arc<Context> {
        &self.context
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
        if let Some(why) = self
            .loaded
            .missing_method(&format!("{}.{name}", class.name()))
        {
            return Err(Fault::not_implemented(why));
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
        let function = self.method(method)?;
        let mut all = vec![Value::Object(self.loaded.root.clone())];
        all.extend_from_slice(arguments);
        rushlight_runtime::invoke::call(&*function, &self.context, all, Vec::new())
    }
}

const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Module>();
};
