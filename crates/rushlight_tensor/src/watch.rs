//! How far a running call may go in time and memory, and being asked to stop: for the interpreter between instructions
//! and for kernels inside their loops.
//!
//! A door [enters](Watch::enter) a watch on the thread that runs. Kernels call [`poll`] for every row or tile: one load
//! and one comparison, until a tick has passed or somebody wants attention; then the watch is looked at, and the call is
//! left with an error if it has gone too far ([`crate::memory::give_up`]). Ticks come from one thread for the whole
//! process, which sleeps while no watch needs it.

use crate::{ErrorClass, Fault, Result, memory};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Time between two ticks.
const TICK: Duration = Duration::from_millis(10);
/// Ticks without a watch after which the thread sleeps.
const IDLE: u32 = 100;

/// Counts ticks and calls for attention.
static NOW: AtomicU32 = AtomicU32::new(1);
/// Watches that are entered and need ticks.
static ENTERED: AtomicU32 = AtomicU32::new(0);
static ASLEEP: AtomicBool = AtomicBool::new(false);
static TICKER: OnceLock<Option<Thread>> = OnceLock::new();
/// Set in a process that was forked from one with a ticker: threads do not survive that.
static FORKED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The value of `NOW` that this thread has attended to.
    static SEEN: Cell<u32> = const { Cell::new(0) };
    /// The watch that this thread runs under.
    static CURRENT: Cell<Option<Current>> = const { Cell::new(None) };
    /// For a thread that does parts of others' calls: whether the present call was given up.
    static HELPING: Cell<Option<&'static AtomicBool>> = const { Cell::new(None) };
}

/// The watch of a thread, and what the thread had in use when it was last added up.
#[derive(Clone, Copy)]
struct Current {
    watch: *const Watch,
    base: i64,
}

/// Somebody outside who may want a running call to stop.
pub trait Supervisor: Send + Sync {
    /// Fails with the error that the call is to end with. Called every tick, on the thread of the call.
    fn look(&self) -> Result<()>;

    /// Whether that has to happen every tick; else only after [`attention`] was called.
    fn needs_ticks(&self) -> bool {
        true
    }
}

/// What a run and its forked tasks may use together.
#[derive(Default)]
pub struct Watch {
    /// When the run ends, and the time it was given.
    deadline: Option<(Instant, Duration)>,
    /// Bytes that may be in use at once; 0 for any number.
    bytes: u64,
    /// Bytes in use, as far as threads have added theirs.
    used: AtomicI64,
    /// Instructions left, and how many there were; `None` for any number.
    instructions: Option<(AtomicU64, u64)>,
    supervisor: Option<Arc<dyn Supervisor>>,
}

impl Watch {
    /// A watch that ends nothing.
    pub fn new() -> Watch {
        Watch::default()
    }

    /// The same watch with a time from now on; none where that is zero.
    pub fn with_time(mut self, time: Duration) -> Watch {
        self.deadline = (!time.is_zero())
            .then(|| Instant::now().checked_add(time))
            .flatten()
            .map(|end| (end, time));
        self
    }

    /// The same watch with a number of bytes; 0 for any.
    pub fn with_bytes(mut self, bytes: u64) -> Watch {
        self.bytes = bytes;
        self
    }

    /// The same watch with a number of instructions; 0 for any.
    pub fn with_instructions(mut self, instructions: u64) -> Watch {
        self.instructions =
            (instructions > 0).then(|| (AtomicU64::new(instructions), instructions));
        self
    }

    /// The same watch with somebody who is asked every tick.
    pub fn with_supervisor(mut self, supervisor: Option<Arc<dyn Supervisor>>) -> Watch {
        self.supervisor = supervisor;
        self
    }

