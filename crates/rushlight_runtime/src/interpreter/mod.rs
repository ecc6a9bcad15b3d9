//! The interpreter: frames over one stack of registers.
//!
//! A script call pushes a frame; nothing recurses on the native stack except host functions that call scripts again,
//! and how deep those may nest is bounded. Between calls of scripts the inner loop ([`execute`]) sees one frame's
//! registers as a slice. When a frame returns, its registers hold nothing that needs dropping: the lowering has dropped
//! or moved every value at its last use. Only a fault leaves values behind, and then the frame is cleared.

mod execute;
mod extended;
mod hot;
mod quick;
mod resolve;
mod scalar;
mod unwind;

use crate::Runtime;
use crate::autocast;
use crate::callee::Callee;
use crate::code::{CallKind, Code, Extended, NOWHERE, Operand, Reg};
use crate::future::{Task, Work};
use crate::limits::Limiter;
use crate::pool::Job;
use crate::profile;
use execute::{Stopped, execute, read};
use resolve::{Resolved, resolve};
use rushlight_syntax::Span;
use rushlight_tensor::{memory, watch};
use rushlight_types::modes::{self, Autocast};
use rushlight_types::warning::{Place, warn};
use rushlight_types::{Await, Context, ErrorClass, Fault, Future, Result, Value};
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use unwind::fault_of_wait;

/// How deep host functions and scripts may call one another.
const MAX_REENTRY: usize = 200;

/// Stacks longer than this are not kept for the next run.
const KEPT_STACK: usize = 1 << 16;

/// Nor is room for more frames or arguments than this.
const KEPT_FRAMES: usize = 1 << 8;

thread_local! {
    static RUNNING: Cell<usize> = const { Cell::new(0) };
    /// The stack of the last run, so that a call need not allocate one.
    static SPARE: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
    /// Its frames, of which there are none any more.
    static SPARE_FRAMES: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };
    /// A vector for the arguments of the next call, which is empty.
    static SPARE_ARGUMENTS: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
}

/// An empty vector for the arguments of a call, with the room of one that this thread has used before: calls in a row
/// need no memory for their arguments.
pub fn spare_arguments() -> Vec<Value> {
    SPARE_ARGUMENTS.take()
}

/// A function that is being run.
struct Frame {
    code: Arc<Code>,
    /// The instruction to go on with.
    next: usize,
    base: usize,
    /// The caller's register that takes the result.
    target: Reg,
    kind: CallKind,
    /// What the result of a fork or join completes.
    future: Option<Arc<Future>>,
    /// What autocasting does to the caller of a fork or join; tasks have nothing of the `with` around them.
    autocast: Option<Autocast>,
}

/// An object whose `__exit__` must run if a fault leaves the frame.
struct Entered {
    depth: usize,
    object: Value,
    /// The entry of `Code::extended` that knows the method.
    instruction: u32,
    /// What autocasting did before, where the object is an autocast.
    autocast: Option<Autocast>,
}

/// One run.
pub(crate) struct Machine<'c> {
    runtime: &'c Runtime,
    context: &'c Context,
    stack: Vec<Value>,
    frames: Vec<Frame>,
    entered: Vec<Entered>,
    /// Where the run has warned already.
    warned: Vec<Span>,
    limiter: Limiter,
    /// Where an observer who wants to know the stack of calls finds what is around this run.
    around: Option<profile::Around>,
}

