//! Sorts that need not be stable and the smallest few of a row, in the order in which the reference finds them.
//!
//! Of the smallest few, neither of its two ways keeps equal elements in order: few are collected in a heap, many are split off by quickselect and
//! then sorted by introsort. Models that pick boxes by score see which of two equal ones comes first, so the steps
//! are those of the C++ library that the reference is built with: pivots are medians of three, sorts leave runs of
//! sixteen to insertion.

use super::keys::Packed;
use rushlight_tensor::lanes::{Vectorised, vectorised};
use rushlight_tensor::watch;

/// Shorter runs are sorted by insertion.
const SHORT: usize = 16;

fn less<P: Packed>(a: P, b: P) -> bool {
    a.key() < b.key()
}

/// Brings the smallest `keep` elements to the front, in order if they are to be `sorted`.
pub fn select<P: Packed>(row: &mut [P], keep: usize, sorted: bool) {
    if keep == 0 {
        return;
    }
    if keep.saturating_mul(64) <= row.len() {
        heap_select(row, keep);
        sort_heap(&mut row[..keep]);
        return;
    }
    split(row, keep - 1);
    if sorted {
        sort(&mut row[..keep - 1]);
    }
}

/// How often partitions may be bad before a heap takes over.
fn patience(len: usize) -> u32 {
    2 * len.max(1).ilog2()
}

// Quickselect and introsort.

/// Brings the element of rank `nth` to its place, smaller ones before it.
pub fn split<P: Packed>(mut row: &mut [P], mut nth: usize) {
    let mut patience = patience(row.len());
    while row.len() > 3 {
        watch::poll();
        if patience == 0 {
            heap_select(row, nth + 1);
            row.swap(0, nth);
            return;
        }
        patience -= 1;
        let cut = partition(row);
        if cut <= nth {
            row = &mut row[cut..];
            nth -= cut;
        } else {
            row = &mut row[..cut];
        }
    }
    insertion_sort(row);
}

/// Sorts a row; equal elements come as they come.
pub fn sort<P: Packed>(row: &mut [P]) {
    let patience = patience(row.len());
    let mut pending = vec![(0, row.len(), patience)];
    while let Some((start, mut end, mut patience)) = pending.pop() {
        watch::poll();
        while end - start > SHORT {
            let part = &mut row[start..end];
            if patience == 0 {
                heap_select(part, part.len());
                sort_heap(part);
                break;
            }
            patience -= 1;
            let cut = start + partition(part);
            pending.push((cut, end, patience));
            end = cut;
        }
    }
    insertion_sort(row);
}

/// Splits a row of at least four by the median of three; where the second part begins.
fn partition<P: Packed>(row: &mut [P]) -> usize {
    let (middle, last) = (row.len() / 2, row.len() - 1);
    let median = median(row, [1, middle, last]);
    row.swap(0, median);
    let (mut low, mut high) = (1, row.len());
    loop {
        watch::poll();
        while less(row[low], row[0]) {
            low += 1;
        }
        high -= 1;
        while less(row[0], row[high]) {
            high -= 1;
        }
        if low >= high {
            return low;
        }
        row.swap(low, high);
        low += 1;
    }
}

/// The place of the median of three elements.
fn median<P: Packed>(row: &[P], [a, b, c]: [usize; 3]) -> usize {
    let below = |i: usize, j: usize| less(row[i], row[j]);
    match below(a, b) {
        true if below(b, c) => b,
        true if below(a, c) => c,
        true => a,
        false if below(a, c) => a,
        false if below(b, c) => c,
        false => b,
    }
}

fn insertion_sort<P: Packed>(row: &mut [P]) {
    for i in 1..row.len() {
        let element = row[i];
        let mut hole = i;
        while hole > 0 && less(element, row[hole - 1]) {
            row[hole] = row[hole - 1];
            hole -= 1;
        }
        row[hole] = element;
    }
}

/// Brings the element of rank `nth` to its place by Hoare's selection, whose pivots are medians of the ends and the middle.
pub fn select_nth<P: Packed>(row: &mut [P], nth: usize) {
    let (mut left, mut right) = (0, row.len().saturating_sub(1));
    while left < right {
        watch::poll();
        if right == left + 1 {
            put_in_order(row, left, right);
            return;
        }
        row.swap((left + right) / 2, left + 1);
        put_in_order(row, left + 1, right);
        put_in_order(row, left, right);
        put_in_order(row, left + 1, left);
        let pivot = row[left];
        let (mut low, mut high) = (left + 1, right);
        loop {
            low += 1;
            while less(row[low], pivot) {
                low += 1;
            }
            high -= 1;
            while less(pivot, row[high]) {
                high -= 1;
            }
            if high < low {
                break;
            }
            row.swap(low, high);
        }
        row.swap(left, high);
        if high <= nth {
            left = low;
        }
        if high >= nth {
            right = high.saturating_sub(1);
        }
    }
}

/// Swaps two elements of which the first is larger.
fn put_in_order<P: Packed>(row: &mut [P], a: usize, b: usize) {
    if less(row[b], row[a]) {
        row.swap(a, b);
    }
}

// Heaps whose root is the largest element.

