//! The child: makes the calls. It writes the number of each into a file before it begins, and what it finds to its
//! standard output.

use std::collections::HashMap;
use std::fs::File;
use std::io::{StdoutLock, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rushlight::types::{ErrorClass, Limits, Operator, OperatorTable};

use super::arg::{Arg, Call};
use super::plan::Plan;
use super::tries::Materials;
use super::{build, check};

/// Calls are counted to the parent so many at a time.
const BATCH: u64 = 256;

/// How a call went wrong.
pub struct Wrong {
    /// `panic`, `internal`, or what is wrong with a result.
    pub kind: String,
    /// Where, or what tells it from others of the kind.
    pub place: String,
    pub message: String,
}

/// How a call went.
pub enum Outcome {
    Returned,
    Refused,
    /// Its arguments cannot be made.
    Unmade,
    Wrong(Wrong),
}

/// Makes the calls of a plan, from its first number on, until they are all made or nobody listens.
pub fn run(plan: &Plan) -> Result<bool, String> {
    let materials = Materials::read_back(rushlight::table(), &plan.calls_file())?;
    let told = |error: std::io::Error| error.to_string();
    let progress = File::options()
        .write(true)
        .open(plan.progress_file())
        .map_err(told)?;
    let chosen: Vec<bool> = materials
        .operators
        .iter()
        .map(|operator| plan.chooses(operator.full_name()))
        .collect();
    if !chosen.contains(&true) {
        return Err("no operator of that name".to_owned());
    }
    keep_panics();
    let mut speaker = Speaker {
        out: std::io::stdout().lock(),
        shortest: HashMap::new(),
        seen: vec![false; chosen.len()],
        calls: 0,
        returned: 0,
    };
    let mut left = plan.calls;
    for number in plan.first.. {
        let index = materials.operator(number);
        if !chosen[index] {
            continue;
        }
        if left == 0 {
            break;
        }
        let call = materials.make(plan.seed, number);
        if call.args.iter().any(Arg::is_huge) && plan.tame.contains(&call.operator) {
            continue;
        }
        left -= 1;
        mark(&progress, number).map_err(told)?;
        let outcome = try_call(
            materials.table,
            materials.operators[index],
            &call,
            plan.limit,
        );
        if !speaker.tell(number, index, &call, outcome) {
            break;
        }
    }
    speaker.count();
    Ok(true)
}

/// Says which try begins, so that it is known if it does not end.
fn mark(progress: &File, number: u64) -> std::io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::write_all_at(progress, &number.to_le_bytes(), 0);
    #[cfg(not(unix))]
    {
        use std::io::{Seek, SeekFrom};
        let mut progress = progress;
        progress.seek(SeekFrom::Start(0))?;
        progress.write_all(&number.to_le_bytes())
    }
}

/// Tells the parent what it does not know yet.
struct Speaker {
    out: StdoutLock<'static>,
    /// The length of the shortest call per operator and finding.
    shortest: HashMap<(usize, String, String), usize>,
    /// The operators that have returned something.
    seen: Vec<bool>,
    calls: u64,
    returned: u64,
}

impl Speaker {
    fn tell(&mut self, number: u64, index: usize, call: &Call, outcome: Outcome) -> bool {
        self.calls += 1;
        let mut listens = true;
        match outcome {
            Outcome::Returned => {
                self.returned += 1;
                if !self.seen[index] {
                    self.seen[index] = true;
                    listens = self.say(&format!("returns\t{index}"));
                }
            }
            Outcome::Wrong(wrong) => {
                let length = call.write().to_string().len();
                let key = (index, wrong.kind.clone(), wrong.place.clone());
                let shortest = self.shortest.entry(key).or_insert(usize::MAX);
                if length < *shortest {
                    *shortest = length;
                    let Wrong {
                        kind,
                        place,
                        message,
                    } = wrong;
                    let message = message.replace(['\n', '\t'], " ");
                    listens = self.say(&format!("found\t{number}\t{kind}\t{place}\t{message}"));
                }
            }
            Outcome::Refused | Outcome::Unmade => {}
        }
        if self.calls == BATCH {
            listens &= self.count();
        }
        listens
    }

    fn count(&mut self) -> bool {
        let line = format!("count\t{}\t{}", self.calls, self.returned);
        (self.calls, self.returned) = (0, 0);
        self.say(&line)
    }

    fn say(&mut self, line: &str) -> bool {
        writeln!(self.out, "{line}")
            .and_then(|()| self.out.flush())
            .is_ok()
    }
}

/// Where the last panic was and what it said. Not per thread: kernels may use several.
static LAST_PANIC: Mutex<Option<(String, String)>> = Mutex::new(None);

fn take_panic() -> Option<(String, String)> {
    let mut last = LAST_PANIC
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    last.take()
}

