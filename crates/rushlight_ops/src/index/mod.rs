//! Indexing, gathering, scattering, masks.

pub mod advanced;
pub mod along;
pub mod backward;
pub mod flat;
pub mod nonzero;
pub mod slices;
pub mod views;

pub use rushlight_kernels::index::runs;
use rushlight_types::Operator;

/// The families of this folder.
pub static FAMILIES: &[&[Operator]] = &[
    advanced::ROWS,
    along::ROWS,
    slices::ROWS,
    flat::ROWS,
    nonzero::ROWS,
    views::ROWS,
    backward::ROWS,
];
