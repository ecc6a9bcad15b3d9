//! Alias annotations of schemas: which arguments and results may share memory, and which are written.

use std::fmt::{self, Write};
use std::sync::Arc;

/// `(a!)`, `(a -> *)`, `(a|b)`: the alias sets of a value before and after the call.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AliasInfo {
    /// The sets before the call; `*` is the wildcard.
    pub before: Vec<Arc<str>>,
    /// The sets after it, the same as before unless the annotation has an arrow.
    pub after: Vec<Arc<str>>,
    pub is_write: bool,
    /// Annotations of the elements of a container.
    pub contained: Vec<AliasInfo>,
}

impl AliasInfo {
    /// Whether the value, or what it contains, is written.
    pub fn writes(&self) -> bool {
        self.is_write || self.contained.iter().any(AliasInfo::writes)
    }

    /// Whether the annotation speaks only of contained values.
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }
}

impl fmt::Display for AliasInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('(')?;
        f.write_str(&self.before.join("|"))?;
        if self.is_write {
            f.write_char('!')?;
        }
        if self.after != self.before {
            write!(f, " -> {}", self.after.join("|"))?;
        }
        f.write_char(')')
    }
}
