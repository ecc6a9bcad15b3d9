//! The intra-op pool: threads that share the work of one kernel.
//!
//! [`split`] cuts a range into parts and runs a function on each, on this thread and on those of the pool, and returns when
//! all are done. How a range is cut depends on its length and on [`count`] alone, never on who was free, and a kernel that
//! splits its work writes the same bits for any number of parts: what one part writes no other reads or writes.
//!
//! The pool belongs to the process. Its threads start when they are first needed; between calls they spin for a few
//! microseconds and then sleep, so that a call costs about a microsecond while kernels follow one another and nothing
//! while they do not. A call from within a call, or beside another, does its parts itself, and nobody waits for a thread
//! that has not begun. Parts run under the watch of the caller: limits hold in them, and an error of one is that of the
//! call.

use crate::{memory, watch};
use parking_lot::{Condvar, Mutex};
use std::any::Any;
use std::cell::Cell;
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The most threads that a kernel may use.
pub const MOST: usize = 256;

/// How often a thread looks for work before it goes to sleep.
const SPINS: usize = 4_000;
/// Parts for each thread where there is much to do, so that one that is held up holds up little.
const PARTS_EACH: usize = 4;
/// While it waits for others, a caller looks so often at whether it is to stop.
const LOOK: Duration = Duration::from_millis(5);

thread_local! {
    /// Whether this thread does a part of a call.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// How many threads a kernel may use; 0 before anybody has asked.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// How many threads a kernel may use, the caller among them: as many as there are processors, unless somebody has set
/// another number.
#[inline]
pub fn count() -> usize {
    match COUNT.load(Ordering::Relaxed) {
        0 => first_count(),
        count => count,
    }
}

#[cold]
fn first_count() -> usize {
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    COUNT.store(count.min(MOST), Ordering::Relaxed);
    count.min(MOST)
}

/// Sets how many threads a kernel may use: at least one, at most [`MOST`].
pub fn set_count(count: usize) {
    COUNT.store(count.clamp(1, MOST), Ordering::Relaxed);
}

/// Runs `body` on ranges that together are `0..total`, on several threads where that gives each at least `grain` items.
/// Ranges begin at multiples of `unit` and none is shorter than that.
#[inline]
pub fn split(total: usize, unit: usize, grain: usize, body: &(dyn Fn(Range<usize>) + Sync)) {
    if total < 2 * grain.max(1) {
        body(0..total);
    } else {
        split_large(total, unit.max(1), grain.max(1), body);
    }
}

/// What a part has to cost at the least, in elements of a simple loop over memory: some microseconds.
pub const GRAIN: usize = 1 << 14;

/// Runs `body` on the rows of a matrix that lies in `out`, `width` elements from row to row; the last may be shorter. It is
/// given the numbers of its rows and the elements from the first of them to the first of the next part. `cost` is about
/// what a row costs, in elements of a simple loop. Parts begin at multiples of `unit` rows.
#[inline]
pub fn split_rows<T: Send>(
    out: &mut [T],
    width: usize,
    unit: usize,
    cost: usize,
    body: &(dyn Fn(Range<usize>, &mut [T]) + Sync),
) {
    let rows = out.len().div_ceil(width.max(1));
    split_lent(rows, unit, cost, Rows::of(out, width), &|range, out| {
        body(range, out);
    });
}

/// As [`split_rows`], for `rows` rows of all that is lent: [`Rows`], or a tuple of them.
#[inline]
pub fn split_lent<L: Lent>(
    rows: usize,
    unit: usize,
    cost: usize,
    lent: L,
    body: &(dyn Fn(Range<usize>, L::Part) + Sync),
) {
    // SAFETY: `split` gives every row to one part, and `lent` is not used otherwise.
    let run = |range: Range<usize>| body(range.clone(), unsafe { lent.part(&range) });
    if rows < 2 || rows.saturating_mul(cost) < 2 * GRAIN {
        return run(0..rows);
    }
    split(rows, unit, (GRAIN / cost.max(1)).max(1), &run);
}

/// Something of which every part gets the rows (or columns) that are its own.
pub trait Lent: Sync {
    /// What a part gets.
    type Part;

    /// The rows with these numbers, as far as there are any.
    ///
    /// # Safety
    /// No row is asked for again while a part that has it is in use.
    unsafe fn part(&self, rows: &Range<usize>) -> Self::Part;
}

/// The rows of a matrix that several threads write.
pub struct Rows<'a, T> {
    first: *mut T,
    len: usize,
    width: usize,
    lent: PhantomData<&'a mut [T]>,
}

