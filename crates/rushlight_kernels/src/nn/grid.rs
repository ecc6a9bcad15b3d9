//! Places between the pixels of an image.

use crate::compute::{Compute, Wide};
use smallvec::SmallVec;

/// Reflects a position between two borders, given at twice their places.
pub fn reflect<W: Compute>(x: W, low: f64, high: f64) -> W {
    if low == high {
        return <W as Wide>::ZERO;
    }
    let (min, span) = (W::of(low / 2.0), W::of((high - low) / 2.0));
    let x = (x - min).abs();
    let flips = (x / span).floor();
    let extra = x - flips * span;
    if flips.f64() % 2.0 == 0.0 {
        extra + min
    } else {
        span - extra + min
    }
}

/// The elements of an image that make the value at a point: rows with weights, of elements with weights. There is one
/// row of all where the weights of rows are part of the others.
pub struct Taps<W>(pub SmallVec<[(W, Row<W>); 4]>);

/// Elements of an image, by their places, with weights.
pub type Row<W> = SmallVec<[(usize, W); 8]>;

impl<W: Compute> Taps<W> {
    pub fn read(&self, image: &[W]) -> W {
        let sum = |row: &[(usize, W)]| {
            row.iter().fold(<W as Wide>::ZERO, |sum, (at, weight)| {
                sum + image[*at] * *weight
            })
        };
        match self.0.as_slice() {
            [(weight, row)] if *weight == <W as Wide>::ONE => sum(row),
            rows => rows.iter().fold(<W as Wide>::ZERO, |all, (weight, row)| {
                all + *weight * sum(row)
            }),
        }
    }
}
