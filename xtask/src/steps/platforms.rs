//! Platforms other than the one that tests run on: for each, tests, corpora, the command and a C program are built and
//! run here, natively or under an emulator.
//!
//! `PLATFORMS` has a row for each. A step skips a platform whose standard library, linker or emulator is not on this
//! machine, and says what is missing; `.ci/run platforms` installs all of it on Debian.

use std::path::PathBuf;
use std::process::Command;

use super::{Outcome, Verdict, capture, counts, wasm};
use crate::conformance::{folders, last_line, with_ledger};
use crate::workspace::{cargo, root, target};

/// A platform that this machine can build for and run.
struct Platform {
    /// The step that runs it alone.
    name: &'static str,
    target: &'static str,
    /// What links Rust.
    linker: &'static str,
    /// The C compiler, with the package that has it on Debian.
    compiler: [&'static str; 2],
    /// What programs are run by, with its package; nothing where they run as they are.
    runner: Option<[&'static str; 2]>,
    /// Packages whose tests are run.
    tests: &'static [&'static str],
    /// What a program in C is linked with besides the static library.
    libraries: &'static [&'static str],
}

/// What computes and what reads foreign bytes; the last are remote calls.
const CORE: &[&str] = &[
    "rushlight_tensor",
    "rushlight_kernels",
    "rushlight_quantized",
    "rushlight_lang",
    "rushlight_runtime",
    "rushlight_archive",
    "rushlight_jit",
    "rushlight_rpc",
];

const PLATFORMS: &[Platform] = &[
    Platform {
        name: "musl",
        target: "x86_64-unknown-linux-musl",
        // With the start files and the C library that Rust brings. musl-gcc makes programs that want a dynamic loader of
        // what is static and can be moved.
        linker: "cc",
        compiler: ["musl-gcc", "musl-tools"],
        runner: None,
        tests: CORE,
        libraries: &["-static"],
    },
    Platform {
        name: "aarch64",
        target: "aarch64-unknown-linux-gnu",
        linker: "aarch64-linux-gnu-gcc",
        compiler: [
            "aarch64-linux-gnu-gcc",
            "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
        ],
        runner: Some(["qemu-aarch64 -L /usr/aarch64-linux-gnu", "qemu-user"]),
        tests: CORE,
        libraries: &["-lm", "-ldl"],
    },
    Platform {
        name: "windows",
        target: "x86_64-pc-windows-gnu",
        linker: "x86_64-w64-mingw32-gcc",
        compiler: ["x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64"],
        runner: Some(["wine", "wine64 wine"]),
        // Groups that bring no secret are refused there, and most tests of remote calls bring none.
        tests: CORE.split_at(CORE.len() - 1).0,
        libraries: WINDOWS,
    },
];

/// Programs are optimised a little: an emulator would take very long for those that are not.
const PROFILE: &[&str] = &[
    "--config",
    "profile.dev.opt-level=1",
    "--config",
    "profile.dev.debug=false",
];

/// What Rust's standard library asks of Windows.
const WINDOWS: &[&str] = &["-static", "-lws2_32", "-luserenv", "-lntdll", "-lbcrypt"];

/// Whether something went well, with what it printed; or why it could not be tried.
type Tried = Result<(bool, String), String>;

/// The corpora that are run, each with its ledger.
const CORPORA: &[&str] = &["ops", "archives"];

/// The arguments of a command, and what it prints.
const COMMANDS: &[(&[&str], &str)] = &[
    (
        &["run", "examples/primes.py:primes", "20"],
        "[2, 3, 5, 7, 11, 13, 17, 19]\n",
    ),
    (
        &[
            "run",
            "examples/digits/digits.pt",
            "--method",
            "classify",
            "@examples/digits/seven.png",
        ],
        "seven\n",
    ),
];

/// All platforms.
pub fn step() -> Outcome {
    of_all(PLATFORMS.iter().collect())
}

pub fn musl() -> Outcome {
    alone("musl")
}

pub fn aarch64() -> Outcome {
    alone("aarch64")
}

pub fn windows() -> Outcome {
    alone("windows")
}

fn alone(name: &str) -> Outcome {
    of_all(PLATFORMS.iter().filter(|p| p.name == name).collect())
}

