//! `rushlight run`: a method of an archive or a function of a source file, on arguments from the command line.

use super::{Target, made_for, open};
use crate::{Done, Failure, argument, chart, media, show};
use rushlight::types::{Callable, Schema, warning};
use rushlight::{Context, Fault, Folder, Value};
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// What to run, on what, and where the result goes.
pub struct Request {
    pub target: String,
    pub arguments: Vec<String>,
    pub method: String,
    pub file: Option<PathBuf>,
    pub seed: Option<u64>,
    /// The device and the precision that an archive is to be made for.
    pub device: Option<String>,
    pub dtype: Option<String>,
    /// Whether the archive is trusted.
    pub trust: bool,
    /// The folder that scripts may read and write files in.
    pub files: Option<PathBuf>,
}

/// Runs the request. What was changed to make an archive run is said on `errors`.
pub fn run(request: &Request, out: &mut dyn Write, errors: &mut dyn Write) -> Done {
    let target = open(&request.target, |path| super::load(path, request.trust))?;
    let wanted = made_for(request.device.as_deref(), request.dtype.as_deref())?;
    if let Target::Archive(module) = &target {
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
    let context = match &target {
        Target::Archive(module) => module.context().clone(),
        Target::Script(script, _) => script.context().clone(),
    };
    if let Some(folder) = &request.files {
        context.allow_files(Some(Arc::new(Folder::new(folder))));
    }
    if let Some(seed) = request.seed {
        context.manual_seed(seed);
    }
    let arguments = request
        .arguments
        .iter()
        .map(|a| argument::value(a))
        .collect::<Done<Vec<Value>>>()?;
    let warnings = listen(&context);
    let outcome = call(request, &target, &arguments);
    for line in warnings
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .iter()
    {
        writeln!(errors, "{line}")?;
    }
    let (result, labels) = outcome?;
    match &request.file {
        Some(path) => {
            media::write(path, &result)?;
            let out = crate::telling(path, out, errors);
            writeln!(out, "wrote {}", path.display())?;
        }
        None => {
            if !result.is_none() {
                writeln!(out, "{}", show::value(&result))?;
            }
            if let Some(chart) = chart::of(&result, labels.as_deref()) {
                write!(out, "\n{chart}")?;
            }
        }
    }
    Ok(())
}

/// Keeps the warnings of a run, each as the line that Python would show.
fn listen(context: &Context) -> Arc<Mutex<Vec<String>>> {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = lines.clone();
    context.set_warning_sink(Some(Box::new(move |message| {
        let line = match warning::place() {
            Some(place) => format!("{}:{}: UserWarning: {message}", place.file, place.line),
            None => format!("UserWarning: {message}"),
        };
        let lines: &Mutex<Vec<String>> = &sink;
        lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(line);
    })));
    lines
}

/// Runs what the request names: the result, and the names of the classes that the module tells apart.
fn call(
    request: &Request,
    target: &Target,
    arguments: &[Value],
) -> Done<(Value, Option<Vec<String>>)> {
    match target {
        Target::Archive(module) => {
            let method = module
                .method(&request.method)
                .map_err(|e| Failure(e.message().to_string()))?;
            let result = module.call(&request.method, arguments);
            Ok((explain(result, &method.schema())?, chart::labels(module)))
        }
        Target::Script(script, name) => {
            let name = match name {
                Some(name) => name.clone(),
                None => only_function(script)?,
            };
            let function = script
                .get(&name)
                .ok_or_else(|| super::graph::unknown_function(script, &name))?;
            let result = explain(function.call(arguments), &function.schema())?;
            Ok((result, None))
        }
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

/// The value, or the error as a person reads it; wrong arguments show the schema.
fn explain(result: Result<Value, Fault>, schema: &Schema) -> Done<Value> {
    result.map_err(|fault| {
        let text = rushlight::runtime::error_text(&fault);
        let about_arguments = fault.trace().is_none();
        let declared = format!("{schema}");
        if about_arguments && !text.contains(&declared) {
            return Failure(format!("{text}\nIt is called as: {declared}"));
        }
        Failure(text)
    })
}
