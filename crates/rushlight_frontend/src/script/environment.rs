//! Variables: one frame per block, innermost last.

use crate::Sugared;
use rushlight_types::Type;
use std::collections::HashMap;
use std::sync::Arc;

/// A variable in a frame.
#[derive(Clone)]
pub struct Variable {
    /// What it is bound to, or why it cannot be used here.
    pub value: Result<Sugared, Arc<str>>,
    /// The type that it has here, which assignments in inner blocks must fit: as annotated, as refined, or that of the last
    /// value assigned. `None` is the type of the value.
    pub declared: Option<Type>,
    /// What bound it.
    pub by: BoundBy,
}

/// What binds a variable in a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoundBy {
    /// An assignment.
    Assigned,
    /// A refinement: `x` is known not to be None.
    Refined,
    /// A loop that assigns it. Where one branch of an `if` has such a loop and the other leaves, the other gives on what
    /// the variable was, as in the reference.
    Looped,
}

/// The variables that one block assigns or refines.
#[derive(Default)]
pub(crate) struct Frame {
    pub variables: HashMap<Arc<str>, Variable>,
    /// Names in order of first binding.
    pub order: Vec<Arc<str>>,
}

/// All frames of a function.
#[derive(Default)]
pub(crate) struct Environment {
    pub frames: Vec<Frame>,
}

impl Environment {
    /// The binding of a name, innermost first.
    pub fn find(&self, name: &str) -> Option<&Variable> {
        self.frames.iter().rev().find_map(|f| f.variables.get(name))
    }

    /// The binding of a name outside the innermost frame.
    pub fn find_outside(&self, name: &str) -> Option<&Variable> {
        let outer = self.frames.len().saturating_sub(1);
        self.frames[..outer]
            .iter()
            .rev()
            .find_map(|f| f.variables.get(name))
    }

    /// Binds a name in the innermost frame.
    pub fn bind(&mut self, name: &str, variable: Variable) {
        let frame = self.frames.last_mut().expect("a function body has a frame");
        if !frame.variables.contains_key(name) {
            frame.order.push(name.into());
        }
        frame.variables.insert(name.into(), variable);
    }

    /// Every name that is bound, for suggestions.
    pub fn names(&self) -> Vec<Arc<str>> {
        let mut names: Vec<Arc<str>> = self
            .frames
            .iter()
            .flat_map(|f| f.order.iter().cloned())
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}
