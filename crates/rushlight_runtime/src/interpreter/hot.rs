//! Machine code in place of the inner loop.

use super::{execute, quick};
use crate::Runtime;
use crate::code::Code;
use crate::limits::Limiter;
use crate::machine_code::{Host, Left};
use rushlight_tensor::memory;
use rushlight_types::{Context, Fault, Result, Value};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Runs the machine code of a function that is hot, from the instruction `next` on. `next` is left where the interpreter is
/// to go on, or behind the instruction that failed.
pub(super) fn run(
    runtime: &Runtime,
    code: &Code,
    next: &mut usize,
    frame: &mut [Value],
    context: &Context,
    limiter: &mut Limiter,
) -> Result<()> {
    if !code.hot.rises(code.insns.len() as u32, limiter.patience) {
        return Ok(());
    }
    let Some(machine_code) = code.hot.machine_code(code, runtime.compiler()) else {
        return Ok(());
    };
    let mut helper = Helper {
        code,
        context,
        is_watched: context.is_watched(),
        fault: None,
    };
    match machine_code.run(code, *next, frame, &mut limiter.fuel, &mut helper) {
        Left::At(insn) => {
            *next = insn;
            Ok(())
        }
        Left::Fault(insn) => {
            *next = insn + 1;
            Err(helper
                .fault
                .unwrap_or_else(|| Fault::internal("machine code failed without a fault")))
        }
    }
}

/// Performs what machine code does not do itself.
struct Helper<'a> {
    code: &'a Code,
    context: &'a Context,
    /// Whether somebody sees every call, which instructions may change.
    is_watched: bool,
    fault: Option<Fault>,
}

impl Host for Helper<'_> {
    fn perform_quickly(&mut self, insn: usize, frame: &mut [Value]) -> Option<bool> {
        if self.is_watched {
            return None;
        }
        // Nothing may unwind through machine code.
        let work = AssertUnwindSafe(|| quick::perform_quickly(self.code, insn, frame));
        let done =
            catch_unwind(work).unwrap_or_else(|cause| memory::catching(|| resume_unwind(cause)));
        match done {
            Ok(is_done) => is_done.then_some(true),
            Err(fault) => {
                self.fault = Some(fault);
                Some(false)
            }
        }
    }

    fn group(&mut self, number: usize, frame: &mut [Value], is_short: bool) -> Option<bool> {
        let group = &self.code.groups[number];
        // Nothing may unwind through machine code.
        match memory::catching(|| Ok(group.run(frame, self.context, is_short))) {
            Ok(is_done) => is_done.then_some(true),
            Err(fault) => {
                self.fault = Some(fault);
                Some(false)
            }
        }
    }

    fn is_watched(&self) -> bool {
        self.is_watched
    }

    fn perform(&mut self, insn: usize, frame: &mut [Value]) -> bool {
        // Nothing may unwind through machine code.
        let done = memory::catching(|| execute::perform(self.code, insn, frame, self.context));
        self.is_watched = self.context.is_watched();
        self.fault = done.err();
        self.fault.is_none()
    }
}
