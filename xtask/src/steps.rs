//! The steps of `cargo xtask test`, in the order in which they run.
//!
//! Cheap and telling ones come first. All share one target folder; the Rust tests, the fuzz drivers and the
//! conformance runner use the development profile, only the command and the wheel are built in release.

mod counts;
pub mod fuzz;
mod platforms;
mod projects;
mod python;
mod rust;
mod sizes;
mod spills;
pub mod wasm;
pub mod wheel;

use std::process::Command;

use crate::{conformance, docs, tidy, web};

/// One thing that CI runs.
pub struct Step {
    /// The name on the command line.
    pub name: &'static str,
    /// What it checks, for `--list`.
    pub about: &'static str,
    /// When it runs without being named.
    pub when: When,
    /// Runs it.
    pub run: fn() -> Outcome,
}

/// When a step runs without being named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Always.
    Always,
    /// Not with `--quick`.
    Full,
    /// Never: it takes very long, or needs what few machines have.
    Named,
}

/// How a step ended.
pub enum Verdict {
    /// What the step checks holds.
    Passed,
    /// It does not.
    Failed,
    /// It could not be checked here; the note says why.
    Skipped,
}

/// What a step has to say.
pub struct Outcome {
    /// How it ended.
    pub verdict: Verdict,
    /// A few words for the step's line.
    pub note: String,
    /// Everything it printed.
    pub output: String,
    /// Tests that passed, where the step runs a test runner.
    pub tests_passed: usize,
    /// Tests that failed, where the step runs a test runner.
    pub tests_failed: usize,
}

impl Outcome {
    /// An outcome without tests of its own.
    pub fn new(verdict: Verdict, note: impl Into<String>, output: impl Into<String>) -> Self {
        Self {
            verdict,
            note: note.into(),
            output: output.into(),
            tests_passed: 0,
            tests_failed: 0,
        }
    }

    /// A step that could not be checked here.
    pub fn skipped(why: impl Into<String>) -> Self {
        Self::new(Verdict::Skipped, why, "")
    }

    /// A step that is one function: a note, or what is wrong.
    pub fn from_result(result: Result<String, String>) -> Self {
        match result {
            Ok(note) => Self::new(Verdict::Passed, note, ""),
            Err(output) => Self::new(Verdict::Failed, "", output),
        }
    }

    /// Runs `command` and counts what its output says about tests.
    pub fn of_command(command: &mut Command) -> Self {
        match capture(command) {
            Err(message) => Self::new(Verdict::Failed, "", message),
            Ok((ok, output)) => {
                let verdict = if ok { Verdict::Passed } else { Verdict::Failed };
                let (passed, failed) = counts::tests(&output);
                let note = match passed + failed {
                    0 => String::new(),
                    _ => format!("{passed} passed, {failed} failed"),
                };
                Self {
                    verdict,
                    note,
                    output,
                    tests_passed: passed,
                    tests_failed: failed,
                }
            }
        }
    }
}

/// Runs `command`; whether it succeeded, and its standard output and error in one text.
pub fn capture(command: &mut Command) -> Result<(bool, String), String> {
    let output = command.output().map_err(|error| {
        format!(
            "cannot run {}: {error}",
            command.get_program().to_string_lossy()
        )
    })?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    Ok((output.status.success(), text))
}

/// Every step, in order.
pub const ALL: &[Step] = &[
    Step {
        name: "fmt",
        about: "cargo fmt --check",
        when: When::Always,
        run: rust::fmt,
    },
    Step {
        name: "tidy",
        about: "cargo xtask tidy",
        when: When::Always,
        run: tidy::step,
    },
    Step {
        name: "clippy",
        about: "clippy, warnings are errors",
        when: When::Always,
        run: rust::clippy,
    },
    Step {
        name: "rust",
        about: "Rust tests",
        when: When::Always,
        run: rust::tests,
    },
    Step {
        name: "doc",
        about: "examples in the documentation",
        when: When::Always,
        run: rust::doc_tests,
    },
    Step {
        name: "docs",
        about: "the documentation site, with its links",
        when: When::Full,
        run: docs::step,
    },
    Step {
        name: "features",
        about: "the library with each feature alone",
        when: When::Full,
        run: rust::features,
    },
    Step {
        name: "wasm",
        about: "core crates for the web's target",
        when: When::Full,
        run: wasm::step,
    },
    Step {
        name: "web",
        about: "the page for browsers, tried in Chromium",
        when: When::Full,
        run: web::step,
    },
    Step {
        name: "ops",
        about: "operator records, with ledger",
        when: When::Always,
        run: conformance::ops_step,
    },
    Step {
        name: "archives",
        about: "archives, with ledger",
        when: When::Always,
        run: conformance::archives_step,
    },
    Step {
        name: "spills",
        about: "that loops of kernels keep their sums in registers (objdump)",
        when: When::Full,
        run: spills::step,
    },
    Step {
        name: "wheel",
        about: "pip install . into target/venv",
        when: When::Full,
        run: wheel::step,
    },
    Step {
        name: "sizes",
        about: "how large the command and the wheel are",
        when: When::Full,
        run: sizes::step,
    },
    Step {
        name: "python",
        about: "Python tests against the wheel",
        when: When::Full,
        run: python::step,
    },
    Step {
        name: "projects",
        about: "a few programs with projects from PyPI",
        when: When::Full,
        run: projects::step,
    },
    Step {
        name: "programs",
        about: "programs, with ledger",
        when: When::Full,
        run: conformance::programs_step,
    },
    Step {
        name: "fuzz",
        about: "fuzz drivers, 60 s each",
        when: When::Full,
        run: fuzz::step,
    },
    Step {
        name: "targets",
        about: "that the command compiles for other platforms",
        when: When::Named,
        run: platforms::check,
    },
    Step {
        name: "platforms",
        about: "tests, corpora and the command on other platforms, which are the following",
        when: When::Named,
        run: platforms::step,
    },
    Step {
        name: "musl",
        about: "Linux without a C library of the machine's (static, musl)",
        when: When::Named,
        run: platforms::musl,
    },
    Step {
        name: "aarch64",
        about: "Linux on 64-bit ARM, under qemu-user",
        when: When::Named,
        run: platforms::aarch64,
    },
    Step {
        name: "windows",
        about: "64-bit Windows, under Wine",
        when: When::Named,
        run: platforms::windows,
    },
];
