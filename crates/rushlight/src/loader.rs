//! Loading with options, named one by one.

use crate::{Context, Error, Folder, LoadOptions, Module, Restore, Result, Target, load_with};
use rushlight_archive::bytes::Bytes;
use rushlight_tensor::{DType, Device};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How a module is loaded and what its calls may do. Without any option it is as [`crate::load`], but that nothing is printed.
///
/// ```no_run
/// use std::time::Duration;
/// # fn main() -> rushlight::Result<()> {
/// let model = rushlight::Loader::new()
///     .time_limit(Duration::from_secs(2))
///     .memory_limit(512 << 20)
///     .dtype(rushlight::DType::F32)
///     .load("model.pt")?;
/// # Ok(()) }
/// ```
#[derive(Default)]
pub struct Loader {
    context: Option<Arc<Context>>,
    sink: Option<Box<dyn Write + Send>>,
    seed: Option<u64>,
    millis: Option<u64>,
    bytes: Option<u64>,
    instructions: Option<u64>,
    depth: Option<u32>,
    files: Option<PathBuf>,
    options: LoadOptions,
    target: Target,
    eval: bool,
}

impl Loader {
    /// A loader without options.
    pub fn new() -> Loader {
        Loader::default()
    }

    /// The context of calls, to be shared with other modules. The options below that say what calls may do are set
    /// on it.
    pub fn context(mut self, context: Arc<Context>) -> Loader {
        self.context = Some(context);
        self
    }

    /// Where `print` of scripts goes: nowhere unless this is said.
    pub fn print_to(mut self, sink: impl Write + Send + 'static) -> Loader {
        self.sink = Some(Box::new(sink));
        self
    }

    /// The seed of the random stream.
    pub fn seed(mut self, seed: u64) -> Loader {
        self.seed = Some(seed);
        self
    }

    /// How long loading, and then each call, may take.
    pub fn time_limit(mut self, limit: Duration) -> Loader {
        // At least one: zero stands for no limit.
        let millis = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        self.millis = Some(millis.max(1));
        self
    }

    /// How many bytes tensors and kernels of a call may use at once; see [`crate::Limits::bytes`].
    pub fn memory_limit(mut self, bytes: u64) -> Loader {
        self.bytes = Some(bytes.max(1));
        self
    }

    /// How many instructions of the interpreter a call may take.
    pub fn instruction_limit(mut self, instructions: u64) -> Loader {
        self.instructions = Some(instructions.max(1));
        self
    }

    /// How deeply script calls may nest.
    pub fn depth_limit(mut self, depth: u32) -> Loader {
        self.depth = Some(depth.max(1));
        self
    }

    /// Lets scripts read and write files below a folder; they reach none otherwise.
    pub fn allow_files(mut self, folder: impl Into<PathBuf>) -> Loader {
        self.files = Some(folder.into());
        self
    }

    /// Vouches that the file is not changed while the module lives, so that it is mapped instead of read.
    pub fn trusted(mut self) -> Loader {
        self.options.trusted = true;
        self
    }

    /// Runs nothing of the file, neither now nor later: for looking at it.
    pub fn inspect_only(mut self) -> Loader {
        self.options.restore = Restore::Keep;
        self
    }

    /// Floating point tensors and dtypes in the code become this one.
    pub fn dtype(mut self, dtype: DType) -> Loader {
        self.target.dtype = Some(dtype);
        self
    }

    /// Devices in the code become this one: `Device::CPU` for models traced on another.
    pub fn device(mut self, device: Device) -> Loader {
        self.target.device = Some(device);
        self
    }

    /// Puts the module into evaluation mode; see [`Module::eval`].
    pub fn eval(mut self) -> Loader {
        self.eval = true;
        self
    }

    /// Loads a file.
    pub fn load(self, path: impl AsRef<Path>) -> Result<Module> {
        let path = path.as_ref();
        let bytes = Bytes::open(path, self.options.trusted)
            .map_err(|error| Error::from(error).with_path(path))?;
        self.load_bytes(bytes)
            .map_err(|error| error.with_path(path))
    }

    /// Loads from memory.
    pub fn load_bytes(self, bytes: impl Into<Bytes>) -> Result<Module> {
        let context = match self.context {
            Some(context) => context,
            None => Context::silent().shared(),
        };
        if let Some(sink) = self.sink {
            context.set_sink(sink);
        }
        if let Some(seed) = self.seed {
            context.manual_seed(seed);
        }
        if let Some(folder) = self.files {
            context.allow_files(Some(Arc::new(Folder::new(folder))));
        }
        let mut limits = context.limits();
        limits.millis = self.millis.unwrap_or(limits.millis);
        limits.bytes = self.bytes.unwrap_or(limits.bytes);
        limits.instructions = self.instructions.unwrap_or(limits.instructions);
        limits.depth = self.depth.unwrap_or(limits.depth);
        context.set_limits(limits);

        let loaded = context.supervise(|| {
            let module = match load_with(bytes.into(), context.clone(), &self.options) {
                Ok(module) => module,
                Err(failure) => return Ok(Err(failure)),
            };
            if self.target.device.is_some() || self.target.dtype.is_some() {
                module.retarget(&self.target);
            }
            if self.eval {
                module.eval();
            }
            Ok(Ok(module))
        })?;
        Ok(loaded?)
    }
}
