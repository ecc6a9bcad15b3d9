//! What is derived for other parts of the tree, for those that nest: every level sees to it that there is stack for the next.

use std::fmt;

use super::{Expr, Stmt};
use crate::stack::deep;

macro_rules! nesting {
    ($($node:ident)*) => {$(
        impl Clone for $node {
            fn clone(&self) -> $node {
                deep(|| $node {
                    kind: self.kind.clone(),
                    span: self.span.clone(),
                })
            }
        }

        impl PartialEq for $node {
            fn eq(&self, other: &$node) -> bool {
                deep(|| self.kind == other.kind && self.span == other.span)
            }
        }

        impl fmt::Debug for $node {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                deep(|| {
                    f.debug_struct(stringify!($node))
                        .field("kind", &self.kind)
                        .field("span", &self.span)
                        .finish()
                })
            }
        }
    )*};
}

nesting! { Expr Stmt }
