//! Instructions that machine code has the host do again and again, taken apart once.

use crate::tuples::TupleSite;
use rushlight_runtime::code::{Code, NOWHERE, OperatorCall, Reg, Source};
use rushlight_types::{Operator, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Operators with more arguments are taken apart at each call.
const MOST: usize = 4;

/// What machine code knows by its address: it stays where it is for as long as the code lives.
#[derive(Default)]
pub struct Sites {
    #[expect(clippy::vec_box, reason = "the addresses are known")]
    calls: Vec<Box<Site>>,
    #[expect(clippy::vec_box, reason = "as above")]
    fetches: Vec<Box<Fetch>>,
    #[expect(clippy::vec_box, reason = "as above")]
    tuples: Vec<Box<(u64, TupleSite)>>,
    #[expect(clippy::vec_box, reason = "as above")]
    constants: Vec<Box<Value>>,
}

impl Sites {
    /// Keeps a call; its address.
    pub fn keep_call(&mut self, site: Site) -> i64 {
        let site = Box::new(site);
        let address = &raw const *site as i64;
        self.calls.push(site);
        address
    }

    /// Keeps a tuple instruction and its number; their address.
    pub fn keep_tuple(&mut self, insn: u64, site: TupleSite) -> i64 {
        let site = Box::new((insn, site));
        let address = &raw const *site as i64;
        self.tuples.push(site);
        address
    }

    /// Keeps a constant; its address.
    pub fn keep_constant(&mut self, constant: Value) -> i64 {
        let constant = Box::new(constant);
        let address = &raw const *constant as i64;
        self.constants.push(constant);
        address
    }

    /// Keeps a fetch; its address.
    pub fn keep_fetch(&mut self, fetch: Fetch) -> i64 {
        let fetch = Box::new(fetch);
        let address = &raw const *fetch as i64;
        self.fetches.push(fetch);
        address
    }
}

/// A call of an operator by its quick form.
pub struct Site {
    pub insn: u64,
    operator: &'static Operator,
    count: usize,
    inputs: [Source; MOST],
    target: Reg,
}

impl Site {
    /// The call of an instruction, if its operator has a quick form and one result at the most.
    pub fn new(code: &Code, insn: usize, call: &OperatorCall) -> Option<Site> {
        call.operator.quick?;
        let operands = call.arguments.of(&code.operands);
        let mut inputs = [Source::Constant(0); MOST];
        for (input, operand) in inputs.get_mut(..operands.len())?.iter_mut().zip(operands) {
            *input = operand.source();
        }
        let target = match *call.results.of(&code.targets) {
            [] => NOWHERE,
            [target] => target,
            _ => return None,
        };
        Some(Site {
            insn: insn as u64,
            operator: call.operator,
            count: operands.len(),
            inputs,
            target,
        })
    }

    /// Makes the call; `false`, and nothing done, where it may wait, where what it drops may run code, or where it fails.
    pub fn call(&self, code: &Code, frame: &mut [Value]) -> bool {
        let Some(quick) = self.operator.quick_form() else {
            return false;
        };
        let sources = &self.inputs[..self.count];
        let nothing = Value::None;
        let mut inputs = [&nothing; MOST];
        for (input, source) in inputs.iter_mut().zip(sources) {
            let (value, stays) = match *source {
                Source::Constant(k) => (&code.constants[k as usize], true),
                Source::Copy(r) => (&frame[r as usize], true),
                Source::Move(r) => (&frame[r as usize], false),
            };
            // Lists and dicts may have to be waited for.
            let is_locked = match value {
                Value::Dict(dict) => dict.items.mutex().is_locked(),
                other => other.is_list(),
            };
            if is_locked || !(stays || value.is_light()) {
                return false;
            }
            *input = value;
        }
        if self.target != NOWHERE && !frame[self.target as usize].is_light() {
            return false;
        }
        let mut result = Value::None;
        // Nothing may unwind through machine code: the host meets the same cause and knows what to do.
        let work =
            AssertUnwindSafe(|| matches!(quick(&inputs[..self.count], &mut result), Ok(true)));
        if !catch_unwind(work).unwrap_or(false) {
            return false;
        }
        for source in sources {
            if let Source::Move(r) = *source {
                frame[r as usize] = Value::None;
            }
        }
        if self.target != NOWHERE {
            frame[self.target as usize] = result;
        }
        true
    }
}

/// An element of a list of anything.
pub struct Fetch {
    pub insn: u64,
    pub target: Reg,
    pub list: Reg,
    pub index: Reg,
}

impl Fetch {
    /// Fetches the element; `false`, and nothing done, where the host has to.
    ///
    /// # Safety
    ///
    /// This thread has the floor, see [`rushlight_types::guarded`].
    pub unsafe fn fetch(&self, frame: &mut [Value]) -> bool {
        if !frame[self.target as usize].is_light() {
            return false;
        }
        let (Value::List(list), Value::Int(index)) =
            (&frame[self.list as usize], &frame[self.index as usize])
        else {
            return false;
        };
        // SAFETY: this thread has the floor.
        let Some(items) = (unsafe { list.items.unlocked() }) else {
            return false;
        };
        let from_end = if *index < 0 { items.len() as i64 } else { 0 };
        let place = usize::try_from(index.wrapping_add(from_end)).ok();
        let Some(item) = place.and_then(|at| items.get(at)) else {
            return false;
        };
        frame[self.target as usize] = item.clone();
        true
    }
}
