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

/// The file format version that is written where no operator asks for a later one.
pub const OLDEST_WRITTEN: u64 = 3;

/// The newest file format version that there is.
pub const NEWEST_WRITTEN: u64 = 10;

/// (operator, first version with today's meaning), for those whose older calls need no upgrade here but do elsewhere.
const SINCE: &[(&str, u64)] = &[
    ("aten::divide", 4),
    ("aten::divide_", 4),
    ("aten::gelu", 10),
    ("aten::true_divide", 4),
    ("aten::true_divide_", 4),
];

/// The first file format version in which an operator means what it means now; 0 for those that never changed.
pub fn since(operator: &str) -> u64 {
    let upgraded = UPGRADES.iter().find(|row| row.0 == operator);
    match upgraded {
        Some((_, last, _)) => last + 1,
        None => SINCE
            .iter()
            .find(|row| row.0 == operator)
            .map_or(0, |row| row.1),
    }
}
