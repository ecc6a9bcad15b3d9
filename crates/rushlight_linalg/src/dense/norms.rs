//! Norms of a matrix.

use super::matrix::Dense;
use super::singular::values;
use rushlight_tensor::memory;

/// The root of the sum of squares.
pub fn frobenius(m: &Dense) -> f64 {
    m.squares().into_iter().sum::<f64>().sqrt()
}

/// The norms with a number: 1, 2, infinity and their negatives.
pub fn numbered(m: &Dense, p: f64) -> Option<f64> {
    let sums = |by_column: bool| -> Vec<f64> {
        let (rows, cols) = (m.rows(), m.cols());
        let mut sums = memory::filled(if by_column { cols } else { rows }, 0.0);
        for (k, magnitude) in m.magnitudes().into_iter().enumerate() {
            let at = if by_column { k % cols } else { k / cols };
            sums[at] += magnitude;
        }
        sums
    };
    let largest = |v: Vec<f64>| {
        std::iter::once(0.0)
            .chain(v)
            .reduce(|a, b| if a > b || a.is_nan() { a } else { b })
    };
    let smallest = |v: Vec<f64>| {
        v.into_iter()
            .reduce(|a, b| if a < b || a.is_nan() { a } else { b })
    };
    match p {
        1.0 => largest(sums(true)),
        -1.0 => smallest(sums(true)),
        f64::INFINITY => largest(sums(false)),
        f64::NEG_INFINITY => smallest(sums(false)),
        2.0 => largest(values(m)),
        -2.0 => smallest(values(m)),
        _ => None,
    }
}
