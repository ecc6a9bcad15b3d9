//! `cargo xtask tidy`: what no compiler checks.
//!
//! Each check is one file here and one row in [`CHECKS`]; it gets the tree and returns complaints. Tidy also
//! runs as a test of this crate.

mod allocation;
mod arrows;
mod codes;
pub mod effects;
mod licences;
pub mod links;
mod operator_lists;
mod rust_code;
mod rust_files;
mod unsafe_files;
mod words;

use crate::steps::Outcome;
use crate::workspace::{files, root};

/// The project's files, read once for all checks.
pub struct Tree {
    /// Every text file of the project, sorted by path.
    pub texts: Vec<TextFile>,
    /// Every path of the project, sorted, binary files included.
    pub paths: Vec<String>,
}

/// A text file of the project.
pub struct TextFile {
    /// The path relative to the root.
    pub path: String,
    /// What is in it.
    pub text: String,
}

type Check = fn(&Tree) -> Result<Vec<String>, String>;

const CHECKS: &[(&str, Check)] = &[
    ("arrows between crates", arrows::check),
    ("side effects in core crates", effects::check),
    ("allocation in kernels", allocation::check),
    ("lists of operators", operator_lists::check),
    ("Rust files", rust_files::check),
    ("unsafe", unsafe_files::check),
    ("machine paths", words::check),
    ("links", links::check),
    ("codes of diagnostics", codes::check),
    ("licences", licences::check),
];

impl Tree {
    /// Reads the project.
    pub fn read() -> Result<Self, String> {
        let paths = files()?;
        let mut texts = Vec::new();
        for path in &paths {
            let bytes =
                std::fs::read(root().join(path)).map_err(|error| format!("{path}: {error}"))?;
            // What is not UTF-8 is data, not text.
            if let Ok(text) = String::from_utf8(bytes)
                && !text.contains('\0')
            {
                texts.push(TextFile {
                    path: path.clone(),
                    text,
                });
            }
        }
        Ok(Self { texts, paths })
    }

    /// The files written in Rust.
    pub fn rust(&self) -> impl Iterator<Item = &TextFile> {
        self.texts.iter().filter(|file| file.path.ends_with(".rs"))
    }
}

/// Runs every check; the complaints, one per line.
pub fn complaints() -> Result<Vec<String>, String> {
    let tree = Tree::read()?;
    let mut all = Vec::new();
    for (name, check) in CHECKS {
        all.extend(
            check(&tree)?
                .into_iter()
                .map(|complaint| format!("{name}: {complaint}")),
        );
    }
    Ok(all)
}

/// `cargo xtask tidy`.
pub fn run() -> Result<(), String> {
    match complaints()?.as_slice() {
        [] => Ok(()),
        some => Err(format!("{}\n{} complaints", some.join("\n"), some.len())),
    }
}

/// Tidy as a step of the tests.
pub fn step() -> Outcome {
    Outcome::from_result(run().map(|()| format!("{} checks", CHECKS.len())))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_tree_is_tidy() {
        let complaints = super::complaints().expect("the tree can be read");
        assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
    }
}
