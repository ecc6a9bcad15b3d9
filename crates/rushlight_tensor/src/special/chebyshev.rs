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

    /// The coefficients of the powers of `u`, which goes from -1 to 1 over the interval: for code without a recurrence,
    /// where terms fall so fast that nothing is lost.
    pub const fn powers(&self) -> [f64; N] {
        let (mut a, mut b) = ([0.0; N], [0.0; N]);
        let mut k = N;
        while k > 0 {
            k -= 1;
            // The first term takes part with `u`, all others with `2 u`.
            let factor = if k == 0 { 1.0 } else { 2.0 };
            let mut next = [0.0; N];
            let mut i = 0;
            while i < N {
                let risen = if i == 0 { 0.0 } else { factor * a[i - 1] };
                next[i] = risen - b[i];
                i += 1;
            }
            next[0] += self.terms[k];
            b = a;
            a = next;
        }
        a
    }
}
