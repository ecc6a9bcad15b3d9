//! Finding the files of a corpus.

use std::path::{Path, PathBuf};

/// The files in `dirs` and below that `wanted` accepts, each folder's sorted by name; a file that is named itself
/// is always taken.
pub fn files_below(
    dirs: &[PathBuf],
    wanted: impl Fn(&Path) -> bool,
) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for dir in dirs {
        if dir.is_file() {
            found.push(dir.clone());
        } else {
            walk(dir, &wanted, &mut found)?;
        }
    }
    Ok(found)
}

fn walk(
    dir: &Path,
    wanted: &impl Fn(&Path) -> bool,
    found: &mut Vec<PathBuf>,
) -> Result<(), String> {
    let entries = std::fs::read_dir(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let (folders, files): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| path.is_dir());
    found.extend(files.into_iter().filter(|path| wanted(path)));
    folders
        .iter()
        .try_for_each(|folder| walk(folder, wanted, found))
}
