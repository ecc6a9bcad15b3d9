//! Chebyshev series: how functions of one variable are stored here.

/// A series on an interval.
pub struct Chebyshev<const N: usize> {
    pub low: f64,
    pub high: f64,
    /// Coefficients of the Chebyshev polynomials from degree 0 on.
    pub terms: [f64; N],
}

impl<const N: usize> Chebyshev<N> {
    /// The value at a point of the interval, by Clenshaw's recurrence.
    #[inline]
    pub fn at(&self, x: f64) -> f64 {
        let u = (2.0 * x - self.low - self.high) / (self.high - self.low);
        let (mut a, mut b) = (0.0, 0.0);
        for &term in self.terms[1..].iter().rev() {
            (a, b) = (2.0 * u * a - b + term, a);
        }
        u * a - b + self.terms[0]
    }
}
