//! Files that are read, and `-`, which stands for the standard input wherever a file is taken. Pipes that the shell has opened are
//! read, too.

use rushlight::archive::bytes::Bytes;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What stands for the standard input.
pub const STDIN: &str = "-";

/// Reads a file, or the standard input: as often as somebody asks for it, with the same content.
pub fn read(path: &Path) -> io::Result<Bytes> {
    open(path, false)
}

/// As [`read`]; a file that is trusted not to change is mapped.
pub fn open(path: &Path, trusted: bool) -> io::Result<Bytes> {
    let is_stdin = path.as_os_str() == STDIN;
    // What is open already, as `<(...)` of a shell is, waits for nobody's opening.
    let is_open = path.starts_with("/dev/fd") || path == Path::new("/dev/stdin");
    let is_stream = is_stdin || (is_open && !path.is_file() && !path.is_dir());
    if !is_stream {
        return Bytes::open(path, trusted);
    }
    static CONTENTS: Mutex<Vec<(PathBuf, Bytes)>> = Mutex::new(Vec::new());
    let mut contents = CONTENTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, content)) = contents.iter().find(|(known, _)| known == path) {
        return Ok(content.clone());
    }
    let mut content = Vec::new();
    match is_stdin {
        true => io::stdin().lock().read_to_end(&mut content)?,
        false => File::open(path)?.read_to_end(&mut content)?,
    };
    let content = Bytes::from(content);
    contents.push((path.to_path_buf(), content.clone()));
    Ok(content)
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

/// The text of a source, in the encoding that its first lines name, or UTF-8. Where it is none: why, if that is known.
pub fn text(bytes: &[u8]) -> Result<Cow<'_, str>, Option<String>> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok(Cow::Borrowed(text));
    }
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Some(
            "this is text in UTF-16, which Python does not read: save it as UTF-8".to_string(),
        ));
    }
    let Some(name) = bytes.split(|b| *b == b'\n').take(2).find_map(encoding) else {
        return Err(None);
    };
    match name.to_ascii_lowercase().replace('_', "-").as_str() {
        // Its bytes are the first characters of Unicode.
        "latin-1" | "latin1" | "l1" | "iso-8859-1" | "iso8859-1" => {
            Ok(bytes.iter().map(|b| char::from(*b)).collect())
        }
        "utf-8" | "utf8" => Err(Some(
            "this text says that it is in UTF-8, and is not".to_string(),
        )),
        _ => Err(Some(format!(
            "this text is in {name}, which is not read here: save it as UTF-8"
        ))),
    }
}

/// The encoding that a comment names: `# -*- coding: latin-1 -*-`.
fn encoding(line: &[u8]) -> Option<String> {
    let line = String::from_utf8_lossy(line);
    let comment = line.trim_start().strip_prefix('#')?;
    let (_, rest) = comment.split_once("coding")?;
    let rest = rest.strip_prefix([':', '='])?.trim_start();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    (end > 0).then(|| rest[..end].to_string())
}
