//! What a call may reach besides its arguments: the random stream, the sink of `print`, modes, limits. Handed in,
//! never global.

use crate::modes::{self, Modes};
use crate::{Fault, Files, Result, SharedGenerator, files};
use parking_lot::Mutex;
use rushlight_tensor::watch::{self, Supervisor, Watch};
use rushlight_tensor::{DType, Generator, memory};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

/// Layers that stand in front of kernels when they are on; see [`crate::Operator::call`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Layer {
    Trace = 1,
    Gradient = 2,
    Profile = 4,
    /// Calls of scripts get their tensors in other precisions ([`modes::Autocast`]).
    Autocast = 8,
}

impl Layer {
    /// Whether the layer watches the calls of the thread that turned it on.
    fn watches(self) -> bool {
        matches!(self, Layer::Trace | Layer::Profile)
    }
}

/// How far a program may go. Zero means without limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Instructions of the interpreter.
    pub instructions: u64,
    /// Bytes in use at once by tensors and kernels, and by strings, lists and all else where the program's allocator is
    /// [`rushlight_tensor::memory::Accounting`].
    pub bytes: u64,
    /// Depth of script calls; 0 stands for a default that protects memory.
    pub depth: u32,
    /// Wall time in milliseconds.
    pub millis: u64,
}

/// Takes the text of a warning.
pub type WarningSink = Box<dyn FnMut(&str) + Send>;

/// What calls stand in. Cheap to share; every door makes one and may hand the same to many calls.
pub struct Context {
    generator: SharedGenerator,
    sink: Mutex<Box<dyn Write + Send>>,
    warnings: Mutex<Option<WarningSink>>,
    /// The layers that are on for every thread.
    layers: AtomicU8,
    default_dtype: AtomicU8,
    stop: Arc<Stop>,
    /// What runs without limits stand under.
    unlimited: Arc<Watch>,
    limits: Mutex<Limits>,
    /// Whether any of the limits is set.
    limited: AtomicBool,
    capture: Mutex<Option<Arc<dyn crate::Observer>>>,
    gradients: OnceLock<Arc<dyn crate::Gradients>>,
    remote: Mutex<Option<Arc<dyn crate::Remote>>>,
    counters: Mutex<Option<Arc<crate::Counters>>>,
    me: OnceLock<Weak<Context>>,
    files: Mutex<Option<Arc<dyn Files>>>,
}

/// Who may stop running calls of a context.
#[derive(Default)]
struct Stop {
    cancelled: AtomicBool,
    host: Option<Arc<dyn Supervisor>>,
}

impl Supervisor for Stop {
    fn look(&self) -> Result<()> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Fault::runtime("the program was asked to stop"));
        }
        self.host.as_ref().map_or(Ok(()), |host| host.look())
    }

    fn needs_ticks(&self) -> bool {
        self.host.as_ref().is_some_and(|host| host.needs_ticks())
    }
}

/// A random stream of its own, to be shared.
pub fn shared_generator(seed: u64) -> SharedGenerator {
    Arc::new(Mutex::new(Generator::new(seed)))
}

/// The seed of a context that was not given one: the reference's default.
pub const DEFAULT_SEED: u64 = 67280421310721;

impl Context {
    /// A context whose `print` goes to `sink`.
    pub fn new(sink: Box<dyn Write + Send>) -> Context {
        let stop = Arc::new(Stop::default());
        Context {
            generator: Arc::new(Mutex::new(Generator::new(DEFAULT_SEED))),
            sink: Mutex::new(sink),
            warnings: Mutex::new(None),
            layers: AtomicU8::new(0),
            default_dtype: AtomicU8::new(DType::F32 as u8),
            unlimited: Arc::new(Watch::new().with_supervisor(Some(stop.clone()))),
            stop,
            limits: Mutex::new(Limits::default()),
            limited: AtomicBool::new(false),
            capture: Mutex::new(None),
            gradients: OnceLock::new(),
            remote: Mutex::new(None),
            counters: Mutex::new(None),
            me: OnceLock::new(),
            files: Mutex::new(None),
        }
    }

    /// The context as one that other threads can share: what a call needs so that its forks may run beside it.
    pub fn shared(self) -> Arc<Context> {
        let context = Arc::new(self);
        let _ = context.me.set(Arc::downgrade(&context));
        context
    }

    /// The handle that [`Context::shared`] has given out.
    pub fn handle(&self) -> Option<Arc<Context>> {
        self.me.get()?.upgrade()
    }

