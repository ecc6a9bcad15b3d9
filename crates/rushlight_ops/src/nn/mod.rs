//! Neural network operators: convolution, pooling, normalisation, attention, recurrence, losses, resampling.

use rushlight_types::Operator;

/// The families of this folder.
pub static FAMILIES: &[&[Operator]] = &[];
