//! Views that may not be written while gradients are recorded: nothing would lead the gradient of what is written to their base.

use crate::history::{Fixed, Meta, version};
use crate::made::Made;
use rushlight_tensor::Tensor;

impl Fixed {
    pub fn new(made: Made, base: &Tensor) -> Fixed {
        Fixed {
            made,
            version: now(base),
        }
    }

    /// Whether no recorded call made it.
    fn is_apart(&self) -> bool {
        matches!(self.made, Made::Unrecorded | Made::Inference)
    }
}

pub(crate) fn now(tensor: &Tensor) -> u64 {
    version(tensor, Meta::writes(tensor).as_ref())
}

/// A result of a differentiation that a program defines, one of so many: where it is a view, what was written to it would
/// not reach the program's derivative.
pub(crate) fn given_by_program(result: &Tensor, results: usize) {
    let Some((fixed, base)) = fixed(result) else {
        return;
    };
    let made = match results {
        0 | 1 => Made::Custom,
        _ => Made::Among,
    };
    if fixed.is_apart()
        && let Some(view) = Meta::ensure(result).state().view.as_mut()
    {
        view.fixed = Some(Fixed::new(made, &base));
    }
}

/// Whether a tensor requires gradients only because its base does: nothing that is computed from it reaches the base.
pub(crate) fn leads_nowhere(tensor: &Tensor) -> bool {
    Meta::of(tensor).is_some_and(|meta| {
        let state = meta.state();
        state.source.is_none() && state.view.as_ref().is_some_and(|view| !view.is_claimed)
    })
}

/// How a view that may not be written was made, and its base.
pub(crate) fn fixed(tensor: &Tensor) -> Option<(Fixed, Tensor)> {
    let meta = Meta::of(tensor)?;
    let state = meta.state();
    let view = state.view.as_ref()?;
    Some((view.fixed?, view.base.clone()))
}
