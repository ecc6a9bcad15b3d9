//! Zip files, judged by the names of their records.

use super::pickled::saved;
use super::{Container, FileKind, Saved};
use crate::bytes::Bytes;
use crate::pickle::{self, PickleLimits};
use crate::zip::{Archive, Limits, Problem};

pub(crate) fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
        || bytes.starts_with(b"PK\x05\x06")
        || bytes.starts_with(b"PK\x06\x06")
}

pub(super) fn identify_zip(bytes: &Bytes) -> FileKind {
    match Archive::open(bytes.clone(), &Limits::default()) {
        Ok(archive) => identify_archive(&archive),
        Err(error) if matches!(error.problem, Problem::NoDirectory { .. }) => {
            FileKind::TruncatedZip
        }
        Err(error) => FileKind::BadZip {
            reason: error.to_string(),
        },
    }
}

/// Says what an opened archive is.
pub fn identify_archive(archive: &Archive) -> FileKind {
    let has = |name: &str| archive.contains(name);
    let any = |test: &dyn Fn(&str) -> bool| archive.names().any(test);
    let has_code = any(&|name| name.starts_with("code/") && name.ends_with(".py"));
    if any(&|name| name.contains("aotinductor/") || name.starts_with("data/aotinductor")) {
        FileKind::AotInductor
    } else if has("serialized_exported_program.json")
        || has("archive_format")
        || any(&|name| is_exported_model(name))
    {
        FileKind::ExportedProgram
    } else if has("bytecode.pkl") {
        FileKind::Mobile { has_code }
    } else if has("model.json")
        && any(&|name| {
            name.starts_with("tensors/") || name.starts_with("code/") || name == "version"
        })
    {
        FileKind::TorchScriptJson
    } else if [has("data.pkl"), has("constants.pkl"), has_code]
        .iter()
        .filter(|part| **part)
        .count()
        >= 2
    {
        FileKind::TorchScript
    } else if has("data.pkl") {
        FileKind::TorchSave {
            container: Container::Zip,
            content: saved_in_zip(archive),
        }
    } else if has(".data/extern_modules") {
        FileKind::TorchPackage
    } else if archive
        .entries()
        .iter()
        .any(|entry| entry.name() == "MAR-INF/MANIFEST.json")
    {
        FileKind::TorchServe
    } else if !archive.entries().is_empty()
        && archive
            .entries()
            .iter()
            .all(|entry| entry.name().ends_with(".npy"))
    {
        FileKind::Npz
    } else {
        FileKind::OtherZip
    }
}

fn is_exported_model(name: &str) -> bool {
    name.starts_with("models/") && name.ends_with(".json")
}

fn saved_in_zip(archive: &Archive) -> Saved {
    match archive.read("data.pkl") {
        Ok(record) => saved(pickle::read(&record, &PickleLimits::default())),
        Err(error) => Saved::Unreadable {
            reason: error.to_string(),
        },
    }
}
