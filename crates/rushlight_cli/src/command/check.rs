//! `rushlight check FILE.py`: every problem, or a word that there is none.

use crate::{Done, Failure};
use std::io::Write;
use std::path::Path;

/// What stands below the options in the help.
pub const HELP: &str = "\
Examples:
  rushlight check model.py                 exit status 1 where there are problems";

/// Compiles everything in the file.
pub fn run(file: &Path, out: &mut dyn Write) -> Done {
    match rushlight::compile_source(&super::source(file)?) {
        Ok(script) => {
            let count = script.functions().len();
            writeln!(
                out,
                "{}: {count} function{} compiled",
                file.display(),
                if count == 1 { "" } else { "s" }
            )?;
            Ok(())
        }
        Err(error) => {
            let count = error.0.len();
            Err(Failure(format!(
                "{error}\n\n{count} problem{} found",
                if count == 1 { "" } else { "s" }
            )))
        }
    }
}
