//! Developer tasks, run as `cargo xtask TASK`.
//!
//! `test` runs everything that CI runs; each of its steps can be run alone. Nothing here depends on the
//! crates of the project, so the tasks still run when those do not compile.

mod arguments;
mod conformance;
mod docs;
mod methods;
mod steps;
mod test;
mod tidy;
mod web;
mod workspace;

use std::process::ExitCode;

const HELP: &str = "\
Developer tasks of rushlight.

  cargo xtask test [--quick] [--keep-going] [--verbose] [STEP...]
      Runs all that CI runs, or the named steps. --quick leaves out the slow ones.
  cargo xtask test --list
      Names the steps.
  cargo xtask tidy
      Checks what no compiler checks: arrows between crates, module comments, unsafe, links, licences.
  cargo xtask conformance programs|ops|archives DIR... [--json OUT] [--min PERCENT] [--filter S] [--show N]
      Measures a directory laid out like the public corpora. See `cargo xtask conformance --help`.
  cargo xtask ledger [KIND...] [--allow-growth]
      Rewrites tests/ledger after running everything; takes entries away, and adds them only when told.
  cargo xtask fuzz [TARGET...] [--seconds N] [--seed N] [--profile dev|release|checked]
  cargo xtask fuzz operators [--calls N] [--operators GLOB,..] ...
      Runs the fuzz drivers on stable.
  cargo xtask docs [--without-operators]
      Writes the documentation as a site into target/docs, and fails where a link in it is dead.
  cargo xtask methods
      Writes the operators as methods of tensors for Rust; the step `docs` checks that they are what the table says.
  cargo xtask web
      Builds the page for browsers, target/web/index.html, which needs no server.
  cargo xtask wheel
      Builds the wheel into a virtual environment under target/venv.
";

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    if args.is_empty() {
        print!("{HELP}");
        return ExitCode::FAILURE;
    }
    let task = args.remove(0);
    let outcome = match task.as_str() {
        "test" => test::run(args),
        "tidy" => tidy::run(),
        "conformance" => conformance::run(&args),
        "ledger" => conformance::update_ledgers(args),
        "fuzz" => steps::fuzz::run(&args),
        "docs" => docs::run(args),
        "methods" => methods::run(),
        "web" => web::run(args),
        "wheel" => steps::wheel::run(),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        other => Err(format!("unknown task `{other}`\n\n{HELP}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{}", message.trim_end());
            ExitCode::FAILURE
        }
    }
}
