//! Where scripts stand, for an observer that measures ([`rushlight_types::Layer::Profile`]).
//!
//! While that layer is off when a run begins, nothing is done for its calls of operators, and a flag is looked at for those
//! of scripts.

use crate::backtrace::{Place, ScriptFrame, frames_at};
use crate::code::Code;
use rushlight_types::{Context, Layer};
use std::cell::RefCell;

/// Of deeper stacks, the outermost calls are shown.
const DEEPEST: usize = 64;

thread_local! {
    /// The calls around the frame that runs, outermost first.
    static CALLERS: RefCell<Vec<ScriptFrame>> = const { RefCell::new(Vec::new()) };
    /// The frame that runs, with the calls inlined into it.
    static HERE: RefCell<Vec<ScriptFrame>> = const { RefCell::new(Vec::new()) };
}

/// The calls around the operator that this thread runs, outermost first; the last is where the operator stands. For
/// observers of [`Layer::Profile`], during the call.
pub fn standing() -> Vec<ScriptFrame> {
    let mut frames = CALLERS.with_borrow(Clone::clone);
    HERE.with_borrow(|here| frames.extend_from_slice(here));
    frames
}

/// Where the script around a run stands, to be put back when the run ends.
pub(crate) struct Around {
    callers: Vec<ScriptFrame>,
    here: Vec<ScriptFrame>,
}

impl Around {
    /// Takes it away for a run.
    #[cold]
    pub fn take() -> Around {
        Around {
            callers: CALLERS.take(),
            here: HERE.take(),
        }
    }
}

impl Drop for Around {
    fn drop(&mut self) {
        CALLERS.set(std::mem::take(&mut self.callers));
        HERE.set(std::mem::take(&mut self.here));
    }
}

/// Whether this thread is being measured.
#[inline(always)]
pub(crate) fn is_on(context: &Context) -> bool {
    context.layers() & Layer::Profile as u8 != 0
}

/// Remembers the frames around the innermost of these.
#[cold]
pub(crate) fn called_from(places: &[Place<'_>]) {
    let callers = places.len().saturating_sub(1).min(DEEPEST);
    let frames = places[..callers].iter().flat_map(frames_at).collect();
    CALLERS.set(frames);
}

/// Remembers the instruction that calls an operator.
#[cold]
pub(crate) fn stand(code: &Code, insn: usize, context: &Context) {
    if is_on(context) {
        HERE.set(frames_at(&Place {
            code,
            insn,
            is_dynamic: false,
        }));
    }
}
