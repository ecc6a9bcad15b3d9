//! Draws from distributions that need more than one number of the generator.

pub mod counts;
pub mod gamma;
pub mod integers;
