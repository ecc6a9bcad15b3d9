//! Sorting of eight rows together, by networks: which elements are compared does not depend on what they are, so that a row can be in
//! each lane.

use super::dims::Lanes;
use super::keys::{Keys, Packed};
use rushlight_tensor::lanes::{Isa, isa};
use rushlight_tensor::{memory, watch};
use std::ops::Range;

/// Rows that are sorted together.
const ABREAST: usize = 8;
/// Longer rows, and blocks of them, are sorted one by one.
const LONGEST: usize = 1 << 10;
const LARGEST_BLOCK: usize = 1 << 8;

/// A packed key of each row, in a line of the cache.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Cell([u64; ABREAST]);

impl Cell {
    /// What comes behind all keys.
    const END: Cell = Cell([u64::MAX; ABREAST]);
}

/// Sorts the first few of rows.
pub struct Network {
    lanes: Lanes,
    keep: usize,
    /// Numbers of a block that is sorted, a power of two: of two blocks one is made, with the smaller numbers of both.
    block: usize,
    cells: Vec<Cell>,
}

impl Network {
    /// A network for the first `keep` of each lane, where that is worth it: only where the machine compares eight numbers at once, and
    /// not for a few of many, which are collected as fast.
    pub fn of(keys: &Keys, lanes: Lanes, keep: usize) -> Option<Network> {
        // With the first one behind, which may be equal to the last.
        let block = lanes.n.min(keep + 1).next_power_of_two().max(2);
        let quick = isa() == Isa::Avx512 && lanes.count() >= ABREAST / 2;
        let is_large = block > LARGEST_BLOCK || lanes.n > LONGEST;
        let is_few = lanes.n > LARGEST_BLOCK && 64 * keep <= lanes.n;
        if !quick || keys.bits > 32 || keep == 0 || is_large || is_few {
            return None;
        }
        let places = lanes.n.next_multiple_of(block);
        Some(Network {
            lanes,
            keep,
            block,
            cells: memory::filled(places, Cell::END),
        })
    }

    /// Sorts lanes, and tells of each what its first few are, and whether any of those, with the next one, are equal.
    pub fn run(
        &mut self,
        keys: &Keys,
        some: Range<usize>,
        mut done: impl FnMut(usize, First<'_>, bool),
    ) {
        let (n, inner) = (self.lanes.n, self.lanes.inner);
        for first in some.clone().step_by(ABREAST) {
            watch::poll();
            let count = ABREAST.min(some.end - first);
            let rows: [&[u64]; ABREAST] = std::array::from_fn(|r| {
                let start = self.lanes.start(first + r.min(count - 1));
                &keys.keys[start..][..(n - 1) * inner + 1]
            });
            for (k, cell) in self.cells[..n].iter_mut().enumerate() {
                for (to, row) in cell.0.iter_mut().zip(rows) {
                    *to = u64::pack(row[k * inner], k);
                }
            }
            self.cells[n..].fill(Cell::END);
            let compared = n.min(self.keep + 1);
            let equal = sort_first(&mut self.cells, self.block, compared);
            for (r, equal) in equal.into_iter().enumerate().take(count) {
                let cells = &self.cells[..self.keep];
                done(first + r, First { cells, r }, equal);
            }
        }
    }
}

/// The first few of a lane.
pub struct First<'a> {
    cells: &'a [Cell],
    r: usize,
}

impl<'a> First<'a> {
    /// Their packed keys, in order.
    pub fn packed(self) -> impl Iterator<Item = u64> + 'a {
        self.cells.iter().map(move |cell| cell.0[self.r])
    }
}

/// Sorts the first few of cells: in which lanes neighbours of them are equal.
fn sort_first(cells: &mut [Cell], block: usize, few: usize) -> [bool; ABREAST] {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
        fn avx512(cells: &mut [Cell], block: usize, few: usize) -> Cell {
            sort_blocks(cells, block);
            least_apart(&cells[..few])
        }
        // SAFETY: networks are only made for processors with these instructions.
        let apart = unsafe { avx512(cells, block, few) };
        apart.0.map(|bits| u64::pack(1, 0) > bits)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        sort_blocks(cells, block);
        least_apart(&cells[..few])
            .0
            .map(|bits| u64::pack(1, 0) > bits)
    }
}

/// The least number that the bits are in which neighbours differ, lane by lane.
#[inline(always)]
fn least_apart(cells: &[Cell]) -> Cell {
    let mut least = Cell::END;
    for pair in cells.windows(2) {
        let mut apart = pair[0];
        for (bits, other) in apart.0.iter_mut().zip(pair[1].0) {
            *bits ^= other;
        }
        least = in_order(&least, &apart).0;
    }
    least
}

