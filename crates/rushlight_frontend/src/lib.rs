//! Making graphs: from source, and from observed calls.
//!
//! [`script`] turns the syntax tree into a graph. Names resolve through a [`Resolver`], which each door implements:
//! live Python objects, the file's own definitions, or the qualified names of an archive. Everything a name can stand
//! for is a [`Sugared`] value with its own file under [`sugared`]. [`trace`] watches operator calls. Nothing here runs a graph.

mod error;
pub mod resolve;
pub mod script;
pub mod source_file;
pub mod sugared;
pub mod trace;

pub use error::{Outcome, Problem};
pub use resolve::{RefusedAnnotation, Resolver, TypeNames};
pub use script::{Compiler, FunctionSource};
pub use sugared::Sugared;