/// Collects the smallest `keep` elements in a heap at the front.
fn heap_select<P: Packed>(row: &mut [P], keep: usize) {
    let (heap, rest) = row.split_at_mut(keep);
    for parent in (0..keep / 2).rev() {
        sink(heap, parent, heap[parent]);
    }
    let mut seen = 0;
    while seen < rest.len() {
        let bound = P::pack(heap[0].key(), 0);
        seen += vectorised(Larger {
            row: &rest[seen..],
            bound,
        });
        let end = rest.len().min(seen + TOGETHER);
        for element in &mut rest[seen..end] {
            if less(*element, heap[0]) {
                let smaller = std::mem::replace(element, heap[0]);
                sink(heap, 0, smaller);
            }
        }
        seen = end;
    }
}

/// How many elements are compared with the largest of a heap at once.
const TOGETHER: usize = 32;

/// How many elements there are before the first few of which one is below a bound.
struct Larger<'a, P> {
    row: &'a [P],
    bound: P,
}

impl<P: Packed> Vectorised for Larger<'_, P> {
    type Output = usize;
    #[inline(always)]
    fn run(self) -> usize {
        let few = self.row.chunks_exact(TOGETHER);
        let whole = self.row.len() - few.remainder().len();
        let below = |few: &[P]| few.iter().fold(false, |any, p| any | (*p < self.bound));
        let mut few = few.enumerate();
        let found = few.find(|(_, few)| below(few));
        found.map_or(whole, |(i, _)| i * TOGETHER)
    }
}

fn sort_heap<P: Packed>(heap: &mut [P]) {
    for end in (1..heap.len()).rev() {
        watch::poll();
        let (heap, element) = heap.split_at_mut(end);
        let largest = std::mem::replace(&mut element[0], heap[0]);
        sink(heap, 0, largest);
    }
}

/// Puts an element below `top`: the hole goes down to a leaf along the larger children, and then up to where it belongs.
fn sink<P: Packed>(heap: &mut [P], top: usize, element: P) {
    let mut hole = top;
    while 2 * hole + 2 < heap.len() {
        let (left, right) = (2 * hole + 1, 2 * hole + 2);
        let child = if less(heap[right], heap[left]) {
            left
        } else {
            right
        };
        heap[hole] = heap[child];
        hole = child;
    }
    if 2 * hole + 2 == heap.len() {
        heap[hole] = heap[2 * hole + 1];
        hole = 2 * hole + 1;
    }
    while hole > top {
        let parent = (hole - 1) / 2;
        if !less(heap[parent], element) {
            break;
        }
        heap[hole] = heap[parent];
        hole = parent;
    }
    heap[hole] = element;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers below `range` by chance.
    fn numbers(count: usize, range: u64) -> Vec<u64> {
        let mut state = 7u64;
        let next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            (state >> 33) % range
        };
        std::iter::repeat_with(next).take(count).collect()
    }

    #[test]
    fn the_smallest_come_first_in_order() {
        for (count, range) in [(1, 5), (3, 2), (17, 4), (100, 3), (1000, 1000), (5000, 50)] {
            let numbers = numbers(count, range);
            for keep in [1, 2, 5, count / 2, count]
                .into_iter()
                .filter(|k| *k <= count)
            {
                let mut packed: Vec<u64> =
                    (0..).zip(&numbers).map(|(i, &n)| u64::pack(n, i)).collect();
                select(&mut packed, keep, true);
                let mut expected = numbers.clone();
                expected.sort_unstable();
                let found: Vec<u64> = packed[..keep].iter().map(|p| p.key()).collect();
                assert_eq!(found, expected[..keep], "{keep} of {count}");
            }
        }
    }

    /// `torch.topk(torch.tensor([(i * 7) % 5 for i in range(40)]).float(), 12, largest=False)` by PyTorch 2.15.
    #[test]
    fn equal_elements_come_as_in_the_reference() {
        let mut packed: Vec<u64> = (0..40)
            .map(|i| u64::pack((i * 7) % 5, i as usize))
            .collect();
        select(&mut packed, 12, true);
        let found: Vec<usize> = packed[..12].iter().map(|p| p.index()).collect();
        assert_eq!(found, [10, 20, 25, 15, 30, 35, 0, 5, 38, 13, 3, 18]);
    }

    /// `torch.sort(torch.zeros(17))` and `torch.kthvalue` by PyTorch 2.15.
    #[test]
    fn sorts_and_ranks_leave_equal_elements_as_in_the_reference() {
        let mut packed: Vec<u64> = (0..17).map(|i| u64::pack(0, i)).collect();
        sort(&mut packed);
        let found: Vec<usize> = packed.iter().map(|p| p.index()).collect();
        assert_eq!(
            found,
            [8, 16, 15, 14, 13, 12, 11, 10, 9, 0, 7, 6, 5, 4, 3, 2, 1]
        );
        for (nth, index) in [(0, 15), (11, 13), (24, 34), (39, 12)] {
            let mut packed: Vec<u64> = (0..40)
                .map(|i| u64::pack((i * 7) % 5, i as usize))
                .collect();
            select_nth(&mut packed, nth);
            assert_eq!(packed[nth].index(), index, "rank {nth}");
        }
    }
}
