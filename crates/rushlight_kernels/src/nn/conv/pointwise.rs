//! Convolution in f32 whose kernel is one pixel: a product of the weights with the image, pixel by pixel.
//!
//! A panel holds, for up to three vectors of neighbouring pixels, the numbers of some input channels. The kernel multiplies
//! it with eight rows of weights at a time, number by number. The sums begin with the bias and run over the input channels in
//! their order, whatever the blocks.

use super::after::After;
use super::columns::{self, Go};
use super::geometry::Geometry;
use super::narrow;
use super::within::AtHand;
#[cfg(target_arch = "aarch64")]
use crate::vector::Neon;
use crate::vector::{Vector, unrolled};
use rushlight_tensor::lanes::{Isa, isa};
use rushlight_tensor::threads::{self, Strip};
use rushlight_tensor::{Buffer, memory, watch};
use std::ops::Range;

/// Rows of weights that go together.
pub(super) const ROWS: usize = 8;
/// Vectors of a panel.
pub(super) const VECTORS: usize = 3;
/// Panels that meet the same weights one after the other.
pub(super) const TOGETHER: usize = 4;
/// Most numbers of a vector.
pub(super) const LANES: usize = 16;
/// Input channels of a panel: a panel stays in the first-level cache.
const DEPTH: usize = 192;
/// Input channels of which sums are long.
const LONG: usize = 256;

/// Whether every result depends on one pixel, which may lie apart in the image, and there are enough of them for vectors or
/// for the tiles of [`super::direct`].
pub fn suits(g: &Geometry, output: [usize; 3]) -> bool {
    isa() != Isa::Baseline
        && (g.kernel, g.before, g.after) == ([1; 3], [0; 3], [0; 3])
        && g.group_in() >= 4
        && g.group_out() >= 8
        && output.iter().product::<usize>() >= 12
}

/// Whether so many pixels, of so many input channels, fill their vectors well enough.
pub fn fills_vectors(pixels: usize, depth: usize) -> bool {
    match isa() {
        // Tiles take their time for the way out, which pays where sums are long.
        Isa::Avx512 if depth >= LONG => is_used(pixels, LANES, [19, 20]),
        Isa::Avx512 => is_used(pixels, LANES, [5, 6]),
        _ => {
            let pixels = pixels - narrow::count(pixels);
            pixels > 0 && is_used(pixels, ROWS, [5, 6])
        }
    }
}

/// Whether of the lanes of vectors so large a share is used for so many pixels.
fn is_used(pixels: usize, lanes: usize, [part, of]: [usize; 2]) -> bool {
    let all = pixels.next_multiple_of(lanes).saturating_mul(part);
    pixels.saturating_mul(of) >= all
}

/// An image, or several, without the pixels that a convolution with strides leaves out.
pub fn thinned(g: &Geometry, image: &[f32], output: [usize; 3], into: &mut Vec<f32>) {
    let [_, height, width] = g.input;
    let plane: usize = g.input.iter().product();
    into.clear();
    into.reserve(memory::times([
        image.len() / plane.max(1),
        output.iter().product(),
    ]));
    for channel in image.chunks_exact(plane.max(1)) {
        watch::poll();
        for row in 0..output[0] * output[1] {
            let (z, y) = (row / output[1] * g.stride[0], row % output[1] * g.stride[1]);
            let line = &channel[(z * height + y) * width..][..width];
            if g.stride[2] == 2 {
                into.extend(line.chunks(2).take(output[2]).map(|pair| pair[0]));
            } else {
                into.extend(line.iter().step_by(g.stride[2]).take(output[2]));
            }
        }
    }
}

/// Weights with eight rows side by side: the first number of each, then the second of each, and so on.
pub struct Rows {
    data: Buffer<f32>,
    depth: usize,
}

impl Rows {
    /// Puts the rows of a weight, `depth` numbers each, side by side.
    pub fn new(weight: &[f32], depth: usize) -> Rows {
        let size = ROWS * depth;
        let rows = weight.len() / depth.max(1);
        let mut data = Buffer::unspecified(memory::times([rows.div_ceil(ROWS), size]));
        let groups = data.chunks_exact_mut(size.max(1));
        for (to, from) in groups.zip(weight.chunks(size.max(1))) {
            if from.len() < size {
                to.fill(0.0);
            }
            for (r, row) in from.chunks_exact(depth).enumerate() {
                for (line, number) in to.chunks_exact_mut(ROWS).zip(row) {
                    line[r] = *number;
                }
            }
        }
        Rows { data, depth }
    }

