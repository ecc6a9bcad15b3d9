//! Literate cases of the language: `tests/script/*.md`.
//!
//! A file is prose with programs in it; comments in a program and blocks behind it state facts: revealed types, errors,
//! graphs, code, output. [`Document::found`] gives the same document with the facts as they are now, so checking a file
//! is comparing two documents and recording it is writing the second one. `tests/script/README.md` describes the form.

mod compare;
mod document;
mod facts;
mod program;

pub use document::{Document, Malformed, Part};

use std::path::{Path, PathBuf};

/// The files of cases in a folder.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let is_case =
        |path: &Path| path.extension().is_some_and(|e| e == "md") && !path.ends_with("README.md");
    crate::files::files_below(&[folder.to_path_buf()], is_case)
}

/// What a text states that does not hold, a report for each part that differs. `name` is the file in reports.
pub fn check(name: &str, text: &str) -> Vec<String> {
    match Document::parse(text) {
        Ok(stated) => compare::reports(name, &stated, &stated.found()),
        Err(Malformed { line, message }) => vec![format!("{name}:{line}: {message}")],
    }
}

/// The text with the facts as they are now.
pub fn recorded(text: &str) -> Result<String, Malformed> {
    Ok(Document::parse(text)?.found().to_string())
}
