//! Which inputs `--each` means: files, folders, patterns, and names from the standard input.

use super::super::about;
use crate::{Done, Failure, media};
use glob::MatchOptions;
use rushlight::tensor::watch;
use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Folders inside one another are followed so far.
const DEPTH: usize = 64;

/// The names of all inputs: in the order of the patterns, those of one pattern by name, none twice.
pub fn named(patterns: &[String]) -> Done<Vec<String>> {
    let mut found = Vec::new();
    for pattern in patterns {
        match pattern.as_str() {
            "-" => found.extend(lines(&standard_input()?)),
            pattern => add(pattern, &mut found)?,
        }
    }
    let mut seen = HashSet::new();
    found.retain(|name| seen.insert(name.clone()));
    match found.is_empty() {
        true => Err(Failure("there are no inputs: --each found no files".into())),
        false => Ok(found),
    }
}

fn add(pattern: &str, found: &mut Vec<String>) -> Done {
    let path = Path::new(pattern);
    let is_entry = pattern
        .rsplit_once(".npz:")
        .is_some_and(|(stem, _)| Path::new(&format!("{stem}.npz")).is_file());
    if path.is_dir() {
        return add_folder(path, DEPTH, found);
    }
    if path.exists() || is_entry {
        found.push(pattern.to_string());
        return Ok(());
    }
    let before = found.len();
    let options = MatchOptions {
        // As in a shell, `*` leaves hidden files out.
        require_literal_leading_dot: true,
        ..MatchOptions::new()
    };
    let paths = glob::glob_with(pattern, options)
        .map_err(|e| Failure(format!("the pattern {pattern} cannot be read: {e}")))?;
    for path in paths {
        let path = path?;
        match path.is_dir() {
            true => add_folder(&path, DEPTH, found)?,
            false => found.push(name(path)?),
        }
    }
    match found.len() == before && !pattern.contains(['*', '?', '[']) {
        true => Err(about(path, "there is no such file")),
        false if found.len() == before => {
            Err(Failure(format!("no file fits the pattern {pattern}")))
        }
        false => Ok(()),
    }
}

/// The files of a folder that can be arguments, and those of the folders in it. Hidden ones are left out.
fn add_folder(folder: &Path, depth: usize, found: &mut Vec<String>) -> Done {
    let entries = std::fs::read_dir(folder).map_err(|e| about(folder, e))?;
    let mut paths = entries
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<Vec<PathBuf>, _>>()
        .map_err(|e| about(folder, e))?;
    rushlight::tensor::order::sort(&mut paths);
    for path in paths {
        let is_hidden = path
            .file_name()
            .is_some_and(|n| n.to_string_lossy().starts_with('.'));
        if is_hidden {
            continue;
        }
        if path.is_dir() && !path.is_symlink() {
            let deeper = depth
                .checked_sub(1)
                .ok_or_else(|| about(&path, "folders lie in one another too deeply"))?;
            add_folder(&path, deeper, found)?;
        } else if path.is_file() && media::is_known(&path) {
            found.push(name(path)?);
        }
    }
    Ok(())
}

/// Names stand in results, which are text.
fn name(path: PathBuf) -> Done<String> {
    path.into_os_string()
        .into_string()
        .map_err(|path| about(Path::new(&path), "the name of this file is no text"))
}

fn lines(text: &str) -> impl Iterator<Item = String> {
    text.lines()
        .map(|line| line.trim_end_matches('\r').to_string())
        .filter(|line| !line.is_empty())
}

/// All of the standard input. Another thread waits for it, so that this one can be asked to stop.
fn standard_input() -> Done<String> {
    let (done, wait) = mpsc::channel();
    std::thread::spawn(move || {
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        // Nobody waits any more where the command was stopped.
        let _ = done.send(read.map(|_| text));
    });
    loop {
        match wait.recv_timeout(Duration::from_millis(20)) {
            Ok(text) => return text.map_err(|e| Failure(format!("standard input: {e}"))),
            Err(RecvTimeoutError::Timeout) => watch::look().map_err(|f| f.message().to_string())?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure("standard input could not be read".into()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_lines() {
        let names: Vec<String> = lines("a b.png\r\n\nc.npy\n").collect();
        assert_eq!(names, ["a b.png", "c.npy"]);
    }
}
