//! `rushlight check FILE...`: every problem of source files, or a word that there is none.

use super::{about, source};
use crate::{Done, Failure};
use clap::{Args, ValueEnum};
use rushlight::Checked;
use rushlight::syntax::diagnostic::terminal;
use rushlight::syntax::tree::Ident;
use rushlight::syntax::{Diagnostic, Span};
use rushlight_view::problem;
use serde_json::{Value as Json, json};
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

/// What stands below the options in the help.
pub const HELP: &str = "\
Functions that a file scripts itself (@torch.jit.script) are compiled with all they need; in a file that scripts
nothing, all are but those that only a program can have (that read the command line, train, make modules). Of classes
of modules, forward and exported methods are compiled as far as __init__ shows of what types the attributes are; what
only an instance knows is passed over. What is left out is said.

Examples:
  rushlight check model.py                 exit status 1 where there are problems
  rushlight check src/ tests/              every .py file below folders
  rushlight check - < model.py             the standard input
  rushlight check --json model.py          for editors and scripts";

/// The options of `check`.
#[derive(Args)]
pub struct Options {
    /// FILE.py, folders, or - for the standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Write one JSON object instead of text
    #[arg(long)]
    json: bool,
    /// Draw in colour
    #[arg(long, value_enum, default_value_t = Colour::Auto, value_name = "WHEN")]
    color: Colour,
}

/// When to draw in colour.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Colour {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

impl Colour {
    fn is_on(self) -> bool {
        match self {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => {
                std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
                    && std::io::stdout().is_terminal()
            }
        }
    }
}

/// A file and what a check found in it.
struct Report {
    name: String,
    checked: Checked,
}

/// Checks the files and tells of all problems.
pub fn run(options: &Options, out: &mut dyn Write) -> Done {
    let (mut reports, mut unread) = (Vec::new(), Vec::new());
    for path in all_files(&options.files, &mut unread)? {
        let source = source(&path)?;
        let name = source.name().to_string();
        let checked = match path.is_file() {
            true => rushlight::check_file(&source, &path),
            false => rushlight::check(&source),
        };
        if !options.json {
            tell(&name, &checked, options.color.is_on(), out)?;
        }
        reports.push(Report { name, checked });
    }
    if options.json {
        let text = serde_json::to_string_pretty(&as_json(&reports))?;
        writeln!(out, "{text}")?;
    }
    let problems: usize = reports.iter().map(|r| r.checked.problems.len()).sum();
    let problems =
        (problems > 0).then(|| format!("{} found", counted(problems, "problem", "problems")));
    let said: Vec<String> = unread.into_iter().chain(problems).collect();
    match said.is_empty() {
        true => Ok(()),
        false => Err(Failure(said.join("\n"))),
    }
}

/// The files that the arguments name, those of folders in the order of their names; folders that cannot be read are told.
fn all_files(given: &[PathBuf], unread: &mut Vec<String>) -> Done<Vec<PathBuf>> {
    let mut out = Vec::new();
    for path in given {
        if !path.is_dir() {
            out.push(path.clone());
            continue;
        }
        let before = out.len();
        let mut pending = vec![path.clone()];
        while let Some(folder) = pending.pop() {
            let entries = match std::fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(why) => {
                    unread.push(about(&folder, why).0);
                    continue;
                }
            };
            let mut inside = Vec::new();
            for entry in entries {
                let entry = entry.map_err(|e| about(&folder, e))?;
                let kind = entry.file_type().map_err(|e| about(&folder, e))?;
                let hidden =
                    entry.file_name().to_string_lossy().starts_with(['.', '_']) && kind.is_dir();
                let is_source = entry.path().extension().is_some_and(|e| e == "py");
                if !hidden && (kind.is_dir() || is_source) {
                    inside.push((kind.is_dir(), entry.path()));
                }
            }
            // The last that is pushed comes first.
            rushlight::tensor::order::sort_by(&mut inside, |a, b| b.1.cmp(&a.1));
            for (is_folder, path) in inside.iter().rev() {
                if !is_folder {
                    out.push(path.clone());
                }
            }
            let folders = inside.into_iter().filter(|(is_folder, _)| *is_folder);
            pending.extend(folders.map(|(_, path)| path));
        }
        if out.len() == before {
            return Err(about(path, "there is no .py file in this folder"));
        }
    }
    Ok(out)
}