#[inline(always)]
fn sort_blocks(cells: &mut [Cell], block: usize) {
    for cells in cells.chunks_exact_mut(block) {
        sort(cells);
    }
    let blocks = cells.len() / block;
    let mut apart = 1;
    while apart < blocks {
        for at in (0..blocks - apart).step_by(2 * apart) {
            let (left, right) = cells.split_at_mut((at + apart) * block);
            keep_smaller(&mut left[at * block..][..block], &right[..block]);
        }
        apart *= 2;
    }
}

/// The smaller numbers of two cells, and the larger ones.
#[inline(always)]
fn in_order(a: &Cell, b: &Cell) -> (Cell, Cell) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::*;
        let (mut low, mut high) = (Cell::END, Cell::END);
        // SAFETY: networks are only made for processors with these instructions, and cells are as large as vectors and aligned as they.
        unsafe {
            let (a, b) = (
                _mm512_load_epi64(a.0.as_ptr().cast()),
                _mm512_load_epi64(b.0.as_ptr().cast()),
            );
            _mm512_store_epi64(low.0.as_mut_ptr().cast(), _mm512_min_epu64(a, b));
            _mm512_store_epi64(high.0.as_mut_ptr().cast(), _mm512_max_epu64(a, b));
        }
        (low, high)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let each = |f: fn(u64, u64) -> u64| std::array::from_fn(|r| f(a.0[r], b.0[r]));
        (Cell(each(u64::min)), Cell(each(u64::max)))
    }
}

/// Puts two cells in order, lane by lane.
#[inline(always)]
fn exchange(cells: &mut [Cell], low: usize, high: usize) {
    let (smaller, larger) = in_order(&cells[low], &cells[high]);
    cells[low] = smaller;
    cells[high] = larger;
}

/// Sorts a power of two of cells: Batcher's merging of what is at even places and at odd ones.
#[inline(always)]
fn sort(cells: &mut [Cell]) {
    let n = cells.len();
    for level in 0..n.trailing_zeros() {
        let mut apart = 1 << level;
        while apart > 0 {
            for at in ((apart & ((1 << level) - 1))..n - apart).step_by(2 * apart) {
                for low in at..(at + apart).min(n - apart) {
                    if low >> (level + 1) == (low + apart) >> (level + 1) {
                        exchange(cells, low, low + apart);
                    }
                }
            }
            apart /= 2;
        }
    }
}

/// The smaller half of two sorted blocks, sorted: they rise and fall, so that every step halves what is not in order.
#[inline(always)]
fn keep_smaller(cells: &mut [Cell], others: &[Cell]) {
    for (cell, other) in cells.iter_mut().zip(others.iter().rev()) {
        *cell = in_order(cell, other).0;
    }
    let mut apart = cells.len() / 2;
    while apart > 0 {
        for at in (0..cells.len()).step_by(2 * apart) {
            for low in at..at + apart {
                exchange(cells, low, low + apart);
            }
        }
        apart /= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_as_by_the_standard_library() {
        let mut state = 5u64;
        for (count, n) in [
            (8, 1),
            (4, 2),
            (9, 5),
            (11, 16),
            (17, 33),
            (8, 64),
            (5, 300),
        ] {
            for range in [3, 1 << 30] {
                let mut keys = || {
                    state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
                    (state >> 33) % range
                };
                let keys: Vec<u64> = (0..count * n).map(|_| keys()).collect();
                let keys = Keys { keys, bits: 32 };
                let lanes = Lanes {
                    outer: count,
                    n,
                    inner: 1,
                };
                for keep in [1, 5, n / 2, n - 1, n] {
                    if keep == 0 || keep > n {
                        continue;
                    }
                    let Some(mut network) = Network::of(&keys, lanes, keep) else {
                        continue;
                    };
                    let mut lane = 0;
                    network.run(&keys, 0..count, |at, found, equal| {
                        assert_eq!(at, lane);
                        let row = &keys.keys[at * n..][..n];
                        let mut all: Vec<u64> =
                            (0..).zip(row).map(|(i, key)| u64::pack(*key, i)).collect();
                        all.sort_unstable();
                        let found: Vec<u64> = found.packed().collect();
                        assert_eq!(found, all[..keep], "{keep} of {n}");
                        let next = all.iter().take(keep + 1).map(|p| p.key());
                        let next: Vec<u64> = next.collect();
                        assert_eq!(equal, next.windows(2).any(|pair| pair[0] == pair[1]));
                        lane += 1;
                    });
                    assert_eq!(lane, count);
                }
            }
        }
    }
}
