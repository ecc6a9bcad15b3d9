//! Views, reshaping, joining and splitting.

use rushlight_types::Operator;

/// The families of this folder.
pub static FAMILIES: &[&[Operator]] = &[];