    /// Takes up to `wanted` of the instructions that are left.
    pub fn take_instructions(&self, wanted: u64) -> u64 {
        let Some((left, _)) = &self.instructions else {
            return wanted;
        };
        let mut taken = 0;
        let _ = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
            taken = left.min(wanted);
            Some(left - taken)
        });
        taken
    }

    /// Whether anything has to be looked at from time to time.
    fn needs_ticks(&self) -> bool {
        self.deadline.is_some()
            || self.bytes > 0
            || self.supervisor.as_ref().is_some_and(|s| s.needs_ticks())
    }

    /// Puts the watch in force on this thread until the result is dropped, in place of what was in force before.
    pub fn enter(self: &Arc<Watch>) -> Entered<'_> {
        let (before, ticks) = self.put_in_force();
        Entered {
            watch: Keep::Borrowed(self),
            before,
            ticks,
        }
    }

    /// What was in force before, and whether the watch needs ticks.
    fn put_in_force(self: &Arc<Watch>) -> (Option<Current>, bool) {
        let before = CURRENT.replace(Some(Current {
            watch: Arc::as_ptr(self),
            base: memory::in_use(),
        }));
        match self.bytes {
            0 => memory::set_alarm(i64::MAX),
            _ => {
                self.settle();
            }
        }
        let ticks = self.needs_ticks();
        if ticks {
            ENTERED.fetch_add(1, Ordering::SeqCst);
            wake();
        }
        (before, ticks)
    }

    /// Fails when the run has gone too far. `more` bytes are about to be taken.
    fn look(&self, more: usize) -> Result<()> {
        if let Some((end, time)) = self.deadline
            && Instant::now() > end
        {
            return Err(Fault::runtime(format!(
                "the program was stopped after {} ms",
                time.as_millis()
            )));
        }
        self.look_at_bytes(more)?;
        match &self.supervisor {
            // What stops calls may belong to the thread that makes them.
            Some(supervisor) if HELPING.get().is_none() => supervisor.look(),
            _ => Ok(()),
        }
    }

    fn look_at_bytes(&self, more: usize) -> Result<()> {
        if self.bytes == 0 {
            return Ok(());
        }
        let used = self.settle();
        if used.saturating_add_unsigned(more as u64) > self.bytes as i64 {
            return Err(Fault::new(
                ErrorClass::Memory,
                format!(
                    "the program was stopped when it needed more than {} bytes",
                    self.bytes
                ),
            ));
        }
        Ok(())
    }

    /// Adds what this thread has taken since the last time, and gives the sum.
    fn settle(&self) -> i64 {
        let Some(current) = CURRENT.get() else {
            return self.used.load(Ordering::Relaxed);
        };
        let now = memory::in_use();
        let delta = now - current.base;
        CURRENT.set(Some(Current {
            base: now,
            ..current
        }));
        let used = self.used.fetch_add(delta, Ordering::Relaxed) + delta;
        let left = (self.bytes as i64).saturating_sub(used).max(0);
        memory::set_alarm(now.saturating_add(left));
        used
    }
}

/// A watch in force; see [`Watch::enter`]. Those of a thread end in the opposite order.
#[must_use]
pub struct Entered<'w> {
    watch: Keep<'w>,
    before: Option<Current>,
    ticks: bool,
}

enum Keep<'w> {
    Borrowed(&'w Arc<Watch>),
    Owned(Arc<Watch>),
}

