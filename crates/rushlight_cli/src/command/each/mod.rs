//! `rushlight run --each`: one function over many inputs, several at a time, results in the order of the inputs.

mod batch;
mod inputs;
mod results;
mod work;

use crate::limits::Guard;
use crate::program::{self, Program};
use crate::{Done, Failure};
use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use results::{Results, Terminal};
use rushlight::tensor::{threads, watch};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use work::{Reason, Report, Shop, Task};

/// Failures that are listed; more are counted.
const SHOWN: usize = 20;
/// How often the one who writes results asks whether to stop.
const LOOK: Duration = Duration::from_millis(20);

/// Running over many inputs, as options.
#[derive(Args)]
#[command(next_help_heading = "Many inputs")]
pub struct EachOptions {
    /// Run once for every input: a file, a folder (all files in it that can be arguments), a pattern in quotes, or - for
    /// names from the standard input; may be given several times. The input is the argument {}, or else the first
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    pub each: Vec<String>,
    /// Stack up to so many inputs of one shape along a new first dimension, and split the results along it
    #[arg(long, value_name = "N", requires = "each", value_parser = clap::value_parser!(u32).range(1..))]
    pub batch: Option<u32>,
    /// Work on so many inputs (or batches) at a time
    #[arg(long, value_name = "N", requires = "each", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: u16,
    /// Go on where an earlier run was stopped: inputs whose results are in the file or folder are left out
    #[arg(long, requires = "each", requires = "out")]
    pub resume: bool,
}

/// Runs a program over the inputs.
pub fn run(
    options: &EachOptions,
    arguments: &[String],
    file: Option<&Path>,
    program: &Program,
    guard: &Guard,
    out: &mut dyn Write,
    errors: &mut dyn Write,
) -> Done {
    let names = inputs::named(&options.each)?;
    let arguments = placed(arguments, program)?;
    let mut results: Box<dyn Results + '_> = match file {
        Some(path) => results::open(path, &names, options.resume)?,
        None => Box::new(Terminal(out)),
    };
    let jobs = usize::from(options.jobs);
    if jobs > 1 && !guard.sets_threads() {
        threads::set_count((threads::count() / jobs).max(1));
    }
    let todo = (0..names.len())
        .filter(|i| !results.has(&names[*i]))
        .collect();
    // The limits are those of each input; this thread is only asked whether to stop.
    let watch = Arc::new(guard.unlimited());
    let _in_force = watch.enter();
    let shop = Shop {
        program,
        arguments,
        guard,
        jobs,
    };
    let run = InputRun {
        names: &names,
        todo,
        jobs,
        batch: options.batch.map(|size| size as usize),
        prints: file.is_none(),
        progress: progress(names.len()),
    };
    let end = std::thread::scope(|scope| {
        let (give, tasks) = mpsc::channel();
        let (report, reports) = mpsc::channel();
        let tasks = Arc::new(Mutex::new(tasks));
        let workers: Vec<_> = (0..jobs)
            .map(|_| {
                let (tasks, report, shop) = (tasks.clone(), report.clone(), &shop);
                scope.spawn(move || shop.serve(&tasks, &report))
            })
            .collect();
        // When the last worker ends, nobody can report any more.
        drop(report);
        let end = run.conduct(give, &reports, &mut *results);
        if end.as_ref().map_or(true, |end| end.stopped.is_some()) {
            guard.stop();
        }
        let mut heard = Vec::new();
        for worker in workers {
            if let Ok(warnings) = worker.join() {
                heard.extend(program::taken(&warnings));
            }
        }
        rushlight::tensor::order::sort(&mut heard);
        heard.dedup();
        end.map(|end| (end, heard))
    });
    let (end, heard) = end?;
    results.finish(&names)?;
    drop(results);
    for line in heard {
        writeln!(errors, "{line}")?;
    }
    if let Some(path) = file {
        let told = crate::telling(path, out, errors);
        let (done, all) = (end.done, names.len());
        writeln!(told, "wrote {}: {done} of {all} results", path.display())?;
    }
    end.told(file)
}

/// The values of the arguments; the place of the input is `None`.
fn placed(texts: &[String], program: &Program) -> Done<Vec<Option<rushlight::Value>>> {
    let reader = program.reader()?;
    let has_place = texts.iter().any(|text| text == "{}");
    let mut arguments = match has_place {
        true => Vec::new(),
        false => vec![None],
    };
    for text in texts {
        if text == "{}" {
            arguments.push(None);
        } else if Path::new(text).is_file() {
            return Err(Failure(format!(
                "{text} is an argument besides the inputs; write --each 'PATTERN' in quotes, so that the shell leaves it alone, or @{text} for a file that every run gets"
            )));
        } else {
            arguments.push(Some(reader.value(text)?));
        }
    }
    Ok(arguments)
}

/// A bar on the error stream, where that is a terminal.
fn progress(total: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} {per_sec} {eta} left{msg}");
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// What is to be run.
struct InputRun<'r> {
    names: &'r [String],
    /// The places of inputs without results.
    todo: Vec<usize>,
    jobs: usize,
    batch: Option<usize>,
    /// Whether results go to the terminal.
    prints: bool,
    progress: ProgressBar,
}

