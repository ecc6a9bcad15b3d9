//! Elementwise operators: arithmetic, comparison, bits, functions, activations, conversion.
//!
//! [`definition`] says what an elementwise operator is, [`table`] derives its rows; each other file is a family.

mod arithmetic;
mod definition;
mod table;

use rushlight_types::Operator;
use table::{Tables, count, flatten};

/// The files of this folder.
static FILES: &[&[Tables]] = &[arithmetic::TABLES];

/// The families of this folder.
pub static FAMILIES: &[&[Operator]] = {
    static ALL: [&[Operator]; count(FILES)] = flatten(FILES);
    &ALL
};
