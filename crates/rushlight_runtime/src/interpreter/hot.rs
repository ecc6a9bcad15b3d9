//! Machine code in place of the inner loop.

use super::execute;
use crate::Runtime;
use crate::code::Code;
use crate::limits::Meter;
use crate::machine_code::{Host, Left};
use rushlight_tensor::memory;
use rushlight_types::{Context, Fault, Result, Value};

/// Runs the machine code of a function that is hot, from the instruction `next` on. `next` is left where the interpreter is
/// to go on, or behind the instruction that failed.
pub(super) fn run(
    runtime: &Runtime,
    code: &Code,
    next: &mut usize,
    frame: &mut [Value],
    context: &Context,
    meter: &mut Meter,
) -> Result<()> {
    if !code.hot.rises(code.insns.len() as u32, meter.patience) {
        return Ok(());
    }
    let Some(machine_code) = code.hot.machine_code(code, runtime.compiler()) else {
        return Ok(());
    };
    let mut helper = Helper {
        code,
        context,
        fault: None,
    };
    match machine_code.run(code, *next, frame, &mut meter.fuel, &mut helper) {
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
    fault: Option<Fault>,
}

impl Host for Helper<'_> {
    fn perform(&mut self, insn: usize, frame: &mut [Value]) -> bool {
        // Nothing may unwind through machine code.
        let done = memory::catching(|| execute::perform(self.code, insn, frame, self.context));
        self.fault = done.err();
        self.fault.is_none()
    }
}
