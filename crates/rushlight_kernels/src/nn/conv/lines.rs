//! Convolution in f32 with few input channels, as the first layers of networks for pictures have: by lines of the image.
//!
//! Bands of the image's rows are copied with the zeros around them, all input channels side by side (see [`super::band`]). A
//! tile is a few output channels by up to three vectors of neighbouring pixels of a row: for every input channel and tap it
//! multiplies vectors of the copies with numbers of packed weights, so that results come to lie as they are written. The last
//! tile of a row ends where the row does. The sums begin with the bias and run over input channels and taps in their order.

use super::after::After;
use super::band::Band;
use super::geometry::Geometry;
use super::pointwise::Rows;
use super::within::AtHand;
#[cfg(target_arch = "aarch64")]
use crate::vector::Neon;
use crate::vector::Vector;
use rushlight_tensor::lanes::{Isa, isa};
use rushlight_tensor::threads::{self, Strip};
use rushlight_tensor::{memory, watch};
use std::ops::Range;

/// Vectors of a tile.
const VECTORS: usize = 3;
/// Most input channels.
const CHANNELS: usize = 8;
/// Most numbers of a vector.
const LANES: usize = 16;
/// Numbers of the copies of all channels, about: most of a first-level cache.
const COPIES: usize = 6144;
/// How many numbers of weights are asked for ahead of their use.
const AHEAD: usize = 1024;
/// Fewer rows than so many do not go together.
const LEAST: usize = 4;

/// Whether the kernel can run and its vectors fill rows.
pub fn suits(g: &Geometry, output: [usize; 3]) -> bool {
    isa() != Isa::Baseline
        && g.group_in() <= CHANNELS
        && g.group_out() >= 8
        && (g.input[0], g.kernel[0], g.before[0], g.after[0]) == (1, 1, 0, 0)
        && g.stride[2] <= 2
        && output[2] >= LANES
}

/// One image and one group of channels.
pub struct Job<'a> {
    pub geometry: &'a Geometry,
    pub image: &'a [f32],
    pub output: [usize; 3],
    pub weights: &'a Rows,
    /// One number per output channel.
    pub bias: Option<&'a [f32]>,
    pub after: After<'a>,
}