// SAFETY: what threads get of it are elements of their own, see `Lent::part`, which may be sent to them.
unsafe impl<T: Send> Sync for Rows<'_, T> {}

impl<'a, T> Rows<'a, T> {
    /// The rows of a matrix that lies in `out`, `width` elements from row to row.
    pub fn of(out: &'a mut [T], width: usize) -> Rows<'a, T> {
        Rows {
            first: out.as_mut_ptr(),
            len: out.len(),
            width,
            lent: PhantomData,
        }
    }
}

impl<'a, T: Send> Lent for Rows<'a, T> {
    type Part = &'a mut [T];

    unsafe fn part(&self, rows: &Range<usize>) -> &'a mut [T] {
        let place = |row: usize| row.saturating_mul(self.width).min(self.len);
        let (from, to) = (place(rows.start), place(rows.end));
        // SAFETY: the range lies in the slice that is lent for as long as this exists; the caller sees to it that no other
        // part has these rows.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(from), to.saturating_sub(from)) }
    }
}

/// A piece of a matrix that is written: some columns of some rows.
pub struct Strip<'a, T> {
    first: *mut T,
    rows: usize,
    columns: usize,
    stride: usize,
    lent: PhantomData<&'a mut [T]>,
}

// SAFETY: a strip is an exclusive borrow of its elements, and gives out no more than those.
unsafe impl<T: Send> Send for Strip<'_, T> {}
// SAFETY: a shared strip gives out columns by `Lent::part` alone, to one thread each.
unsafe impl<T: Send> Sync for Strip<'_, T> {}

impl<'a, T> Strip<'a, T> {
    /// A matrix of so many rows and columns, `stride` elements from row to row. Panics where it does not fit.
    pub fn of(out: &'a mut [T], rows: usize, columns: usize, stride: usize) -> Strip<'a, T> {
        let last = rows.saturating_sub(1).checked_mul(stride);
        let end = last.and_then(|last| last.checked_add(columns));
        assert!(rows == 0 || end.is_some_and(|end| end <= out.len()));
        assert!(rows < 2 || columns <= stride);
        Strip {
            first: out.as_mut_ptr(),
            rows,
            columns,
            stride,
            lent: PhantomData,
        }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Elements from row to row.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// One row.
    pub fn row(&mut self, row: usize) -> &mut [T] {
        assert!(row < self.rows);
        // SAFETY: the constructor saw that every row lies in what is lent, and that rows do not overlap.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(row * self.stride), self.columns) }
    }

    /// Some of the rows.
    pub fn rows_of(&mut self, rows: Range<usize>) -> Strip<'_, T> {
        assert!(rows.start <= rows.end && rows.end <= self.rows);
        // The place lies in what is lent, or nothing is read there.
        let first = self.first.wrapping_add(rows.start * self.stride);
        Strip {
            first,
            rows: rows.len(),
            columns: self.columns,
            stride: self.stride,
            lent: PhantomData,
        }
    }

    /// Some of the columns.
    pub fn only(&mut self, columns: Range<usize>) -> Strip<'_, T> {
        assert!(columns.start <= columns.end && columns.end <= self.columns);
        // Without rows nothing lies there.
        let first = self.first.wrapping_add(columns.start);
        Strip {
            first,
            rows: self.rows,
            columns: columns.len(),
            stride: self.stride,
            lent: PhantomData,
        }
    }

