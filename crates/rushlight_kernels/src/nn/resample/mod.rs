//! Resampling of images.

pub mod nearest;
pub mod smooth;
pub mod taps;
