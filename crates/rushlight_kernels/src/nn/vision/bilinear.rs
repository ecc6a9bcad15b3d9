//! Reading images between pixels.

use rushlight_tensor::element::wide::Wide;

/// A number of pixels as a coordinate.
pub fn coordinate<T: Wide>(pixels: usize) -> T {
    T::of(pixels as f64)
}

/// A weighted mean of four pixels of a plane.
#[derive(Clone, Copy)]
pub struct Sample<T> {
    /// Indices into the plane.
    pub pixels: [usize; 4],
    pub weights: [T; 4],
}

impl<T: Wide> Sample<T> {
    /// A sample that is zero.
    pub const NOTHING: Sample<T> = Sample {
        pixels: [0; 4],
        weights: [T::ZERO; 4],
    };

    /// The sample's value in a plane.
    pub fn of(&self, plane: &[T]) -> T {
        if plane.is_empty() {
            return T::ZERO;
        }
        let mut sum = T::ZERO;
        for (&pixel, &weight) in self.pixels.iter().zip(&self.weights) {
            sum += plane[pixel] * weight;
        }
        sum
    }

    /// A sample whose coordinates are moved to the nearest edge up to one pixel outside; zero beyond.
    pub fn clamped(y: T, x: T, height: usize, width: usize) -> Sample<T> {
        let outside = |v: T, size: usize| !(v >= -T::ONE && v <= coordinate(size));
        if outside(y, height) || outside(x, width) || height == 0 || width == 0 {
            return Sample::NOTHING;
        }
        let (top, bottom, dy) = split(y, height);
        let (left, right, dx) = split(x, width);
        Sample {
            pixels: [
                top * width + left,
                top * width + right,
                bottom * width + left,
                bottom * width + right,
            ],
            weights: corner_weights(dy, dx),
        }
    }

    /// A sample to which pixels outside the plane contribute nothing.
    pub fn padded(y: T, x: T, height: usize, width: usize) -> Sample<T> {
        let inside = |v: T, size: usize| v > -T::ONE && v < coordinate(size);
        if !inside(y, height) || !inside(x, width) {
            return Sample::NOTHING;
        }
        let (top, left) = (y.floor(), x.floor());
        let mut sample = Sample {
            weights: corner_weights(y - top, x - left),
            ..Sample::NOTHING
        };
        let (top, left) = (top.f64() as i64, left.f64() as i64);
        let corners = [
            (top, left),
            (top, left + 1),
            (top + 1, left),
            (top + 1, left + 1),
        ];
        for (i, (row, column)) in corners.into_iter().enumerate() {
            let exists = (0..height as i64).contains(&row) && (0..width as i64).contains(&column);
            if exists {
                sample.pixels[i] = row as usize * width + column as usize;
            } else {
                sample.weights[i] = T::ZERO;
            }
        }
        sample
    }
}

/// The pixels on both sides of a coordinate and the distance from the first.
fn split<T: Wide>(v: T, size: usize) -> (usize, usize, T) {
    let v = if v <= T::ZERO { T::ZERO } else { v };
    let low = v.f64() as usize;
    if low + 1 >= size {
        return (size - 1, size - 1, T::ZERO);
    }
    (low, low + 1, v - coordinate(low))
}

fn corner_weights<T: Wide>(dy: T, dx: T) -> [T; 4] {
    let (uy, ux) = (T::ONE - dy, T::ONE - dx);
    [uy * ux, uy * dx, dy * ux, dy * dx]
}
