//! `rushlight bench`: how long runs take, alone or in turns with PyTorch.

use super::against::Rival;
use super::profile::{draw, measured, timed};
use crate::Done;
use crate::limits::Guard;
use crate::measure::{self, Profile, time};
use crate::program::{self, Call, Making, Program};
use clap::Args;
use rushlight::Value;
use rushlight::tensor::threads;
use serde_json::{Value as Json, json};
use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What stands below the options in the help.
pub const HELP: &str = "\
Examples:
  rushlight bench model.pt 'torch.rand(1, 3, 224, 224)'
  rushlight bench model.pt @x.npy --threads 1 --against python3    in turns with PyTorch there
  rushlight bench primes.py:primes 50 --runs 100 --json
  rushlight bench model.pt @x.npy --svg flame.svg

Runs to warm up are not counted. Where the time goes is measured in runs of its own. With --against, PyTorch loads and runs
the file without any of the limits of this command: only for files that you trust.";

/// Runs to warm up go on for so long, and are at least so many.
const WARM: (Duration, u32) = (Duration::from_millis(300), 3);
/// Timed runs go on for so long, and are between so many.
const TIMED: (Duration, usize, usize) = (Duration::from_secs(3), 10, 10_000);
/// With PyTorch, turns take about so long.
const TURN: Duration = Duration::from_millis(100);
/// Runs whose operators are measured.
const MEASURED: u32 = 3;

/// What to time, and how.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    pub call: Call,
    /// How many runs to time [default: 10 at least, then until 3 seconds have passed]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub runs: Option<u32>,
    /// Time PyTorch in this Python interpreter, too, on the same inputs and as many threads
    #[arg(long, value_name = "PYTHON")]
    pub against: Option<PathBuf>,
    /// Draw calls and operators as wide as the time they took
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Print it as JSON, in seconds
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub making: Making,
}

/// Times of runs, sorted.
struct Times(Vec<Duration>);

impl Times {
    fn of(mut times: Vec<Duration>) -> Times {
        rushlight::tensor::order::sort(&mut times);
        Times(times)
    }

    /// The time that this share of the runs did not exceed.
    fn at(&self, share: f64) -> Duration {
        let place = (share * self.0.len() as f64).ceil() as usize;
        self.0
            .get(place.saturating_sub(1))
            .copied()
            .unwrap_or_default()
    }

    fn median(&self) -> Duration {
        match self.0.len() {
            0 => Duration::ZERO,
            n => (self.0[(n - 1) / 2] + self.0[n / 2]) / 2,
        }
    }

    fn json(&self) -> Json {
        json!({
            "runs": self.0.len(),
            "median": self.median().as_secs_f64(),
            "p90": self.at(0.9).as_secs_f64(),
            "least": self.at(0.0).as_secs_f64(),
        })
    }

    fn line(&self, who: &str) -> String {
        format!(
            "{who:<24} {:>11} {:>11} {:>11} {:>7}\n",
            time(self.median()),
            time(self.at(0.9)),
            time(self.at(0.0)),
            self.0.len()
        )
    }
}

/// Times and tells.
pub fn run(options: &Options, guard: &Guard, out: &mut dyn Write, errors: &mut dyn Write) -> Done {
    let program = options.call.open(&options.making, guard, errors)?;
    // What it prints is a part of its time, but thousands of lines of it are nobody's.
    program.print_to(std::io::sink());
    let arguments = options.call.values(&program)?;
    let warnings = program::listen(program.context());
    let outcome = race(options, &program, &arguments);
    for line in program::taken(&warnings) {
        writeln!(errors, "{line}")?;
    }
    let race = outcome?;
    let name = options.call.name();
    match options.json {
        true => writeln!(out, "{}", race.json())?,
        false => write!(out, "{}", race.text(&name))?,
    }
    if let Some(path) = &options.svg {
        draw(path, &name, &race.profile, options.json, out, errors)?;
    }
    Ok(())
}

/// What was found.
struct Race {
    ours: Times,
    theirs: Option<(String, Times)>,
    /// The most memory that this process has had, in bytes, before operators were measured.
    memory: Option<u64>,
    /// How often a run asks the system for memory, the median.
    allocations: u64,
    profile: Profile,
}

