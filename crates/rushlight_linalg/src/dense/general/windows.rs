//! Schur's form of large real Hessenberg matrices: many shifts at once, chased in windows, and eigenvalues that a window at
//! the end finds converged (Braman, Byers and Mathias, 2002).

use super::super::matrix::Mat;
use super::super::orthogonal::reflector;
use super::Form;
use super::francis::{first_column, reflection, standard};
use super::hessenberg::reduce;
use rushlight_kernels::linalg::dense::field::Field;
use rushlight_kernels::linalg::dense::reflections::{Reflection, reflect_columns, reflect_rows};
use rushlight_kernels::linalg::gemm;
use rushlight_tensor::{Complex64, memory, watch};
use std::ops::Range;

/// Parts of at most so many rows take double shifts.
pub const SMALL: usize = 75;

/// Steps without an eigenvalue after which windows grow.
const PATIENCE: usize = 5;

/// Of a window, in percent: where more than this has converged, the next window comes before the next shifts.
const ENOUGH: usize = 14;

/// How many shifts a part of so many rows takes at once, and the rows of its window.
fn widths(rows: usize) -> (usize, usize) {
    match rows {
        0..150 => (10, 12),
        150..400 => (24, 32),
        400..1000 => (48, 64),
        _ => (64, 96),
    }
}

impl Form<f64> {
    /// As [`Form::iterate`], for matrices of any size.
    pub fn solve(&mut self, range: Range<usize>) -> bool {
        if range.len() <= SMALL {
            return self.iterate(range);
        }
        let mut left = 30usize.saturating_mul(range.len());
        let (mut end, mut idle) = (range.end, 0);
        while end > range.start {
            watch::poll();
            let start = self.start(range.start..end);
            let part = start..end;
            if part.len() <= SMALL {
                let mut own = self.part(part.clone());
                if !own.iterate(0..part.len()) {
                    return false;
                }
                self.put(&own, part.clone(), &part);
                (end, idle) = (start, 0);
                continue;
            }
            if left == 0 {
                return false;
            }
            left -= 1;
            let (most, mut rows) = widths(part.len());
            if idle >= PATIENCE {
                rows = (2 * rows).min(part.len() / 2);
            }
            let (found, shifts) = self.converged(&part, rows);
            end -= found;
            idle = if found > 0 { 0 } else { idle + 1 };
            if found * 100 > ENOUGH * rows || end - start <= SMALL {
                continue;
            }
            let part = start..end;
            let shifts = self.pairs(&part, shifts, most, idle);
            self.sweep(&part, &shifts);
        }
        true
    }

    /// Writes a part that was turned on its own back, and turns what is beside it inside the `active` rows, or everything
    /// where vectors are wanted.
    fn put(&mut self, own: &Form<f64>, part: Range<usize>, active: &Range<usize>) {
        self.h.put(part.start, part.start, &own.h);
        if let Some(z) = &own.z {
            self.turn_beside(part, active, z);
        }
    }

    fn turn_beside(&mut self, part: Range<usize>, active: &Range<usize>, by: &Mat<f64>) {
        let (rows, columns) = match self.z {
            Some(_) => (0..part.start, part.end..self.h.cols),
            None => (active.start..part.start, part.end..active.end),
        };
        let right = times(by, &self.h, part.clone(), columns.clone());
        self.h.put(part.start, columns.start, &right);
        let mut above = Mat::zeros(rows.len(), part.len());
        let own = self.h.part(rows.clone(), part.clone());
        let stride = part.len();
        gemm::product(
            own,
            by.whole().transposed(),
            above.elements_mut(),
            stride,
            false,
        );
        self.h.put(rows.start, part.start, &above);
        if let Some(z) = &mut self.z {
            let turned = times(by, z, part.clone(), 0..z.cols);
            z.put(part.start, 0, &turned);
        }
    }

