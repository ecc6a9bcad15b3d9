//! Bytes that strings share: a count and the bytes behind it, in one piece of memory, which may have room for more.

use rushlight_tensor::memory;
use std::alloc::{Layout, alloc, dealloc, realloc};
use std::ptr::{NonNull, copy_nonoverlapping};
use std::sync::atomic::{AtomicUsize, Ordering, fence};

/// What leads to shared bytes. It knows neither their number nor who counts: who keeps one sees to both.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Block(NonNull<Head>);

/// What a block begins with.
struct Head {
    count: AtomicUsize,
    /// How many bytes there is room for.
    room: usize,
}

/// Where the bytes begin.
const BYTES: usize = size_of::<Head>();

/// Blocks are as many bytes long as allocators give anyway: a multiple of this.
const STEP: usize = 16;

/// So many bytes there is room for where that many are asked for.
#[inline(always)]
fn rounded(len: usize) -> Option<usize> {
    Some(len.checked_add(BYTES)?.checked_next_multiple_of(STEP)? - BYTES)
}

/// The layout of a block with room for so many bytes, where there can be so many.
#[inline(always)]
fn layout(room: usize) -> Option<Layout> {
    let size = room.checked_add(BYTES)?;
    Layout::from_size_align(size, align_of::<Head>()).ok()
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
        let room = rounded(len).unwrap_or_else(|| no_memory(len));
        let layout = layout(room).unwrap_or_else(|| no_memory(len));
        // SAFETY: the layout has a size.
        let block = NonNull::new(unsafe { alloc(layout) }.cast::<Head>());
        let block = block.unwrap_or_else(|| no_memory(len));
        let count = AtomicUsize::new(1);
        // SAFETY: the block begins with room for a head, behind which are at least `len` bytes, and nobody else knows it.
        let next = unsafe {
            block.write(Head { count, room });
            block.as_ptr().cast::<u8>().add(BYTES)
        };
        let mut writer = Writer { next, left: len };
        write(&mut writer);
        assert!(writer.left == 0, "a string is shorter than was said");
        Block(block)
    }

    /// A block with more bytes behind those that this one has, where the caller is the only one that counts for it: the
    /// same one where there is room, else one with room for twice as many, or for these where there is no memory for that.
    /// `None`, and nothing done, where others count, too. Leaves the running call, with nothing done, where there is not so
    /// much memory.
    ///
    /// # Safety
    ///
    /// The block has so many bytes, and is counted for the caller, who uses what is returned in its place.
    #[inline]
    pub unsafe fn grown(self, len: usize, more: &[u8]) -> Option<Block> {
        // SAFETY: the caller's promise.
        let head = unsafe { self.0.as_ref() };
        // What others did with it is done, as seen from here.
        if head.count.load(Ordering::Acquire) != 1 {
            return None;
        }
        let end = len.checked_add(more.len());
        let end = end.unwrap_or_else(|| no_memory(len));
        let block = match end <= head.room {
            true => self,
            // SAFETY: nobody else counts for it.
            false => unsafe { self.moved(end, end.max(len.saturating_mul(2))) },
        };
        // SAFETY: nobody else knows the block, which has room up to `end`; what comes there is borrowed from elsewhere, since
        // whoever could lend from this block would count for it.
        unsafe {
            let to = block.0.as_ptr().cast::<u8>().add(BYTES + len);
            copy_nonoverlapping(more.as_ptr(), to, more.len());
        }
        Some(block)
    }

    /// The same bytes with room for so many as are wanted, or else for as many as are needed.
    ///
    /// # Safety
    ///
    /// The block is counted for the caller alone, who uses what is returned in its place.
    #[cold]
    unsafe fn moved(self, needed: usize, wanted: usize) -> Block {
        let wanted = match memory::check(wanted, 1) {
            Ok(()) => wanted,
            Err(_) => needed,
        };
        memory::check(wanted, 1).unwrap_or_else(|fault| memory::give_up(fault));
        // SAFETY: the caller's promise.
        let old = unsafe { self.0.as_ref() }.room;
        let (Some(old), Some(room)) = (layout(old), rounded(wanted)) else {
            no_memory(wanted)
        };
        let new = layout(room).unwrap_or_else(|| no_memory(wanted));
        // SAFETY: the block was made with the old layout; the new one has a size and is a layout.
        let block = unsafe { realloc(self.0.as_ptr().cast(), old, new.size()) };
        let block = NonNull::new(block.cast::<Head>()).unwrap_or_else(|| no_memory(wanted));
        // SAFETY: nobody else knows the block, whose head was moved with it.
        unsafe { (*block.as_ptr()).room = room };
        Block(block)
    }

    /// The bytes.
    ///
    /// # Safety
    ///
    /// The block has so many, and is counted for as long as they are looked at.
    #[inline(always)]
    pub unsafe fn bytes<'a>(self, len: usize) -> &'a [u8] {
        // SAFETY: the caller's promise; bytes are written before they are said to be there, and not again.
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
        let count = unsafe { self.0.as_ref() }
            .count
            .fetch_add(1, Ordering::Relaxed);
        assert!(count <= isize::MAX as usize, "a string is kept too often");
    }

    /// Counts one less, and gives the memory back with the last.
    ///
    /// # Safety
    ///
    /// The block is counted for the caller, who does not use it any more.
    #[inline]
    pub unsafe fn drop(self) {
        // SAFETY: the caller's promise.
        let count = unsafe { &self.0.as_ref().count };
        if count.fetch_sub(1, Ordering::Release) == 1 {
            fence(Ordering::Acquire);
            // SAFETY: nobody else is counted, so that it is there until this is done with it.
            let room = unsafe { self.0.as_ref() }.room;
            if let Some(layout) = layout(room) {
                // SAFETY: as above; the layout is what the block was made with.
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
