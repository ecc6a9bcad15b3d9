//! Names and numbers of values, given out as the reference does (see [`crate::naming`]).

use super::{Graph, ValueId};
use std::sync::Arc;

impl Graph {
    /// Names a value after a variable of the program; a value that has the name already gets a suffix.
    pub fn set_name(&mut self, value: ValueId, name: &str) {
        if self.values[value].name.as_deref() == Some(name) {
            return;
        }
        let name: Arc<str> = name.into();
        self.release_name(value);
        if !self.naming.paused {
            self.claim(&name, value);
        }
        self.values[value].name = Some(name);
    }

    /// Gives out the numbers of so many values that are not made.
    pub fn skip_numbers(&mut self, count: usize) {
        for _ in 0..count {
            self.naming.number();
        }
    }

    /// Takes the name from a value.
    pub fn clear_name(&mut self, value: ValueId) {
        self.release_name(value);
        self.values[value].name = None;
    }

    pub(super) fn release_name(&mut self, value: ValueId) {
        if let Some(name) = self.values[value].name.clone() {
            self.naming.release(&name, value);
        }
    }

    /// Gives a name to a new holder; whoever had it gets a suffix.
    fn claim(&mut self, name: &Arc<str>, holder: ValueId) {
        if let Some(before) = self.naming.holders.get(name).copied() {
            let fresh = self.naming.fresh(name);
            self.values[before].name = Some(fresh.clone());
            self.naming.holders.insert(fresh, before);
        }
        self.naming.holders.insert(name.clone(), holder);
    }

    /// From here on, until it is switched off, new values get neither numbers nor unique names. Returns the state before.
    pub fn pause_numbers(&mut self, paused: bool) -> bool {
        std::mem::replace(&mut self.naming.paused, paused)
    }

    /// Gives a value the next number.
    pub fn renumber(&mut self, value: ValueId) {
        self.values[value].number = self.naming.number();
    }

    /// Takes the next number for a value that is made later.
    pub fn reserve_number(&mut self) -> u32 {
        self.naming.number()
    }

    /// Gives the name of a value to its copy; the value goes on with a new suffix.
    pub fn take_name(&mut self, copy: ValueId, original: ValueId) {
        if let Some(name) = self.values[original].name.clone() {
            self.set_name(copy, &name);
        }
    }
}
