//! `rushlight graph`: graphs as text or as a picture.

use super::{Target, about, open};
use crate::{Done, Failure, svg};
use rushlight::ir::{Function, Graph};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// What stands below the options in the help.
pub const HELP: &str = "\
Examples:
  rushlight graph model.pt
  rushlight graph model.pt --method scores --inlined
  rushlight graph primes.py:primes --svg primes.svg
  rushlight graph primes.py:primes --after tuples";

/// Prints (or draws) the graphs of a target.
pub fn run(
    target: &str,
    method: &str,
    inlined: bool,
    after: Option<&str>,
    picture: Option<&Path>,
    out: &mut dyn Write,
) -> Done {
    let unfinished = after.map(|pass| super::pass::after(target, pass));
    // Functions do not keep the unit that their calls are looked up in.
    let opened = match unfinished {
        Some(_) => None,
        None => Some(open(target, super::examine)?),
    };
    let (_unit, unfinished) = unfinished.transpose()?.unzip();
    let functions: Vec<Arc<Function>> = match &opened {
        None => unfinished.unwrap_or_default(),
        Some(Target::Archive(module)) => vec![
            module
                .method(method)
                .map_err(|e| Failure(e.message().to_string()))?,
        ],
        Some(Target::Script(script, Some(name))) => {
            let found = script
                .get(name)
                .ok_or_else(|| unknown_function(script, name))?;
            vec![found.function().clone()]
        }
        Some(Target::Script(script, None)) => script
            .functions()
            .iter()
            .map(|f| f.function().clone())
            .collect(),
    };
    for function in &functions {
        let graph: Arc<Graph> = function
            .graph()
            .ok_or_else(|| Failure(format!("{} has no graph", function.basename())))?;
        let graph = if inlined {
            rushlight::inlined(&graph, function.unit().as_ref())
        } else {
            graph
        };
        match picture {
            Some(path) => {
                let drawn = svg::draw(function.basename(), &graph);
                rushlight::write_file(path, drawn.as_bytes()).map_err(|e| about(path, e))?;
                writeln!(out, "wrote {}", path.display())?;
            }
            None => {
                if functions.len() > 1 {
                    writeln!(out, "# {}", function.basename())?;
                }
                write!(out, "{}", graph.to_text(true))?;
            }
        }
    }
    Ok(())
}

/// The message for a function that a file does not have.
pub fn unknown_function(script: &rushlight::Script, name: &str) -> Failure {
    let names: Vec<String> = script
        .functions()
        .iter()
        .map(|f| f.name().to_string())
        .collect();
    Failure(format!(
        "there is no function '{name}' in this file; it has: {}",
        names.join(", ")
    ))
}
