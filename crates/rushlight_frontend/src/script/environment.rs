//! Variables: one frame per block, innermost last.
//!
//! What a variable holds is not known here: reads and assignments are `prim::Load` and `prim::Store` nodes, which
//! [`super::ssa`] resolves once the whole body is there. A frame knows of which type a variable is.

use crate::Sugared;
use rushlight_syntax::Span;
use rushlight_types::Type;
use std::collections::HashMap;
use std::sync::Arc;

/// What a name is bound to in a frame.
#[derive(Clone)]
pub enum Bound {
    /// A variable: something that control flow may change.
    Variable(Variable),
    /// Something that the name always stands for here.
    Fixed(Sugared),
    /// Nothing that could be used, and why.
    Unusable {
        why: Arc<str>,
        /// The type that an annotation has declared already.
        declared: Option<Type>,
        /// The statement behind which it cannot be used, where that is another than the one that uses it.
        behind: Option<Span>,
    },
}

/// A variable in a frame.
#[derive(Clone)]
pub struct Variable {
    /// The type that it has here, which assignments in inner blocks must fit: as annotated, as refined, or that of the last
    /// value assigned.
    pub ty: Type,
    /// Set where it is known to be of this type, and was not assigned.
    pub refined: bool,
    /// Set for a parameter that is taken for a tensor because the source says nothing.
    pub inferred: bool,
}

impl Variable {
    /// A variable that is assigned a value of a type.
    pub fn assigned(ty: Type) -> Variable {
        Variable {
            ty,
            refined: false,
            inferred: false,
        }
    }
}

impl Bound {
    /// A name that cannot be used.
    pub fn unusable(why: impl Into<Arc<str>>) -> Bound {
        Bound::Unusable {
            why: why.into(),
            declared: None,
            behind: None,
        }
    }

    /// The variable, if it is one.
    pub fn variable(&self) -> Option<&Variable> {
        match self {
            Bound::Variable(variable) => Some(variable),
            _ => None,
        }
    }

    /// The type that assignments in inner blocks must fit.
    pub fn held_type(&self) -> Option<&Type> {
        match self {
            Bound::Variable(variable) => Some(&variable.ty),
            Bound::Unusable { declared, .. } => declared.as_ref(),
            Bound::Fixed(_) => None,
        }
    }
}

/// The names that the emitter gives what it keeps in variables of its own: no program can write them.
pub(crate) fn temporary(number: usize) -> Arc<str> {
    format!("${number}").into()
}

/// Whether a variable is the program's own, and not one of the emitter.
pub(crate) fn is_of_program(name: &str) -> bool {
    !name.starts_with('$')
}

/// What one block binds.
pub(crate) type Frame = HashMap<Arc<str>, Bound>;

/// All frames of a function.
#[derive(Default)]
pub(crate) struct Environment {
    pub frames: Vec<Frame>,
}

impl Environment {
    /// The binding of a name, innermost first.
    pub fn find(&self, name: &str) -> Option<&Bound> {
        self.frames.iter().rev().find_map(|f| f.get(name))
    }

    /// The binding of a name outside the innermost frame.
    pub fn find_outside(&self, name: &str) -> Option<&Bound> {
        let outer = self.frames.len().saturating_sub(1);
        self.frames[..outer].iter().rev().find_map(|f| f.get(name))
    }

    /// Binds a name in the innermost frame.
    pub fn bind(&mut self, name: &Arc<str>, bound: Bound) {
        let frame = self.frames.last_mut().expect("a function body has a frame");
        frame.insert(name.clone(), bound);
    }

    /// Takes a name out of all frames, as `del` does wherever it stands; whether it was bound.
    pub fn forget(&mut self, name: &str) -> bool {
        let mut was_bound = false;
        for frame in &mut self.frames {
            was_bound |= frame.remove(name).is_some();
        }
        was_bound
    }

    /// Every name that is bound, for suggestions.
    pub fn names(&self) -> Vec<Arc<str>> {
        let names = self.frames.iter().flat_map(|f| f.keys().cloned());
        let mut names: Vec<Arc<str>> = names.collect();
        rushlight_tensor::order::sort(&mut names);
        names.dedup();
        names
    }
}
