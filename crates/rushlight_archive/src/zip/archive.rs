//! Reading records by name from an opened zip file.

use std::collections::HashMap;
use std::ops::Range;

use crate::bytes::{Bytes, Record};

use super::Limits;
use super::directory::{self, Compression, Entry};
use super::error::{ArchiveError, Problem};

/// A zip file whose directory has been read and checked. Cloning copies the directory, not the bytes.
#[derive(Clone, Debug)]
pub struct Archive {
    bytes: Bytes,
    entries: Vec<Entry>,
    by_name: HashMap<String, usize>,
    prefix: String,
    verify_checksums: bool,
}

impl Archive {
    /// Reads and checks the directory; records are looked at when they are asked for.
    pub fn open(bytes: Bytes, limits: &Limits) -> Result<Archive, ArchiveError> {
        let entries = directory::read(&bytes, limits)?;
        let by_name = by_name(&entries);
        let prefix = common_folder(&entries);
        Ok(Archive {
            bytes,
            entries,
            by_name,
            prefix,
            verify_checksums: limits.verify_checksums,
        })
    }

    /// Parts of a file of another format as records, each by name. They are taken as they are, and share no folder.
    pub fn of_parts(bytes: &Bytes, parts: Vec<(String, Range<usize>)>) -> Archive {
        let entry = |(name, data)| Entry::stored(name, data);
        let entries: Vec<Entry> = parts.into_iter().map(entry).collect();
        Archive {
            bytes: bytes.clone(),
            by_name: by_name(&entries),
            entries,
            prefix: String::new(),
            verify_checksums: false,
        }
    }

    /// The folder that all records lie in, with its slash: PyTorch puts the file's name in front of every record, as in
    /// `archive/data.pkl`. Empty where the records share no folder.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The names of all records without the prefix, in the order of the directory.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries
            .iter()
            .map(|entry| &entry.name()[self.prefix.len()..])
    }

    /// All records in the order of the directory.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The record with the given name; `name` is without the prefix.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        let full = format!("{}{name}", self.prefix);
        self.by_name.get(&full).map(|&i| &self.entries[i])
    }

    /// Whether there is a record of this name, which is without the prefix.
    pub fn contains(&self, name: &str) -> bool {
        self.entry(name).is_some()
    }

    /// The bytes of the record `name` (without the prefix): a part of the file itself where the record is stored, memory of
    /// its own where it is compressed.
    pub fn read(&self, name: &str) -> Result<Record, ArchiveError> {
        match self.entry(name) {
            Some(entry) => self.read_entry(entry),
            None => Err(ArchiveError::of_record(name, Problem::NoSuchRecord)),
        }
    }

    /// The record `name` as text.
    pub fn read_text(&self, name: &str) -> Result<String, ArchiveError> {
        let record = self.read(name)?;
        match std::str::from_utf8(&record) {
            Ok(text) => Ok(text.to_string()),
            Err(_) => Err(ArchiveError::of_record(name, Problem::NotText)),
        }
    }

    /// As [`Archive::read`], for bulk data: a stored record is handed out without a look at its bytes, so that a mapped
    /// file is read only where a program reaches, and its checksum is not compared.
    pub fn read_data(&self, name: &str) -> Result<Record, ArchiveError> {
        match self.entry(name) {
            Some(entry) => {
                let verify = self.verify_checksums && entry.compression() != Compression::Stored;
                read(&self.bytes, entry, verify)
            }
            None => Err(ArchiveError::of_record(name, Problem::NoSuchRecord)),
        }
    }

    /// A record to be read later or never, which outlives the archive; `name` is without the prefix.
    pub fn deferred(&self, name: &str) -> Option<Deferred> {
        Some(Deferred {
            bytes: self.bytes.clone(),
            entry: self.entry(name)?.clone(),
            verify: self.verify_checksums,
        })
    }

    fn read_entry(&self, entry: &Entry) -> Result<Record, ArchiveError> {
        read(&self.bytes, entry, self.verify_checksums)
    }
}

/// A record of an archive that has not been read yet.
#[derive(Clone, Debug)]
pub struct Deferred {
    bytes: Bytes,
    entry: Entry,
    verify: bool,
}

impl Deferred {
    /// The bytes of the record, as [`Archive::read`] gives them.
    pub fn read(&self) -> Result<Record, ArchiveError> {
        read(&self.bytes, &self.entry, self.verify)
    }
}

fn read(bytes: &Bytes, entry: &Entry, verify: bool) -> Result<Record, ArchiveError> {
    let fail = |problem| ArchiveError::of_record(entry.name(), problem);
    let record = match entry.compression() {
        Compression::Stored => stored(bytes, entry),
        Compression::Deflated => inflate(bytes, entry),
    }
    .map_err(fail)?;
    if verify {
        let found = crc32fast::hash(&record);
        if found != entry.crc() {
            return Err(fail(Problem::WrongChecksum {
                expected: entry.crc(),
                found,
            }));
        }
    }
    Ok(record)
}

fn stored(bytes: &Bytes, entry: &Entry) -> Result<Record, Problem> {
    Record::of(bytes, entry.data()).ok_or(Problem::WrongLength {
        expected: entry.size(),
        found: 0,
    })
}

fn inflate(bytes: &Bytes, entry: &Entry) -> Result<Record, Problem> {
    let size = usize::try_from(entry.size()).map_err(|_| Problem::BadDeflate)?;
    let inflated = miniz_oxide::inflate::decompress_to_vec_with_limit(&bytes[entry.data()], size)
        .map_err(|_| Problem::BadDeflate)?;
    if inflated.len() != size {
        return Err(Problem::WrongLength {
            expected: entry.size(),
            found: inflated.len() as u64,
        });
    }
    Ok(Record::whole(Bytes::from(inflated)))
}

fn by_name(entries: &[Entry]) -> HashMap<String, usize> {
    let numbered = entries.iter().enumerate();
    numbered
        .map(|(i, entry)| (entry.name().to_string(), i))
        .collect()
}

/// The first component of the first name, with its slash, where all names share it.
fn common_folder(entries: &[Entry]) -> String {
    let Some(first) = entries.first() else {
        return String::new();
    };
    let Some(slash) = first.name().find('/') else {
        return String::new();
    };
    let folder = &first.name()[..=slash];
    if entries.iter().all(|entry| entry.name().starts_with(folder)) {
        folder.to_string()
    } else {
        String::new()
    }
}
