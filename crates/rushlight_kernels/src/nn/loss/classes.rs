//! Scores of classes laid out in rows.

use crate::compute::{sum_in_lanes, sum_of_pairs_in_lanes, total};
use rushlight_tensor::{DType, Data, Tensor};

/// Scores as batch by class by position.
pub struct Scores<'a> {
    values: Values<'a>,
    batch: usize,
    pub classes: usize,
    positions: usize,
}

/// The scores as they are in memory, or as f64.
enum Values<'a> {
    Single(Data<'a, f32>),
    Wide(Vec<f64>),
}

impl<'a> Scores<'a> {
    pub fn of(t: &'a Tensor) -> Scores<'a> {
        let (batch, classes) = match t.rank() {
            0 => (1, 1),
            1 => (1, t.size(0)),
            _ => (t.size(0), t.size(1)),
        };
        let values = match t.dtype() {
            DType::F32 => Values::Single(t.data::<f32>()),
            _ => Values::Wide(t.to_vec::<f64>()),
        };
        Scores {
            values,
            batch,
            classes,
            positions: t.sizes().iter().skip(2).product(),
        }
    }

    /// Where the score of a sample's first class is.
    fn start(&self, sample: usize) -> usize {
        let positions = self.positions.max(1);
        sample / positions * self.classes * self.positions + sample % positions
    }

    fn value(&self, place: usize) -> f64 {
        match &self.values {
            Values::Single(values) => values[place].into(),
            Values::Wide(values) => values[place],
        }
    }

    pub fn at(&self, sample: usize, class: usize) -> f64 {
        self.value(self.start(sample) + class * self.positions)
    }

    /// The scores of a sample's classes, if they are neighbours in memory as f32.
    fn row(&self, sample: usize) -> Option<&[f32]> {
        match &self.values {
            Values::Single(values) if self.positions == 1 => {
                Some(&values[self.start(sample)..][..self.classes])
            }
            _ => None,
        }
    }

    /// The sum of a sample's scores.
    pub fn sum(&self, sample: usize) -> f64 {
        match self.row(sample) {
            Some(row) => sum_in_lanes(row, f64::from),
            None => total((0..self.classes).map(|class| self.at(sample, class))),
        }
    }

    /// The sum of products of a sample's scores with others of the same sizes.
    pub fn dot(&self, other: &Scores<'_>, sample: usize) -> f64 {
        match (self.row(sample), other.row(sample)) {
            (Some(a), Some(b)) => sum_of_pairs_in_lanes(a, b, |a, b| f64::from(a) * f64::from(b)),
            _ => total((0..self.classes).map(|c| self.at(sample, c) * other.at(sample, c))),
        }
    }

    pub fn samples(&self) -> usize {
        self.batch * self.positions
    }
}
