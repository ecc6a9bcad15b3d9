//! Losses that are more than a sum.

pub mod ctc;
