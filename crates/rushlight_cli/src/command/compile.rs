//! `rushlight compile FILE.py -o FILE.pt`: source to an archive.

use super::{about, compile, split};
use crate::{Done, Failure};
use std::io::Write;
use std::path::Path;

/// What stands below the options in the help.
pub const HELP: &str = "\
Every function of the file becomes a method. `forward` is the function named behind the colon,
else the one called forward or main, else the only one.

Examples:
  rushlight compile primes.py -o primes.pt
  rushlight run primes.pt --method primes 50";

/// Compiles, saves, and says what the archive holds.
pub fn run(target: &str, file: &Path, out: &mut dyn Write) -> Done {
    let (path, function) = split(target);
    let script = compile(Path::new(&path), None)?;
    if script.functions().is_empty() {
        let told = "there is no function in this file; modules are scripted from instances, which a file alone does not have";
        return Err(about(Path::new(&path), told));
    }
    let Some(module) = script.module(function.as_deref()) else {
        let names: Vec<String> = script.functions().iter().map(|f| f.name().into()).collect();
        return Err(Failure(format!(
            "{path} has no function '{}'; it has: {}",
            function.unwrap_or_default(),
            names.join(", ")
        )));
    };
    module.save(file).map_err(|e| about(file, e))?;
    writeln!(out, "{}", file.display())?;
    for method in module.object().class().methods() {
        if let Some(schema) = method.schema {
            writeln!(out, "  {schema}")?;
        }
    }
    Ok(())
}
