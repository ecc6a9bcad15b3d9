//! How deep objects and values may be nested in one another.

/// Nesting beyond this is refused: self-containing lists must end.
pub const MAX_DEPTH: usize = 100;