    /// Takes what has converged in a window at the end off: how many eigenvalues, and those of the rest of the window.
    fn converged(&mut self, part: &Range<usize>, rows: usize) -> (usize, Vec<Complex64>) {
        let top = part.end - rows;
        let mut beside = self.h[(top, top - 1)];
        let mut own = self.part(top..part.end);
        if !own.iterate(0..rows) {
            return (0, Vec::new());
        }
        let (mut kept, mut first) = (rows, 0);
        while first < kept {
            watch::poll();
            let size = own.block_before(kept);
            let at = kept - size;
            let reach = |z: &Mat<f64>| (at..kept).map(|k| z[(k, 0)].abs()).fold(0.0, f64::max);
            let reach = beside.abs() * own.z.as_ref().map_or(0.0, reach);
            let mut near = own.h[(at, at)].abs();
            if size == 2 {
                near += super::francis::imaginary(&own.h, at);
            }
            let near = if near == 0.0 { beside.abs() } else { near };
            if reach <= self.tiny.max(self.unit * near) {
                kept = at;
            } else if own.raise(at, first, size) {
                first += size;
            } else {
                break;
            }
        }
        let shifts = own.values(0..kept);
        if kept == rows && beside != 0.0 {
            return (0, shifts);
        }
        if kept == 0 {
            beside = 0.0;
        }
        own.restore(kept, beside != 0.0);
        let first = own.z.as_ref().map_or(1.0, |z| z[(0, 0)]);
        self.h[(top, top - 1)] = beside * first;
        self.put(&own, top..part.end, part);
        (rows - kept, shifts)
    }

    /// Makes the first `kept` rows a Hessenberg matrix again, of which only the first row has to do with what is left of it.
    fn restore(&mut self, kept: usize, joined: bool) {
        let Some(z) = &mut self.z else {
            return;
        };
        if kept < 2 || !joined {
            return;
        }
        let n = z.cols;
        let mut v: Vec<f64> = memory::with_capacity(kept);
        v.extend((0..kept).map(|k| z[(k, 0)]));
        let (_, tau) = reflector(&mut v);
        v[0] = 1.0;
        for m in [&mut *z, &mut self.h] {
            let mut sums = memory::filled(n, 0.0);
            for (k, v) in v.iter().enumerate() {
                f64::add_scaled(&mut sums, *v, m.row(k));
            }
            for (k, v) in v.iter().enumerate() {
                f64::add_scaled(m.row_mut(k), -tau * v, &sums);
            }
        }
        for i in 0..kept {
            let row = &mut self.h.row_mut(i)[..kept];
            let sum = f64::dot(row, &v);
            f64::add_scaled(row, -tau * sum, &v);
        }
        let h = std::mem::replace(&mut self.h, Mat::zeros(0, 0));
        let form = reduce(h, 0..kept);
        form.adjoint_times(z);
        self.h = form.h;
    }

    /// Other shifts than those of a window that does not converge.
    fn unusual(&self, part: &Range<usize>, most: usize) -> Vec<Complex64> {
        let h = &self.h;
        let mut shifts = memory::with_capacity(most);
        for i in (part.end - most..part.end).rev().step_by(2) {
            let size = h[(i, i - 1)].abs() + h[(i - 1, i - 2)].abs();
            let a = 0.75 * size + h[(i, i)];
            let own = Form {
                h: Mat::new(2, 2, standard([a, size, -0.4375 * size, a]).0.to_vec()),
                z: None,
                unit: self.unit,
                tiny: self.tiny,
            };
            shifts.extend(own.values(0..2));
        }
        shifts
    }

    /// The shifts of the next sweep in pairs, at most so many shifts.
    fn pairs(
        &self,
        part: &Range<usize>,
        mut shifts: Vec<Complex64>,
        most: usize,
        idle: usize,
    ) -> Vec<[Complex64; 2]> {
        let most = most.min((part.len() / 6) * 2);
        if idle > 0 && idle.is_multiple_of(PATIENCE + 1) {
            shifts = self.unusual(part, most);
        } else if shifts.len() <= most / 2 {
            let rows = part.end - most..part.end;
            let mut own = Form {
                h: self.h.copied(rows.clone(), rows),
                z: None,
                unit: self.unit,
                tiny: self.tiny,
            };
            shifts = if own.iterate(0..most) {
                own.values(0..most)
            } else {
                self.unusual(part, most)
            };
        }
        let mut pairs = memory::with_capacity(shifts.len());
        let mut single: Option<Complex64> = None;
        // The last ones are those that the next values are nearest to.
        for shift in shifts.iter().rev() {
            if pairs.len() >= most / 2 {
                break;
            }
            if shift.im > 0.0 {
                pairs.push([*shift, shift.conj()]);
            } else if shift.im == 0.0 {
                match single.take() {
                    Some(other) => pairs.push([other, *shift]),
                    None => single = Some(*shift),
                }
            }
        }
        if let (true, Some(shift)) = (pairs.is_empty(), single) {
            pairs.push([shift; 2]);
        }
        pairs
    }

