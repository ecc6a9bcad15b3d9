//! Direct convolution in f32, without a column matrix.
//!
//! A tile is a run of output pixels in one row by two vectors of output channels. For every tap and input channel the
//! tile loads two vectors of weights, packed so that they are neighbours, and multiplies them with one number of the
//! zero-padded image per pixel. The same numbers are added in the same order as in [`super::panel`]: which of the two runs
//! makes no difference to the result.

use super::after::After;
use super::geometry::Geometry;
use super::within::Within;
use crate::linalg::packed::{CHANNELS, Packed, block};
#[cfg(target_arch = "aarch64")]
use crate::vector::Neon;
use crate::vector::{Vector, transpose};
use rushlight_tensor::lanes::{Isa, isa};
use rushlight_tensor::threads::{self, Strip};
use rushlight_tensor::{Buffer, memory, watch};
use std::ops::Range;

/// Most pixels of a tile on the largest vectors.
const TILE: usize = 14;

/// Pixels of a channel that are finished together, about.
const AT_ONCE: usize = 1024;

/// Products of a result that are summed at a time: their weights for a block of channels, 16 KB or, of AVX-512, 32, stay in the
/// first-level cache for all tiles of some lines.
const PIECE: usize = 256;

/// Most tiles whose sums wait for the next of these.
const WAITING: usize = 64;

/// Most tiles that ask for the weights of the next channels.
const SHARES: usize = 8;

/// Where there are fewer blocks of channels than so many for each thread, threads share lines instead.
const BLOCKS_EACH: usize = 4;

