//! Norms of a matrix.

use super::matrix::Dense;
use super::singular::decompose;
use rushlight_tensor::memory::Collected;

/// The root of the sum of squares.
pub fn frobenius(m: &Dense) -> f64 {
    m.elements()
        .iter()
        .map(|c| c.norm_sqr())
        .sum::<f64>()
        .sqrt()
}

/// The norms with a number: 1, 2, infinity and their negatives.
pub fn numbered(m: &Dense, p: f64) -> Option<f64> {
    let sums = |by_column: bool| -> Vec<f64> {
        let (outer, inner) = if by_column {
            (m.cols, m.rows)
        } else {
            (m.rows, m.cols)
        };
        let size = |o: usize, i: usize| if by_column { m[(i, o)] } else { m[(o, i)] }.norm();
        (0..outer)
            .map(|o| (0..inner).map(|i| size(o, i)).sum())
            .collected()
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
        2.0 => largest(decompose(m).s),
        -2.0 => smallest(decompose(m).s),
        _ => None,
    }
}
