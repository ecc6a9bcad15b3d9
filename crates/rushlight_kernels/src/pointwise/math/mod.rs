//! Functions of analysis: [`vector`] in f32 for loops, the others in f64, one value at a time.

pub mod airy;
pub mod analysis;
pub mod bessel;
pub mod incomplete_gamma;
pub mod modified_bessel;
pub mod vector;
pub mod wide_special;
