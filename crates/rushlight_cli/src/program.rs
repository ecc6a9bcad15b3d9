//! A function ready to be called: a method of an archive or a function of a source file, made for a device and a precision.

use crate::command::{self, Opened, made_for};
use crate::limits::Guard;
use crate::{Done, Failure, abbreviate, argument, chart, files};
use clap::Args;
use rushlight::ir::Function;
use rushlight::types::{Callable, DEFAULT_SEED, Schema, warning};
use rushlight::{Context, DType, Fault, Folder, Value};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The method that is called where none is named.
const FORWARD: &str = "forward";

/// What to call and with what, as options.
#[derive(Args, Debug, Clone)]
pub struct Call {
    /// FILE.pt, or FILE.py:FUNCTION
    pub target: String,
    /// Arguments: expressions, or @FILE; NAME=... gives one by its name
    pub arguments: Vec<String>,
    /// The method of an archive to run
    #[arg(long, default_value = FORWARD)]
    pub method: String,
}

impl Call {
    /// Opens what is to be called.
    pub fn open(&self, making: &Making, guard: &Guard, errors: &mut dyn Write) -> Done<Program> {
        Program::open(&self.target, &self.method, making, guard.trusts(), errors)
    }

    /// The arguments of a program as values.
    pub fn values(&self, program: &Program) -> Done<Vec<Value>> {
        let schema = program.schema();
        let own = usize::from(program.receiver.is_some());
        let formal = schema.arguments.get(own..).unwrap_or_default();
        let reader = program.reader()?;
        reader.arranged(&self.arguments, formal)
    }

    /// The file and what is called of it.
    pub fn name(&self) -> String {
        let (path, function) = command::split(&self.target);
        let file = files::shown(Path::new(&path));
        let file = Path::new(&file).file_name().unwrap_or_default();
        let file = file.to_string_lossy();
        match function {
            Some(function) => format!("{file}:{function}"),
            None if path.ends_with(".py") => file.into_owned(),
            None => format!("{file} {}", self.method),
        }
    }
}

/// What surrounds a run, as options.
#[derive(Args, Debug, Clone, Default)]
pub struct Making {
    /// Start the random stream from this seed
    #[arg(long)]
    pub seed: Option<u64>,
    /// Make an archive run on another device than it was traced for: cpu
    #[arg(long)]
    pub device: Option<String>,
    /// Make an archive run in another precision: float32, float64, float16 or bfloat16
    #[arg(long)]
    pub dtype: Option<String>,
    /// Let the code read and write files below this folder; without it, none
    #[arg(long)]
    pub files: Option<PathBuf>,
}

impl Making {
    /// The precision that was asked for.
    pub fn dtype(&self) -> Done<Option<DType>> {
        Ok(made_for(None, self.dtype.as_deref())?.dtype)
    }
}

/// A function and what it is called with besides its arguments.
pub struct Program {
    target: Opened,
    function: Arc<Function>,
    /// From which place on arguments go by name alone, and their names.
    by_name: Option<(usize, Vec<String>)>,
    receiver: Option<Value>,
    context: Arc<Context>,
    making: Making,
}

impl Program {
    /// Opens FILE.pt, whose method is to run, or FILE.py:FUNCTION. What was changed to make an archive run is said on `errors`.
    pub fn open(
        target: &str,
        method: &str,
        making: &Making,
        trust: bool,
        errors: &mut dyn Write,
    ) -> Done<Program> {
        let opened = command::open(target, |path| command::load(path, trust))?;
        let wanted = made_for(making.device.as_deref(), making.dtype.as_deref())?;
        if let Opened::Archive(module) = &opened {
            let changes = module.retarget(&wanted);
            if !changes.is_empty() {
                writeln!(errors, "{changes}")?;
            }
        } else if wanted != Default::default() {
            return Err(Failure(
                "--device and --dtype change archives; in source, write the device and dtype there"
                    .into(),
            ));
        }
        Program::of(opened, method, making)
    }

    /// The function of a target that is to run.
    pub fn of(target: Opened, method: &str, making: &Making) -> Done<Program> {
        let (function, receiver, context) = match &target {
            Opened::Archive(module) => {
                let found = module.method(method);
                let function = found.map_err(|e| Failure(e.message().to_string()))?;
                let receiver = Value::Object(module.object().clone());
                (function, Some(receiver), module.context().clone())
            }
            Opened::Script(..) if method != FORWARD => {
                return Err(Failure(
                    "--method names a method of an archive; a function of a source file stands behind it, as FILE.py:FUNCTION"
                        .into(),
                ));
            }
            Opened::Script(script, name) => {
                let name = match name {
                    Some(name) => name.clone(),
                    None => only_function(script)?,
                };
                let found = script.get(&name);
                let found = found.ok_or_else(|| command::graph::unknown_function(script, &name))?;
                (found.function().clone(), None, script.context().clone())
            }
        };
        let schema = function.schema();
        let formal = &schema.arguments;
        let first = formal.iter().position(|formal| formal.kwarg_only);
        let by_name = first.map(|first| {
            let names = formal[first..].iter().map(|formal| formal.name.to_string());
            (first, names.collect())
        });
        let program = Program {
            target,
            function,
            by_name,
            receiver,
            context,
            making: making.clone(),
        };
        program.furnish(&program.context);
        Ok(program)
    }

