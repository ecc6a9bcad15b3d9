//! Files that are read, and `-`, which stands for the standard input wherever a file is taken.

use rushlight::archive::bytes::Bytes;
use std::io::{self, Read};
use std::path::Path;
use std::sync::OnceLock;

/// What stands for the standard input.
pub const STDIN: &str = "-";

/// Reads a file, or the standard input: as often as somebody asks for it, with the same content.
pub fn read(path: &Path) -> io::Result<Bytes> {
    open(path, false)
}

/// As [`read`]; a file that is trusted not to change is mapped.
pub fn open(path: &Path, trusted: bool) -> io::Result<Bytes> {
    match path.as_os_str() == STDIN {
        true => standard_input(),
        false => Bytes::open(path, trusted),
    }
}

fn standard_input() -> io::Result<Bytes> {
    static CONTENT: OnceLock<Bytes> = OnceLock::new();
    if let Some(content) = CONTENT.get() {
        return Ok(content.clone());
    }
    let mut content = Vec::new();
    io::stdin().lock().read_to_end(&mut content)?;
    Ok(CONTENT.get_or_init(|| content.into()).clone())
}

/// Whether a target is a source file: by its name, or where it has none by how it begins.
pub fn is_source(path: &str) -> io::Result<bool> {
    match path == STDIN {
        true => Ok(!read(Path::new(path))?.starts_with(b"PK")),
        false => Ok(path.ends_with(".py")),
    }
}

/// What a file is called in messages.
pub fn shown(path: &Path) -> String {
    match path.as_os_str() == STDIN {
        true => "<stdin>".to_string(),
        false => path.display().to_string(),
    }
}
