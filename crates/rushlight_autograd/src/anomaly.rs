//! The mode that looks for anomalies: nodes remember where they were made, and runs backwards look for what is not a number.

use crate::history::Node;
use rushlight_tensor::{Complex64, Fault, Tensor};
use rushlight_types::{Context, warning};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

static ENABLED: AtomicBool = AtomicBool::new(false);
static CHECKS_NUMBERS: AtomicBool = AtomicBool::new(true);
static WITNESS: OnceLock<fn() -> Option<String>> = OnceLock::new();

/// Switches the mode for the whole process, and whether it looks for what is not a number.
pub fn set_anomaly_mode(enabled: bool, checks_numbers: bool) {
    ENABLED.store(enabled, Ordering::Relaxed);
    CHECKS_NUMBERS.store(checks_numbers, Ordering::Relaxed);
}

/// Whether the mode is on, and whether it looks (or would look) for what is not a number.
pub fn anomaly_mode() -> (bool, bool) {
    (
        ENABLED.load(Ordering::Relaxed),
        CHECKS_NUMBERS.load(Ordering::Relaxed),
    )
}

/// Says who knows where the program is: the first to be named stays.
pub fn set_anomaly_witness(witness: fn() -> Option<String>) {
    let _ = WITNESS.set(witness);
}

/// Where the program is, for a node that is being made while the mode is on.
pub(crate) fn place() -> Option<Box<str>> {
    if !ENABLED.load(Ordering::Relaxed) {
        return None;
    }
    WITNESS.get().and_then(|witness| witness()).map(Into::into)
}

/// What the user may do about a variable that was modified.
pub(crate) fn hint() -> &'static str {
    if ENABLED.load(Ordering::Relaxed) {
        "the backtrace further above shows the operation that failed to compute its gradient. The variable in question was changed in there or anywhere later. Good luck!"
    } else {
        "enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False)."
    }
}

/// A fault of a node, after a warning that says where the node was made.
pub(crate) fn explained(context: &Context, node: &Node, fault: Fault) -> Fault {
    if !ENABLED.load(Ordering::Relaxed) {
        return fault;
    }
    let message = match &node.made {
        Some(place) => format!(
            "Error detected in {}. Traceback of forward call that caused the error:\n{place}",
            node.name()
        ),
        None => format!(
            "Error detected in {}. No forward pass information available. Enable detect anomaly during forward pass for more information.",
            node.name()
        ),
    };
    warning::warn(context, &message, None)
        .err()
        .unwrap_or(fault)
}

/// The fault of a node among whose gradients one has what is not a number.
pub(crate) fn unsound(node: &Node, found: &[Option<Tensor>]) -> Option<Fault> {
    if !ENABLED.load(Ordering::Relaxed) || !CHECKS_NUMBERS.load(Ordering::Relaxed) {
        return None;
    }
    let index = found.iter().position(|t| t.as_ref().is_some_and(has_nan))?;
    Some(Fault::runtime(format!(
        "Function '{}' returned nan values in its {index}th output.",
        node.name()
    )))
}

fn has_nan(tensor: &Tensor) -> bool {
    let dtype = tensor.dtype();
    if dtype.is_complex() {
        let is_nan = |c: &Complex64| c.re.is_nan() || c.im.is_nan();
        return tensor.to_vec::<Complex64>().iter().any(is_nan);
    }
    dtype.is_float() && tensor.to_vec::<f64>().iter().any(|x| x.is_nan())
}
