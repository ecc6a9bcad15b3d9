//! How views are made that may not be written while gradients are recorded.

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