    /// A context that prints nothing.
    pub fn silent() -> Context {
        Context::new(Box::new(std::io::sink()))
    }

    /// The default random stream.
    pub fn generator(&self) -> &SharedGenerator {
        &self.generator
    }

    /// Restarts the default random stream.
    pub fn manual_seed(&self, seed: u64) {
        *self.generator.lock() = Generator::new(seed);
    }

    /// The seed the default random stream was started from.
    pub fn initial_seed(&self) -> u64 {
        self.generator.lock().seed()
    }

    /// Writes text that a script prints. Errors of the sink are dropped, as by the reference.
    pub fn print(&self, text: &str) {
        let mut sink = self.sink.lock();
        let _ = sink.write_all(text.as_bytes());
        let _ = sink.flush();
    }

    /// Replaces the sink.
    pub fn set_sink(&self, sink: Box<dyn Write + Send>) {
        *self.sink.lock() = sink;
    }

    /// Hands a warning to whoever listens; nobody does until [`Context::set_warning_sink`] is called.
    pub fn warn(&self, message: &str) {
        if let Some(sink) = &mut *self.warnings.lock() {
            sink(message);
        }
    }

    /// Sets who hears warnings.
    pub fn set_warning_sink(&self, sink: Option<WarningSink>) {
        *self.warnings.lock() = sink;
    }

    /// The dtype of floats without one.
    pub fn default_dtype(&self) -> DType {
        DType::from_code(self.default_dtype.load(Ordering::Relaxed) as i64).unwrap_or(DType::F32)
    }

    /// Sets the dtype of floats without one.
    pub fn set_default_dtype(&self, dtype: DType) {
        self.default_dtype.store(dtype as u8, Ordering::Relaxed);
    }

    /// Whether somebody sees every call of this thread.
    #[inline]
    pub fn is_watched(&self) -> bool {
        self.layers() & (Layer::Trace as u8 | Layer::Profile as u8) != 0
    }

    /// Whether calls of this thread are recorded as a graph.
    #[inline]
    pub fn is_traced(&self) -> bool {
        self.layers() & Layer::Trace as u8 != 0
    }

    /// Which layers are on for calls of this thread, as bits of [`Layer`].
    #[inline(always)]
    pub fn layers(&self) -> u8 {
        self.layers.load(Ordering::Relaxed) | modes::current().watched
    }

    /// Turns a layer on or off: those that watch calls for this thread, others for all.
    pub fn set_layer(&self, layer: Layer, on: bool) {
        if layer.watches() {
            let mut modes = modes::current();
            modes.watched = match on {
                true => modes.watched | layer as u8,
                false => modes.watched & !(layer as u8),
            };
            modes.enter();
        } else if on {
            self.layers.fetch_or(layer as u8, Ordering::Relaxed);
        } else {
            self.layers.fetch_and(!(layer as u8), Ordering::Relaxed);
        }
    }

    /// The observer of calls (the tracer, a profiler).
    pub fn observer(&self) -> Option<Arc<dyn crate::Observer>> {
        self.capture.lock().clone()
    }

    /// Sets the observer of calls.
    pub fn set_observer(&self, observer: Option<Arc<dyn crate::Observer>>) {
        *self.capture.lock() = observer;
    }

    /// Tells a trace that a tensor is what another was, of this identity.
    pub fn given_again(&self, tensor: &rushlight_tensor::Tensor, identity: usize) {
        if self.is_traced()
            && let Some(observer) = self.observer()
        {
            observer.given_again(tensor, identity);
        }
    }

