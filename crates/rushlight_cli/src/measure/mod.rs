//! Where the time of runs goes: by operator, by source line, by calls.
//!
//! [`Profiler`] sees every call of an operator in the thread that it measures (work of forked tasks on other threads is
//! not seen). What operators call in turn counts for those, not for the caller: all times are of the operator alone.

mod flame;
mod table;

pub use flame::flame;
pub use table::{json, tables, time};

use rushlight::Context;
use rushlight::runtime::ScriptFrame;
use rushlight::runtime::profile::standing;
use rushlight::syntax::Span;
use rushlight::types::{Call, Layer, Observer, Operator};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

thread_local! {
    /// What operators inside the one that runs have taken so far.
    static INSIDE: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// A call on the way to an operator.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Level {
    pub function: String,
    pub file: String,
    /// Counted from 1; 0 where no source is known.
    pub line: u32,
    /// The text of the line, without the white space around it.
    pub text: String,
}

/// What one operator took in one place.
#[derive(Debug)]
pub struct Row {
    pub operator: &'static str,
    /// The calls around it, outermost first.
    pub levels: Vec<Level>,
    pub calls: u64,
    pub time: Duration,
}

/// What runs took.
pub struct Profile {
    pub runs: u32,
    /// All runs together, measuring included.
    pub total: Duration,
    /// In the order in which they were first seen.
    pub rows: Vec<Row>,
}

/// A stack and an operator, by addresses that the kept frames keep alive.
type Key = (Vec<(usize, usize, u32)>, usize);

/// An operator in a place, while it is being measured.
struct Entry {
    operator: &'static Operator,
    frames: Vec<ScriptFrame>,
    calls: u64,
    time: Duration,
}

#[derive(Default)]
struct Measured {
    known: HashMap<Key, usize>,
    entries: Vec<Entry>,
}

/// Measures the operators of runs.
#[derive(Default)]
struct Profiler(Mutex<Measured>);

impl Profiler {
    fn measured(&self) -> MutexGuard<'_, Measured> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Profiler {
    fn observe(
        &self,
        operator: &'static Operator,
        call: &mut Call<'_>,
    ) -> rushlight::tensor::Result<()> {
        let frames = standing();
        let outside = INSIDE.replace(Duration::ZERO);
        let start = Instant::now();
        let outcome = operator.run_recorded(call);
        let took = start.elapsed();
        let own = took.saturating_sub(INSIDE.get());
        INSIDE.set(outside + took);
        let place = |frame: &ScriptFrame| {
            let name = frame.function.as_ptr() as usize;
            let span = frame.span.as_ref();
            let source = span.map_or(0, |s| Arc::as_ptr(s.source()) as usize);
            (name, source, span.map_or(0, Span::start))
        };
        let key = (
            frames.iter().map(place).collect(),
            std::ptr::from_ref(operator) as usize,
        );
        let mut measured = self.measured();
        let Measured { known, entries } = &mut *measured;
        let at = *known.entry(key).or_insert_with(|| {
            entries.push(Entry {
                operator,
                frames,
                calls: 0,
                time: Duration::ZERO,
            });
            entries.len() - 1
        });
        entries[at].calls += 1;
        entries[at].time += own;
        outcome
    }
}

/// Measures `runs` runs in a context; `run` makes one and says how long it took.
pub fn profile<E>(
    context: &Context,
    runs: u32,
    mut run: impl FnMut() -> Result<Duration, E>,
) -> Result<Profile, E> {
    let profiler = Arc::new(Profiler::default());
    context.set_observer(Some(profiler.clone()));
    context.set_layer(Layer::Profile, true);
    let mut total = Duration::ZERO;
    let outcome = (0..runs).try_for_each(|_| {
        total += run()?;
        Ok(())
    });
    context.set_layer(Layer::Profile, false);
    context.set_observer(None);
    outcome?;
    let entries = std::mem::take(&mut profiler.measured().entries);
    let rows = entries.into_iter().map(|entry| Row {
        operator: entry.operator.name(),
        levels: entry.frames.iter().map(level).collect(),
        calls: entry.calls,
        time: entry.time,
    });
    Ok(Profile {
        runs,
        total,
        rows: rows.collect(),
    })
}

/// A frame in words; of archives, the source that they were made from where they tell.
fn level(frame: &ScriptFrame) -> Level {
    let function = frame.function.to_string();
    let origin = frame.span.as_ref().and_then(Span::origin);
    let span = origin.as_ref().or(frame.span.as_ref());
    let Some(span) = span.filter(|s| !s.is_unknown()) else {
        return Level {
            function,
            file: String::new(),
            line: 0,
            text: String::new(),
        };
    };
    let source = span.source();
    let range = source.line_range_of(span.start());
    let text = source.text().get(range.start as usize..range.end as usize);
    Level {
        function,
        file: source.name().to_string(),
        line: span.line(),
        text: text.unwrap_or("").trim().to_string(),
    }
}

impl Level {
    /// `net.py:12`
    pub fn place(&self) -> String {
        match self.line {
            0 => "(no source)".into(),
            line => format!("{}:{line}", self.file),
        }
    }
}
