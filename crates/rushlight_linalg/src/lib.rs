//! Operators of dense linear algebra: factors, solutions, eigenvalues, singular values, and what is built on them.
//!
//! Everything is computed in f64, real or complex, one matrix of a batch after the other: what large matrices cost is
//! products, which are as fast in f64 as elsewhere in f32, and results are exact to the last bits of f32. The
//! algorithms are in `dense/`, their loops over rows in `rushlight_kernels`; signs and orders are those of LAPACK.

mod cholesky;
mod covariance;
mod dense;
mod eigen;
mod functions;
mod ldl;
mod lu;
mod norms;
mod orthogonal;
mod singular;
mod small;
mod systems;
mod triangular;

use rushlight_types::Operator;

/// The families of this crate.
pub static FAMILIES: &[&[Operator]] = &[
    lu::ROWS,
    triangular::ROWS,
    cholesky::ROWS,
    orthogonal::ROWS,
    singular::ROWS,
    eigen::ROWS,
    norms::ROWS,
    functions::ROWS,
    ldl::ROWS,
    covariance::ROWS,
];
