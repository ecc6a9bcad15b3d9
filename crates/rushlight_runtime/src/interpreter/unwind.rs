//! Faults on their way out: places, `__exit__` of what was entered, the boundaries of forked tasks.

use super::resolve::{Resolved, resolve};
use super::{Frame, Machine};
use crate::backtrace::{Place, attach, error_text};
use crate::code::{CallKind, Extended, NOWHERE, Reg};
use rushlight_types::modes;
use rushlight_types::{Fault, Future, Result, Value};
use std::sync::Arc;

impl Machine<'_> {
    /// Gives a fault its place and leaves frames: all of them, or those above the nearest fork, whose future it becomes.
    /// Where the task is being waited for, the fault goes on from there as that of the wait.
    pub(super) fn unwind(&mut self, mut fault: Fault) -> Result<()> {
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
    pub(super) fn places(&self, bottom: usize) -> Vec<Place<'_>> {
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
            frame.autocast.map(modes::set_autocast);
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
            entered.autocast.map(modes::set_autocast);
            let Some(frame) = self.frames.last() else {
                return;
            };
            let Some(Extended::Entered { exit, .. }) =
                frame.code.extended.get(entered.instruction as usize)
            else {
                return;
            };
            let target = resolve(self.runtime, exit, Some(&entered.object), &frame.code.unit);
            let arguments = vec![entered.object, Value::None, Value::None, Value::None];
            let _ = match target {
                Ok(Resolved::Code(code)) => self.runtime.run_code(&code, self.context, arguments),
                Ok(Resolved::Host(function)) => function.invoke(self.context, arguments),
                Err(fault) => Err(fault),
            };
        }
    }
}

/// The fault of a task as that of waiting for it: its whole text is the message, as the reference reports it.
pub(super) fn fault_of_wait(fault: Fault) -> Fault {
    match fault.trace() {
        Some(_) => Fault::runtime(error_text(&fault)),
        None => fault,
    }
}
