//! A folder that scripts may read and write files in.

use crate::write_file;
use rushlight_archive::{bytes, save_value};
use rushlight_tensor::Storage;
use rushlight_types::{Context, Fault, Files, Result, Value};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

/// Gives scripts the files below one folder; hand it to [`Context::allow_files`].
pub struct Folder {
    /// Nowhere in particular if all files are meant.
    root: Option<PathBuf>,
}

impl Folder {
    /// The folder and all below it.
    pub fn new(root: impl Into<PathBuf>) -> Folder {
        Folder {
            root: Some(root.into()),
        }
    }

    /// Every file that the process may reach, by any path: for programs that reach files by themselves as well.
    pub fn everywhere() -> Folder {
        Folder { root: None }
    }

    /// Where a name leads. Names do not leave the folder, by `..`, as whole paths to elsewhere or through links.
    fn path(&self, name: &str) -> Result<PathBuf> {
        let refused = || Fault::runtime(format!("'{name}' is no file below the allowed folder"));
        let name = Path::new(name);
        let Some(root) = &self.root else {
            return Ok(name.into());
        };
        let parts = name.strip_prefix(root).unwrap_or(name).components();
        let mut path = root.clone();
        for part in parts {
            match part {
                Component::Normal(part) if !(cfg!(windows) && leads_away(part)) => path.push(part),
                Component::CurDir => {}
                _ => return Err(refused()),
            }
            if path.is_symlink() {
                return Err(refused());
            }
        }
        Ok(path)
    }
}

/// Whether a part of a path has a meaning of its own on Windows: a drive, a second stream of a file, a device.
fn leads_away(part: &OsStr) -> bool {
    let name = part.to_string_lossy();
    let stem = name.split('.').next().unwrap_or_default().trim_end();
    let is = |device: &str| stem.eq_ignore_ascii_case(device);
    // Ports are the words with one sign behind.
    let port = stem.char_indices().nth(3).filter(|(at, sign)| {
        let last = at + sign.len_utf8() == stem.len();
        last && (sign.is_ascii_digit() || "¹²³".contains(*sign))
    });
    let port = port.map(|(at, _)| &stem[..at]).unwrap_or_default();
    name.contains(':')
        || ["con", "prn", "aux", "nul", "conin$", "conout$"]
            .into_iter()
            .any(is)
        || ["com", "lpt"]
            .into_iter()
            .any(|word| port.eq_ignore_ascii_case(word))
}

fn told(name: &str, error: impl std::fmt::Display) -> Fault {
    Fault::runtime(format!("{name}: {error}"))
}

/// The reference's words for a file that cannot be opened.
fn cannot(name: &str, what: &str, error: &io::Error) -> Fault {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let code = error.raw_os_error();
    let code = code.map(|code| format!(" ({code})")).unwrap_or_default();
    Fault::runtime(format!("unable to {what}: {text}{code}").replace("<>", &format!("<{name}>")))
}

impl Files for Folder {
    fn memory(&self, name: &str, length: usize, shared: bool) -> Result<Storage> {
        let path = self.path(name)?;
        if shared {
            let opened = bytes::shared_memory(&path, length);
            return opened.map_err(|e| cannot(name, "open file <> in read-write mode", &e));
        }
        let open = |e: io::Error| cannot(name, "open file <> in read-only mode", &e);
        let file = File::open(path).map_err(open)?;
        let mut read = Vec::new();
        let copied = file.take(length as u64).read_to_end(&mut read);
        copied.map_err(|e| cannot(name, &format!("mmap {length} bytes from file <>"), &e))?;
        if read.len() < length {
            return Err(Fault::runtime(format!(
                "file <{name}> size <{}> is smaller than the required mapping size <{length}>",
                read.len()
            )));
        }
        Ok(Storage::from_vec(read))
    }

    /// As an archive of one value, which `torch.load` reads.
    fn write(&self, name: &str, value: &Value) -> Result<()> {
        let path = self.path(name)?;
        let bytes = save_value(value, &Context::silent()).map_err(|e| told(name, e))?;
        write_file(&path, &bytes).map_err(|e| told(name, e))
    }
}

#[cfg(test)]
mod tests {
    use super::leads_away;

    #[test]
    fn names_with_a_meaning_on_windows_are_known() {
        for name in [
            "C:", "C:x", "a.txt:b", "nul", "Con.txt", "COM1", "lpt9.log", "aux .x", "com²",
        ] {
            assert!(leads_away(name.as_ref()), "{name}");
        }
        for name in [
            "a.txt",
            "console",
            "com",
            "com10",
            "lpt.1",
            "null",
            "コンピ1",
            "",
        ] {
            assert!(!leads_away(name.as_ref()), "{name}");
        }
    }
}
