//! Where things are: the root of the workspace, its tracked files, the corpora beside it, the programs to call.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

/// The root of the workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// The folder for everything that is built, shared by all steps.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// `cargo` as it was called, with the root as its working directory.
pub fn cargo() -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.current_dir(root());
    // Set by cargo for this process; a nested cargo must find its own.
    for name in [
        "CARGO_MANIFEST_DIR",
        "CARGO_MANIFEST_PATH",
        "CARGO_PKG_NAME",
        "CARGO_PKG_VERSION",
    ] {
        command.env_remove(name);
    }
    command
}

/// What cargo has made of a target of a package.
pub struct Artifact {
    /// The name of the target.
    pub name: String,
    /// The files.
    pub files: Vec<PathBuf>,
    /// The program, where the target is one.
    pub program: Option<PathBuf>,
}

/// Builds a program (`--bin`) or an example (`--example`) of the workspace, and what is needed to run it.
///
/// As a part of the whole workspace, although only one program is made: cargo builds others' crates with the features that
/// the chosen packages ask for, so that each package by itself, or with those that it happens to be named with, would have most of what
/// the tests are made of built once more.
pub fn program(kind: &str, name: &str, profile: &str) -> Result<Command, String> {
    let mut command = cargo();
    command.args(["build", "--workspace", "--quiet", kind, name]);
    command.args(["--profile", profile]);
    let built = build(command)?;
    let found = built.into_iter().rev().find_map(|artifact| match artifact {
        Artifact { program, .. } if artifact.name == name => program,
        _ => None,
    });
    let path = found.ok_or_else(|| format!("cargo built no `{name}`"))?;
    let mut command = Command::new(path);
    command.current_dir(root());
    Ok(command)
}

/// Builds the command and the wheel's library in release; all that went into them, in the order in which it was built.
///
/// Together, because features of others' crates that only one of them asks for would have most of it built twice.
pub fn release_build() -> Result<Vec<Artifact>, String> {
    let mut command = cargo();
    command.args(["build", "--release", "--quiet"]);
    command.args(["-p", "rushlight_cli", "-p", "rushlight_py"]);
    build(command)
}

/// Runs a `cargo build`; all that went into what it was told to make, in the order in which it was built.
fn build(mut command: Command) -> Result<Vec<Artifact>, String> {
    command.args(["--message-format", "json-render-diagnostics"]);
    let done = command
        .output()
        .map_err(|error| format!("cargo build: {error}"))?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned());
    }
    let mut artifacts = Vec::new();
    for line in String::from_utf8_lossy(&done.stdout).lines() {
        let message: Json =
            serde_json::from_str(line).map_err(|error| format!("cargo build: {error}"))?;
        if message["reason"] != "compiler-artifact" {
            continue;
        }
        let path = |value: &Json| value.as_str().map(PathBuf::from);
        let files = message["filenames"].as_array();
        artifacts.push(Artifact {
            name: message["target"]["name"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            files: files.into_iter().flatten().filter_map(path).collect(),
            program: path(&message["executable"]),
        });
    }
    Ok(artifacts)
}

/// The files that belong to the project: tracked ones, and new ones that git does not ignore.
///
/// Paths are relative to the root, sorted. Without git (a source archive) there is nothing to list and the
/// tree is walked instead.
pub fn files() -> Result<Vec<String>, String> {
    let listed = Command::new("git")
        .args([
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
            "-z",
        ])
        .current_dir(root())
        .output();
    let mut files: Vec<String> = match listed {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout)
            .split('\0')
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect(),
        _ => walk(&root())?,
    };
    // A file that was deleted but not yet committed is still in git's list.
    files.retain(|name| root().join(name).is_file());
    files.sort();
    files.dedup();
    Ok(files)
}

fn walk(root: &Path) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut pending = vec![root.to_path_buf()];
    while let Some(folder) = pending.pop() {
        let entries =
            std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        for entry in entries.flatten() {
            let path = entry.path();
            let name = entry.file_name();
            if path.is_dir() {
                if name != "target" && name != ".git" {
                    pending.push(path);
                }
            } else if let Ok(relative) = path.strip_prefix(root) {
                found.push(relative.to_string_lossy().into_owned());
            }
        }
    }
    Ok(found)
}

/// The folder `shared` with the public corpora, where there is one beside the project.
///
/// A linked git worktree may lie elsewhere; then the folder beside the main checkout counts.
pub fn shared() -> Option<PathBuf> {
    let beside = |checkout: &Path| {
        let candidate = checkout.parent()?.join("shared");
        candidate.join("conformance").is_dir().then_some(candidate)
    };
    beside(&root()).or_else(|| beside(&main_checkout()?))
}

fn main_checkout() -> Option<PathBuf> {
    let output = Command::new("git")
        .args(["rev-parse", "--path-format=absolute", "--git-common-dir"])
        .current_dir(root())
        .output()
        .ok()?;
    let common = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    Some(common.parent()?.to_path_buf())
}
