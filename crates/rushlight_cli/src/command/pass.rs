//! `rushlight pass`: passes by name, run over a graph that is then printed.

use super::graph::unknown_function;
use super::{Opened, about, open, source, split};
use crate::{Done, Failure, files};
use clap::Args;
use rushlight::ir::parse::Lookup;
use rushlight::ir::passes::{PASSES, PassRun};
use rushlight::ir::pipeline::{Pipeline, Record, TIDY};
use rushlight::ir::{Function, Graph, Unit, verify};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// What stands below the options in the help.
pub const HELP: &str = "\
The graph goes to the standard output, what was done to it to the error stream, so that the graph can be read again. In a
FILE.ir with several cases, as the project's tests have them, FILE.ir:2 is the second; its own passes run where none are named.

Examples:
  rushlight pass --list                                     the passes, and what they do
  rushlight pass primes.py:goldbach --passes inline,peephole,dead_code --timing
  rushlight pass primes.py:primes --raw                     the graph as it comes from the source
  rushlight pass primes.py:primes --raw --passes tidy --stop-after 12
  rushlight pass graph.ir --passes dead_code";

/// What to run, and on what.
#[derive(Args)]
pub struct Options {
    /// FILE.py, FILE.py:FUNCTION, FILE.pt, or a graph as text in FILE.ir
    #[arg(required_unless_present = "list")]
    pub target: Option<String>,
    /// The passes in their order; `tidy` stands for those that every graph from source goes through
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub passes: Vec<String>,
    /// Stop after this many changes
    #[arg(long, value_name = "N")]
    pub stop_after: Option<u64>,
    /// Say how many changes each pass made, and how long it took
    #[arg(long)]
    pub timing: bool,
    /// Begin with the graph as it comes from the source, before any pass (FILE.py only)
    #[arg(long)]
    pub raw: bool,
    /// The method of an archive
    #[arg(long, default_value = "forward")]
    pub method: String,
    /// Name the passes
    #[arg(long)]
    pub list: bool,
}

/// A graph to work on.
struct Subject {
    name: String,
    graph: Graph,
    /// The functions that it calls.
    unit: Option<Arc<Unit>>,
}

/// Runs the passes and prints what they leave.
pub fn run(options: &Options, out: &mut dyn Write, errors: &mut dyn Write) -> Done {
    let Some(target) = options.target.as_deref().filter(|_| !options.list) else {
        return list(out);
    };
    let (subjects, own) = subjects(target, options)?;
    let names = match options.passes.as_slice() {
        [] => expanded(&own)?,
        named => expanded(named)?,
    };
    let many = subjects.len() > 1;
    for mut subject in subjects {
        if many {
            writeln!(out, "# {}", subject.name)?;
        }
        let records = improve(&mut subject, &names, options, errors)?;
        if options.timing {
            table(&records, errors)?;
        }
        // Values keep their numbers, so that two runs can be compared; what came as text goes as the text of a case.
        let text = match subject.unit {
            Some(_) => subject.graph.to_text(true),
            None => subject.graph.copy().to_text(false),
        };
        write!(out, "{text}")?;
    }
    Ok(())
}

/// Names the passes.
fn list(out: &mut dyn Write) -> Done {
    for pass in PASSES {
        writeln!(out, "{:<36}{}", pass.name, pass.about)?;
    }
    writeln!(out, "{:<36}{}", "tidy", TIDY.join(", "))?;
    Ok(())
}

/// Runs the passes until the changes that are allowed are made. The graph is checked after each.
fn improve(
    subject: &mut Subject,
    names: &[&str],
    options: &Options,
    errors: &mut dyn Write,
) -> Done<Vec<Record>> {
    let mut run = PassRun::new(rushlight::table());
    run.unit = subject.unit.as_ref();
    run.fuel = options.stop_after;
    let mut records = Vec::new();
    for name in names {
        let pipeline = Pipeline::named(&[name]).map_err(|name| unknown_pass(&name))?;
        records.extend(pipeline.run_recorded(&mut subject.graph, &mut run));
        if let Err(error) = verify::verify(&subject.graph) {
            let (name, graph) = (&subject.name, &subject.graph);
            return Err(Failure(format!(
                "{name}: the pass broke the graph: {error}\n{graph}"
            )));
        }
        if run.fuel == Some(0) {
            let changes = options.stop_after.unwrap_or(0);
            writeln!(errors, "stopped after {changes} changes, in {name}")?;
            break;
        }
    }
    Ok(records)
}

/// Says what passes did.
fn table(records: &[Record], errors: &mut dyn Write) -> Done {
    writeln!(errors, "{:<36}{:>8}{:>12}", "pass", "changes", "time")?;
    for record in records {
        let time = format!("{:.1} us", record.time.as_secs_f64() * 1e6);
        writeln!(errors, "{:<36}{:>8}{time:>12}", record.pass, record.changes)?;
    }
    Ok(())
}

/// The names with `tidy` written out; the first that no pass has is an error.
fn expanded(names: &[String]) -> Done<Vec<&str>> {
    let mut all = Vec::new();
    for name in names.iter().map(|name| name.trim()) {
        match name {
            "tidy" => all.extend(TIDY),
            _ if PASSES.iter().any(|pass| pass.name == name) => all.push(name),
            _ => return Err(unknown_pass(name)),
        }
    }
    Ok(all)
}

