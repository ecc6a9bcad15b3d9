//! Convolution in f32 with kernels of 3 x 3 and stride 1, by Winograd's minimal filtering F(4 x 4, 3 x 3): sixteen results
//! for 36 products of two numbers where the direct sum has 144.
//!
//! A tile is 4 x 4 pixels of the result, which depend on 6 x 6 of the image. Tiles and filters are changed into 36 numbers
//! each ([`points`]), which are multiplied and summed over the input channels as 36 products of matrices
//! ([`product`]), and changed back. A vector holds neighbouring tiles; so that it can be loaded, the image is first
//! taken apart into the numbers with the same place in their tiles ([`phases`]).
//!
//! Which convolutions go this way depends on their shapes alone. The polynomials' points are 0, ±5/8, ±3/2 and infinity,
//! for which the error is about twice that of the direct sum (Barabasz, Anderson, Soodhalter and Gregg, 2018, say why it
//! depends on them). A number that is not finite would reach all of its tile: who calls has the direct sum for such images.

mod filters;
mod phases;
mod points;
mod product;
mod tiles;

pub use filters::Filters;
pub use phases::Phases;

use super::after::After;
use super::geometry::Geometry;
#[cfg(target_arch = "aarch64")]
use crate::vector::Neon;
use rushlight_tensor::lanes::{Isa, isa};
use rushlight_tensor::threads::{self, Strip};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use tiles::LANES;

/// Pixels of a tile of the result in each direction.
const TILE: usize = 4;
/// Pixels of the image that a tile depends on, in each direction.
const SPAN: usize = 6;
/// Products for a tile.
const POINTS: usize = SPAN * SPAN;
/// Output channels of a group of filters.
const GROUP: usize = 8;
/// Most tiles for which threads divide the output channels rather than the tiles.
const FEW: usize = 64;

/// Tiles of the result, down and across.
fn tiles(output: [usize; 3]) -> [usize; 2] {
    [output[1].div_ceil(TILE), output[2].div_ceil(TILE)]
}

/// Whether this is the kernel for a convolution: it can run, and does less work than the direct sum, by shapes alone.
pub fn suits(g: &Geometry, output: [usize; 3]) -> bool {
    let (inputs, outputs) = (g.group_in(), g.group_out());
    let can = isa() != Isa::Baseline
        && g.kernel == [1, 3, 3]
        && g.stride == [1; 3]
        && g.dilation == [1; 3]
        && (g.input[0], g.before[0], g.after[0]) == (1, 0, 0);
    if !can || inputs < 16 || outputs < 16 {
        return false;
    }
    // In products of two numbers: the direct sum's, those of the tiles in vectors of sixteen with what reading the filters
    // costs, and what changing a tile's numbers costs.
    let wide = |n: usize| n as u128;
    let lanes = wide(tiles(output).iter().product::<usize>().next_multiple_of(16));
    let pixels = wide(output[1]) * wide(output[2]);
    let direct = 9 * wide(inputs) * wide(outputs) * pixels;
    let products = wide(inputs) * wide(outputs) * (lanes + 28);
    let changes = 8 * (wide(inputs) + wide(outputs)) * lanes;
    10 * 36 * (products + changes) < 9 * direct
}

/// One image and one group of channels.
pub struct Job<'a> {
    pub image: &'a Phases,
    pub output: [usize; 3],
    pub filters: &'a Filters,
    /// One number per output channel.
    pub bias: Option<&'a [f32]>,
    pub after: After<'a>,
}

/// How many rows of tiles fill vectors but for an eighth at the most.
fn full_rows(across: usize) -> usize {
    let wasted = |tiles: usize| tiles.next_multiple_of(LANES) - tiles;
    let full = |rows: &usize| 8 * wasted(rows * across) <= rows * across;
    (1..LANES).find(full).unwrap_or(LANES)
}

impl Job<'_> {
    /// Writes the results of the group, channel by pixel, and says whether all of them are finite. Where they are not, they
    /// are not to be used.
    #[must_use]
    pub fn run(&self, result: &mut [f32]) -> bool {
        let (height, width) = (self.output[1], self.output[2]);
        let (channels, pixels) = (self.filters.channels(), height * width);
        assert_eq!(self.output[0], 1);
        assert_eq!(result.len(), channels * pixels);
        assert_eq!(self.image.channels(), self.filters.depth());
        assert_eq!(self.image.tiles(), tiles(self.output));
        assert!(self.bias.is_none_or(|b| b.len() == channels));
        let [down, across] = tiles(self.output);
        let finite = AtomicBool::new(true);
        let part = |rows: Range<usize>, channels: Range<usize>, out: Strip<'_, f32>| {
            if !self.part(rows, channels, out) {
                finite.store(false, Ordering::Relaxed);
            }
        };
        // About as many multiplications as a simple loop over elements does in the same time.
        let depth = self.filters.depth();
        if down * across > FEW {
            let out = Strip::of(result, channels, pixels, pixels);
            let cost = channels.saturating_mul(depth) / 3;
            let rows = full_rows(across).min(down.div_ceil(threads::count()));
            let unit = rows.max(1) * TILE * width;
            threads::split_lent(pixels, unit, cost, out, &|columns, out| {
                let rows = columns.start / (TILE * width)..columns.end.div_ceil(TILE * width);
                part(rows, 0..channels, out);
            });
        } else {
            let cost = pixels.saturating_mul(depth) / 3;
            // Every part transforms the image anew, so there are no more parts than threads.
            let unit = channels.div_ceil(threads::count());
            let unit = unit.next_multiple_of(GROUP);
            threads::split_rows(result, pixels, unit, cost, &|channels, out| {
                let out = Strip::of(out, channels.len(), pixels, pixels);
                part(0..down, channels, out);
            });
        }
        finite.into_inner()
    }

    /// The results of some rows of tiles for some channels, which begin a group; `out` has these channels and the pixels of
    /// these tiles. Says whether all of them are finite.
    fn part(&self, rows: Range<usize>, channels: Range<usize>, out: Strip<'_, f32>) -> bool {
        #[cfg(target_arch = "x86_64")]
        match isa() {
            // SAFETY: the processor has AVX-512.
            Isa::Avx512 => return unsafe { tiles::avx512(self, rows, channels, out) },
            // SAFETY: the processor has AVX2 and FMA.
            Isa::Avx2 => return unsafe { tiles::avx2(self, rows, channels, out) },
            Isa::Baseline => {}
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: every processor of this kind has these vectors.
        return unsafe { tiles::blocks::<Neon, 4>(self, rows, channels, out) };
        #[cfg(not(target_arch = "aarch64"))]
        unreachable!("`suits` asks for vectors")
    }
}

#[cfg(test)]
mod tests;
