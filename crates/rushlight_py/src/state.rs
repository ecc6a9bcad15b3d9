//! What the process holds: the default context, the unit of scripted functions, and the Python classes that values
//! come back as.

use crate::{errors, seams};
use pyo3::prelude::*;
use rushlight::Fault;
use rushlight::frontend::script::Compiler;
use rushlight::ir::Unit;
use rushlight::tensor::watch::Supervisor;
use rushlight::types::{Context, Layer, Operator, Type};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::io::Write;
use std::rc::Rc;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

/// Writes to Python's `sys.stdout`, so that script and program output come in order.
struct PythonStdout;

impl Write for PythonStdout {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        Python::attach(|py| {
            let stdout = py.import("sys")?.getattr("stdout")?;
            stdout.call_method1("write", (text,)).map(drop)
        })
        .map_err(|e: PyErr| std::io::Error::other(e.to_string()))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Sees to Python's signals on the main thread, so that Ctrl-C stops a script or a kernel.
struct Signals {
    main: std::thread::ThreadId,
}

impl Signals {
    /// For the program's main thread, which is the one that imports the library first.
    fn new() -> Signals {
        static MAIN: OnceLock<std::thread::ThreadId> = OnceLock::new();
        Signals {
            main: *MAIN.get_or_init(|| std::thread::current().id()),
        }
    }
}

impl Supervisor for Signals {
    fn look(&self) -> Result<(), Fault> {
        // Handlers of signals run on the main thread alone; others would only wait for the interpreter's lock.
        if std::thread::current().id() != self.main {
            return Ok(());
        }
        Python::attach(|py| py.check_signals().map_err(errors::interrupt))
    }
}

/// The default context.
pub fn context() -> &'static Arc<Context> {
    static CONTEXT: OnceLock<Arc<Context>> = OnceLock::new();
    CONTEXT.get_or_init(|| {
        let mut context = Context::new(Box::new(PythonStdout));
        context.set_supervisor(Arc::new(Signals::new()));
        context.set_gradients(rushlight::gradients());
        context.set_layer(Layer::Gradient, true);
        context.set_warning_sink(Some(Box::new(crate::warnings::hear)));
        Arc::new(context)
    })
}

/// The context of a call that the program itself makes. Python reaches files anyhow, so that such a call may, too; scripts
/// may not.
pub fn context_for(operator: &Operator) -> &'static Context {
    static WITH_FILES: OnceLock<Context> = OnceLock::new();
    let context = context();
    if operator.name() != "aten::from_file" || context.layers() & Layer::Trace as u8 != 0 {
        return context;
    }
    let with_files = WITH_FILES.get_or_init(|| {
        let context = Context::silent();
        context.allow_files(Some(Arc::new(rushlight::Folder::everywhere())));
        context
    });
    with_files.set_default_dtype(context.default_dtype());
    with_files
}

fn current_unit() -> &'static RwLock<&'static Arc<Unit>> {
    static UNIT: OnceLock<RwLock<&'static Arc<Unit>>> = OnceLock::new();
    UNIT.get_or_init(|| RwLock::new(Box::leak(Box::new(rushlight::new_unit()))))
}

/// The unit of everything scripted in this process, since the last time that a program began anew.
pub fn unit() -> &'static Arc<Unit> {
    let current = current_unit().read();
    *current.unwrap_or_else(PoisonError::into_inner)
}

/// Begins anew: what is scripted from here on knows nothing of what was scripted before, and has all names to itself.
/// What was made before lives on.
pub fn renew_unit() {
    let fresh = Box::leak(Box::new(rushlight::new_unit()));
    *current_unit()
        .write()
        .unwrap_or_else(PoisonError::into_inner) = fresh;
}

/// Keeps a unit for good, because values of its classes become parts of what is scripted here: that of an archive.
pub fn keep_unit(other: &Arc<Unit>) {
    static KEPT: Mutex<Vec<Arc<Unit>>> = Mutex::new(Vec::new());
    if Arc::ptr_eq(unit(), other) {
        return;
    }
    if let Ok(mut kept) = KEPT.lock()
        && !kept.iter().any(|known| Arc::ptr_eq(known, other))
    {
        kept.push(other.clone());
    }
}

