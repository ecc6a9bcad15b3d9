//! Numbers and names of values, given out as the reference gives them.
//!
//! Every value has a number: its place in the order of creation. A value that the program names prints with the name
//! instead. When a second value takes a name, the first one goes on with a suffix, so that the last `x` is `x` and the
//! others are `x.1`, `x.3`, ... Values that no later phase keeps (reads of
//! variables, say) count nevertheless.

use crate::ValueId;
use std::collections::HashMap;
use std::sync::Arc;

/// The number of a value that has none yet.
pub(crate) const UNNUMBERED: u32 = u32::MAX;

/// What has been given out so far.
#[derive(Clone, Default)]
pub(crate) struct Naming {
    pub next: u32,
    /// While set, new values get neither number nor name.
    pub paused: bool,
    /// Who has a name.
    pub holders: HashMap<Arc<str>, ValueId>,
    suffixes: HashMap<Arc<str>, u32>,
}

impl Naming {
    /// The next number.
    pub fn number(&mut self) -> u32 {
        if self.paused {
            return UNNUMBERED;
        }
        self.next += 1;
        self.next - 1
    }

    /// A name that nobody has, with the same base.
    pub fn fresh(&mut self, name: &str) -> Arc<str> {
        let (base, suffix) = split(name);
        let mut suffix = suffix
            .unwrap_or(0)
            .max(self.suffixes.get(base).copied().unwrap_or(0));
        loop {
            suffix = suffix.saturating_add(1);
            let candidate = format!("{base}.{suffix}");
            if !self.holders.contains_key(candidate.as_str()) {
                self.suffixes.insert(base.into(), suffix.saturating_add(1));
                return candidate.into();
            }
        }
    }

    /// Forgets a name if this is who has it.
    pub fn release(&mut self, name: &str, holder: ValueId) {
        if self.holders.get(name) == Some(&holder) {
            self.holders.remove(name);
        }
    }
}

/// A name without the suffix that makes it unique, and the suffix.
pub(crate) fn split(name: &str) -> (&str, Option<u32>) {
    match name.rsplit_once('.') {
        Some((base, digits)) if !base.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
            match digits.parse() {
                Ok(suffix) => (base, Some(suffix)),
                Err(_) => (name, None),
            }
        }
        _ => (name, None),
    }
}

/// Whether a name says anything: an underscore with at most digits behind does not.
pub fn is_telling(name: &str) -> bool {
    let digits = name.strip_prefix('_');
    digits.is_none_or(|rest| !rest.bytes().all(|b| b.is_ascii_digit()))
}
