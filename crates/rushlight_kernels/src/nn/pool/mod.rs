//! Pooling.

pub mod adaptive;
pub mod average;
pub mod fractional;
pub mod max;
pub mod window;
