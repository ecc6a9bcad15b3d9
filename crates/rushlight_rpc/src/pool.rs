//! The threads that serve requests. A call may sleep or wait for another call, so their number follows the need.
//!
//! Up to the number that the program asked for they start as requests come. When a request has waited for a moment all the
//! same, as many more start as requests wait, up to [`MOST_THREADS`]; those end again after some idle time. Beyond that
//! requests wait, [`LONGEST_QUEUE`] at most.

use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Requests that are served at one time.
pub(crate) const MOST_THREADS: usize = 1024;
/// Requests that wait at one time.
pub(crate) const LONGEST_QUEUE: usize = 8192;
/// The wait after which more threads start.
const MOMENT: Duration = Duration::from_millis(2);
/// The idle time after which a thread beyond the asked number ends.
const IDLE: Duration = Duration::from_secs(10);

pub(crate) type Task = Box<dyn FnOnce() + Send>;

/// Starts a thread; a system without room for it says so.
pub(crate) fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    #[cfg(test)]
    if tests::refuses() {
        return Err(io::ErrorKind::WouldBlock.into());
    }
    thread::Builder::new()
        .name(name.into())
        .spawn(work)
        .map(drop)
}

/// Threads and the requests that wait for them.
pub(crate) struct Pool {
    state: Mutex<State>,
    /// A request waits, or the end has come.
    ready: Condvar,
    /// A request found no thread.
    need: Condvar,
    asked: usize,
}

#[derive(Default)]
struct State {
    tasks: VecDeque<(Instant, Task)>,
    live: usize,
    idle: usize,
    stopped: bool,
}

/// Requests that run and that wait where no more can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Busy {
    pub run: usize,
    pub wait: usize,
}

impl Pool {
    /// A pool that keeps up to `asked` threads, one from the beginning.
    pub fn new(asked: usize) -> io::Result<Arc<Pool>> {
        let pool = Arc::new(Pool {
            state: Mutex::default(),
            ready: Condvar::new(),
            need: Condvar::new(),
            asked: asked.clamp(1, MOST_THREADS),
        });
        pool.grow(&mut pool.state.lock())?;
        Ok(pool)
    }

    /// Has a request served.
    pub fn push(self: &Arc<Self>, task: Task) -> Result<(), Busy> {
        let mut state = self.state.lock();
        if state.tasks.len() >= LONGEST_QUEUE {
            return Err(Busy {
                run: state.live - state.idle,
                wait: state.tasks.len(),
            });
        }
        state.tasks.push_back((Instant::now(), task));
        if state.tasks.len() > state.idle {
            // Where no thread can start, one of those that are here will come to it, or the next attempt succeeds.
            if state.live >= self.asked || self.grow(&mut state).is_err() {
                self.need.notify_one();
            }
        }
        drop(state);
        self.ready.notify_one();
        Ok(())
    }

    /// Waits `longest` at most for a request that finds no thread, and starts threads for those that wait.
    pub fn tend(self: &Arc<Self>, longest: Duration) {
        let mut state = self.state.lock();
        if state.tasks.is_empty() && !state.stopped {
            self.need.wait_for(&mut state, longest);
        }
        if state.tasks.is_empty() {
            return;
        }
        drop(state);
        thread::sleep(MOMENT);
        let mut state = self.state.lock();
        let now = Instant::now();
        let late = state.tasks.iter();
        let late = late.take_while(|(since, _)| now - *since >= MOMENT).count();
        for _ in state.idle..late {
            if state.live >= MOST_THREADS || self.grow(&mut state).is_err() {
                // A little later perhaps.
                drop(state);
                thread::sleep(Duration::from_millis(10));
                return;
            }
        }
    }

    /// Lets the threads end when nothing waits any more.
    pub fn stop(&self) {
        self.state.lock().stopped = true;
        self.ready.notify_all();
        self.need.notify_all();
    }

    fn grow(self: &Arc<Self>, state: &mut State) -> io::Result<()> {
        let pool = self.clone();
        spawn("rpc", move || pool.serve())?;
        state.live += 1;
        // It comes for a request at once.
        state.idle += 1;
        Ok(())
    }

