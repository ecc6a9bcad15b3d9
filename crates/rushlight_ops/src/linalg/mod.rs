//! Matrix products and linear algebra.

mod addmm;
mod batch_mm;
mod contract;
mod cross;
mod distance;
mod fused;
pub(crate) mod norm;
pub(crate) mod product;

pub use distance::pairwise_distance;
pub use norm::{norm_except_dim, vector_norm};
pub(crate) use rushlight_kernels::linalg::gemm;
use rushlight_types::Operator;

/// The families of this folder.
pub static FAMILIES: &[&[Operator]] = &[
    product::ROWS,
    addmm::ROWS,
    batch_mm::ROWS,
    contract::ROWS,
    cross::ROWS,
    distance::ROWS,
    fused::ROWS,
    norm::ROWS,
];
