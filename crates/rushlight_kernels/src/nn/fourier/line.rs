//! The transform of one row: the row as a matrix, whose columns are transformed, then its rows.

use super::cells::{Factors, blocks, load_some, store_some};
use super::passes::{
    Cell, Chirp, Columns, Pair, Roots, factors, inner_length, product, rounded, work,
};
use crate::unrolled;
use crate::wide::{Job, MOST_LANES, Part, Square, Wide, lanes, square, turned, with_vectors};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Buffer, watch};

/// How a row is transformed.
pub enum Line<T> {
    /// As one column.
    Column(Columns<T>),
    /// As a matrix of two factors of its length.
    Matrix(Matrix<T>),
    /// As a product with a chirp.
    Chirp {
        by: Chirp<T>,
        inner: Box<Line<T>>,
        length: usize,
    },
}

/// A row of `first.length` times `second.length` numbers as a matrix of so many rows and columns.
pub struct Matrix<T> {
    first: Columns<T>,
    second: Columns<T>,
    /// What each number is multiplied by between the two.
    twiddles: Vec<Pair<T>>,
}

/// The factors of a length as which a row of it is transformed, the second being one where it is a column, and about what that
/// costs; none where the length has too large prime factors.
fn split(length: usize, lanes: usize) -> Option<(usize, [usize; 2])> {
    factors(length)?;
    let cost = |rows: usize, columns: usize| {
        let first = columns.div_ceil(lanes) * (work(rows)? + 6 * rows);
        let second = rows.div_ceil(lanes) * (work(columns)? + 4 * columns);
        Some((first + second, [rows, columns]))
    };
    let divisors = (2..=length.isqrt()).filter(|d| length.is_multiple_of(*d));
    let pairs = divisors.flat_map(|d| [cost(d, length / d), cost(length / d, d)]);
    let column = (work(length)? + 2 * length, [length, 1]);
    pairs.flatten().chain([column]).min()
}

impl<T: Part> Line<T> {
    pub fn of(length: usize) -> Line<T> {
        let lanes = lanes::<T>();
        match split(length, lanes) {
            Some((_, [_, 1])) => Line::Column(Columns::of(length)),
            Some((_, [rows, columns])) => {
                let roots = Roots::of(length);
                let row = |k: usize| (0..columns).map(move |j| k * j);
                Line::Matrix(Matrix {
                    first: Columns::of(rows),
                    second: Columns::of(columns),
                    twiddles: (0..rows)
                        .flat_map(row)
                        .map(|k| rounded(roots.at(k)))
                        .collected(),
                })
            }
            None => {
                let cost = |n| split(n, lanes).map_or(usize::MAX, |(cost, _)| cost);
                let inner = inner_length(length, cost);
                Line::Chirp {
                    by: Chirp::of(length, inner),
                    inner: Box::new(Line::of(inner)),
                    length,
                }
            }
        }
    }

    pub fn length(&self) -> usize {
        match self {
            Line::Column(columns) => columns.length,
            Line::Matrix(matrix) => memory::times([matrix.first.length, matrix.second.length]),
            Line::Chirp { length, .. } => *length,
        }
    }

    /// What [`Line::run`] works in.
    pub fn scratch(&self) -> Scratch<T> {
        let cell = 2 * lanes::<T>();
        let buffer = |cells: usize| Buffer::unspecified(memory::times([cells, cell]));
        match self {
            Line::Column(columns) => Scratch {
                near: buffer(columns.cells()),
                far: buffer(columns.cells()),
                middle: buffer(0),
                row: buffer(0),
            },
            Line::Matrix(Matrix { first, second, .. }) => {
                let cells = first.cells().max(second.cells());
                let blocks = first.length.div_ceil(cell / 2);
                Scratch {
                    near: buffer(cells),
                    far: buffer(cells),
                    middle: buffer(memory::times([blocks, second.length])),
                    row: buffer(0),
                }
            }
            Line::Chirp { inner, .. } => Scratch {
                row: Buffer::unspecified(memory::times([4, inner.length()])),
                ..inner.scratch()
            },
        }
    }

