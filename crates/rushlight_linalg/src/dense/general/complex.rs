//! Schur's form of a complex Hessenberg matrix by single shifts, in the order of LAPACK.

use super::super::matrix::{ONE, ZERO};
use super::Form;
use super::back::{divided, shrink, substitute, taken_back};
use super::balance::Balance;
use rushlight_kernels::linalg::dense::field::Field;
use rushlight_kernels::linalg::dense::reflections::{turn_columns, turn_two};
use rushlight_tensor::{Complex64, memory, watch};
use std::ops::Range;

/// Every so many steps another shift, against cycles.
const UNUSUAL: usize = 10;

/// Rotations after which rows far above the diagonal are caught up.
const WINDOW: usize = 32;

impl Form<Complex64> {
    /// Brings a range of rows and columns to Schur's form, whatever is beside it along; whether that succeeded.
    pub fn iterate(&mut self, range: Range<usize>) -> bool {
        let limit = 30usize.saturating_mul(range.len().max(10));
        let (mut end, mut steps) = (range.end, 0);
        while end > range.start {
            watch::poll();
            let own = range.start..end;
            let mut rows = (range.start + 1..end).rev();
            let start = match rows.find(|k| self.negligible(*k, &own)) {
                Some(k) => {
                    self.h[(k, k - 1)] = ZERO;
                    k
                }
                None => range.start,
            };
            if start + 1 == end {
                (end, steps) = (start, 0);
                continue;
            }
            if steps == limit {
                return false;
            }
            steps += 1;
            let shift = self.shift(start..end, steps);
            self.step(start..end, shift);
        }
        true
    }

    fn shift(&self, part: Range<usize>, steps: usize) -> Complex64 {
        let h = &self.h;
        let (start, last) = (part.start, part.end - 1);
        if steps.is_multiple_of(2 * UNUSUAL) {
            return h[(last, last)] + 0.75 * h[(last, last - 1)].size();
        }
        if steps.is_multiple_of(UNUSUAL) {
            return h[(start, start)] + 0.75 * h[(start + 1, start)].size();
        }
        // The eigenvalue of the last two rows that is nearer to the last element.
        let own = h[(last, last)];
        let u = h[(last - 1, last)].sqrt() * h[(last, last - 1)].sqrt();
        if u == ZERO {
            return own;
        }
        let x = (h[(last - 1, last - 1)] - own) * 0.5;
        let size = u.size().max(x.size());
        let (a, b) = (x / size, u / size);
        let y = (a * a + b * b).sqrt() * size;
        let y = if x.re * y.re + x.im * y.im < 0.0 {
            -y
        } else {
            y
        };
        own - u * divided(u, x + y)
    }

    /// One step of the QR algorithm.
    fn step(&mut self, part: Range<usize>, shift: Complex64) {
        let n = self.h.cols;
        let (start, end) = (part.start, part.end);
        // Two small elements below the diagonal one after the other are as good as a zero.
        let (mut m, mut first, mut second) = (end - 2, ZERO, ZERO);
        loop {
            let h = &self.h;
            let (own, below) = (h[(m, m)] - shift, h[(m + 1, m)]);
            let size = own.size() + below.size();
            if size != 0.0 {
                (first, second) = (own / size, below / size);
            }
            if m == start {
                break;
            }
            let near = h[(m, m)].size() + h[(m + 1, m + 1)].size();
            if h[(m, m - 1)].size() * second.size() <= self.unit * first.size() * near {
                break;
            }
            m -= 1;
        }
        let (rows, columns) = match self.z {
            Some(_) => (0, n),
            None => (start, end),
        };
        // Rows above a window wait for the rotations of the window.
        let mut top = m;
        let mut waiting = memory::with_capacity(WINDOW);
        for k in m..end - 1 {
            if k > m {
                (first, second) = (self.h[(k, k - 1)], self.h[(k + 1, k - 1)]);
            }
            let (c, s, r) = rotation(first, second);
            if k > m {
                (self.h[(k, k - 1)], self.h[(k + 1, k - 1)]) = (r, ZERO);
            } else if m > start {
                self.h[(k, k - 1)] *= c;
            }
            let (above, below) = self.h.split_rows(k + 1);
            let upper = &mut above[k * n..][k..columns];
            turn_two(upper, &mut below[k..columns], c, s);
            let h = self.h.elements_mut();
            turn_columns(&mut h[top * n..(k + 3).min(end) * n], n, k, &[(c, s)]);
            waiting.push((c, s));
            if waiting.len() == WINDOW || k + 2 == end {
                turn_columns(&mut h[rows * n..top * n], n, top, &waiting);
                waiting.clear();
                top = k + 1;
            }
            if let Some(z) = &mut self.z {
                let n = z.cols;
                let (above, below) = z.split_rows(k + 1);
                turn_two(&mut above[k * n..], &mut below[..n], c, s);
            }
        }
    }

    /// The eigenvectors, none where they are not wanted.
    pub fn vectors(&mut self, balance: &Balance) -> Vec<Complex64> {
        let Some(z) = self.z.take() else {
            return Vec::new();
        };
        let (t, n) = (&self.h, self.h.cols);
        let x = substitute(t, |x, rows, from| {
            let at = rows.start;
            for j in rows.end..n {
                let least = self.tiny.max(self.unit * t[(j, j)].size());
                let largest = x[(at, j)].size();
                shrink(x, (largest, least), from, j..j + 1);
                let gap = t[(at, at)] - t[(j, j)];
                let gap = if gap.size() < least {
                    Complex64::new(least, 0.0)
                } else {
                    gap
                };
                let own = -divided(x[(at, j)], gap);
                x[(at, j)] = own;
                shrink(x, (own.size(), 1.0), from, j..j + 1);
            }
            x[(at, at)] = ONE;
        });
        let mut out = memory::with_capacity(memory::times([n, n]));
        let mut rows = taken_back(&x, &z.map(|x| x.conj()));
        for k in 0..n {
            watch::poll();
            let row = rows.row_mut(k);
            balance.undo(row);
            turned(row);
            out.extend_from_slice(row);
        }
        out
    }
}

/// The rotation that turns `(x, y)` into `(r, 0)`, and r.
fn rotation(x: Complex64, y: Complex64) -> (f64, Complex64, Complex64) {
    if y == ZERO {
        return (1.0, ZERO, x);
    }
    if x == ZERO {
        let length = y.norm();
        return (0.0, y.conj() / length, Complex64::new(length, 0.0));
    }
    let (size, below) = (x.norm(), y.norm());
    let length = super::super::tridiagonal::length(size, below);
    let phase = x / size;
    (size / length, phase * y.conj() / length, phase * length)
}

/// Makes a vector one of length one whose largest element is real.
fn turned(row: &mut [Complex64]) {
    let square: f64 = row.iter().map(|x| x.norm_sqr()).sum();
    let (mut place, mut largest) = (0, -1.0);
    for (i, x) in row.iter().enumerate() {
        if x.norm_sqr() > largest {
            (place, largest) = (i, x.norm_sqr());
        }
    }
    let Some(own) = row.get(place).copied() else {
        return;
    };
    let factor = own.conj() / own.norm() / square.sqrt();
    row.iter_mut().for_each(|x| *x *= factor);
    row[place].im = 0.0;
}
