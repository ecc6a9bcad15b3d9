//! Views that may not be written while gradients are recorded: nothing would lead the gradient of what is written to their base.

use crate::meta::Meta;
use crate::node::{Edge, short, version};
use rushlight_tensor::{Fault, Result, Tensor};

/// How a view was made that may not be written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Made {
    /// By a call that gives several: a write through one would change where the others come from.
    Among,
    /// By a differentiation that a program defines, which knows nothing of writes.
    Custom,
    /// While gradients were not recorded: it requires them as its base does, but nothing leads from it to the base.
    Unrecorded,
    /// The same, in inference mode.
    Inference,
}

/// What is kept of such a view.
#[derive(Clone, Copy)]
pub(crate) struct Fixed {
    pub made: Made,
    /// How often its base had been written when it was made.
    version: u64,
    /// Whether the program asks for its own gradient.
    pub is_claimed: bool,
}

impl Fixed {
    pub fn new(made: Made, base: &Tensor) -> Fixed {
        Fixed {
            made,
            version: now(base),
            is_claimed: false,
        }
    }

    /// Whether no recorded call made it.
    fn is_apart(&self) -> bool {
        matches!(self.made, Made::Unrecorded | Made::Inference)
    }
}

fn now(tensor: &Tensor) -> u64 {
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

/// Refuses a write to a view that may not be written.
pub(crate) fn check_written(view: &Tensor) -> Result<()> {
    match fixed(view) {
        Some((fixed, _)) => Err(fixed.made.refusal(view, "is being")),
        None => Ok(()),
    }
}

/// Refuses the use of such a view after its memory has been written: where its elements come from is not known any more.
pub(crate) fn check_read(tensor: &Tensor) -> Result<()> {
    match fixed(tensor) {
        Some((fixed, base)) if now(&base) != fixed.version => {
            let what = "its base or another view of its base has been";
            Err(fixed.made.refusal(tensor, what))
        }
        _ => Ok(()),
    }
}

/// Whether a tensor requires gradients only because its base does: nothing that is computed from it reaches the base.
pub(crate) fn leads_nowhere(tensor: &Tensor) -> bool {
    fixed(tensor).is_some_and(|(fixed, _)| fixed.is_apart() && !fixed.is_claimed)
        && !has_source(tensor)
}

fn fixed(tensor: &Tensor) -> Option<(Fixed, Tensor)> {
    let meta = Meta::of(tensor)?;
    let state = meta.state();
    let view = state.view.as_ref()?;
    Some((view.fixed?, view.base.clone()))
}

fn has_source(tensor: &Tensor) -> bool {
    Meta::of(tensor).is_some_and(|meta| meta.state().source.is_some())
}

const SEVERAL: &str = "This view is the output of a function that returns multiple views. Such functions do not allow the output views to be modified inplace. You should replace the inplace operation by an out-of-place one.";
const OF_PROGRAM: &str = "This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function.";

impl Made {
    /// The refusal of a view that `is being` modified, or whose base `has been`.
    fn refusal(self, view: &Tensor, what: &str) -> Fault {
        let place = Edge::source(view).map(|edge| {
            format!(
                "Output {} of {} is a view",
                edge.index,
                short(edge.node.name())
            )
        });
        let (then, ending) = match self {
            Made::Among if place.is_none() => (None, format!(" with grad mode enabled. {SEVERAL}")),
            Made::Among => (None, format!(". {SEVERAL}")),
            Made::Custom => (None, format!(". {OF_PROGRAM}")),
            Made::Unrecorded => ending("no_grad mode", "with grad mode enabled", "no_grad"),
            Made::Inference => ending("inference mode", "in normal mode", "inference_mode"),
        };
        let view = match (place, then) {
            (Some(place), Some(then)) => format!("{place} of a view which was created in {then}"),
            (Some(place), None) => place,
            (None, then) => format!("A view was created in {}", then.unwrap_or("no_grad mode")),
        };
        Fault::runtime(format!("{view} and {what} modified inplace{ending}"))
    }
}

/// The mode that a view was made in, and what is said after `modified inplace`: the mode now, and the block that should hold both.
fn ending(then: &'static str, now: &str, block: &str) -> (Option<&'static str>, String) {
    (
        Some(then),
        format!(
            " {now}. Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace either both inside the {block} block (if you don't want the inplace to be tracked) or both outside (if you want the inplace to be tracked)."
        ),
    )
}
