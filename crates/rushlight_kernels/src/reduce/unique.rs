//! Groups of equal elements.

use rushlight_tensor::Tensor;
use rushlight_tensor::memory;

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