    /// Gives a context the seed and the files that were asked for.
    fn furnish(&self, context: &Context) {
        if let Some(folder) = &self.making.files {
            context.allow_files(Some(Arc::new(Folder::new(folder))));
        }
        if let Some(seed) = self.making.seed {
            context.manual_seed(seed);
        }
    }

    /// Makes what it prints go elsewhere than to the standard output, where that is for somebody who reads one document.
    pub fn print_to(&self, sink: impl Write + Send + 'static) {
        self.context.set_sink(Box::new(sink));
    }

    /// The context that came with the target.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// A context of its own for a thread.
    pub fn own_context(&self) -> Context {
        let context = Context::new(Box::new(std::io::stdout()));
        self.furnish(&context);
        context
    }

    /// Starts the random stream as it starts for the first call.
    pub fn restart_random(&self, context: &Context) {
        context.manual_seed(self.making.seed.unwrap_or(DEFAULT_SEED));
    }

    /// The precision that it was made to run in, if one was asked for.
    pub fn dtype(&self) -> Done<Option<DType>> {
        self.making.dtype()
    }

    /// What reads arguments for it.
    pub fn reader(&self) -> Done<argument::Reader> {
        Ok(argument::Reader::new(self.dtype()?, self.making.seed))
    }

    /// How the function is called.
    pub fn schema(&self) -> Arc<Schema> {
        self.function.schema()
    }

    /// The names of the classes that a module tells apart.
    pub fn labels(&self) -> Option<Vec<String>> {
        match &self.target {
            Opened::Archive(module) => chart::labels(module),
            Opened::Script(..) => None,
        }
    }

    /// Calls the function. Arguments are checked against its schema and defaults filled in.
    pub fn call(&self, context: &Context, arguments: &[Value]) -> Result<Value, Fault> {
        let mut positional: Vec<Value> = self.receiver.iter().chain(arguments).cloned().collect();
        let named = match &self.by_name {
            Some((first, names)) if *first < positional.len() => {
                let rest = positional.split_off(*first);
                names.iter().cloned().zip(rest).collect()
            }
            _ => Vec::new(),
        };
        rushlight::runtime::invoke::call(&*self.function, context, positional, named)
    }

    /// The error of a call as a person reads it; wrong arguments show the schema.
    pub fn explain(&self, fault: &Fault) -> Failure {
        let text = abbreviate::message(&rushlight::runtime::error_text(fault));
        let declared = format!("{}", self.schema());
        if fault.trace().is_none() && !text.contains(&declared) {
            return Failure(format!("{text}\nIt is called as: {declared}"));
        }
        Failure(text)
    }

    /// Calls the function in its own context, and says on `errors` what it warned of.
    pub fn run(&self, arguments: &[Value], errors: &mut dyn Write) -> Done<Value> {
        let warnings = listen(&self.context);
        let outcome = self.call(&self.context, arguments);
        for line in taken(&warnings) {
            writeln!(errors, "{line}")?;
        }
        outcome.map_err(|fault| self.explain(&fault))
    }
}

fn only_function(script: &rushlight::Script) -> Done<String> {
    match script.functions().as_slice() {
        [only] => Ok(only.name().to_string()),
        many => {
            let names: Vec<String> = many.iter().map(|f| f.name().to_string()).collect();
            Err(Failure(format!(
                "say which function to run, as FILE.py:FUNCTION; this file has: {}",
                names.join(", ")
            )))
        }
    }
}

/// Warnings that a context has heard, each as the line that Python would show.
pub type Warnings = Arc<Mutex<Vec<String>>>;

/// Keeps the warnings of runs in a context.
pub fn listen(context: &Context) -> Warnings {
    let lines = Warnings::default();
    let sink = lines.clone();
    context.set_warning_sink(Some(Box::new(move |message| {
        let line = match warning::place() {
            Some(place) => format!("{}:{}: UserWarning: {message}", place.file, place.line),
            None => format!("UserWarning: {message}"),
        };
        let mut lines = sink.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push(line);
    })));
    lines
}

/// The warnings so far, which are forgotten.
pub fn taken(warnings: &Warnings) -> Vec<String> {
    std::mem::take(&mut *warnings.lock().unwrap_or_else(PoisonError::into_inner))
}
