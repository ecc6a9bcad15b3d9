//! Schur's form of a real Hessenberg matrix by double shifts (Francis, 1961), in the order and the signs of LAPACK.

use super::super::matrix::Mat;
use super::super::tridiagonal::length;
use super::Form;
use rushlight_kernels::linalg::dense::reflections::{Reflection, reflect_columns, reflect_rows};
use rushlight_tensor::{Complex64, memory, watch};
use std::ops::Range;

/// Every so many steps another shift, against cycles.
const UNUSUAL: usize = 10;

impl Form<f64> {
    /// A part of a matrix, with vectors.
    pub fn part(&self, rows: Range<usize>) -> Form<f64> {
        let n = rows.len();
        Form {
            h: self.h.copied(rows.clone(), rows),
            z: Some(Mat::eye(n, n)),
            unit: self.unit,
            tiny: self.tiny,
        }
    }

    /// Where the part without zeros below the diagonal begins that ends where the range does.
    pub fn start(&mut self, range: Range<usize>) -> usize {
        let mut rows = (range.start + 1..range.end).rev();
        let Some(k) = rows.find(|k| self.negligible(*k, &range)) else {
            return range.start;
        };
        self.h[(k, k - 1)] = 0.0;
        k
    }

    /// Brings a range of rows and columns to Schur's form, whatever is beside it along; whether that succeeded.
    pub fn iterate(&mut self, range: Range<usize>) -> bool {
        let limit = 30usize.saturating_mul(range.len().max(10));
        let (mut end, mut steps) = (range.end, 0);
        while end > range.start {
            watch::poll();
            let start = self.start(range.start..end);
            if start + 2 >= end {
                if start + 2 == end {
                    self.standardise(start);
                }
                (end, steps) = (start, 0);
                continue;
            }
            if steps == limit {
                return false;
            }
            steps += 1;
            let shifts = self.shifts(start..end, steps);
            self.step(start..end, shifts);
        }
        true
    }

    fn shifts(&self, part: Range<usize>, steps: usize) -> [Complex64; 2] {
        let h = &self.h;
        let (start, last) = (part.start, part.end - 1);
        let unusual = |size: f64, at: usize| {
            let a = 0.75 * size + h[(at, at)];
            [a, -0.4375 * size, size, a]
        };
        let [a, b, c, d] = if steps.is_multiple_of(2 * UNUSUAL) {
            let size = h[(last, last - 1)].abs() + h[(last - 1, last - 2)].abs();
            unusual(size, last)
        } else if steps.is_multiple_of(UNUSUAL) {
            let size = h[(start + 1, start)].abs() + h[(start + 2, start + 1)].abs();
            unusual(size, start)
        } else {
            let (i, j) = (last - 1, last);
            [h[(i, i)], h[(i, j)], h[(j, i)], h[(j, j)]]
        };
        let size = a.abs() + b.abs() + c.abs() + d.abs();
        if size == 0.0 {
            return [Complex64::new(0.0, 0.0); 2];
        }
        let [a, b, c, d] = [a / size, b / size, c / size, d / size];
        let middle = (a + d) / 2.0;
        let determinant = (a - middle) * (d - middle) - b * c;
        let root = determinant.abs().sqrt();
        if determinant >= 0.0 {
            let shift = Complex64::new(middle * size, root * size);
            return [shift, shift.conj()];
        }
        // The real one that is nearer to the last element, twice.
        let (x, y) = (middle + root, middle - root);
        let near = if (x - d).abs() <= (y - d).abs() { x } else { y };
        [Complex64::new(near * size, 0.0); 2]
    }

    /// [`first_column`] of the part that begins at row `m`.
    fn column(&self, m: usize, shifts: [Complex64; 2]) -> [f64; 3] {
        first_column(|i, j| self.h[(m + i, m + j)], shifts)
    }

