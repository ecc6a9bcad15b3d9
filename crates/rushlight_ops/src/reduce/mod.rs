//! Reductions, cumulative operators, sorting and statistics.

use rushlight_types::Operator;

/// The families of this folder.
pub static FAMILIES: &[&[Operator]] = &[];
