//! How far a run may go: instructions, depth of calls, time, memory, and being asked to stop.
//!
//! The interpreter counts one number down, at jumps back and at calls; everything else is looked at when that number
//! has run out.

use crate::code::Code;
use rushlight_types::{Context, Fault, Limits, Result, Value};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// The depth of calls when no other has been set.
pub const DEFAULT_DEPTH: usize = 10_000;

/// Instructions between two looks at the clock and at the wish to stop.
const SLICE: i64 = 1 << 16;

/// What one run has used up.
pub(crate) struct Meter {
    /// Instructions left until the next look.
    pub fuel: i64,
    /// Instructions left after this slice; `None` without a limit.
    left: Option<u64>,
    limits: Limits,
    deadline: Option<Instant>,
    /// Whether operator calls have to be watched one by one.
    pub watches_calls: bool,
    /// Bytes of the tensors made since memory was last looked at.
    made: u64,
}

impl Meter {
    pub fn new(context: &Context) -> Meter {
        let limits = context.limits();
        let deadline =
            (limits.millis > 0).then(|| Instant::now() + Duration::from_millis(limits.millis));
        let mut meter = Meter {
            fuel: 0,
            left: (limits.instructions > 0).then_some(limits.instructions),
            limits,
            deadline,
            watches_calls: deadline.is_some() || limits.bytes > 0,
            made: 0,
        };
        meter.refill();
        meter
    }

    fn refill(&mut self) {
        let slice = match &mut self.left {
            None => SLICE,
            Some(left) => {
                let slice = (*left).min(SLICE as u64);
                *left -= slice;
                slice as i64
            }
        };
        self.fuel += slice;
    }

    /// The most frames that may be alive.
    pub fn depth(&self) -> usize {
        match self.limits.depth {
            0 => DEFAULT_DEPTH,
            depth => depth as usize,
        }
    }

    /// Looks at everything, because the fuel has run out.
    #[cold]
    pub fn look(&mut self, context: &Context) -> Result<()> {
        self.check_time(context)?;
        while self.fuel < 0 {
            if self.left == Some(0) {
                return Err(Fault::runtime(format!(
                    "the program was stopped after {} instructions",
                    self.limits.instructions
                )));
            }
            self.refill();
        }
        Ok(())
    }

    /// Whether time is up or somebody has asked to stop.
    pub fn check_time(&self, context: &Context) -> Result<()> {
        if context.is_cancelled() {
            return Err(Fault::runtime("the program was asked to stop"));
        }
        if self.deadline.is_some_and(|d| Instant::now() > d) {
            return Err(Fault::runtime(format!(
                "the program was stopped after {} ms",
                self.limits.millis
            )));
        }
        Ok(())
    }

    /// Watches one operator call: what it has made, and all registers if much has been made since they were last added
    /// up.
    pub fn watch(&mut self, context: &Context, made: &[&Value], registers: &[Value]) -> Result<()> {
        self.check_time(context)?;
        if self.limits.bytes == 0 {
            return Ok(());
        }
        let mut seen = HashSet::new();
        self.made += made.iter().map(|v| bytes(v, &mut seen)).sum::<u64>();
        if self.made <= self.limits.bytes {
            return Ok(());
        }
        let mut seen = HashSet::new();
        self.made = registers.iter().map(|v| bytes(v, &mut seen)).sum();
        if self.made > self.limits.bytes {
            return Err(Fault::new(
                rushlight_types::ErrorClass::Memory,
                format!(
                    "the program was stopped when its tensors took more than {} bytes",
                    self.limits.bytes
                ),
            ));
        }
        Ok(())
    }

    /// What entering a function costs.
    #[inline(always)]
    pub fn enter(&mut self, code: &Code) {
        self.fuel -= code.insns.len() as i64;
    }
}

/// The memory of the tensors that a value holds, each storage counted once. Objects are not followed: what they hold
/// was there before or has been counted when it was made.
fn bytes(value: &Value, seen: &mut HashSet<usize>) -> u64 {
    match value {
        Value::Tensor(t) => {
            let storage = t.storage();
            if seen.insert(storage.as_ptr() as usize) {
                storage.len() as u64
            } else {
                0
            }
        }
        Value::TensorList(items) => {
            let items = items.lock().clone();
            items
                .into_iter()
                .map(|t| bytes(&Value::Tensor(t), seen))
                .sum()
        }
        Value::Tuple(tuple) => tuple.items.iter().map(|v| bytes(v, seen)).sum(),
        _ => 0,
    }
}
