//! What has been looked at already on every way to an instruction.

use rushlight_runtime::code::Reg;
use std::collections::HashMap;

/// The lists and objects whose kind was right and whose lock nobody held. Only calls take locks, and the thread has the
/// floor, so that this holds until the next one.
#[derive(Default)]
pub struct Known {
    open: Vec<(Reg, u8)>,
    /// What is known where instructions further down are gone to.
    ahead: HashMap<usize, Vec<(Reg, u8)>>,
}

impl Known {
    /// Whether a register is known to hold what has a tag, and that it is open.
    pub fn is_open(&self, register: Reg, tag: u8) -> bool {
        self.open.contains(&(register, tag))
    }

    /// From here on that is known.
    pub fn open(&mut self, register: Reg, tag: u8) {
        if !self.is_open(register, tag) {
            self.open.push((register, tag));
        }
    }

    /// A register holds something else.
    pub fn forget(&mut self, register: Reg) {
        self.open.retain(|(r, _)| *r != register);
    }

    /// Somebody may have taken a lock.
    pub fn forget_all(&mut self) {
        self.open.clear();
    }

    /// Control may go to an instruction from here.
    pub fn goes_to(&mut self, insn: usize) {
        let open = &self.open;
        self.ahead
            .entry(insn)
            .and_modify(|known| known.retain(|k| open.contains(k)))
            .or_insert_with(|| open.clone());
    }

    /// Control may come to an instruction from elsewhere.
    pub fn nothing_at(&mut self, insn: usize) {
        self.ahead.insert(insn, Vec::new());
    }

    /// Only what is known on all ways to an instruction is known there.
    pub fn arrives_at(&mut self, insn: usize) {
        self.open = self.ahead.remove(&insn).unwrap_or_default();
    }
}