/// How a run has ended.
struct End {
    /// Inputs with results, those of earlier runs among them.
    done: usize,
    all: usize,
    failures: Vec<(String, String)>,
    /// Why it ended early.
    stopped: Option<String>,
}

impl InputRun<'_> {
    /// Hands out tasks and writes results in order until all is done or somebody wants to stop.
    fn conduct(
        &self,
        give: Sender<Task>,
        reports: &Receiver<Report>,
        results: &mut dyn Results,
    ) -> Done<End> {
        let room = match self.batch {
            Some(size) => batch::room(size, self.jobs),
            None => 4 * self.jobs + 4,
        };
        let mut end = End {
            done: self.names.len() - self.todo.len(),
            all: self.names.len(),
            failures: Vec::new(),
            stopped: None,
        };
        self.progress.inc(end.done as u64);
        let mut waiting = batch::Waiting::new(self.batch.unwrap_or(1));
        // By place in `todo`: inputs that were read, and results, that wait for those before them.
        let (mut read, mut ready) = (BTreeMap::new(), BTreeMap::new());
        let (mut given, mut sorted, mut written, mut busy) = (0, 0, 0, 0usize);
        // Reports that are to come are counted. Workers listen until this thread drops the sender.
        let hand = |task: Task, busy: &mut usize| {
            *busy += task.reports();
            let _ = give.send(task);
        };
        while written < self.todo.len() && end.stopped.is_none() {
            while given < self.todo.len() && given - written < room {
                let name = self.names[self.todo[given]].clone();
                let task = match self.batch {
                    Some(_) => Task::Read(given, name),
                    None => Task::Run(given, name),
                };
                hand(task, &mut busy);
                given += 1;
            }
            if busy == 0
                && let Some(inputs) = waiting.oldest()
            {
                hand(Task::Batch(inputs), &mut busy);
            }
            match reports.recv_timeout(LOOK) {
                Ok(Report::Result(i, result)) => {
                    ready.insert(i, result);
                    busy = busy.saturating_sub(1);
                }
                Ok(Report::Input(i, input)) => {
                    read.insert(i, input);
                    busy = busy.saturating_sub(1);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure(
                        "the threads that ran the function have ended".into(),
                    ));
                }
            }
            while let Some(input) = read.remove(&sorted) {
                match input {
                    Ok(tensor) => {
                        if let Some(inputs) = waiting.add((sorted, tensor)) {
                            hand(Task::Batch(inputs), &mut busy);
                        }
                    }
                    Err(why) => {
                        ready.insert(sorted, Err(why));
                    }
                }
                sorted += 1;
            }
            while let Some(result) = ready.remove(&written) {
                self.write(written, result, results, &mut end)?;
                written += 1;
            }
            if let Err(fault) = watch::look() {
                end.stopped = Some(fault.message().to_string());
            }
        }
        // What is done already is kept, though others before it are missing.
        for (i, result) in ready {
            self.write(i, result, results, &mut end)?;
        }
        self.progress.finish_and_clear();
        Ok(end)
    }

    fn write(
        &self,
        place: usize,
        result: Result<rushlight::Value, Reason>,
        results: &mut dyn Results,
        end: &mut End,
    ) -> Done {
        let name = &self.names[self.todo[place]];
        let mut add = |result: Result<&rushlight::Value, &str>| match self.prints {
            // The bar makes room for what is printed.
            true => self.progress.suspend(|| results.add(name, result)),
            false => results.add(name, result),
        };
        let why = match &result {
            Ok(value) => add(Ok(value))?,
            Err(why) if why.is_interrupt => return Ok(()),
            Err(why) => {
                add(Err(&why.full))?;
                Some(why.short.clone())
            }
        };
        match why {
            Some(why) => end.failures.push((name.clone(), why)),
            None => end.done += 1,
        }
        self.progress.inc(1);
        if !end.failures.is_empty() {
            self.progress
                .set_message(format!(", {} failed", end.failures.len()));
        }
        Ok(())
    }
}

impl End {
    /// What is left to tell: failures, and how to go on.
    fn told(&self, file: Option<&Path>) -> Done {
        let mut told = Vec::new();
        if !self.failures.is_empty() {
            told.push(format!(
                "{} of {} inputs failed:",
                self.failures.len(),
                self.all
            ));
            let shown = self.failures.iter().take(SHOWN);
            told.extend(
                shown.map(|(name, why)| match why.strip_prefix(name.as_str()) {
                    Some(rest) => format!("  {name}{rest}"),
                    None => format!("  {name}: {why}"),
                }),
            );
            if self.failures.len() > SHOWN {
                told.push(format!("  and {} more", self.failures.len() - SHOWN));
            }
        }
        if let Some(why) = &self.stopped {
            let left = self.all - self.done - self.failures.len();
            told.push(match file {
                Some(path) => format!(
                    "{why}: {left} of {} inputs are left; the same command with --resume goes on with them and keeps what is in {}",
                    self.all,
                    path.display()
                ),
                None => format!(
                    "{why}: {left} of {} inputs are left; with --out results are kept, and --resume goes on",
                    self.all
                ),
            });
        }
        match told.is_empty() {
            true => Ok(()),
            false => Err(Failure(told.join("\n"))),
        }
    }
}
