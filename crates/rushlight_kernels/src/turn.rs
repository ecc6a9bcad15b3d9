//! Rows of f32 turned into lanes and back: what works on eight rows together has a number of each of them in a vector.

use crate::vector::{Vector, transpose};
use rushlight_tensor::lanes::{Isa, isa};

/// Rows that are worked on together.
pub const ABREAST: usize = 8;

/// What numbers are multiplied by on their way.
#[derive(Clone, Copy)]
pub enum Factors<'a> {
    /// Those at even places, and those at odd ones.
    InTurn([f32; 2]),
    /// Each place of a row.
    Own(&'a [f32]),
}

impl Factors<'_> {
    fn at(&self, place: usize) -> f32 {
        match self {
            Factors::InTurn(two) => two[place % 2],
            Factors::Own(all) => all[place],
        }
    }
}

/// Eight numbers that are two in turn.
fn in_turn(two: [f32; 2]) -> [f32; ABREAST] {
    std::array::from_fn(|i| two[i % 2])
}

/// Eight rows of `width` numbers that begin at `starts`, the numbers at a place next to one another:
/// `to[8 j + r] = from[starts[r] + j] * by[j]`.
pub fn turn(from: &[f32], starts: [usize; ABREAST], width: usize, by: Factors<'_>, to: &mut [f32]) {
    let rows = starts.map(|start| &from[start..][..width]);
    let to = &mut to[..ABREAST * width];
    if let Factors::Own(all) = by {
        assert!(all.len() >= width);
    }
    #[cfg(target_arch = "x86_64")]
    if width >= ABREAST && isa() != Isa::Baseline {
        #[target_feature(enable = "avx2,fma")]
        unsafe fn avx2(rows: [&[f32]; ABREAST], by: Factors<'_>, to: &mut [f32]) {
            // SAFETY: passed on.
            unsafe { turn_in::<std::arch::x86_64::__m256>(rows, by, to) }
        }
        // SAFETY: the processor has the instructions, and what is read and written was cut to its size.
        return unsafe { avx2(rows, by, to) };
    }
    #[cfg(target_arch = "aarch64")]
    if width >= ABREAST {
        // SAFETY: every processor of this kind has these vectors; sizes are as above.
        return unsafe { turn_in::<crate::vector::Neon>(rows, by, to) };
    }
    for (place, cell) in to.chunks_exact_mut(ABREAST).enumerate() {
        let by = by.at(place);
        for (to, row) in cell.iter_mut().zip(&rows) {
            *to = row[place] * by;
        }
    }
}

/// Where blocks of eight places begin, the last one so that it ends with the row.
fn blocks(width: usize) -> impl Iterator<Item = usize> {
    (0..width)
        .step_by(ABREAST)
        .map(move |at| at.min(width - ABREAST))
}

/// # Safety
/// The processor has the vectors' instructions. Rows have one length, of at least eight; `to` has room for them, and `by` a
/// factor for each of their places.
#[inline(always)]
unsafe fn turn_in<V: Vector>(rows: [&[f32]; ABREAST], by: Factors<'_>, to: &mut [f32]) {
    // SAFETY: blocks of eight places end within the rows.
    unsafe {
        for at in blocks(rows[0].len()) {
            let by = match by {
                Factors::InTurn([a, b]) if at % 2 == 1 => V::load(in_turn([b, a]).as_ptr()),
                Factors::InTurn(two) => V::load(in_turn(two).as_ptr()),
                Factors::Own(all) => V::load(all.as_ptr().add(at)),
            };
            let mut square = [by; 16];
            for (cell, row) in square.iter_mut().zip(&rows) {
                *cell = V::load(row.as_ptr().add(at)).mul(by);
            }
            transpose(&mut square);
            for (i, cell) in square[..ABREAST].iter().enumerate() {
                cell.store(to.as_mut_ptr().add(ABREAST * (at + i)));
            }
        }
    }
}

/// The first `rows` of eight rows of `width` numbers that [`turn`] has turned, one after the other:
/// `to[width r + j] = from[8 j + r] * by[j % 2]`.
pub fn turn_back(from: &[f32], rows: usize, width: usize, by: [f32; 2], to: &mut [f32]) {
    assert!(rows <= ABREAST);
    let from = &from[..ABREAST * width];
    let to = &mut to[..rows * width];
    #[cfg(target_arch = "x86_64")]
    if width >= ABREAST && isa() != Isa::Baseline {
        #[target_feature(enable = "avx2,fma")]
        unsafe fn avx2(from: &[f32], width: usize, by: [f32; 2], to: &mut [f32]) {
            // SAFETY: passed on.
            unsafe { turn_back_in::<std::arch::x86_64::__m256>(from, width, by, to) }
        }
        // SAFETY: the processor has the instructions, and what is read and written was cut to its size.
        return unsafe { avx2(from, width, by, to) };
    }
    #[cfg(target_arch = "aarch64")]
    if width >= ABREAST {
        // SAFETY: every processor of this kind has these vectors; sizes are as above.
        return unsafe { turn_back_in::<crate::vector::Neon>(from, width, by, to) };
    }
    for (r, row) in to.chunks_exact_mut(width.max(1)).enumerate() {
        for (j, to) in row.iter_mut().enumerate() {
            *to = from[ABREAST * j + r] * by[j % 2];
        }
    }
}

/// # Safety
/// The processor has the vectors' instructions. `from` has eight numbers for each of at least eight places, and `to` is of at
/// most eight rows.
#[inline(always)]
unsafe fn turn_back_in<V: Vector>(from: &[f32], width: usize, by: [f32; 2], to: &mut [f32]) {
    // SAFETY: blocks of eight places end within the rows.
    unsafe {
        let turns = [
            V::load(in_turn(by).as_ptr()),
            V::load(in_turn([by[1], by[0]]).as_ptr()),
        ];
        for at in blocks(width) {
            let mut square = [turns[0]; 16];
            for (i, cell) in square[..ABREAST].iter_mut().enumerate() {
                *cell = V::load(from.as_ptr().add(ABREAST * (at + i)));
            }
            transpose(&mut square);
            let by = turns[at % 2];
            for (row, cell) in to.chunks_exact_mut(width).zip(&square) {
                cell.mul(by).store(row.as_mut_ptr().add(at));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_went_whatever_their_width() {
        for width in [1, 2, 7, 8, 9, 16, 23] {
            let from: Vec<f32> = (0..width + 20).map(|i| i as f32).collect();
            let own: Vec<f32> = (0..width).map(|i| i as f32 - 3.0).collect();
            let starts = [0, 3, 5, 20, 2, 2, 7, 1];
            for by in [Factors::InTurn([2.0, -1.0]), Factors::Own(&own)] {
                let mut lanes = vec![0.0; ABREAST * width];
                turn(&from, starts, width, by, &mut lanes);
                let mut back = vec![0.0; 5 * width];
                turn_back(&lanes, 5, width, [1.0, 0.5], &mut back);
                for (i, value) in back.iter().enumerate() {
                    let (r, j) = (i / width, i % width);
                    let expected = from[starts[r] + j] * by.at(j);
                    assert_eq!(lanes[ABREAST * j + r], expected);
                    assert_eq!(*value, expected * [1.0, 0.5][j % 2]);
                }
            }
        }
    }
}