    /// Some rows in one run, where nothing lies between them.
    pub fn run(&mut self, rows: Range<usize>) -> Option<&mut [T]> {
        assert!(rows.start <= rows.end && rows.end <= self.rows);
        if self.stride != self.columns || rows.is_empty() {
            return None;
        }
        let count = rows.len() * self.columns;
        // SAFETY: the rows lie in what is lent, as the constructor saw, one behind the other.
        Some(unsafe {
            std::slice::from_raw_parts_mut(self.first.add(rows.start * self.stride), count)
        })
    }

    /// Where an element of the strip lies.
    pub fn place(&mut self, row: usize, column: usize) -> *mut T {
        assert!(row < self.rows && column < self.columns);
        // SAFETY: the element lies in what is lent.
        unsafe { self.first.add(row * self.stride + column) }
    }
}

/// Parts are columns.
impl<'a, T: Send> Lent for Strip<'a, T> {
    type Part = Strip<'a, T>;

    unsafe fn part(&self, columns: &Range<usize>) -> Strip<'a, T> {
        let from = columns.start.min(self.columns);
        let to = columns.end.clamp(from, self.columns);
        Strip {
            // SAFETY: the place lies in what is lent or right behind it.
            first: unsafe { self.first.add(if self.rows > 0 { from } else { 0 }) },
            rows: self.rows,
            columns: to - from,
            stride: self.stride,
            lent: PhantomData,
        }
    }
}

impl<A: Lent, B: Lent> Lent for (A, B) {
    type Part = (A::Part, B::Part);

    unsafe fn part(&self, rows: &Range<usize>) -> Self::Part {
        // SAFETY: passed on.
        unsafe { (self.0.part(rows), self.1.part(rows)) }
    }
}

impl<A: Lent, B: Lent, C: Lent> Lent for (A, B, C) {
    type Part = (A::Part, B::Part, C::Part);

    unsafe fn part(&self, rows: &Range<usize>) -> Self::Part {
        // SAFETY: passed on.
        unsafe { (self.0.part(rows), self.1.part(rows), self.2.part(rows)) }
    }
}

fn split_large(total: usize, unit: usize, grain: usize, body: &(dyn Fn(Range<usize>) + Sync)) {
    let threads = count().min(total / grain);
    if threads <= 1 || INSIDE.get() {
        return body(0..total);
    }
    // Parts are as equal as units can be. What is left over, less than a unit, belongs to the last part.
    let units = (total / unit).max(1);
    let parts = (total / grain).min(threads * PARTS_EACH).min(units);
    let begin = |part: usize| match part == parts {
        true => total,
        false => part * units / parts * unit,
    };
    run(threads, parts, &|part| body(begin(part)..begin(part + 1)));
}

/// Runs `task` for every part, on at most so many threads.
pub fn run(threads: usize, parts: usize, task: &(dyn Fn(usize) + Sync)) {
    let threads = threads.min(parts).min(MOST);
    let started = match POOL.in_use.try_lock() {
        Some(started) if threads > 1 && !watch::was_forked() => started,
        _ => return (0..parts).for_each(task),
    };
    POOL.run(started, threads, parts, task);
}

/// What threads run: a function of the caller, who waits for those that have begun.
#[derive(Clone)]
struct Job {
    task: *const (dyn Fn(usize) + Sync),
    parts: usize,
    /// Threads with this number and above have no part in it.
    threads: usize,
    epoch: u64,
    watch: Option<Arc<watch::Watch>>,
}

// SAFETY: the pointer is followed only by threads that entered the job while it was published, and `Pool::run` does not
// return (nor unwind) before it has withdrawn the job and all of them have left; all that time the function is borrowed
// there, and it is `Sync`.
unsafe impl Send for Job {}

