//! Factors and solutions of dense matrices.

pub mod cholesky;
pub mod eigen;
pub mod functions;
pub mod ldl;
pub mod lu;
pub mod matrix;
pub mod norms;
pub mod orthogonal;
pub mod singular;
pub mod triangular;