/// Checks that all compile on each platform, without running anything.
pub fn check() -> Outcome {
    let mut outcome = Outcome::new(Verdict::Skipped, "", "");
    for platform in PLATFORMS {
        if let Some(missing) = platform.missing(false) {
            note(&mut outcome, platform, &missing);
            continue;
        }
        let mut command = platform.cargo("check");
        command.args(["--quiet", "--package", "rushlight_cli"]);
        command.args(["--package", "rushlight_c"]);
        match capture(&mut command) {
            Ok((true, _)) => add(&mut outcome, platform, "", Verdict::Passed),
            Ok((false, text)) | Err(text) => {
                outcome.output.push_str(&text);
                add(&mut outcome, platform, "does not compile", Verdict::Failed);
            }
        }
    }
    outcome
}

fn of_all(platforms: Vec<&Platform>) -> Outcome {
    let mut outcome = Outcome::new(Verdict::Skipped, "", "");
    for platform in platforms {
        match platform.missing(true) {
            Some(missing) => note(&mut outcome, platform, &missing),
            None => platform.run(&mut outcome),
        }
    }
    outcome
}

/// Adds some words on a platform to the step's line.
fn note(outcome: &mut Outcome, platform: &Platform, words: &str) {
    if !outcome.note.is_empty() {
        outcome.note.push_str("; ");
    }
    outcome.note.push_str(platform.name);
    if !words.is_empty() {
        outcome.note.push_str(": ");
        outcome.note.push_str(words);
    }
}

/// As [`note`], for a platform that was tried.
fn add(outcome: &mut Outcome, platform: &Platform, words: &str, verdict: Verdict) {
    note(outcome, platform, words);
    if !matches!(outcome.verdict, Verdict::Failed) {
        outcome.verdict = verdict;
    }
}

impl Platform {
    /// Where the toolchain has what it brings for the target.
    fn brought(&self) -> Option<PathBuf> {
        let root = wasm::sysroot()?;
        Some(root.join("lib/rustlib").join(self.target).join("lib"))
    }

    /// What this machine lacks to build for the platform, and to run what was built.
    fn missing(&self, run: bool) -> Option<String> {
        let here = self.brought().is_some_and(|folder| folder.is_dir());
        if !here {
            return Some(format!(
                "skipped, no standard library (rustup target add {})",
                self.target
            ));
        }
        let runner = self.runner.filter(|_| run);
        [Some(self.compiler), runner]
            .into_iter()
            .flatten()
            .find(|[command, _]| !is_program(command.split(' ').next().unwrap_or(command)))
            .map(|[command, package]| format!("skipped, no {command} (apt-get install {package})"))
    }

