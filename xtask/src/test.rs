//! `cargo xtask test`: all that CI runs, one tidy line per step.
//!
//! A step's own output is kept back and shown when it fails (always with `--verbose`). The last line of the
//! whole run counts what the test runners counted.

use std::io::Write;
use std::time::{Duration, Instant};

use crate::arguments::{refuse_options, take_flag};
use crate::steps::{self, Outcome, Step, Verdict, When};

/// Runs the steps that `args` ask for.
pub fn run(mut args: Vec<String>) -> Result<(), String> {
    let quick = take_flag(&mut args, "--quick");
    let keep_going = take_flag(&mut args, "--keep-going");
    let verbose = take_flag(&mut args, "--verbose");
    if take_flag(&mut args, "--list") {
        list();
        return Ok(());
    }
    refuse_options(&args)?;
    let chosen = choose(&args, quick)?;
    let started = Instant::now();
    let mut tally = Tally::default();
    for step in chosen {
        let outcome = run_step(step, verbose);
        let failed = matches!(outcome.verdict, Verdict::Failed);
        tally.add(&outcome);
        if failed && !keep_going {
            break;
        }
    }
    println!("{} in {}", tally.steps_line(), seconds(started.elapsed()));
    println!("{} passed, {} failed", tally.passed, tally.failed);
    if tally.steps_failed > 0 {
        Err("cargo xtask test: not all steps passed".to_owned())
    } else {
        Ok(())
    }
}

fn list() {
    for step in steps::ALL {
        let when = match step.when {
            When::Always => "",
            When::Full => "  (not with --quick)",
            When::Named => "  (only when named)",
        };
        println!("{:12} {}{when}", step.name, step.about);
    }
}

fn choose(names: &[String], quick: bool) -> Result<Vec<&'static Step>, String> {
    if let Some(unknown) = names
        .iter()
        .find(|name| steps::ALL.iter().all(|step| step.name != **name))
    {
        return Err(format!(
            "unknown step `{unknown}`; `cargo xtask test --list` names them"
        ));
    }
    let wanted = |step: &&Step| match names {
        [] => match step.when {
            When::Always => true,
            When::Full => !quick,
            When::Named => false,
        },
        _ => names.iter().any(|name| name == step.name),
    };
    Ok(steps::ALL.iter().filter(wanted).collect())
}

fn run_step(step: &Step, verbose: bool) -> Outcome {
    print!("{:.<14} ", format!("{} ", step.name));
    // The line is finished when the step is; a lost flush costs nothing but the early half.
    let _ = std::io::stdout().flush();
    let started = Instant::now();
    let outcome = (step.run)();
    let word = match outcome.verdict {
        Verdict::Passed => "ok",
        Verdict::Failed => "FAILED",
        Verdict::Skipped => "skipped",
    };
    println!(
        "{word:8} {:>8}  {}",
        seconds(started.elapsed()),
        outcome.note
    );
    if verbose || matches!(outcome.verdict, Verdict::Failed) {
        println!("{}", indent(&outcome.output));
    }
    outcome
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

fn indent(text: &str) -> String {
    text.trim_end()
        .lines()
        .map(|line| format!("    {line}\n"))
        .collect()
}

/// What has been counted so far.
#[derive(Default)]
struct Tally {
    steps_passed: usize,
    steps_failed: usize,
    steps_skipped: usize,
    passed: usize,
    failed: usize,
}

impl Tally {
    fn add(&mut self, outcome: &Outcome) {
        match outcome.verdict {
            Verdict::Passed => self.steps_passed += 1,
            Verdict::Failed => self.steps_failed += 1,
            Verdict::Skipped => self.steps_skipped += 1,
        }
        self.passed += outcome.tests_passed;
        self.failed += outcome.tests_failed;
        // A step without a count of its own is one test.
        if outcome.tests_passed + outcome.tests_failed == 0 {
            match outcome.verdict {
                Verdict::Passed => self.passed += 1,
                Verdict::Failed => self.failed += 1,
                Verdict::Skipped => {}
            }
        } else if matches!(outcome.verdict, Verdict::Failed) && outcome.tests_failed == 0 {
            self.failed += 1;
        }
    }

    fn steps_line(&self) -> String {
        format!(
            "{} steps passed, {} failed, {} skipped",
            self.steps_passed, self.steps_failed, self.steps_skipped
        )
    }
}
