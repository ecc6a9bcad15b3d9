//! A folder that scripts may read and write files in.

use crate::write_file;
use rushlight_archive::save_value;
use rushlight_types::{Context, Fault, Files, Result, Value};
use std::path::{Component, Path, PathBuf};

/// Gives scripts the files below one folder; hand it to [`Context::allow_files`].
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// The folder and all below it.
    pub fn new(root: impl Into<PathBuf>) -> Folder {
        Folder { root: root.into() }
    }

    /// Where a name leads. Names do not leave the folder, by `..`, as whole paths or through links.
    fn path(&self, name: &str) -> Result<PathBuf> {
        let refused = || Fault::runtime(format!("'{name}' is no file below the allowed folder"));
        let parts = Path::new(name).components();
        let mut path = self.root.clone();
        for part in parts {
            match part {
                Component::Normal(part) => path.push(part),
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

fn told(name: &str, error: impl std::fmt::Display) -> Fault {
    Fault::runtime(format!("{name}: {error}"))
}

impl Files for Folder {
    fn read(&self, name: &str) -> Result<Vec<u8>> {
        std::fs::read(self.path(name)?).map_err(|e| told(name, e))
    }

    /// As an archive of one value, which `torch.load` reads.
    fn write(&self, name: &str, value: &Value) -> Result<()> {
        let path = self.path(name)?;
        let bytes = save_value(value, &Context::silent()).map_err(|e| told(name, e))?;
        write_file(&path, &bytes).map_err(|e| told(name, e))
    }
}
