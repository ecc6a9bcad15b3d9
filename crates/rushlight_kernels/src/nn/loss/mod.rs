//! Losses that are more than a sum.

pub mod classes;
pub mod ctc;