    fn serve(&self) {
        let mut state = self.state.lock();
        loop {
            if let Some((_, task)) = state.tasks.pop_front() {
                state.idle -= 1;
                drop(state);
                // Whoever asked is answered by the task; a panic of ours must not take the thread along.
                let _ = catch_unwind(AssertUnwindSafe(task));
                state = self.state.lock();
                state.idle += 1;
                continue;
            }
            let many = state.live > self.asked;
            if state.stopped {
                break;
            }
            if !many {
                self.ready.wait(&mut state);
            } else if self.ready.wait_for(&mut state, IDLE).timed_out()
                && state.tasks.is_empty()
                && state.live > self.asked
            {
                break;
            }
        }
        state.live -= 1;
        state.idle -= 1;
    }

    #[cfg(test)]
    fn live(&self) -> usize {
        self.state.lock().live
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Busy, LONGEST_QUEUE, MOST_THREADS, Pool};
    use std::cell::Cell;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Barrier, mpsc};
    use std::time::Duration;

    thread_local! {
        /// How many of this thread's next attempts to start another one succeed, and how many fail after that.
        static REFUSALS: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    }

    pub(crate) fn refuses() -> bool {
        let (before, times) = REFUSALS.get();
        if before > 0 {
            REFUSALS.set((before - 1, times));
            return false;
        }
        REFUSALS.set((0, times.saturating_sub(1)));
        times > 0
    }

    /// Has the next attempts of this thread fail.
    pub(crate) fn refuse(times: usize) {
        REFUSALS.set((0, times));
    }

    /// Has one attempt of this thread fail after others.
    pub(crate) fn refuse_after(before: usize) {
        REFUSALS.set((before, 1));
    }

    #[test]
    fn tasks_that_wait_for_each_other_all_run() {
        let pool = Pool::new(2).unwrap();
        let barrier = Arc::new(Barrier::new(201));
        for _ in 0..200 {
            let barrier = barrier.clone();
            pool.push(Box::new(move || {
                barrier.wait();
            }))
            .unwrap();
        }
        while pool.live() < 200 {
            pool.tend(Duration::from_millis(20));
        }
        barrier.wait();
        assert!(pool.live() <= 202);
        pool.stop();
    }

    #[test]
    fn a_failed_start_of_a_thread_is_made_up_for() {
        let pool = Pool::new(4).unwrap();
        let (say, hear) = mpsc::channel();
        let (stop, stopped) = mpsc::channel::<()>();
        pool.push(Box::new(move || {
            let _ = stopped.recv();
        }))
        .unwrap();
        // No thread for this one: the only one sleeps and no other starts, three times.
        refuse(3);
        pool.push(Box::new(move || say.send(1).unwrap())).unwrap();
        pool.tend(Duration::from_millis(1));
        pool.tend(Duration::from_millis(1));
        refuse(0);
        pool.tend(Duration::from_millis(1));
        assert_eq!(hear.recv_timeout(Duration::from_secs(5)), Ok(1));
        drop(stop);
        refuse(1);
        assert!(Pool::new(1).is_err());
        pool.stop();
    }

    #[test]
    fn a_panic_takes_no_thread_along() {
        let pool = Pool::new(1).unwrap();
        let (say, hear) = mpsc::channel();
        pool.push(Box::new(|| panic!("on purpose"))).unwrap();
        pool.push(Box::new(move || say.send(2).unwrap())).unwrap();
        assert_eq!(hear.recv_timeout(Duration::from_secs(5)), Ok(2));
        pool.stop();
    }

    #[test]
    fn a_queue_that_is_too_long_is_said_to_be() {
        let pool = Pool::new(1).unwrap();
        let done = Arc::new(AtomicUsize::new(0));
        let (stop, stopped) = mpsc::channel::<()>();
        let (say, hear) = mpsc::channel();
        pool.push(Box::new(move || {
            say.send(()).unwrap();
            let _ = stopped.recv();
        }))
        .unwrap();
        hear.recv().unwrap();
        for _ in 0..LONGEST_QUEUE {
            let done = done.clone();
            pool.push(Box::new(move || {
                done.fetch_add(1, Ordering::SeqCst);
            }))
            .unwrap();
        }
        let busy = pool.push(Box::new(|| ()));
        assert_eq!(
            busy,
            Err(Busy {
                run: 1,
                wait: LONGEST_QUEUE
            })
        );
        drop(stop);
        while done.load(Ordering::SeqCst) < LONGEST_QUEUE {
            std::thread::sleep(Duration::from_millis(2));
        }
        assert!(pool.push(Box::new(|| ())).is_ok());
        assert!(pool.live() <= MOST_THREADS);
        pool.stop();
    }
}