    /// One step with a double shift.
    fn step(&mut self, part: Range<usize>, shifts: [Complex64; 2]) {
        let n = self.h.cols;
        let (start, end) = (part.start, part.end);
        // Two small elements below the diagonal one after the other are as good as a zero.
        let mut m = end - 3;
        let mut column = self.column(m, shifts);
        while m > start {
            let h = &self.h;
            let near = h[(m - 1, m - 1)].abs() + h[(m, m)].abs() + h[(m + 1, m + 1)].abs();
            let left = h[(m, m - 1)].abs() * (column[1].abs() + column[2].abs());
            if left <= self.unit * column[0].abs() * near {
                break;
            }
            m -= 1;
            column = self.column(m, shifts);
        }
        let (rows, columns) = match self.z {
            Some(_) => (0, n),
            None => (start, end),
        };
        for k in m..end - 1 {
            let count = (end - k).min(3);
            if k > m {
                column = std::array::from_fn(|i| {
                    if i < count {
                        self.h[(k + i, k - 1)]
                    } else {
                        0.0
                    }
                });
            }
            let (beta, by) = reflection(column, count);
            if k > m {
                self.h[(k, k - 1)] = beta;
                for i in 1..count {
                    self.h[(k + i, k - 1)] = 0.0;
                }
            } else if m > start {
                self.h[(k, k - 1)] *= 1.0 - by.t;
            }
            let h = self.h.elements_mut();
            reflect_rows(&mut h[k * n..], n, k..columns, by);
            reflect_columns(&mut h[rows * n..(k + 4).min(end) * n], n, k, by);
            if let Some(z) = &mut self.z {
                let n = z.cols;
                reflect_rows(&mut z.elements_mut()[k * n..], n, 0..n, by);
            }
        }
    }

    /// Brings the block of two rows at `k` to its standard form.
    pub fn standardise(&mut self, k: usize) {
        let (n, j) = (self.h.cols, k + 1);
        let h = &mut self.h;
        let (own, (c, s)) = standard([h[(k, k)], h[(k, j)], h[(j, k)], h[(j, j)]]);
        [h[(k, k)], h[(k, j)], h[(j, k)], h[(j, j)]] = own;
        if let Some(z) = &mut self.z {
            turn(h, k, j + 1..n, c, s);
            for i in 0..k {
                let row = h.row_mut(i);
                (row[k], row[j]) = (c * row[k] + s * row[j], c * row[j] - s * row[k]);
            }
            let all = 0..z.cols;
            turn(z, k, all, c, s);
        }
    }

    /// The eigenvalues of a form that is done.
    pub fn values(&self, range: Range<usize>) -> Vec<Complex64> {
        let h = &self.h;
        let mut out = memory::with_capacity(range.len());
        let mut k = range.start;
        while k < range.end {
            if k + 1 < range.end && h[(k + 1, k)] != 0.0 {
                let value = Complex64::new(h[(k, k)], imaginary(h, k));
                out.extend([value, value.conj()]);
                k += 2;
            } else {
                out.push(Complex64::new(h[(k, k)], 0.0));
                k += 1;
            }
        }
        out
    }
}

/// What a double shift makes of the first column of a matrix of those elements, but for a factor.
pub fn first_column(h: impl Fn(usize, usize) -> f64, [x, y]: [Complex64; 2]) -> [f64; 3] {
    let (own, below) = (h(0, 0), h(1, 0));
    let size = (own - y.re).abs() + y.im.abs() + below.abs();
    if size == 0.0 {
        return [0.0; 3];
    }
    let ratio = below / size;
    let first = ratio * h(0, 1) + (own - x.re) * ((own - y.re) / size) - x.im * (y.im / size);
    let second = ratio * (own + h(1, 1) - x.re - y.re);
    let third = ratio * h(2, 1);
    let size = first.abs() + second.abs() + third.abs();
    if size == 0.0 {
        return [0.0; 3];
    }
    [first / size, second / size, third / size]
}

/// The imaginary part of the eigenvalues of the standard block at `k`.
pub fn imaginary(h: &Mat<f64>, k: usize) -> f64 {
    h[(k, k + 1)].abs().sqrt() * h[(k + 1, k)].abs().sqrt()
}

