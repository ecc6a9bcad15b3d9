//! Eigenvectors from Schur's form: back substitution for all of them at once, by blocks.

use super::super::matrix::{Mat, ZERO};
use super::Form;
use super::balance::Balance;
use super::francis::imaginary;
use super::is_single;
use rushlight_kernels::linalg::dense::field::Field;
use rushlight_kernels::linalg::gemm::{self, Matrix};
use rushlight_tensor::{Complex64, memory, watch};
use std::ops::Range;

/// Rows that are solved one by one; what stands right of them is a product.
const BLOCK: usize = 32;

/// Vectors that are taken back at once.
const STRIP: usize = 64;

/// How much larger than what divides it an element may be.
const LARGE: f64 = 1e100;

/// The columns that a quasi-triangular matrix turns into multiples of themselves. Rows come from the last to the first: the
/// sums over what is below are there when `finish` gets a row, or the two of a block, with the first row that is not done.
pub fn substitute<T: Field>(
    t: &Mat<T>,
    mut finish: impl FnMut(&mut Mat<T>, Range<usize>, usize),
) -> Mat<T> {
    let n = t.rows;
    let joined = |row: usize| row > 0 && t[(row, row - 1)] != T::ZERO;
    let mut x = Mat::zeros(n, n);
    let mut end = n;
    while end > 0 {
        watch::poll();
        let mut start = end.saturating_sub(BLOCK);
        if joined(start) {
            start -= 1;
        }
        if end < n {
            let (above, below) = x.split_rows(end);
            let below = Matrix::new(&below[end..], n - end, n - end, n, 1);
            let left = t.part(start..end, end..n);
            gemm::product(left, below, &mut above[start * n + end..], n, false);
        }
        let mut row = end;
        while row > start {
            let at = if joined(row - 1) { row - 2 } else { row - 1 };
            for i in at..row {
                for k in row..end {
                    let (above, below) = x.split_rows(k);
                    let sums = &mut above[i * n + row..(i + 1) * n];
                    T::add_scaled(sums, t[(i, k)], &below[row..n]);
                }
            }
            finish(&mut x, at..row, start);
            row = at;
        }
        end = start;
    }
    x
}

/// Divides what there is of some columns by their largest element, where that is so large that the next division by what is
/// not less than `least` could make it infinite.
pub fn shrink<T: Field>(
    x: &mut Mat<T>,
    (largest, least): (f64, f64),
    from: usize,
    columns: Range<usize>,
) {
    if largest > 1.0 && largest > LARGE * least {
        for i in from..columns.end {
            for x in &mut x.row_mut(i)[columns.clone()] {
                *x = *x / largest;
            }
        }
    }
}

/// The vectors as rows: the transpose of `x`, of which element `(i, j)` with `i > j + 1` is zero, times `z`.
pub fn taken_back<T: Field>(x: &Mat<T>, z: &Mat<T>) -> Mat<T> {
    let n = z.cols;
    let mut rows = Mat::zeros(n, n);
    for first in (0..n).step_by(STRIP) {
        let last = (first + STRIP).min(n);
        let depth = (last + 1).min(n);
        let left = x.part(0..depth, first..last).transposed();
        let right = z.part(0..depth, 0..n);
        gemm::product(left, right, &mut rows.elements_mut()[first * n..], n, false);
    }
    rows
}

/// The factor that makes a vector one of length one.
fn to_one(square: f64) -> f64 {
    1.0 / square.sqrt()
}

impl Form<f64> {
    /// The eigenvectors, none where they are not wanted.
    pub fn vectors(&self, values: &[Complex64], balance: &Balance) -> Vec<Complex64> {
        let Some(z) = &self.z else {
            return Vec::new();
        };
        let n = z.cols;
        let x = substitute(&self.h, |x, rows, from| self.finish(x, rows, from, values));
        let mut rows = taken_back(&x, z);
        let mut out = memory::with_capacity(memory::times([n, n]));
        let mut k = 0;
        while k < n {
            watch::poll();
            if values[k].im == 0.0 {
                let row = rows.row_mut(k);
                balance.undo(row);
                let factor = to_one(f64::dot(row, row));
                out.extend(row.iter().map(|x| Complex64::new(x * factor, 0.0)));
                k += 1;
                continue;
            }
            let (re, im) = rows.elements_mut()[k * n..(k + 2) * n].split_at_mut(n);
            balance.undo(re);
            balance.undo(im);
            turned(re, im, is_single(self.unit), &mut out);
            let last = out.len() - n;
            out.extend_from_within(last..);
            out[last + n..].iter_mut().for_each(|x| *x = x.conj());
            k += 2;
        }
        out
    }

