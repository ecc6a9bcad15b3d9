//! What operators compute with: loops over slices and matrices, compiled for the instruction sets of the machine.
//!
//! The folders are those of `rushlight_ops` and `rushlight_nn`, which have the operators: what they are called, what they refuse and in which words,
//! and which loop they run. Nothing here knows an operator's schema or a value of the language.

// What is written for vectors of these processors is left out for others, and with it the uses of much around it.
#![cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64")),
    allow(
        dead_code,
        unused_imports,
        unused_mut,
        unused_variables,
        reason = "other processors take the plain loops"
    )
)]

pub mod compute;
pub mod create;
pub mod index;
pub mod isa;
pub mod linalg;
pub mod nn;
pub mod pointwise;
pub mod reduce;
#[cfg(test)]
mod testing;
pub mod turn;
pub mod vector;
mod vector_exp;
pub mod view;
mod wide;
