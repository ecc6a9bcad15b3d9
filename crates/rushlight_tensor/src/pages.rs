//! Large blocks straight from the system, in large pages where it has them for who asks.
//!
//! A product reads megabytes of weights once; with pages of 4 KB each of some hundred of them has to be found by the processor
//! first, and made by the system in a fault of its own when it is first written.

use std::ptr::{NonNull, null_mut};

/// The size of a large page, or about: smaller blocks gain nothing.
pub(crate) const LARGE: usize = 2 << 20;

/// A new block of zeros, which begins with a large page; `None` where the system has none. So many bytes are whole small pages.
pub(crate) fn map(bytes: usize) -> Option<NonNull<u8>> {
    let first = fresh(bytes)?;
    if (first.as_ptr() as usize).is_multiple_of(LARGE) {
        return Some(advised(first, bytes));
    }
    // Newer systems align large mappings; elsewhere a larger one is cut to size.
    // SAFETY: the mapping was made above, and nobody knows it.
    unsafe { unmap(first, bytes) };
    let whole = fresh(bytes.checked_add(LARGE)?)?;
    let before = whole.as_ptr().align_offset(LARGE);
    let after = LARGE - before;
    // SAFETY: what lies before the first large page of the mapping, and behind so many bytes from there; nobody knows either.
    unsafe {
        let block = whole.add(before);
        for (part, len) in [(whole, before), (block.add(bytes), after)] {
            if len > 0 {
                unmap(part, len);
            }
        }
        Some(advised(block, bytes))
    }
}

/// Gives a block back.
///
/// # Safety
/// It has come from [`map`], with so many bytes, and nobody uses it any more.
pub(crate) unsafe fn unmap(block: NonNull<u8>, bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { libc::munmap(block.as_ptr().cast(), bytes) };
}

/// A mapping of zeros.
fn fresh(bytes: usize) -> Option<NonNull<u8>> {
    let (rights, kind) = (
        libc::PROT_READ | libc::PROT_WRITE,
        libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
    );
    // SAFETY: memory that is new, wherever the system has room.
    let first = unsafe { libc::mmap(null_mut(), bytes, rights, kind, -1, 0) };
    match first == libc::MAP_FAILED {
        true => None,
        false => NonNull::new(first.cast()),
    }
}

/// Asks for large pages; where there are none, small ones do.
fn advised(block: NonNull<u8>, bytes: usize) -> NonNull<u8> {
    // SAFETY: a mapping of ours, whose bytes stay what they are.
    unsafe { libc::madvise(block.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE) };
    block
}

#[cfg(test)]
mod tests {
    use super::{LARGE, map, unmap};

    #[test]
    fn blocks_are_aligned_zeros_of_any_size() {
        for bytes in [LARGE, LARGE + (512 << 10), 5 * LARGE + (64 << 10)] {
            let blocks = [map(bytes).unwrap(), map(bytes).unwrap()];
            for block in blocks {
                assert!((block.as_ptr() as usize).is_multiple_of(LARGE));
                // SAFETY: a block of so many bytes, which is this test's alone.
                unsafe {
                    let all = std::slice::from_raw_parts_mut(block.as_ptr(), bytes);
                    assert!(all.iter().all(|byte| *byte == 0));
                    all.fill(7);
                }
            }
            // SAFETY: as they came; nobody uses them.
            blocks
                .iter()
                .for_each(|block| unsafe { unmap(*block, bytes) });
        }
        assert!(map((usize::MAX >> 1) + 1).is_none());
    }
}
