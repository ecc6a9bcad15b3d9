//! What the inputs are made from: real files of the kind a target reads.

use std::path::{Path, PathBuf};

/// Longer files make every try slow and teach nothing more.
const LONGEST: usize = 64 << 10;

/// So many are enough for variety.
const MOST: usize = 3000;

/// Which files a target starts from.
pub struct Source {
    /// Ends of file names.
    pub extensions: &'static [&'static str],
    /// Makes inputs of a file's content; a file may hold many.
    pub extract: fn(&[u8]) -> Vec<Vec<u8>>,
}

/// The whole file is one input.
pub fn whole(bytes: &[u8]) -> Vec<Vec<u8>> {
    vec![bytes.to_vec()]
}

/// The inputs in `folders`, in the order of their paths; at least one, be it empty.
pub fn read(folders: &[PathBuf], source: &Source) -> Vec<Vec<u8>> {
    let mut paths = Vec::new();
    folders
        .iter()
        .for_each(|folder| walk(folder, source, &mut paths));
    paths.sort();
    let mut inputs: Vec<Vec<u8>> = Vec::new();
    for path in paths {
        // A file that went away meanwhile is no loss.
        let bytes = std::fs::read(path).unwrap_or_default();
        inputs.extend(
            (source.extract)(&bytes)
                .into_iter()
                .filter(|input| input.len() <= LONGEST),
        );
        if inputs.len() >= MOST {
            break;
        }
    }
    inputs.sort();
    inputs.dedup();
    if inputs.is_empty() {
        inputs.push(Vec::new());
    }
    inputs
}

fn walk(folder: &Path, source: &Source, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, source, paths);
        } else if source
            .extensions
            .iter()
            .any(|end| path.to_string_lossy().ends_with(end))
        {
            paths.push(path);
        }
    }
}
