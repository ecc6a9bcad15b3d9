//! The exponential of a matrix.

use super::matrix::Dense;
use rushlight_tensor::Complex64;

/// Terms of the Taylor series for a matrix of norm at most one half: the rest is below f64's precision.
const TERMS: usize = 18;

/// The exponential by scaling, Taylor's series and squaring.
pub fn exponential(a: &Dense) -> Dense {
    let norm = a.one_norm();
    if !norm.is_finite() {
        return a.map(|_| Complex64::new(f64::NAN, 0.0));
    }
    let halvings = if norm > 0.5 {
        (norm / 0.5).log2().ceil() as i32
    } else {
        0
    };
    let scaled = a.map(|c| c * 0.5f64.powi(halvings));
    let mut out = Dense::identity(a.rows);
    for k in (1..=TERMS).rev() {
        out = Dense::identity(a.rows).plus(1.0 / k as f64, &scaled.times(&out));
    }
    for _ in 0..halvings {
        out = out.times(&out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Dense, exponential};
    use rushlight_tensor::Complex64;

    #[test]
    fn the_exponential_of_a_rotation_generator_is_the_rotation() {
        let angle = 2.0f64;
        let generator = Dense::from_fn(2, 2, |i, j| {
            Complex64::new(
                if i == j {
                    0.0
                } else if i < j {
                    -angle
                } else {
                    angle
                },
                0.0,
            )
        });
        let got = exponential(&generator);
        for (place, want) in [
            ((0, 0), angle.cos()),
            ((0, 1), -angle.sin()),
            ((1, 0), angle.sin()),
        ] {
            assert!((got[place].re - want).abs() < 1e-13);
        }
    }
}
