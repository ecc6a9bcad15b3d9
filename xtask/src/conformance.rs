//! `cargo xtask conformance`: hands its arguments to the runner in `rushlight_filetests`, and runs it with the
//! ledger as a step of the tests.

use std::path::PathBuf;

use crate::arguments::{refuse_options, take_flag};
use crate::steps::{Outcome, Verdict, wheel};
use crate::workspace::{program, root, shared};

/// `cargo xtask conformance KIND DIR... [options]`.
pub fn run(args: &[String]) -> Result<(), String> {
    let status = runner(args)?
        .status()
        .map_err(|error| format!("cannot run the runner: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(String::new())
    }
}

/// Each kind with the folder of our own cases and that of the public ones.
const KINDS: &[(&str, &str, &str)] = &[
    ("programs", "tests/programs", "conformance/programs"),
    ("ops", "tests/ops/corpus", "conformance/ops/corpus"),
    ("archives", "tests/archive", "assets"),
];

/// `cargo xtask ledger [KIND...] [--allow-growth]`: rewrites the ledgers after a run over all corpora.
///
/// The public corpora must be at hand: what is not run cannot be judged.
pub fn update_ledgers(mut args: Vec<String>) -> Result<(), String> {
    let growth = take_flag(&mut args, "--allow-growth");
    refuse_options(&args)?;
    if shared().is_none() {
        return Err(
            "the public corpora are not beside the project; the ledgers need them".to_owned(),
        );
    }
    for (kind, ..) in KINDS
        .iter()
        .filter(|(kind, ..)| args.is_empty() || args.iter().any(|arg| arg == kind))
    {
        let mut request = with_ledger(kind, &folders(kind));
        request.push("--update-ledger".to_owned());
        request.extend(growth.then(|| "--allow-growth".to_owned()));
        run(&request)?;
    }
    Ok(())
}

pub fn programs_step() -> Outcome {
    step("programs")
}

pub fn ops_step() -> Outcome {
    step("ops")
}

pub fn archives_step() -> Outcome {
    step("archives")
}

/// Runs one kind over our own cases and, where they are at hand, the public corpora.
fn step(kind: &str) -> Outcome {
    let folders = folders(kind);
    if folders.is_empty() {
        return Outcome::skipped("no cases here");
    }
    let mut outcome = match runner(&with_ledger(kind, &folders)) {
        Ok(mut command) => Outcome::of_command(&mut command),
        Err(message) => return Outcome::new(Verdict::Failed, "", message),
    };
    if let Some(line) = last_line(&outcome.output) {
        outcome.note = line.to_owned();
    }
    outcome
}

/// The line in which the runner says how many cases match.
pub fn last_line(output: &str) -> Option<&str> {
    let is_summary =
        |line: &&str| line.starts_with(|c: char| c.is_ascii_digit()) && line.contains(" match (");
    output.lines().rev().find(is_summary)
}

/// The arguments of a run over these folders that the ledger judges.
pub fn with_ledger(kind: &str, folders: &[PathBuf]) -> Vec<String> {
    let ledger = format!("tests/ledger/{kind}.txt");
    let mut args = vec![kind.to_owned(), "--ledger".to_owned(), ledger];
    args.extend(folders.iter().map(|folder| folder.display().to_string()));
    args
}

/// Our own cases of a kind and, where they are at hand, the public ones.
pub fn folders(kind: &str) -> Vec<PathBuf> {
    let rows = KINDS.iter().filter(|(name, ..)| *name == kind);
    let folders = rows.flat_map(|(_, own, public)| {
        [
            Some(root().join(own)),
            shared().map(|shared| shared.join(public)),
        ]
    });
    folders.flatten().filter(|folder| folder.is_dir()).collect()
}

fn runner(args: &[String]) -> Result<std::process::Command, String> {
    let mut command = program("--bin", "conformance", "dev")?;
    command.args(args);
    // What `programs` runs unless `--cmd` says otherwise.
    command.env("RUSHLIGHT_PYTHON", wheel::python());
    Ok(command)
}