    /// Does work that has a name of its own, which an observer of [`Layer::Profile`] sees.
    pub fn named_work<T>(
        &self,
        name: std::fmt::Arguments<'_>,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        if self.layers() & Layer::Profile as u8 == 0 {
            return work();
        }
        let observer = self.observer();
        if let Some(observer) = &observer {
            observer.enter(name.to_string());
        }
        let outcome = work();
        if let Some(observer) = &observer {
            observer.leave();
        }
        outcome
    }

    /// What reaches other processes.
    pub fn remote(&self) -> Result<Arc<dyn crate::Remote>> {
        self.remote.lock().clone().ok_or_else(|| {
            Fault::runtime(
                "RPC has not been initialized. Call torch.distributed.rpc.init_rpc first.",
            )
        })
    }

    /// Sets what reaches other processes.
    pub fn set_remote(&self, remote: Option<Arc<dyn crate::Remote>>) {
        *self.remote.lock() = remote;
    }

    /// Who counts what scripts count, if anybody does.
    pub fn counters(&self) -> Option<Arc<crate::Counters>> {
        self.counters.lock().clone()
    }

    /// Sets who counts what scripts count.
    pub fn set_counters(&self, counters: Option<Arc<crate::Counters>>) {
        *self.counters.lock() = counters;
    }

    /// The gradient engine, if there is one.
    #[inline]
    pub fn gradients(&self) -> Option<&Arc<dyn crate::Gradients>> {
        self.gradients.get()
    }

    /// Gives the context a gradient engine; the first one stays. Calls are recorded while [`Layer::Gradient`] is on.
    pub fn set_gradients(&self, engine: Arc<dyn crate::Gradients>) {
        let _ = self.gradients.set(engine);
    }

    /// Whether this thread records gradients.
    #[inline]
    pub fn grad_enabled(&self) -> bool {
        modes::current().grad
    }

    /// Turns recording of gradients on or off for this thread and returns the state before.
    pub fn set_grad_enabled(&self, on: bool) -> bool {
        let before = modes::current();
        Modes { grad: on, ..before }.enter();
        before.grad
    }

    /// Whether this thread is in inference mode.
    pub fn inference_mode(&self) -> bool {
        modes::current().inference
    }

    /// Turns inference mode on or off for this thread and returns the state before.
    pub fn set_inference_mode(&self, on: bool) -> bool {
        let before = modes::current();
        Modes {
            inference: on,
            ..before
        }
        .enter();
        before.inference
    }

    /// Asks running calls to stop with an error.
    pub fn cancel(&self, on: bool) {
        self.stop.cancelled.store(on, Ordering::Relaxed);
        if on {
            watch::attention();
        }
    }

    /// Whether running calls have been asked to stop.
    #[inline(always)]
    pub fn is_cancelled(&self) -> bool {
        self.stop.cancelled.load(Ordering::Relaxed)
    }

    /// Sets who is asked, a hundred times a second, whether the running call is to stop: a host that has signals to
    /// see to. Once for a context.
    pub fn set_supervisor(&mut self, supervisor: Arc<dyn Supervisor>) {
        self.stop = Arc::new(Stop {
            cancelled: AtomicBool::new(self.is_cancelled()),
            host: Some(supervisor),
        });
        self.unlimited = Arc::new(Watch::new().with_supervisor(Some(self.stop.clone())));
    }

    /// Runs work under the limits of this context and turns whatever leaves it (limits, panics) into an error. What
    /// runs inside other such work counts for that.
    #[inline]
    pub fn supervise<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        if watch::is_watched() {
            return memory::catching(work);
        }
        let limits = match self.limited.load(Ordering::Relaxed) {
            true => self.limits(),
            false => Limits::default(),
        };
        self.supervise_anew(limits, work)
    }

    /// As [`Context::supervise`], under limits of its own, which begin to count now.
    pub fn supervise_anew<T>(&self, limits: Limits, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let watch = self.watch(limits);
        let _in_force = watch.enter();
        memory::catching(work)
    }

    /// A watch for a run under these limits, which begin to count now.
    pub fn watch(&self, limits: Limits) -> Arc<Watch> {
        if limits.bytes == 0 && limits.millis == 0 && limits.instructions == 0 {
            return self.unlimited.clone();
        }
        Arc::new(
            Watch::new()
                .with_time(Duration::from_millis(limits.millis))
                .with_bytes(limits.bytes)
                .with_instructions(limits.instructions)
                .with_supervisor(Some(self.stop.clone())),
        )
    }

    /// Sets which files scripts may read and write. There are none until this is called.
    pub fn allow_files(&self, files: Option<Arc<dyn Files>>) {
        *self.files.lock() = files;
    }

    /// The files that scripts may use, on behalf of an operator, which the error names where there are none.
    pub fn files(&self, operator: &str) -> Result<Arc<dyn Files>> {
        let files = self.files.lock().clone();
        files.ok_or_else(|| files::refused(operator))
    }

    /// The limits in force.
    pub fn limits(&self) -> Limits {
        *self.limits.lock()
    }

    /// Sets the limits of calls that begin from now on.
    pub fn set_limits(&self, limits: Limits) {
        *self.limits.lock() = limits;
        self.limited
            .store(limits != Limits::default(), Ordering::Relaxed);
    }
}

const _: fn() = || {
    fn shared<T: Send + Sync>() {}
    shared::<Context>();
};
