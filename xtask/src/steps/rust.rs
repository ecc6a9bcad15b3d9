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
        command.args(["test", "--workspace", "--no-fail-fast", "--all-targets"]);
    }
    Outcome::of_command(&mut command)
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
