//! Making graphs from observed calls.
//!
//! A [`Recorder`] stands in the trace layer of the call path while a program runs. It knows tensors by identity: each
//! stands for the value that computed it last, so an in-place operator makes its target stand for a new value. What the
//! trace has not seen is baked in as a constant. Calls of modules become nodes with a block of their own
//! ([`Recorder::enter_module`]), which [`modules::finish`] turns into methods.

mod arguments;
mod fork;
mod host_call;
pub mod modules;
mod recorder;

pub use arguments::as_given;
pub use host_call::{HostCall, HostResult};
pub use recorder::{Host, Recorder, Stash, TracedForm};
