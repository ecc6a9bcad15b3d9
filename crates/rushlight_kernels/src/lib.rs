//! What operators compute with: loops over slices and matrices, compiled for the instruction sets of the machine.
//!
//! The folders are those of `rushlight_ops`, which has the operators: what they are called, what they refuse and in which words,
//! and which loop they run. Nothing here knows an operator's schema or a value of the language.

pub mod compute;
pub mod index;
pub mod isa;
pub mod linalg;
pub mod pointwise;
pub mod reduce;
pub mod vector;
