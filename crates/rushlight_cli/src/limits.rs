//! How much of the machine a file may use that nobody vouches for, and stopping a command with Ctrl-C.

use crate::{Done, Failure};
use clap::Args;
use rushlight::Fault;
use rushlight::tensor::watch::{self, Supervisor, Watch};
use rushlight::tensor::{memory, threads};
use rushlight::types::ErrorClass;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Seconds that a file may take by default.
const TIME: f64 = 600.0;

/// The limits of a command. Everything counts: loading, running, printing, saving.
#[derive(Args, Debug, Clone, Copy)]
#[command(next_help_heading = "Limits")]
pub struct LimitOptions {
    /// Stop after this many seconds (0: never) [default: 600]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, global = true)]
    limit_time: Option<f64>,
    /// Stop when more memory is needed than this: bytes, or with K, M, G (0: no limit) [default: three quarters of the machine's]
    #[arg(long, value_name = "BYTES", value_parser = bytes, global = true)]
    limit_memory: Option<u64>,
    /// Use at most so many threads for an operator [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), global = true)]
    threads: Option<u16>,
    /// The file is trusted: it is mapped instead of read, and there are no default limits
    #[arg(long, global = true)]
    pub trust: bool,
}

impl LimitOptions {
    /// The time and the bytes that are allowed; 0 for any.
    fn allowed(self) -> (Duration, u64) {
        let (time, memory) = match self.trust {
            true => (0.0, 0),
            false => (TIME, default_memory()),
        };
        let time = Duration::from_secs_f64(self.limit_time.unwrap_or(time));
        (time, self.limit_memory.unwrap_or(memory))
    }

    fn watch(self, supervisor: Option<Arc<dyn Supervisor>>) -> Watch {
        let (time, bytes) = self.allowed();
        Watch::new()
            .with_time(time)
            .with_bytes(bytes)
            .with_supervisor(supervisor)
    }
}

/// The limits of parts of a command, such as the runs over many inputs: each has all the time, and a share of the memory.
pub struct Guard {
    options: LimitOptions,
    supervisor: Arc<Stopper>,
}

/// Stops all parts, when somebody else wants that or the command itself does.
#[derive(Default)]
struct Stopper {
    stopped: AtomicBool,
    outer: Option<Arc<dyn Supervisor>>,
}

impl Supervisor for Stopper {
    fn look(&self) -> Result<(), Fault> {
        if self.stopped.load(Ordering::Relaxed) {
            return Err(Fault::new(ErrorClass::Interrupt, "interrupted"));
        }
        self.outer.as_ref().map_or(Ok(()), |outer| outer.look())
    }

    fn needs_ticks(&self) -> bool {
        self.outer.as_ref().is_some_and(|outer| outer.needs_ticks())
    }
}

impl Guard {
    /// The limits of a command with these options.
    pub fn new(options: LimitOptions, supervisor: Option<Arc<dyn Supervisor>>) -> Guard {
        Guard {
            options,
            supervisor: Arc::new(Stopper {
                outer: supervisor,
                ..Stopper::default()
            }),
        }
    }

    /// Whether the file is trusted.
    pub fn trusts(&self) -> bool {
        self.options.trust
    }

    /// Whether the number of threads was chosen.
    pub fn sets_threads(&self) -> bool {
        self.options.threads.is_some()
    }

    /// A watch for one of `parts` that run at the same time.
    pub fn share(&self, parts: usize) -> Watch {
        let (time, bytes) = self.options.allowed();
        let share = match bytes {
            0 => 0,
            bytes => (bytes / parts.max(1) as u64).max(1),
        };
        self.unlimited().with_time(time).with_bytes(share)
    }

    /// A watch that ends when the command is to stop, and not before.
    pub fn unlimited(&self) -> Watch {
        Watch::new().with_supervisor(Some(self.supervisor.clone()))
    }

    /// Stops all parts.
    pub fn stop(&self) {
        self.supervisor.stopped.store(true, Ordering::Relaxed);
        watch::attention();
    }
}

/// Runs a command under its limits.
pub fn under(
    options: LimitOptions,
    supervisor: Option<Arc<dyn Supervisor>>,
    work: impl FnOnce() -> Done,
) -> Done {
    if let Some(count) = options.threads {
        threads::set_count(usize::from(count));
    }
    let watch = Arc::new(options.watch(supervisor));
    let _in_force = watch.enter();
    memory::catching(|| Ok(work()))
        .unwrap_or_else(|fault: Fault| Err(Failure(fault.message().to_string())))
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=1e9).contains(&seconds) => Ok(seconds),
        _ => Err("a number of seconds between 0 and 1e9 is wanted".into()),
    }
}

fn bytes(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.char_indices().last() {
        Some((at, unit)) if unit.is_ascii_alphabetic() => (&text[..at], unit),
        _ => (text, 'B'),
    };
    let shift = match unit.to_ascii_uppercase() {
        'B' => 0,
        'K' => 10,
        'M' => 20,
        'G' => 30,
        'T' => 40,
        _ => return Err("a number of bytes is wanted, such as 500M or 2G".into()),
    };
    let number: f64 = digits
        .parse()
        .map_err(|_| "a number of bytes is wanted, such as 500M or 2G")?;
    let bytes = number * (1u64 << shift) as f64;
    if (0.0..1e18).contains(&bytes) {
        Ok(bytes as u64)
    } else {
        Err("that many bytes no machine has".into())
    }
}

/// Three quarters of the memory of the machine, or of what it lets this process have; 0, no limit, where nobody knows.
fn default_memory() -> u64 {
    let number = |path: &str| {
        std::fs::read_to_string(path)
            .ok()?
            .trim()
            .parse::<u64>()
            .ok()
    };
    let machine = std::fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| {
            let line = text.lines().find(|l| l.starts_with("MemTotal:"))?;
            line.split_whitespace().nth(1)?.parse::<u64>().ok()
        })
        .map(|kib| kib << 10);
    let group = number("/sys/fs/cgroup/memory.max")
        .or_else(|| number("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
    let all = match (machine, group) {
        (Some(machine), Some(group)) => machine.min(group),
        (machine, group) => machine.or(group).unwrap_or(0),
    };
    all / 4 * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_units() {
        assert_eq!(bytes("12"), Ok(12));
        assert_eq!(bytes("1.5k"), Ok(1536));
        assert_eq!(bytes("2G"), Ok(2 << 30));
        assert!(bytes("x").is_err() && bytes("-1").is_err() && bytes("1e30").is_err());
    }
}
