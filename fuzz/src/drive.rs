//! Many tries in a child process, watched by its parent.
//!
//! The child prints the number of each try before it makes it, and what went wrong where it can tell. When the
//! child falls silent or dies, the parent knows the number, makes the input again and writes it down; then a new
//! child goes on behind it.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::panic::catch_unwind;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::change::Materials;
use crate::corpus;
use crate::random::Random;
use crate::targets::Target;

/// The option with which this program becomes the child; its value is the number of the first try.
pub const CHILD: &str = "--from";

/// A try that takes longer hangs.
const HANG: Duration = Duration::from_secs(10);

/// After so many findings the rest is noise.
const ENOUGH: usize = 5;

/// The most memory a child may ask for, in KiB.
const MEMORY: u64 = 2 << 20;

/// What to run.
pub struct Plan {
    /// Where the random streams start.
    pub seed: u64,
    /// The first try.
    pub first: u64,
    /// How long.
    pub limit: Duration,
    /// Where the real inputs are.
    pub folders: Vec<PathBuf>,
}

/// The child: tries until it is ended.
pub fn try_all(target: &Target, plan: &Plan) -> Result<bool, String> {
    let inputs = corpus::read(&plan.folders, &target.source);
    let materials = Materials {
        corpus: &inputs,
        words: target.words,
    };
    keep_panics();
    let mut out = std::io::stdout().lock();
    for number in plan.first.. {
        let input = (target.make)(&mut Random::new(plan.seed, number), &materials);
        let mut say = |text: String| writeln!(out, "{text}").and_then(|()| out.flush()).is_ok();
        // The parent is gone when nobody reads.
        if !say(format!("{number}")) {
            break;
        }
        if catch_unwind(|| (target.run)(&input)).is_err() {
            say(format!("panic {}", LAST_PANIC.take()));
        }
    }
    Ok(true)
}

thread_local! {
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

fn keep_panics() {
    std::panic::set_hook(Box::new(|info| {
        LAST_PANIC.set(info.to_string().replace('\n', " "))
    }));
}

/// The parent: whether nothing was found.
pub fn watch(target: &Target, plan: &Plan) -> Result<bool, String> {
    let started = Instant::now();
    let mut next = plan.first;
    let mut findings: Vec<String> = Vec::new();
    while started.elapsed() < plan.limit && findings.len() < ENOUGH {
        let mut child = Tries::start(target, plan, next)?;
        loop {
            let left = plan.limit.saturating_sub(started.elapsed());
            let ending = match child
                .lines
                .recv_timeout(HANG.min(left.max(Duration::from_millis(1))))
            {
                Ok(line) => match (line.parse(), line.strip_prefix("panic ")) {
                    (Ok(number), _) => {
                        child.current = Some(number);
                        None
                    }
                    (_, Some(message)) => Some(format!("panics: {message}")),
                    _ => None,
                },
                Err(RecvTimeoutError::Timeout) if started.elapsed() >= plan.limit => break,
                Err(RecvTimeoutError::Timeout) => {
                    Some(format!("takes longer than {} s", HANG.as_secs()))
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let words = child.last_words.take().and_then(|words| words.join().ok());
                    Some(format!(
                        "brings the process down, {}",
                        words.unwrap_or_default()
                    ))
                }
            };
            if started.elapsed() >= plan.limit && ending.is_none() {
                break;
            }
            let Some(what) = ending else { continue };
            let number = child
                .current
                .ok_or_else(|| format!("{}: the tries do not begin: {what}", target.name))?;
            next = number + 1;
            let place = place_of(&what).to_owned();
            if !findings.contains(&place) {
                report(target, plan, number, &what)?;
                findings.push(place);
            }
            if !what.starts_with("panics") || findings.len() >= ENOUGH {
                break;
            }
        }
        next = next.max(child.current.map_or(next, |number| number + 1));
    }
    println!(
        "{}: {} tries in {} s, {} findings",
        target.name,
        next - plan.first,
        started.elapsed().as_secs(),
        findings.len()
    );
    Ok(findings.is_empty())
}

/// What tells one finding from another: of a panic the place in the source, not the words, which quote the input.
fn place_of(what: &str) -> &str {
    what.split(": ")
        .take(2)
        .last()
        .filter(|place| place.contains(".rs:"))
        .unwrap_or(what)
}

/// Makes the input again, writes it down and says so.
fn report(target: &Target, plan: &Plan, number: u64, what: &str) -> Result<(), String> {
    let inputs = corpus::read(&plan.folders, &target.source);
    let materials = Materials {
        corpus: &inputs,
        words: target.words,
    };
    let input = (target.make)(&mut Random::new(plan.seed, number), &materials);
    let folder = PathBuf::from("target/fuzz").join(target.name);
    let file = folder.join(format!("{}-{number}", plan.seed));
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, &input));
    written.map_err(|error| format!("{}: {error}", file.display()))?;
    println!("{}: {what}", target.name);
    println!(
        "    again: cargo run --package rushlight_fuzz -- {} {}",
        target.name,
        file.display()
    );
    Ok(())
}

/// A child with its lines.
struct Tries {
    child: Child,
    lines: Receiver<String>,
    /// Why it died, where the system said so.
    last_words: Option<JoinHandle<String>>,
    current: Option<u64>,
}

impl Tries {
    fn start(target: &Target, plan: &Plan, first: u64) -> Result<Self, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg(format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\""))
            .arg(&program);
        command.arg(target.name).args([
            "--seed",
            &plan.seed.to_string(),
            CHILD,
            &first.to_string(),
        ]);
        plan.folders
            .iter()
            .for_each(|folder| _ = command.arg("--corpus").arg(folder));
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let output = child.stdout.take().ok_or("a child without output")?;
        let errors = child.stderr.take().ok_or("a child without errors")?;
        let last_words = std::thread::spawn(move || {
            let lines = BufReader::new(errors).lines().map_while(Result::ok);
            lines.fold(String::new(), |told, line| match line.trim() {
                // The system's own words; what panics say comes another way.
                words if words.contains("memory allocation") => "memory runs out".to_owned(),
                words if words.contains("overflow") => "the stack overflows".to_owned(),
                _ => told,
            })
        });
        // Bounded: the child waits for us rather than run far ahead.
        let (sender, lines) = mpsc::sync_channel(1024);
        std::thread::spawn(move || {
            let all = BufReader::new(output).lines().map_while(Result::ok);
            all.map_while(|line| sender.send(line).ok()).for_each(drop);
        });
        Ok(Self {
            child,
            lines,
            last_words: Some(last_words),
            current: None,
        })
    }
}

impl Drop for Tries {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
