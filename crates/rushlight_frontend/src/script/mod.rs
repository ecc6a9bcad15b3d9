//! From the syntax tree to a graph: one file per family of statements and expressions.
//!
//! [`Emitter`] holds the graph under construction, the place where nodes go, and the environment of variables.
//! Variables are read and written by nodes, wherever statements stand, and `return`, `break` and `continue` are nodes, too;
//! once a body is there, [`ssa`] makes values of variables and [`exits`] structured control flow of the statements.

pub(crate) mod advice;
mod annotation;
mod class;
mod compiler;
mod condition;
mod convert;
pub mod declare;
mod default;
mod define;
mod emitter;
mod environment;
mod exits;
mod expr;
mod facts;
mod matching;
mod overload;
pub(crate) mod recover;
mod refusal;
mod ssa;
mod stmt;
mod variables;

pub use annotation::{ByResolver, annotation_type};
pub use class::{
    MethodDef, MethodDefaults, MethodKind, check_methods, declare_class, declare_methods,
    methods_of, needed_here,
};
pub use compiler::{Compiler, FunctionSource};
pub use condition::{Condition, Refinements};
pub use emitter::{Arguments, Emitter, Named};
pub use environment::{Bound, Variable};
pub use facts::{Fact, Facts, Known};
pub use matching::{Matched, match_call};
pub use overload::overload;

pub(crate) use annotation::builtin_type;
pub(crate) use class::has_decorator;
pub use compiler::Library;
pub(crate) use default::value_of;
pub use define::{check_defaults, literal, signature};
pub(crate) use emitter::{all_near, nearest as nearest_name};
pub(crate) use expr::{check_hint, check_parts, narrow, several};
pub(crate) use matching::{pack as pack_results, wanted_list};
pub(crate) use recover::follows;
pub(crate) use refusal::all as refused_syntax;

use rushlight_ir::ValueId;
use rushlight_syntax::Span;
use rushlight_types::Type;

/// Converts where a conversion exists, tensors to numbers included, else returns the value as it is.
pub(crate) fn convert_implicitly(
    emitter: &mut Emitter<'_>,
    value: ValueId,
    wanted: &Type,
    span: &Span,
) -> ValueId {
    convert::implicitly(emitter, value, wanted, true, span)
}

/// `a.b.c` as text, for expressions that are dotted names.
pub fn dotted_text(expr: &rushlight_syntax::tree::Expr) -> Option<String> {
    condition::dotted(expr)
}
