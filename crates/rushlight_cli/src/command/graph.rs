//! `rushlight graph`: graphs as text or as a picture.

use super::{Opened, about, open};
use crate::argument::Reader;
use crate::diagram::Picture;
use crate::{Done, Failure};
use clap::Args;
use rushlight::ir::{Function, Graph};
use rushlight::types::{Callable, Object};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What stands below the options in the help.
pub const HELP: &str = "\
Examples:
  rushlight graph model.pt
  rushlight graph model.pt --method scores --inlined
  rushlight graph model.pt --inlined --html model.html    a page: search, zoom, fold modules, source beside nodes
  rushlight graph model.pt 'torch.ones(1, 3, 224, 224)' --inlined --svg model.svg    with sizes on the lines
  rushlight graph primes.py:primes --svg primes.svg
  rushlight graph primes.py:primes --after tuples         as a pass of the clean-up leaves it

In pictures, data flows from top to bottom. Constants and attributes are written into the boxes that use them; calls that
--inlined puts in place, branches and loops are boxes around others. Checks that only raise are left out, and arms that
the module as it is saved does not take.";

/// What the command line says.
#[derive(Args, Debug)]
pub struct Options {
    /// FILE.pt, FILE.py or FILE.py:FUNCTION
    target: String,
    /// Arguments as `run` takes them: pictures then show the sizes of all tensors that follow from theirs
    arguments: Vec<String>,
    /// The method of an archive
    #[arg(long, default_value = "forward")]
    method: String,
    /// Replace calls of functions and methods by their bodies
    #[arg(long)]
    inlined: bool,
    /// Print it as it is after this pass of the clean-up, or as it comes from the `source`
    #[arg(long, value_name = "PASS")]
    after: Option<String>,
    /// Draw the graph to an SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Draw the graph to a page for a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Draw checks that only raise, and arms that attributes of the module rule out, too
    #[arg(long)]
    all: bool,
}

/// Prints (or draws) the graphs of a target.
pub fn run(options: &Options, out: &mut dyn Write) -> Done {
    let pictures = options.svg.is_some() || options.html.is_some();
    // Functions do not keep the unit that their calls are looked up in.
    let unfinished = options.after.as_deref();
    let unfinished = unfinished.map(|pass| super::pass::after(&options.target, pass));
    let (_unit, unfinished) = unfinished.transpose()?.unzip();
    let opened = match unfinished {
        Some(_) => None,
        None => Some(open(&options.target, super::examine)?),
    };
    let (functions, root): (Vec<Arc<Function>>, Option<&Arc<Object>>) = match &opened {
        None => (unfinished.unwrap_or_default(), None),
        Some(Opened::Archive(module)) => {
            let found = module.method(&options.method);
            let function = found.map_err(|e| Failure(e.message().to_string()))?;
            (vec![function], Some(module.object()))
        }
        Some(Opened::Script(script, Some(name))) => {
            let found = script
                .get(name)
                .ok_or_else(|| unknown_function(script, name))?;
            (vec![found.function().clone()], None)
        }
        Some(Opened::Script(script, None)) => {
            let functions = script.functions();
            let all = functions.iter().map(|f| f.function().clone());
            (all.collect(), None)
        }
    };
    if pictures && functions.len() != 1 {
        let names: Vec<&str> = functions.iter().map(|f| f.basename()).collect();
        return Err(Failure(format!(
            "say which function to draw, as FILE.py:FUNCTION; this file has: {}",
            names.join(", ")
        )));
    }
    let mut files = options.svg.iter().chain(&options.html);
    let to_stream = files.any(|path| rushlight::is_stream(path));
    let arguments = Reader::new(None, None).values(&options.arguments)?;
    if !arguments.is_empty() && !pictures {
        let told =
            "arguments are for pictures, whose sizes follow from them; say --svg or --html, too";
        return Err(Failure(told.into()));
    }
    for function in &functions {
        let takes = function.schema().arguments.len() - usize::from(root.is_some());
        if arguments.len() > takes {
            let (name, given) = (function.basename(), arguments.len());
            return Err(Failure(format!(
                "{name} takes {takes} arguments, {given} are given"
            )));
        }
        let graph: Arc<Graph> = function
            .graph()
            .ok_or_else(|| Failure(format!("{} has no graph", function.basename())))?;
        let graph = if options.inlined {
            rushlight::inlined(&graph, function.unit().as_ref())
        } else {
            graph
        };
        if pictures {
            let picture = Picture::of(
                &title(options, function),
                &graph,
                root,
                &arguments,
                options.all,
            );
            let left_out = picture.left_out().filter(|_| !to_stream);
            if let Some(text) = left_out {
                writeln!(out, "{text} (--all draws them)")?;
            }
            if let Some(path) = &options.svg {
                write(path, &picture.svg(), out)?;
            }
            if let Some(path) = &options.html {
                write(path, &picture.html(), out)?;
            }
        } else {
            if functions.len() > 1 {
                writeln!(out, "# {}", function.basename())?;
            }
            write!(out, "{}", graph.to_text(true))?;
        }
    }
    Ok(())
}

/// What a picture is called: the file, and what is drawn of it.
fn title(options: &Options, function: &Function) -> String {
    let (path, _) = super::split(&options.target);
    let file = Path::new(&path).file_name().unwrap_or_default();
    format!("{}: {}", file.to_string_lossy(), function.basename())
}

fn write(path: &Path, text: &str, out: &mut dyn Write) -> Done {
    rushlight::write_file(path, text.as_bytes()).map_err(|e| about(path, e))?;
    if !rushlight::is_stream(path) {
        writeln!(out, "wrote {}", path.display())?;
    }
    Ok(())
}

/// The message for a function that a file does not have.
pub fn unknown_function(script: &rushlight::Script, name: &str) -> Failure {
    let functions = script.functions();
    let names: Vec<&str> = functions.iter().map(|f| f.name()).collect();
    no_function(name, &names)
}

/// The failure of a name that no function has, where these do.
pub fn no_function(name: &str, names: &[&str]) -> Failure {
    Failure(format!(
        "there is no function '{name}' in this file; it has: {}",
        names.join(", ")
    ))
}
