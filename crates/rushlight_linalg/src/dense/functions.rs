//! The exponential of a matrix.

use super::matrix::{Dense, Mat, dense_of};
use rushlight_kernels::linalg::dense::field::Field;
use rushlight_tensor::memory::{self, Collected};

/// Terms of the Taylor series for a matrix of norm at most one half: the rest is below f64's precision.
pub const TERMS: usize = 15;

/// Powers that are computed; a polynomial in the last of them has polynomials in the others as factors (Paterson and
/// Stockmeyer, 1973).
const POWERS: usize = 4;

/// The exponential by scaling, Taylor's series and squaring.
pub fn exponential(a: &Dense) -> Dense {
    dense_of!(a, a => exponential_of(a))
}

/// How often a matrix of a norm is halved before it is small, and the factor that does so.
pub fn halvings(norm: f64) -> (i32, f64) {
    let count = if norm > 0.5 {
        (norm / 0.5).log2().ceil() as i32
    } else {
        0
    };
    (count, 0.5f64.powi(count))
}

fn exponential_of<T: Field>(a: &Mat<T>) -> Mat<T> {
    let norm = a.one_norm();
    if !norm.is_finite() {
        return Mat::unknown(a.rows, a.cols);
    }
    let (halvings, scale) = halvings(norm);
    let mut powers: Vec<Mat<T>> = memory::with_capacity(POWERS);
    powers.push(a.clone().map(|c| c * scale));
    for k in 1..POWERS {
        let next = powers[k - 1].times(&powers[0]);
        powers.push(next);
    }
    let factors: Vec<f64> = (0..=TERMS)
        .scan(1.0, |product, k| {
            *product /= k.max(1) as f64;
            Some(*product)
        })
        .collected();
    let mut out: Option<Mat<T>> = None;
    for group in factors.chunks(POWERS).rev() {
        let mut next = match out {
            Some(high) => high.times(&powers[POWERS - 1]),
            None => Mat::zeros(a.rows, a.cols),
        };
        for (power, factor) in powers.iter().zip(&group[1..]) {
            let pairs = next.elements_mut().iter_mut().zip(power.elements());
            pairs.for_each(|(x, p)| *x += *p * *factor);
        }
        for k in 0..a.rows {
            next[(k, k)] += T::real(group[0]);
        }
        out = Some(next);
    }
    let mut out = out.unwrap_or_else(|| Mat::eye(a.rows, a.cols));
    for _ in 0..halvings {
        out = out.times(&out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Dense, Mat, exponential};

    #[test]
    fn the_exponential_of_a_rotation_generator_is_the_rotation() {
        let angle = 2.0f64;
        let generator = Mat::from_fn(2, 2, |i, j| (i as f64 - j as f64) * angle);
        let got = exponential(&Dense::Real(generator));
        for ((i, j), want) in [
            ((0, 0), angle.cos()),
            ((0, 1), -angle.sin()),
            ((1, 0), angle.sin()),
        ] {
            assert!((got.at(i, j).re - want).abs() < 1e-13);
        }
    }
}
