//! The rushlight command: one library with two shells, the standalone binary and the wheel's console script.
//!
//! [`run_command`] takes arguments and gives the exit status; what it prints goes to the writers it is handed.

mod argument;
mod command;
mod compare;
mod files;
mod limits;
mod measure;
mod media;
mod pipe;
mod program;
mod recording;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use rushlight::tensor::watch::Supervisor;
pub use rushlight_view::diagram;
use rushlight_view::{abbreviate, chart, value as show};
use std::cell::Cell;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  rushlight run model.pt 'torch.ones(1, 3)'         run forward of an archive
  rushlight run digits.pt @seven.png                 an image as a float CHW tensor in 0..1
  rushlight run primes.py:primes 50                  a function of a source file
  rushlight run model.pt --each 'images/*.png' -o out.ndjson    over many inputs
  rushlight inspect model.pt                         what a file is and what it needs
  rushlight diff old.pt new.pt                       what two models differ in
  rushlight check model.py                           every problem in a source file
  rushlight compile model.py -o model.pt             an archive of its functions";

/// TorchScript without PyTorch.
#[derive(Parser)]
#[command(name = "rushlight", version, after_help = EXAMPLES, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    limits: limits::LimitOptions,
}

#[derive(Subcommand)]
enum Command {
    /// Run a method of an archive, or a function of a source file
    #[command(after_help = command::run::HELP)]
    Run(command::run::Options),
    /// Tell what a file is: modules, methods, parameters, operators it needs
    #[command(after_help = command::inspect::HELP)]
    Inspect {
        /// Any file
        file: PathBuf,
        /// Print it as JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the code of an archive, or of the functions of a source file
    #[command(after_help = command::code::HELP)]
    Code {
        /// FILE.pt, FILE.py or FILE.py:FUNCTION
        target: String,
        /// Print the register code that runs instead
        #[arg(long)]
        registers: bool,
    },
    /// Compile a source file to an archive that needs no Python (PyTorch loads it too)
    #[command(after_help = command::compile::HELP)]
    Compile {
        /// FILE.py, or FILE.py:FUNCTION for the function that `forward` is to be
        target: String,
        /// The archive to write
        #[arg(short, long)]
        out: PathBuf,
    },
    /// Convert an archive: to another precision, to safetensors, to readable code, to ONNX
    #[command(after_help = command::convert::HELP)]
    Convert {
        /// FILE.pt
        file: PathBuf,
        /// Example inputs for an ONNX model: expressions, or @FILE
        arguments: Vec<String>,
        /// FILE.pt, FILE.safetensors, FILE.py or FILE.onnx
        #[arg(short, long)]
        out: PathBuf,
        /// Rewrite the devices in the code: cpu
        #[arg(long)]
        device: Option<String>,
        /// Rewrite floating point dtypes, of the code and of tensors: float32, float64, float16 or bfloat16
        #[arg(long)]
        dtype: Option<String>,
        /// Take the parameters and buffers from this safetensors file
        #[arg(long, value_name = "FILE")]
        weights: Option<PathBuf>,
        /// Write this file format version (3 to 10) instead of the oldest that the code allows
        #[arg(long)]
        target: Option<u64>,
        /// The version of ONNX's operators (11 to 20) [default: 20]
        #[arg(long, value_name = "N")]
        opset: Option<i64>,
        /// An axis of an input of an ONNX model that varies; may be given several times
        #[arg(long, value_name = "NAME:AXIS[=CALLED]")]
        dynamic: Vec<String>,
    },
    /// Print graphs, or draw them
    #[command(after_help = command::graph::HELP)]
    Graph(command::graph::Options),
    /// Run passes by name and print the graph that they leave
    #[command(after_help = command::pass::HELP)]
    Pass(command::pass::Options),
    /// Report every problem in source files
    #[command(after_help = command::check::HELP)]
    Check(command::check::Options),
    /// Serve an editor: problems while typing, types, definitions, completion
    #[command(after_help = command::lsp::HELP)]
    Lsp,
    /// Run a function and keep its inputs and outputs in a file
    #[command(after_help = command::record::HELP)]
    Record(command::record::Options),
    /// Time runs, alone or in turns with PyTorch
    #[command(after_help = command::bench::HELP)]
    Bench(command::bench::Options),
    /// Show where the time of a run goes: operators, source lines, calls
    #[command(after_help = command::profile::HELP)]
    Profile(command::profile::Options),
    /// Run what was recorded again, and compare: with the recording, or with PyTorch
    #[command(after_help = command::verify::HELP)]
    Verify(command::verify::Options),
    /// Show what two models differ in: code, operators, attributes, weights
    #[command(after_help = command::diff::HELP)]
    Diff(command::diff::Options),
    /// Write an archive without debug information and extra files
    #[command(after_help = command::strip::HELP)]
    Strip(command::strip::Options),
    /// Write an archive that runs faster and cannot be trained
    #[command(after_help = command::optimize::HELP)]
    Optimize(command::optimize::Options),
    /// Print what makes a shell complete the command line
    #[command(after_help = command::completions::HELP)]
    Completions(command::completions::Options),
    /// Print a page of the manual, or write all
    #[command(after_help = command::man::HELP)]
    Man(command::man::Options),
}

/// What the command takes.
fn whole() -> clap::Command {
    Arguments::command()
}

/// Runs the command and returns the exit status: 0 success, 1 failure, 2 wrong use. The supervisor, if there is one, can
/// stop it.
pub fn run_command(
    arguments: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
    errors: &mut dyn Write,
    supervisor: Option<Arc<dyn Supervisor>>,
) -> i32 {
    let out: &mut dyn Write = &mut pipe::Pipe::new(out);
    let mut command = whole();
    let words = argument::shielded(arguments, &command);
    let matches = command.try_get_matches_from_mut(words);
    let parsed = matches.and_then(|mut found| Arguments::from_arg_matches_mut(&mut found));
    let parsed = match parsed.map_err(|error| error.format(&mut command)) {
        Ok(parsed) => parsed,
        Err(error) => {
            let to_out = !error.use_stderr();
            let _ = if to_out {
                write!(out, "{error}")
            } else {
                write!(errors, "{error}")
            };
            return if to_out { 0 } else { 2 };
        }
    };
    let guard = limits::Guard::new(parsed.limits, supervisor.clone());
    // Where 1 says that there is a difference, trouble is 2, as with diff(1).
    let trouble = match parsed.command {
        Command::Diff(_) => 2,
        _ => 1,
    };
    let is_same = Cell::new(true);
    let result = limits::under(parsed.limits, supervisor, || match parsed.command {
        Command::Run(options) => command::run::run(&options, &guard, out, errors),
        Command::Inspect { file, json } => command::inspect::run(&file, json, out),
        Command::Code { target, registers } => command::code::run(&target, registers, out),
        Command::Compile { target, out: file } => {
            command::compile::run(&target, &file, telling(&file, out, errors))
        }
        Command::Convert {
            file,
            arguments,
            out: to,
            device,
            dtype,
            weights,
            target,
            opset,
            dynamic,
        } => command::convert::run(
            &command::convert::Request {
                file: &file,
                out: &to,
                device: device.as_deref(),
                dtype: dtype.as_deref(),
                weights: weights.as_deref(),
                version: target,
                arguments: &arguments,
                opset,
                dynamic: &dynamic,
            },
            telling(&to, out, errors),
        )
        .and_then(|warning| {
            let mut warning = warning.into_iter();
            Ok(warning.try_for_each(|text| writeln!(errors, "{text}"))?)
        }),
        Command::Graph(options) => command::graph::run(&options, out),
        Command::Pass(options) => command::pass::run(&options, out, errors),
        Command::Check(options) => command::check::run(&options, out),
        Command::Lsp => command::lsp::run(),
        Command::Record(options) => command::record::run(&options, &guard, out, errors),
        Command::Bench(options) => command::bench::run(&options, &guard, out, errors),
        Command::Profile(options) => command::profile::run(&options, &guard, out, errors),
        Command::Verify(options) => {
            command::verify::run(&options, &guard, out, errors).map(|same| is_same.set(same))
        }
        Command::Diff(options) => command::diff::run(&options, out).map(|same| is_same.set(same)),
        Command::Strip(options) => {
            command::strip::run(&options, telling(&options.out, out, errors))
        }
        Command::Optimize(options) => command::optimize::run(&options, &guard, out, errors),
        Command::Completions(options) => {
            command::completions::run(&options, Arguments::command(), out)
        }
        Command::Man(options) => command::man::run(&options, Arguments::command(), out),
    });
    match result {
        Ok(()) => i32::from(!is_same.get()),
        Err(message) => {
            let _ = writeln!(errors, "{}", message.0.trim_end());
            trouble
        }
    }
}

/// Where to say what was written: not among it, where that goes to a pipe or to the standard output.
fn telling<'w>(
    written: &Path,
    out: &'w mut dyn Write,
    errors: &'w mut dyn Write,
) -> &'w mut dyn Write {
    if rushlight::is_stream(written) && !written.is_dir() {
        errors
    } else {
        out
    }
}

/// What went wrong, in words for the person at the terminal.
#[derive(Debug)]
pub(crate) struct Failure(String);

impl<T: std::fmt::Display> From<T> for Failure {
    fn from(error: T) -> Failure {
        Failure(error.to_string())
    }
}

/// The result of a command.
pub(crate) type Done<T = ()> = Result<T, Failure>;
