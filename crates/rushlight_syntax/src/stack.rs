//! Native stack for what recurses as deep as its input nests: more of it where little is left.
//!
//! Input may nest as deep as the limits of its reader allow; the stack of a thread may be small. Recursion passes through
//! these functions, and goes on in memory of its own when the thread's runs out.

/// When less is left, [`deep`] continues elsewhere: more than one level of anything needs, in builds without optimisation too.
const LEVEL: usize = 256 << 10;

/// How much [`deep`] takes at a time.
const PIECE: usize = 4 << 20;

/// When less is left, [`with_room`] continues elsewhere.
const ROOM: usize = 24 << 20;

/// How much [`with_room`] takes. The system hands out the pages that are used.
const WORK: usize = 64 << 20;

/// Runs one level of a recursion.
#[inline]
pub fn deep<T>(level: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(LEVEL, PIECE, level)
}

/// Runs a piece of work that recurses in many places, none of which nests deeper than the limits of the readers of
/// source allow.
pub fn with_room<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(ROOM, WORK, work)
}
