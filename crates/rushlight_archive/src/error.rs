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
