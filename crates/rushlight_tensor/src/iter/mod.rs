//! Applying element functions to tensors of any layouts and dtypes: the broadcasting, strided iterator.
//!
//! A function sees slices only. Operands that lie in memory as the function wants them are handed over directly;
//! others (strided, broadcast, of another dtype, or sharing memory with the result) pass through tiles that fit the
//! first-level cache. So a function is compiled once per type it computes in, not per dtype and layout, and never sees
//! overlapping slices.
//!
//! [`ResultTarget`] decides where results go (a new tensor, `self`, `out=`) with the reference's rules and messages; the
//! `apply` functions run the loops.

mod convert;
mod drive;
mod kinds;
mod shape;
mod target;
mod walk;

pub use crate::promote::Operand;
pub use drive::{apply, apply1, apply2};
pub use shape::{broadcast_sizes, copied_in, laid_out, ordered_layout, result_layout};
pub use target::{
    ResultForm, ResultTarget, check_overlap, check_writable, has_repeats, lie_apart, overlap,
    resize,
};
