//! Which unusual kinds of tensors there have been in this process.
//!
//! Kernels are written for plain tensors. As long as no quantized tensor and none with marks was made, nobody has to look
//! for them among the arguments of a call.

use std::sync::atomic::{AtomicU8, Ordering};

static SEEN: AtomicU8 = AtomicU8::new(0);

const QUANTIZED: u8 = 1;
const MARKED: u8 = 2;

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
}

/// The kinds of tensors that there have been so far.
#[inline]
pub fn seen() -> Kinds {
    Kinds(SEEN.load(Ordering::Relaxed))
}

/// Notes what a new tensor is.
#[inline]
pub(crate) fn note(is_quantized: bool, is_marked: bool) {
    if is_quantized || is_marked {
        note_kinds((u8::from(is_quantized) * QUANTIZED) | (u8::from(is_marked) * MARKED));
    }
}

#[cold]
fn note_kinds(kinds: u8) {
    if SEEN.load(Ordering::Relaxed) & kinds != kinds {
        SEEN.fetch_or(kinds, Ordering::Relaxed);
    }
}
