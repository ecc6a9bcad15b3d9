//! The last few pixels of a convolution whose kernel is one pixel: too few for a vector of pixels, so that vectors of output
//! channels are multiplied with single pixels. The sums are those of [`super::pointwise`], to the bit.

use super::pointwise::{Job, Rows};
use super::within::AtHand;
use crate::vector::Vector;
use rushlight_tensor::threads::Strip;
use rushlight_tensor::watch;
use std::ops::Range;

/// Most pixels that are taken this way.
pub const MOST: usize = 4;
/// Most groups of rows that go together.
const GROUPS: usize = 4;

/// How many of the last of so many pixels are taken this way, where vectors are as long as groups of rows.
pub fn count(pixels: usize) -> usize {
    match pixels % Rows::TOGETHER {
        rest @ ..=MOST => rest,
        _ => 0,
    }
}

/// The results of at most [`MOST`] pixels of some channels, of which the first begins a group; `column` is where the first
/// pixel's go.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
pub unsafe fn run<V: Vector>(
    job: &Job<'_>,
    rows: &Rows,
    pixels: Range<usize>,
    channels: Range<usize>,
    at_hand: AtHand,
    out: &mut Strip<'_, f32>,
    column: usize,
) {
    assert!(V::WIDTH == Rows::TOGETHER && channels.start.is_multiple_of(V::WIDTH));
    assert!(channels.end <= job.channels && rows.depth() == job.depth);
    assert!(pixels.end <= job.pixels && job.image.len() == job.depth * job.pixels);
    let mut first = channels.start;
    while first < channels.end {
        watch::poll();
        // So many sums that they do not wait for each other.
        let left = (channels.end - first).div_ceil(V::WIDTH);
        let groups = match pixels.len() {
            3.. if left >= 2 => 2,
            ..3 if left >= GROUPS => GROUPS,
            _ => 1,
        };
        let count = (groups * V::WIDTH).min(channels.end - first);
        let mut sums = [[0f32; GROUPS * Rows::TOGETHER]; MOST];
        if let Some(bias) = job.bias {
            sums[0][..count].copy_from_slice(&bias[first..first + count]);
        }
        macro_rules! sizes {
            ($($pixels:literal by $groups:literal),*) => {
                match (pixels.len(), groups) {
                    // SAFETY: passed on.
                    $(($pixels, $groups) => unsafe {
                        several::<V, $pixels, $groups>(job, rows, pixels.start, first, at_hand, &mut sums);
                    },)*
                    _ => {}
                }
            };
        }
        sizes!(1 by 1, 1 by 4, 2 by 1, 2 by 4, 3 by 1, 3 by 2, 4 by 1, 4 by 2);
        for c in 0..count {
            let row = out.row(first - channels.start + c);
            let to = &mut row[column..][..pixels.len()];
            for (to, sums) in to.iter_mut().zip(&sums) {
                *to = sums[c];
            }
        }
        first += count;
    }
}

/// `T` pixels by `G` groups of rows. The first pixel's sums are what all begin with.
///
/// # Safety
/// The processor has the vectors' instructions, the pixels and the groups exist.
#[inline(always)]
unsafe fn several<V: Vector, const T: usize, const G: usize>(
    job: &Job<'_>,
    rows: &Rows,
    pixel: usize,
    first: usize,
    at_hand: AtHand,
    sums: &mut [[f32; GROUPS * Rows::TOGETHER]; MOST],
) {
    let weights = rows.from(first);
    let group = job.depth * V::WIDTH;
    assert!(weights.len() >= G * group && G <= GROUPS && T <= MOST);
    assert!(job.depth == 0 || (job.depth - 1) * job.pixels + pixel + T <= job.image.len());
    // SAFETY: the asserted lengths cover the operands, and the sums have room for the vectors.
    unsafe {
        let mut acc = [[V::splat(0.0); T]; G];
        for (g, acc) in acc.iter_mut().enumerate() {
            let bias = V::load(sums[0].as_ptr().add(g * V::WIDTH));
            for acc in acc.iter_mut() {
                *acc = bias;
            }
        }
        let mut at = job.image.as_ptr().wrapping_add(pixel);
        let mut from = weights.as_ptr();
        for _ in 0..job.depth {
            for (g, acc) in acc.iter_mut().enumerate() {
                let weights = V::load(from.add(g * group));
                for (t, acc) in acc.iter_mut().enumerate() {
                    *acc = weights.fma(V::splat(*at.add(t)), *acc);
                }
            }
            from = from.wrapping_add(V::WIDTH);
            at = at.wrapping_add(job.pixels);
        }
        let at_hand = at_hand.in_vectors::<V>();
        for (g, acc) in acc.iter().enumerate() {
            for (t, acc) in acc.iter().enumerate() {
                let to = sums[t].as_mut_ptr().add(g * V::WIDTH);
                at_hand.of(*acc).store(to);
            }
        }
    }
}