struct Pool {
    /// Held by the one call that uses the threads: how many were started.
    in_use: Mutex<usize>,
    job: Mutex<Option<Job>>,
    /// Counts the jobs; a thread that has seen fewer has something to look at.
    epoch: AtomicU64,
    /// The next part of the present job for each thread: they begin with neighbouring parts of their own, the same ones in
    /// every call, so that what one call has left in a processor's cache is there for the next.
    next: [Cursor; MOST],
    /// Threads that are in the present job. Grows only while `job` is locked.
    inside: AtomicUsize,
    sleeping: AtomicUsize,
    wake: Condvar,
    gate: Mutex<()>,
    /// What a part unwound with.
    failure: Mutex<Option<Box<dyn Any + Send>>>,
    /// The call has failed: parts that run are to end, others not to begin.
    abandoned: AtomicBool,
}

/// A number in a cache line of its own.
#[repr(align(64))]
struct Cursor(AtomicUsize);

static POOL: Pool = Pool {
    in_use: Mutex::new(0),
    job: Mutex::new(None),
    epoch: AtomicU64::new(0),
    next: [const { Cursor(AtomicUsize::new(0)) }; MOST],
    inside: AtomicUsize::new(0),
    sleeping: AtomicUsize::new(0),
    wake: Condvar::new(),
    gate: Mutex::new(()),
    failure: Mutex::new(None),
    abandoned: AtomicBool::new(false),
};

/// The parts that a thread begins with.
fn own_parts(number: usize, threads: usize, parts: usize) -> Range<usize> {
    number * parts / threads..(number + 1) * parts / threads
}

impl Pool {
    fn run(
        &'static self,
        mut started: parking_lot::MutexGuard<'_, usize>,
        threads: usize,
        parts: usize,
        task: &(dyn Fn(usize) + Sync),
    ) {
        while *started + 1 < threads && self.start(*started + 1) {
            *started += 1;
        }
        // SAFETY: only the lifetime is changed. The job is withdrawn and left by all before this function ends, by return
        // or by panic.
        let task: *const (dyn Fn(usize) + Sync) = unsafe {
            std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(task)
        };
        for (number, next) in self.next[..threads].iter().enumerate() {
            next.0
                .store(own_parts(number, threads, parts).start, Ordering::Relaxed);
        }
        let job = Job {
            task,
            parts,
            threads,
            epoch: self.epoch.load(Ordering::Relaxed) + 1,
            watch: watch::handle(),
        };
        self.publish(&job);
        let own = catch_unwind(AssertUnwindSafe(|| self.do_parts(&job, 0)));
        if own.is_err() {
            self.abandon();
        }
        *self.job.lock() = None;
        let stopped = self.wait();
        let failure = self.failure.lock().take();
        self.abandoned.store(false, Ordering::Relaxed);
        drop(started);
        if let Err(cause) = own {
            resume_unwind(cause);
        }
        if let Err(fault) = stopped {
            memory::give_up(fault);
        }
        if let Some(cause) = failure {
            resume_unwind(cause);
        }
    }

    /// Starts the thread with a number; `false` where the system gives none.
    fn start(&'static self, number: usize) -> bool {
        std::thread::Builder::new()
            .name("rushlight intra-op".to_string())
            .spawn(move || self.serve(number))
            .is_ok()
    }

    fn publish(&self, job: &Job) {
        *self.job.lock() = Some(job.clone());
        self.epoch.store(job.epoch, Ordering::SeqCst);
        if self.sleeping.load(Ordering::SeqCst) > 0 {
            drop(self.gate.lock());
            self.wake.notify_all();
        }
    }

    /// Does the parts of the thread with a number, and then those that others have not begun.
    fn do_parts(&self, job: &Job, number: usize) {
        /// Says that the thread is outside again, also where a part unwinds.
        struct Inside;
        impl Drop for Inside {
            fn drop(&mut self) {
                INSIDE.set(false);
            }
        }
        INSIDE.set(true);
        let _inside = Inside;
        // SAFETY: the caller of `run` waits for whoever is here, see `Job`.
        let task = unsafe { &*job.task };
        for whose in (number..job.threads).chain(0..number) {
            let end = own_parts(whose, job.threads, job.parts).end;
            loop {
                let part = self.next[whose].0.fetch_add(1, Ordering::Relaxed);
                if self.abandoned.load(Ordering::Relaxed) {
                    return;
                }
                if part >= end {
                    break;
                }
                task(part);
            }
        }
    }

