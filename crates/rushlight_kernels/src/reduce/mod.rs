//! Reductions, scans, sorting and searching along dimensions.

pub mod cumulative;
pub mod differences;
pub mod dims;
pub mod extremes;
pub mod fold;
pub mod hash;
pub mod histogram;
pub mod keys;
pub mod logsumexp;
pub mod network;
pub mod product;
pub mod ranking;
pub mod search;
pub mod selection;
pub mod spread;
pub mod sum;
pub mod truth;
pub mod unique;
pub mod wide;
