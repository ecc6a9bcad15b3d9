//! Refusals of views that may not be written, and of what was read through one after a write.

use crate::fixed::{fixed, now};
use crate::history::Edge;
use crate::made::Made;
use crate::node::short;
use rushlight_tensor::{Fault, Result, Tensor};

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
        Some((fixed, base)) if tensor.requires_grad() && now(&base) != fixed.version => {
            let what = "its base or another view of its base has been";
            Err(fixed.made.refusal(tensor, what))
        }
        _ => Ok(()),
    }
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
