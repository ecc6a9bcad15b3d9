//! Functions of analysis: [`vector`] in f32 for loops, the others in f64, one value at a time.

pub mod analysis;
pub mod chebyshev;
pub mod error;
pub mod gamma;
pub mod vector;
