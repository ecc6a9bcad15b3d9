//! Why an archive was refused: facts here, words in `Display`.

use std::fmt;

/// An archive that cannot be read, or a record of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveError {
    /// The record concerned, where it is one record.
    pub record: Option<String>,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// There is no end of central directory record: not a zip file, or its end is missing.
    NoDirectory {
        /// Whether the bytes at least begin like a zip file, so that they were probably cut off.
        begins_like_zip: bool,
    },
    /// A structure at this offset is cut off, contradicts itself or lies outside the file.
    Malformed {
        /// The structure's name.
        what: &'static str,
        /// Its offset in the file.
        offset: u64,
    },
    /// A part of the zip format that archives do not use (encryption, several disks, other compression methods).
    Unsupported {
        /// The part's name.
        what: &'static str,
    },
    /// A name that is absolute, climbs with `..`, is empty or is not UTF-8.
    BadName,
    /// Two records have the same name.
    DuplicateName,
    /// Two records share bytes of the file.
    Overlap {
        /// The record that it overlaps.
        with: String,
    },
    /// Something exceeds its limit.
    Limit {
        /// What is limited.
        what: &'static str,
        /// What the archive asks for.
        asked: u64,
        /// What is allowed.
        allowed: u64,
    },
    /// The archive has no such record.
    NoSuchRecord,
    /// The compressed data cannot be inflated.
    BadDeflate,
    /// The record's bytes do not have the length that the directory gives.
    WrongLength {
        /// The length that the directory gives.
        expected: u64,
        /// The length of the bytes.
        found: u64,
    },
    /// The record's bytes do not have the checksum that the directory gives.
    WrongChecksum {
        /// The checksum that the directory gives.
        expected: u32,
        /// The checksum of the bytes.
        found: u32,
    },
    /// A record that should be text is not UTF-8.
    NotText,
}

impl ArchiveError {
    /// A problem of the archive as a whole.
    pub fn of_archive(problem: Problem) -> ArchiveError {
        ArchiveError {
            record: None,
            problem,
        }
    }

    /// A problem of one record.
    pub fn of_record(record: &str, problem: Problem) -> ArchiveError {
        ArchiveError {
            record: Some(record.to_string()),
            problem,
        }
    }
}

impl fmt::Display for ArchiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.record {
            Some(record) => write!(f, "record {record:?}: {}", self.problem),
            None => write!(f, "{}", self.problem),
        }
    }
}

impl std::error::Error for ArchiveError {}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::NoDirectory { begins_like_zip: true } => {
                f.write_str("the zip directory at the end of the file is missing; the file is probably incomplete")
            }
            Problem::NoDirectory { begins_like_zip: false } => f.write_str("not a zip file"),
            Problem::Malformed { what, offset } => write!(f, "malformed {what} at byte {offset}"),
            Problem::Unsupported { what } => write!(f, "{what} is not supported"),
            Problem::BadName => f.write_str("the name is empty, absolute, not UTF-8 or leads out of the archive"),
            Problem::DuplicateName => f.write_str("the name occurs more than once"),
            Problem::Overlap { with } => write!(f, "shares bytes with record {with:?}"),
            Problem::Limit { what, asked, allowed } => write!(f, "{what} is {asked}, more than the {allowed} allowed"),
            Problem::NoSuchRecord => f.write_str("the archive has no such record"),
            Problem::BadDeflate => f.write_str("the compressed data is corrupt"),
            Problem::WrongLength { expected, found } => write!(f, "has {found} bytes instead of {expected}"),
            Problem::WrongChecksum { expected, found } => {
                write!(f, "the checksum is {found:08x} instead of {expected:08x}; the file is corrupt")
            }
            Problem::NotText => f.write_str("is not UTF-8 text"),
        }
    }
}
