//! From a derivative's expression to a function that runs.

use crate::Engine;
use crate::rules::{Formula, HELPERS, Read, words};
use rushlight_frontend::script::Compiler;
use rushlight_frontend::source_file;
use rushlight_ir::Function;
use rushlight_syntax::{Diagnostic, Source};
use rushlight_tensor::{Fault, Result};
use rushlight_types::{Operator, Schema};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The source of a formula: a function of what it reads.
fn source(schema: &Schema, formula: &Formula) -> String {
    let parameters: Vec<String> = formula
        .reads
        .iter()
        .map(|read: &Read| {
            let (name, annotation) = read.parameter(schema);
            format!("{name}: {annotation}")
        })
        .collect();
    format!(
        "{}\n\ndef derivative({}):\n    return {}\n",
        helpers(formula.expression),
        parameters.join(", "),
        formula.expression
    )
}

/// The helper functions that an expression needs, with those that they need.
fn helpers(expression: &str) -> String {
    let mut parts = HELPERS.split("\ndef ");
    let head = parts.next().unwrap_or_default();
    let functions: Vec<(&str, &str)> = parts
        .filter_map(|text| Some((text.split_once('(')?.0, text)))
        .collect();
    let mut wanted: Vec<&str> = Vec::new();
    let mut waiting = vec![expression];
    while let Some(text) = waiting.pop() {
        for word in words(text) {
            if let Some((name, body)) = functions.iter().find(|(name, _)| *name == word)
                && !wanted.contains(name)
            {
                wanted.push(name);
                waiting.push(body);
            }
        }
    }
    let mut source = head.to_string();
    for (_, body) in functions.iter().filter(|(name, _)| wanted.contains(name)) {
        source.push_str("\ndef ");
        source.push_str(body);
    }
    source
}

fn fault(operator: &Operator, problem: &Diagnostic) -> Fault {
    Fault::internal(format!(
        "the derivative of {} does not compile: {}",
        operator.full_name(),
        problem.message
    ))
}

/// The function of a formula, compiled at the first call.
pub(crate) fn function(
    engine: &Engine,
    operator: &'static Operator,
    formula: &Formula,
) -> Result<Arc<Function>> {
    if let Some(known) = &*formula.compiled.lock() {
        return Ok(known.clone());
    }
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let source = Source::new("derivatives.py", source(operator.schema(), formula));
    let compiler = Compiler::new(engine.parts().unit.clone(), engine.parts().table);
    let prefix = format!("__derivatives__.n{}", COUNT.fetch_add(1, Ordering::Relaxed));
    let (loaded, problems) = source_file::load(&compiler, &source, &prefix);
    if let Some(problem) = problems.first() {
        return Err(fault(operator, problem));
    }
    let found = loaded
        .functions
        .iter()
        .find(|(name, _)| &**name == "derivative");
    let (_, function) =
        found.ok_or_else(|| Fault::internal("a derivative without its function"))?;
    compiler
        .compile(function)
        .map_err(|problem| fault(operator, &problem))?;
    *formula.compiled.lock() = Some(function.clone());
    Ok(function.clone())
}
