//! What can go wrong while loading.

use crate::identify::FileKind;
use rushlight_syntax::Diagnostic;
use std::fmt;

/// Why a file was not loaded.
#[derive(Debug)]
pub enum LoadError {
    /// The file is something else.
    WrongKind(FileKind),
    /// The zip layer refused it.
    Archive(crate::zip::ArchiveError),
    /// A pickle inside is broken or asks for something that is not allowed.
    Pickle { record: String, message: String },
    /// A pickle inside asks for a class that the code does not define.
    UnknownType { record: String, name: String },
    /// The version of the file is not one that is read.
    Version(VersionProblem),
    /// Code inside does not compile.
    Code(Vec<Diagnostic>),
    /// Running `__setstate__` failed.
    Run(rushlight_types::Fault),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::WrongKind(kind) => {
                write!(
                    f,
                    "this is not a TorchScript archive: {}\n{}",
                    kind.describe(),
                    kind.advice()
                )
            }
            LoadError::Archive(error) => write!(f, "{error}"),
            LoadError::Pickle { record, message } => write!(f, "{record}: {message}"),
            LoadError::UnknownType { record, name } => {
                write!(f, "{record}: the archive has no class {name}")
            }
            LoadError::Version(problem) => write!(f, "version: {problem}"),
            LoadError::Code(problems) => f.write_str(
                rushlight_syntax::diagnostic::terminal::render(problems, false).trim_end(),
            ),
            LoadError::Run(fault) => write!(f, "{fault}"),
        }
    }
}

impl std::error::Error for LoadError {}

impl From<crate::zip::ArchiveError> for LoadError {
    fn from(error: crate::zip::ArchiveError) -> LoadError {
        LoadError::Archive(error)
    }
}

/// The oldest version of the file format that is read.
pub const MIN_VERSION: u64 = 1;

/// The newest version of the file format that is read.
pub const MAX_VERSION: u64 = 10;

/// What is wrong with the version of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VersionProblem {
    /// The archive says no version.
    Missing,
    /// What it says is no number.
    NotANumber(String),
    /// It is older than [`MIN_VERSION`].
    TooOld(u64),
    /// It is newer than [`MAX_VERSION`].
    TooNew(u64),
}

impl fmt::Display for VersionProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VersionProblem::Missing => f.write_str("the archive has no such record"),
            VersionProblem::NotANumber(text) => write!(f, "`{text}` is not a version number"),
            VersionProblem::TooOld(version) => {
                write!(
                    f,
                    "{version} is older than {MIN_VERSION}, the oldest that is read"
                )
            }
            VersionProblem::TooNew(version) => write!(
                f,
                "{version} is newer than {MAX_VERSION}, the newest that is read; a newer Rushlight may know it"
            ),
        }
    }
}
