//! Pickles, read as data and written as PyTorch writes them.
//!
//! A pickle is a program for a small stack machine. Ours runs it without running anything: where Python would import a
//! name or call a function, [`read`] notes that it was asked to, as [`PickleValue::Global`] and [`PickleValue::Object`].
//! The result is a [`Pickle`], an arena of nodes with ids, so that what was shared or cyclic stays so. Whoever turns it into values
//! decides by an allow-list of global names what each object means.
//!
//! [`TreeBuilder`] makes the same tree of data that came in another form. [`Pickler`] writes protocol 2 with the choices of opcodes and of memoised values that PyTorch's archives show.

mod build;
mod error;
mod limits;
mod opcode;
mod read;
mod text;
mod value;
mod write;

pub use build::TreeBuilder;
pub use error::{PickleError, PickleProblem};
pub use limits::PickleLimits;
pub use read::{read, read_prefix};
pub use value::{GlobalName, NodeId, Object, ObjectKind, Pickle, PickleValue};
pub use write::{MemoId, Pickler, Unwritable};
