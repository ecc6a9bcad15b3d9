//! Operators that changed their meaning: what calls of them in older archives become.
//!
//! A row says up to which file format version the old meaning holds. Versions are those of the reference's
//! operator-versioning table.

mod division;
mod filling;

use rushlight_frontend::script::{Arguments, Emitter};
use rushlight_frontend::{Outcome, Sugared};
use rushlight_syntax::Span;

/// Emits the call with its old meaning.
pub type Upgrade = fn(&mut Emitter<'_>, &str, &Arguments, &Span) -> Outcome<Sugared>;

/// (operator, last version with the old meaning, how it is emitted).
const UPGRADES: &[(&str, u64, Upgrade)] = &[
    ("aten::div", 3, division::truncating),
    ("aten::div_", 3, division::truncating),
    ("aten::full", 4, filling::float_by_default),
    ("aten::linspace", 7, filling::hundred_steps),
    ("aten::logspace", 8, filling::hundred_steps),
];

/// The upgrade of an operator in a file of some version.
pub fn find(operator: &str, version: u64) -> Option<Upgrade> {
    UPGRADES
        .iter()
        .find(|(name, last, _)| *name == operator && version <= *last)
        .map(|row| row.2)
}