/// Turns rows `k` and `k + 1` against each other.
fn turn(m: &mut Mat<f64>, k: usize, columns: Range<usize>, c: f64, s: f64) {
    let cols = m.cols;
    let (above, below) = m.split_rows(k + 1);
    let upper = &mut above[k * cols..][columns.clone()];
    for (x, y) in upper.iter_mut().zip(&mut below[columns]) {
        (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
    }
}

/// The reflection that makes zeros of all but the first of so many numbers, and what that becomes.
pub fn reflection(x: [f64; 3], count: usize) -> (f64, Reflection) {
    let rest = x[1] * x[1] + x[2] * x[2];
    let alpha = x[0];
    let mut by = Reflection {
        t: 0.0,
        v: [0.0; 2],
        count,
    };
    if !rest.is_normal() {
        // Nothing to do, or squares that are too small.
        let largest = x.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let none = x[1] == 0.0 && x[2] == 0.0;
        if none || largest == 1.0 || !largest.is_finite() {
            return (alpha, by);
        }
        let (beta, by) = reflection(x.map(|x| x / largest), count);
        return (beta * largest, by);
    }
    let beta = -(alpha * alpha + rest).sqrt().copysign(alpha);
    let scale = 1.0 / (alpha - beta);
    by.t = (beta - alpha) / beta;
    by.v = [x[1] * scale, x[2] * scale];
    (beta, by)
}

/// The standard form of `[a b; c d]` under a rotation, and that: c is zero, or a and d are equal and the signs of b and c are
/// not.
pub fn standard([mut a, mut b, mut c, mut d]: [f64; 4]) -> ([f64; 4], (f64, f64)) {
    let (mut cs, mut sn) = (1.0, 0.0);
    if c == 0.0 {
        return ([a, b, c, d], (cs, sn));
    }
    if b == 0.0 {
        return ([d, -c, 0.0, a], (0.0, 1.0));
    }
    if a == d && (b > 0.0) != (c > 0.0) {
        return ([a, b, c, d], (cs, sn));
    }
    let gap = a - d;
    let p = 0.5 * gap;
    let large = b.abs().max(c.abs());
    let small = b.abs().min(c.abs()).copysign(b) * 1f64.copysign(c);
    let scale = p.abs().max(large);
    let z = p / scale * p + large / scale * small;
    if z >= 4.0 * f64::EPSILON {
        let z = p + (scale.sqrt() * z.sqrt()).copysign(p);
        let r = length(c, z);
        let block = [d + z, b - c, 0.0, d - large / z * small];
        return (block, (z / r, c / r));
    }
    // Complex or almost equal values: the elements of the diagonal are made equal.
    let sum = b + c;
    let r = length(sum, gap);
    cs = (0.5 * (1.0 + sum.abs() / r)).sqrt();
    sn = -(p / (r * cs)) * 1f64.copysign(sum);
    let (aa, bb) = (a * cs + b * sn, b * cs - a * sn);
    let (cc, dd) = (c * cs + d * sn, d * cs - c * sn);
    (a, b) = (aa * cs + cc * sn, bb * cs + dd * sn);
    (c, d) = (cc * cs - aa * sn, dd * cs - bb * sn);
    let middle = 0.5 * (a + d);
    (a, d) = (middle, middle);
    if c == 0.0 {
        return ([a, b, c, d], (cs, sn));
    }
    if b == 0.0 {
        return ([a, -c, 0.0, d], (-sn, cs));
    }
    if (b > 0.0) == (c > 0.0) {
        // Two real values after all.
        let (root_b, root_c) = (b.abs().sqrt(), c.abs().sqrt());
        let p = (root_b * root_c).copysign(c);
        let r = 1.0 / (b + c).abs().sqrt();
        let (c1, s1) = (root_b * r, root_c * r);
        (cs, sn) = (cs * c1 - sn * s1, cs * s1 + sn * c1);
        return ([middle + p, b - c, 0.0, middle - p], (cs, sn));
    }
    ([a, b, c, d], (cs, sn))
}
