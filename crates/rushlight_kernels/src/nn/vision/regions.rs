//! Parts of an image that regions of interest are divided into.

use rushlight_tensor::element::wide::Wide;

/// One direction of a region: where it starts and how long a bin is.
#[derive(Clone, Copy)]
pub struct Span<T> {
    pub start: T,
    pub bin: T,
    pub samples: usize,
}

impl<T: Wide> Span<T> {
    /// Coordinate of a sample of a bin.
    pub fn at(&self, bin: usize, sample: usize) -> T {
        let inside = (T::of(sample as f64) + T::of(0.5)) * self.bin / T::of(self.samples as f64);
        self.start + T::of(bin as f64) * self.bin + inside
    }
}

/// The largest pixel of a rectangle and its index; zero and -1 for an empty one.
pub fn largest<T: Wide>(
    plane: &[T],
    ys: std::ops::Range<usize>,
    xs: std::ops::Range<usize>,
    width: usize,
) -> (T, i32) {
    if ys.is_empty() || xs.is_empty() {
        return (T::ZERO, -1);
    }
    let (mut best, mut at) = (-T::INFINITY, -1);
    for y in ys {
        for x in xs.clone() {
            let value = plane[y * width + x];
            if value > best {
                (best, at) = (value, (y * width + x) as i32);
            }
        }
    }
    (best, at)
}