/// As [`Watch::enter`], for a watch that nobody else keeps.
pub fn enter_owned(watch: Arc<Watch>) -> Entered<'static> {
    let (before, ticks) = watch.put_in_force();
    Entered {
        watch: Keep::Owned(watch),
        before,
        ticks,
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        let watch = match &self.watch {
            Keep::Borrowed(watch) => watch,
            Keep::Owned(watch) => watch,
        };
        if watch.bytes > 0 {
            watch.settle();
        }
        CURRENT.set(self.before);
        match current() {
            Some(outer) if outer.bytes > 0 => {
                outer.settle();
            }
            _ => memory::set_alarm(i64::MAX),
        }
        if self.ticks {
            ENTERED.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Whether a watch is in force on this thread.
#[inline]
pub fn is_watched() -> bool {
    CURRENT.get().is_some()
}

/// The watch in force on this thread, for other threads that work for the same run.
pub fn handle() -> Option<Arc<Watch>> {
    CURRENT.get().map(|current| {
        // SAFETY: the pointer is that of an `Arc` which `Entered` borrows.
        unsafe {
            Arc::increment_strong_count(current.watch);
            Arc::from_raw(current.watch)
        }
    })
}

/// The watch in force on this thread.
#[inline]
fn current() -> Option<&'static Watch> {
    // SAFETY: `Entered` borrows the watch and takes it out of force when it goes; the reference is not kept longer than
    // the call that asks.
    CURRENT.get().map(|current| unsafe { &*current.watch })
}

/// Looks at the running call if a tick has passed; leaves it if it has gone too far. For every row or tile of a kernel.
#[inline(always)]
pub fn poll() {
    if NOW.load(Ordering::Relaxed) != SEEN.get() {
        attend();
    }
}

/// Sorts; long ones can be stopped.
pub fn sort<T: Ord>(items: &mut [T]) {
    /// Fewer take no longer than a tick or two.
    const LONG: usize = 1 << 20;
    if items.len() < LONG {
        items.sort_unstable();
    } else {
        items.sort_unstable_by(|a, b| {
            poll();
            a.cmp(b)
        });
    }
}

/// Sorts indices by what they stand for, equal ones in ascending order; long sorts can be stopped, and none takes memory.
pub fn sort_indices(indices: &mut [usize], order: impl Fn(usize, usize) -> std::cmp::Ordering) {
    indices.sort_unstable_by(|&a, &b| {
        poll();
        order(a, b).then(a.cmp(&b))
    });
}

#[cold]
#[inline(never)]
fn attend() {
    if let Err(fault) = look() {
        memory::give_up(fault);
    }
}

/// Fails if the running call has gone too far.
pub fn look() -> Result<()> {
    if memory::was_exhausted() {
        return Err(Fault::runtime(
            "not enough memory: the system had none left when the program asked for more",
        ));
    }
    if HELPING.get().is_some_and(|it| it.load(Ordering::SeqCst)) {
        return Err(Fault::runtime(
            "the call that this part belongs to has ended",
        ));
    }
    let watch = current();
    // Without a ticker every poll has to look.
    if ticks() || !watch.is_some_and(Watch::needs_ticks) {
        SEEN.set(NOW.load(Ordering::Relaxed));
    }
    watch.map_or(Ok(()), |watch| watch.look(0))
}

/// Makes this thread look at its watch soon.
#[cold]
pub(crate) fn alarm() {
    SEEN.set(NOW.load(Ordering::Relaxed).wrapping_sub(1));
}

/// Whether something has happened that [`look`] should see.
#[inline(always)]
pub fn is_due() -> bool {
    NOW.load(Ordering::Relaxed) != SEEN.get()
}

/// Takes up to `wanted` instructions from the running call.
pub fn take_instructions(wanted: u64) -> u64 {
    current().map_or(wanted, |watch| watch.take_instructions(wanted))
}

/// How many instructions the running call was given; 0 for any number.
pub fn given_instructions() -> u64 {
    let watch = current().and_then(|watch| watch.instructions.as_ref());
    watch.map_or(0, |(_, given)| *given)
}

/// Refuses bytes that the running call may not have.
#[inline]
pub(crate) fn admit(bytes: usize) -> Result<()> {
    match current() {
        Some(watch) if watch.bytes > 0 => watch.look_at_bytes(bytes),
        _ => Ok(()),
    }
}

/// Makes every running call look at its watch soon: somebody has asked for something.
pub fn attention() {
    NOW.fetch_add(1, Ordering::SeqCst);
}

/// Makes this thread one that does parts of others' calls: those end where the flag is set, and only the thread of the call
/// asks its supervisor.
pub(crate) fn help_until(abandoned: &'static AtomicBool) {
    HELPING.set(Some(abandoned));
}

/// Whether [`after_fork`] was called.
#[inline]
pub(crate) fn was_forked() -> bool {
    FORKED.load(Ordering::Relaxed)
}

/// To be called in a process that was forked from one that has run something.
pub fn after_fork() {
    FORKED.store(true, Ordering::SeqCst);
}

/// Whether there is a thread that ticks.
fn ticks() -> bool {
    matches!(TICKER.get(), Some(Some(_))) && !FORKED.load(Ordering::Relaxed)
}

/// Sees to it that the ticker ticks.
fn wake() {
    let ticker = TICKER.get_or_init(|| {
        let thread = thread::Builder::new()
            .name("rushlight ticks".into())
            .stack_size(64 << 10)
            .spawn(tick_for_ever);
        thread.ok().map(|handle| handle.thread().clone())
    });
    if ASLEEP.load(Ordering::SeqCst)
        && let Some(ticker) = ticker
    {
        ticker.unpark();
    }
}

fn tick_for_ever() {
    let mut idle = 0;
    loop {
        thread::sleep(TICK);
        attention();
        idle = match ENTERED.load(Ordering::SeqCst) {
            0 => idle + 1,
            _ => 0,
        };
        if idle > IDLE {
            ASLEEP.store(true, Ordering::SeqCst);
            while ENTERED.load(Ordering::SeqCst) == 0 {
                thread::park();
            }
            ASLEEP.store(false, Ordering::SeqCst);
            idle = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::catching;

    fn spin() -> Result<()> {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(20) {
            poll();
        }
        Ok(())
    }

    #[test]
    fn a_loop_ends_when_its_time_is_over() {
        let watch = Arc::new(Watch::new().with_time(Duration::from_millis(100)));
        let start = Instant::now();
        let fault = catching(|| {
            let _in_force = watch.enter();
            spin()
        })
        .unwrap_err();
        assert_eq!(fault.message(), "the program was stopped after 100 ms");
        assert!(start.elapsed() < Duration::from_secs(5));
        poll();
    }

    #[test]
    fn a_supervisor_is_asked() {
        struct Stop;
        impl Supervisor for Stop {
            fn look(&self) -> Result<()> {
                Err(Fault::runtime("stop"))
            }
        }
        let watch = Arc::new(Watch::new().with_supervisor(Some(Arc::new(Stop))));
        let outcome = catching(|| {
            let _in_force = watch.enter();
            spin()
        });
        assert_eq!(outcome.unwrap_err().message(), "stop");
    }

    #[test]
    fn tensors_count_and_go() {
        let watch = Arc::new(Watch::new().with_bytes(100 << 20));
        let _in_force = watch.enter();
        for _ in 0..100 {
            let kept = catching(|| crate::Tensor::zeros(&[10 << 20], crate::DType::F32));
            assert!(kept.is_ok());
        }
        let kept = catching(|| crate::Tensor::zeros(&[20 << 20], crate::DType::F32)).unwrap();
        let more = catching(|| crate::Tensor::zeros(&[20 << 20], crate::DType::F32));
        assert_eq!(more.unwrap_err().class(), ErrorClass::Memory);
        drop(kept);
    }

    #[test]
    fn instructions_run_out() {
        let watch = Watch::new().with_instructions(100);
        assert_eq!(watch.take_instructions(60), 60);
        assert_eq!(watch.take_instructions(60), 40);
        assert_eq!(watch.take_instructions(60), 0);
    }
}
