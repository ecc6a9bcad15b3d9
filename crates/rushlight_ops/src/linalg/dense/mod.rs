//! Decompositions of small dense matrices and what is built on them.
//!
//! Everything is computed in complex f64, real matrices being the case without imaginary parts, one matrix of a batch
//! after the other: these operators are rare in models, so that one clear path is worth more than four fast ones.

mod cholesky;
mod eigen;
mod functions;
mod ldl;
mod lu;
mod norms;
mod orthogonal;
mod singular;
mod triangular;

pub use cholesky::ROWS as CHOLESKY;
pub use eigen::ROWS as EIGEN;
pub use functions::ROWS as FUNCTIONS;
pub use ldl::ROWS as LDL;
pub use lu::ROWS as LU;
pub use norms::ROWS as NORMS;
pub use orthogonal::ROWS as ORTHOGONAL;
use rushlight_kernels::linalg::dense::matrix;
pub use singular::ROWS as SINGULAR;
pub use triangular::ROWS as TRIANGULAR;
