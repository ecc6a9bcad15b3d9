//! A folder of one test, and the command run inside the test.

use std::fs;
use std::path::{Path, PathBuf};

/// Runs the command: the exit status, what it printed, and what it said on the error stream.
pub fn run(arguments: &[&str]) -> (i32, String, String) {
    let arguments = std::iter::once("rushlight").chain(arguments.iter().copied());
    let (mut out, mut errors) = (Vec::new(), Vec::new());
    let status = rushlight_cli::run_command(arguments.map(Into::into), &mut out, &mut errors, None);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status, text(out), text(errors))
}

/// Runs the command: the exit status, and all that it said.
pub fn told(arguments: &[&str]) -> (i32, String) {
    let (status, out, errors) = run(arguments);
    (status, out + &errors)
}

/// Runs the command, which succeeds: what it printed.
pub fn done(arguments: &[&str]) -> String {
    let (status, out, errors) = run(arguments);
    assert_eq!(status, 0, "{arguments:?}: {out}{errors}");
    out
}

/// A folder that goes with its test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("rushlight_{name}_{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// The path of something in the folder.
    pub fn at(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_string()
    }

    /// A file with this text.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.at(name);
        fs::create_dir_all(Path::new(&path).parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// An archive of the functions of a source.
    pub fn archive(&self, name: &str, source: &str) -> String {
        let (file, made) = (self.write(&format!("{name}.py"), source), self.at(name));
        done(&["compile", &file, "-o", &made]);
        made
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
