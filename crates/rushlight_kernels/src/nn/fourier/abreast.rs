//! Transforms of many rows, one in each lane of a vector, and of the columns of matrices.

use super::cells::{Factors, blocks, load_some, store_some};
use super::passes::{Cell, Columns, Pair};
use super::transform::{Kind, Task, halves};
use crate::wide::{Job, MOST_LANES, Part, Wide, lanes, square, store_square, turned, with_vectors};
use rushlight_tensor::{Buffer, memory, watch};
use std::ops::Range;

/// What transforms of many rows of a length need.
pub struct Abreast<T> {
    columns: Columns<T>,
    /// Factors with which spectra of pairs of real numbers become those of the numbers, see [`untangle`].
    halves: Vec<Pair<T>>,
}

impl<T: Part> Abreast<T> {
    /// For complex rows of a length.
    pub fn of(length: usize) -> Abreast<T> {
        Abreast {
            columns: Columns::of(length),
            halves: halves(length),
        }
    }

    /// Transforms the rows of a task that have these numbers into `out`.
    pub fn rows(&self, task: &Task<'_, T>, some: Range<usize>, out: &mut [T]) {
        let cells = memory::times([self.columns.cells(), 2 * lanes::<T>()]);
        let (mut near, mut far) = (Buffer::unspecified(cells), Buffer::unspecified(cells));
        with_vectors(Rows {
            plan: self,
            task,
            some,
            out,
            near: &mut near,
            far: &mut far,
        });
    }
}

struct Rows<'a, T> {
    plan: &'a Abreast<T>,
    task: &'a Task<'a, T>,
    some: Range<usize>,
    out: &'a mut [T],
    near: &'a mut [T],
    far: &'a mut [T],
}

impl<T: Part> Job for Rows<'_, T> {
    type Part = T;
    type Output = ();
    #[inline(always)]
    unsafe fn run<V: Wide<Part = T>>(self) {
        let Rows {
            plan,
            task,
            some,
            out,
            near,
            far,
        } = self;
        let n = plan.columns.length;
        let (width, target) = (task.width_in() / 2, task.width_out() / 2);
        let (backward, scale) = (task.backward(), task.scale());
        let half = scale * T::from_f64(0.5);
        let sign = |turned: bool| T::from_f64(if turned { -1.0 } else { 1.0 });
        let (read, write) = match task.kind {
            Kind::Complex => (sign(backward), [scale, scale * sign(backward)]),
            Kind::FromReal => (sign(false), [half, half]),
            // Forward it is the conjugates that are transformed; the spectrum of the pairs is one already.
            Kind::ToReal => (sign(backward), [scale, -scale]),
        };
        let by = Factors {
            read: [sign(false), read],
            window: task.rows.window,
            write,
        };
        for (out, first) in out
            .chunks_mut(2 * V::LANES * target)
            .zip(some.clone().step_by(V::LANES))
        {
            watch::poll();
            // SAFETY: passed on. Rows are of `width` and `target` numbers, and buffers have room for one more than `n`, as has a half
            // spectrum.
            unsafe {
                read_rows::<V>(task, [first, some.end - 1], width, &by, near);
                if task.kind == Kind::ToReal {
                    fold_ends::<V>(near, n);
                    untangle::<V>(plan, near);
                }
                let found = plan.columns.transform(near, far);
                if task.kind == Kind::FromReal {
                    unfold_ends::<V>(found, n);
                    untangle::<V>(plan, found);
                }
                write_rows::<V>(found, target, &by, out);
            }
        }
    }
}

/// Two factors in turn, in a vector.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn in_turn<V: Wide>(by: Pair<V::Part>) -> V {
    // SAFETY: passed on.
    unsafe { V::splat(by[0]).zip(V::splat(by[1])).0 }
}

