//! The loops of factors and decompositions of dense matrices.

pub mod field;
pub mod reflections;
pub mod rows;
pub mod turns;
