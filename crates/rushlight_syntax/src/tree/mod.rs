//! The syntax tree of TorchScript source.
//!
//! The shape is that of Python's own tree: every construct of Python has a node, so that the compiler can refuse what
//! it does not support by name and place. Every node carries a [`Span`](crate::Span).
//!
//! Trees made by this crate are at most [`MAX_EXPRESSION_DEPTH`](crate::lower::MAX_EXPRESSION_DEPTH) expressions and
//! [`MAX_BLOCK_DEPTH`](crate::lower::MAX_BLOCK_DEPTH) blocks deep, so that walking them by recursion is safe.

mod expr;
mod parts;
mod stmt;
mod walks;

pub use expr::{
    BinaryOp, BoolOp, Call, CompareOp, Comprehension, Constant, Conversion, DictItem, Expr,
    ExprKind, Keyword, Lambda, StringPart, UnaryOp,
};
pub use stmt::{
    Alias, Assign, ClassDef, Def, ExceptHandler, For, Ident, If, ImportFrom, MatchCase, Module,
    Param, ParamKind, Params, Pattern, PatternKind, SignatureComment, Stmt, StmtKind, Try,
    TypeParam, TypeParamKind, While, With, WithItem,
};

use std::sync::Arc;

/// A name of the source: shared, immutable, cheap to clone.
pub type Name = Arc<str>;
