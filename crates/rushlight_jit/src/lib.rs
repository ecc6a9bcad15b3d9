//! Machine code for register code that is hot, with Cranelift.
//!
//! [`compiler`] is what the façade hands to the runtime ([`rushlight_runtime::Options`]). `translate` turns the
//! instructions of a function into Cranelift's form, `run` is the seam between Rust and the code, `site` what the code
//! has the host do again and again, `layout` knows where things are in memory. The interpreter stays: it runs everything until it is hot, everything where there is no machine
//! code, and every instruction that machine code would rather not do.

mod compile;
mod layout;
mod liveness;
mod made;
mod run;
mod signs;
mod site;
mod translate;
mod tuples;

pub use compile::{Mode, compiler};
