//! Fuzz drivers that run on stable: real inputs, changed at random, against every reader of foreign bytes.
//!
//! `rushlight_fuzz TARGET --seconds N` runs one; `cargo xtask fuzz` runs all. The tries run in a child process
//! that says which one it begins, so that the parent can make the input of a crash or hang again: an input
//! depends on nothing but target, corpus, seed and number.

mod change;
mod corpus;
mod drive;
mod lies;
mod operators;
mod random;
mod targets;

/// As in the command and the wheel.
#[global_allocator]
static ALLOCATOR: rushlight::tensor::memory::Accounting = rushlight::tensor::memory::Accounting;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

const HELP: &str = "\
rushlight_fuzz TARGET [--seconds N] [--seed N] [--corpus DIR]...
rushlight_fuzz TARGET FILE          runs one input
rushlight_fuzz --list               names the targets
";

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// Runs what the arguments ask for; whether nothing was found.
fn run(args: Vec<String>) -> Result<bool, String> {
    if args.iter().any(|arg| arg == "--list") {
        targets::ALL
            .iter()
            .for_each(|target| println!("{}", target.name));
        println!("{}", operators::NAME);
        return Ok(true);
    }
    let (name, rest) = args.split_first().ok_or(HELP)?;
    if name == operators::NAME {
        return operators::run(rest);
    }
    let target = targets::find(name).ok_or_else(|| format!("unknown target `{name}`\n\n{HELP}"))?;
    let mut plan = drive::Plan {
        seed: 1,
        first: 0,
        limit: Duration::from_secs(10),
        folders: Vec::new(),
    };
    let mut file = None;
    let mut child = false;
    let mut rest = rest.iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("`{arg}` needs a value"));
        match arg.as_str() {
            "--seconds" => plan.limit = Duration::from_secs(number(value()?)?),
            "--seed" => plan.seed = number(value()?)?,
            "--corpus" => plan.folders.push(PathBuf::from(value()?)),
            drive::CHILD => (child, plan.first) = (true, number(value()?)?),
            _ if arg.starts_with('-') => return Err(format!("unknown option `{arg}`\n\n{HELP}")),
            _ => file = Some(PathBuf::from(arg)),
        }
    }
    match file {
        Some(file) => replay(target, &file),
        None if child => drive::try_all(target, &plan),
        None => drive::watch(target, &plan),
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("`{text}` is not a number"))
}

/// Runs one input in this very process: whatever is wrong shows itself.
fn replay(target: &targets::Target, file: &Path) -> Result<bool, String> {
    let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    (target.run)(&bytes);
    println!("{}: nothing found", file.display());
    Ok(true)
}
