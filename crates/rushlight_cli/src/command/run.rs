//! `rushlight run`: a method of an archive or a function of a source file, on arguments from the command line.

use super::each::{self, EachOptions};
use crate::limits::Guard;
use crate::program::{Call, Making};
use crate::{Done, chart, media, show};
use clap::Args;
use rushlight::Value;
use std::io::Write;
use std::path::PathBuf;

/// What stands below the options in the help.
pub const HELP: &str = "\
Arguments are TorchScript expressions (3, -2, \"text\", [1, 2], torch.ones(2, 3)), by place or by name (n=3), or files:
  @data.npy  @data.npz:name     an array
  @image.png @image.jpg         a float tensor (channels, height, width) in 0..1
  @audio.wav                    a float tensor (channels, frames) in -1..1

Examples:
  rushlight run model.pt 'torch.ones(1, 3)'
  rushlight run model.pt @x.npy --out y.npy
  rushlight run digits.pt --method classify @seven.png
  rushlight run primes.py:primes 50
  rushlight run model.pt --each 'images/*.png' --batch 32 --out results.ndjson
  find . -name '*.npy' | rushlight run model.pt --each - --jobs 4 --out results/
  rushlight run resize.py:resize --each images/ {} 224          {} is the place of the input

With --each, --limit-time holds for every input, and --limit-memory is shared by those that run at a time.";

/// What to run, on what, and where the result goes.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    pub call: Call,
    /// Write the result to FILE.npy, FILE.npz, FILE.json or, as JSON, to - instead of printing it; those of --each to
    /// FILE.ndjson, FILE.npz or a folder
    #[arg(short, long)]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub making: Making,
    #[command(flatten)]
    pub each: EachOptions,
}

/// Runs what the options ask for. What was changed to make an archive run is said on `errors`.
pub fn run(options: &Options, guard: &Guard, out: &mut dyn Write, errors: &mut dyn Write) -> Done {
    let program = options.call.open(&options.making, guard, errors)?;
    if !options.each.each.is_empty() {
        let file = options.out.as_deref();
        let given = &options.call.arguments;
        return each::run(&options.each, given, file, &program, guard, out, errors);
    }
    let arguments = options.call.values(&program)?;
    if options.out.as_deref().is_some_and(rushlight::is_stream) {
        program.print_to(std::io::stderr());
    }
    let result = program.run(&arguments, errors)?;
    match &options.out {
        Some(path) => {
            media::write(path, &result)?;
            let out = crate::telling(path, out, errors);
            writeln!(out, "wrote {}", path.display())?;
            Ok(())
        }
        None => print(&result, program.labels().as_deref(), out),
    }
}

/// Prints a result, with a chart where it is a handful of probabilities.
pub fn print(result: &Value, labels: Option<&[String]>, out: &mut dyn Write) -> Done {
    if !result.is_none() {
        writeln!(out, "{}", show::value(result))?;
    }
    if let Some(chart) = chart::of(result, labels) {
        write!(out, "\n{chart}")?;
    }
    Ok(())
}
