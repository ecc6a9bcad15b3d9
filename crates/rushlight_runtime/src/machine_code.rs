//! Machine code as the interpreter sees it: who makes it, how it is entered, and how it is left.
//!
//! Machine code runs the instructions of one frame, as the inner loop of the interpreter does, and does all that it does
//! not do itself in one of two ways: it asks its [`Host`] to perform one instruction on the registers of the frame, or it
//! leaves, with every register as the interpreter would have it, and the interpreter goes on there. So calls, errors and
//! limits are the interpreter's own, and machine code may be entered and left at many places.

use crate::code::Code;
use rushlight_types::Value;

/// Makes machine code.
pub trait Compiler: Send + Sync {
    /// Machine code for a function; `None` where there is no gain in it or no way.
    fn compile(&self, code: &Code) -> Option<Box<dyn MachineCode>>;

    /// How many instructions of a function are interpreted before it is compiled, for every sixteen that it has.
    fn patience(&self) -> u32;
}

/// The machine code of one function.
pub trait MachineCode: Send + Sync {
    /// Runs from an instruction on. The registers hold what the interpreter would have in them, before and after. Where the
    /// instruction is no place to enter at, nothing happens.
    ///
    /// `fuel` is what [`crate`] counts down at jumps back.
    fn run(
        &self,
        code: &Code,
        at: usize,
        frame: &mut [Value],
        fuel: &mut i64,
        host: &mut dyn Host,
    ) -> Left;
}

/// How machine code was left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Left {
    /// The interpreter goes on with this instruction.
    At(usize),
    /// The host could not perform this instruction and keeps the fault.
    Fault(usize),
}

/// What machine code asks for.
pub trait Host {
    /// Performs an instruction as [`Host::perform`] does if nothing in it can wait for a list or run anybody's code; `None`,
    /// and nothing done, where it may.
    fn perform_quickly(&mut self, insn: usize, frame: &mut [Value]) -> Option<bool>;

    /// Does an entry of [`Code::groups`]: `None`, and nothing done, where its instructions have to be performed, which is so
    /// of long ones where `is_short` asks for short ones; `false` if there was a fault.
    fn group(&mut self, number: usize, frame: &mut [Value], is_short: bool) -> Option<bool>;

    /// Whether somebody sees every call, which instructions may change.
    fn is_watched(&self) -> bool;

    /// Performs an instruction that neither jumps nor calls; `false` if there was a fault.
    fn perform(&mut self, insn: usize, frame: &mut [Value]) -> bool;
}

/// How hot a function has become, and its machine code.
pub(crate) struct Hot {
    /// Instructions run so far, about; [`DECLINED`] where there will be no machine code.
    heat: std::sync::atomic::AtomicU32,
    /// How much longer than a short function this one is.
    weight: u32,
    code: std::sync::OnceLock<Option<Box<dyn MachineCode>>>,
}

const DECLINED: u32 = u32::MAX;

impl Hot {
    /// For a function of so many instructions.
    pub fn new(instructions: usize) -> Hot {
        Hot {
            weight: 1 + (instructions / 16).min(1 << 16) as u32,
            heat: std::sync::atomic::AtomicU32::new(0),
            code: std::sync::OnceLock::new(),
        }
    }

    /// Counts instructions; whether there are so many that machine code should run. Threads that count at once may count
    /// less, which does not matter.
    #[inline(always)]
    pub fn rises(&self, instructions: u32, patience: u32) -> bool {
        use std::sync::atomic::Ordering::Relaxed;
        let heat = self.heat.load(Relaxed);
        let patience = patience.saturating_mul(self.weight);
        if heat < patience {
            self.heat
                .store(heat.saturating_add(instructions).min(patience), Relaxed);
            return false;
        }
        heat != DECLINED
    }

    /// Whether machine code has been made.
    #[inline]
    pub fn has_machine_code(&self) -> bool {
        matches!(self.code.get(), Some(Some(_)))
    }

    /// The machine code, made now if it has not been.
    pub fn machine_code(
        &self,
        code: &Code,
        compiler: Option<&'static dyn Compiler>,
    ) -> Option<&dyn MachineCode> {
        let made = self.code.get_or_init(|| compiler?.compile(code));
        if made.is_none() {
            self.heat
                .store(DECLINED, std::sync::atomic::Ordering::Relaxed);
        }
        made.as_deref()
    }
}