    /// Rows that stand side by side.
    pub const TOGETHER: usize = ROWS;

    /// Numbers of a row.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// How many rows there are, with those that fill up the last group.
    pub fn rows(&self) -> usize {
        self.data.len() / self.depth.max(1)
    }

    /// The numbers of a row and those after it in its group: the first of each, then, [`Rows::TOGETHER`] numbers farther, the
    /// second of each, and so on.
    pub fn from(&self, row: usize) -> &[f32] {
        let from = row / ROWS * self.depth * ROWS + row % ROWS;
        self.data.get(from..).unwrap_or_default()
    }
}

/// The weights of one group of channels.
#[derive(Clone, Copy)]
pub enum Weights<'a> {
    /// As they lie: a row of numbers per output channel.
    Plain(&'a [f32]),
    /// Side by side.
    Packed(&'a Rows),
}

/// One image and one group of channels.
pub struct Job<'a> {
    /// Channel by pixel, as many pixels as the result has.
    pub image: &'a [f32],
    pub pixels: usize,
    pub weights: Weights<'a>,
    /// Input channels, output channels.
    pub depth: usize,
    pub channels: usize,
    /// One number per output channel.
    pub bias: Option<&'a [f32]>,
    pub after: After<'a>,
}

impl Job<'_> {
    /// Writes the results of the group: channel by pixel.
    pub fn run(&self, result: &mut [f32]) {
        let (channels, pixels, depth) = (self.channels, self.pixels, self.depth);
        assert_eq!(result.len(), memory::times([channels, pixels]));
        assert_eq!(self.image.len(), memory::times([depth, pixels]));
        assert!(self.bias.is_none_or(|b| b.len() == channels));
        match self.weights {
            Weights::Plain(w) => assert_eq!(w.len(), memory::times([channels, depth])),
            Weights::Packed(w) => {
                assert_eq!(w.depth, depth);
                assert!(w.data.len() >= memory::times([channels, depth]));
            }
        }
        // About as many multiplications as a simple loop over elements does in the same time.
        const COST: usize = 8;
        let block = VECTORS * LANES;
        if pixels >= 4 * block * threads::count() {
            let out = Strip::of(result, channels, pixels, pixels);
            let cost = channels.saturating_mul(depth) / COST;
            threads::split_lent(pixels, block, cost, out, &|pixels, out| {
                self.part(pixels, 0..channels, out);
            });
        } else {
            let cost = pixels.saturating_mul(depth) / COST;
            threads::split_rows(result, pixels, ROWS, cost, &|channels, out| {
                let out = Strip::of(out, channels.len(), pixels, pixels);
                self.part(0..pixels, channels, out);
            });
        }
    }

    /// The results of some pixels of some channels, of which the first begins a group of rows.
    fn part(&self, pixels: Range<usize>, channels: Range<usize>, out: Strip<'_, f32>) {
        #[cfg(target_arch = "x86_64")]
        match isa() {
            // SAFETY: the processor has AVX-512.
            Isa::Avx512 => return unsafe { avx512(self, pixels, channels, out) },
            // SAFETY: the processor has AVX2 and FMA.
            Isa::Avx2 => return unsafe { avx2(self, pixels, channels, out) },
            Isa::Baseline => {}
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: every processor of this kind has these vectors.
        return unsafe { panels::<Neon, 4>(self, pixels, channels, &columns::NEON, out) };
        #[cfg(not(target_arch = "aarch64"))]
        unreachable!("`suits` asks for vectors")
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
unsafe fn avx512(job: &Job<'_>, pixels: Range<usize>, channels: Range<usize>, out: Strip<'_, f32>) {
    // SAFETY: passed on.
    unsafe { panels::<std::arch::x86_64::__m512, 8>(job, pixels, channels, &columns::AVX512, out) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(job: &Job<'_>, pixels: Range<usize>, channels: Range<usize>, out: Strip<'_, f32>) {
    // SAFETY: passed on.
    unsafe { panels::<std::arch::x86_64::__m256, 4>(job, pixels, channels, &columns::AVX2, out) }
}

/// Runs over panels of pixels, pieces of the input channels, and groups of rows, of which `R` go together.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn panels<V: Vector, const R: usize>(
    job: &Job<'_>,
    pixels: Range<usize>,
    channels: Range<usize>,
    go: &[Go; 2],
    mut out: Strip<'_, f32>,
) {
    assert!(pixels.end <= job.pixels && channels.end <= job.channels);
    assert!(out.rows() == channels.len() && out.columns() >= pixels.len());
    assert!(channels.start.is_multiple_of(ROWS) && ROWS.is_multiple_of(R));
    let (at_hand, left) = job.after.split();
    let left = left.is_left().then_some(left);
    let mut wide = pixels.len();
    if let (true, Weights::Packed(weights)) = (V::WIDTH == ROWS, job.weights) {
        wide -= narrow::count(wide);
        let last = pixels.start + wide..pixels.end;
        // SAFETY: passed on.
        unsafe {
            narrow::run::<V>(
                job,
                weights,
                last,
                channels.clone(),
                at_hand,
                &mut out,
                wide,
            );
        }
    }
    let vectors = wide.div_ceil(V::WIDTH);
    // At least one: there may be none but the last few pixels.
    let blocks = vectors.div_ceil(VECTORS).max(1);
    let pieces = job.depth.div_ceil(DEPTH).max(1);
    let mut panels =
        Buffer::unspecified(DEPTH.min(job.depth) * blocks.min(TOGETHER) * VECTORS * V::WIDTH);
    for start in (0..blocks).step_by(TOGETHER) {
        let group: [Block<V>; TOGETHER] = std::array::from_fn(|i| {
            let b = (start + i).min(blocks);
            let next = (b + 1).min(blocks);
            // SAFETY: passed on.
            unsafe { Block::new(b * vectors / blocks..next * vectors / blocks, wide) }
        });
        let end = match start + TOGETHER < blocks {
            true => group[TOGETHER - 1].first + group[TOGETHER - 1].count,
            false => pixels.len(),
        };
        for piece in 0..pieces {
            let near = piece * job.depth / pieces;
            let far = (piece + 1) * job.depth / pieces;
            let is_last = far == job.depth;
            let then = Then {
                at_hand: if is_last { at_hand } else { AtHand::NOTHING },
                left: left.filter(|_| is_last),
                pixels: group[0].first..end,
                start: pixels.start,
            };
            if let (Weights::Packed(weights), 1..) = (job.weights, job.depth) {
                let piece = columns::Piece {
                    weights,
                    depth: near..far,
                    channels: channels.clone(),
                    go,
                };
                // SAFETY: passed on.
                unsafe {
                    columns::columns::<V, R>(job, &piece, group, &mut panels, &then, &mut out)
                };
                continue;
            }
            // SAFETY: passed on.
            unsafe {
                let depth = near..far;
                rows::<V, R>(
                    job,
                    &group,
                    &mut panels,
                    depth,
                    channels.clone(),
                    &then,
                    &mut out,
                );
            }
        }
    }
}

/// What is done to the results of some input channels.
#[derive(Clone)]
pub(super) struct Then<'a> {
    pub(super) at_hand: AtHand,
    /// What is left to do for some of the part's pixels once rows are made, while they are near.
    pub(super) left: Option<After<'a>>,
    pub(super) pixels: Range<usize>,
    /// Which pixel the part's first is.
    pub(super) start: usize,
}

impl Then<'_> {
    /// Does what is left to do for some channels; the strip's first row is that of channel `first`.
    ///
    /// # Safety
    /// The processor has the vectors' instructions.
    #[inline(always)]
    pub(super) unsafe fn finish<V: Vector>(
        &self,
        job: &Job<'_>,
        channels: Range<usize>,
        first: usize,
        out: &mut Strip<'_, f32>,
    ) {
        let Some(left) = self.left else { return };
        for channel in channels {
            let at = channel * job.pixels + self.start + self.pixels.start;
            let results = &mut out.row(channel - first)[self.pixels.clone()];
            // SAFETY: passed on.
            unsafe { left.finish_in::<V>(at, results) };
        }
    }
}

/// Neighbouring pixels of a part.
#[derive(Clone, Copy)]
pub(super) struct Block<V: Vector> {
    /// The first of them, and how many there are.
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) vectors: usize,
    /// The pixels that there are in each vector.
    masks: [V::Mask; VECTORS],
}

