//! Running graphs: register code, interpreter, futures, pools, limits, backtraces.
//!
//! A [`Runtime`] is the executor that a unit is given. It lowers a function when it is first called ([`lower()`]), keeps
//! the code with the function, and runs it on a stack of its own (`interpreter`), so that calls between scripts cost no
//! native stack. [`invoke`] is the way in for doors: it checks arguments against the schema.

pub mod autocast;
mod backtrace;
mod callee;
pub mod code;
mod future;
mod interpreter;
pub mod invoke;
mod limits;
mod lower;
pub mod machine_code;
pub mod pool;
pub mod profile;
mod runtime;

pub use backtrace::{ScriptFrame, ScriptTrace, error_text};
pub use interpreter::spare_arguments;
pub use limits::DEFAULT_DEPTH;
pub use lower::{MAX_NESTING, Options, lower};
pub use runtime::Runtime;
