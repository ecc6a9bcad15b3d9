//! Names and numbers of values, given out as the reference does (see [`crate::naming`]).

use super::{Graph, ValueId};
use crate::naming::{Holder, Passed, UNNUMBERED};
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
            self.claim(&name, Holder::Value(value));
        }
        self.values[value].name = Some(name);
    }

    /// Takes the name from a value.
    pub fn clear_name(&mut self, value: ValueId) {
        self.release_name(value);
        self.values[value].name = None;
    }

    pub(super) fn release_name(&mut self, value: ValueId) {
        if let Some(name) = self.values[value].name.clone() {
            self.naming.release(&name, Holder::Value(value));
        }
    }

    /// Gives a name to a new holder; whoever had it gets a suffix, which is returned.
    fn claim(&mut self, name: &Arc<str>, holder: Holder) -> Option<Arc<str>> {
        let before = self.naming.holders.get(name).copied();
        let renamed = before.map(|before| {
            let fresh = self.naming.fresh(name);
            match before {
                Holder::Value(value) => self.values[value].name = Some(fresh.clone()),
                Holder::Passed(index) => self.naming.passed[index] = Some(fresh.clone()),
            }
            self.naming.holders.insert(fresh.clone(), before);
            fresh
        });
        self.naming.holders.insert(name.clone(), holder);
        renamed
    }

    /// Counts a value that the reference creates and nobody sees.
    pub fn pass_over(&mut self, name: Option<&str>) -> Passed {
        self.naming.number();
        let index = self.naming.passed.len();
        self.naming.passed.push(name.map(Arc::from));
        if let (Some(name), false) = (name, self.naming.paused) {
            self.claim(&name.into(), Holder::Passed(index));
        }
        Passed(index)
    }

    /// Counts a copy of a value that was passed over.
    pub fn pass_over_copy(&mut self, original: Passed) {
        let Some(name) = self.naming.passed[original.0].clone() else {
            self.pass_over(None);
            return;
        };
        self.naming.number();
        let index = self.naming.passed.len();
        let renamed = self.claim(&name, Holder::Passed(index));
        self.naming.passed.push(renamed.or(Some(name)));
    }

    /// Frees the names of all values that were passed over.
    pub fn forget_passed(&mut self) {
        self.naming
            .holders
            .retain(|_, holder| matches!(holder, Holder::Value(_)));
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

    /// Gives a value a number that was reserved for it.
    pub fn use_number(&mut self, value: ValueId, number: u32) {
        self.values[value].number = number;
    }

    /// Gives number and name of one value to another.
    pub fn hand_over_name(&mut self, from: ValueId, to: ValueId) {
        self.release_name(to);
        self.values[to].number = std::mem::replace(&mut self.values[from].number, UNNUMBERED);
        let name = self.values[from].name.take();
        if let Some(name) = &name
            && let Some(holder) = self.naming.holders.get_mut(name)
            && *holder == Holder::Value(from)
        {
            *holder = Holder::Value(to);
        }
        self.values[to].name = name;
    }

    /// Gives the name of a value to its copy; the value goes on with a new suffix.
    pub fn take_name(&mut self, copy: ValueId, original: ValueId) {
        if let Some(name) = self.values[original].name.clone() {
            self.set_name(copy, &name);
        }
    }

    /// Names a value as a copy of another one of the same graph: both go on with the same new suffix.
    pub fn name_copy(&mut self, copy: ValueId, original: ValueId) {
        let Some(name) = self.values[original].name.clone() else {
            return;
        };
        let renamed = self.claim(&name, Holder::Value(copy));
        self.values[copy].name = Some(match renamed {
            Some(fresh) => {
                self.naming.release(&name, Holder::Value(copy));
                self.naming
                    .holders
                    .insert(fresh.clone(), Holder::Value(copy));
                fresh
            }
            None => name,
        });
    }
}
