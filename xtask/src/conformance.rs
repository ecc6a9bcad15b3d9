//! `cargo xtask conformance`: hands its arguments to the runner in `rushlight_filetests`, and runs it with the
//! ledger as a step of the tests.

use std::path::PathBuf;

use crate::steps::{Outcome, wheel};
use crate::workspace::{cargo, root, shared};

/// `cargo xtask conformance KIND DIR... [options]`.
pub fn run(args: &[String]) -> Result<(), String> {
    let status = runner(args)
        .status()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(String::new())
    }
}

pub fn programs_step() -> Outcome {
    step("programs", &["conformance/programs"])
}

pub fn ops_step() -> Outcome {
    step("ops", &["conformance/ops/corpus"])
}

pub fn archives_step() -> Outcome {
    step("archives", &["assets"])
}

/// Runs one kind over our own cases and, where they are at hand, the public corpora.
fn step(kind: &str, public: &[&str]) -> Outcome {
    let folders = folders(kind, public);
    if folders.is_empty() {
        return Outcome::skipped("no cases here");
    }
    let ledger = root().join("tests/ledger").join(format!("{kind}.txt"));
    let mut args = vec![
        kind.to_owned(),
        "--ledger".to_owned(),
        ledger.display().to_string(),
    ];
    args.extend(folders.iter().map(|folder| folder.display().to_string()));
    let mut outcome = Outcome::of_command(&mut runner(&args));
    if let Some(line) = outcome
        .output
        .lines()
        .rev()
        .find(|line| line.contains(" match ("))
    {
        outcome.note = line.to_owned();
    }
    outcome
}

fn folders(kind: &str, public: &[&str]) -> Vec<PathBuf> {
    let own = root().join("tests").join(kind);
    let shared = shared()
        .into_iter()
        .flat_map(|shared| public.iter().map(move |name| shared.join(name)));
    std::iter::once(own)
        .chain(shared)
        .filter(|folder| folder.is_dir())
        .collect()
}

fn runner(args: &[String]) -> std::process::Command {
    let mut command = cargo();
    command.args([
        "run",
        "--quiet",
        "--package",
        "rushlight_filetests",
        "--bin",
        "conformance",
        "--",
    ]);
    command.args(args);
    // What `programs` runs unless `--cmd` says otherwise.
    command.env("RUSHLIGHT_PYTHON", wheel::python());
    command
}
