//! Files as tensors and results as files.

mod audio;
mod image;
mod json;
pub mod npy;
pub mod npz;
pub mod raw;
pub mod safetensors;

use crate::{Done, Failure, files};
use rushlight::{Tensor, Value};
use std::path::Path;

fn extension(path: &Path) -> String {
    path.extension()
        .map_or_else(String::new, |e| e.to_string_lossy().to_lowercase())
}

fn about(path: &Path, error: impl std::fmt::Display) -> Failure {
    Failure(format!("{}: {error}", path.display()))
}

/// The kinds of files that can be arguments.
const KNOWN: &[&str] = &["npy", "npz", "png", "jpg", "jpeg", "wav"];

/// Whether a file can be an argument, by its extension.
pub fn is_known(path: &Path) -> bool {
    KNOWN.contains(&extension(path).as_str())
}

/// A result as JSON.
pub fn json(value: &Value) -> Done<serde_json::Value> {
    json::of(value)
}

/// The arrays of a result as `.npy` files, called `name` or `name/PART`.
pub fn arrays(value: &Value, name: &str) -> Done<Vec<(String, Vec<u8>)>> {
    npz::arrays(value, name, |whole, part| format!("{whole}/{part}"))
}

/// How files of each kind begin.
const BEGINNINGS: &[(&[u8], &str)] = &[
    (b"\x93NUMPY", "npy"),
    (b"PK", "npz"),
    (b"\x89PNG", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"RIFF", "wav"),
];

/// Reads a file as a tensor: by its extension, or where that says nothing by how it begins.
pub fn read(path: &Path, entry: Option<&str>) -> Done<Tensor> {
    let bytes = files::read(path).map_err(|e| about(path, e))?;
    let extension = extension(path);
    let begins = |row: &&(&[u8], &str)| bytes.starts_with(row.0);
    let kind = match KNOWN.contains(&extension.as_str()) {
        true => extension.as_str(),
        false => BEGINNINGS.iter().find(begins).map_or("", |row| row.1),
    };
    match kind {
        "npy" => npy::read(&bytes),
        "npz" => npz::read_entry(bytes, entry),
        "png" => image::read_png(&bytes),
        "jpg" | "jpeg" => image::read_jpeg(&bytes),
        "wav" => audio::read(&bytes),
        _ => Err(Failure(
            "only .npy, .npz, .png, .jpg and .wav files can be arguments".into(),
        )),
    }
    .map_err(|e| about(path, e.0))
}

/// Writes a result to a file, by its extension.
pub fn write(path: &Path, value: &Value) -> Done {
    if path.is_dir() {
        return Err(about(path, "this is a directory, not a file"));
    }
    let bytes = match extension(path).as_str() {
        "npy" => match value {
            Value::Tensor(t) => npy::write(t)?,
            _ => {
                return Err(about(
                    path,
                    "only a tensor fits a .npy file; use .npz or .json",
                ));
            }
        },
        "npz" => npz::write_all(value)?,
        "json" => json::write(value)?,
        // What goes on through a pipe has no name.
        "" if rushlight::is_stream(path) => json::write(value)?,
        other => {
            return Err(about(
                path,
                match other {
                    "" => "the name of a file for results ends in .npy, .npz or .json".to_string(),
                    other => format!("results go to .npy, .npz or .json, not '.{other}'"),
                },
            ));
        }
    };
    rushlight::write_file(path, &bytes).map_err(|e| about(path, e))
}