/// Rows of a task from the first on, up to the last: the numbers of a place in one vector, so that those of a complex number are a cell.
///
/// # Safety
/// The processor has the vectors' instructions; rows are of `width` complex numbers, and `to` has as many cells.
#[inline(always)]
unsafe fn read_rows<V: Wide>(
    task: &Task<'_, V::Part>,
    [first, last]: [usize; 2],
    width: usize,
    by: &Factors<'_, V::Part>,
    to: &mut [V::Part],
) {
    let numbers = 2 * width;
    assert!(to.len() >= numbers * V::LANES && by.window.is_none_or(|w| w.len() >= numbers));
    let mut rows = [task.rows.data.as_ptr(); MOST_LANES];
    for (lane, row) in rows[..V::LANES].iter_mut().enumerate() {
        let start = task.rows.start((first + lane).min(last));
        *row = task.rows.data[start..][..numbers].as_ptr();
    }
    // SAFETY: passed on; blocks end within the rows, and begin at even places.
    unsafe {
        let signs = in_turn::<V>(by.read);
        if numbers < V::LANES {
            let by = match by.window {
                Some(window) => V::load_first(window.as_ptr(), numbers),
                None => signs,
            };
            let square = turned(square!(V, i => V::load_first(rows[i], numbers).mul(by)));
            for (row, to) in square
                .iter()
                .zip(to.chunks_exact_mut(V::LANES))
                .take(numbers)
            {
                row.store(to.as_mut_ptr());
            }
            return;
        }
        for at in blocks(numbers, V::LANES) {
            let by = match by.window {
                Some(window) => V::load(window.as_ptr().add(at)),
                None => signs,
            };
            let square = turned(square!(V, i => V::load(rows[i].add(at)).mul(by)));
            store_square(square, to.as_mut_ptr().add(at * V::LANES), V::LANES);
        }
    }
}

/// The first lanes of cells as the rows of `out`, of `width` complex numbers each.
///
/// # Safety
/// The processor has the vectors' instructions; `out` has at most as many rows as there are lanes.
#[inline(always)]
unsafe fn write_rows<V: Wide>(
    from: &[V::Part],
    width: usize,
    by: &Factors<'_, V::Part>,
    out: &mut [V::Part],
) {
    let numbers = 2 * width;
    assert!(from.len() >= numbers * V::LANES && out.len() <= numbers * V::LANES);
    let (from, whole) = (from.as_ptr(), out.len() == numbers * V::LANES);
    // SAFETY: passed on; blocks end within the rows, and begin at even places.
    unsafe {
        let by = in_turn::<V>(by.write);
        for at in blocks(numbers, V::LANES) {
            let last = numbers - 1;
            let square = turned(square!(V, i => V::load(from.add((at + i).min(last) * V::LANES))));
            if whole && numbers >= V::LANES {
                let square = square!(V, i => square[i].mul(by));
                store_square(square, out.as_mut_ptr().add(at), numbers);
                continue;
            }
            for (row, to) in square.iter().zip(out.chunks_exact_mut(numbers)) {
                row.mul(by).store_first(to.as_mut_ptr().add(at), numbers);
            }
        }
    }
}

/// The conjugate of the first of the pairs from the first and the last of a half spectrum, whose imaginary parts count for
/// nothing.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn fold_ends<V: Wide>(x: &mut [V::Part], n: usize) {
    let (first, last) = x.split_at_mut(n * Cell::<V>::SIZE);
    // SAFETY: passed on.
    unsafe {
        let (a, b) = (
            Cell::<V>::load(first.as_ptr()).re,
            Cell::<V>::load(last.as_ptr()).re,
        );
        let ends = Cell {
            re: a.add(b),
            im: b.sub(a),
        };
        ends.store(first.as_mut_ptr());
    }
}

/// Twice the first and the last of a half spectrum from the first of the pairs.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn unfold_ends<V: Wide>(x: &mut [V::Part], n: usize) {
    let (first, last) = x.split_at_mut(n * Cell::<V>::SIZE);
    // SAFETY: passed on.
    unsafe {
        let z = Cell::<V>::load(first.as_ptr());
        let (sum, difference) = (z.re.add(z.im), z.re.sub(z.im));
        let im = V::splat(V::Part::default());
        for (re, to) in [(sum, first), (difference, last)] {
            let re = re.add(re);
            Cell { re, im }.store(to.as_mut_ptr());
        }
    }
}