    /// Makes those who are inside come out soon.
    fn abandon(&self) {
        self.abandoned.store(true, Ordering::SeqCst);
        watch::attention();
    }

    /// Waits for those inside: spins first, then lets others run and looks whether the call is to stop.
    fn wait(&self) -> crate::Result<()> {
        let mut spins = 0;
        let mut looked = None;
        let mut outcome = Ok(());
        while self.inside.load(Ordering::Acquire) > 0 {
            spins += 1;
            if spins < SPINS {
                std::hint::spin_loop();
                continue;
            }
            std::thread::yield_now();
            let looked = looked.get_or_insert_with(Instant::now);
            if outcome.is_ok() && looked.elapsed() > LOOK {
                *looked = Instant::now();
                outcome = watch::look();
                if outcome.is_err() {
                    self.abandon();
                }
            }
        }
        outcome
    }

    /// The life of a thread.
    fn serve(&'static self, number: usize) {
        watch::help_until(&self.abandoned);
        let mut seen = 0;
        loop {
            self.next_epoch(seen);
            let Some(job) = self.enter(number, &mut seen) else {
                continue;
            };
            let work = || {
                let _in_force = job.watch.as_ref().map(|watch| watch.enter());
                self.do_parts(&job, number);
                Ok(())
            };
            let done = catch_unwind(AssertUnwindSafe(|| memory::catching(work)));
            let failure: Option<Box<dyn Any + Send>> = match done {
                Ok(Ok(())) => None,
                Ok(Err(fault)) => Some(memory::left(fault)),
                Err(cause) => Some(cause),
            };
            // The first failure is told; those of parts that were told to end are not.
            if failure.is_some() && !self.abandoned.load(Ordering::SeqCst) {
                *self.failure.lock() = failure;
                self.abandon();
            }
            drop(job);
            self.inside.fetch_sub(1, Ordering::Release);
        }
    }

    /// Enters the present job, if there is one for this thread.
    fn enter(&self, number: usize, seen: &mut u64) -> Option<Job> {
        let place = self.job.lock();
        let Some(job) = place.as_ref() else {
            *seen = self.epoch.load(Ordering::SeqCst);
            return None;
        };
        *seen = job.epoch;
        if number >= job.threads {
            return None;
        }
        self.inside.fetch_add(1, Ordering::Relaxed);
        Some(job.clone())
    }

