//! Direct convolution in f32, without a column matrix.
//!
//! A tile is a run of output pixels in one row by two vectors of output channels. For every tap and input channel the
//! tile loads two vectors of weights, packed so that they are neighbours, and multiplies them with one number of the
//! zero-padded image per pixel. The same numbers are added in the same order as in [`super::panel`]: which of the two runs
//! makes no difference to the result.

#![cfg_attr(
    not(target_arch = "x86_64"),
    allow(
        dead_code,
        unused_variables,
        reason = "other processors take the matrix product"
    )
)]

use super::after::After;
use super::geometry::Geometry;
use super::within::Within;
use crate::linalg::packed::{CHANNELS, Packed, block};
use crate::vector::{Vector, transpose};
use rushlight_tensor::lanes::{Isa, isa};
use rushlight_tensor::{memory, threads, watch};
use std::ops::Range;

/// Most pixels of a tile on the largest vectors.
const TILE: usize = 14;

/// Pixels of a channel that are finished together, about.
const AT_ONCE: usize = 1024;

/// Most tiles that ask for the weights of the next channels.
const SHARES: usize = 8;

/// One image and one group of channels.
pub struct Job<'a> {
    pub geometry: &'a Geometry,
    /// The padded image and its spatial sizes.
    pub image: &'a [f32],
    pub padded: [usize; 3],
    pub output: [usize; 3],
    /// Where each tap of each input channel lies from a pixel's first.
    pub offsets: &'a [u32],
    pub weights: &'a Packed,
    /// One number per output channel.
    pub bias: Option<&'a [f32]>,
    pub after: After<'a>,
}

/// Whether the kernel can run.
pub fn suits(g: &Geometry) -> bool {
    isa() != Isa::Baseline && (1..=2).contains(&g.stride[2]) && g.group_out() >= 8
}

/// Whether packing the weights for one call is worth it: where there are more pixels than output channels.
pub fn is_worth_packing(g: &Geometry, output: [usize; 3]) -> bool {
    output.iter().product::<usize>() >= g.group_out()
}

/// A copy of the image with its zeros around it, and the copy's spatial sizes.
pub fn padded(g: &Geometry, image: &[f32], into: &mut Vec<f32>) -> [usize; 3] {
    let size = |d: usize| g.input[d] + g.before[d] + g.after[d];
    let sizes = [size(0), size(1), size(2)];
    let plane: usize = sizes.iter().product();
    into.clear();
    into.resize(g.group_in() * plane, 0.0);
    let line = g.input[2];
    for (c, channel) in image
        .chunks_exact((g.input.iter().product::<usize>()).max(1))
        .enumerate()
    {
        for (r, row) in channel.chunks_exact(line.max(1)).enumerate() {
            let (z, y) = (r / g.input[1] + g.before[0], r % g.input[1] + g.before[1]);
            let to = ((c * sizes[0] + z) * sizes[1] + y) * sizes[2] + g.before[2];
            into[to..to + line].copy_from_slice(row);
        }
    }
    sizes
}

/// Where each tap of each input channel lies in a padded image; `None` where that does not fit 32 bits.
pub fn offsets(g: &Geometry, padded: [usize; 3]) -> Option<Vec<u32>> {
    let plane: usize = padded.iter().product();
    u32::try_from(plane * g.group_in()).ok()?;
    let mut out = memory::with_capacity(g.group_in() * g.taps());
    for c in 0..g.group_in() {
        for z in 0..g.kernel[0] {
            for y in 0..g.kernel[1] {
                for x in 0..g.kernel[2] {
                    let row = (z * g.dilation[0] * padded[1] + y * g.dilation[1]) * padded[2];
                    out.push(u32::try_from(c * plane + row + x * g.dilation[2]).ok()?);
                }
            }
        }
    }
    Some(out)
}

