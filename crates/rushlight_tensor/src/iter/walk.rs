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

    /// After how many elements the same ones follow, where the outermost loops stay where they are; 0 where they do not.
    pub(super) fn period(&self) -> usize {
        let moving = self.loops.iter().skip_while(|l| l.stride == 0);
        let (count, period) = moving.fold((0, 1usize), |(count, period), l| {
            (count + 1, period.saturating_mul(l.size))
        });
        match count == 0 || count == self.loops.len() {
            true => 0,
            false => period,
        }
    }

    /// Writes the next `n` elements, which come in runs of the same one, to a tile with room for `room`, and steps over
    /// them.
    ///
    /// # Safety
    /// The elements must lie in live memory, be of the size of `T` and come in runs: the innermost stride is 0.
    pub(super) unsafe fn repeat<T: Copy>(&mut self, mut n: usize, tile: *mut u8, room: usize) {
        /// Runs that are shorter are written longer than they are; what follows writes over the rest.
        const WIDE: usize = 8;
        let tile = tile.cast::<T>();
        let mut at = 0;
        while n > 0 {
            let run = self.inner().size;
            // SAFETY: the walk stays inside the operand, `at` and what is written below `room`.
            unsafe {
                let Some((stride, rows)) = self.whole_rows(n) else {
                    let count = n.min(self.left());
                    let value = self.ptr.cast::<T>().read_unaligned();
                    (at..at + count).for_each(|i| tile.add(i).write(value));
                    self.advance(count);
                    (at, n) = (at + count, n - count);
                    continue;
                };
                for row in 0..rows {
                    let value = self
                        .ptr
                        .wrapping_add(row * stride)
                        .cast::<T>()
                        .read_unaligned();
                    if run <= WIDE && at + WIDE <= room {
                        tile.add(at)
                            .cast::<[T; WIDE]>()
                            .write_unaligned([value; WIDE]);
                    } else {
                        (at..at + run).for_each(|i| tile.add(i).write(value));
                    }
                    at += run;
                }
                self.advance_rows(rows);
                n -= rows * run;
            }
        }
    }

    /// Copies the next `n` elements of `item` bytes, which lie in runs of neighbours, to a tile, and steps over them.
    ///
    /// # Safety
    /// The elements must lie in live memory and come in runs: the innermost stride is `item`. The tile has room for them.
    pub(super) unsafe fn rows(&mut self, item: usize, mut n: usize, mut tile: *mut u8) {
        while n > 0 {
            let whole = self.whole_rows(n);
            let (stride, rows) = whole.unwrap_or((0, 1));
            let count = n.min(self.left());
            let bytes = count * item;
            // SAFETY: the walk stays inside the operand, and the tile has room for what it steps over.
            unsafe {
                match bytes {
                    32.. => copies::<[u64; 4]>(self.ptr, stride, tile, bytes, rows),
                    16.. => copies::<[u64; 2]>(self.ptr, stride, tile, bytes, rows),
                    8.. => copies::<u64>(self.ptr, stride, tile, bytes, rows),
                    4.. => copies::<u32>(self.ptr, stride, tile, bytes, rows),
                    2.. => copies::<u16>(self.ptr, stride, tile, bytes, rows),
                    _ => copies::<u8>(self.ptr, stride, tile, bytes, rows),
                }
            }
            tile = tile.wrapping_add(rows * bytes);
            n -= rows * count;
            match whole {
                Some(_) => self.advance_rows(rows),
                None => self.advance(count),
            }
        }
    }

    /// How far apart the next runs of the innermost loop lie, where it is at its start, and how many of them, whole, are in the
    /// next `n` elements before the loop around it ends.
    #[inline]
    fn whole_rows(&self, n: usize) -> Option<(usize, usize)> {
        let around = self.loops.len().checked_sub(2).map(|at| self.loops[at])?;
        let run = self.inner().size;
        (self.inner().at == 0 && n >= run)
            .then(|| (around.stride, (around.size - around.at).min(n / run)))
    }

    /// Steps over so many runs that [`Walk::whole_rows`] has found.
    #[inline]
    fn advance_rows(&mut self, rows: usize) {
        let (inner, outer) = (self.loops.len() - 1, self.loops.len() - 2);
        self.ptr = self.ptr.wrapping_add((rows - 1) * self.loops[outer].stride);
        self.loops[outer].at += rows - 1;
        self.advance(self.loops[inner].size);
    }

    /// How many runs of `n` elements, which there are, follow one another in the same way, and how many bytes lie from one to the
    /// next.
    #[inline]
    pub(super) fn runs_of(&self, n: usize) -> (usize, usize) {
        let left = self.left();
        match self.whole_rows(n) {
            Some((stride, _)) if left == n => {
                let around = self.loops[self.loops.len() - 2];
                (around.size - around.at, stride)
            }
            _ => (left / n.max(1), n.wrapping_mul(self.stride())),
        }
    }

    /// Steps over so many runs of `n` elements that [`Walk::runs_of`] has found.
    #[inline]
    pub(super) fn advance_runs(&mut self, n: usize, runs: usize) {
        match self.left() == n {
            true if runs > 1 => self.advance_rows(runs),
            _ => self.advance(n * runs),
        }
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

/// Copies rows of so many bytes, `stride` apart, to one place, in chunks that are no longer than a row; the last chunk of a row
/// ends where the row does.
///
/// # Safety
/// The rows must be readable, the place writable, and a row no shorter than a chunk.
#[inline(always)]
unsafe fn copies<C: Copy>(
    from: *const u8,
    stride: usize,
    mut to: *mut u8,
    bytes: usize,
    rows: usize,
) {
    let last = bytes - size_of::<C>();
    // Of a row that is repeated, what has been copied is copied.
    let (all, rows) = match stride {
        0 => (bytes * rows, rows.min(4)),
        _ => (0, rows),
    };
    let begin = to;
    for row in 0..rows {
        let from = from.wrapping_add(row * stride);
        let copy = |at: usize| {
            let chunk = from.wrapping_add(at).cast::<C>();
            // SAFETY: passed on; a chunk at most at `last` ends within the row.
            unsafe {
                to.wrapping_add(at)
                    .cast::<C>()
                    .write_unaligned(chunk.read_unaligned());
            }
        };
        let mut at = 0;
        while at < last {
            copy(at);
            at += size_of::<C>();
        }
        copy(last);
        to = to.wrapping_add(bytes);
    }
    let mut done = rows * bytes;
    while done < all {
        let more = done.min(all - done);
        // SAFETY: the place has room for all rows; the parts do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(begin, begin.wrapping_add(done), more) };
        done += more;
    }
}
