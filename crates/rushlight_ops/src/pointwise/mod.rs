//! Elementwise operators: arithmetic, comparison, bits, functions, activations, conversion.

use rushlight_types::Operator;

/// The families of this folder.
pub static FAMILIES: &[&[Operator]] = &[];
