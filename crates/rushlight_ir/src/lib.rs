//! Functions as graphs: typed ids into tables, blocks, builder, verifier, text both ways, analyses, passes.
//!
//! A [`Graph`] is in SSA form with nested blocks for control flow, as TorchScript's is. [`Unit`] owns the functions and
//! the types they mention. Nothing here runs a graph (`rushlight_runtime`) or makes one from source
//! (`rushlight_frontend`).

pub mod analysis;
pub mod freeze;
mod graph;
mod kind;
mod naming;
pub mod parse;
pub mod passes;
pub mod pipeline;
mod print;
mod unit;
pub mod verify;

pub use graph::{Attr, Block, BlockId, CallSite, Graph, Node, NodeId, Use, ValueData, ValueId};
pub use kind::{NodeKind, Prim};
pub use naming::is_telling;
pub use print::{Names, Positions};
pub use unit::{Draft, Executor, Function, Settled, Unit};