fn unknown_pass(name: &str) -> Failure {
    Failure(format!(
        "there is no pass '{name}'; `rushlight pass --list` names them"
    ))
}

/// The graphs of a target, and the passes that the file itself names.
fn subjects(target: &str, options: &Options) -> Done<(Vec<Subject>, Vec<String>)> {
    if let Some((path, number)) = text_target(target) {
        if options.raw {
            return Err(Failure(format!("{path} is a graph already, without --raw")));
        }
        let (subject, passes) = read(&path, number)?;
        return Ok((vec![subject], passes));
    }
    let (_unit, functions) = match options.raw {
        true => unfinished(target, Pipeline::none())?,
        false => finished(target, &options.method)?,
    };
    let subject = |function: &Arc<Function>| {
        let graph = function.graph();
        let graph =
            graph.ok_or_else(|| Failure(format!("{} has no graph", function.basename())))?;
        Ok(Subject {
            name: function.basename().to_string(),
            graph: (*graph).clone(),
            unit: function.unit(),
        })
    };
    let subjects = functions.iter().map(subject).collect::<Done<_>>()?;
    Ok((subjects, Vec::new()))
}

/// FILE.ir, and the number of a case in it.
fn text_target(target: &str) -> Option<(String, usize)> {
    if let Some((stem, number)) = target.rsplit_once(".ir:") {
        return Some((format!("{stem}.ir"), number.parse().ok()?));
    }
    target.ends_with(".ir").then(|| (target.to_string(), 1))
}

/// A graph from text: alone, or the case of this number (from one) in a file of cases, with the passes of the case.
fn read(path: &str, number: usize) -> Done<(Subject, Vec<String>)> {
    let at = Path::new(path);
    let bytes = files::read(at).map_err(|e| about(at, e))?;
    let text = std::str::from_utf8(&bytes).map_err(|e| about(at, e))?;
    let cases: Vec<&str> = text.split("\n---\n").collect();
    let case = number.checked_sub(1).and_then(|at| cases.get(at));
    let count = cases.len();
    let case = case.ok_or_else(|| about(at, format!("there are {count} cases, counted from 1")))?;
    let (head, rest) = case.split_once("passes:").map_or(("", *case), |(_, rest)| {
        rest.split_once('\n').unwrap_or((rest, ""))
    });
    let graph = rest.split("becomes:\n").next().unwrap_or(rest).trim();
    let lookup = Lookup::operators(rushlight::table());
    let graph = Graph::parse(&format!("{graph}\n"), &lookup).map_err(|e| about(at, e))?;
    let passes = head
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    let subject = Subject {
        name: path.to_string(),
        graph,
        unit: None,
    };
    Ok((subject, passes.map(str::to_string).collect()))
}

/// Functions with the unit that they live in, which must stay for as long as they are used.
type Functions = (Arc<Unit>, Vec<Arc<Function>>);

/// The functions of a target as they are run.
fn finished(target: &str, method: &str) -> Done<Functions> {
    Ok(match open(target, super::examine)? {
        Opened::Archive(module) => {
            let function = module.method(method);
            let function = function.map_err(|e| Failure(e.message().to_string()))?;
            (module.loaded().unit.clone(), vec![function])
        }
        Opened::Script(script, Some(name)) => {
            let found = script.get(&name);
            let found = found.ok_or_else(|| unknown_function(&script, &name))?;
            (script.unit().clone(), vec![found.function().clone()])
        }
        Opened::Script(script, None) => {
            let all = script.functions();
            let all = all.iter().map(|f| f.function().clone()).collect();
            (script.unit().clone(), all)
        }
    })
}

/// The functions of a source file, which have gone through these passes only.
fn unfinished(target: &str, passes: Pipeline) -> Done<Functions> {
    let (path, wanted) = split(target);
    if !files::is_source(&path).map_err(|e| about(Path::new(&path), e))? {
        return Err(Failure(format!(
            "{path}: only graphs from source files can be shown before they are finished"
        )));
    }
    let checked = rushlight::check_unfinished(&source(Path::new(&path))?, passes);
    if !checked.problems.is_empty() {
        return Err(rushlight::CompileError(checked.problems).into());
    }
    let is_wanted = |name: &str| wanted.as_ref().is_none_or(|wanted| wanted == name);
    let found = checked.functions.iter().filter(|(name, _)| is_wanted(name));
    let found: Vec<_> = found.map(|(_, function)| function.clone()).collect();
    match wanted {
        Some(name) if found.is_empty() => Err(Failure(format!("{path} has no function '{name}'"))),
        _ => Ok((checked.unit, found)),
    }
}

/// The functions of a source file as they are after a pass of the clean-up, or as they come (`source`).
pub fn after(target: &str, pass: &str) -> Done<Functions> {
    let passes = match TIDY.iter().position(|name| *name == pass) {
        Some(at) => &TIDY[..=at],
        None if pass == "source" => &[],
        None => {
            let names = TIDY.join(", ");
            return Err(Failure(format!(
                "'{pass}' is no pass that graphs go through; these are, in this order: source, {names}"
            )));
        }
    };
    let pipeline = Pipeline::named(passes).map_err(|name| unknown_pass(&name))?;
    unfinished(target, pipeline)
}