fn tell(name: &str, checked: &Checked, colour: bool, out: &mut dyn Write) -> Done {
    if !checked.problems.is_empty() {
        writeln!(out, "{}", terminal::render(&checked.problems, colour))?;
        for line in left_out(checked) {
            writeln!(out, "{name}: {line}")?;
        }
        return Ok(());
    }
    let compiled = checked
        .functions
        .iter()
        .filter(|(_, f)| f.graph().is_some())
        .count();
    let counts = [
        (compiled, "function", "functions"),
        (checked.classes.len(), "class", "classes"),
        (checked.checked_modules.len(), "module", "modules"),
    ];
    let more = counts.iter().any(|(count, ..)| *count > 0);
    let parts = counts.iter().enumerate();
    let parts: Vec<String> = parts
        .filter(|(at, (count, ..))| *count > 0 || (*at == 0 && !more))
        .map(|(_, (count, one, many))| counted(*count, one, many))
        .collect();
    let compiled = match parts.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    } + " compiled";
    let said = std::iter::once(compiled).chain(left_out(checked));
    writeln!(out, "{name}: {}", said.collect::<Vec<_>>().join("; "))?;
    Ok(())
}

/// The functions and classes that were not compiled because nothing needed them.
fn waiting(checked: &Checked) -> impl Iterator<Item = &str> {
    // What has failed is no longer in the unit.
    let all = checked.functions.iter().filter(|(_, function)| {
        let name = function.qualified_name();
        function.graph().is_none() && checked.unit.function(name).is_some()
    });
    let classes = checked.set_aside.iter().map(|name| &**name);
    all.map(|(name, _)| &**name).chain(classes)
}

/// What of a file was not checked, by the reason, and what PyTorch would not take.
fn left_out(checked: &Checked) -> Vec<String> {
    let mut out = Vec::new();
    if !checked.facts.closed_over.is_empty() {
        let names: Vec<&str> = checked.facts.closed_over.iter().map(|n| &**n).collect();
        out.push(format!(
            "constants of the file that functions take, which PyTorch refuses: {}",
            names.join(", ")
        ));
    }
    if !checked.facts.unimported.is_empty() {
        let names: Vec<&str> = checked.facts.unimported.iter().map(|n| &**n).collect();
        out.push(format!(
            "types that the file does not import, at which Python stops: {}",
            names.join(", ")
        ));
    }
    let methods = checked
        .checked_modules
        .iter()
        .flat_map(|(_, methods)| methods);
    if checked.problems.is_empty() && methods.into_iter().any(|m| m.graph().is_none()) {
        out.push("of modules, what only instances know is passed over".to_string());
    }
    if !checked.modules.is_empty() {
        let names: Vec<&str> = checked.modules.iter().map(|m| &*m.name).collect();
        out.push(format!(
            "modules that the file does not script, left out: {}",
            names.join(", ")
        ));
    }
    let names: Vec<&str> = waiting(checked).collect();
    if names.is_empty() {
        return out;
    }
    out.push(match checked.scripted.is_empty() {
        false => format!("not scripted by the file, left out: {}", names.join(", ")),
        true => {
            let why = |name: &&str| match checked.programs.get(*name) {
                Some(why) => format!("{name} ({why})"),
                None => name.to_string(),
            };
            let names: Vec<String> = names.iter().map(why).collect();
            format!("parts of a program, left out: {}", names.join(", "))
        }
    });
    out
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A problem, and the file that it is in where that is another one.
fn as_problem(found: &Diagnostic, file: &str) -> Json {
    let mut out = problem::json(found);
    let source = found.span.as_ref().map(Span::source);
    if let Some(other) = source.filter(|source| source.name() != file) {
        out["file"] = other.name().into();
    }
    out
}

fn as_json(reports: &[Report]) -> Json {
    let files: Vec<Json> = reports
        .iter()
        .map(|report| {
            let names = |all: &[&Ident]| -> Vec<String> { all.iter().map(|m| m.name.to_string()).collect() };
            let left = names(&report.checked.modules.iter().collect::<Vec<_>>());
            let modules = report.checked.checked_modules.iter();
            let modules = names(&modules.map(|(name, _)| name).collect::<Vec<_>>());
            json!({
                "file": report.name,
                "functions": report.checked.functions.iter().map(|(name, _)| &**name).collect::<Vec<_>>(),
                "classes": report.checked.classes.iter().map(|c| c.basename()).collect::<Vec<_>>(),
                "modules": modules,
                "modules_left_out": left,
                "left_out": waiting(&report.checked).collect::<Vec<_>>(),
                "unimported": report.checked.facts.unimported.iter().map(|name| &**name).collect::<Vec<_>>(),
                "constants": report.checked.facts.closed_over.iter().map(|name| &**name).collect::<Vec<_>>(),
                "problems": report.checked.problems.iter().map(|p| as_problem(p, &report.name)).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({ "files": files })
}
