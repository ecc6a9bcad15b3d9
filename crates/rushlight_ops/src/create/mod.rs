//! Making tensors: filled, ranges, windows, random.

use rushlight_types::Operator;

/// The families of this folder.
pub static FAMILIES: &[&[Operator]] = &[];
