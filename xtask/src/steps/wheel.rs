//! The wheel, built by pip as a user would build it, installed in a virtual environment of its own.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::{Outcome, capture};
use crate::workspace::{root, target};

/// The Python of the virtual environment that has the wheel.
pub fn python() -> PathBuf {
    target().join("venv/bin/python")
}

pub fn step() -> Outcome {
    Outcome::from_result(build())
}

/// `cargo xtask wheel`.
pub fn run() -> Result<(), String> {
    println!("{}", build()?);
    Ok(())
}

fn build() -> Result<String, String> {
    if !python().is_file() {
        let venv = target().join("venv");
        succeed(Command::new("python3").args(["-m", "venv"]).arg(venv))?;
    }
    let pip = |arguments: &[&str]| {
        let mut command = Command::new(python());
        command.args(["-m", "pip", "--quiet", "--disable-pip-version-check"]);
        command.args(arguments).current_dir(root());
        command.env("CARGO_TARGET_DIR", target());
        command
    };
    let wheels = target().join("wheels");
    for old in built() {
        fs::remove_file(&old).map_err(|error| format!("{}: {error}", old.display()))?;
    }
    succeed(pip(&["wheel", ".", "--no-deps", "--wheel-dir"]).arg(&wheels))?;
    let [wheel] = &built()[..] else {
        return Err(format!("pip made no wheel in {}", wheels.display()));
    };
    // With what the Python tests need; the wheel itself needs nothing. The version may be the one that is installed.
    succeed(pip(&["install"]).arg(format!("{}[test]", wheel.display())))?;
    succeed(pip(&["install", "--no-deps", "--force-reinstall"]).arg(wheel))?;
    Ok(format!(
        "in {}",
        target().join("venv").strip_prefix(root()).map_or_else(
            |_| "the target folder".to_owned(),
            |path| path.display().to_string(),
        )
    ))
}

/// The wheels that stand in the folder of wheels.
pub fn built() -> Vec<PathBuf> {
    let wheels = target().join("wheels");
    let Ok(entries) = fs::read_dir(&wheels) else {
        return Vec::new();
    };
    let paths = entries.flatten().map(|entry| entry.path());
    paths
        .filter(|path| path.extension().is_some_and(|e| e == "whl"))
        .collect()
}

fn succeed(command: &mut Command) -> Result<(), String> {
    match capture(command)? {
        (true, _) => Ok(()),
        (false, output) => Err(output),
    }
}