    /// Transforms a row.
    pub fn run(&self, from: &[T], to: &mut [T], by: &Factors<'_, T>, scratch: &mut Scratch<T>) {
        let numbers = 2 * self.length();
        assert!(from.len().min(to.len()) >= numbers);
        assert!(by.window.is_none_or(|w| w.len() >= numbers));
        let (line, chirp) = match self {
            Line::Chirp { by, inner, .. } => (&**inner, by),
            line => return with_vectors(Row(line, from, to, by, scratch)),
        };
        let mut rows = std::mem::replace(&mut scratch.row, Buffer::unspecified(0));
        let (x, y) = rows.split_at_mut(2 * line.length());
        x[numbers..].fill(T::default());
        let ins = pairs(from).zip(&chirp.chirp).zip(x.chunks_exact_mut(2));
        for (i, (([re, im], w), to)) in ins.enumerate() {
            let [a, b] = match by.window {
                Some(window) => [window[2 * i], window[2 * i + 1]],
                None => by.read,
            };
            to.copy_from_slice(&product([re * a, im * b], *w));
        }
        let none = Factors::none();
        with_vectors(Row(line, x, y, &none, scratch));
        for (z, w) in y.chunks_exact_mut(2).zip(&chirp.spectrum) {
            let [re, im] = product([z[0], z[1]], *w);
            (z[0], z[1]) = (re, -im);
        }
        with_vectors(Row(line, y, x, &none, scratch));
        let outs = to.chunks_exact_mut(2).zip(pairs(x)).zip(&chirp.chirp);
        for ((to, [re, im]), w) in outs {
            let [re, im] = product([re, -im], *w);
            (to[0], to[1]) = (re * by.write[0], im * by.write[1]);
        }
        scratch.row = rows;
    }
}

/// The transform of a row.
pub fn transformed(row: &[Pair<f64>]) -> Vec<Pair<f64>> {
    let line = Line::of(row.len());
    let mut out = memory::filled(row.len(), [0.0; 2]);
    let (from, to) = (row.as_flattened(), out.as_flattened_mut());
    line.run(from, to, &Factors::none(), &mut line.scratch());
    out
}

fn pairs<T: Copy>(row: &[T]) -> impl Iterator<Item = Pair<T>> {
    row.chunks_exact(2).map(|z| [z[0], z[1]])
}

/// Memory for the transform of a row.
pub struct Scratch<T: Part> {
    near: Buffer<T>,
    far: Buffer<T>,
    middle: Buffer<T>,
    row: Buffer<T>,
}

struct Row<'a, T: Part>(
    &'a Line<T>,
    &'a [T],
    &'a mut [T],
    &'a Factors<'a, T>,
    &'a mut Scratch<T>,
);

impl<T: Part> Job for Row<'_, T> {
    type Part = T;
    type Output = ();
    #[inline(always)]
    unsafe fn run<V: Wide<Part = T>>(self) {
        let Row(line, from, to, by, scratch) = self;
        // SAFETY: passed on; the rows and the window are of the line's length, and the scratch is made for it.
        unsafe {
            match line {
                Line::Column(columns) => {
                    column::<V>(columns, from, to, by, scratch);
                }
                Line::Matrix(matrix) => {
                    columns::<V>(matrix, from.as_ptr(), by, scratch);
                    rows::<V>(matrix, to.as_mut_ptr(), by, scratch);
                }
                Line::Chirp { .. } => unreachable!("goes by the line within"),
            }
        }
    }
}

/// # Safety
/// The processor has the vectors' instructions; rows and window are of the length.
#[inline(always)]
unsafe fn column<V: Wide>(
    plan: &Columns<V::Part>,
    from: &[V::Part],
    to: &mut [V::Part],
    by: &Factors<'_, V::Part>,
    scratch: &mut Scratch<V::Part>,
) {
    let size = Cell::<V>::SIZE;
    // SAFETY: passed on.
    unsafe {
        for (j, cell) in scratch
            .near
            .chunks_exact_mut(size)
            .take(plan.length)
            .enumerate()
        {
            by.read::<V>(from.as_ptr(), j, 1).store(cell.as_mut_ptr());
        }
        let found = plan.transform(&mut scratch.near, &mut scratch.far);
        let scale = Cell::splat(by.write);
        for (cell, to) in found
            .chunks_exact(size)
            .zip(to.chunks_exact_mut(2))
            .take(plan.length)
        {
            store_some(
                Cell::<V>::load(cell.as_ptr()).scaled(scale),
                to.as_mut_ptr(),
                1,
            );
        }
    }
}

