//! Products of matrices, and linear algebra of single matrices.

pub mod addmm;
pub mod contract;
pub mod dense;
pub mod dots;
pub mod gemm;
pub mod norm;
pub mod packed;
pub mod product;
pub mod rows;
mod small;
pub mod stream;
pub mod tiles;
