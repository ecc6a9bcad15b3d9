//! The intra-op pool: threads that share the work of one kernel.
//!
//! A fork-join over parts numbered from zero. Which thread does which part depends on nothing but the numbers, so that
//! results do not change from run to run. Threads start at the first use; between calls they spin for a few
//! microseconds and then sleep, so that a call costs about a microsecond while kernels follow one another and nothing
//! while they do not. A call from within a call, or beside another, does its parts itself.

use parking_lot::{Condvar, Mutex};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// How often a thread looks for work before it goes to sleep.
const SPINS: usize = 4_000;

/// What the threads run: a closure of the caller, who waits until they are done with it.
#[derive(Clone, Copy)]
struct Job {
    task: *const (dyn Fn(usize) + Sync),
    parts: usize,
    stride: usize,
}

// SAFETY: the pointer is followed only between the publication of the job and the end of `Workers::run`, which does not
// return (nor unwind) before every thread has finished; all that time the closure is borrowed there, and it is `Sync`.
unsafe impl Send for Job {}

struct Shared {
    job: Mutex<Option<Job>>,
    /// Counts the jobs; a thread that has seen fewer has work to do.
    epoch: AtomicU64,
    /// Threads that are not done with the present job.
    busy: AtomicUsize,
    sleeping: AtomicUsize,
    wake: Condvar,
    gate: Mutex<()>,
    panicked: AtomicBool,
    closed: AtomicBool,
}

/// Threads that share the work of kernels.
pub struct Workers {
    shared: Arc<Shared>,
    /// Threads besides the caller.
    helpers: usize,
    /// Held by the one call that uses the threads.
    in_use: Mutex<()>,
}

impl Workers {
    /// So many threads, the caller among them. Fewer where the system gives no more.
    pub fn new(threads: usize) -> Workers {
        let shared = Arc::new(Shared {
            job: Mutex::new(None),
            epoch: AtomicU64::new(0),
            busy: AtomicUsize::new(0),
            sleeping: AtomicUsize::new(0),
            wake: Condvar::new(),
            gate: Mutex::new(()),
            panicked: AtomicBool::new(false),
            closed: AtomicBool::new(false),
        });
        let start = |number: usize| {
            let shared = shared.clone();
            std::thread::Builder::new()
                .name("rushlight-intra-op".to_string())
                .spawn(move || serve(&shared, number))
                .is_ok()
        };
        let helpers = (1..threads).take_while(|n| start(*n)).count();
        Workers {
            shared,
            helpers,
            in_use: Mutex::new(()),
        }
    }

    /// The threads, the caller among them.
    pub fn threads(&self) -> usize {
        self.helpers + 1
    }

    /// Runs `task` for every part and returns when all are done. A panic of a part is passed on.
    pub fn run(&self, parts: usize, task: &(dyn Fn(usize) + Sync)) {
        let _alone = match self.in_use.try_lock() {
            Some(guard) if parts > 1 && self.helpers > 0 => guard,
            _ => return (0..parts).for_each(task),
        };
        // SAFETY: only the lifetime is changed. `wait` below keeps this function from ending, by return or by panic,
        // while a thread may still follow the pointer.
        let task: *const (dyn Fn(usize) + Sync) = unsafe {
            std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(task)
        };
        let job = Job {
            task,
            parts,
            stride: self.threads(),
        };
        self.publish(job);
        let own = catch_unwind(AssertUnwindSafe(|| do_parts(job, 0)));
        self.wait();
        if let Err(panic) = own {
            std::panic::resume_unwind(panic);
        }
        assert!(
            !self.shared.panicked.swap(false, Ordering::Relaxed),
            "a part of a kernel panicked"
        );
    }

    fn publish(&self, job: Job) {
        let shared = &self.shared;
        *shared.job.lock() = Some(job);
        shared.busy.store(self.helpers, Ordering::SeqCst);
        shared.epoch.fetch_add(1, Ordering::SeqCst);
        if shared.sleeping.load(Ordering::SeqCst) > 0 {
            drop(shared.gate.lock());
            shared.wake.notify_all();
        }
    }

    /// Waits for the threads: spins first, then lets others run.
    fn wait(&self) {
        let mut spins = 0;
        while self.shared.busy.load(Ordering::Acquire) > 0 {
            spins += 1;
            if spins < SPINS {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
        *self.shared.job.lock() = None;
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        self.shared.epoch.fetch_add(1, Ordering::SeqCst);
        drop(self.shared.gate.lock());
        self.shared.wake.notify_all();
    }
}

/// The life of a thread.
fn serve(shared: &Shared, number: usize) {
    let mut seen = 0;
    loop {
        seen = next_epoch(shared, seen);
        if shared.closed.load(Ordering::SeqCst) {
            return;
        }
        let job = *shared.job.lock();
        if let Some(job) = job {
            let done = catch_unwind(AssertUnwindSafe(|| do_parts(job, number)));
            if done.is_err() {
                shared.panicked.store(true, Ordering::Relaxed);
            }
        }
        shared.busy.fetch_sub(1, Ordering::Release);
    }
}

/// Waits until there has been a job more than `seen`, and says how many there have been then.
fn next_epoch(shared: &Shared, seen: u64) -> u64 {
    for _ in 0..SPINS {
        let now = shared.epoch.load(Ordering::Acquire);
        if now != seen {
            return now;
        }
        std::hint::spin_loop();
    }
    let mut gate = shared.gate.lock();
    shared.sleeping.fetch_add(1, Ordering::SeqCst);
    let now = loop {
        let now = shared.epoch.load(Ordering::SeqCst);
        if now != seen {
            break now;
        }
        shared.wake.wait(&mut gate);
    };
    shared.sleeping.fetch_sub(1, Ordering::SeqCst);
    now
}

/// The parts that fall to thread `first`.
fn do_parts(job: Job, first: usize) {
    // SAFETY: the caller of `run` waits for this thread, see `Job`.
    let task = unsafe { &*job.task };
    (first..job.parts).step_by(job.stride).for_each(task);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(workers: &Workers, parts: usize) -> u64 {
        let total = AtomicU64::new(0);
        workers.run(parts, &|part| {
            total.fetch_add(part as u64 + 1, Ordering::Relaxed);
        });
        total.into_inner()
    }

    #[test]
    fn every_part_is_done_once() {
        for threads in [1, 2, 4] {
            let workers = Workers::new(threads);
            for parts in [0, 1, 2, 3, 100] {
                assert_eq!(sum(&workers, parts), (parts * (parts + 1) / 2) as u64);
            }
        }
    }

    #[test]
    fn calls_may_follow_sleep() {
        let workers = Workers::new(3);
        for _ in 0..20 {
            assert_eq!(sum(&workers, 10), 55);
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    #[test]
    fn calls_within_calls_run_where_they_are() {
        let workers = Workers::new(2);
        let total = AtomicU64::new(0);
        workers.run(4, &|_| {
            total.fetch_add(sum(&workers, 3), Ordering::Relaxed);
        });
        assert_eq!(total.into_inner(), 24);
    }

    #[test]
    fn a_panic_of_a_part_reaches_the_caller_and_leaves_the_threads_usable() {
        let workers = Workers::new(2);
        for bad in [0, 1] {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                workers.run(2, &|part| assert!(part != bad, "part {part}"));
            }));
            assert!(outcome.is_err());
            assert_eq!(sum(&workers, 10), 55);
        }
    }
}
