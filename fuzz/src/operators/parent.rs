//! The parent: starts children, one after the other, and learns from how they end which calls bring a process down or
//! take too long.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, TryRecvError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::findings::{Findings, Key, Shown};
use super::plan::Plan;
use super::tries::Materials;

/// How often the parent looks.
const PAUSE: Duration = Duration::from_millis(20);

/// A call that waits rather than works may take so many times as long.
const IDLE: u32 = 10;

/// An operator that brought down so many children is left out for the rest of the run.
const ENOUGH: u32 = 4;

/// The kind of calls that do not end in time.
const SLOW: &str = "slow";

/// No number: the child has not begun.
const NOTHING: u64 = u64::MAX;

/// How a child ended.
enum Ending {
    /// All calls were made.
    Done,
    /// The time is over.
    Over,
    /// At this call.
    Died {
        number: u64,
        kind: String,
        place: String,
        message: String,
    },
}

/// Runs children until the plan's time or calls are used up; whether nothing was found.
pub fn run(plan: &Plan) -> Result<bool, String> {
    let started = Instant::now();
    let mut plan = plan.clone();
    let told = |error: std::io::Error| format!("{}: {error}", plan.out.display());
    std::fs::create_dir_all(&plan.out).map_err(told)?;
    let materials = Materials::read(rushlight::table(), &plan.folders)?;
    materials.write(&plan.calls_file())?;
    let mut run = Run {
        materials: &materials,
        findings: Findings::default(),
        calls: 0,
        returned: 0,
        returning: BTreeSet::new(),
        deaths: BTreeMap::new(),
    };
    let end = plan
        .seconds
        .map(|seconds| started + Duration::from_secs(seconds));
    let mut next = plan.first;
    let budget = plan.calls;
    while end.is_none_or(|end| Instant::now() < end) && run.calls < budget {
        match run.child(&plan, next, budget - run.calls, end)? {
            Ending::Done | Ending::Over => break,
            Ending::Died {
                number,
                kind,
                place,
                message,
            } => {
                next = number + 1;
                run.calls += 1;
                let operator = materials.operators[materials.operator(number)].full_name();
                let deaths = run.deaths.entry(operator).or_default();
                *deaths += 1;
                if *deaths == ENOUGH {
                    plan.skipped.push(operator.to_owned());
                }
                let message = if kind == SLOW {
                    if !plan.tame.iter().any(|name| name == operator) {
                        plan.tame.push(operator.to_owned());
                    }
                    message
                } else if !place.is_empty() || run.again(&plan, number)? {
                    // Where the child has said what happened, that is enough.
                    message
                } else {
                    format!("{message} (not when called alone)")
                };
                run.add(&plan, number, kind, place, message);
            }
        }
    }
    run.findings.write(&plan.out)?;
    print!("{}", run.findings.summary());
    if !plan.skipped.is_empty() {
        println!(
            "left out after {ENOUGH} ends of a child: {}",
            plan.skipped.join(" ")
        );
    }
    println!(
        "operators: {} calls in {} s, {} returned, {} of {} operators returned, {} findings in {}",
        run.calls,
        started.elapsed().as_secs(),
        run.returned,
        run.returning.len(),
        materials
            .operators
            .iter()
            .filter(|o| plan.chooses(o.full_name()))
            .count(),
        run.findings.len(),
        plan.out.join("findings.jsonl").display()
    );
    Ok(run.findings.len() == 0)
}

/// What is known so far.
struct Run<'a> {
    materials: &'a Materials,
    findings: Findings,
    calls: u64,
    returned: u64,
    returning: BTreeSet<usize>,
    deaths: BTreeMap<&'static str, u32>,
}

