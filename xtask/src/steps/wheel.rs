//! The wheel, built by pip as a user would build it, installed in a virtual environment of its own.

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
    let mut pip = Command::new(python());
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ]);
    // With what the Python tests need; the wheel itself needs nothing.
    pip.arg(".[test]")
        .current_dir(root())
        .env("CARGO_TARGET_DIR", target());
    succeed(&mut pip)?;
    Ok(format!(
        "in {}",
        target().join("venv").strip_prefix(root()).map_or_else(
            |_| "the target folder".to_owned(),
            |path| path.display().to_string(),
        )
    ))
}

fn succeed(command: &mut Command) -> Result<(), String> {
    match capture(command)? {
        (true, _) => Ok(()),
        (false, output) => Err(output),
    }
}
