//! Blocks that a thread keeps when they are given back, for the next that ask for as much: small ones, and those that are so
//! large that the system would map them anew each time.
//!
//! Programs of scripts make and drop small things all the time: nodes of dicts, tuples, strings, the two headers of a tensor.
//! Sizes are rounded up to classes of sixteen bytes, so that any block of a class serves any size of it. Each thread has a
//! list for each class, linked through the blocks themselves; a block may be given back by another thread
//! than took it and then stays there. What a thread keeps goes to the system when the thread ends.
//!
//! Operators take large blocks for as long as they run: places of elements, keys of a sort. Each page of a mapping costs a fault
//! and is filled with zeros, which takes longer than most of what is done with it. Their sizes are rounded up to quarters
//! of powers of two.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::{NonNull, null_mut};

/// Sizes are rounded up to multiples of this.
const STEP: usize = 16;

/// So many classes of small blocks.
const SMALL: usize = 32;

/// The powers of two that large blocks are between; others are the system's.
const LARGE: [u32; 2] = [17, 23];

/// All classes: those of large blocks are four to a power of two.
const CLASSES: usize = SMALL + 4 * (LARGE[1] - LARGE[0]) as usize + 1;

/// So many bytes a thread keeps in small blocks, which is what a program drops when a list of some ten thousand small things
/// ends, and in large ones.
const KEPT: [usize; 2] = [4 << 20, 32 << 20];

/// The class of a block that is kept.
#[inline(always)]
pub(crate) fn class_of(layout: Layout) -> Option<usize> {
    let class = layout.size().wrapping_sub(1) / STEP;
    match class < SMALL && layout.align() <= STEP {
        true => Some(class),
        false => large_class(layout),
    }
}

#[inline]
fn large_class(layout: Layout) -> Option<usize> {
    let size = layout.size();
    if size < 1 << LARGE[0] || size > 1 << LARGE[1] || layout.align() > STEP {
        return None;
    }
    let power = size.ilog2();
    let quarters = (size - (1 << power)).div_ceil(1 << (power - 2));
    Some(SMALL + 4 * (power - LARGE[0]) as usize + quarters)
}

/// Which of [`KEPT`] a class counts for.
#[inline(always)]
fn kind_of(class: usize) -> usize {
    usize::from(class >= SMALL)
}

/// The layout that all blocks of a class have.
#[inline(always)]
fn layout_of(class: usize) -> Layout {
    let size = match class.checked_sub(SMALL) {
        None => (class + 1) * STEP,
        Some(large) => (4 + large % 4) << (LARGE[0] as usize - 2 + large / 4),
    };
    // SAFETY: the alignment is a power of two, the size is not zero, a multiple of it and at most 2^23.
    unsafe { Layout::from_size_align_unchecked(size, STEP) }
}

/// The blocks that a thread keeps.
pub(crate) struct Blocks {
    /// The first of each class; each holds where the next is.
    first: [Cell<*mut u8>; CLASSES],
    /// How many more bytes are kept. None before [`Blocks::open`] and after the thread's end.
    room: [Cell<usize>; 2],
    opened: Cell<bool>,
}

impl Blocks {
    pub(crate) const fn new() -> Blocks {
        Blocks {
            first: [const { Cell::new(null_mut()) }; CLASSES],
            room: [const { Cell::new(0) }; 2],
            opened: Cell::new(false),
        }
    }

    /// A block of a class that this thread kept, if there is one.
    #[inline(always)]
    pub(crate) fn take(&self, class: usize) -> Option<NonNull<u8>> {
        let block = NonNull::new(self.first[class].get())?;
        // SAFETY: blocks in the list are ours alone, as long and as aligned as a pointer, and hold where the next is.
        self.first[class].set(unsafe { block.cast::<*mut u8>().read() });
        let room = &self.room[kind_of(class)];
        room.set(room.get() + layout_of(class).size());
        Some(block)
    }

    /// Keeps a block, or gives it to the system where there are enough.
    ///
    /// # Safety
    ///
    /// Nobody uses the block any more, and it came from [`Blocks::take`] or [`fresh`] with this class.
    #[inline(always)]
    pub(crate) unsafe fn give(&self, class: usize, block: NonNull<u8>) {
        let size = layout_of(class).size();
        let room = &self.room[kind_of(class)];
        if room.get() < size && !self.open() {
            // SAFETY: blocks of a class come from the system with its layout.
            return unsafe { System.dealloc(block.as_ptr(), layout_of(class)) };
        }
        room.set(room.get() - size);
        // SAFETY: the block is ours now; it is as long and as aligned as a pointer.
        unsafe { block.cast::<*mut u8>().write(self.first[class].get()) };
        self.first[class].set(block.as_ptr());
    }

    /// Makes room in a thread that has kept nothing yet. `false` where there is none.
    #[cold]
    #[inline(never)]
    fn open(&self) -> bool {
        let is_new = !self.opened.replace(true) && KEEPER.try_with(|_| ()).is_ok();
        if is_new {
            for (room, kept) in self.room.iter().zip(KEPT) {
                room.set(kept);
            }
        }
        is_new
    }

    /// Gives everything to the system and keeps nothing more.
    pub(crate) fn close(&self) {
        for class in 0..CLASSES {
            while let Some(block) = self.take(class) {
                // SAFETY: blocks of a class come from the system with its layout; this one is out of the list.
                unsafe { System.dealloc(block.as_ptr(), layout_of(class)) };
            }
        }
        self.room.iter().for_each(|room| room.set(0));
    }
}

/// A block of a class from the system; null where it has none.
#[inline(always)]
pub(crate) fn fresh(class: usize) -> *mut u8 {
    // SAFETY: the layout has a size.
    unsafe { System.alloc(layout_of(class)) }
}

/// The same of zeros.
#[inline(always)]
pub(crate) fn fresh_zeroed(class: usize) -> *mut u8 {
    // SAFETY: the layout has a size.
    unsafe { System.alloc_zeroed(layout_of(class)) }
}

/// Empties the lists of a thread that ends.
struct Keeper;

impl Drop for Keeper {
    fn drop(&mut self) {
        crate::memory::close_blocks();
    }
}

thread_local! {
    static KEEPER: Keeper = const { Keeper };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_class_have_room_for_its_sizes() {
        for size in (1..600)
            .chain((120_000..8_500_000).step_by(4099))
            .chain([1 << 17, 1 << 23])
        {
            let layout = Layout::from_size_align(size, 8).unwrap();
            match class_of(layout) {
                Some(class) => {
                    assert!(class < CLASSES && layout_of(class).size() >= size, "{size}");
                    assert!(
                        layout_of(class).size() <= size + STEP.max(size / 4 + 1),
                        "{size}"
                    );
                }
                None => assert!((513..1 << 17).contains(&size) || size > 1 << 23, "{size}"),
            }
        }
        assert!(class_of(Layout::from_size_align(1 << 20, 64).unwrap()).is_none());
    }
}