impl<V: Vector> Block<V> {
    /// The pixels of some vectors, of `all` pixels.
    ///
    /// # Safety
    /// The processor has the vectors' instructions.
    #[inline(always)]
    unsafe fn new(vectors: Range<usize>, all: usize) -> Block<V> {
        let first = vectors.start * V::WIDTH;
        let count = (vectors.len() * V::WIDTH).min(all.saturating_sub(first));
        let lanes = |n: usize| count.saturating_sub(n * V::WIDTH).min(V::WIDTH);
        Block {
            first,
            count,
            vectors: vectors.len(),
            masks: std::array::from_fn(|n| {
                // SAFETY: passed on.
                unsafe { V::mask(((1u64 << lanes(n)) - 1) as u32) }
            }),
        }
    }

    /// Whether the pixels fill all vectors.
    pub(super) fn is_whole(&self) -> bool {
        self.count == self.vectors * V::WIDTH
    }
}

/// Multiplies panels, one after the other in `panels`, with the weights of all rows; the first rows fill them as they go. What
/// weights one panel has met are in the first-level cache for the others.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
pub(super) unsafe fn rows<V: Vector, const R: usize>(
    job: &Job<'_>,
    group: &[Block<V>; TOGETHER],
    panels: &mut [f32],
    depth: Range<usize>,
    channels: Range<usize>,
    then: &Then<'_>,
    out: &mut Strip<'_, f32>,
) {
    let stride = out.stride();
    for first in channels.clone().step_by(ROWS) {
        watch::poll();
        let mut bias = [0f32; ROWS];
        if let Some(own) = job.bias {
            match own[first..channels.end].first_chunk() {
                Some(own) => bias = *own,
                None => bias[..channels.end - first].copy_from_slice(&own[first..channels.end]),
            }
        }
        let mut next = &mut panels[..];
        for block in group.iter().filter(|block| block.count > 0) {
            let panel;
            (panel, next) = next.split_at_mut(depth.len() * block.vectors * V::WIDTH);
            assert!(block.first + block.count <= out.columns());
            let at = depth.start * job.pixels + then.start + block.first;
            let image = &job.image[at.min(job.image.len())..];
            for row in (first..channels.end.min(first + ROWS)).step_by(R) {
                let rows = R.min(channels.end - row);
                let to = out.place(row - channels.start, block.first);
                let start = bias[row - first..].first_chunk().unwrap_or(&[0.0; R]);
                let is_first = row == channels.start;
                let tile = Tile {
                    panel: panel.as_mut_ptr(),
                    depth: depth.len(),
                    image: if is_first { Some(image) } else { None },
                    pixels: job.pixels,
                    masks: &block.masks,
                    count: block.count,
                    whole: block.is_whole(),
                    start: if depth.start == 0 { Some(start) } else { None },
                    at_hand: then.at_hand,
                    rows,
                    stride,
                    // The same weights of the next rows.
                    ahead: ROWS * job.depth,
                    next: if row + ROWS < channels.end {
                        to.wrapping_add(ROWS * stride)
                    } else {
                        let width = group.iter().map(|b| b.count).sum::<usize>();
                        out.place(0, 0).wrapping_add(block.first + width)
                    },
                };
                // SAFETY: the rows of the result and the chosen lanes of them are inside it; the weights have the numbers of
                // these rows and input channels.
                unsafe {
                    match job.weights {
                        Weights::Packed(w) => {
                            let w = w.from(row).get(depth.start * ROWS..).unwrap_or_default();
                            by_width::<V, R>(block.vectors, &tile, w, [1, ROWS], to);
                        }
                        Weights::Plain(w) => {
                            let w = &w[row * job.depth + depth.start..];
                            if rows == R {
                                by_width::<V, R>(block.vectors, &tile, w, [job.depth, 1], to);
                            } else {
                                for r in 0..rows {
                                    let one = tile.row(r);
                                    let to = to.wrapping_add(r * stride);
                                    let w = &w[r * job.depth..];
                                    by_width::<V, 1>(block.vectors, &one, w, [job.depth, 1], to);
                                }
                            }
                        }
                    }
                }
            }
        }
        let eight = first..channels.end.min(first + ROWS);
        // SAFETY: passed on.
        unsafe { then.finish::<V>(job, eight, channels.start, out) };
    }
}