/// Keeps the words of a panic instead of printing them.
pub fn keep_panics() {
    std::panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let text = payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned());
        let mut place = info.location().map_or(String::new(), |location| {
            format!("{}:{}", from_source(location.file()), location.line())
        });
        if !KERNELS.iter().any(|kernels| place.starts_with(kernels)) {
            let ours = our_place();
            if !ours.is_empty() && ours != place {
                place = format!("{place} for {ours}");
            }
        }
        *LAST_PANIC
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner()) =
            Some((place, text.unwrap_or_default()));
    }));
}

/// Where the kernels are.
const KERNELS: &[&str] = &[
    "crates/rushlight_kernels/",
    "crates/rushlight_lang/",
    "crates/rushlight_ops/",
    "crates/rushlight_nn/",
];

/// The innermost place among the kernels, or else in our own source, for a panic that happened in what they call; empty
/// without debug information.
fn our_place() -> String {
    let trace = std::backtrace::Backtrace::force_capture().to_string();
    let places = trace
        .lines()
        .filter_map(|line| line.trim().strip_prefix("at "));
    let ours: Vec<&str> = places
        .filter_map(|place| place.find("crates/rushlight_").map(|at| &place[at..]))
        .collect();
    let kernel = ours
        .iter()
        .find(|place| KERNELS.iter().any(|kernels| place.starts_with(kernels)));
    let place = kernel.or(ours.first()).copied().unwrap_or_default();
    // Without the column.
    place
        .rsplit_once(':')
        .map_or(place, |(line, _)| line)
        .to_owned()
}

/// A path of the standard library or a dependency without what is particular to a machine.
fn from_source(file: &str) -> &str {
    let after = |mark: &str| file.split_once(mark).map(|(_, rest)| rest);
    after("/registry/src/")
        .and_then(|rest| rest.split_once('/').map(|(_, rest)| rest))
        .or_else(|| after("/rustc/").and_then(|rest| rest.split_once('/').map(|(_, rest)| rest)))
        .unwrap_or(file)
}

/// Makes a call and looks at all that came of it.
pub fn try_call(
    table: &'static OperatorTable,
    operator: &'static Operator,
    call: &Call,
    limit: u64,
) -> Outcome {
    take_panic();
    let outcome = catch_unwind(AssertUnwindSafe(|| perform(table, operator, call, limit)));
    outcome.unwrap_or_else(|_| {
        let (place, message) = take_panic().unwrap_or_default();
        Outcome::Wrong(Wrong {
            kind: "panic".to_owned(),
            place,
            message,
        })
    })
}

/// A call under a time limit may go on for so long after it.
const GRACE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 500 } else { 100 });

/// The processor time of this thread where the system tells, else the time that has passed.
fn worked(since: Instant) -> Duration {
    let spent = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = spent.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanos.map_or_else(|| since.elapsed(), Duration::from_nanos)
}

fn perform(
    table: &'static OperatorTable,
    operator: &'static Operator,
    call: &Call,
    limit: u64,
) -> Outcome {
    // Another operator's panic while the arguments are made is found when that one is tried.
    let made = catch_unwind(AssertUnwindSafe(|| {
        build::values(table, operator, &call.args)
    }));
    let Ok(Ok(args)) = made else {
        return Outcome::Unmade;
    };
    let context = build::context();
    context.manual_seed(1);
    let kept = args.clone();
    let fit = check::arguments_fit(operator.schema(), &args);
    context.set_limits(Limits {
        millis: limit,
        // Less than what a child may ask its system for.
        bytes: if limit > 0 { 512 << 20 } else { 0 },
        ..Limits::default()
    });
    let (since, before) = (Instant::now(), worked(Instant::now()));
    let outcome = operator.call_vec(&context, args);
    let after = worked(since).saturating_sub(before);
    let wrong = |(kind, message): check::Wrong, place: &str| {
        Outcome::Wrong(Wrong {
            kind: kind.to_owned(),
            place: place.to_owned(),
            message,
        })
    };
    if limit > 0 && after > Duration::from_millis(limit) + GRACE {
        let detail = format!("{} ms under a limit of {limit} ms", after.as_millis());
        return wrong(("deaf", detail), "");
    }
    let ending = match outcome {
        Ok(results) => match check::results(operator.schema(), fit, &results) {
            Ok(()) => Outcome::Returned,
            Err(found) => return wrong(found, "result"),
        },
        Err(fault) if fault.class() == ErrorClass::Internal => match take_panic() {
            // A kernel may say so of arguments that no schema lets through.
            None if !fit => Outcome::Refused,
            panic => {
                return Outcome::Wrong(Wrong {
                    kind: "internal".to_owned(),
                    place: panic.map_or(String::new(), |(place, _)| place),
                    message: fault.message().to_owned(),
                });
            }
        },
        Err(_) => Outcome::Refused,
    };
    for arg in &kept {
        if let Err(found) = check::value(arg) {
            return wrong(found, "argument");
        }
    }
    ending
}
