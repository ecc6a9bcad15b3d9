//! Scores of classes laid out in rows.

use rushlight_tensor::Tensor;

/// Scores as batch by class by position.
pub struct Scores {
    values: Vec<f64>,
    batch: usize,
    pub classes: usize,
    positions: usize,
}

impl Scores {
    pub fn of(t: &Tensor) -> Scores {
        let (batch, classes) = match t.rank() {
            0 => (1, 1),
            1 => (1, t.size(0)),
            _ => (t.size(0), t.size(1)),
        };
        Scores {
            values: t.to_vec::<f64>(),
            batch,
            classes,
            positions: t.sizes().iter().skip(2).product(),
        }
    }

    pub fn at(&self, sample: usize, class: usize) -> f64 {
        let (b, p) = (
            sample / self.positions.max(1),
            sample % self.positions.max(1),
        );
        self.values[(b * self.classes + class) * self.positions + p]
    }

    pub fn samples(&self) -> usize {
        self.batch * self.positions
    }
}
