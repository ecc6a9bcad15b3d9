//! numpy's `.npz` files: zip files of `.npy` files.

use crate::{Done, Failure};
use rushlight::archive::bytes::{Bytes, Record};
use rushlight::archive::zip::{Archive, Compression, Limits, Writer};
use rushlight::{Tensor, Value};

use super::npy::{read, write};

/// What a file may grow to. Arrays of zeros, such as masks, are compressed as far as the method goes.
pub fn limits() -> Limits {
    Limits {
        max_ratio: 1100,
        ..Limits::default()
    }
}

/// An array of a `.npz` file; the only one where no name is given.
pub fn read_entry(bytes: Bytes, entry: Option<&str>) -> Done<Tensor> {
    let archive = Archive::open(bytes, &limits())?;
    let names = names(&archive);
    let wanted = match entry {
        Some(name) => names
            .iter()
            .find(|n| *n == name || n.strip_suffix(".npy") == Some(name)),
        None if names.len() == 1 => names.first(),
        None => None,
    };
    let Some(name) = wanted else {
        const SHOWN: usize = 20;
        let shown = names[..names.len().min(SHOWN)].join(", ");
        let more = match names.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let told = match entry {
            Some(name) => format!("there is no array {name}"),
            None => "say which array to take, as FILE.npz:NAME".to_string(),
        };
        return Err(Failure(format!("{told}; the file has: {shown}{more}")));
    };
    let record = record(&archive, name)?;
    read(record.as_slice())
}

/// The names of all entries, in full: a folder that they share is a part of the names.
pub fn names(archive: &Archive) -> Vec<String> {
    let names = archive.names();
    names.map(|n| format!("{}{n}", archive.prefix())).collect()
}

/// The content of an entry, by its full name.
pub fn record(archive: &Archive, name: &str) -> Done<Record> {
    let name = name.strip_prefix(archive.prefix()).unwrap_or(name);
    Ok(archive.read(name)?)
}

/// The tensors of a result as a `.npz` file: `result`, or one entry per item or key.
pub fn write_all(value: &Value) -> Done<Vec<u8>> {
    let arrays = match value {
        Value::Dict(_) => arrays(value, "result", |_, key| key.to_string())?,
        _ => arrays(value, "result", |whole, item| format!("{whole}_{item}"))?,
    };
    let mut writer = Writer::new("");
    for (name, bytes) in arrays {
        writer.add(&format!("{name}.npy"), &bytes, Compression::Stored, 1)?;
    }
    Ok(writer.finish())
}

/// The arrays of a result as `.npy` files: one called `whole` of a tensor, else one for each item or key, named by `part`.
pub fn arrays(
    value: &Value,
    whole: &str,
    part: impl Fn(&str, &str) -> String,
) -> Done<Vec<(String, Vec<u8>)>> {
    let named: Vec<(String, Value)> = match value {
        Value::Tensor(_) => vec![(whole.to_string(), value.clone())],
        Value::Dict(d) => d
            .entries()
            .iter()
            .map(|(k, v)| (part(whole, &crate::show::value(k)), v.clone()))
            .collect(),
        other if other.list_items().is_err() => {
            return Err(Failure(
                "the result is no tensor, nor are there tensors in it; use .json".into(),
            ));
        }
        other => other
            .list_items()?
            .into_iter()
            .enumerate()
            .map(|(i, v)| (part(whole, &i.to_string()), v))
            .collect(),
    };
    named
        .into_iter()
        .map(|(name, item)| match &item {
            Value::Tensor(t) => Ok((name, write(t)?)),
            _ => Err(Failure(format!(
                "'{name}' of the result is no tensor; use .json"
            ))),
        })
        .collect()
}