    /// Waits until there has been another job than the last one seen.
    fn next_epoch(&self, seen: u64) {
        for _ in 0..SPINS {
            if self.epoch.load(Ordering::Acquire) != seen {
                return;
            }
            std::hint::spin_loop();
        }
        let mut gate = self.gate.lock();
        self.sleeping.fetch_add(1, Ordering::SeqCst);
        while self.epoch.load(Ordering::SeqCst) == seen {
            self.wake.wait(&mut gate);
        }
        self.sleeping.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::catching;
    use crate::{ErrorClass, Fault};

    fn sum(threads: usize, parts: usize) -> u64 {
        let total = AtomicU64::new(0);
        run(threads, parts, &|part| {
            total.fetch_add(part as u64 + 1, Ordering::Relaxed);
        });
        total.into_inner()
    }

    #[test]
    fn every_part_is_done_once() {
        for threads in [1, 2, 4, 3] {
            for parts in [0, 1, 2, 3, 100] {
                assert_eq!(sum(threads, parts), (parts * (parts + 1) / 2) as u64);
            }
        }
    }

    #[test]
    fn calls_may_follow_sleep_and_one_another() {
        for round in 0..2_000 {
            assert_eq!(sum(3, 10), 55);
            if round % 100 == 0 {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }

    #[test]
    fn calls_within_calls_and_beside_others_run_where_they_are() {
        let total = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        run(2, 4, &|_| {
                            total.fetch_add(sum(2, 3), Ordering::Relaxed);
                        });
                    }
                });
            }
        });
        assert_eq!(total.into_inner(), 3 * 100 * 24);
    }

    #[test]
    fn ranges_cover_everything_once_and_keep_to_units() {
        for total in [0, 1, 5, 100, 101, 12345] {
            let items = AtomicUsize::new(0);
            split(total, 8, 10, &|range| {
                assert!(range.start.is_multiple_of(8));
                assert!(range.end.is_multiple_of(8) || range.end == total);
                items.fetch_add(range.len(), Ordering::Relaxed);
            });
            assert_eq!(items.into_inner(), total);
        }
    }

    #[test]
    fn rows_are_given_out_once() {
        for (rows, width, short) in [(1, 7, 0), (1000, 100, 0), (999, 64, 63), (7, 30_000, 1)] {
            let mut out = vec![0u32; rows * width - short];
            split_rows(&mut out, width, 3, width, &|range, part| {
                for (row, elements) in range.zip(part.chunks_mut(width)) {
                    elements.iter_mut().for_each(|e| *e += row as u32 + 1);
                }
            });
            for (i, e) in out.iter().enumerate() {
                assert_eq!(*e as usize, i / width + 1);
            }
        }
    }

    #[test]
    fn columns_are_given_out_once() {
        for (rows, columns, stride) in [(1, 7, 0), (3, 40_000, 40_003), (9, 100, 100), (0, 5, 5)] {
            let len = if rows == 0 {
                0
            } else {
                (rows - 1) * stride + columns
            };
            let mut out = vec![0u32; len];
            let lent = Strip::of(&mut out, rows, columns, stride);
            split_lent(columns, 16, 10, lent, &|range, mut part| {
                for row in 0..rows {
                    for (column, element) in range.clone().zip(part.row(row)) {
                        *element += (row * columns + column) as u32 + 1;
                    }
                }
            });
            for (i, e) in out.iter().enumerate() {
                let (row, column) = (i / stride.max(columns), i % stride.max(columns));
                let want = if column < columns {
                    row * columns + column + 1
                } else {
                    0
                };
                assert_eq!(*e as usize, want);
            }
        }
    }

    #[test]
    fn a_panic_of_a_part_reaches_the_caller_and_leaves_the_threads_usable() {
        for bad in [0, 1, 7] {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                run(2, 8, &|part| assert!(part != bad, "part {part}"));
            }));
            assert!(outcome.is_err());
            assert_eq!(sum(2, 10), 55);
        }
    }

    #[test]
    fn limits_hold_in_all_parts() {
        let watch = Arc::new(watch::Watch::new().with_time(Duration::from_millis(50)));
        let start = Instant::now();
        let fault = catching(|| {
            let _in_force = watch.enter();
            run(3, 3, &|_| {
                while start.elapsed() < Duration::from_secs(20) {
                    watch::poll();
                }
            });
            Ok(())
        })
        .unwrap_err();
        assert_eq!(fault.message(), "the program was stopped after 50 ms");
        assert!(start.elapsed() < Duration::from_secs(5));
    }

    /// Only the caller's thread is asked: what stops calls may belong to it.
    #[test]
    fn a_supervisor_is_asked_by_the_caller_alone() {
        struct Stop(std::thread::ThreadId);
        impl watch::Supervisor for Stop {
            fn look(&self) -> crate::Result<()> {
                assert_eq!(std::thread::current().id(), self.0);
                Err(Fault::new(ErrorClass::Runtime, "stop".to_string()))
            }
        }
        let stop = Arc::new(Stop(std::thread::current().id()));
        let watch = Arc::new(watch::Watch::new().with_supervisor(Some(stop)));
        let main = std::thread::current().id();
        let start = Instant::now();
        let outcome = catching(|| {
            let _in_force = watch.enter();
            run(2, 2, &|_| {
                // The caller has nothing to do; the others run until they are stopped.
                while std::thread::current().id() != main
                    && start.elapsed() < Duration::from_secs(20)
                {
                    watch::poll();
                }
                std::thread::sleep(Duration::from_millis(10));
            });
            watch::look()
        });
        assert_eq!(outcome.unwrap_err().message(), "stop");
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}
