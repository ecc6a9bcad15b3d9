//! `rushlight record`: a run, what it was called with and what it gave, into one file.

use crate::Done;
use crate::compare::leaves;
use crate::limits::Guard;
use crate::program::{Call, Making};
use crate::recording::Recording;
use clap::Args;
use rushlight::types::{PlainCopies, deep_copy};
use std::io::Write;
use std::path::PathBuf;

/// What stands below the options in the help.
pub const HELP: &str = "\
Examples:
  rushlight record model.pt @x.npy 3 --out run.npz
  rushlight verify model.pt run.npz                      runs it again and compares
  rushlight record model.pt 'torch.rand(1, 4)' --seed 1 --out run.json

An .npz file has the arrays input_0, input_1, ... and result, and an entry recording.json with all else.";

/// What to run and where the recording goes.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    pub call: Call,
    /// Write the recording to FILE.npz or FILE.json
    #[arg(short, long)]
    pub out: PathBuf,
    #[command(flatten)]
    pub making: Making,
}

/// Runs and records.
pub fn run(options: &Options, guard: &Guard, out: &mut dyn Write, errors: &mut dyn Write) -> Done {
    let Options { call, making, .. } = options;
    let program = call.open(making, guard, errors)?;
    let arguments = call.values(&program)?;
    let kept = arguments
        .iter()
        .map(|value| deep_copy(value, &PlainCopies))
        .collect::<Result<_, _>>()?;
    let result = program.run(&arguments, errors)?;
    let recording = Recording {
        target: call.target.clone(),
        method: call.method.clone(),
        seed: making.seed,
        // As they were before the run, which may have written them.
        arguments: kept,
        results: leaves(&result)?,
    };
    recording.write(&options.out)?;
    let count = |n: usize, what: &str| match n {
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    };
    writeln!(
        crate::telling(&options.out, out, errors),
        "wrote {}: {}, {}",
        options.out.display(),
        count(recording.arguments.len(), "argument"),
        count(recording.results.len(), "output")
    )?;
    Ok(())
}
