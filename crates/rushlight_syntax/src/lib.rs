//! Sources, spans, diagnostics, and Python text lowered to the TorchScript syntax tree.
//!
//! Text enters as a [`Source`]; [`parse_module`], [`parse_function`] and [`parse_expression`] turn it into the
//! [`tree`], collecting every problem as a [`Diagnostic`]. Operator schemas and the types printed in graphs have their
//! own small grammar in [`schema`]. What the reference says of such texts that it does not read is found in [`grammar`].
//!
//! The Python grammar itself is not ours: [`lower`] wraps a published parser and is the only module that names it.

pub mod diagnostic;
pub mod grammar;
pub mod lower;
pub mod schema;

pub mod source;
pub mod stack;
pub mod tree;
mod type_comment;
mod type_lines;

pub use diagnostic::{Diagnostic, ErrorKind, Fix, Origin};
pub use lower::{parse_expression, parse_function, parse_module};
pub use source::{Source, Span};
pub use type_lines::check_type_lines;
