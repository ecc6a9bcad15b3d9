//! The interpreter: frames over one stack of registers.
//!
//! A script call pushes a frame; nothing recurses on the native stack except host functions that call scripts again,
//! and how deep those may nest is bounded. Between calls of scripts the inner loop ([`execute`]) sees one frame's
//! registers as a slice. When a frame returns, its registers hold nothing that needs dropping: the lowering has dropped
//! or moved every value at its last use. Only a fault leaves values behind, and then the frame is cleared.

mod execute;
mod other;
mod scalar;

use crate::Runtime;
use crate::backtrace::{Place, attach, error_text};
use crate::callee::{CachedMethod, Callee};
use crate::code::{CallKind, Code, NOWHERE, Other, Reg};
use crate::future::{Task, Work};
use crate::limits::Meter;
use crate::lower::class_of;
use crate::pool::Job;
use execute::{Step, execute, read};
use rushlight_ir::{Function, Unit};
use rushlight_types::{Await, Callable, Context, Fault, Future, Result, Type, Value};
use std::cell::{Cell, RefCell};
use std::sync::{Arc, Weak};

/// How deep host functions and scripts may call one another.
const MAX_REENTRY: usize = 200;

/// Stacks longer than this are not kept for the next run.
const KEPT_STACK: usize = 1 << 16;

thread_local! {
    static RUNNING: Cell<usize> = const { Cell::new(0) };
    /// The stack of the last run, so that a call need not allocate one.
    static SPARE: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
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
}

/// An object whose `__exit__` must run if a fault leaves the frame.
struct Entered {
    depth: usize,
    object: Value,
    /// The entry of `Code::others` that knows the method.
    other: u32,
}

/// One run.
pub(crate) struct Machine<'c> {
    runtime: &'c Runtime,
    context: &'c Context,
    stack: Vec<Value>,
    frames: Vec<Frame>,
    entered: Vec<Entered>,
    meter: Meter,
}

