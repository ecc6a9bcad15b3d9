//! Indexing, gathering, scattering, masks, embedding.

use rushlight_types::Operator;

/// The families of this folder.
pub static FAMILIES: &[&[Operator]] = &[];
