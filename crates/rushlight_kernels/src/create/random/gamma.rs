//! Draws from the gamma distribution.

use rushlight_tensor::{Buffer, Generator, Tensor, watch};

/// Numbers are never zero: the logarithm of them is taken.
pub fn at_least_tiny(mut values: Buffer<f64>, like: &Tensor) -> Tensor {
    let tiny = match like.dtype().size() {
        8 => f64::MIN_POSITIVE,
        2 => 6.103515625e-05,
        _ => f64::from(f32::MIN_POSITIVE),
    };
    values.iter_mut().for_each(|v| *v = v.max(tiny));
    values.into_tensor(like.sizes()).to_dtype(like.dtype())
}

/// Draws of one number give up after this many rejections; no stream of real numbers gets there.
const MOST_DRAWS: usize = 1 << 20;

/// A number of the gamma distribution with this shape and scale 1.
pub fn one_gamma(g: &mut Generator, shape: f64) -> f64 {
    if shape.is_nan() {
        return shape;
    }
    // Small shapes are those of a larger one, scaled by a power.
    let (shape, scale) = match shape < 1.0 {
        true if shape == 0.0 => return 0.0,
        true => (shape + 1.0, (1.0 - g.uniform_f64()).powf(1.0 / shape)),
        false => (shape, 1.0),
    };
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    for _ in 0..MOST_DRAWS {
        watch::poll();
        let x = g.normal();
        let y = 1.0 + c * x;
        // Shapes below zero give no number; what comes of that ends the search.
        if y <= 0.0 {
            continue;
        }
        let (v, u, square) = (y * y * y, 1.0 - g.uniform_f64(), x * x);
        if u < 1.0 - 0.0331 * square * square {
            return scale * d * v;
        }
        if u.ln() < 0.5 * square + d * (1.0 - v + v.ln()) {
            return scale * d * v;
        }
    }
    scale * d
}
