//! `rushlight verify`: a recorded run once more, and whether it gives the same.

use super::against;
use crate::compare::{self, Row, Tolerance, leaves, rows};
use crate::limits::Guard;
use crate::program::{Making, Program};
use crate::recording::Recording;
use crate::{Done, Failure};
use clap::Args;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

/// What stands below the options in the help.
pub const HELP: &str = "\
Examples:
  rushlight verify model.pt run.npz                      exit status 1 where an output differs
  rushlight verify half.pt run.npz --rtol 1e-2 --json
  rushlight verify model.pt run.npz --against python3    compares with PyTorch there, on the same inputs

With --against, PyTorch loads and runs the file without any of the limits of this command: only for files that you trust.";

/// What to run, against which recording.
#[derive(Args)]
pub struct Options {
    /// FILE.pt, or FILE.py:FUNCTION
    pub target: String,
    /// What `rushlight record` has written
    pub recording: PathBuf,
    /// The method of an archive to run [default: the recorded one]
    #[arg(long)]
    pub method: Option<String>,
    #[command(flatten)]
    pub tolerance: Tolerance,
    /// Compare with what PyTorch gives for the recorded inputs in this Python interpreter, not with what was recorded
    #[arg(long, value_name = "PYTHON")]
    pub against: Option<PathBuf>,
    /// Print the comparison as JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub making: Making,
}

/// Runs again and compares: whether all is as expected.
pub fn run(
    options: &Options,
    guard: &Guard,
    out: &mut dyn Write,
    errors: &mut dyn Write,
) -> Done<bool> {
    let recorded = Recording::read(&options.recording)?;
    let method = options.method.as_ref().unwrap_or(&recorded.method);
    let making = Making {
        seed: options.making.seed.or(recorded.seed),
        ..options.making.clone()
    };
    let expected = match &options.against {
        Some(python) => {
            let seed = making.seed;
            against::results(python, &options.target, method, seed, &recorded.arguments)?
        }
        None => recorded.results,
    };
    let program = Program::open(&options.target, method, &making, guard.trusts(), errors)?;
    if options.json {
        program.print_to(std::io::stderr());
    }
    let result = program.run(&recorded.arguments, errors)?;
    let rows = rows(&expected, &leaves(&result)?, options.tolerance);
    let is_same = rows.iter().all(Row::is_same);
    if options.json {
        let rows: Vec<_> = rows.iter().map(Row::json).collect();
        writeln!(out, "{}", json!({"same": is_same, "outputs": rows}))?;
    } else {
        write!(out, "{}", compare::table(&rows))?;
    }
    Ok(is_same)
}

/// Fails where two results differ by more than a tolerance allows.
pub fn same(
    expected: &rushlight::Value,
    actual: &rushlight::Value,
    tolerance: Tolerance,
) -> Done<Vec<Row>> {
    let rows = rows(&leaves(expected)?, &leaves(actual)?, tolerance);
    match rows.iter().all(Row::is_same) {
        true => Ok(rows),
        false => Err(Failure(format!(
            "the results differ:\n{}",
            compare::table(&rows)
        ))),
    }
}
