//! Rearranging elements.

pub mod rearrange;