impl Job<'_> {
    /// Writes the results of the group: channel by pixel.
    pub fn run(&self, result: &mut [f32]) {
        self.check(result);
        let pixels: usize = self.output.iter().product();
        // About as many multiplications as a simple loop over elements does in the same time.
        let cost = pixels.saturating_mul(self.weights.depth()) / 8;
        threads::split_rows(result, pixels, block(), cost, &|channels, result| {
            #[cfg(target_arch = "x86_64")]
            match isa() {
                // SAFETY: the processor has AVX-512, and `check` has found every access inside its slice.
                Isa::Avx512 => unsafe { avx512(self, channels, result) },
                // SAFETY: as above, with AVX2 and FMA.
                Isa::Avx2 => unsafe { avx2(self, channels, result) },
                Isa::Baseline => unreachable!("`suits` asks for vectors"),
            }
        });
    }

    /// Establishes what the kernels rely on.
    fn check(&self, result: &[f32]) {
        let g = self.geometry;
        let pixels: usize = self.output.iter().product();
        assert_eq!(result.len(), self.weights.channels() * pixels);
        assert_eq!(self.offsets.len(), self.weights.depth());
        assert!(self.bias.is_none_or(|b| b.len() == self.weights.channels()));
        // In numbers so wide that nothing can overflow.
        let last = |d: usize| (self.output[d].max(1) - 1) as u128 * g.stride[d] as u128;
        let [_, lines, columns] = self.padded.map(|size| size as u128);
        let corner = (last(0) * lines + last(1)) * columns + last(2);
        let reach = self.offsets.iter().max().map_or(0, |o| u128::from(*o));
        assert!(
            corner + reach < self.image.len() as u128,
            "the last pixel's taps lie inside the padded image"
        );
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
unsafe fn avx512(job: &Job<'_>, channels: Range<usize>, result: &mut [f32]) {
    // SAFETY: passed on.
    unsafe { rows::<std::arch::x86_64::__m512>(job, channels, result, 14) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(job: &Job<'_>, channels: Range<usize>, result: &mut [f32]) {
    // SAFETY: passed on.
    unsafe { rows::<std::arch::x86_64::__m256>(job, channels, result, 6) }
}

/// Runs over blocks of channels, then rows, then tiles of a row. The first of the channels begins a block; the result is
/// that of these channels alone.
///
/// # Safety
/// The job is checked and the processor has the vectors' instructions.
#[inline(always)]
unsafe fn rows<V: Vector>(job: &Job<'_>, channels: Range<usize>, result: &mut [f32], most: usize) {
    let (g, w) = (job.geometry, job.weights);
    let pixels: usize = job.output.iter().product();
    let width = job.output[2];
    // Tiles of a row are as equal as can be.
    let tiles = width.div_ceil(most).max(1);
    let lines = job.output[0] * job.output[1];
    let mut scratch = [0f32; TILE * CHANNELS];
    let within = job.after.at_hand();
    // So many lines are finished together.
    let together = (AT_ONCE / width.max(1)).max(1);
    for first in channels.clone().step_by(block()) {
        let count = block().min(channels.end - first);
        let packed = w.panel(first);
        let mut bias = [0f32; CHANNELS];
        if let Some(own) = job.bias {
            bias[..count].copy_from_slice(&own[first..first + count]);
        }
        for row in 0..lines {
            watch::poll();
            let (z, y) = (row / job.output[1], row % job.output[1]);
            let start = (z * g.stride[0] * job.padded[1] + y * g.stride[1]) * job.padded[2];
            for t in 0..tiles {
                let (x0, x1) = (t * width / tiles, (t + 1) * width / tiles);
                let at = job.image.as_ptr().wrapping_add(start + x0 * g.stride[2]);
                // What follows in memory is the next panel: each tile asks for its share of it, the first few for all.
                let share = block() / (tiles * lines).clamp(1, SHARES);
                let number = row * tiles + t;
                let asks = number < SHARES && first + block() < channels.end;
                let next = Next {
                    at: match asks {
                        true => packed
                            .as_ptr_range()
                            .end
                            .wrapping_add(number * share * w.depth()),
                        false => packed.as_ptr(),
                    },
                    step: if asks { share } else { 0 },
                };
                // SAFETY: passed on; the tile's pixels are among those that `check` has looked at.
                unsafe {
                    let (tile, scratch) = (x1 - x0, &mut scratch);
                    match (g.stride[2], count <= V::WIDTH) {
                        (1, false) => {
                            sized::<V, 1, 2>(tile, at, job.offsets, packed, next, scratch)
                        }
                        (1, true) => sized::<V, 1, 1>(tile, at, job.offsets, packed, next, scratch),
                        (_, false) => {
                            sized::<V, 2, 2>(tile, at, job.offsets, packed, next, scratch)
                        }
                        (_, true) => sized::<V, 2, 1>(tile, at, job.offsets, packed, next, scratch),
                    }
                    let at = (first - channels.start) * pixels + row * width + x0;
                    let out = &mut result[at..];
                    let to = [pixels, count];
                    turn::<V>(scratch, tile, &bias, within, out, to);
                }
            }
            let done = row + 1;
            if job.after.is_left() && (done.is_multiple_of(together) || done == lines) {
                let begun = row / together * together;
                for channel in first..first + count {
                    let at = channel * pixels + begun * width;
                    let from = at - channels.start * pixels;
                    let results = &mut result[from..from + (done - begun) * width];
                    job.after.finish(at, results);
                }
            }
        }
    }
}

/// Weights that will be needed soon: where they begin, and how many numbers to go on for every tap. They need not exist.
#[derive(Clone, Copy)]
struct Next {
    at: *const f32,
    step: usize,
}

/// Writes a tile's results, pixel by channel, and the bias where they belong: channel by pixel, `stride` numbers from channel to
/// channel. They are brought within a range.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn turn<V: Vector>(
    tile: &[f32; TILE * CHANNELS],
    pixels: usize,
    bias: &[f32; CHANNELS],
    within: Within,
    out: &mut [f32],
    [stride, channels]: [usize; 2],
) {
    assert!(pixels <= V::WIDTH.min(TILE) && (channels - 1) * stride + pixels <= out.len());
    // SAFETY: a tile holds two vectors for each of its pixels, and the asserted length covers what is written.
    unsafe {
        let chosen = V::mask((1u32 << pixels) - 1);
        for half in 0..2 {
            let first = half * V::WIDTH;
            if first >= channels {
                break;
            }
            let mut square = [V::splat(0.0); 16];
            for (p, vector) in square[..pixels].iter_mut().enumerate() {
                *vector = V::load(tile.as_ptr().add(p * 2 * V::WIDTH + first));
            }
            transpose(&mut square);
            let count = channels.saturating_sub(first).min(V::WIDTH);
            for (c, vector) in square[..count].iter().enumerate() {
                let sum = vector.add(V::splat(bias[first + c]));
                let sum = sum.within(V::splat(within.low), V::splat(within.high));
                sum.store_first(out.as_mut_ptr().add((first + c) * stride), chosen);
            }
        }
    }
}

/// A tile of any number of pixels.
///
/// # Safety
/// As for [`tile`].
#[inline(always)]
unsafe fn sized<V: Vector, const S: usize, const H: usize>(
    pixels: usize,
    at: *const f32,
    offsets: &[u32],
    packed: &[f32],
    next: Next,
    out: &mut [f32; TILE * CHANNELS],
) {
    macro_rules! sizes {
        ($($n:literal)*) => {
            match pixels {
                // SAFETY: passed on.
                $($n => unsafe { tile::<V, $n, S, H>(at, offsets, packed, next, out) },)*
                _ => unreachable!("tiles have at most {TILE} pixels"),
            }
        };
    }
    if V::WIDTH == 16 {
        sizes!(1 2 3 4 5 6 7 8 9 10 11 12 13 14);
    } else {
        sizes!(1 2 3 4 5 6);
    }
}

/// `T` pixels, `S` apart in the image, by two vectors of channels, or by the first of them where `H` is one.
///
/// # Safety
/// The processor has the vectors' instructions; `at` plus every offset plus `(T - 1) * S` lies inside the image.
#[inline(always)]
unsafe fn tile<V: Vector, const T: usize, const S: usize, const H: usize>(
    at: *const f32,
    offsets: &[u32],
    packed: &[f32],
    next: Next,
    out: &mut [f32; TILE * CHANNELS],
) {
    assert!(packed.len() >= offsets.len() * 2 * V::WIDTH);
    // SAFETY: the asserted length covers the weights, the caller vouches for the image, and `T` pixels of two vectors
    // fit `out`.
    unsafe {
        let mut acc = [[V::splat(0.0); H]; T];
        let (mut w, mut next_at) = (packed.as_ptr(), next.at);
        for offset in offsets {
            V::prefetch_far(next_at);
            next_at = next_at.wrapping_add(next.step);
            let pixel = at.add(*offset as usize);
            let mut weights = [V::splat(0.0); H];
            for (h, weight) in weights.iter_mut().enumerate() {
                *weight = V::load(w.add(h * V::WIDTH));
            }
            w = w.add(2 * V::WIDTH);
            for (t, acc) in acc.iter_mut().enumerate() {
                let x = V::splat(*pixel.add(t * S));
                for h in 0..H {
                    acc[h] = x.fma(weights[h], acc[h]);
                }
            }
        }
        for (t, acc) in acc.iter().enumerate() {
            for (h, acc) in acc.iter().enumerate() {
                acc.store(out.as_mut_ptr().add((2 * t + h) * V::WIDTH));
            }
        }
    }
}
