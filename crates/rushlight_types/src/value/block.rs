//! Bytes that strings share: a count and the bytes behind it, in one piece of memory.

use rushlight_tensor::memory;
use std::alloc::{Layout, alloc, dealloc};
use std::ptr::{NonNull, copy_nonoverlapping};
use std::sync::atomic::{AtomicUsize, Ordering, fence};

/// What leads to shared bytes. It knows neither their number nor who counts: who keeps one sees to both.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Block(NonNull<AtomicUsize>);

/// Where the bytes begin.
const BYTES: usize = size_of::<AtomicUsize>();

/// The layout of so many bytes and their count, where there can be so many.
#[inline(always)]
fn layout(len: usize) -> Option<Layout> {
    let size = len.checked_add(BYTES)?;
    Layout::from_size_align(size, align_of::<AtomicUsize>()).ok()
}

/// Leaves the running call.
#[cold]
fn no_memory(len: usize) -> ! {
    memory::give_up(memory::failed(len))
}

impl Block {
    /// So many bytes, which `write` writes, counted once; leaves the running call where there is not so much memory.
    #[inline]
    pub fn build(len: usize, write: impl FnOnce(&mut Writer)) -> Block {
        memory::check(len, 1).unwrap_or_else(|fault| memory::give_up(fault));
        let layout = layout(len).unwrap_or_else(|| no_memory(len));
        // SAFETY: the layout has a size.
        let block = NonNull::new(unsafe { alloc(layout) }.cast::<AtomicUsize>());
        let block = block.unwrap_or_else(|| no_memory(len));
        // SAFETY: the block begins with room for a count, behind which are `len` bytes, and nobody else knows it.
        let next = unsafe {
            block.write(AtomicUsize::new(1));
            block.as_ptr().cast::<u8>().add(BYTES)
        };
        let mut writer = Writer { next, left: len };
        write(&mut writer);
        assert!(writer.left == 0, "a string is shorter than was said");
        Block(block)
    }

    /// The bytes.
    ///
    /// # Safety
    ///
    /// The block was made with so many, and is counted for as long as they are looked at.
    #[inline(always)]
    pub unsafe fn bytes<'a>(self, len: usize) -> &'a [u8] {
        // SAFETY: the caller's promise; all bytes were written when the block was made, and nobody writes them since.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast::<u8>().add(BYTES), len) }
    }

    /// Counts one more that keeps the block.
    ///
    /// # Safety
    ///
    /// The block is counted.
    #[inline]
    pub unsafe fn keep(self) {
        // SAFETY: the caller's promise.
        let count = unsafe { self.0.as_ref() }.fetch_add(1, Ordering::Relaxed);
        assert!(count <= isize::MAX as usize, "a string is kept too often");
    }

    /// Counts one less, and gives the memory back with the last.
    ///
    /// # Safety
    ///
    /// The block was made with so many bytes, and is counted for the caller, who does not use it any more.
    #[inline]
    pub unsafe fn drop(self, len: usize) {
        // SAFETY: the caller's promise.
        if unsafe { self.0.as_ref() }.fetch_sub(1, Ordering::Release) == 1 {
            fence(Ordering::Acquire);
            if let Some(layout) = layout(len) {
                // SAFETY: nobody else is counted; the layout is what the block was made with.
                unsafe { dealloc(self.0.as_ptr().cast(), layout) };
            }
        }
    }
}

/// Writes the bytes of a new block from its first to its last.
pub(super) struct Writer {
    next: *mut u8,
    left: usize,
}

impl Writer {
    /// Bytes come next.
    #[inline]
    pub fn put(&mut self, bytes: &[u8]) {
        assert!(bytes.len() <= self.left, "a string is longer than was said");
        // SAFETY: so many bytes are left to be written, in a block that nobody else knows.
        unsafe { copy_nonoverlapping(bytes.as_ptr(), self.next, bytes.len()) };
        self.pass(bytes.len());
    }

    /// The lowest bytes of a number come next. Where there is room, all sixteen are written at once: those behind are written
    /// over.
    #[inline]
    pub fn put_number(&mut self, number: u128, len: usize) {
        let bytes = number.to_le_bytes();
        if self.left < bytes.len() {
            return self.put(&bytes[..len]);
        }
        assert!(len <= bytes.len(), "a number has sixteen bytes");
        // SAFETY: as in `put`; so many are left.
        unsafe { self.next.cast::<[u8; 16]>().write(bytes) };
        self.pass(len);
    }

    /// Goes on behind bytes that were written, which are at most those that are left.
    #[inline(always)]
    fn pass(&mut self, len: usize) {
        // SAFETY: the caller has seen that the block goes on for so long.
        self.next = unsafe { self.next.add(len) };
        self.left -= len;
    }
}