/// The columns of a row's matrix, transformed and multiplied, to the scratch's middle: for each block of rows a column's cell after the other.
///
/// # Safety
/// As of [`column`].
#[inline(always)]
unsafe fn columns<V: Wide>(
    matrix: &Matrix<V::Part>,
    from: *const V::Part,
    by: &Factors<'_, V::Part>,
    scratch: &mut Scratch<V::Part>,
) {
    let (n, m, size) = (matrix.first.length, matrix.second.length, Cell::<V>::SIZE);
    let blocks_of_rows = n.div_ceil(V::LANES);
    assert!(scratch.near.len() >= n * size && scratch.middle.len() >= blocks_of_rows * m * size);
    assert!(matrix.twiddles.len() >= n * m);
    let twiddles = matrix.twiddles.as_ptr().cast::<V::Part>();
    for at in blocks(m, V::LANES) {
        watch::poll();
        let count = m.min(V::LANES);
        // SAFETY: passed on; rows are below `n`, and `at + count` is at most `m`.
        unsafe {
            let near = scratch.near.as_mut_ptr();
            for j in 0..n {
                let z = by.read::<V>(from, j * m + at, count);
                z.store(near.add(j * size));
            }
            let found = matrix.first.transform(&mut scratch.near, &mut scratch.far);
            let found = found.as_ptr();
            for (block, start) in blocks(n, V::LANES).enumerate() {
                let to = scratch.middle.as_mut_ptr().add((block * m + at) * size);
                let re = square!(V, lane => {
                    let row = (start + V::place(lane)).min(n - 1);
                    let z = Cell::<V>::load(found.add(row * size));
                    z.times(load_some::<V>(twiddles.add(2 * (row * m + at)), count)).re
                });
                store_places(turned(re), to, count);
                let im = square!(V, lane => {
                    let row = (start + V::place(lane)).min(n - 1);
                    let z = Cell::<V>::load(found.add(row * size));
                    z.times(load_some::<V>(twiddles.add(2 * (row * m + at)), count)).im
                });
                store_places(turned(im), to.add(V::LANES), count);
            }
        }
    }
}

/// The vectors of a square as parts of cells, each at the place that its lane had.
///
/// # Safety
/// The processor has the vectors' instructions; there are as many cells.
#[inline(always)]
unsafe fn store_places<V: Wide>(square: Square<V>, to: *mut V::Part, count: usize) {
    // SAFETY: passed on.
    unsafe {
        unrolled!(i < V::LANES / 2, at most 8, {
            for lane in [i, i + V::LANES / 2] {
                if V::place(lane) < count {
                    square[lane].store(to.add(V::place(lane) * Cell::<V>::SIZE));
                }
            }
        });
    }
}

/// The rows of what [`columns`] has made, transformed: the transform of the whole row.
///
/// # Safety
/// As of [`column`].
#[inline(always)]
unsafe fn rows<V: Wide>(
    matrix: &Matrix<V::Part>,
    to: *mut V::Part,
    by: &Factors<'_, V::Part>,
    scratch: &mut Scratch<V::Part>,
) {
    let (n, m, size) = (matrix.first.length, matrix.second.length, Cell::<V>::SIZE);
    let count = n.min(V::LANES);
    for (block, start) in blocks(n, V::LANES).enumerate() {
        watch::poll();
        let near = &mut scratch.middle[block * m * size..][..m * size];
        let found = matrix.second.transform(near, &mut scratch.far);
        assert!(found.len() >= m * size);
        // SAFETY: passed on; `start + count` is at most `n`.
        unsafe {
            let scale = Cell::splat(by.write);
            for k in 0..m {
                let z = Cell::<V>::load(found.as_ptr().add(k * size)).scaled(scale);
                store_some(z, to.add(2 * (k * n + start)), count);
            }
        }
    }
}