impl Job<'_> {
    /// Writes the results of the group: channel by pixel.
    pub fn run(&self, result: &mut [f32]) {
        let g = self.geometry;
        let (channels, depth) = (g.group_out(), g.group_in() * g.taps());
        let [_, height, width] = self.output;
        let pixels = height * width;
        assert_eq!(result.len(), memory::times([channels, pixels]));
        assert_eq!(
            self.image.len(),
            memory::times([g.group_in(), g.input[1], g.input[2]])
        );
        assert!(self.bias.is_none_or(|b| b.len() == channels));
        assert!(self.weights.depth() == depth && self.weights.rows() >= channels);
        // About as many multiplications as a simple loop over elements does in the same time.
        let cost = channels.saturating_mul(depth) / 8;
        let out = Strip::of(result, channels, pixels, pixels);
        threads::split_lent(pixels, width, cost, out, &|pixels, out| {
            self.part(pixels.start / width..pixels.end / width, out);
        });
    }

    /// The results of some rows of the image.
    fn part(&self, rows: Range<usize>, out: Strip<'_, f32>) {
        #[cfg(target_arch = "x86_64")]
        match isa() {
            // SAFETY: the processor has AVX-512.
            Isa::Avx512 => unsafe { avx512(self, rows, out) },
            // SAFETY: the processor has AVX2 and FMA.
            Isa::Avx2 => unsafe { avx2(self, rows, out) },
            Isa::Baseline => unreachable!("`suits` asks for vectors"),
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: every processor of this kind has these vectors.
        unsafe {
            bands::<Neon, 4>(self, rows, out)
        };
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
unsafe fn avx512(job: &Job<'_>, rows: Range<usize>, out: Strip<'_, f32>) {
    // SAFETY: passed on.
    unsafe { bands::<std::arch::x86_64::__m512, 8>(job, rows, out) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(job: &Job<'_>, rows: Range<usize>, out: Strip<'_, f32>) {
    // SAFETY: passed on.
    unsafe { bands::<std::arch::x86_64::__m256, 4>(job, rows, out) }
}

/// Runs over bands of rows, then groups of `R` output channels, then rows, then tiles.
///
/// # Safety
/// The processor has the vectors' instructions, and the job's operands have the lengths that its geometry says.
#[inline(always)]
unsafe fn bands<V: Vector, const R: usize>(
    job: &Job<'_>,
    rows: Range<usize>,
    mut out: Strip<'_, f32>,
) {
    let g = job.geometry;
    let [_, height, width] = job.output;
    let (channels, pixels) = (g.group_out(), height * width);
    assert!(out.rows() == channels && out.columns() == rows.len() * width);
    assert!(width >= V::WIDTH);
    let line = (g.before[2] + g.input[2] + g.after[2]) * g.group_in();
    let reach = (g.kernel[1] - 1) * g.dilation[1] + 1;
    let most = ((COPIES / line).saturating_sub(reach) / g.stride[1] + 1).max(LEAST);
    let count = rows.len().div_ceil(rows.len().div_ceil(most).max(1)).max(1);
    let mut band = Band::new(g, count, V::WIDTH, |_| g.group_in());
    let offsets = band.of_all_images();
    // The last tap of the farthest vector lies in the copies.
    let farthest = (count - 1) * g.stride[1] * band.line + width - V::WIDTH;
    let last = offsets.iter().max().copied().unwrap_or(0);
    assert!(farthest + last + V::WIDTH <= band.at(0).len());
    let plane = g.input[1] * g.input[2];
    let vectors = width.div_ceil(V::WIDTH);
    // Tiles hold whole vectors: the last of a row begins where it ends with the row.
    let tiles = vectors.div_ceil(VECTORS.min(width / V::WIDTH));
    let (at_hand, left) = job.after.split();
    for start in (0..rows.len()).step_by(count) {
        watch::poll();
        let count = count.min(rows.len() - start);
        let first = ((rows.start + start) * g.stride[1]) as isize - g.before[1] as isize;
        for (c, image) in job.image.chunks_exact(plane).enumerate() {
            // SAFETY: passed on.
            unsafe {
                match g.stride[2] {
                    1 => band.fill::<V, 1>(c, g, image, first, false),
                    _ => band.fill::<V, 2>(c, g, image, first, false),
                }
            }
        }
        let copies = band.at(0);
        for channel in (0..channels).step_by(R) {
            let mut bias = [0f32; R];
            if let Some(own) = job.bias {
                let own = &own[channel..(channel + R).min(channels)];
                bias[..own.len()].copy_from_slice(own);
            }
            let tile = Tile {
                offsets: &offsets,
                weights: job.weights.from(channel),
                bias: &bias,
                at_hand,
                rows: R.min(channels - channel),
                stride: out.stride(),
            };
            for row in 0..count {
                let from = &copies[row * g.stride[1] * band.line..];
                for t in 0..tiles {
                    let (near, far) = (t * vectors / tiles, (t + 1) * vectors / tiles);
                    let x = (near * V::WIDTH).min(width - (far - near) * V::WIDTH);
                    let from = from[x..].as_ptr();
                    let to = out.place(channel, (start + row) * width + x);
                    // SAFETY: passed on; every vector's taps lie in the copies, as asserted, and its results in the row.
                    unsafe {
                        match far - near {
                            1 => tile.multiply::<V, 1>(from, to),
                            2 => tile.multiply::<V, 2>(from, to),
                            _ => tile.multiply::<V, VECTORS>(from, to),
                        }
                    }
                }
            }
        }
        if left.is_left() {
            let done = start * width..(start + count) * width;
            for channel in 0..channels {
                let at = channel * pixels + rows.start * width + done.start;
                // SAFETY: passed on.
                unsafe { left.finish_in::<V>(at, &mut out.row(channel)[done.clone()]) };
            }
        }
    }
}

/// `R` output channels of some vectors of pixels.
struct Tile<'a, const R: usize> {
    /// Where every tap of every input channel lies from the first.
    offsets: &'a [usize],
    /// The rows of weights, side by side.
    weights: &'a [f32],
    /// What the sums start with, and what is done to them.
    bias: &'a [f32; R],
    at_hand: AtHand,
    /// Rows of the result, and numbers from one to the next.
    rows: usize,
    stride: usize,
}

impl<const R: usize> Tile<'_, R> {
    /// The results of `N` vectors side by side.
    ///
    /// # Safety
    /// The processor has the vectors' instructions; all taps of all vectors can be read, and the results written.
    #[inline(always)]
    unsafe fn multiply<V: Vector, const N: usize>(&self, from: *const f32, to: *mut f32) {
        assert!(Rows::TOGETHER * (self.offsets.len() - 1) + R <= self.weights.len());
        // SAFETY: the asserted length covers the weights; the caller vouches for the rest.
        unsafe {
            let mut sums = [[V::splat(0.0); N]; R];
            for (r, sums) in sums.iter_mut().enumerate() {
                for sum in sums.iter_mut() {
                    *sum = V::splat(self.bias[r]);
                }
            }
            let mut weights = self.weights.as_ptr();
            for offset in self.offsets {
                // Besides, what asks for memory keeps loads from being gathered before it: there are no registers for that.
                V::prefetch_far(weights.wrapping_add(AHEAD));
                let mut pixels = [V::splat(0.0); N];
                for (n, pixels) in pixels.iter_mut().enumerate() {
                    *pixels = V::load(from.add(*offset + n * V::WIDTH));
                }
                for (r, sums) in sums.iter_mut().enumerate() {
                    let weight = V::splat(*weights.add(r));
                    for n in 0..N {
                        sums[n] = weight.fma(pixels[n], sums[n]);
                    }
                }
                weights = weights.wrapping_add(Rows::TOGETHER);
            }
            let at_hand = self.at_hand.in_vectors::<V>();
            for (r, sums) in sums.iter().enumerate().take(self.rows) {
                for (n, sum) in sums.iter().enumerate() {
                    let to = to.wrapping_add(r * self.stride + n * V::WIDTH);
                    at_hand.of(*sum).store(to);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::suits;
    use crate::nn::conv::after::After;
    use crate::nn::conv::forward::{compute, compute_and};
    use crate::nn::conv::geometry::Geometry;
    use crate::nn::conv::within::Within;
    use rushlight_tensor::lanes::{Isa, isa};
    use rushlight_tensor::{Tensor, threads};

    fn numbers(count: usize) -> Vec<f64> {
        let numbers = (0..count).map(|i| (i * 37 % 127) as f64 / 64.0 - 1.0);
        numbers.collect()
    }

    fn narrow(numbers: &[f64], sizes: &[usize]) -> Tensor {
        let numbers = numbers.iter().map(|x| *x as f32);
        Tensor::from_vec(numbers.collect::<Vec<f32>>(), sizes).unwrap()
    }

    /// Groups, input and output channels of each, then downwards and across: kernel, stride, zeros before and after, dilation,
    /// size.
    type Shape = (usize, usize, usize, [[usize; 6]; 2]);

    const SHAPES: &[Shape] = &[
        (1, 3, 16, [[3, 2, 1, 1, 1, 32], [3, 2, 1, 1, 1, 32]]),
        (1, 3, 9, [[3, 1, 1, 1, 1, 7], [3, 1, 1, 1, 1, 16]]),
        (1, 1, 13, [[7, 2, 3, 3, 1, 40], [7, 2, 3, 3, 1, 51]]),
        (2, 4, 8, [[5, 1, 2, 2, 1, 9], [5, 1, 2, 2, 1, 23]]),
        (1, 8, 17, [[3, 3, 2, 0, 2, 19], [3, 1, 0, 3, 3, 49]]),
        (3, 2, 10, [[1, 2, 0, 0, 1, 12], [4, 2, 3, 1, 2, 45]]),
        (1, 3, 8, [[2, 1, 4, 5, 1, 3], [2, 2, 0, 0, 1, 225]]),
    ];

    #[test]
    fn any_number_of_threads_gives_the_same_bits_and_about_the_sums() {
        let before = threads::count();
        for &(groups, inputs, outputs, ways) in SHAPES {
            let of = |i: usize, alone: usize| [alone, ways[0][i], ways[1][i]];
            let geometry = Geometry {
                dims: 2,
                batch: 2,
                groups,
                in_channels: groups * inputs,
                out_channels: groups * outputs,
                input: of(5, 1),
                kernel: of(0, 1),
                stride: of(1, 1),
                before: of(2, 0),
                after: of(3, 0),
                dilation: of(4, 1),
                output_padding: [0; 3],
                transposed: false,
            };
            assert!(isa() == Isa::Baseline || suits(&geometry, geometry.output().unwrap()));
            let shape = [2, groups * inputs, ways[0][5], ways[1][5]];
            let filters = [groups * outputs, inputs, ways[0][0], ways[1][0]];
            let channels = [groups * outputs];
            let x = numbers(shape.iter().product());
            let w = numbers(filters.iter().product());
            let bias = numbers(groups * outputs);
            let sizes = geometry.output_sizes().unwrap();
            let added = numbers(sizes.iter().product());
            let exact = compute::<f64>(
                &geometry,
                &Tensor::from_vec(x.clone(), &shape).unwrap(),
                &Tensor::from_vec(w.clone(), &filters).unwrap(),
                Some(&Tensor::from_vec(bias.clone(), &channels).unwrap()),
                &sizes,
            );
            let exact = exact.unwrap().to_vec::<f64>();
            let x = narrow(&x, &shape);
            let w = narrow(&w, &filters);
            let bias = narrow(&bias, &channels);
            let more = narrow(&added, &sizes).to_vec::<f32>();
            for number in [None, Some(&more[..])] {
                let after = After {
                    added: number,
                    within: Within {
                        low: -0.5,
                        high: 2.0,
                    },
                    ..After::NOTHING
                };
                let mut results = Vec::new();
                for count in [1, 2, 3, 5] {
                    threads::set_count(count);
                    let some = compute_and(&geometry, &x, &w, Some(&bias), &sizes, after);
                    results.push(some.unwrap().to_vec::<f32>());
                }
                assert!(results.iter().all(|r| *r == results[0]), "{ways:?}");
                for (i, (got, sum)) in results[0].iter().zip(&exact).enumerate() {
                    let want = sum + number.map_or(0.0, |_| added[i]);
                    let want = want.clamp(-0.5, 2.0);
                    assert!((f64::from(*got) - want).abs() < 1e-4, "{ways:?} at {i}");
                }
            }
        }
        threads::set_count(before);
    }
}
