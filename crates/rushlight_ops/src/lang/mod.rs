//! The language's own operators: numbers, strings, lists, dicts, casts and the rest of `prim::`.

use rushlight_types::Operator;

/// The families of this folder.
pub static FAMILIES: &[&[Operator]] = &[];
