//! What a loading error says in Python: the reference's first line, by which programs know it, and what it really is.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rushlight::archive::identify::{Container, FileKind};
use rushlight::archive::zip::{ArchiveError, Problem};
use rushlight::archive::{LoadError, MAX_VERSION, MIN_VERSION, VersionProblem};
use rushlight::syntax::diagnostic::highlight;

/// Streams of at most so many bytes end before the reference knows what they are.
const LONGEST_CUT_STREAM: usize = 7;
/// So many bytes are looked at before anything else; the end of an archive alone takes so many.
const SHORTEST_ARCHIVE: usize = 22;

/// An exception with a note, which tracebacks show below its text.
pub fn noted(py: Python<'_>, error: PyErr, note: &str) -> PyErr {
    // Pythons before 3.11 have no notes and show none.
    match error.value(py).call_method1("add_note", (note,)) {
        Ok(_) | Err(_) => error,
    }
}

/// What stands around the reader's own words.
fn reader(what: &str) -> String {
    format!(
        "PytorchStreamReader failed {what}. This is an internal miniz error. If you are seeing this error, there is a high likelihood that your checkpoint file is corrupted. This can happen if the checkpoint was not saved properly, was transferred incorrectly, or the file was modified after saving."
    )
}

/// The text for bytes that are no zip file.
pub fn no_archive() -> String {
    reader("reading zip archive: failed finding central directory")
}

fn no_record(name: &str) -> String {
    reader(&format!("locating file {name}: file not found"))
}

fn version(problem: &VersionProblem) -> String {
    match problem {
        VersionProblem::Missing => "Expected hasRecord(\"version\") to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement request to PyTorch.)".into(),
        VersionProblem::NotANumber(text) => format!(
            "[enforce fail at inline_container.cc:214] . Couldn't parse the version {text} as Long Long."
        ),
        VersionProblem::TooOld(version) => format!(
            "[enforce fail at inline_container.cc:218] . Attempted to read a PyTorch file with version {version}, but the minimum supported version for reading is {MIN_VERSION}. Your PyTorch script module file is too old. Please regenerate it with latest version of PyTorch to mitigate this issue."
        ),
        VersionProblem::TooNew(version) => format!(
            "[enforce fail at inline_container.cc:229] . Attempted to read a PyTorch file with version {version}, but the maximum supported version for reading is {MAX_VERSION}. The version of your PyTorch installation may be too old, please upgrade PyTorch to latest version to mitigate this issue."
        ),
    }
}

/// The exception for an error: its text is the reference's, what is known beyond that is a note. `size` is that of the file.
pub fn refusal(py: Python<'_>, error: &LoadError, size: usize, in_memory: bool) -> PyErr {
    let reference = match error {
        LoadError::Archive(ArchiveError {
            record: Some(name),
            problem: Problem::NoSuchRecord,
        }) => no_record(name),
        LoadError::WrongKind(FileKind::TorchSave {
            container: Container::Zip,
            ..
        }) => no_record("constants.pkl"),
        LoadError::WrongKind(
            FileKind::OtherZip | FileKind::Npz | FileKind::TorchServe | FileKind::TorchPackage,
        ) => version(&VersionProblem::Missing),
        LoadError::WrongKind(_) | LoadError::Archive(_)
            if in_memory && size <= LONGEST_CUT_STREAM =>
        {
            "istream reader failed: getting the current position.".into()
        }
        LoadError::WrongKind(_) | LoadError::Archive(_) if size < SHORTEST_ARCHIVE => {
            reader("reading zip archive: not a ZIP archive")
        }
        LoadError::WrongKind(_) | LoadError::Archive(_) => no_archive(),
        LoadError::UnknownType { name, .. } => format!("\nUnknown type name '{name}':\n{name}"),
        LoadError::Version(problem) => return PyRuntimeError::new_err(version(problem)),
        LoadError::Code(problems) if !problems.is_empty() => {
            let problems: Vec<String> = problems.iter().map(highlight::render).collect();
            return PyRuntimeError::new_err(problems.join("\n"));
        }
        _ => return PyRuntimeError::new_err(error.to_string()),
    };
    noted(py, PyRuntimeError::new_err(reference), &error.to_string())
}
