//! `rushlight code`: the code records of an archive, or what a source file compiles to.

use super::graph::unknown_function;
use super::{Opened, about, compile, open, split};
use crate::{Done, Failure, files};
use std::io::Write;
use std::path::Path;

/// What stands below the options in the help.
pub const HELP: &str = "\
Examples:
  rushlight code model.pt                 all code records of an archive
  rushlight code primes.py:primes         what a function compiles to
  rushlight code primes.py:primes --registers   the instructions that run";

/// Prints the code of a target: as source, or as the instructions that the runtime makes of it.
pub fn run(target: &str, registers: bool, out: &mut dyn Write) -> Done {
    let (path, function) = split(target);
    if registers {
        return of_registers(target, out);
    }
    if files::is_source(&path).map_err(|e| about(Path::new(&path), e))? {
        of_source(&path, function.as_deref(), out)
    } else {
        of_archive(Path::new(&path), out)
    }
}

/// Prints what functions of a source file compile to.
fn of_source(path: &str, wanted: Option<&str>, out: &mut dyn Write) -> Done {
    let script = compile(Path::new(path), wanted)?;
    let mut found = false;
    for function in script.functions() {
        if wanted.is_none_or(|name| name == function.name()) {
            found = true;
            let (text, _) = rushlight::archive::code::function_code(function.function())?;
            writeln!(out, "{text}")?;
        }
    }
    match wanted {
        Some(name) if !found => Err(Failure(format!("{path} has no function '{name}'"))),
        _ => Ok(()),
    }
}

/// Prints the instructions of the functions of a source file, or of all methods of an archive that have a body.
fn of_registers(target: &str, out: &mut dyn Write) -> Done {
    let opened = open(target, super::examine)?;
    let functions: Vec<_> = match &opened {
        Opened::Archive(module) => module.loaded().unit.functions(),
        Opened::Script(script, wanted) => {
            let wanted = wanted.as_deref();
            let all = script.functions().into_iter();
            let found: Vec<_> = all
                .filter(|f| wanted.is_none_or(|name| name == f.name()))
                .map(|f| f.function().clone())
                .collect();
            if let (Some(name), []) = (wanted, found.as_slice()) {
                return Err(unknown_function(script, name));
            }
            found
        }
    };
    let is_archive = matches!(opened, Opened::Archive(_));
    for (i, function) in functions.iter().filter(|f| f.graph().is_some()).enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        if is_archive {
            writeln!(out, "# {}", function.qualified_name())?;
        }
        write!(out, "{}", rushlight::register_code(function)?)?;
    }
    Ok(())
}

/// Prints every code record under its name.
fn of_archive(file: &Path, out: &mut dyn Write) -> Done {
    let bytes = files::read(file).map_err(|e| about(file, e))?;
    let kind = rushlight::archive::identify::identify(&bytes);
    if !kind.is_loadable() {
        return Err(about(
            file,
            format!("{}\n{}", kind.describe(), kind.advice()),
        ));
    }
    let archive = rushlight::archive::module::records(bytes).map_err(|e| about(file, e))?;
    let names: Vec<String> = archive
        .names()
        .filter(|n| (n.starts_with("code/") || n.starts_with("libs/")) && n.ends_with(".py"))
        .map(str::to_string)
        .collect();
    if names.is_empty() {
        return of_graphs(file, out);
    }
    for name in names {
        let text = archive.read_text(&name).map_err(|e| about(file, e))?;
        writeln!(out, "# {name}\n{}", text.trim_end())?;
        writeln!(out)?;
    }
    Ok(())
}

/// Prints what the methods of an archive without source do.
fn of_graphs(file: &Path, out: &mut dyn Write) -> Done {
    let module = super::examine(file)?;
    for function in module.loaded().unit.functions() {
        let (text, _) = rushlight::archive::code::function_code(&function)?;
        writeln!(out, "# {}\n{text}", function.qualified_name())?;
    }
    Ok(())
}
