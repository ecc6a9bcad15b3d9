//! Matrix products and linear algebra.

use rushlight_types::Operator;

/// The families of this folder.
pub static FAMILIES: &[&[Operator]] = &[];