impl<'c> Machine<'c> {
    /// A machine for one run on this thread.
    pub fn new(runtime: &'c Runtime, context: &'c Context) -> Result<Machine<'c>> {
        if RUNNING.get() >= MAX_REENTRY {
            return Err(Fault::runtime(
                "maximum recursion depth exceeded: scripts and host functions call one another too deeply",
            ));
        }
        RUNNING.set(RUNNING.get() + 1);
        Ok(Machine {
            runtime,
            context,
            stack: SPARE.take(),
            frames: SPARE_FRAMES.take(),
            entered: Vec::new(),
            warned: Vec::new(),
            limiter: Limiter::new(
                context,
                runtime.compiler().map_or(u32::MAX, |c| c.patience()),
            ),
            around: profile::is_on(context).then(profile::Around::take),
        })
    }

    /// Runs code on arguments.
    pub fn run(mut self, code: Arc<Code>, mut arguments: Vec<Value>) -> Result<Value> {
        check_count(&code, arguments.len())?;
        self.push(code, 0, NOWHERE, CallKind::Static, None)?;
        for (register, value) in self.stack.iter_mut().zip(arguments.drain(..)) {
            *register = value;
        }
        if arguments.capacity() <= KEPT_FRAMES {
            SPARE_ARGUMENTS.replace(arguments);
        }
        loop {
            match memory::catching(|| self.advance()) {
                Ok(None) => {}
                Ok(Some(result)) => return Ok(result),
                Err(fault) => {
                    let fault = self.named(fault);
                    self.unwind(fault)?;
                }
            }
        }
    }

    /// A mistake of ours with the operator in which it showed.
    fn named(&self, fault: Fault) -> Fault {
        if fault.class() != ErrorClass::Internal {
            return fault;
        }
        let Some(frame) = self.frames.last() else {
            return fault;
        };
        match frame.code.operator_at(frame.next.saturating_sub(1)) {
            Some(operator) => operator.named_in(fault),
            None => fault,
        }
    }

    /// Runs the innermost frame up to its next call or return.
    fn advance(&mut self) -> Result<Option<Value>> {
        if self.around.is_some() {
            profile::called_from(&self.places(0));
        }
        let Some(frame) = self.frames.last_mut() else {
            return Err(no_frame());
        };
        let end = frame.base + frame.code.frame as usize;
        let registers = &mut self.stack[frame.base..end];
        let mut may_enter = frame.next == 0 || frame.code.hot.has_machine_code();
        let step = loop {
            if may_enter {
                hot::run(
                    self.runtime,
                    &frame.code,
                    &mut frame.next,
                    registers,
                    self.context,
                    &mut self.limiter,
                )?;
            }
            match execute(
                &frame.code,
                &mut frame.next,
                registers,
                self.context,
                &mut self.limiter,
            )? {
                Stopped::Hot => may_enter = true,
                step => break step,
            }
        };
        match step {
            Stopped::Hot => {}
            Stopped::Call(call) => self.call(call as usize)?,
            Stopped::Return(value) => return Ok(self.finish(value)),
            Stopped::Extended(number) => self.extended(number)?,
        }
        Ok(None)
    }

    /// Makes a frame whose registers start at `base`.
    fn push(
        &mut self,
        code: Arc<Code>,
        base: usize,
        target: Reg,
        kind: CallKind,
        future: Option<Arc<Future>>,
    ) -> Result<()> {
        if self.frames.len() >= self.limiter.depth() {
            return Err(Fault::runtime(format!(
                "maximum recursion depth exceeded: script calls are nested more than {} deep",
                self.limiter.depth()
            )));
        }
        let end = base + code.frame as usize;
        if self.stack.len() < end {
            self.stack.resize(end, Value::None);
        }
        for &(register, constant) in &code.preloaded {
            self.stack[base + register as usize] = code.constants[constant as usize].clone();
        }
        self.limiter.enter(&code);
        let autocast = future.as_ref().map(|_| {
            let host = modes::current().autocast.host;
            modes::set_autocast(Autocast::by_host(host))
        });
        self.frames.push(Frame {
            autocast,
            code,
            next: 0,
            base,
            target,
            kind,
            future,
        });
        Ok(())
    }

    /// Performs a call instruction of the innermost frame.
    fn call(&mut self, number: usize) -> Result<()> {
        if self.limiter.fuel < 0 {
            self.limiter.look()?;
        }
        let Some(frame) = self.frames.last() else {
            return Err(no_frame());
        };
        let call = &frame.code.calls[number];
        let operands = call.arguments.of(&frame.code.operands);
        let base = frame.base;
        let top = base + frame.code.frame as usize;
        let registers = &self.stack[base..top];
        let first = operands.first();
        let first = first.map(|o| execute::peek(*o, registers, &frame.code.constants));
        let target = resolve(self.runtime, &call.callee, first, &frame.code.unit)?;
        // A function value is not an argument of itself.
        let skipped = usize::from(matches!(call.callee, Callee::Value));
        let operands = &operands[skipped..];
        let code = match target {
            Resolved::Code(code) => code,
            Resolved::Host(function) => {
                let arguments = gather(frame, operands, &mut self.stack);
                let target = call.target;
                let value = function.invoke(self.context, arguments)?;
                self.store(target, value);
                return Ok(());
            }
        };
        check_count(&code, operands.len())?;
        let (target, kind) = (call.target, call.kind);
        let future = call.future.clone().map(Future::new);
        if let Some(future) = &future
            && let Some(context) = self.shared_context()
        {
            let work = Work {
                code,
                arguments: gather(frame, operands, &mut self.stack),
                context,
                modes: modes::current().unwatched(),
                watch: watch::handle(),
                unit: frame.code.unit.upgrade(),
            };
            self.submit(future, work);
            self.store(target, Value::Future(future.clone()));
            return Ok(());
        }
        let end = top + code.frame as usize;
        if self.stack.len() < end {
            self.stack.resize(end, Value::None);
        }
        let (below, above) = self.stack.split_at_mut(top);
        for (slot, operand) in above.iter_mut().zip(operands) {
            *slot = read(*operand, &mut below[base..], &frame.code.constants);
        }
        self.push(code, top, target, kind, future)
    }

    /// Leaves a forked task to the pool.
    fn submit(&self, future: &Arc<Future>, work: Work) {
        let task = Task::new(self.runtime, future, work);
        if !self.runtime.pool().submit(task.clone()) {
            task.run();
        }
    }

    /// Writes a register of the innermost frame.
    fn store(&mut self, target: Reg, value: Value) {
        if let (Some(frame), true) = (self.frames.last(), target != NOWHERE) {
            self.stack[frame.base + target as usize] = value;
        }
    }

    /// The context as other threads may hold it, if forks are to run on other threads at all.
    fn shared_context(&self) -> Option<Arc<Context>> {
        if self.runtime.pool().threads() == 0 {
            return None;
        }
        self.context.handle()
    }

    /// Leaves the innermost frame with a result; `Some` when it was the outermost.
    fn finish(&mut self, value: Value) -> Option<Value> {
        let frame = self.frames.pop()?;
        frame.autocast.map(modes::set_autocast);
        let value = match frame.future {
            None => value,
            Some(future) => {
                // Only the frame that runs the task completes the future.
                let _ = future.complete(Ok(value.clone()));
                match frame.kind {
                    CallKind::Join => value,
                    _ => Value::Future(future),
                }
            }
        };
        if self.frames.is_empty() {
            return Some(value);
        }
        self.store(frame.target, value);
        None
    }

    /// The instructions that concern more than the registers of one frame.
    fn extended(&mut self, number: u32) -> Result<()> {
        let depth = self.frames.len();
        let Some(frame) = self.frames.last() else {
            return Err(no_frame());
        };
        let code = &frame.code;
        let end = frame.base + code.frame as usize;
        let registers = &mut self.stack[frame.base..end];
        let mut store = None;
        match &code.extended[number as usize] {
            Extended::Entered {
                object,
                autocast: is_autocast,
                ..
            } => {
                let object = read(*object, registers, &code.constants);
                let before = is_autocast.then(|| autocast::enter(&object)).transpose()?;
                self.entered.push(Entered {
                    depth,
                    object,
                    instruction: number,
                    autocast: before,
                });
            }
            Extended::Exited => {
                if let Some(entered) = self.entered.pop_if(|e| e.depth == depth) {
                    entered.autocast.map(modes::set_autocast);
                }
            }
            Extended::Wait { future, target } => {
                let (future, target) = (read(*future, registers, &code.constants), *target);
                return self.wait(future, target);
            }
            Extended::Warn { message, place } => {
                let message = read(*message, registers, &code.constants);
                if place.as_ref().is_none_or(|p| !self.warned.contains(p)) {
                    self.warned.extend(place.clone());
                    let place = place.as_ref().map(|span| Place {
                        file: span.source().name().to_string(),
                        line: span.line() as usize,
                    });
                    warn(self.context, message.as_str()?, place)?;
                }
            }
            Extended::Closure {
                code: closure,
                target,
            } => {
                let function = self.runtime.closure(closure.clone());
                store = Some((*target, Value::Function(Arc::new(function))));
            }
            Extended::Awaitable {
                code: closure,
                arguments,
                ty,
                target,
            } => {
                let arguments = arguments
                    .of(&code.operands)
                    .iter()
                    .map(|o| read(*o, registers, &code.constants))
                    .collect();
                let function = self.runtime.closure(closure.clone());
                let later = Await::new(ty.clone(), function, arguments);
                store = Some((*target, Value::Await(later)));
            }
            _ => return Err(Fault::internal("an instruction went to the wrong place")),
        }
        if let Some((target, value)) = store {
            registers[target as usize] = value;
        }
        Ok(())
    }

    /// Waits for a future; runs its task here if nobody has begun it.
    fn wait(&mut self, future: Value, target: Reg) -> Result<()> {
        let Value::Future(future) = future else {
            return Err(Fault::internal(format!(
                "cannot wait for {}",
                future.type_of()
            )));
        };
        let task = future.task().and_then(|t| t.downcast_ref::<Task>());
        let Some(frame) = self.frames.last() else {
            return Err(no_frame());
        };
        if let Some(work) = task.and_then(Task::begin) {
            let base = frame.base + frame.code.frame as usize;
            self.push(work.code, base, target, CallKind::Join, Some(future))?;
            for (register, value) in self.stack[base..].iter_mut().zip(work.arguments) {
                *register = value;
            }
            return Ok(());
        }
        let base = frame.base;
        let value = future.wait().map_err(fault_of_wait)?;
        self.stack[base + target as usize] = value;
        Ok(())
    }
}

impl Drop for Machine<'_> {
    fn drop(&mut self) {
        RUNNING.set(RUNNING.get() - 1);
        if self.stack.len() <= KEPT_STACK {
            SPARE.replace(std::mem::take(&mut self.stack));
        }
        if self.frames.is_empty() && self.frames.capacity() <= KEPT_FRAMES {
            SPARE_FRAMES.replace(std::mem::take(&mut self.frames));
        }
    }
}

#[cold]
fn no_frame() -> Fault {
    Fault::internal("the interpreter has no frame")
}

/// The values of operands of a frame.
fn gather(frame: &Frame, operands: &[Operand], stack: &mut [Value]) -> Vec<Value> {
    let end = frame.base + frame.code.frame as usize;
    let registers = &mut stack[frame.base..end];
    operands
        .iter()
        .map(|o| read(*o, registers, &frame.code.constants))
        .collect()
}

fn check_count(code: &Code, given: usize) -> Result<()> {
    if given == code.parameters as usize {
        return Ok(());
    }
    Err(Fault::internal(format!(
        "{} takes {} arguments but was called with {given}",
        code.name, code.parameters
    )))
}
