//! Small blocks that a thread keeps when they are given back, for the next that ask for as much.
//!
//! Programs of scripts make and drop small things all the time: nodes of dicts, tuples, strings, the two headers of a tensor.
//! Sizes are rounded up to classes of sixteen bytes, so that any block of a class serves any size of it. Each thread has a
//! list for each class, linked through the blocks themselves; a block may be given back by another thread
//! than took it and then stays there. What a thread keeps goes to the system when the thread ends.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::{NonNull, null_mut};

/// Sizes are rounded up to multiples of this.
const STEP: usize = 16;

/// So many classes; larger blocks are the system's.
const CLASSES: usize = 32;

/// So many bytes a thread keeps: what a program drops when a list of some ten thousand small things ends.
const KEPT: usize = 4 << 20;

/// The class of a small block, and the layout that all blocks of the class have.
#[inline(always)]
pub(crate) fn class_of(layout: Layout) -> Option<usize> {
    let class = layout.size().wrapping_sub(1) / STEP;
    (class < CLASSES && layout.align() <= STEP).then_some(class)
}

#[inline(always)]
fn layout_of(class: usize) -> Layout {
    let size = (class + 1) * STEP;
    // SAFETY: the alignment is a power of two, the size is not zero, a multiple of it and small.
    unsafe { Layout::from_size_align_unchecked(size, STEP) }
}

/// The blocks that a thread keeps.
pub(crate) struct Blocks {
    /// The first of each class; each holds where the next is.
    first: [Cell<*mut u8>; CLASSES],
    /// How many more bytes are kept. None before [`Blocks::open`] and after the thread's end.
    room: Cell<usize>,
    opened: Cell<bool>,
}

impl Blocks {
    pub(crate) const fn new() -> Blocks {
        Blocks {
            first: [const { Cell::new(null_mut()) }; CLASSES],
            room: Cell::new(0),
            opened: Cell::new(false),
        }
    }

    /// A block of a class that this thread kept, if there is one.
    #[inline(always)]
    pub(crate) fn take(&self, class: usize) -> Option<NonNull<u8>> {
        let block = NonNull::new(self.first[class].get())?;
        // SAFETY: blocks in the list are ours alone, as long and as aligned as a pointer, and hold where the next is.
        self.first[class].set(unsafe { block.cast::<*mut u8>().read() });
        self.room.set(self.room.get() + layout_of(class).size());
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
        if self.room.get() < size && !self.open() {
            // SAFETY: blocks of a class come from the system with its layout.
            return unsafe { System.dealloc(block.as_ptr(), layout_of(class)) };
        }
        self.room.set(self.room.get() - size);
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
            self.room.set(KEPT);
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
        self.room.set(0);
    }
}

/// A block of a class from the system; null where it has none.
#[inline(always)]
pub(crate) fn fresh(class: usize) -> *mut u8 {
    // SAFETY: the layout has a size.
    unsafe { System.alloc(layout_of(class)) }
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
