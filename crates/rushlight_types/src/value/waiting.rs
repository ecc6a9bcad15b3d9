//! Values that come later: futures (another task computes them) and awaits (computed at the first wait).

use crate::{Callable, Fault, Result, Type, Value};
use parking_lot::{Condvar, Mutex};
use std::any::Any;
use std::sync::{Arc, OnceLock};

type Continuation = Box<dyn FnOnce(&Result<Value>) + Send>;

enum State {
    Pending(Vec<Continuation>),
    Done(Result<Value>),
}

/// A result that another task will set, once.
pub struct Future {
    ty: Type,
    state: Mutex<State>,
    done: Condvar,
    task: OnceLock<Arc<dyn Any + Send + Sync>>,
}

impl Future {
    /// A future without a result yet; `ty` is the type of the result.
    pub fn new(ty: Type) -> Arc<Future> {
        Arc::new(Future {
            ty,
            state: Mutex::new(State::Pending(Vec::new())),
            done: Condvar::new(),
            task: OnceLock::new(),
        })
    }

    /// A future that is complete.
    pub fn ready(ty: Type, value: Value) -> Arc<Future> {
        Arc::new(Future {
            ty,
            state: Mutex::new(State::Done(Ok(value))),
            done: Condvar::new(),
            task: OnceLock::new(),
        })
    }

    /// The type of the result.
    pub fn ty(&self) -> &Type {
        &self.ty
    }

    /// What will compute the result, for those who would rather do it themselves than wait.
    pub fn task(&self) -> Option<&Arc<dyn Any + Send + Sync>> {
        self.task.get()
    }

    /// Says what will compute the result, once.
    pub fn set_task(&self, task: Arc<dyn Any + Send + Sync>) {
        let _ = self.task.set(task);
    }

    /// Sets the result and runs what was waiting for it. A second result is refused.
    pub fn complete(&self, result: Result<Value>) -> Result<()> {
        let waiting = {
            let mut state = self.state.lock();
            match &mut *state {
                State::Done(_) => {
                    return Err(Fault::runtime(
                        "Attempting to mark a completed Future as complete again.",
                    ));
                }
                State::Pending(waiting) => {
                    let waiting = std::mem::take(waiting);
                    *state = State::Done(result.clone());
                    waiting
                }
            }
        };
        self.done.notify_all();
        waiting.into_iter().for_each(|run| run(&result));
        Ok(())
    }

    /// The result if it is there.
    pub fn poll(&self) -> Option<Result<Value>> {
        match &*self.state.lock() {
            State::Done(result) => Some(result.clone()),
            State::Pending(_) => None,
        }
    }

    /// Blocks this thread until the result is there.
    pub fn wait(&self) -> Result<Value> {
        let mut state = self.state.lock();
        loop {
            match &*state {
                State::Done(result) => return result.clone(),
                State::Pending(_) => self.done.wait(&mut state),
            }
        }
    }

    /// Runs `then` when the result is there, at once if it is already.
    pub fn on_done(&self, then: Continuation) {
        let result = {
            let mut state = self.state.lock();
            match &mut *state {
                State::Pending(waiting) => {
                    waiting.push(then);
                    return;
                }
                State::Done(result) => result.clone(),
            }
        };
        then(&result);
    }
}

/// A call that has not been made: `torch.jit._awaitable`.
pub struct Await {
    ty: Type,
    state: Mutex<AwaitState>,
}

enum AwaitState {
    Call(Arc<dyn Callable>, Vec<Value>),
    Done(Value),
}

impl Await {
    /// A call to make later.
    pub fn new(ty: Type, callee: Arc<dyn Callable>, arguments: Vec<Value>) -> Arc<Await> {
        Arc::new(Await {
            ty,
            state: Mutex::new(AwaitState::Call(callee, arguments)),
        })
    }

    /// An await whose result is known.
    pub fn ready(ty: Type, value: Value) -> Arc<Await> {
        Arc::new(Await {
            ty,
            state: Mutex::new(AwaitState::Done(value)),
        })
    }

    /// The type of the result.
    pub fn ty(&self) -> &Type {
        &self.ty
    }

    /// The result if it has been computed, else the call that computes it.
    pub fn get(&self) -> std::result::Result<Value, (Arc<dyn Callable>, Vec<Value>)> {
        match &*self.state.lock() {
            AwaitState::Done(value) => Ok(value.clone()),
            AwaitState::Call(callee, arguments) => Err((callee.clone(), arguments.clone())),
        }
    }

    /// Remembers the result.
    pub fn set(&self, value: Value) {
        *self.state.lock() = AwaitState::Done(value);
    }
}