/// Between the spectrum of pairs of real numbers, taken as complex ones, and twice that of the numbers: what is `k` from the
/// beginning and from the end depends on both. With `a` and `b`, the conjugate of the other, it is
/// `(a + b) + h (a - b)` for `h = -i exp(-2πi k / 2n)`, and the conjugate of the difference at the other end. From spectra of the numbers (then conjugated,
/// as all that is transformed backward) to those of pairs it is the same.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn untangle<V: Wide>(plan: &Abreast<V::Part>, x: &mut [V::Part]) {
    let (n, size) = (plan.columns.length, Cell::<V>::SIZE);
    assert!(x.len() >= n * size && plan.halves.len() == n / 2 + 1);
    let x = x.as_mut_ptr();
    for (k, half) in plan.halves.iter().enumerate().skip(1) {
        // SAFETY: `0 < k <= n / 2`.
        unsafe {
            let (near, far) = (x.add(k * size), x.add((n - k) * size));
            let (a, c) = (Cell::<V>::load(near), Cell::<V>::load(far));
            let sum = Cell {
                re: a.re.add(c.re),
                im: a.im.sub(c.im),
            };
            let difference = Cell {
                re: a.re.sub(c.re),
                im: a.im.add(c.im),
            };
            let turned = difference.times(Cell::splat(*half));
            sum.add(turned).store(near);
            let other = Cell {
                re: sum.re.sub(turned.re),
                // A difference from zero, so that zero stays without a sign.
                im: V::splat(V::Part::default()).sub(sum.im.sub(turned.im)),
            };
            other.store(far);
        }
    }
}

/// Matrices of complex numbers, next to one another, of which the columns are transformed.
pub struct Matrices<'a, T> {
    pub data: &'a [T],
    /// How many rows each has; what is missing to the length of the transform is zero.
    pub rows: usize,
    /// How many columns each has.
    pub width: usize,
    pub backward: bool,
    pub scale: T,
}

impl<T: Part> Columns<T> {
    /// Transforms the columns of matrices, from one on, into `out`.
    pub fn matrices(&self, of: &Matrices<'_, T>, first: usize, out: &mut [T]) {
        let cells = memory::times([self.cells(), 2 * lanes::<T>()]);
        let (mut near, mut far) = (Buffer::unspecified(cells), Buffer::unspecified(cells));
        with_vectors(Across {
            plan: self,
            of,
            first,
            out,
            near: &mut near,
            far: &mut far,
        });
    }
}

struct Across<'a, T> {
    plan: &'a Columns<T>,
    of: &'a Matrices<'a, T>,
    first: usize,
    out: &'a mut [T],
    near: &'a mut [T],
    far: &'a mut [T],
}

impl<T: Part> Job for Across<'_, T> {
    type Part = T;
    type Output = ();
    #[inline(always)]
    unsafe fn run<V: Wide<Part = T>>(self) {
        let Across {
            plan,
            of,
            first,
            out,
            near,
            far,
        } = self;
        let (n, width, size) = (plan.length, of.width, Cell::<V>::SIZE);
        let rows = of.rows.min(n);
        let one = T::from_f64(1.0);
        let sign = if of.backward { -one } else { one };
        let count = width.min(V::LANES);
        let from = of.data.chunks_exact(2 * of.rows * width).skip(first);
        for (from, out) in from.zip(out.chunks_exact_mut(2 * n * width)) {
            for at in blocks(width, V::LANES) {
                watch::poll();
                let (near, far) = (&mut *near, &mut *far);
                // SAFETY: passed on. Rows are below those of the matrix and of the result, and `at + count` is at most `width`.
                unsafe {
                    let signs = Cell::<V>::splat([one, sign]);
                    for (j, cell) in near.chunks_exact_mut(size).take(rows).enumerate() {
                        let z = load_some::<V>(from.as_ptr().add(2 * (j * width + at)), count);
                        z.scaled(signs).store(cell.as_mut_ptr());
                    }
                    near[rows * size..n * size].fill(T::default());
                    let found = plan.transform(near, far);
                    let scales = Cell::<V>::splat([of.scale, of.scale * sign]);
                    for (k, cell) in found.chunks_exact(size).take(n).enumerate() {
                        let z = Cell::<V>::load(cell.as_ptr()).scaled(scales);
                        store_some(z, out.as_mut_ptr().add(2 * (k * width + at)), count);
                    }
                }
            }
        }
    }
}
