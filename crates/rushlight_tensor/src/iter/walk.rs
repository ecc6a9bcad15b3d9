//! A cursor over the elements of one strided operand, in the order of the result's memory.

use smallvec::SmallVec;

/// One loop: how many steps, bytes per step, steps taken.
#[derive(Clone, Copy)]
struct Loop {
    size: usize,
    stride: usize,
    at: usize,
}

/// Where the next element lies, and the loops around it. Neighbouring loops that this operand can run as one are merged.
#[derive(Clone)]
pub(super) struct Walk {
    ptr: *mut u8,
    loops: SmallVec<[Loop; 4]>,
}

impl Walk {
    /// A cursor from `ptr` over `sizes` with strides in elements of `item` bytes; `order` lists the dimensions from the
    /// outermost loop to the innermost.
    pub(super) fn new(
        ptr: *mut u8,
        item: usize,
        sizes: &[usize],
        strides: &[usize],
        order: &[usize],
    ) -> Walk {
        let mut loops: SmallVec<[Loop; 4]> = SmallVec::new();
        for &d in order {
            let (size, stride) = (sizes[d], strides[d] * item);
            match loops.last_mut() {
                Some(last) if last.stride == stride * size => {
                    last.size *= size;
                    last.stride = stride;
                }
                _ => loops.push(Loop {
                    size,
                    stride,
                    at: 0,
                }),
            }
        }
        if loops.is_empty() {
            loops.push(Loop {
                size: 1,
                stride: item,
                at: 0,
            });
        }
        Walk { ptr, loops }
    }

    /// The innermost loop; there always is one.
    fn inner(&self) -> &Loop {
        &self.loops[self.loops.len() - 1]
    }

    /// The address of the next element.
    #[inline]
    pub(super) fn ptr(&self) -> *mut u8 {
        self.ptr
    }

    /// Bytes between elements of the innermost loop.
    #[inline]
    pub(super) fn stride(&self) -> usize {
        self.inner().stride
    }

    /// Elements before the innermost loop ends.
    #[inline]
    pub(super) fn left(&self) -> usize {
        self.inner().size - self.inner().at
    }

    /// Whether all elements are the same one.
    pub(super) fn is_constant(&self) -> bool {
        self.loops.len() == 1 && self.inner().stride == 0
    }

    /// Steps over `n` elements of the innermost loop, at most those left. Addresses are only meaningful before the end.
    pub(super) fn advance(&mut self, n: usize) {
        let mut steps = n;
        for l in self.loops.iter_mut().rev() {
            l.at += steps;
            self.ptr = self.ptr.wrapping_add(steps * l.stride);
            if l.at < l.size {
                return;
            }
            l.at = 0;
            self.ptr = self.ptr.wrapping_sub(l.size * l.stride);
            steps = 1;
        }
    }

    /// The cursor `n` elements further on; this one must be at its start, and have more than `n` elements.
    pub(super) fn from(&self, n: usize) -> Walk {
        let mut walk = self.clone();
        let mut rest = n;
        for l in walk.loops.iter_mut().rev() {
            l.at = rest % l.size;
            rest /= l.size;
            walk.ptr = walk.ptr.wrapping_add(l.at * l.stride);
        }
        walk
    }

    /// Calls `run(address, stride, count)` for the runs that make up the next `n` elements, and steps over them.
    pub(super) fn take(&mut self, mut n: usize, mut run: impl FnMut(*mut u8, usize, usize)) {
        while n > 0 {
            let count = n.min(self.left());
            run(self.ptr, self.stride(), count);
            self.advance(count);
            n -= count;
        }
    }
}
