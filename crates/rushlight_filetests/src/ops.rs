//! Operator records: every call of a corpus is made and its results compared.
//!
//! The calls are made in child processes, a few files at a time; a record that hangs or brings its process down
//! is a failure of that record alone, and the file goes on after it.

mod ambiguous;
mod perform;
pub mod record;
pub mod worker;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use crate::files::files_below;
use crate::report::{Case, Grade};
use worker::{Answer, Request};

/// The argument with which this program becomes the child.
pub const WORKER: &str = "ops-worker";

/// The most memory a child may ask for, in KiB.
const MEMORY: u64 = 8 << 20;

/// How to run a corpus.
pub struct Options {
    /// Only files, schemas or ids with this in them.
    pub filter: String,
    /// How many files at once.
    pub jobs: usize,
    /// The longest a record may take.
    pub limit: Duration,
}

/// The child: answers requests until its input ends.
pub fn serve() {
    worker::serve(rushlight::table());
}

/// Whether a reason in the ledger is one of ours, to be renewed, and not one that somebody wrote.
pub fn is_automatic_reason(reason: &str) -> bool {
    const REASONS: &[&str] = &[
        "aliasing",
        "arguments",
        "brings the process down",
        "dtype",
        "hangs",
        "kind",
        "length",
        "no operator",
        "other schema",
        "panics",
        "raises",
        "raises another class",
        "raises nothing",
        "record",
        "shape",
        "values",
        "writes",
    ];
    REASONS.contains(&reason)
}

/// The corpus files in `dirs` and below, sorted.
pub fn find(dirs: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    files_below(dirs, |path| {
        path.extension()
            .is_some_and(|extension| extension == "jsonl")
    })
}

/// Runs the records of `files`; the results come in the order of the files.
pub fn run(files: &[PathBuf], options: &Options) -> Result<Vec<Case>, String> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(vec![Ok(Vec::new()); files.len()]);
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| {
                let mut worker = None;
                while let Some((at, file)) = take(files, &next) {
                    let cases = run_file(file, options, &mut worker);
                    results
                        .lock()
                        .unwrap_or_else(|poisoned| poisoned.into_inner())[at] = cases;
                }
            });
        }
    });
    let results = results
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let cases: Result<Vec<Vec<Case>>, String> = results.into_iter().collect();
    Ok(cases?.into_iter().flatten().collect())
}

fn take<'a>(files: &'a [PathBuf], next: &AtomicUsize) -> Option<(usize, &'a PathBuf)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, files.get(at)?))
}

/// The row of the table: database entries by their first part, the others by their namespace.
fn family(file: &Path) -> String {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let parts: Vec<&str> = name.split('.').collect();
    match parts.as_slice() {
        [first @ ("jit" | "hand"), namespace, ..] => format!("{first}.{namespace}"),
        ["nn", "functional", ..] => "nn.functional".to_owned(),
        [
            first @ ("linalg" | "special" | "fft" | "masked" | "signal"),
            ..,
        ] => (*first).to_owned(),
        _ => "tensor".to_owned(),
    }
}

fn run_file(
    file: &Path,
    options: &Options,
    worker: &mut Option<Worker>,
) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    let mut request = Request {
        path: file.display().to_string(),
        from: 0,
        filter: options.filter.clone(),
    };
    let family = family(file);
    loop {
        let busy = match worker {
            Some(busy) => busy,
            None => worker.insert(Worker::start()?),
        };
        let mut begun = None;
        let ending = busy.work(&request, options.limit, |answer| match answer {
            Answer::Begins {
                number,
                operator,
                id,
            } => begun = Some((number, operator, id)),
            Answer::Record {
                operator,
                id,
                grade,
                reason,
                detail,
                ..
            } => {
                begun = None;
                cases.push(Case {
                    row: family.clone(),
                    group: operator,
                    id: short(&id),
                    grade,
                    reason,
                    detail,
                });
            }
            Answer::Done | Answer::Broken(_) => {}
        });
        let reason = match ending {
            Ending::Done => return Ok(cases),
            Ending::Broken(message) => return Err(message),
            Ending::Silent => "hangs",
            Ending::Died => "brings the process down",
        };
        // Dropping it ends it.
        *worker = None;
        let Some((number, operator, id)) = begun else {
            return Err(format!(
                "{}: the process that makes the calls {reason}",
                file.display()
            ));
        };
        let detail = format!("record {number} of {}", file.display());
        cases.push(Case {
            row: family.clone(),
            group: operator,
            id: short(&id),
            grade: Grade::Failed,
            reason: reason.to_owned(),
            detail,
        });
        request.from = number + 1;
    }
}

/// The first half of an id names a record well enough within its operator.
fn short(id: &str) -> String {
    id.chars().take(8).collect()
}

/// How the work on a file ended.
enum Ending {
    Done,
    Broken(String),
    /// No answer within the limit.
    Silent,
    Died,
}

/// A child process with its lines.
struct Worker {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Worker {
    fn start() -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = limited(&program);
        command
            .arg(WORKER)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("a child without pipes".to_owned());
        };
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            let all = BufReader::new(output).lines().map_while(Result::ok);
            all.map_while(|line| sender.send(line).ok()).for_each(drop);
        });
        Ok(Self {
            child,
            input,
            lines,
        })
    }

    fn work(&mut self, request: &Request, limit: Duration, mut hear: impl FnMut(Answer)) -> Ending {
        if writeln!(self.input, "{}", request.line())
            .and_then(|()| self.input.flush())
            .is_err()
        {
            return Ending::Died;
        }
        loop {
            match self.lines.recv_timeout(limit) {
                Ok(line) => match Answer::read(&line) {
                    Some(Answer::Done) => return Ending::Done,
                    Some(Answer::Broken(message)) => return Ending::Broken(message),
                    Some(answer) => hear(answer),
                    // A kernel that prints speaks between the answers.
                    None => {}
                },
                Err(RecvTimeoutError::Timeout) => return Ending::Silent,
                Err(RecvTimeoutError::Disconnected) => return Ending::Died,
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `program`, with the memory it may ask for limited by the shell where there is one. Where programs need an emulator,
/// which `RUSHLIGHT_RUNNER` names, that one is called instead: what it asks for is more.
fn limited(program: &Path) -> Command {
    if cfg!(not(unix)) {
        return Command::new(program);
    }
    let runner = std::env::var("RUSHLIGHT_RUNNER").unwrap_or_default();
    let mut words = runner.split_whitespace();
    if let Some(runner) = words.next() {
        let mut command = Command::new(runner);
        command.args(words).arg(program);
        return command;
    }
    let mut command = Command::new("sh");
    command
        .arg("-c")
        .arg(format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\""))
        .arg(program);
    command
}
