//! The fuzz drivers: a process per target, for so many seconds.

use super::{Outcome, Verdict};
use crate::arguments::take_option;
use crate::workspace::{program, root, shared};

/// How long CI runs each target.
const CI_SECONDS: &str = "30";

/// The target whose tries are counted, so that CI makes the same ones on every machine, how many it makes, and the limit
/// of time that each runs under: sizes from strangers can ask for any amount of work, but a call stops when it is told.
const COUNTED: &str = "operators";
const CI_CALLS: &str = "20000";
const CI_LIMIT_MS: &str = "4000";

/// So many targets run at the same time; CI has two cores.
const AT_ONCE: usize = 2;

pub fn step() -> Outcome {
    let targets = match targets() {
        Ok(targets) => targets,
        Err(message) => return Outcome::new(Verdict::Failed, "", message),
    };
    let runs: Vec<Result<(bool, String), String>> =
        targets.chunks(AT_ONCE).flat_map(drive_together).collect();
    let mut found = Vec::new();
    let mut output = String::new();
    for (name, run) in targets.iter().zip(runs) {
        if let Ok((false, text)) | Err(text) = run {
            found.push(name.as_str());
            output.push_str(&text);
        }
    }
    let verdict = if found.is_empty() {
        Verdict::Passed
    } else {
        Verdict::Failed
    };
    let note = match found.as_slice() {
        [] => format!("{} targets", targets.len()),
        _ => format!("findings in {}", found.join(", ")),
    };
    let tests_failed = found.len();
    Outcome {
        verdict,
        note,
        output,
        tests_passed: targets.len() - tests_failed,
        tests_failed,
    }
}

/// Runs a few targets at the same time, for as long as CI does.
fn drive_together(targets: &[String]) -> Vec<Result<(bool, String), String>> {
    std::thread::scope(|scope| {
        let run = |name: &String| {
            let options: &[&str] = match name.as_str() {
                COUNTED => &["--calls", CI_CALLS, "--limit-ms", CI_LIMIT_MS],
                _ => &["--seconds", CI_SECONDS],
            };
            let args = [name.as_str()].into_iter().chain(options.iter().copied());
            drive(&args.map(str::to_owned).collect::<Vec<_>>())
        };
        let threads: Vec<_> = targets
            .iter()
            .map(|name| scope.spawn(move || run(name)))
            .collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
            thread
                .join()
                .unwrap_or_else(|_| Err("the thread that watches it ended".to_owned()))
        };
        threads.into_iter().map(join).collect()
    })
}

/// `cargo xtask fuzz [TARGET...] [--seconds N] [--seed N] [--calls N] [--operators GLOB] [--limit-ms N] [--profile NAME]`.
pub fn run(args: &[String]) -> Result<(), String> {
    let mut names = args.to_vec();
    let mut options = Vec::new();
    let profile = take_option(&mut names, "--profile")?.unwrap_or_else(|| "dev".to_owned());
    for option in [
        "--seconds",
        "--seed",
        "--calls",
        "--operators",
        "--limit-ms",
    ] {
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
        let (ok, output) = drive_in(&profile, &args)?;
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

/// Runs the driver as CI does.
fn drive(args: &[String]) -> Result<(bool, String), String> {
    drive_in("dev", args)
}

/// Runs the driver built in a profile; whether it succeeded, and what it printed, with the compiler's words only where
/// it failed.
fn drive_in(profile: &str, args: &[String]) -> Result<(bool, String), String> {
    let mut command = program("--bin", "rushlight_fuzz", profile)?;
    command.args(args);
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
    let output = command
        .output()
        .map_err(|error| format!("cannot run the drivers: {error}"))?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        text.push_str(&String::from_utf8_lossy(&output.stderr));
    }
    Ok((output.status.success(), text))
}