    /// The environment of what is run.
    fn settings<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        if let Some([runner, _]) = self.runner {
            // For the children of the corpus runner.
            command.env("RUSHLIGHT_RUNNER", runner);
        }
        // Of what it lacks, Wine has much to say.
        command.env("WINEDEBUG", "-all");
        command.env("WINEPREFIX", wine_folder())
    }

    /// `cargo TASK` for the platform.
    fn cargo(&self, task: &str) -> Command {
        let mut command = cargo();
        let name = self.target.replace('-', "_");
        let variable = |what: &str| format!("CARGO_TARGET_{}_{what}", name.to_uppercase());
        command.env(variable("LINKER"), self.linker);
        command.env(format!("CC_{name}"), self.compiler[0]);
        if let Some([runner, _]) = self.runner {
            command.env(variable("RUNNER"), runner);
        }
        self.settings(&mut command);
        command
            .arg(task)
            .args(["--target", self.target])
            .args(PROFILE);
        command
    }

    /// Builds and runs all, and adds what came of it.
    fn run(&self, outcome: &mut Outcome) {
        let (mut passed, mut failed) = (0, 0);
        let (mut told, mut matching) = (String::new(), String::new());
        let mut count = |name: &str, result: Tried| {
            let (good, text) = result.unwrap_or_else(|message| (false, message));
            let (well, badly) = counts::tests(&text);
            if let Some((cases, _)) = last_line(&text).and_then(|line| line.split_once(" match")) {
                matching.push_str(&format!(", {name} {cases}"));
            }
            passed += well + usize::from(well + badly == 0 && good);
            failed += badly + usize::from(badly == 0 && !good);
            told.push_str(&format!("== {} {name}\n{text}\n", self.target));
            good
        };
        if count("prepare", self.prepare()) {
            count("tests", capture(&mut self.tests()));
            if count("build", capture(&mut self.programs())) {
                for kind in CORPORA {
                    count(kind, capture(&mut self.corpus(kind)));
                }
                for (arguments, expected) in COMMANDS {
                    count(&arguments.join(" "), self.command(arguments, expected));
                }
                count("program.c", self.c_program());
            }
        }
        outcome.output.push_str(&told);
        outcome.tests_passed += passed;
        outcome.tests_failed += failed;
        let verdict = match failed {
            0 => Verdict::Passed,
            _ => Verdict::Failed,
        };
        let words = format!("{passed} passed, {failed} failed{matching}");
        add(outcome, self, &words, verdict);
    }

    /// What the emulator needs before it can run anything.
    fn prepare(&self) -> Tried {
        if self.runner.is_none_or(|[runner, _]| runner != "wine") {
            return Ok((true, String::new()));
        }
        let system = wine_folder().join("drive_c/windows/system32");
        if !system.is_dir() {
            std::fs::create_dir_all(target()).map_err(|error| error.to_string())?;
            let (good, text) = capture(self.settings(&mut Command::new("wine")).arg("wineboot"))?;
            if !good {
                return Ok((false, text));
            }
        }
        let library = system.join("bcryptprimitives.dll");
        if library.is_file() {
            return Ok((true, String::new()));
        }
        let mut compiler = Command::new(self.compiler[0]);
        compiler.args(["-shared", "-O1", "-o"]).arg(library);
        compiler.args(["xtask/wine/bcryptprimitives.c", "-ladvapi32"]);
        capture(compiler.current_dir(root()))
    }

    fn tests(&self) -> Command {
        let mut command = self.cargo("test");
        command.args(["--no-fail-fast", "--lib", "--tests"]);
        for package in self.tests {
            command.args(["--package", package]);
        }
        command
    }

    /// Builds what is run besides tests.
    fn programs(&self) -> Command {
        let mut command = self.cargo("build");
        command.args(["--quiet", "--package", "rushlight_filetests"]);
        command.args(["--package", "rushlight_cli", "--package", "rushlight_c"]);
        command.args(["--lib", "--bin", "conformance", "--bin", "rushlight"]);
        command
    }

    /// Where built programs are.
    fn built(&self) -> PathBuf {
        target().join(self.target).join("debug")
    }

    /// A built program, from the root of the project.
    fn program(&self, name: &str) -> Command {
        let plain = self.built().join(name);
        // The compiler of C gives its programs this ending everywhere else, too.
        let program = match plain.is_file() {
            true => plain,
            false => plain.with_extension("exe"),
        };
        let mut command = match self.runner {
            Some([runner, _]) => {
                let mut words = runner.split(' ');
                let mut command = Command::new(words.next().unwrap_or(runner));
                command.args(words).arg(program);
                command
            }
            None => Command::new(program),
        };
        self.settings(&mut command);
        command.current_dir(root());
        command
    }

    /// A corpus, of which the same must match as here.
    fn corpus(&self, kind: &str) -> Command {
        let mut command = self.program("conformance");
        command.args(with_ledger(kind, &folders(kind)));
        // An emulator takes its time for a call.
        command.args(["--limit", "60"]);
        command
    }

    /// The command with some arguments.
    fn command(&self, arguments: &[&str], expected: &str) -> Tried {
        let mut command = self.program("rushlight");
        let output = command.args(arguments).output();
        let output = output.map_err(|error| format!("cannot run the command: {error}"))?;
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        let good = output.status.success() && text == expected;
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        Ok((good, text))
    }

    /// A program in C with the static library.
    fn c_program(&self) -> Tried {
        let mut compiler = Command::new(self.compiler[0]);
        compiler.args(["-std=c11", "-Wall", "-pthread"]);
        compiler.arg("-Icrates/rushlight_c/include");
        compiler.arg("crates/rushlight_c/tests/c/program.c");
        compiler.arg(self.built().join("librushlight_c.a"));
        // The unwinder that Rust brings for musl. The machine's asks for its own C library.
        let unwinder = self
            .brought()
            .map(|folder| folder.join("self-contained/libunwind.a"));
        compiler.args(unwinder.filter(|file| file.is_file()));
        compiler.args(self.libraries).arg("-o");
        compiler.arg(self.built().join("c_program.exe"));
        match capture(compiler.current_dir(root()))? {
            (true, _) => {}
            failed => return Ok(failed),
        }
        capture(self.program("c_program").arg("examples/digits/digits.pt"))
    }
}

/// Where Wine keeps its registry: with what was built.
fn wine_folder() -> PathBuf {
    target().join("wine")
}

/// Whether there is such a program.
fn is_program(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder: PathBuf| folder.join(name).is_file())
}
