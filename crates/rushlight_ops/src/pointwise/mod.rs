//! Elementwise operators: arithmetic, comparison, bits, functions, activations, conversion.
//!
//! [`definition`] says what an elementwise operator is, [`table`] derives its rows; each other file is a family.

mod activation;
mod arithmetic;
mod bits;
mod blend;
mod clamp;
mod compare;
pub mod complex;
mod convert;
pub(crate) mod fill;
mod foreach;
mod functions;
mod gradients;
mod in_context;
mod pairs;
mod parts;
mod power;
mod relu_sum;
pub(crate) mod select;
mod special;
pub mod steps;
mod table;
#[cfg(test)]
mod tests;

use rushlight_kernels::pointwise::definition;
use rushlight_types::Operator;
use table::{Tables, count, flatten};

/// The files of this folder.
static FILES: &[&[Tables]] = &[
    activation::TABLES,
    arithmetic::TABLES,
    bits::TABLES,
    blend::TABLES,
    clamp::TABLES,
    compare::TABLES,
    complex::TABLES,
    convert::TABLES,
    fill::TABLES,
    foreach::TABLES,
    functions::TABLES,
    gradients::TABLES,
    pairs::TABLES,
    parts::TABLES,
    power::TABLES,
    relu_sum::TABLES,
    select::TABLES,
    special::TABLES,
];

/// The families of this folder.
pub static FAMILIES: &[&[Operator]] = {
    static ALL: [&[Operator]; count(FILES)] = flatten(FILES);
    &ALL
};
