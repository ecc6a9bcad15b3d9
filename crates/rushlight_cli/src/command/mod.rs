//! One file per subcommand, and the targets that they share.

pub mod check;
pub mod code;
pub mod compile;
pub mod convert;
pub mod graph;
pub mod inspect;
pub mod run;

use crate::{Done, Failure};
use rushlight::{Module, Script, Source};
use std::path::Path;

/// What a command works on.
pub enum Target {
    Archive(Module),
    /// A compiled source file, and the function named after the colon.
    Script(Script, Option<String>),
}

/// The file and the function of FILE.py:FUNCTION; other targets are all file.
pub fn split(target: &str) -> (String, Option<String>) {
    match target.rsplit_once(".py:") {
        Some((stem, function)) => (format!("{stem}.py"), Some(function.to_string())),
        None => (target.to_string(), None),
    }
}

/// Reads FILE.pt, FILE.py or FILE.py:FUNCTION.
pub fn open(target: &str) -> Done<Target> {
    let (path, function) = split(target);
    if path.ends_with(".py") {
        return Ok(Target::Script(compile(Path::new(&path))?, function));
    }
    Ok(Target::Archive(load(Path::new(&path))?))
}

/// Compiles a source file.
pub fn compile(path: &Path) -> Done<Script> {
    Ok(rushlight::compile_source(&source(path)?)?)
}

/// Reads a source file.
pub fn source(path: &Path) -> Done<std::sync::Arc<Source>> {
    let text = std::fs::read_to_string(path).map_err(|e| about(path, e))?;
    Ok(Source::new(path.display().to_string(), text))
}

/// Loads an archive.
pub fn load(path: &Path) -> Done<Module> {
    rushlight::load(path).map_err(|e| about(path, e))
}

/// An error with the file it is about.
pub fn about(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure(format!("{}: {error}", path.display()))
}
