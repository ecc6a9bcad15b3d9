//! Stable sorting for what is not sorted often: every kind of item shares one algorithm, which costs a comparison by a
//! call, where the standard library has one of its own for each, of several kilobytes.

use std::cmp::Ordering;

use crate::memory;

/// Sorts by a comparison; items that are equal keep their order.
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    /// So many items are sorted where they are, without memory.
    const FEW: usize = 16;
    if items.len() <= FEW {
        for end in 1..items.len() {
            let mut at = end;
            while at > 0 && compare(&items[at - 1], &items[at]) == Ordering::Greater {
                items.swap(at - 1, at);
                at -= 1;
            }
        }
        return;
    }
    let mut order: Vec<usize> = memory::collect(0..items.len());
    merge(&mut order, &mut |a, b| compare(&items[a], &items[b]));
    arrange(items, &mut order);
}

/// Sorts by a key; items of equal keys keep their order.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts items by their own order.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Sorts numbers of items by merging from runs of one on.
fn merge(order: &mut Vec<usize>, compare: &mut dyn FnMut(usize, usize) -> Ordering) {
    let len = order.len();
    let mut other = memory::copied(order);
    let mut width = 1;
    while width < len {
        for start in (0..len).step_by(2 * width) {
            let (middle, end) = ((start + width).min(len), (start + 2 * width).min(len));
            let (mut left, mut right) = (start, middle);
            for out in &mut other[start..end] {
                let from_right = left == middle
                    || (right < end && compare(order[left], order[right]) == Ordering::Greater);
                let from = if from_right { &mut right } else { &mut left };
                *out = order[*from];
                *from += 1;
            }
        }
        std::mem::swap(order, &mut other);
        width *= 2;
    }
}

/// Puts item `order[i]` at place `i`, for all places.
fn arrange<T>(items: &mut [T], order: &mut [usize]) {
    for start in 0..items.len() {
        let mut at = start;
        while order[at] != start {
            let from = order[at];
            items.swap(at, from);
            order[at] = at;
            at = from;
        }
        order[at] = at;
    }
}

#[cfg(test)]
mod tests {
    use super::{sort, sort_by_key};

    #[test]
    fn items_are_in_order_and_equal_ones_keep_theirs() {
        for len in 0..70usize {
            let mut items: Vec<(usize, usize)> = (0..len).map(|i| (i * 37 % 7, i)).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|item| item.0);
            sort_by_key(&mut items, |item| item.0);
            assert_eq!(items, expected);
            items.reverse();
            sort(&mut items);
            assert_eq!(items, expected);
        }
    }
}
