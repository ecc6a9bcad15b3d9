//! Ranges and random numbers.

pub mod random;
pub mod range;
