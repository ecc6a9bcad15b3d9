//! Elements by rank: medians, modes and the like.

use super::keys::{LaneTask, Packed};
use super::selection::{select_nth, sort as quicksort};
use rushlight_tensor::memory::Collected;
use rushlight_tensor::watch;

/// Which element of a lane is wanted.
#[derive(Clone, Copy)]
pub enum Rank {
    /// The one at this place of the sorted lane.
    At(usize),
    /// The lower one in the middle; the first NaN if there is one.
    Median,
    /// The lower one in the middle of those that are not NaN.
    NanMedian,
    /// The most frequent; of several, the smallest.
    Mode,
}

/// Picks the element of a rank from each lane and notes its place.
pub struct Chosen<'a> {
    pub rank: Rank,
    pub nan: Option<u64>,
    pub indices: &'a mut [i64],
}

impl LaneTask for Chosen<'_> {
    fn run<P: Packed>(&mut self, lane: usize, packed: &mut Vec<P>) {
        let last = packed.len() - 1;
        let is_nan = |p: &P| Some(p.key()) == self.nan;
        let place = match self.rank {
            Rank::At(k) => k,
            Rank::Median => match packed.iter().position(is_nan) {
                Some(first) => {
                    self.indices[lane] = first as i64;
                    return;
                }
                None => last / 2,
            },
            Rank::NanMedian => {
                let nans = packed.iter().filter(|p| is_nan(p)).count();
                packed.len().saturating_sub(nans + 1) / 2
            }
            Rank::Mode => {
                self.indices[lane] = most_frequent(packed, self.nan);
                return;
            }
        };
        let place = place.min(last);
        match self.rank {
            // Which of several equal elements is found shows in the index.
            Rank::At(_) => select_nth(packed, place),
            _ => {
                super::selection::split(packed, place);
                if !is_nan(&packed[place]) {
                    self.indices[lane] = of_stable_sort(packed, place);
                    return;
                }
            }
        }
        self.indices[lane] = packed[place].index() as i64;
    }
}

/// The index of the element that a stable sort would put at a place where one of the same key is.
fn of_stable_sort<P: Packed>(packed: &[P], place: usize) -> i64 {
    let key = packed[place].key();
    let smaller = packed.iter().filter(|p| p.key() < key).count();
    let equal = packed.iter().filter(|p| p.key() == key);
    let mut equal: Vec<usize> = equal.map(|p| p.index()).collected();
    *equal.select_nth_unstable(place - smaller).1 as i64
}

/// The last index of the most frequent key. NaN comes first and is never equal to itself.
fn most_frequent<P: Packed>(packed: &mut [P], nan: Option<u64>) -> i64 {
    if let Some(first) = packed.iter().position(|p| Some(p.key()) == nan)
        && packed
            .iter()
            .filter(|p| Some(p.key()) != nan)
            .all_distinct()
    {
        return first as i64;
    }
    quicksort(packed);
    let (mut best, mut longest, mut from) = (0, 0, 0);
    for k in 0..packed.len() {
        let key = packed[k].key();
        if key != packed[from].key() || Some(key) == nan {
            from = k;
        }
        if k + 1 - from > longest {
            longest = k + 1 - from;
            best = k;
        }
    }
    packed[best].index() as i64
}

/// Whether no two keys are equal.
trait AllDistinct {
    fn all_distinct(self) -> bool;
}

impl<'a, P: Packed + 'a, I: Iterator<Item = &'a P>> AllDistinct for I {
    fn all_distinct(self) -> bool {
        let mut keys: Vec<u64> = self.map(|p| p.key()).collected();
        watch::sort(&mut keys);
        keys.windows(2).all(|pair| pair[0] != pair[1])
    }
}
