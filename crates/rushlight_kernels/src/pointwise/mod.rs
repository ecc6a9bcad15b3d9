//! Elementwise functions: what they are per type, and the loops that run them.

pub mod activation;
pub mod arithmetic;
pub mod bits;
pub mod blend;
pub mod clamp;
pub mod compare;
pub mod complex;
mod complex_functions;
pub mod definition;
pub mod functions;
pub mod gradients;
pub mod math;
pub mod pairs;
pub mod parts;
pub mod power;
pub mod select;
pub mod special;