    /// Chases the bulges of all pairs of shifts through a part, three rows from each other.
    fn sweep(&mut self, part: &Range<usize>, pairs: &[[Complex64; 2]]) {
        let (start, end) = (part.start, part.end);
        let behind = 3 * pairs.len().saturating_sub(1);
        let steps = end - 1 - start + behind;
        let slab = (3 * pairs.len()).max(16);
        for first in (0..steps).step_by(slab) {
            watch::poll();
            let last = (first + slab).min(steps);
            let top = start + first.saturating_sub(behind);
            let bottom = (start + last + 2).min(end);
            let width = bottom - top;
            let mut turned = Mat::eye(width, width);
            let mut window = Window::new(&self.h, top.max(start + 1) - 1, bottom, end);
            for time in first..last {
                for (bulge, shifts) in pairs.iter().enumerate() {
                    let Some(k) = time.checked_sub(3 * bulge) else {
                        break;
                    };
                    let k = start + k;
                    if k + 2 > end {
                        continue;
                    }
                    let column = (k == start).then(|| window.column(k, *shifts));
                    let by = window.chase(k, (end - k).min(3), column, top);
                    let rows = &mut turned.elements_mut()[(k - top) * width..];
                    reflect_rows(rows, width, 0..width, by);
                }
            }
            window.put(&mut self.h);
            self.turn_beside(top..bottom, part, &turned);
        }
    }
}

/// The rows and columns that bulges pass, at hand: with rows of a length that is no power of two.
struct Window {
    data: Vec<f64>,
    stride: usize,
    /// The first row and the first column.
    first: usize,
    /// The end of the columns.
    columns: usize,
    /// The end of the rows: one more, which the last bulge reaches.
    rows: usize,
}

impl Window {
    fn new(h: &Mat<f64>, first: usize, columns: usize, end: usize) -> Window {
        let rows = (columns + 1).min(end);
        let width = columns - first;
        let stride = width.next_multiple_of(8) + 4;
        let mut data = memory::filled(memory::times([rows - first, stride]), 0.0);
        for (own, i) in data.chunks_exact_mut(stride).zip(first..rows) {
            own[..width].copy_from_slice(&h.row(i)[first..columns]);
        }
        Window {
            data,
            stride,
            first,
            columns,
            rows,
        }
    }

    fn column(&self, k: usize, shifts: [Complex64; 2]) -> [f64; 3] {
        let k = k - self.first;
        first_column(|i, j| self.data[(k + i) * self.stride + k + j], shifts)
    }

    fn put(&self, h: &mut Mat<f64>) {
        let own = self.data.chunks_exact(self.stride);
        for (own, i) in own.zip(self.first..self.rows) {
            let to = &mut h.row_mut(i)[self.first..self.columns];
            to.copy_from_slice(&own[..to.len()]);
        }
    }

    /// Moves the bulge whose reflection begins at row `k` on, or makes one of a `column`.
    fn chase(
        &mut self,
        k: usize,
        count: usize,
        column: Option<[f64; 3]>,
        top: usize,
    ) -> Reflection {
        let (stride, k, top) = (self.stride, k - self.first, top - self.first);
        let by;
        if let Some(column) = column {
            (_, by) = reflection(column, count);
        } else {
            let place = |i: usize| (k + i) * stride + k - 1;
            let element = |i| if i < count { self.data[place(i)] } else { 0.0 };
            let beta;
            (beta, by) = reflection(std::array::from_fn(element), count);
            for i in 0..count {
                self.data[place(i)] = if i == 0 { beta } else { 0.0 };
            }
        }
        let width = self.columns - self.first;
        reflect_rows(&mut self.data[k * stride..], stride, k..width, by);
        let end = (k + 4).min(self.rows - self.first);
        reflect_columns(&mut self.data[top * stride..end * stride], stride, k, by);
        by
    }
}

/// The product with some rows and columns of a matrix.
fn times(by: &Mat<f64>, m: &Mat<f64>, rows: Range<usize>, columns: Range<usize>) -> Mat<f64> {
    let mut out = Mat::zeros(rows.len(), columns.len());
    let stride = columns.len();
    gemm::product(
        by.whole(),
        m.part(rows, columns),
        out.elements_mut(),
        stride,
        false,
    );
    out
}