thread_local! {
    static COMPILER: RefCell<Option<Rc<Compiler>>> = RefCell::default();
    static INLINES_CALLS: Cell<bool> = const { Cell::new(false) };
    static TYPES: RefCell<HashMap<usize, Scripted>> = RefCell::default();
}

/// A Python class and the type that it was scripted to, in a unit.
struct Scripted {
    class: Py<PyAny>,
    ty: Type,
    unit: &'static Arc<Unit>,
}

/// This thread's compiler into the unit.
pub fn compiler() -> Rc<Compiler> {
    COMPILER.with_borrow_mut(|known| match known {
        Some(compiler) if Arc::ptr_eq(&compiler.unit, unit()) => compiler.clone(),
        _ => {
            let compiler = Compiler::new(unit().clone(), rushlight::table());
            let compiler = Rc::new(match seams::library() {
                Some(library) => compiler.with_library(library),
                None => compiler,
            });
            compiler.set_inlines_calls(INLINES_CALLS.get());
            known.insert(compiler).clone()
        }
    })
}

/// Sets whether what this thread compiles and traces from here on has the bodies of functions in place of calls of them.
#[pyfunction]
pub fn set_inlines_calls(on: bool) {
    INLINES_CALLS.set(on);
    compiler().set_inlines_calls(on);
}

/// See [`set_inlines_calls`].
#[pyfunction]
pub fn inlines_calls() -> bool {
    INLINES_CALLS.get()
}

/// The type that a Python class was scripted to.
pub fn known_type(class: &Bound<'_, PyAny>) -> Option<Type> {
    TYPES.with_borrow(|types| {
        let known = types.get(&(class.as_ptr() as usize))?;
        Arc::ptr_eq(known.unit, unit()).then(|| known.ty.clone())
    })
}

/// Remembers what a Python class was scripted to, and the class that values of the type come back as.
pub fn remember_type(class: &Bound<'_, PyAny>, name: &str, ty: Type) {
    TYPES.with_borrow_mut(|types| {
        let scripted = Scripted {
            class: class.clone().unbind(),
            ty,
            unit: unit(),
        };
        types.insert(scripted.class.as_ptr() as usize, scripted)
    });
    remember_class(name, class);
}

/// Forgets a class whose scripting failed.
pub fn forget_type(class: &Bound<'_, PyAny>) {
    TYPES.with_borrow_mut(|types| types.remove(&(class.as_ptr() as usize)));
}

fn classes() -> &'static Mutex<HashMap<String, Py<PyAny>>> {
    static CLASSES: OnceLock<Mutex<HashMap<String, Py<PyAny>>>> = OnceLock::new();
    CLASSES.get_or_init(Mutex::default)
}

/// Remembers the Python class that values of a named type come back as.
pub fn remember_class(name: &str, class: &Bound<'_, PyAny>) {
    if let Ok(mut classes) = classes().lock() {
        classes.insert(name.to_string(), class.clone().unbind());
    }
}

/// The Python class of a named type.
pub fn class_of<'py>(py: Python<'py>, name: &str) -> Option<Bound<'py, PyAny>> {
    classes()
        .lock()
        .ok()?
        .get(name)
        .map(|class| class.bind(py).clone())
}

/// The command line: what the wheel's console script runs.
#[pyfunction]
pub fn run_command(py: Python<'_>, arguments: Vec<String>) -> i32 {
    let all = std::iter::once("rushlight".to_string())
        .chain(arguments)
        .map(std::ffi::OsString::from);
    let all: Vec<std::ffi::OsString> = all.collect();
    py.detach(|| {
        rushlight_cli::run_command(
            all,
            &mut std::io::stdout(),
            &mut std::io::stderr(),
            Some(Arc::new(Signals::new())),
        )
    })
}
