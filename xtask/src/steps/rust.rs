//! The steps that are cargo's own: format, lints, tests.

use super::{Outcome, Verdict};
use crate::workspace::cargo;

pub fn fmt() -> Outcome {
    Outcome::of_command(cargo().args(["fmt", "--all", "--check"]))
}

pub fn clippy() -> Outcome {
    let args = [
        "clippy",
        "--quiet",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ];
    Outcome::of_command(cargo().args(args))
}

/// All Rust tests but the documentation's, by nextest where it is installed.
pub fn tests() -> Outcome {
    let mut command = cargo();
    if has_nextest() {
        // No colour: the summary line is read.
        command.args([
            "nextest",
            "run",
            "--workspace",
            "--no-fail-fast",
            "--color",
            "never",
        ]);
        command.args(["--no-tests", "pass"]);
    } else {
        // Not all targets, which would have a test program of the Python module, for which there is nothing to link.
        command.args(["test", "--workspace", "--no-fail-fast", "--tests"]);
    }
    Outcome::of_command(&mut command)
}

/// Builds of the library that leave things out.
const FEATURES: &[&str] = &["autograd", "jit", "ndarray", "rpc", "tensors"];

/// The library with each of its features alone, and the tests of the language without any.
pub fn features() -> Outcome {
    let library = ["-p", "rushlight", "--no-default-features"];
    for feature in FEATURES {
        let mut command = cargo();
        command.arg("check").args(library);
        let outcome = Outcome::of_command(command.args(["--features", feature]));
        if !matches!(outcome.verdict, Verdict::Passed) {
            return outcome;
        }
    }
    let mut command = cargo();
    command.arg("test").args(library);
    Outcome::of_command(command.args(["--test", "language"]))
}

fn has_nextest() -> bool {
    cargo()
        .args(["nextest", "--version"])
        .output()
        .is_ok_and(|output| output.status.success())
}

/// The examples in the documentation, which nextest does not run.
pub fn doc_tests() -> Outcome {
    let outcome =
        Outcome::of_command(cargo().args(["test", "--workspace", "--doc", "--no-fail-fast"]));
    match outcome.verdict {
        Verdict::Passed if outcome.note.is_empty() => Outcome {
            note: "no examples".to_owned(),
            ..outcome
        },
        _ => outcome,
    }
}
