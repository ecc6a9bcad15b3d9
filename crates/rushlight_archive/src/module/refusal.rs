//! Why a pickled value was not made.

use crate::LoadError;
use crate::zip::ArchiveError;
use rushlight_frontend::Problem;
use rushlight_types::Fault;

/// Why a pickled value was not made.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The value itself is broken or not allowed; in words.
    Value(String),
    /// A record that it needs cannot be read.
    Record(ArchiveError),
    /// Code that it needs does not compile.
    Code(Problem),
    /// The code of the archive has no class of this name.
    UnknownType(String),
    /// The archive's own code left an object unfinished.
    Unfinished(Fault),
}

impl Refusal {
    /// The error of loading the record that holds the value.
    pub fn of_record(self, record: &str) -> LoadError {
        let message = match self {
            Refusal::Value(message) => message,
            Refusal::Record(error) => return LoadError::Archive(error),
            Refusal::Code(problem) => return LoadError::Code(vec![*problem]),
            Refusal::Unfinished(fault) => return LoadError::Run(fault),
            Refusal::UnknownType(name) => {
                let record = record.to_string();
                return LoadError::UnknownType { record, name };
            }
        };
        LoadError::Pickle {
            record: record.into(),
            message,
        }
    }

    /// What is wrong, without the record.
    pub fn in_words(self) -> String {
        match self {
            Refusal::Value(message) => message,
            Refusal::Record(error) => error.to_string(),
            Refusal::Code(problem) => problem.message.clone(),
            Refusal::UnknownType(name) => format!("the archive has no class {name}"),
            Refusal::Unfinished(fault) => fault.message().into(),
        }
    }
}

impl From<String> for Refusal {
    fn from(message: String) -> Refusal {
        Refusal::Value(message)
    }
}

impl From<&str> for Refusal {
    fn from(message: &str) -> Refusal {
        Refusal::Value(message.into())
    }
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Refusal {
        Refusal::Value(fault.message().into())
    }
}

impl From<ArchiveError> for Refusal {
    fn from(error: ArchiveError) -> Refusal {
        Refusal::Record(error)
    }
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Refusal {
        Refusal::Code(problem)
    }
}
