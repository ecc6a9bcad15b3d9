//! Functions of analysis that both the language's `math` and kernels need, in f64, one value at a time.

pub mod chebyshev;
pub mod error;
pub mod gamma;
pub mod implicit;
