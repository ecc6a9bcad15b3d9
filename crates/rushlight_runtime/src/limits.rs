//! How far a run may go: instructions and depth of calls. Time, memory and being asked to stop are for
//! [`rushlight_tensor::watch`], which also keeps the instructions that a run and its forks have left.
//!
//! The interpreter counts one number down, at jumps back and at calls; the watch is looked at when that number has run
//! out, and after operators when it wants to be.

use crate::code::Code;
use rushlight_tensor::watch;
use rushlight_types::{Context, Fault, Result};

/// The depth of calls when no other has been set.
pub const DEFAULT_DEPTH: usize = 10_000;

/// Instructions between two looks.
const SLICE: u64 = 1 << 14;

/// What one run has used up.
pub(crate) struct Limiter {
    /// Instructions left until the next look.
    pub fuel: i64,
    depth: usize,
    /// How many instructions of a function are interpreted before machine code is made of it.
    pub patience: u32,
}

impl Limiter {
    pub fn new(context: &Context, patience: u32) -> Limiter {
        Limiter {
            // The first slice is taken from the watch when it has been used.
            fuel: 0,
            depth: match context.limits().depth {
                0 => DEFAULT_DEPTH,
                depth => depth as usize,
            },
            patience,
        }
    }

    /// The most frames that may be alive.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Looks at everything, because the fuel has run out.
    #[cold]
    pub fn look(&mut self) -> Result<()> {
        watch::look()?;
        while self.fuel < 0 {
            let slice = watch::take_instructions(SLICE);
            if slice == 0 {
                return Err(Fault::runtime(format!(
                    "the program was stopped after {} instructions",
                    watch::given_instructions()
                )));
            }
            self.fuel += slice as i64;
        }
        Ok(())
    }

    /// What entering a function costs.
    #[inline(always)]
    pub fn enter(&mut self, code: &Code) {
        self.fuel -= code.insns.len() as i64;
    }
}
