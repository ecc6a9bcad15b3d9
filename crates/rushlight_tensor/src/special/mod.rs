//! Functions of analysis that both the language's `math` and kernels need, in f64, one value at a time; [`wide`] and [`angles`] have those for loops.

pub mod angles;
pub mod chebyshev;
pub mod error;
pub mod gamma;
pub mod implicit;
pub mod orthogonal;
pub mod wide;
