//! Which unusual kinds of tensors there have been in this process.
//!
//! Kernels are written for plain tensors. As long as no quantized tensor, none with marks and none that is kept outside was
//! made, nobody has to look for them among the arguments of a call.

use crate::Marks;
use std::sync::atomic::{AtomicU8, Ordering};

static SEEN: AtomicU8 = AtomicU8::new(0);

const QUANTIZED: u8 = 1;
const MARKED: u8 = 2;
const META: u8 = 4;
const KEPT: u8 = 8;

/// The kinds that there have been.
#[derive(Clone, Copy)]
pub struct Kinds(u8);

impl Kinds {
    /// Whether there were none but plain tensors.
    #[inline]
    pub fn plain_alone(self) -> bool {
        self.0 == 0
    }

    /// Whether a quantized tensor was made.
    #[inline]
    pub fn quantized(self) -> bool {
        self.0 & QUANTIZED != 0
    }

    /// Whether a tensor was made whose elements are read with [`crate::Marks`].
    #[inline]
    pub fn marked(self) -> bool {
        self.0 & MARKED != 0
    }

    /// Whether a tensor was made that has no elements.
    #[inline]
    pub fn meta(self) -> bool {
        self.0 & META != 0
    }

    /// Whether a tensor was made whose elements somebody outside keeps.
    #[inline]
    pub fn kept(self) -> bool {
        self.0 & KEPT != 0
    }
}

/// Notes that a tensor is made whose elements somebody outside keeps.
pub(crate) fn note_kept() {
    note_kinds(KEPT);
}

/// The kinds of tensors that there have been so far.
#[inline]
pub fn seen() -> Kinds {
    Kinds(SEEN.load(Ordering::Relaxed))
}

/// Notes what a new tensor is.
#[inline]
pub(crate) fn note(is_quantized: bool, marks: Marks) {
    if is_quantized || !marks.is_none() {
        let is_meta = marks.has(Marks::META);
        let is_marked = !marks.without(Marks::META).is_none();
        note_kinds(
            (u8::from(is_quantized) * QUANTIZED)
                | (u8::from(is_marked) * MARKED)
                | (u8::from(is_meta) * META),
        );
    }
}

#[cold]
fn note_kinds(kinds: u8) {
    if SEEN.load(Ordering::Relaxed) & kinds != kinds {
        SEEN.fetch_or(kinds, Ordering::Relaxed);
    }
}