/// `R` rows of weights by a panel.
struct Tile<'a, V: Vector, const R: usize> {
    /// Input channel by pixel, as many channels as the depth says.
    panel: *mut f32,
    depth: usize,
    /// Where the panel is not filled yet: the image from the first of its pixels on, and how many pixels the image has.
    image: Option<&'a [f32]>,
    pixels: usize,
    /// The pixels that there are, and whether they fill all vectors.
    masks: &'a [V::Mask; VECTORS],
    count: usize,
    whole: bool,
    /// What the sums start with; otherwise with what the result holds.
    start: Option<&'a [f32; R]>,
    /// What is done to the sums.
    at_hand: AtHand,
    /// Rows of the result.
    rows: usize,
    /// Numbers from row to row of the result.
    stride: usize,
    /// How many numbers of weights are asked for ahead of their use.
    ahead: usize,
    /// Where results will go that are made next.
    next: *mut f32,
}

impl<'a, V: Vector, const R: usize> Tile<'a, V, R> {
    /// One of the rows.
    fn row(&self, row: usize) -> Tile<'a, V, 1> {
        Tile {
            panel: self.panel,
            depth: self.depth,
            image: self.image.filter(|_| row == 0),
            pixels: self.pixels,
            masks: self.masks,
            count: self.count,
            whole: self.whole,
            start: self
                .start
                .map(|start| start[row..].first_chunk().unwrap_or(&[0.0])),
            at_hand: self.at_hand,
            ahead: self.ahead,
            next: self.next.wrapping_add(row * self.stride),
            rows: 1,
            stride: self.stride,
        }
    }
}

