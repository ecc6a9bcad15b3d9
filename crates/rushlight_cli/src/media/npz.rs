//! numpy's `.npz` files: zip files of `.npy` files.

use crate::{Done, Failure};
use rushlight::archive::bytes::Bytes;
use rushlight::archive::zip::{Archive, Compression, Limits, Writer};
use rushlight::{Tensor, Value};

use super::npy::{read, write};

/// An array of a `.npz` file; the only one where no name is given.
pub fn read_entry(bytes: Bytes, entry: Option<&str>) -> Done<Tensor> {
    let archive = Archive::open(bytes, &Limits::default())?;
    let names: Vec<String> = archive.names().map(str::to_string).collect();
    let wanted = match entry {
        Some(name) => names
            .iter()
            .find(|n| *n == name || n.strip_suffix(".npy") == Some(name)),
        None if names.len() == 1 => names.first(),
        None => None,
    };
    let Some(name) = wanted else {
        return Err(Failure(format!(
            "say which array to take, as FILE.npz:NAME; the file has: {}",
            names.join(", ")
        )));
    };
    let record = archive.read(name)?;
    read(record.as_slice())
}

/// The tensors of a result as a `.npz` file: `result`, or one entry per item or key.
pub fn write_all(value: &Value) -> Done<Vec<u8>> {
    let named: Vec<(String, Value)> = match value {
        Value::Tensor(_) => vec![("result".into(), value.clone())],
        Value::Dict(d) => d
            .entries()
            .iter()
            .map(|(k, v)| (crate::show::value(k), v.clone()))
            .collect(),
        other => other
            .list_items()?
            .into_iter()
            .enumerate()
            .map(|(i, v)| (format!("result_{i}"), v))
            .collect(),
    };
    let mut writer = Writer::new("");
    for (name, item) in named {
        let Value::Tensor(t) = &item else {
            return Err(Failure(format!(
                "'{name}' of the result is no tensor; use .json"
            )));
        };
        writer.add(&format!("{name}.npy"), &write(t)?, Compression::Stored, 1)?;
    }
    Ok(writer.finish())
}