fn race(options: &Options, program: &Program, arguments: &[Value]) -> Done<Race> {
    let start = Instant::now();
    let mut last = timed(program, arguments)?;
    let mut warm = 1;
    while warm < WARM.1 || start.elapsed() < WARM.0 {
        last = timed(program, arguments)?;
        warm += 1;
    }
    let mut rival = match &options.against {
        None => None,
        Some(python) => {
            let (target, method) = (&options.call.target, &options.call.method);
            let (seed, threads) = (options.making.seed, threads::count());
            let mut rival = Rival::start(python, target, method, seed, threads, arguments)?;
            let start = Instant::now();
            let mut warm = 0;
            while warm < WARM.1 || start.elapsed() < WARM.0 {
                rival.run(1)?;
                warm += 1;
            }
            Some(rival)
        }
    };
    let turn = (TURN.as_secs_f64() / last.time.as_secs_f64().max(1e-9)).clamp(1.0, 1000.0) as usize;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let mut allocations = Vec::new();
    let (limit, least, most) = match options.runs {
        Some(runs) => (Duration::MAX, runs as usize, runs as usize),
        None => TIMED,
    };
    let start = Instant::now();
    while ours.len() < least || (start.elapsed() < limit && ours.len() < most) {
        let runs = turn.min(most - ours.len());
        for _ in 0..runs {
            let took = timed(program, arguments)?;
            ours.push(took.time);
            allocations.push(took.allocations);
        }
        if let Some(rival) = &mut rival {
            let times = rival.run(runs)?;
            theirs.extend(
                times
                    .into_iter()
                    .map(|s| Duration::from_secs_f64(s.max(0.0))),
            );
        }
    }
    let memory = most_memory();
    rushlight::tensor::order::sort(&mut allocations);
    Ok(Race {
        ours: Times::of(ours),
        theirs: rival.map(|rival| (rival.version.clone(), Times::of(theirs))),
        memory,
        allocations: allocations.get(allocations.len() / 2).copied().unwrap_or(0),
        profile: measured(program, arguments, MEASURED)?,
    })
}

impl Race {
    /// How many times as long as PyTorch this takes.
    fn ratio(&self) -> Option<f64> {
        let theirs = self.theirs.as_ref()?.1.median().as_secs_f64();
        (theirs > 0.0).then(|| self.ours.median().as_secs_f64() / theirs)
    }

    fn text(&self, name: &str) -> String {
        let count = threads::count();
        let many = if count == 1 { "thread" } else { "threads" };
        let mut out = format!("{name}, {count} {many}\n\n");
        let _ = writeln!(
            out,
            "{:<24} {:>11} {:>11} {:>11} {:>7}",
            "", "median", "90% within", "least", "runs"
        );
        out.push_str(&self.ours.line("rushlight"));
        if let Some((version, times)) = &self.theirs {
            out.push_str(&times.line(&format!("PyTorch {version}")));
        }
        if let Some(ratio) = self.ratio() {
            let _ = match ratio {
                fast if fast < 0.1 => {
                    writeln!(
                        out,
                        "\nrushlight is {:.0} times as fast as PyTorch",
                        1.0 / fast
                    )
                }
                ratio => writeln!(out, "\nrushlight takes {ratio:.2} times as long as PyTorch"),
            };
        }
        let _ = write!(out, "\nallocations a run: {}", self.allocations);
        if let Some(bytes) = self.memory {
            let _ = write!(out, ", most memory: {:.1} MB", bytes as f64 / 1e6);
        }
        out + "\n\n" + &measure::tables(&self.profile)
    }

    fn json(&self) -> Json {
        let mut fields = json!({
            "threads": threads::count(),
            "rushlight": self.ours.json(),
            "memory": self.memory,
            "allocations": self.allocations,
            "profile": measure::json(&self.profile),
        });
        if let Some((version, times)) = &self.theirs {
            fields["pytorch"] = times.json();
            fields["pytorch"]["version"] = version.as_str().into();
            fields["ratio"] = self.ratio().into();
        }
        fields
    }
}

/// The most memory that this process has had so far, in bytes, where the system tells.
fn most_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::Times;
    use std::time::Duration;

    #[test]
    fn medians_and_shares() {
        let times =
            |all: &[u64]| Times::of(all.iter().map(|n| Duration::from_millis(*n)).collect());
        let some = times(&[5, 1, 4, 2, 3, 10, 9, 8, 7, 6]);
        assert_eq!(some.median(), Duration::from_micros(5500));
        assert_eq!(some.at(0.9), Duration::from_millis(9));
        assert_eq!(some.at(0.0), Duration::from_millis(1));
        assert_eq!(times(&[3, 1, 2]).median(), Duration::from_millis(2));
        assert_eq!(times(&[]).median(), Duration::ZERO);
    }
}
