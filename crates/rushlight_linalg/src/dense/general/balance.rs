//! Rows and columns of a matrix made alike in size, and eigenvalues that stand alone taken aside (Parlett and Reinsch,
//! 1969), in the order of LAPACK.

use super::super::matrix::Mat;
use rushlight_kernels::linalg::dense::field::Field;
use rushlight_tensor::{memory, watch};
use std::ops::Range;

/// What was done to a matrix.
pub struct Balance {
    /// The rows and columns that are left; what is before and behind is triangular already.
    pub rest: Range<usize>,
    /// By which the eigenvectors' elements are multiplied.
    scale: Vec<f64>,
    /// Exchanges of two places, in the order in which they were made.
    exchanges: Vec<(usize, usize)>,
}

/// Balances a matrix.
pub fn balance<T: Field>(a: &mut Mat<T>) -> Balance {
    let n = a.rows;
    let mut own = Balance {
        rest: 0..n,
        scale: memory::filled(n, 1.0),
        exchanges: memory::with_capacity(n),
    };
    own.set_aside(a);
    own.equalise(a);
    own
}

impl Balance {
    /// Moves rows that have nothing beside the diagonal to the end, then such columns to the front.
    fn set_aside<T: Field>(&mut self, a: &mut Mat<T>) {
        while let Some(row) = self
            .rest
            .clone()
            .rev()
            .find(|i| self.rest.clone().all(|j| j == *i || a[(*i, j)] == T::ZERO))
        {
            self.exchange(a, row, self.rest.end - 1);
            self.rest.end -= 1;
            if self.rest.len() <= 1 {
                return;
            }
        }
        while let Some(column) = self
            .rest
            .clone()
            .find(|j| self.rest.clone().all(|i| i == *j || a[(i, *j)] == T::ZERO))
        {
            self.exchange(a, column, self.rest.start);
            self.rest.start += 1;
        }
    }

    fn exchange<T: Field>(&mut self, a: &mut Mat<T>, from: usize, to: usize) {
        watch::poll();
        if from == to {
            return;
        }
        self.exchanges.push((from, to));
        a.swap_rows(from, to);
        for i in 0..a.rows {
            a.row_mut(i).swap(from, to);
        }
    }

    /// Multiplies rows and divides columns by powers of two until both are alike.
    fn equalise<T: Field>(&mut self, a: &mut Mat<T>) {
        /// How much smaller the sum has to become.
        const FACTOR: f64 = 0.95;
        /// Passes: every one makes a sum smaller.
        const LIMIT: usize = 100;
        let (rest, n) = (self.rest.clone(), a.rows);
        let squares = |row: &[T]| row.iter().map(|x| x.norm_sqr()).sum::<f64>();
        for _ in 0..LIMIT {
            watch::poll();
            // Columns change one by one, so that their lengths do.
            let mut columns = memory::filled(n, 0.0);
            for i in rest.clone() {
                for (sum, x) in columns.iter_mut().zip(a.row(i)) {
                    *sum += x.norm_sqr();
                }
            }
            let mut changed = false;
            for i in rest.clone() {
                let mut c: f64 = columns[i].sqrt();
                let mut r = squares(&a.row(i)[rest.clone()]).sqrt();
                if c == 0.0 || r == 0.0 {
                    continue;
                }
                let (sum, mut f) = (c + r, 1.0);
                while c < r / 2.0 && f < 1e150 {
                    (f, c, r) = (f * 2.0, c * 2.0, r / 2.0);
                }
                while c / 2.0 >= r && f > 1e-150 {
                    (f, c, r) = (f / 2.0, c / 2.0, r * 2.0);
                }
                if f == 1.0 || c + r >= FACTOR * sum {
                    continue;
                }
                let whole = self.scale[i] * f;
                if !(1e-150..1e150).contains(&whole) {
                    continue;
                }
                self.scale[i] = whole;
                changed = true;
                for (x, sum) in a.row_mut(i)[rest.start..]
                    .iter_mut()
                    .zip(&mut columns[rest.start..])
                {
                    let old = x.norm_sqr();
                    *x = *x / f;
                    *sum += x.norm_sqr() - old;
                }
                for row in 0..rest.end {
                    a[(row, i)] = a[(row, i)] * f;
                }
                columns[i] = rest.clone().map(|row| a[(row, i)].norm_sqr()).sum();
            }
            if !changed {
                return;
            }
        }
    }

    /// Makes an eigenvector of the balanced matrix one of the matrix.
    pub fn undo<T: Field>(&self, vector: &mut [T]) {
        for i in self.rest.clone() {
            vector[i] = vector[i] * self.scale[i];
        }
        for (a, b) in self.exchanges.iter().rev() {
            vector.swap(*a, *b);
        }
    }
}
