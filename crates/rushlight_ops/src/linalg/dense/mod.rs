//! Decompositions of dense matrices and what is built on them.
//!
//! Everything is computed in f64, real or complex, one matrix of a batch after the other: what large matrices cost is
//! products, which are as fast in f64 as elsewhere in f32, and results are exact to the last bit of f32.

mod cholesky;
mod eigen;
mod functions;
mod ldl;
mod lu;
mod norms;
mod orthogonal;
mod singular;
mod small;
mod triangular;

pub use cholesky::ROWS as CHOLESKY;
pub use eigen::ROWS as EIGEN;
pub use functions::ROWS as FUNCTIONS;
pub use ldl::ROWS as LDL;
pub use lu::ROWS as LU;
pub use norms::ROWS as NORMS;
pub use orthogonal::ROWS as ORTHOGONAL;
use rushlight_kernels::linalg::dense::{batch, matrix};
pub use singular::ROWS as SINGULAR;
pub use triangular::ROWS as TRIANGULAR;
