//! Blocks on the diagonal of Schur's form in another order (Bai and Demmel, 1993).

use super::Form;

/// A square of at most four rows.
type Square = [[f64; 4]; 4];

impl Form<f64> {
    /// The rows of the block that ends before a row.
    pub fn block_before(&self, row: usize) -> usize {
        if row >= 2 && self.h[(row - 1, row - 2)] != 0.0 {
            2
        } else {
            1
        }
    }

    /// Moves the block at a row up to another; whether it could be told from all blocks between.
    pub fn raise(&mut self, mut from: usize, to: usize, size: usize) -> bool {
        while from > to {
            let other = self.block_before(from);
            if !self.exchange(from - other, other, size) {
                return false;
            }
            from -= other;
            if size == 2 && self.h[(from + 1, from)] == 0.0 {
                return from == to;
            }
        }
        true
    }

    /// Exchanges a block of `p` rows and the one of `q` rows that follows it; whether that was possible.
    fn exchange(&mut self, at: usize, p: usize, q: usize) -> bool {
        let (n, size) = (self.h.cols, p + q);
        let mut own = Square::default();
        for i in 0..size {
            own[i][..size].copy_from_slice(&self.h.row(at + i)[at..at + size]);
        }
        let largest = own.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
        let Some(turned) = basis(&own, p, q, largest * self.unit) else {
            return false;
        };
        // What stays below the new blocks has to be as good as zero.
        let new = product(&transposed(&turned), &product(&own, &turned));
        let left = (q..size).flat_map(|i| (0..q).map(move |j| (i, j)));
        let bound = 10.0 * self.unit * largest;
        if left
            .into_iter()
            .any(|(i, j)| new[i][j].abs() > bound || new[i][j].is_nan())
        {
            return false;
        }
        for j in at..n {
            let column: [f64; 4] =
                std::array::from_fn(|i| if i < size { self.h[(at + i, j)] } else { 0.0 });
            for i in 0..size {
                self.h[(at + i, j)] = (0..size).map(|k| turned[k][i] * column[k]).sum();
            }
        }
        for i in 0..at + size {
            let row = &mut self.h.row_mut(i)[at..at + size];
            let held: [f64; 4] = std::array::from_fn(|k| row.get(k).copied().unwrap_or(0.0));
            for (j, x) in row.iter_mut().enumerate() {
                *x = (0..size).map(|k| held[k] * turned[k][j]).sum();
            }
        }
        if let Some(z) = &mut self.z {
            for j in 0..z.cols {
                let column: [f64; 4] =
                    std::array::from_fn(|i| if i < size { z[(at + i, j)] } else { 0.0 });
                for i in 0..size {
                    z[(at + i, j)] = (0..size).map(|k| turned[k][i] * column[k]).sum();
                }
            }
        }
        for i in q..size {
            self.h.row_mut(at + i)[at..at + q].fill(0.0);
        }
        for (first, rows) in [(at, q), (at + q, p)] {
            if rows == 2 {
                self.standardise(first);
            }
        }
        true
    }
}

/// An orthogonal matrix whose first `q` columns span what belongs to the second block.
fn basis(own: &Square, p: usize, q: usize, least: f64) -> Option<Square> {
    let size = p + q;
    let x = sylvester(own, p, q, least)?;
    // Columns of [-x; 1], made orthonormal by reflections.
    let mut columns = Square::default();
    for c in 0..q {
        for r in 0..p {
            columns[r][c] = -x[r * q + c];
        }
        columns[p + c][c] = 1.0;
    }
    let mut out = Square::default();
    for (k, row) in out.iter_mut().enumerate() {
        row[k] = 1.0;
    }
    for c in 0..q {
        let length = (c..size)
            .map(|i| columns[i][c] * columns[i][c])
            .sum::<f64>()
            .sqrt();
        if !length.is_normal() {
            return None;
        }
        let mut v = [0.0; 4];
        for i in c..size {
            v[i] = columns[i][c];
        }
        v[c] += length.copysign(v[c]);
        let square: f64 = v.iter().map(|x| x * x).sum();
        for j in c..q {
            let sum: f64 = (c..size).map(|i| v[i] * columns[i][j]).sum();
            for i in c..size {
                columns[i][j] -= 2.0 * sum / square * v[i];
            }
        }
        for row in &mut out {
            let sum: f64 = (c..size).map(|i| v[i] * row[i]).sum();
            for i in c..size {
                row[i] -= 2.0 * sum / square * v[i];
            }
        }
    }
    Some(out)
}

/// The solution of `A X - X B = C` for the blocks `[A C; 0 B]`, row by row; pivots are not less than `least`.
fn sylvester(own: &Square, p: usize, q: usize, least: f64) -> Option<[f64; 4]> {
    let count = p * q;
    let mut system = [[0.0; 5]; 4];
    for r in 0..p {
        for c in 0..q {
            let row = &mut system[r * q + c];
            for k in 0..p {
                row[k * q + c] += own[r][k];
            }
            for k in 0..q {
                row[r * q + k] -= own[p + k][p + c];
            }
            row[4] = own[r][p + c];
        }
    }
    for k in 0..count {
        let best = (k..count).max_by(|i, j| system[*i][k].abs().total_cmp(&system[*j][k].abs()))?;
        system.swap(k, best);
        if system[k][k].abs() < least {
            system[k][k] = least;
        }
        let top = system[k];
        for row in &mut system[k + 1..count] {
            let factor = row[k] / top[k];
            for j in k..5 {
                row[j] -= factor * top[j];
            }
        }
    }
    let mut x = [0.0; 4];
    for k in (0..count).rev() {
        let rest: f64 = (k + 1..count).map(|j| system[k][j] * x[j]).sum();
        x[k] = (system[k][4] - rest) / system[k][k];
    }
    x.iter().all(|x| x.is_finite()).then_some(x)
}

fn product(a: &Square, b: &Square) -> Square {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..4).map(|k| a[i][k] * b[k][j]).sum()))
}

fn transposed(a: &Square) -> Square {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}
