//! Reductions, cumulative operators, sorting and statistics.

pub mod cumulative;
pub mod differences;
pub mod distance;
pub mod extremes;
pub mod gradient;
pub mod hash;
pub mod histogram;
pub mod logsumexp;
pub mod product;
pub mod ranking;
pub mod search;
pub mod segment;
pub mod sort;
pub mod spread;
pub mod sum;
pub mod truth;
pub mod unique;

pub use rushlight_kernels::reduce::dims;
use rushlight_kernels::reduce::fold;
use rushlight_kernels::reduce::keys;
use rushlight_kernels::reduce::network;
use rushlight_kernels::reduce::selection;
use rushlight_types::Operator;

/// The families of this folder.
pub static FAMILIES: &[&[Operator]] = &[
    sum::ROWS,
    product::ROWS,
    extremes::ROWS,
    truth::ROWS,
    hash::ROWS,
    spread::ROWS,
    logsumexp::ROWS,
    cumulative::ROWS,
    differences::ROWS,
    sort::ROWS,
    ranking::ROWS,
    unique::ROWS,
    search::ROWS,
    histogram::ROWS,
    distance::ROWS,
    gradient::ROWS,
    segment::ROWS,
];
