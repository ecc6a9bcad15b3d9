//! `rushlight profile`: where the time of runs goes.

use super::about;
use crate::Done;
use crate::limits::Guard;
use crate::measure::{self, Profile};
use crate::program::{self, Call, Making, Program};
use clap::Args;
use rushlight::Value;
use rushlight::tensor::memory;
use rushlight::types::{PlainCopies, deep_copy};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What stands below the options in the help.
pub const HELP: &str = "\
Examples:
  rushlight profile model.pt @x.npy
  rushlight profile model.pt 'torch.rand(1, 3, 224, 224)' --runs 10 --svg flame.svg
  rushlight profile primes.py:primes 50 --json

Times are of one run and of the operator alone. What is between operators is calls of functions, numbers, loops, and the
measuring. Tasks that `fork` starts on other threads are not seen.";

/// What to run, how often, and what to write.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    pub call: Call,
    /// How often to run, after one run to warm up
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: u32,
    /// Draw calls and operators as wide as the time they took
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Print it as JSON, in seconds, of all runs together
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub making: Making,
}

/// Runs and tells.
pub fn run(options: &Options, guard: &Guard, out: &mut dyn Write, errors: &mut dyn Write) -> Done {
    let program = options.call.open(&options.making, guard, errors)?;
    if options.json {
        program.print_to(std::io::stderr());
    }
    let arguments = options.call.values(&program)?;
    let warnings = program::listen(program.context());
    let result =
        timed(&program, &arguments).and_then(|_| measured(&program, &arguments, options.runs));
    for line in program::taken(&warnings) {
        writeln!(errors, "{line}")?;
    }
    let profile = result?;
    if options.json {
        writeln!(out, "{}", measure::json(&profile))?;
    } else {
        let runs = match profile.runs {
            1 => "1 run".into(),
            n => format!("{n} runs"),
        };
        let each = measure::time(profile.total / profile.runs.max(1));
        writeln!(
            out,
            "{}: {each} a run ({runs}, measured)\n",
            options.call.name()
        )?;
        write!(out, "{}", measure::tables(&profile))?;
    }
    if let Some(path) = &options.svg {
        draw(
            path,
            &options.call.name(),
            &profile,
            options.json,
            out,
            errors,
        )?;
    }
    Ok(())
}

/// Writes the picture and says so, on `errors` where `out` takes JSON.
pub(super) fn draw(
    path: &Path,
    name: &str,
    profile: &Profile,
    json: bool,
    out: &mut dyn Write,
    errors: &mut dyn Write,
) -> Done {
    let drawn = measure::flame(name, profile);
    rushlight::write_file(path, drawn.as_bytes()).map_err(|e| about(path, e))?;
    if json {
        writeln!(errors, "wrote {}", path.display())?;
    } else {
        writeln!(
            crate::telling(path, out, errors),
            "wrote {}",
            path.display()
        )?;
    }
    Ok(())
}

/// What a run took.
#[derive(Clone, Copy)]
pub(super) struct Took {
    pub time: Duration,
    /// How often the thread asked the system for memory.
    pub allocations: u64,
}

/// One run on copies of the arguments, which it may write.
pub(super) fn timed(program: &Program, arguments: &[Value]) -> Done<Took> {
    let copies: Vec<Value> = arguments
        .iter()
        .map(|value| deep_copy(value, &PlainCopies))
        .collect::<Result<_, _>>()?;
    program.restart_random(program.context());
    let (before, start) = (memory::taken(), Instant::now());
    let outcome = program.call(program.context(), &copies);
    let took = Took {
        time: start.elapsed(),
        allocations: memory::taken() - before,
    };
    outcome
        .map(|_| took)
        .map_err(|fault| program.explain(&fault))
}

/// A profile of so many runs.
pub(super) fn measured(program: &Program, arguments: &[Value], runs: u32) -> Done<Profile> {
    measure::profile(program.context(), runs, || {
        timed(program, arguments).map(|took| took.time)
    })
}
