//! Groups of instructions that are done at once. A group stands before its instructions, which stay where they are: where
//! everything is as a group expects it, it is done and control goes on behind them, and otherwise nothing has been done and
//! they follow. So there is one meaning of each instruction, and all errors are theirs.

use super::Reg;
use super::elements::Elements;
use super::layers;
use super::tiles::Tiles;
use rushlight_types::{Context, Layer, Value};
use std::sync::atomic::{AtomicI32, Ordering};

/// So many times in a row a group finds tensors that are not for it before it pauses,
const MOST_MISSES: i32 = 8;
/// for so many times.
const PAUSE: i32 = 1000;

/// A group.
pub enum Group {
    /// Single elements of tensors.
    Elements(Elements),
    /// Chains of elementwise operators.
    Tiles(Box<Tiles>),
    /// A convolution and what follows it.
    Layer(Box<layers::Layer>),
}

impl Group {
    /// Calls `read` with every register that the group reads.
    pub fn reads(&self, read: impl FnMut(Reg)) {
        match self {
            Group::Elements(elements) => elements.reads().for_each(read),
            Group::Tiles(tiles) => tiles.reads().for_each(read),
            Group::Layer(layer) => layer.reads().for_each(read),
        }
    }

    /// Calls `write` with every register that it writes.
    pub fn writes(&self, write: impl FnMut(Reg)) {
        match self {
            Group::Elements(elements) => elements.writes().for_each(write),
            Group::Tiles(tiles) => tiles.writes().for_each(write),
            Group::Layer(layer) => layer.writes().for_each(write),
        }
    }

    /// Does the group; `false`, and nothing done, where it has to be done one by one. Where nobody may be kept waiting, that
    /// is so of what takes long, too.
    #[inline]
    pub(crate) fn run(&self, frame: &mut [Value], context: &Context, is_short: bool) -> bool {
        let layers = context.layers();
        let gradients = Layer::Gradient as u8;
        if layers & !gradients != 0 {
            return false;
        }
        let records = layers & gradients != 0 && context.grad_enabled();
        match self {
            Group::Elements(elements) => elements.run(frame, records),
            Group::Tiles(tiles) => tiles.run(frame, records, is_short),
            Group::Layer(layer) => !is_short && layer.run(frame, context, records),
        }
    }
}

/// Misses in a row, or below zero how long a group pauses. Threads that count at once may count less.
#[derive(Default)]
pub(crate) struct Misses(AtomicI32);

impl Misses {
    /// Tries unless there have been too many misses lately; whether it was done.
    #[inline]
    pub fn attempt(&self, work: impl FnOnce() -> Option<()>) -> bool {
        let misses = self.0.load(Ordering::Relaxed);
        if misses < 0 {
            self.0.store(misses + 1, Ordering::Relaxed);
            return false;
        }
        let is_done = work().is_some();
        if !is_done {
            let next = if misses + 1 < MOST_MISSES {
                misses + 1
            } else {
                -PAUSE
            };
            self.0.store(next, Ordering::Relaxed);
        } else if misses > 0 {
            self.0.store(0, Ordering::Relaxed);
        }
        is_done
    }
}
