//! Resampling of images.

pub mod smooth;
pub mod taps;
