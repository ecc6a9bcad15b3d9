//! Forked tasks: code and arguments that somebody, a thread of the pool or whoever waits first, runs once.

use crate::Runtime;
use crate::code::Code;
use crate::pool::Job;
use parking_lot::Mutex;
use rushlight_ir::Unit;
use rushlight_tensor::watch::Watch;
use rushlight_types::modes::{self, Modes};
use rushlight_types::{Context, Future, Value};
use std::sync::{Arc, Weak};

/// A task that has not been begun.
pub(crate) struct Work {
    pub code: Arc<Code>,
    pub arguments: Vec<Value>,
    pub context: Arc<Context>,
    /// The modes of the fork.
    pub modes: Modes,
    /// The run that the task belongs to.
    pub watch: Option<Arc<Watch>>,
    /// Held so that the functions that the task calls stay.
    pub unit: Option<Arc<Unit>>,
}

/// A forked task.
pub(crate) struct Task {
    runtime: Runtime,
    /// Taken by whoever begins the task.
    work: Mutex<Option<Work>>,
    /// The future holds the task, not the other way round.
    future: Weak<Future>,
}

impl Task {
    /// A task that completes a future.
    pub fn new(runtime: &Runtime, future: &Arc<Future>, work: Work) -> Arc<Task> {
        let task = Arc::new(Task {
            runtime: runtime.clone(),
            work: Mutex::new(Some(work)),
            future: Arc::downgrade(future),
        });
        future.set_task(task.clone());
        task
    }

    /// The work, for the first who asks: the asker must do it and complete the future.
    pub fn begin(&self) -> Option<Work> {
        self.work.lock().take()
    }
}

impl Job for Task {
    fn run(&self) {
        let Some(work) = self.begin() else { return };
        let _unit = work.unit;
        let future = self.future.upgrade();
        let before = modes::current();
        work.modes.enter();
        let _in_force = work.watch.as_ref().map(Watch::enter);
        let result = self
            .runtime
            .run_code(&work.code, &work.context, work.arguments);
        before.enter();
        if let Some(future) = future {
            // Nobody else completes it: the work could be taken once.
            let _ = future.complete(result);
        }
    }
}