impl Run<'_> {
    /// Runs one child to its end.
    fn child(
        &mut self,
        plan: &Plan,
        first: u64,
        calls: u64,
        end: Option<Instant>,
    ) -> Result<Ending, String> {
        let mut tries = Tries::start(plan, first, calls)?;
        let mut watch = Watch::new();
        loop {
            let ended = self.hear(plan, &tries)?;
            if ended {
                let status = tries.child.wait().map_err(|error| error.to_string())?;
                if status.success() {
                    return Ok(Ending::Done);
                }
                let words = tries.last_words();
                let number = current(plan);
                if number == NOTHING {
                    return Err(format!("the calls do not begin: {words}"));
                }
                let (kind, place) = death(status, &words);
                return Ok(Ending::Died {
                    number,
                    kind,
                    place,
                    message: words,
                });
            }
            if end.is_some_and(|end| Instant::now() >= end) {
                return Ok(Ending::Over);
            }
            if let Some(what) = watch.hangs(plan, tries.child.id()) {
                return Ok(Ending::Died {
                    number: current(plan),
                    kind: SLOW.to_owned(),
                    place: String::new(),
                    message: what,
                });
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Whether a call brings down a child that makes no other.
    fn again(&mut self, plan: &Plan, number: u64) -> Result<bool, String> {
        // The operator may have been left out meanwhile.
        let mut plan = plan.clone();
        plan.skipped.clear();
        let counts = (self.calls, self.returned);
        let ending = self.child(&plan, number, 1, None)?;
        (self.calls, self.returned) = counts;
        Ok(matches!(ending, Ending::Died { .. }))
    }

    /// Takes in what the child has said; whether it has nothing more to say.
    fn hear(&mut self, plan: &Plan, tries: &Tries) -> Result<bool, String> {
        loop {
            let line = match tries.lines.try_recv() {
                Ok(line) => line,
                Err(TryRecvError::Empty) => return Ok(false),
                Err(TryRecvError::Disconnected) => return Ok(true),
            };
            let words: Vec<&str> = line.splitn(5, '\t').collect();
            let number = |text: &str| {
                text.parse::<u64>()
                    .map_err(|_| format!("the child says `{line}`"))
            };
            match words.as_slice() {
                ["count", calls, returned] => {
                    self.calls += number(calls)?;
                    self.returned += number(returned)?;
                }
                ["returns", index] => _ = self.returning.insert(number(index)? as usize),
                ["found", at, kind, place, message] => {
                    let (kind, place) = ((*kind).to_owned(), (*place).to_owned());
                    self.add(plan, number(at)?, kind, place, (*message).to_owned());
                }
                // A kernel that prints speaks between the answers.
                _ => {}
            }
        }
    }

    fn add(&mut self, plan: &Plan, number: u64, kind: String, place: String, message: String) {
        let call = self.materials.make(plan.seed, number);
        let key = Key {
            kind,
            place,
            operator: call.operator.clone(),
        };
        let line = format!("{} {}: {}: {message}", key.kind, key.place, key.operator);
        if self.findings.add(
            key,
            Shown {
                number,
                call,
                message,
            },
        ) {
            println!("{line}");
        }
    }
}

/// The number of the call that is being made.
fn current(plan: &Plan) -> u64 {
    let mut bytes = [0; 8];
    match std::fs::File::open(plan.progress_file()).and_then(|mut file| file.read_exact(&mut bytes))
    {
        Ok(()) => u64::from_le_bytes(bytes),
        Err(_) => NOTHING,
    }
}

/// The kind of an end, and what tells it from others of the kind.
fn death(status: ExitStatus, words: &str) -> (String, String) {
    let told = [
        "memory allocation of",
        "overflowed its stack",
        "capacity overflow",
        "panic in a function that cannot unwind",
    ];
    let place = told.iter().find(|told| words.contains(**told));
    let place = place.map_or(String::new(), |place| (*place).to_owned());
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return (
            match signal {
                4 => "illegal instruction".to_owned(),
                6 => "abort".to_owned(),
                8 => "arithmetic signal".to_owned(),
                7 | 11 => "memory fault".to_owned(),
                9 => "killed".to_owned(),
                other => format!("signal {other}"),
            },
            place,
        );
    }
    (format!("exit {}", status.code().unwrap_or_default()), place)
}

/// Sees calls that do not end.
struct Watch {
    number: u64,
    since: Instant,
    worked: Duration,
}

impl Watch {
    fn new() -> Self {
        Self {
            number: NOTHING,
            since: Instant::now(),
            worked: Duration::ZERO,
        }
    }

    /// What to say of the call at hand when it takes too long. Processor time counts, so that a busy machine makes no
    /// findings.
    fn hangs(&mut self, plan: &Plan, process: u32) -> Option<String> {
        let number = current(plan);
        if number == NOTHING {
            return None;
        }
        if number != self.number {
            *self = Self {
                number,
                since: Instant::now(),
                worked: processor_time(process).unwrap_or_default(),
            };
            return None;
        }
        let waited = self.since.elapsed();
        if waited < plan.slow {
            return None;
        }
        let worked = processor_time(process).map_or(waited, |now| now.saturating_sub(self.worked));
        if worked >= plan.slow {
            return Some(format!("more than {} s", plan.slow.as_secs()));
        }
        (waited >= plan.slow * IDLE).then(|| "waits for ever".to_owned())
    }
}

/// The processor time that a process has used, where the system tells.
fn processor_time(process: u32) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // Behind the name in brackets; ticks are hundredths of a second on every Linux.
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(Duration::from_millis((user + system) * 10))
}

/// A child with its lines.
struct Tries {
    child: Child,
    lines: Receiver<String>,
    errors: Arc<Mutex<String>>,
    reader: Option<std::thread::JoinHandle<()>>,
}

impl Tries {
    fn start(plan: &Plan, first: u64, calls: u64) -> Result<Self, String> {
        let progress = plan.progress_file();
        std::fs::write(&progress, NOTHING.to_le_bytes())
            .map_err(|error| format!("{}: {error}", progress.display()))?;
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new("sh");
        command
            .arg("-c")
            .arg(format!(
                "ulimit -c 0; ulimit -v {}; exec \"$0\" \"$@\"",
                plan.memory << 10
            ))
            .arg(&program)
            .args(plan.of_child(first, calls))
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let (Some(output), Some(mut errors)) = (child.stdout.take(), child.stderr.take()) else {
            return Err("a child without pipes".to_owned());
        };
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            let all = BufReader::new(output).lines().map_while(Result::ok);
            all.map_while(|line| sender.send(line).ok()).for_each(drop);
        });
        let heard = Arc::new(Mutex::new(String::new()));
        let words = heard.clone();
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = errors.read(&mut bytes) {
                let mut words = words
                    .lock()
                    .unwrap_or_else(|poisoned| poisoned.into_inner());
                if words.len() < bytes.len() {
                    words.push_str(&String::from_utf8_lossy(&bytes[..count]));
                }
            }
        });
        Ok(Self {
            child,
            lines,
            errors: heard,
            reader: Some(reader),
        })
    }

    /// What the child wrote before it ended, on one line.
    fn last_words(&mut self) -> String {
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
        let words = self
            .errors
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

impl Drop for Tries {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
