//! Reductions, cumulative operators, sorting and statistics.

pub mod cumulative;
pub mod dims;
pub mod extremes;
mod fold;
mod keys;
pub mod logsumexp;
pub mod product;
pub mod ranking;
pub mod sort;
pub mod spread;
pub mod sum;
pub mod truth;

use rushlight_types::Operator;

/// The families of this folder.
pub static FAMILIES: &[&[Operator]] = &[
    sum::ROWS,
    product::ROWS,
    extremes::ROWS,
    truth::ROWS,
    spread::ROWS,
    logsumexp::ROWS,
    cumulative::ROWS,
    sort::ROWS,
    ranking::ROWS,
];
