//! The fuzz drivers: a process per target, for so many seconds.

use super::{Outcome, Verdict, capture};
use crate::arguments::take_option;
use crate::workspace::{cargo, root, shared};

/// How long CI runs each target.
const CI_SECONDS: &str = "60";

pub fn step() -> Outcome {
    let mut notes = Vec::new();
    let mut output = String::new();
    let mut passed = 0;
    let mut failed = 0;
    let targets = match targets() {
        Ok(targets) => targets,
        Err(message) => return Outcome::new(Verdict::Failed, "", message),
    };
    for name in targets {
        match drive(&[name.clone(), "--seconds".to_owned(), CI_SECONDS.to_owned()]) {
            Ok((true, _)) => passed += 1,
            Ok((false, text)) | Err(text) => {
                failed += 1;
                notes.push(name);
                output.push_str(&text);
            }
        }
    }
    let verdict = if failed == 0 {
        Verdict::Passed
    } else {
        Verdict::Failed
    };
    let note = match notes.as_slice() {
        [] => format!("{passed} targets"),
        _ => notes.join(", "),
    };
    Outcome {
        verdict,
        note,
        output,
        tests_passed: passed,
        tests_failed: failed,
    }
}

/// `cargo xtask fuzz [TARGET...] [--seconds N] [--seed N]`.
pub fn run(args: &[String]) -> Result<(), String> {
    let mut names = args.to_vec();
    let mut options = Vec::new();
    for option in ["--seconds", "--seed"] {
        if let Some(value) = take_option(&mut names, option)? {
            options.extend([option.to_owned(), value]);
        }
    }
    if names.is_empty() {
        names = targets()?;
    }
    let mut bad = Vec::new();
    for name in names {
        let mut args = vec![name.clone()];
        args.extend(options.iter().cloned());
        let (ok, output) = drive(&args)?;
        print!("{output}");
        if !ok {
            bad.push(name);
        }
    }
    if bad.is_empty() {
        Ok(())
    } else {
        Err(format!("findings in {}", bad.join(", ")))
    }
}

fn targets() -> Result<Vec<String>, String> {
    match drive(&["--list".to_owned()])? {
        (true, output) => Ok(output.lines().map(str::to_owned).collect()),
        (false, output) => Err(output),
    }
}

fn drive(args: &[String]) -> Result<(bool, String), String> {
    let mut command = cargo();
    command
        .args(["run", "--quiet", "--package", "rushlight_fuzz", "--"])
        .args(args);
    if args.first().is_some_and(|arg| arg != "--list") {
        let folders = [
            Some(root().join("tests")),
            Some(root().join("examples")),
            shared(),
        ];
        for folder in folders
            .into_iter()
            .flatten()
            .filter(|folder| folder.is_dir())
        {
            command.arg("--corpus").arg(folder);
        }
    }
    capture(&mut command)
}
