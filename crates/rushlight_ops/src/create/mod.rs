//! Tensors from nothing: fills, ranges, literals, random numbers.

mod files;
mod fill;
mod literal;
mod matrix;
pub(crate) mod options;
pub(crate) mod random;
mod range;
mod unspecified;
mod window;

pub(crate) use unspecified::grown;

use rushlight_types::Operator;

/// The families of this folder.
pub static FAMILIES: &[&[Operator]] = &[
    files::ROWS,
    fill::ROWS,
    literal::ROWS,
    matrix::ROWS,
    range::ROWS,
    window::ROWS,
    random::bernoulli::ROWS,
    random::continuous::ROWS,
    random::counts::ROWS,
    random::dropout::ROWS,
    random::gamma::ROWS,
    random::integers::ROWS,
    random::normal::ROWS,
    random::sample::ROWS,
    random::uniform::ROWS,
];
