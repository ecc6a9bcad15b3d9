//! Rearranging elements.

pub mod join;
pub mod rearrange;
