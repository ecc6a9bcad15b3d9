//! The inter-op pool: threads that run forked tasks beside the caller.
//!
//! An object, bounded, whose threads start when there is work for them. Whoever waits for a task that no thread has
//! begun runs it itself, so that a full pool never stands in the way of progress.

use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;

/// Work for a pool.
pub trait Job: Send + Sync {
    /// Does the work, unless somebody else has begun it.
    fn run(&self);
}

/// A bounded set of threads and the queue they take from.
pub struct Pool {
    shared: Arc<Shared>,
    threads: usize,
}

struct Shared {
    state: Mutex<State>,
    work: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Arc<dyn Job>>,
    started: usize,
    idle: usize,
    closed: bool,
}

impl Pool {
    /// A pool of at most so many threads. With none, nothing may be submitted.
    pub fn new(threads: usize) -> Pool {
        Pool {
            shared: Arc::new(Shared {
                state: Mutex::default(),
                work: Condvar::new(),
            }),
            threads,
        }
    }

    /// The most threads there will be.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Leaves a job to the pool. `false` if there is no thread that could ever do it.
    pub fn submit(&self, job: Arc<dyn Job>) -> bool {
        let mut state = self.shared.state.lock();
        let wants_thread = state.idle <= state.queue.len() && state.started < self.threads;
        if wants_thread && self.start_thread() {
            state.started += 1;
        }
        if state.started == 0 {
            return false;
        }
        state.queue.push_back(job);
        drop(state);
        self.shared.work.notify_one();
        true
    }

    fn start_thread(&self) -> bool {
        let shared = self.shared.clone();
        std::thread::Builder::new()
            .name("rushlight-inter-op".to_string())
            .spawn(move || work(&shared))
            .is_ok()
    }
}

impl Drop for Pool {
    /// Threads finish what they are at and end; queued jobs are dropped.
    fn drop(&mut self) {
        let dropped = {
            let mut state = self.shared.state.lock();
            state.closed = true;
            std::mem::take(&mut state.queue)
        };
        self.shared.work.notify_all();
        drop(dropped);
    }
}

fn work(shared: &Shared) {
    loop {
        let job = {
            let mut state = shared.state.lock();
            loop {
                if let Some(job) = state.queue.pop_front() {
                    break job;
                }
                if state.closed {
                    return;
                }
                state.idle += 1;
                shared.work.wait(&mut state);
                state.idle -= 1;
            }
        };
        job.run();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::{Sender, channel};

    struct Count {
        done: Arc<AtomicUsize>,
        tell: Mutex<Sender<()>>,
    }

    impl Job for Count {
        fn run(&self) {
            self.done.fetch_add(1, Ordering::SeqCst);
            let _ = self.tell.lock().send(());
        }
    }

    #[test]
    fn every_job_is_done_once() {
        let pool = Pool::new(2);
        let done = Arc::new(AtomicUsize::new(0));
        let (tell, told) = channel();
        for _ in 0..100 {
            let job = Count {
                done: done.clone(),
                tell: Mutex::new(tell.clone()),
            };
            assert!(pool.submit(Arc::new(job)));
        }
        for _ in 0..100 {
            told.recv().unwrap();
        }
        assert_eq!(done.load(Ordering::SeqCst), 100);
    }

    #[test]
    fn a_pool_without_threads_takes_nothing() {
        let (tell, _told) = channel();
        let job = Count {
            done: Arc::default(),
            tell: Mutex::new(tell),
        };
        assert!(!Pool::new(0).submit(Arc::new(job)));
    }
}
