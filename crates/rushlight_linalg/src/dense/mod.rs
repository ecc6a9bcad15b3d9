//! Factors and solutions of dense matrices.

pub mod batch;
mod bidiagonal;
pub mod cholesky;
mod divide;
pub mod eigen;
pub mod functions;
pub mod general;
pub mod ldl;
pub mod lu;
pub mod matrix;
pub mod norms;
pub mod orthogonal;
pub mod singular;
pub mod small;
pub mod triangular;
mod tridiagonal;

#[cfg(test)]
mod tests;
