//! Reductions, cumulative operators, sorting and statistics.

pub mod dims;
pub mod extremes;
mod fold;
pub mod keys;
pub mod product;
pub mod sort;
pub mod sum;
pub mod truth;

use rushlight_types::Operator;

/// The families of this folder.
pub static FAMILIES: &[&[Operator]] = &[
    sum::ROWS,
    product::ROWS,
    extremes::ROWS,
    truth::ROWS,
    sort::ROWS,
];