    /// Solves a row, or the two of a block, for all vectors right of it and begins those that start there.
    fn finish(&self, x: &mut Mat<f64>, rows: Range<usize>, from: usize, values: &[Complex64]) {
        let t = &self.h;
        let (at, two) = (rows.start, rows.len() == 2);
        let mut j = rows.end;
        while j < t.cols {
            let value = values[j];
            let least = self.tiny.max(self.unit * (value.re.abs() + value.im.abs()));
            let pair = value.im != 0.0;
            let end = if pair { j + 2 } else { j + 1 };
            let size = |x: &Mat<f64>| {
                let own = rows.clone().flat_map(|i| &x.row(i)[j..end]);
                own.fold(0.0f64, |m, x| m.max(x.abs()))
            };
            let largest = size(x);
            shrink(x, (largest, least), from, j..end);
            if !pair && !two {
                let gap = t[(at, at)] - value.re;
                let gap = if gap.abs() < least { least } else { gap };
                let own = -x[(at, j)] / gap;
                x[(at, j)] = own;
                shrink(x, (own.abs(), 1.0), from, j..end);
                j = end;
                continue;
            }
            let right = |i: usize| {
                let im = if pair { x[(i, j + 1)] } else { 0.0 };
                -Complex64::new(x[(i, j)], im)
            };
            let gap = |i: usize| Complex64::new(t[(i, i)], 0.0) - value;
            let own = if two {
                let (b, c) = (t[(at, at + 1)], t[(at + 1, at)]);
                solved(
                    gap(at),
                    b,
                    c,
                    gap(at + 1),
                    [right(at), right(at + 1)],
                    least,
                )
            } else {
                let gap = gap(at);
                let gap = if gap.norm() < least {
                    Complex64::new(least, 0.0)
                } else {
                    gap
                };
                [divided(right(at), gap), ZERO]
            };
            for (i, own) in rows.clone().zip(own) {
                x[(i, j)] = own.re;
                if pair {
                    x[(i, j + 1)] = own.im;
                }
            }
            let largest = size(x);
            shrink(x, (largest, 1.0), from, j..end);
            j = end;
        }
        x[(at, at)] = 1.0;
        if two {
            let (b, c, im) = (t[(at, at + 1)], t[(at + 1, at)], imaginary(t, at));
            (x[(at, at)], x[(at + 1, at + 1)]) = if b.abs() >= c.abs() {
                (1.0, im / b)
            } else {
                (-im / c, 1.0)
            };
        }
    }
}

/// The solution of two equations `[a b; c d] x = right`.
fn solved(
    a: Complex64,
    b: f64,
    c: f64,
    d: Complex64,
    [x, y]: [Complex64; 2],
    least: f64,
) -> [Complex64; 2] {
    let size = a.norm().max(d.norm()).max(b.abs()).max(c.abs()).max(least);
    let (a, b, c, d) = (a / size, b / size, c / size, d / size);
    let determinant = a * d - b * c;
    let bound = least / size;
    let determinant = if determinant.norm() < bound {
        Complex64::new(bound, 0.0)
    } else {
        determinant
    };
    let [x, y] = [x / size, y / size];
    [
        divided(d * x - y * b, determinant),
        divided(a * y - x * c, determinant),
    ]
}

/// The quotient, whose divisor may have a square that is too small.
pub fn divided(x: Complex64, by: Complex64) -> Complex64 {
    let size = by.size();
    x / size / (by / size)
}

/// Adds a complex vector of length one to `out`, turned so that its largest element is real.
fn turned(re: &[f64], im: &[f64], single: bool, out: &mut Vec<Complex64>) {
    let factor = to_one(f64::dot(re, re) + f64::dot(im, im));
    let (mut place, mut largest) = (0, -1.0);
    for (i, (re, im)) in re.iter().zip(im).enumerate() {
        let square = re * re + im * im;
        if square > largest {
            (place, largest) = (i, square);
        }
    }
    // Which of the two directions it takes is LAPACK's choice, another one in each precision.
    let back = re[place] < 0.0 && (single || re[place].abs() > im[place].abs());
    let length = if back {
        -largest.sqrt()
    } else {
        largest.sqrt()
    };
    let turn = Complex64::new(re[place] / length, -im[place] / length);
    let start = out.len();
    let pairs = re.iter().zip(im);
    out.extend(pairs.map(|(re, im)| Complex64::new(*re, *im) * turn * factor));
    out[start + place].im = 0.0;
}