/// What a call instruction has turned out to call.
enum Target {
    Code(Arc<Code>),
    Host(Arc<dyn Callable>),
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
            frames: Vec::new(),
            entered: Vec::new(),
            meter: Meter::new(context),
        })
    }

    /// Runs code on arguments.
    pub fn run(mut self, code: Arc<Code>, arguments: Vec<Value>) -> Result<Value> {
        check_count(&code, arguments.len())?;
        self.push(code, 0, NOWHERE, CallKind::Static, None)?;
        for (register, value) in self.stack.iter_mut().zip(arguments) {
            *register = value;
        }
        loop {
            match self.advance() {
                Ok(None) => {}
                Ok(Some(result)) => return Ok(result),
                Err(fault) => self.unwind(fault)?,
            }
        }
    }

    /// Runs the innermost frame up to its next call or return.
    fn advance(&mut self) -> Result<Option<Value>> {
        let Some(frame) = self.frames.last_mut() else {
            return Err(Fault::internal("the interpreter has no frame"));
        };
        let end = frame.base + frame.code.frame as usize;
        let registers = &mut self.stack[frame.base..end];
        match execute(
            &frame.code,
            &mut frame.next,
            registers,
            self.context,
            &mut self.meter,
        )? {
            Step::Call(call) => self.call(call as usize)?,
            Step::Return(value) => return Ok(self.finish(value)),
            Step::Other(other) => self.other(other)?,
            Step::Watch(call) => self.watch(call as usize)?,
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
        if self.frames.len() >= self.meter.depth() {
            return Err(Fault::runtime(format!(
                "maximum recursion depth exceeded: script calls are nested more than {} deep",
                self.meter.depth()
            )));
        }
        let end = base + code.frame as usize;
        if self.stack.len() < end {
            self.stack.resize(end, Value::None);
        }
        for &(register, constant) in &code.preloaded {
            self.stack[base + register as usize] = code.constants[constant as usize].clone();
        }
        self.meter.enter(&code);
        self.frames.push(Frame {
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
        if self.meter.fuel < 0 {
            self.meter.look(self.context)?;
        }
        let Some(frame) = self.frames.last() else {
            return Err(Fault::internal("the interpreter has no frame"));
        };
        let call = &frame.code.calls[number];
        let operands = call.arguments.of(&frame.code.operands);
        let base = frame.base;
        let top = base + frame.code.frame as usize;
        let target = {
            let registers = &self.stack[base..top];
            let first = operands
                .first()
                .map(|o| execute::peek(*o, registers, &frame.code.constants));
            resolve(self.runtime, &call.callee, first, &frame.code.unit)?
        };
        let skipped = usize::from(matches!(call.callee, Callee::Value));
        let operands = &operands[skipped..];
        if let (CallKind::Fork, Target::Code(code)) = (call.kind, &target) {
            if let Some(context) = self.shared_context() {
                check_count(code, operands.len())?;
                let registers = &mut self.stack[base..top];
                let arguments = operands
                    .iter()
                    .map(|o| read(*o, registers, &frame.code.constants))
                    .collect();
                let work = Work {
                    code: code.clone(),
                    arguments,
                    context,
                    unit: frame.code.unit.upgrade(),
                };
                let future = Future::new(call.future.clone().unwrap_or(Type::Any));
                let task = Task::new(self.runtime, &future, work);
                if !self.runtime.pool().submit(task.clone()) {
                    task.run();
                }
                if call.target != NOWHERE {
                    self.stack[base + call.target as usize] = Value::Future(future);
                }
                return Ok(());
            }
        }
        match target {
            Target::Code(code) => {
                check_count(&code, operands.len())?;
                let (kind, future) = (call.kind, call.future.clone().map(Future::new));
                let end = top + code.frame as usize;
                if self.stack.len() < end {
                    self.stack.resize(end, Value::None);
                }
                let (below, above) = self.stack.split_at_mut(top);
                for (slot, operand) in above.iter_mut().zip(operands) {
                    *slot = read(*operand, &mut below[base..], &frame.code.constants);
                }
                let result = call.target;
                self.push(code, top, result, kind, future)
            }
            Target::Host(function) => {
                let registers = &mut self.stack[base..top];
                let arguments = operands
                    .iter()
                    .map(|o| read(*o, registers, &frame.code.constants))
                    .collect();
                let value = function.invoke(self.context, arguments)?;
                if call.target != NOWHERE {
                    self.stack[base + call.target as usize] = value;
                }
                Ok(())
            }
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
        let Some(caller) = self.frames.last() else {
            return Some(value);
        };
        if frame.target != NOWHERE {
            self.stack[caller.base + frame.target as usize] = value;
        }
        None
    }

    /// Gives a fault its place and leaves frames: all of them, or those above the nearest fork, whose future it becomes.
    /// Where the task is being waited for, the fault goes on from there as that of the wait.
    fn unwind(&mut self, mut fault: Fault) -> Result<()> {
        loop {
            let is_task = |f: &Frame| matches!(f.kind, CallKind::Fork | CallKind::Join);
            let bottom = self.frames.iter().rposition(is_task).unwrap_or(0);
            fault = attach(fault, &self.places(bottom));
            let task = self.clear_frames(bottom);
            match task {
                None => return Err(fault),
                Some((future, target, kind)) => {
                    let _ = future.complete(Err(fault.clone()));
                    if kind == CallKind::Join {
                        fault = fault_of_wait(fault);
                        continue;
                    }
                    if let (Some(caller), true) = (self.frames.last(), target != NOWHERE) {
                        self.stack[caller.base + target as usize] = Value::Future(future);
                    }
                    return Ok(());
                }
            }
        }
    }

    /// Where the frames from `bottom` on stand.
    fn places(&self, bottom: usize) -> Vec<Place<'_>> {
        self.frames[bottom..]
            .iter()
            .map(|f| Place {
                code: &f.code,
                insn: f.next.saturating_sub(1),
                is_dynamic: f.kind == CallKind::Dynamic,
            })
            .collect()
    }

    /// Leaves the frames from `bottom` on; returns what the last of them was to complete.
    fn clear_frames(&mut self, bottom: usize) -> Option<(Arc<Future>, Reg, CallKind)> {
        let mut task = None;
        while self.frames.len() > bottom {
            self.exit_entered();
            let Some(frame) = self.frames.pop() else {
                break;
            };
            let end = frame.base + frame.code.frame as usize;
            self.stack[frame.base..end].fill(Value::None);
            task = frame.future.map(|f| (f, frame.target, frame.kind));
        }
        task
    }

    /// Runs `__exit__` of what the innermost frame has entered, as a `with` statement promises. Faults of these calls
    /// give way to the fault that is on its way already.
    fn exit_entered(&mut self) {
        let depth = self.frames.len();
        while let Some(entered) = self.entered.pop_if(|e| e.depth >= depth) {
            let Some(frame) = self.frames.last() else {
                return;
            };
            let Some(Other::Entered { exit, .. }) = frame.code.others.get(entered.other as usize)
            else {
                return;
            };
            let target = resolve(self.runtime, exit, Some(&entered.object), &frame.code.unit);
            let arguments = vec![entered.object, Value::None, Value::None, Value::None];
            let _ = match target {
                Ok(Target::Code(code)) => self.runtime.run_code(&code, self.context, arguments),
                Ok(Target::Host(function)) => function.invoke(self.context, arguments),
                Err(fault) => Err(fault),
            };
        }
    }

    /// The instructions that concern more than the registers of one frame.
    fn other(&mut self, number: u32) -> Result<()> {
        let depth = self.frames.len();
        let Some(frame) = self.frames.last() else {
            return Err(Fault::internal("the interpreter has no frame"));
        };
        let code = &frame.code;
        let end = frame.base + code.frame as usize;
        let registers = &mut self.stack[frame.base..end];
        let mut store = None;
        match &code.others[number as usize] {
            Other::Entered { object, .. } => self.entered.push(Entered {
                depth,
                object: read(*object, registers, &code.constants),
                other: number,
            }),
            Other::Exited => {
                self.entered.pop_if(|e| e.depth == depth);
            }
            Other::Wait { future, target } => {
                let (future, target) = (read(*future, registers, &code.constants), *target);
                return self.wait(future, target);
            }
            Other::Closure {
                code: closure,
                target,
            } => {
                let function = self.runtime.closure(closure.clone());
                store = Some((*target, Value::Function(Arc::new(function))));
            }
            Other::Awaitable {
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
            return Err(Fault::internal("the interpreter has no frame"));
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

    /// Lets the meter see what an operator call has made.
    fn watch(&mut self, number: usize) -> Result<()> {
        let Some(frame) = self.frames.last() else {
            return Err(Fault::internal("the interpreter has no frame"));
        };
        let end = frame.base + frame.code.frame as usize;
        let made: Vec<&Value> = frame.code.operators[number]
            .results
            .of(&frame.code.targets)
            .iter()
            .filter(|t| **t != NOWHERE)
            .map(|t| &self.stack[frame.base + *t as usize])
            .collect();
        self.meter.watch(self.context, &made, &self.stack[..end])
    }
}

impl Drop for Machine<'_> {
    fn drop(&mut self) {
        RUNNING.set(RUNNING.get() - 1);
        if self.stack.len() <= KEPT_STACK {
            SPARE.replace(std::mem::take(&mut self.stack));
        }
    }
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

/// The fault of a task as that of waiting for it: its whole text is the message, as the reference reports it.
fn fault_of_wait(fault: Fault) -> Fault {
    match fault.trace() {
        Some(_) => Fault::runtime(error_text(&fault)),
        None => fault,
    }
}

/// Finds what a call calls. `first` is its first argument.
fn resolve(
    runtime: &Runtime,
    callee: &Callee,
    first: Option<&Value>,
    unit: &Weak<Unit>,
) -> Result<Target> {
    match callee {
        Callee::Script {
            function,
            name,
            code,
        } => {
            if let Some(code) = code.get().and_then(Weak::upgrade) {
                return Ok(Target::Code(code));
            }
            let function = function
                .upgrade()
                .ok_or_else(|| Fault::internal(format!("{name} is gone")))?;
            let found = runtime.code(&function)?;
            let _ = code.set(Arc::downgrade(&found));
            Ok(Target::Code(found))
        }
        Callee::Graph(code) => Ok(Target::Code(code.clone())),
        Callee::Foreign(function) => Ok(Target::Host(function.clone())),
        Callee::Method { name, cache } => {
            let object = first.ok_or_else(|| Fault::internal("a method call without an object"))?;
            let class = class_of(object)?;
            if let Some(known) = cache.get().filter(|c| Arc::ptr_eq(&c.class, class)) {
                if let Some(code) = known.code.upgrade() {
                    return Ok(Target::Code(code));
                }
            }
            let function = unit
                .upgrade()
                .and_then(|u| u.method(class, name))
                .ok_or_else(|| Fault::runtime(format!("{} has no method {name}", class.name())))?;
            let code = runtime.code(&function)?;
            let _ = cache.set(CachedMethod {
                class: class.clone(),
                code: Arc::downgrade(&code),
            });
            Ok(Target::Code(code))
        }
        Callee::Value => match first {
            Some(Value::Function(function)) => match function.as_any().downcast_ref::<Function>() {
                Some(script) => runtime.code(script).map(Target::Code),
                None => Ok(Target::Host((**function).clone())),
            },
            _ => Err(Fault::runtime("what is called is not a function")),
        },
    }
}
