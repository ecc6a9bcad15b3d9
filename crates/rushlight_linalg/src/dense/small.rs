//! LU factors of matrices of a few rows, without memory of their own: batches of them are many.

/// The most rows.
pub const MOST: usize = 8;

/// L below and U on and above the diagonal of a square matrix, and where each row came from.
pub struct Small {
    lu: [[f64; MOST]; MOST],
    order: [usize; MOST],
    n: usize,
    odd: bool,
    /// The first zero pivot counted from one, or 0.
    pub info: usize,
}

impl Small {
    /// The factors of a matrix of `n` rows, row-major.
    #[inline]
    pub fn factor(a: &[f64], n: usize) -> Small {
        let mut own = Small {
            lu: [[0.0; MOST]; MOST],
            order: std::array::from_fn(|k| k),
            n,
            odd: false,
            info: 0,
        };
        let lu = &mut own.lu;
        for (row, a) in lu.iter_mut().zip(a.chunks_exact(n)) {
            row[..n].copy_from_slice(a);
        }
        for k in 0..n {
            let mut best = k;
            for i in k + 1..n {
                if lu[i][k].abs() > lu[best][k].abs() {
                    best = i;
                }
            }
            if best != k {
                lu.swap(k, best);
                own.order.swap(k, best);
                own.odd = !own.odd;
            }
            let top = lu[k];
            if top[k] == 0.0 {
                own.info = if own.info == 0 { k + 1 } else { own.info };
                continue;
            }
            for row in &mut lu[k + 1..n] {
                let factor = row[k] / top[k];
                row[k] = factor;
                for j in k + 1..n {
                    row[j] -= factor * top[j];
                }
            }
        }
        own
    }

    /// The determinant.
    pub fn determinant(&self) -> f64 {
        let sign = if self.odd { -1.0 } else { 1.0 };
        (0..self.n).fold(sign, |d, k| d * self.lu[k][k])
    }

    /// The solution of `A x = b` for a column: `from` gives the elements of b.
    #[inline]
    pub fn solve(&self, from: impl Fn(usize) -> f64) -> [f64; MOST] {
        let n = self.n;
        let mut x = [0.0; MOST];
        for k in 0..n {
            let row = &self.lu[k];
            let mut sum = from(self.order[k]);
            for j in 0..k {
                sum -= row[j] * x[j];
            }
            x[k] = sum;
        }
        for k in (0..n).rev() {
            let row = &self.lu[k];
            let mut sum = x[k];
            for j in k + 1..n {
                sum -= row[j] * x[j];
            }
            x[k] = sum / row[k];
        }
        x
    }
}
