//! `rushlight run`: a method of an archive or a function of a source file, on arguments from the command line.

use super::{Target, open};
use crate::{Done, Failure, argument, chart, media, show};
use rushlight::types::{Callable, Schema};
use rushlight::{Fault, Value};
use std::io::Write;
use std::path::PathBuf;

/// What to run, on what, and where the result goes.
pub struct Request {
    pub target: String,
    pub arguments: Vec<String>,
    pub method: String,
    pub file: Option<PathBuf>,
    pub seed: Option<u64>,
}

/// Runs the request.
pub fn run(request: &Request, out: &mut dyn Write) -> Done {
    let target = open(&request.target)?;
    let context = match &target {
        Target::Archive(module) => module.context().clone(),
        Target::Script(script, _) => script.context().clone(),
    };
    if let Some(seed) = request.seed {
        context.manual_seed(seed);
    }
    let arguments = request
        .arguments
        .iter()
        .map(|a| argument::value(a))
        .collect::<Done<Vec<Value>>>()?;
    let (result, labels) = match &target {
        Target::Archive(module) => {
            let method = module
                .method(&request.method)
                .map_err(|e| Failure(e.message().to_string()))?;
            let result = module.call(&request.method, &arguments);
            (explain(result, &method.schema())?, chart::labels(module))
        }
        Target::Script(script, name) => {
            let name = match name {
                Some(name) => name.clone(),
                None => only_function(script)?,
            };
            let function = script
                .get(&name)
                .ok_or_else(|| super::graph::unknown_function(script, &name))?;
            (
                explain(function.call(&arguments), &function.schema())?,
                None,
            )
        }
    };
    match &request.file {
        Some(path) => {
            media::write(path, &result)?;
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