/// A panel of any number of vectors.
///
/// # Safety
/// As for [`multiply`].
#[inline(always)]
unsafe fn by_width<V: Vector, const R: usize>(
    vectors: usize,
    tile: &Tile<'_, V, R>,
    weights: &[f32],
    steps: [usize; 2],
    out: *mut f32,
) {
    // SAFETY: passed on.
    unsafe {
        match (vectors, tile.image) {
            (1, None) => multiply::<V, R, 1, false>(tile, weights, steps, out),
            (2, None) => multiply::<V, R, 2, false>(tile, weights, steps, out),
            (_, None) => multiply::<V, R, VECTORS, false>(tile, weights, steps, out),
            (1, _) => multiply::<V, R, 1, true>(tile, weights, steps, out),
            (2, _) => multiply::<V, R, 2, true>(tile, weights, steps, out),
            _ => multiply::<V, R, VECTORS, true>(tile, weights, steps, out),
        }
    }
}

/// `R` rows of weights by `N` vectors of pixels; `steps` are the numbers from row to row and from channel to channel of the
/// weights. With `FILL` the panel is filled from the tile's image.
///
/// # Safety
/// The processor has the vectors' instructions, the panel has room for `N` vectors of every channel, and `out` is the first of
/// as many rows as the tile says, of which the masks choose numbers.
#[inline(always)]
unsafe fn multiply<V: Vector, const R: usize, const N: usize, const FILL: bool>(
    tile: &Tile<'_, V, R>,
    weights: &[f32],
    steps: [usize; 2],
    out: *mut f32,
) {
    let depth = tile.depth;
    let [down, across] = steps;
    assert!(tile.rows <= R && tile.count <= N * V::WIDTH);
    assert!(depth == 0 || (R - 1) * down + (depth - 1) * across < weights.len());
    let masks: [V::Mask; N] = std::array::from_fn(|n| tile.masks[n]);
    let image = tile.image.unwrap_or_default();
    assert!(!FILL || depth == 0 || (depth - 1) * tile.pixels + tile.count <= image.len());
    // SAFETY: the asserted lengths cover the operands, the caller vouches for the result.
    unsafe {
        let mut acc = [[V::splat(0.0); N]; R];
        unrolled!(r < R, at most 8, {
            unrolled!(n < N, at most 3, {
                match tile.start {
                    Some(start) => acc[r][n] = V::splat(start[r]),
                    None if r < tile.rows => {
                        let at = out.wrapping_add(r * tile.stride + n * V::WIDTH);
                        acc[r][n] = V::load_chosen(at, tile.masks[n]);
                    }
                    None => {}
                }
            });
        });
        if tile.start.is_some() {
            unrolled!(r < R, at most 8, {
                unrolled!(n < N, at most 3, {
                    V::prefetch(tile.next.wrapping_add(r * tile.stride + n * V::WIDTH));
                });
            });
        }
        let (mut w, mut x, mut from) = (weights.as_ptr(), tile.panel, image.as_ptr());
        for _ in 0..depth {
            V::prefetch_far(w.wrapping_add(tile.ahead));
            let mut pixels = [V::splat(0.0); N];
            unrolled!(n < N, at most 3, {
                if FILL {
                    let at = from.wrapping_add(n * V::WIDTH);
                    // The same channel of the next panel.
                    V::prefetch(at.wrapping_add(N * V::WIDTH));
                    pixels[n] = V::load_chosen(at, masks[n]);
                    pixels[n].store(x.add(n * V::WIDTH));
                } else {
                    pixels[n] = V::load(x.add(n * V::WIDTH));
                }
            });
            if FILL {
                from = from.wrapping_add(tile.pixels);
            }
            unrolled!(r < R, at most 8, {
                let factor = V::splat(*w.add(r * down));
                unrolled!(n < N, at most 3, {
                    acc[r][n] = factor.fma(pixels[n], acc[r][n]);
                });
            });
            x = x.wrapping_add(N * V::WIDTH);
            w = w.wrapping_add(across);
        }
        let at_hand = tile.at_hand.in_vectors::<V>();
        // Whole tiles have a way out of their own: else the compiler moves sums about in the loop above.
        if tile.whole && tile.rows == R {
            unrolled!(r < R, at most 8, {
                unrolled!(n < N, at most 3, {
                    let at = out.wrapping_add(r * tile.stride + n * V::WIDTH);
                    at_hand.in_range(acc[r][n]).store(at);
                });
            });
        } else {
            unrolled!(r < R, at most 8, {
                if r < tile.rows {
                    unrolled!(n < N, at most 3, {
                        let at = out.wrapping_add(r * tile.stride + n * V::WIDTH);
                        let sums = at_hand.in_range(acc[r][n]);
                        // None but the last vector can have lanes without pixels.
                        if n + 1 < N {
                            sums.store(at);
                        } else {
                            sums.store_chosen(at, tile.masks[n]);
                        }
                    });
                }
            });
        }
        if at_hand.is_more() {
            for r in 0..tile.rows {
                for n in 0..N {
                    let at = out.wrapping_add(r * tile.stride + n * V::WIDTH);
                    // Stores with masks are slow on some processors.
                    if tile.whole || n + 1 < N {
                        at_hand.rest(V::load(at)).store(at);
                        continue;
                    }
                    let sums = at_hand.rest(V::load_chosen(at, tile.masks[n]));
                    sums.store_first(at, tile.masks[n]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{After, Job, Rows, Weights};
    use crate::testing::numbers;
    use rushlight_tensor::lanes::{Isa, isa};
    use rushlight_tensor::threads;

    #[test]
    fn packed_and_plain_weights_give_the_same_bits_on_any_number_of_threads() {
        if isa() == Isa::Baseline {
            return;
        }
        let before = threads::count();
        for (depth, channels, pixels) in [
            (4, 4, 1),
            (16, 24, 49),
            (40, 75, 82),
            (31, 9, 27),
            (200, 33, 196),
            (33, 17, 784),
            (200, 40, 196),
            (385, 9, 50),
            (64, 70, 1000),
            (0, 8, 20),
        ] {
            let (x, w) = (numbers(depth * pixels, 5), numbers(channels * depth, 3));
            let bias = numbers(channels, 11);
            let packed = Rows::new(&w, depth);
            let mut results = Vec::new();
            for count in [1, 2, 3, 5] {
                threads::set_count(count);
                for weights in [Weights::Plain(&w), Weights::Packed(&packed)] {
                    let mut out = vec![7.0; channels * pixels];
                    Job {
                        image: &x,
                        pixels,
                        weights,
                        depth,
                        channels,
                        bias: Some(&bias),
                        after: After::NOTHING,
                    }
                    .run(&mut out);
                    results.push(out);
                }
            }
            assert!(results.iter().all(|r| *r == results[0]));
            for (i, got) in results[0].iter().enumerate() {
                let (k, p) = (i / pixels, i % pixels);
                let terms = (0..depth).map(|c| f64::from(w[k * depth + c] * x[c * pixels + p]));
                let want = f64::from(bias[k]) + terms.sum::<f64>();
                assert!((f64::from(*got) - want).abs() <= 1e-4 * want.abs().max(1.0));
            }
        }
        threads::set_count(before);
    }
}
