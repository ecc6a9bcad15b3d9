//! Groups of equal elements.

use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Buffer, Element, Tensor};

/// Values, places and counts.
pub type Three = (Tensor, Tensor, Tensor);

/// Runs of equal items: for each, one of its items and how many there are; for each item, its run.
pub struct Groups {
    pub representatives: Vec<i64>,
    pub counts: Vec<i64>,
    /// Empty where it was not asked for.
    pub inverse: Vec<i64>,
}

/// Groups neighbours in `order` that `same` holds equal; the run of each of `inverse` items is noted.
pub fn group(
    order: impl Iterator<Item = usize>,
    inverse: usize,
    same: impl Fn(usize, usize) -> bool,
) -> Groups {
    let mut groups = Groups {
        representatives: Vec::new(),
        counts: Vec::new(),
        inverse: memory::filled(inverse, 0),
    };
    let mut previous = None;
    for item in order {
        match (previous, groups.counts.last_mut()) {
            (Some(previous), Some(count)) if same(previous, item) => *count += 1,
            _ => {
                groups.representatives.push(item as i64);
                groups.counts.push(1);
            }
        }
        if let Some(run) = groups.inverse.get_mut(item) {
            *run = groups.counts.len() as i64 - 1;
        }
        previous = Some(item);
    }
    groups
}

/// Groups neighbours with equal keys, each by itself that has the key `apart`; how many they are, and the runs of items, are
/// noted where asked for.
pub fn neighbours(
    keys: &[u64],
    apart: Option<u64>,
    with_inverse: bool,
    with_counts: bool,
) -> Groups {
    let mut first: Vec<i64> = memory::filled(keys.len(), 0);
    let mut runs = 0;
    // No item comes before the first one, which is unlike what has all other bits.
    let mut previous = keys.first().map_or(0, |key| !key);
    let (is_apart, apart) = (apart.is_some(), apart.unwrap_or_default());
    for (item, key) in keys.iter().enumerate() {
        // The next item takes the place where this one begins no run.
        first[runs] = item as i64;
        runs += usize::from((previous != *key) | (is_apart & (apart == *key)));
        previous = *key;
    }
    first.truncate(runs);
    let (mut counts, mut inverse) = (Vec::new(), Vec::new());
    if with_inverse || with_counts {
        let ends = first.iter().skip(1).copied().chain([keys.len() as i64]);
        counts = first
            .iter()
            .zip(ends)
            .map(|(start, end)| end - start)
            .collected();
    }
    if with_inverse {
        inverse = memory::with_capacity(keys.len());
        for (run, count) in counts.iter().enumerate() {
            inverse.extend(std::iter::repeat_n(run as i64, *count as usize));
        }
    }
    Groups {
        representatives: first,
        counts,
        inverse,
    }
}

/// The first of every run of equal elements; NaN is equal to nothing.
pub fn without_repeats<T: Element>(data: &[T]) -> Buffer<T> {
    let pairs = || data.iter().zip(data.iter().skip(1));
    let runs = pairs().filter(|(a, b)| a != b).count() + usize::from(!data.is_empty());
    let mut out = Buffer::unspecified(runs);
    let Some((first, rest)) = out.split_first_mut() else {
        return out;
    };
    *first = data[0];
    let mut run = 0;
    for (before, own) in pairs() {
        // The next element takes the place where this one begins no run.
        if let Some(place) = rest.get_mut(run) {
            *place = *own;
        }
        run += usize::from(before != own);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_left_out() {
        let nan = f32::NAN;
        let kept = without_repeats(&[1.0, 1.0, 0.0, -0.0, nan, nan, 2.0, 1.0]);
        assert_eq!(kept.len(), 6);
        assert_eq!([kept[0], kept[1], kept[4], kept[5]], [1.0, 0.0, 2.0, 1.0]);
        assert_eq!(without_repeats(&[3i64, 3, 3])[..], [3]);
        assert!(without_repeats::<u8>(&[]).is_empty());
    }

    #[test]
    fn neighbours_are_groups_unless_their_key_keeps_them_apart() {
        let found = neighbours(&[4, 4, 9, 9, 9, 4, 7], Some(9), true, false);
        assert_eq!(found.representatives, [0, 2, 3, 4, 5, 6]);
        assert_eq!(found.counts, [2, 1, 1, 1, 1, 1]);
        assert_eq!(found.inverse, [0, 0, 1, 2, 3, 4, 5]);
        assert!(neighbours(&[], None, true, true).counts.is_empty());
        assert_eq!(
            neighbours(&[u64::MAX, 0, 0], None, false, true).counts,
            [1, 2]
        );
    }
}