/// One image and one group of channels.
pub struct Job<'a> {
    pub geometry: &'a Geometry,
    /// The padded image and its spatial sizes.
    pub image: &'a [f32],
    pub padded: [usize; 3],
    pub output: [usize; 3],
    /// Which pixel of each channel's is the first, and how many there are in all.
    pub first: usize,
    pub plane: usize,
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
pub fn padded(g: &Geometry, image: &[f32], into: &mut Buffer<f32>) -> [usize; 3] {
    let size = |d: usize| g.input[d] + g.before[d] + g.after[d];
    let sizes = [size(0), size(1), size(2)];
    let [depth, height, wide] = g.input;
    assert_eq!(image.len(), g.group_in() * depth * height * wide);
    let count = g.group_in() * sizes.iter().product::<usize>();
    if into.len() != count {
        *into = Buffer::unspecified(count);
    }
    let (plane, line) = (sizes[1] * sizes[2], sizes[2]);
    threads::split_rows(into, plane, 1, plane, &|planes, into| {
        for (number, into) in planes.zip(into.chunks_exact_mut(plane.max(1))) {
            into.fill(0.0);
            let z = (number % sizes[0]).wrapping_sub(g.before[0]);
            if z >= depth {
                continue;
            }
            let from = (number / sizes[0] * depth + z) * height * wide;
            let rows = image[from..][..height * wide].chunks_exact(wide.max(1));
            let lines = into.chunks_exact_mut(line.max(1)).skip(g.before[1]);
            for (line, row) in lines.zip(rows) {
                line[g.before[2]..][..wide].copy_from_slice(row);
            }
        }
    });
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
        let cost = |count: usize| count.saturating_mul(self.weights.depth()) / 8;
        let (channels, width) = (self.weights.channels(), self.output[2]);
        let lines = self.output[0] * self.output[1];
        let few = channels.div_ceil(block()) < BLOCKS_EACH * threads::count();
        if few && lines == 1 {
            let out = Strip::of(result, channels, pixels, pixels);
            // The weights pass by once for each part, so there are no more than there are threads.
            let each = (pixels / threads::count()).max(TILE / 2);
            threads::split_lent(pixels, each, cost(channels), out, &|own, out| {
                let some = Job {
                    image: &self.image[own.start * self.geometry.stride[2]..],
                    output: [1, 1, own.len()],
                    first: own.start,
                    ..*self
                };
                some.part(0..1, 0..channels, out);
            });
        } else if few {
            let out = Strip::of(result, channels, pixels, pixels);
            threads::split_lent(pixels, width, cost(channels), out, &|pixels, out| {
                self.part(pixels.start / width..pixels.end / width, 0..channels, out);
            });
        } else {
            threads::split_rows(result, pixels, block(), cost(pixels), &|channels, out| {
                let out = Strip::of(out, channels.len(), pixels, pixels);
                self.part(0..lines, channels, out);
            });
        }
    }

    /// The results of some lines of some channels, of which the first begins a block. The job is checked.
    fn part(&self, lines: Range<usize>, channels: Range<usize>, out: Strip<'_, f32>) {
        #[cfg(target_arch = "x86_64")]
        match isa() {
            // SAFETY: the processor has AVX-512, and `check` has found every access inside its slice.
            Isa::Avx512 => unsafe { avx512(self, lines, channels, out) },
            // SAFETY: as above, with AVX2 and FMA.
            Isa::Avx2 => unsafe { avx2(self, lines, channels, out) },
            Isa::Baseline => unreachable!("`suits` asks for vectors"),
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: every processor of this kind has these vectors, and `check` has found every access inside its slice.
        unsafe {
            rows::<Neon>(self, lines, channels, out, 6)
        };
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
unsafe fn avx512(job: &Job<'_>, lines: Range<usize>, channels: Range<usize>, out: Strip<'_, f32>) {
    // SAFETY: passed on.
    unsafe { rows::<std::arch::x86_64::__m512>(job, lines, channels, out, 14) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(job: &Job<'_>, lines: Range<usize>, channels: Range<usize>, out: Strip<'_, f32>) {
    // SAFETY: passed on.
    unsafe { rows::<std::arch::x86_64::__m256>(job, lines, channels, out, 6) }
}

/// Runs over blocks of channels, then lines, then tiles of a line. Where the weights of a block are many, some lines meet a piece
/// of them, which stays near, before the next; sums wait. The first of the channels begins a block; `out` has the results of
/// these lines and channels alone.
///
/// # Safety
/// The job is checked and the processor has the vectors' instructions.
#[inline(always)]
unsafe fn rows<V: Vector>(
    job: &Job<'_>,
    lines: Range<usize>,
    channels: Range<usize>,
    mut out: Strip<'_, f32>,
    most: usize,
) {
    let (g, w) = (job.geometry, job.weights);
    let width = job.output[2];
    assert!(lines.end <= job.output[0] * job.output[1] && channels.end <= w.channels());
    assert!(out.rows() == channels.len() && out.columns() == lines.len() * width);
    // Tiles of a row are as equal as can be.
    let tiles = width.div_ceil(most).max(1);
    let depth = job.offsets.len();
    let pieces = depth.div_ceil(PIECE).max(1);
    let band = match pieces {
        1 => lines.len().max(1),
        _ => (WAITING / tiles).clamp(1, lines.len().max(1)),
    };
    // Sums of one piece are whole: none waits for another.
    let waiting = if pieces > 1 { band * tiles } else { 1 };
    let each = most * 2 * V::WIDTH;
    let mut sums = Buffer::unspecified(waiting * each);
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
        for (row, piece) in (0..lines.len())
            .step_by(band)
            .flat_map(|row| (0..pieces).map(move |piece| (row, piece)))
        {
            let rows = row..(row + band).min(lines.len());
            let taken = piece * depth / pieces..(piece + 1) * depth / pieces;
            let is_last = taken.end == depth;
            let own = &packed[taken.start * block()..taken.end * block()];
            // What follows in memory is what comes next, but after the last piece where more lines follow.
            let is_next = !is_last || rows.end == lines.len() && first + block() < channels.end;
            let share = block() / (tiles * rows.len()).clamp(1, SHARES);
            let places = rows
                .clone()
                .flat_map(|row| (0..tiles).map(move |t| (row, t)));
            for (number, (row, t)) in places.enumerate() {
                if t == 0 {
                    watch::poll();
                }
                let line = lines.start + row;
                let (z, y) = (line / job.output[1], line % job.output[1]);
                let start = (z * g.stride[0] * job.padded[1] + y * g.stride[1]) * job.padded[2];
                let (x0, x1) = (t * width / tiles, (t + 1) * width / tiles);
                // Each tile asks for its share of what comes next, the first few for all.
                let asks = is_next && number < SHARES;
                let next = Next {
                    at: match asks {
                        true => own
                            .as_ptr_range()
                            .end
                            .wrapping_add(number * share * taken.len()),
                        false => own.as_ptr(),
                    },
                    step: if asks { share } else { 0 },
                };
                let factors = Factors {
                    at: job.image.as_ptr().wrapping_add(start + x0 * g.stride[2]),
                    offsets: &job.offsets[taken.clone()],
                    packed: own,
                    goes_on: piece > 0,
                    next,
                };
                // SAFETY: passed on; the tile's pixels are among those that `check` has looked at.
                unsafe {
                    // A tile's pixels are columns of `out`, and so many channels rows of it.
                    let (tile, sums) = (x1 - x0, &mut sums[number % waiting * each..][..each]);
                    match (g.stride[2], count <= V::WIDTH) {
                        (1, false) => sized::<V, 1, 2>(tile, &factors, sums),
                        (1, true) => sized::<V, 1, 1>(tile, &factors, sums),
                        (_, false) => sized::<V, 2, 2>(tile, &factors, sums),
                        (_, true) => sized::<V, 2, 1>(tile, &factors, sums),
                    }
                    if is_last {
                        let column = row * width + x0;
                        let to = out.place(first - channels.start, column);
                        // What comes after the tile is made later: whole vectors may be written where they end in `out`.
                        let room = (out.columns() - column).min(V::WIDTH);
                        let lanes = if room == V::WIDTH { room } else { tile };
                        turn::<V>(sums, tile, &bias, within, to, [out.stride(), count, lanes]);
                    }
                }
                if t + 1 < tiles || !is_last || !job.after.is_left() {
                    continue;
                }
                let done = row + 1;
                if !(done.is_multiple_of(together) || done == lines.len()) {
                    continue;
                }
                let begun = row / together * together;
                let own = first - channels.start..first + count - channels.start;
                if let (0, true, Some(results)) = (begun, done == lines.len(), out.run(own)) {
                    // SAFETY: passed on.
                    unsafe { job.after.finish_in::<V>(first * job.plane, results) };
                    continue;
                }
                for channel in first..first + count {
                    let at = channel * job.plane + job.first + (lines.start + begun) * width;
                    let results = out.row(channel - channels.start);
                    let results = &mut results[begun * width..done * width];
                    // SAFETY: passed on.
                    unsafe { job.after.finish_in::<V>(at, results) };
                }
            }
        }
    }
}

/// What a tile is multiplied with.
struct Factors<'a> {
    /// Its first pixel.
    at: *const f32,
    offsets: &'a [u32],
    packed: &'a [f32],
    /// Whether sums begin with those that wait.
    goes_on: bool,
    next: Next,
}

/// Weights that will be needed soon: where they begin, and how many numbers to go on for every tap. They need not exist.
#[derive(Clone, Copy)]
struct Next {
    at: *const f32,
    step: usize,
}

/// Writes a tile's results, pixel by channel, and the bias where they belong: channel by pixel, `stride` numbers from channel to
/// channel. They are brought within a range. As many `lanes` are written as the tile has pixels, or whole vectors.
///
/// # Safety
/// The processor has the vectors' instructions; at `out` and at every following channel's place, so many numbers may be written.
#[inline(always)]
unsafe fn turn<V: Vector>(
    tile: &[f32],
    pixels: usize,
    bias: &[f32; CHANNELS],
    within: Within,
    out: *mut f32,
    [stride, channels, lanes]: [usize; 3],
) {
    assert!(pixels <= V::WIDTH.min(TILE) && channels <= CHANNELS);
    assert!(lanes == pixels || lanes == V::WIDTH);
    assert!(tile.len() >= pixels * 2 * V::WIDTH);
    // SAFETY: a tile holds two vectors for each of its pixels; the caller vouches for what is written.
    unsafe {
        let chosen = V::mask(((1u64 << lanes) - 1) as u32);
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
                let to = out.add((first + c) * stride);
                match lanes == V::WIDTH {
                    true => sum.store(to),
                    false => sum.store_first(to, chosen),
                }
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
    factors: &Factors<'_>,
    out: &mut [f32],
) {
    macro_rules! sizes {
        ($($n:literal)*) => {
            match pixels {
                // SAFETY: passed on.
                $($n => unsafe { tile::<V, $n, S, H>(factors, out) },)*
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
    factors: &Factors<'_>,
    out: &mut [f32],
) {
    let Factors {
        at,
        offsets,
        packed,
        next,
        ..
    } = *factors;
    assert!(packed.len() >= offsets.len() * 2 * V::WIDTH && out.len() >= T * 2 * V::WIDTH);
    // SAFETY: the asserted length covers the weights, the caller vouches for the image, and `T` pixels of two vectors
    // fit `out`.
    unsafe {
        let mut acc = [[V::splat(0.0); H]; T];
        if factors.goes_on {
            for (t, acc) in acc.iter_mut().enumerate() {
                for (h, acc) in acc.iter_mut().enumerate() {
                    *acc = V::load(out.as_ptr().add((2 * t + h) * V::WIDTH));
                }
            }
        }
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

#[cfg(test)]
mod tests {
    use super::padded;
    use crate::nn::conv::after::After;
    use crate::nn::conv::forward::{compute, compute_and};
    use crate::nn::conv::geometry::Geometry;
    use crate::nn::conv::within::Within;
    use rushlight_tensor::{Buffer, Tensor, threads};

    fn numbers(count: usize, sizes: &[usize]) -> Tensor {
        let numbers = (0..count).map(|i| (i * 37 % 127) as f32 / 64.0 - 1.0);
        Tensor::from_vec(numbers.collect::<Vec<f32>>(), sizes).unwrap()
    }

    /// Input channels, output channels, kernel, stride, padding, dilation, height, width: lines are shared, or channels.
    const SHAPES: &[[usize; 8]] = &[
        [3, 32, 3, 2, 1, 1, 65, 80],
        [3, 24, 7, 2, 3, 1, 60, 61],
        [5, 19, 3, 1, 0, 2, 47, 33],
        [4, 200, 3, 2, 1, 1, 50, 9],
        [3, 8, 5, 1, 2, 3, 71, 70],
        [6, 40, 2, 2, 0, 1, 3, 600],
        [6, 17, 3, 2, 1, 1, 111, 120],
    ];

    #[test]
    fn any_number_of_threads_gives_the_same_bits_and_about_the_sums() {
        let before = threads::count();
        for &[
            inputs,
            outputs,
            kernel,
            stride,
            around,
            dilation,
            height,
            width,
        ] in SHAPES
        {
            let geometry = Geometry {
                dims: 2,
                batch: 2,
                groups: 1,
                in_channels: inputs,
                out_channels: outputs,
                input: [1, height, width],
                kernel: [1, kernel, kernel],
                stride: [1, stride, stride],
                before: [0, around, around],
                after: [0, around, around],
                dilation: [1, dilation, dilation],
                output_padding: [0; 3],
                transposed: false,
            };
            let x = numbers(2 * inputs * height * width, &[2, inputs, height, width]);
            let shape = [outputs, inputs, kernel, kernel];
            let w = numbers(shape.iter().product(), &shape);
            let bias = numbers(outputs, &[outputs]);
            let sizes = geometry.output_sizes().unwrap();
            let added = numbers(sizes.iter().product(), &sizes).to_vec::<f32>();
            let within = Within {
                low: 0.0,
                high: 6.0,
            };
            let after = After {
                added: Some(&added),
                within,
                ..After::NOTHING
            };
            let mut results = Vec::new();
            for count in [1, 1, 2, 3, 5] {
                threads::set_count(count);
                let some = compute_and(&geometry, &x, &w, Some(&bias), &sizes, after);
                results.push(some.unwrap().to_vec::<f32>());
            }
            assert!(results.iter().all(|r| *r == results[0]));
            let to_f64 = |t: &Tensor, sizes: &[usize]| {
                let numbers = t.to_vec::<f32>().into_iter().map(f64::from);
                Tensor::from_vec(numbers.collect::<Vec<f64>>(), sizes).unwrap()
            };
            let exact = compute::<f64>(
                &geometry,
                &to_f64(&x, &[2, inputs, height, width]),
                &to_f64(&w, &shape),
                Some(&to_f64(&bias, &[outputs])),
                &sizes,
            );
            let exact = exact.unwrap().to_vec::<f64>();
            for ((got, sum), added) in results[0].iter().zip(exact).zip(&added) {
                let want = (sum + f64::from(*added)).clamp(0.0, 6.0);
                assert!((f64::from(*got) - want).abs() < 1e-4);
            }
        }
        threads::set_count(before);
    }

    #[test]
    fn copies_have_zeros_around_the_image_on_any_number_of_threads() {
        let geometry = Geometry {
            dims: 3,
            batch: 1,
            groups: 2,
            in_channels: 10,
            out_channels: 20,
            input: [3, 41, 50],
            kernel: [1; 3],
            stride: [1; 3],
            before: [1, 2, 3],
            after: [2, 0, 1],
            dilation: [1; 3],
            output_padding: [0; 3],
            transposed: false,
        };
        let image = numbers(5 * 3 * 41 * 50, &[5, 3, 41, 50]).to_vec::<f32>();
        let before = threads::count();
        for count in [1, 2, 3, 5] {
            threads::set_count(count);
            let mut copy = Buffer::filled(7, 1.0);
            assert_eq!(padded(&geometry, &image, &mut copy), [6, 43, 54]);
            assert_eq!(copy.len(), 5 * 6 * 43 * 54);
            for (i, got) in copy.iter().enumerate() {
                let (c, z, y, x) = (i / (6 * 43 * 54), i / (43 * 54) % 6, i / 54 % 43, i % 54);
                let inside = (1..4).contains(&z) && y >= 2 && (3..53).contains(&x);
                let want = match inside {
                    true => image[((c * 3 + z - 1) * 41 + y - 2) * 50 + x - 3],
                    false => 0.0,
                };
                assert_eq!(*got, want, "{c} {z} {y} {x}");
            }
        }
        threads::set_count(before);
    }
}
