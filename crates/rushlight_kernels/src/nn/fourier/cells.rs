//! Complex numbers that lie next to one another, as lanes of a cell and back.

use super::passes::{Cell, Pair};
use crate::wide::{Part, Wide};

/// Up to as many complex numbers as a cell has, the real part of each before the imaginary one: lane `l` gets number
/// [`place(l)`](Wide::place), zero where there are not so many.
///
/// # Safety
/// The processor has the vectors' instructions; the numbers are readable.
#[inline(always)]
pub unsafe fn load_some<V: Wide>(from: *const V::Part, count: usize) -> Cell<V> {
    let numbers = 2 * count;
    // SAFETY: passed on.
    unsafe {
        let (low, high) = if count >= V::LANES {
            (V::load(from), V::load(from.add(V::LANES)))
        } else if numbers > V::LANES {
            (
                V::load(from),
                V::load_first(from.add(V::LANES), numbers - V::LANES),
            )
        } else {
            (V::load_first(from, numbers), V::splat(V::Part::default()))
        };
        let (re, im) = low.apart(high);
        Cell { re, im }
    }
}

/// Writes what [`load_some`] has read.
///
/// # Safety
/// The processor has the vectors' instructions; the places are writable.
#[inline(always)]
pub unsafe fn store_some<V: Wide>(z: Cell<V>, to: *mut V::Part, count: usize) {
    let numbers = 2 * count;
    // SAFETY: passed on.
    unsafe {
        let (low, high) = z.re.together(z.im);
        if count >= V::LANES {
            low.store(to);
            high.store(to.add(V::LANES));
        } else if numbers > V::LANES {
            low.store(to);
            high.store_first(to.add(V::LANES), numbers - V::LANES);
        } else {
            low.store_first(to, numbers);
        }
    }
}

/// What numbers are multiplied by when they are read, and when they are written.
#[derive(Clone, Copy)]
pub struct Factors<'a, T> {
    /// The real parts and the imaginary ones.
    pub read: Pair<T>,
    /// Each number of a row, real and imaginary parts in turn.
    pub window: Option<&'a [T]>,
    /// As `read`.
    pub write: Pair<T>,
}

impl<T: Part> Factors<'_, T> {
    /// All are one.
    pub fn none() -> Self {
        let one = T::from_f64(1.0);
        Factors {
            read: [one, one],
            window: None,
            write: [one, one],
        }
    }

    /// Some of the numbers of a row from number `at` on.
    ///
    /// # Safety
    /// As of [`load_some`]; a window is of at least as many numbers.
    #[inline(always)]
    pub unsafe fn read<V: Wide<Part = T>>(
        &self,
        row: *const T,
        at: usize,
        count: usize,
    ) -> Cell<V> {
        // SAFETY: passed on.
        unsafe {
            let z = load_some::<V>(row.add(2 * at), count);
            match self.window {
                Some(window) => z.scaled(load_some(window.as_ptr().add(2 * at), count)),
                None => z.scaled(Cell::splat(self.read)),
            }
        }
    }
}

/// Where blocks of as many places as there are lanes begin, the last one so that it ends with the row.
#[inline(always)]
pub fn blocks(width: usize, lanes: usize) -> impl Iterator<Item = usize> {
    (0..width)
        .step_by(lanes)
        .map(move |at| at.min(width.saturating_sub(lanes)))
}
