//! Depthwise convolution in f32: every output channel is a sum of shifted copies of one input channel.
//!
//! Bands of a channel's rows are copied with the zeros around them, so that no vector has to leave anything out. Where
//! the stride is two, the columns with even numbers are put before those with odd ones. A vector of the result is then a
//! sum over taps of vectors that lie as far from its own beginning as those of any other: several vectors go together, so
//! that they share a tap's weight and their sums do not wait for each other. The last vector of a row ends where the row
//! does; rows shorter than a vector write into those after them, which are written later.

use super::after::After;
use super::band::{BAND, Band};
use super::geometry::Geometry;
use super::planes;
use super::within::AtHandIn;
#[cfg(target_arch = "aarch64")]
use crate::vector::Neon;
use crate::vector::Vector;
use rushlight_tensor::lanes::{Isa, isa};
use rushlight_tensor::memory;
use rushlight_tensor::{threads, watch};

/// Most vectors that go together.
const TOGETHER: usize = 8;

/// Rows of the result that share what they read, where the kernel has three rows and columns.
const ROWS: usize = 4;

/// Rows of the result that are no longer are made by short vectors.
const NARROW: usize = 8;

/// What a plane costs beside its sums, in elements of a simple loop.
const PLANE: usize = 128;

/// Whether this is a convolution of planes with one input channel per group that the kernel can run.
pub fn suits(g: &Geometry) -> bool {
    isa() != Isa::Baseline
        && g.group_in() == 1
        && g.group_out() <= 4
        && !g.is_pointwise()
        && g.input[0] == 1
        && g.kernel[0] == 1
        && g.before[0] == 0
        && g.after[0] == 0
        && g.stride[2] <= 2
        && g.input.iter().product::<usize>() < i32::MAX as usize
}

/// The convolution of all samples and channels.
pub fn run(
    g: &Geometry,
    output: [usize; 3],
    x: &[f32],
    w: &[f32],
    bias: Option<&[f32]>,
    after: After<'_>,
    out: &mut [f32],
) {
    let planes = out.len() / (output[1] * output[2]);
    assert_eq!(out.len(), planes * output[1] * output[2]);
    assert_eq!(x.len() * g.group_out(), planes * g.input[1] * g.input[2]);
    assert_eq!(w.len(), g.out_channels * g.taps());
    assert!(bias.is_none_or(|b| b.len() == g.out_channels));
    let job = Job {
        g,
        output,
        x,
        w,
        bias,
        after,
    };
    let pixels = output[1] * output[2];
    let cost = pixels * g.taps() / 4 + PLANE;
    let halved = output[2] > NARROW && planes::are_halved(g, output[2]);
    threads::split_rows(out, pixels, 1, cost, &|planes, out| {
        #[cfg(target_arch = "x86_64")]
        match isa() {
            // SAFETY: the processor has AVX2 and FMA, and the operands have the lengths that the geometry says.
            Isa::Avx2 if halved => unsafe { avx2_halved(&job, planes.start, out) },
            // SAFETY: the processor has AVX-512, and the operands have the lengths that the geometry says.
            Isa::Avx512 if output[2] > NARROW => unsafe { avx512(&job, planes.start, out) },
            // SAFETY: as above, with AVX2 and FMA.
            Isa::Avx512 | Isa::Avx2 => unsafe { avx2(&job, planes.start, out) },
            Isa::Baseline => unreachable!("`suits` asks for vectors"),
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: every processor of this kind has these vectors, and the operands have the lengths that the geometry says.
        unsafe {
            match halved {
                true => neon_halved(&job, planes.start, out),
                false => neon(&job, planes.start, out),
            }
        };
    });
}

/// A convolution with its operands.
pub(super) struct Job<'a> {
    pub g: &'a Geometry,
    pub output: [usize; 3],
    pub x: &'a [f32],
    pub w: &'a [f32],
    pub bias: Option<&'a [f32]>,
    pub after: After<'a>,
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
unsafe fn avx512(job: &Job<'_>, first: usize, out: &mut [f32]) {
    // SAFETY: passed on.
    unsafe { any::<std::arch::x86_64::__m512>(job, first, out) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(job: &Job<'_>, first: usize, out: &mut [f32]) {
    // SAFETY: passed on.
    unsafe { any::<std::arch::x86_64::__m256>(job, first, out) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2_halved(job: &Job<'_>, first: usize, out: &mut [f32]) {
    // SAFETY: passed on.
    unsafe { planes::halved::<std::arch::x86_64::__m256>(job, first, out) }
}

#[cfg(target_arch = "aarch64")]
unsafe fn neon_halved(job: &Job<'_>, first: usize, out: &mut [f32]) {
    // SAFETY: passed on.
    unsafe { planes::halved::<Neon>(job, first, out) }
}

#[cfg(target_arch = "aarch64")]
unsafe fn neon(job: &Job<'_>, first: usize, out: &mut [f32]) {
    // SAFETY: passed on.
    unsafe { any::<Neon>(job, first, out) }
}

/// Straight from the image where that can be, else by copies of bands.
///
/// # Safety
/// The processor has the vectors' instructions, and the operands have the lengths that the geometry says.
#[inline(always)]
unsafe fn any<V: Vector>(job: &Job<'_>, first: usize, out: &mut [f32]) {
    // SAFETY: passed on.
    unsafe {
        match planes::suits(job.g) && job.output[2] > NARROW {
            true => planes::planes::<V>(job, first, out),
            false => by_bands::<V>(job, first, out),
        }
    }
}

/// A vector of the result: where its first tap's numbers lie in the band, and its own in the rows of the result.
#[derive(Clone, Copy)]
struct Spot {
    from: usize,
    to: usize,
}

/// The vectors of some rows of the result. Each row's last ends with the row, unless the row is shorter.
fn spots(g: &Geometry, rows: usize, width: usize, band: &Band, lanes: usize) -> Vec<Spot> {
    let each = width.div_ceil(lanes);
    let mut spots = memory::with_capacity(rows * each);
    for y in 0..rows {
        for number in 0..each {
            let x = (number * lanes).min(width.saturating_sub(lanes));
            spots.push(Spot {
                from: y * g.stride[1] * band.line + x,
                to: y * width + x,
            });
        }
    }
    spots
}

/// The planes of the result from a number on.
///
/// # Safety
/// The processor has the vectors' instructions, and the operands have the lengths that the geometry says.
#[inline(always)]
unsafe fn by_bands<V: Vector>(job: &Job<'_>, number: usize, out: &mut [f32]) {
    let (g, [_, height, width]) = (job.g, job.output);
    let in_plane = g.input[1] * g.input[2];
    // As many rows as fit, but not so few that most of what is copied is copied more than once.
    let line = g.before[2] + g.input[2] + g.after[2];
    let reach = (g.kernel[1] - 1) * g.dilation[1] + 1;
    let rows = (BAND / line).saturating_sub(reach).max(reach) / g.stride[1];
    let bands = height.div_ceil(rows.max(TOGETHER));
    let rows = height.div_ceil(bands);
    // Small planes go together.
    let mut band = Band::new(g, rows, V::WIDTH, |size| (BAND / size).max(1));
    let spots = spots(g, rows, width, &band, V::WIDTH);
    let (at_hand, left) = job.after.split();
    let three = g.kernel[1..] == [3; 2] && g.dilation[1] == 1;
    // The last tap of the farthest vector lies in the band.
    let far = spots.iter().map(|spot| spot.from).max().unwrap_or(0);
    let last = band.offsets.iter().max().copied().unwrap_or(0);
    assert!(far + last + V::WIDTH <= band.at(band.images - 1).len());
    let each = width.div_ceil(V::WIDTH);
    // SAFETY: passed on.
    let at_hand = unsafe { at_hand.in_vectors::<V>() };
    let pixels = height * width;
    let mut filled = None;
    // Copies are made of several small planes before they are read: what was just written in other vectors is slow to read.
    for (chunk, results) in out.chunks_mut(pixels * band.images).enumerate() {
        let number = number + chunk * band.images;
        for y in (0..height).step_by(rows) {
            watch::poll();
            let row = (y * g.stride[1]) as isize - g.before[1] as isize;
            let same = filled.replace(row) == Some(row);
            for k in 0..results.len() / pixels {
                let image = &job.x[(number + k) / g.group_out() * in_plane..][..in_plane];
                // SAFETY: passed on.
                unsafe {
                    match g.stride[2] {
                        1 => band.fill::<V, 1>(k, g, image, row, same),
                        _ => band.fill::<V, 2>(k, g, image, row, same),
                    }
                }
            }
            let count = rows.min(height - y);
            for k in 0..results.len() / pixels {
                let filter = (number + k) % g.out_channels;
                // Where a band has all rows, planes that are not yet made may be written into.
                let begin = k * pixels + y * width;
                let end = match count == height {
                    true => results.len(),
                    false => begin + count * width,
                };
                let result = &mut results[begin..end];
                let sums = Sums {
                    numbers: band.at(k),
                    line: band.line,
                    offsets: &band.offsets,
                    spots: &spots[..count * each],
                    taps: &job.w[filter * g.taps()..(filter + 1) * g.taps()],
                    // SAFETY: passed on.
                    first: unsafe { V::splat(job.bias.map_or(0.0, |b| b[filter])) },
                    at_hand,
                    width,
                };
                // SAFETY: passed on; the vectors lie in the band, as asserted.
                unsafe {
                    match (three, g.stride[1]) {
                        (true, 1) => sums.threes::<1>(result),
                        (true, 2) => sums.threes::<2>(result),
                        _ => sums.run(result),
                    }
                }
            }
            // What was just made is finished while it is near; where a band has all rows, in one run.
            let (run, made) = match count == height {
                true => (results.len(), results.len()),
                false => (pixels, count * width),
            };
            for (k, result) in results.chunks_exact_mut(run).enumerate() {
                let result = &mut result[y * width..][..made];
                // SAFETY: passed on.
                unsafe { left.finish_in::<V>((number + k) * pixels + y * width, result) };
            }
        }
    }
}

/// Some rows of one channel of the result.
struct Sums<'a, V> {
    /// The copies of the image's rows, and how many numbers lie from one to the next.
    numbers: &'a [f32],
    line: usize,
    /// Where each tap lies from the first.
    offsets: &'a [usize],
    spots: &'a [Spot],
    taps: &'a [f32],
    /// What each sum starts with, and what is done to it in the end.
    first: V,
    at_hand: AtHandIn<V>,
    /// Columns of the result.
    width: usize,
}

impl<V: Vector> Sums<'_, V> {
    /// Vectors in their order, whatever the kernel is.
    ///
    /// # Safety
    /// The processor has the vectors' instructions, and every tap of every vector lies in the numbers.
    #[inline(always)]
    unsafe fn run(&self, result: &mut [f32]) {
        assert!(self.taps.len() == self.offsets.len());
        for spots in self.spots.chunks(TOGETHER) {
            macro_rules! sizes {
                ($($n:literal)*) => {
                    match spots.len() {
                        // SAFETY: passed on.
                        $($n => unsafe {
                            let spots: &[Spot; $n] = spots.try_into().expect("as many");
                            let from = spots.map(|spot| self.numbers.as_ptr().add(spot.from));
                            let mut sums = [self.first; $n];
                            for (weight, offset) in self.taps.iter().zip(self.offsets) {
                                let weight = V::splat(*weight);
                                for (sum, from) in sums.iter_mut().zip(from) {
                                    *sum = V::load(from.add(*offset)).fma(weight, *sum);
                                }
                            }
                            self.put(&sums, |k| spots[k].to, result);
                        },)*
                        _ => unreachable!("chunks have at most {TOGETHER} vectors"),
                    }
                };
            }
            sizes!(1 2 3 4 5 6 7 8);
        }
    }

    /// As [`Sums::run`], for kernels of three rows and columns whose rows are neighbours, with `S` rows of the image from row
    /// to row of the result: weights stay in registers, and what several rows of the result meet is read once.
    ///
    /// # Safety
    /// As for [`Sums::run`].
    #[inline(always)]
    unsafe fn threes<const S: usize>(&self, result: &mut [f32]) {
        let (width, stride) = (self.width, self.line);
        let each = width.div_ceil(V::WIDTH);
        let rows = self.spots.len() / each;
        let columns: [usize; 3] = self.offsets[..3].try_into().expect("three columns");
        let taps: &[f32; 9] = self.taps.try_into().expect("nine taps");
        let mut weights = [self.first; 9];
        for (weight, tap) in weights.iter_mut().zip(taps) {
            // SAFETY: passed on.
            *weight = unsafe { V::splat(*tap) };
        }
        let mut done = 0;
        while done < rows {
            // Where rows are left over, some are made twice.
            let (y, count) = match rows {
                0..ROWS => (done, 1),
                _ => (done.min(rows - ROWS), ROWS),
            };
            for spot in &self.spots[y * each..][..each] {
                macro_rules! sums {
                    ($rows:expr, $($l:literal)*) => {{
                        let mut sums = [self.first; $rows];
                        let from = self.numbers.as_ptr().add(spot.from);
                        $(if $l < ($rows - 1) * S + 3 {
                            let line = from.add($l * stride);
                            for kx in 0..3 {
                                let numbers = V::load(line.add(columns[kx]));
                                for (r, sum) in sums.iter_mut().enumerate() {
                                    let ky = usize::wrapping_sub($l, r * S);
                                    if ky < 3 {
                                        *sum = numbers.fma(weights[ky * 3 + kx], *sum);
                                    }
                                }
                            }
                        })*
                        self.put(&sums, |r| spot.to + r * width, result);
                    }};
                }
                // SAFETY: passed on.
                unsafe {
                    if count == ROWS {
                        sums!(ROWS, 0 1 2 3 4 5 6 7 8);
                    } else {
                        sums!(1, 0 1 2);
                    }
                }
            }
            done = y + count;
        }
    }

    /// Writes vectors of rows to their places, as far as there is room.
    ///
    /// # Safety
    /// The processor has the vectors' instructions, and the last place is the farthest.
    #[inline(always)]
    unsafe fn put<const N: usize>(
        &self,
        sums: &[V; N],
        place: impl Fn(usize) -> usize,
        result: &mut [f32],
    ) {
        // SAFETY: passed on; as many lanes are written as there are places.
        unsafe {
            if place(N - 1) + V::WIDTH <= result.len() {
                for (k, sum) in sums.iter().enumerate() {
                    let sum = self.at_hand.of(*sum);
                    sum.store(result.as_mut_ptr().add(place(k)));
                }
                return;
            }
            for (k, sum) in sums.iter().enumerate() {
                let to = &mut result[place(k)..];
                let lanes = self.width.min(to.len()).min(V::WIDTH);
                let mask = V::mask(((1u64 << lanes) - 1) as u32);
                let sum = self.at_hand.of(*sum);
                sum.store_first(to.as_mut_ptr(), mask);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::nn::conv::after::After;
    use crate::nn::conv::forward::{compute, compute_and};
    use crate::nn::conv::geometry::Geometry;
    use crate::nn::conv::within::Within;
    use rushlight_tensor::{Tensor, threads};

    fn numbers(count: usize, sizes: &[usize]) -> Tensor {
        let numbers = (0..count).map(|i| (i * 37 % 127) as f32 / 64.0 - 1.0);
        Tensor::from_vec(numbers.collect::<Vec<f32>>(), sizes).unwrap()
    }

    /// Channels, results of each, then downwards and across: kernel, stride, zeros before and after, dilation, size.
    type Shape = (usize, usize, [[usize; 6]; 2]);

    const SHAPES: &[Shape] = &[
        // Small planes, of which several go together.
        (70, 1, [[3, 1, 1, 1, 1, 7], [3, 1, 1, 1, 1, 7]]),
        (64, 1, [[3, 1, 1, 1, 1, 14], [3, 1, 1, 1, 1, 14]]),
        (33, 1, [[3, 2, 1, 1, 1, 14], [3, 2, 1, 1, 1, 14]]),
        (40, 2, [[5, 1, 2, 2, 1, 14], [5, 1, 2, 2, 1, 14]]),
        (31, 3, [[5, 2, 2, 2, 1, 15], [5, 2, 2, 2, 1, 13]]),
        (3, 1, [[5, 2, 2, 2, 1, 37], [5, 2, 2, 1, 1, 90]]),
        (20, 1, [[5, 2, 2, 2, 1, 14], [5, 2, 2, 2, 1, 14]]),
        // Rows shorter than a vector, and fewer than go together.
        (97, 1, [[3, 1, 1, 1, 1, 1], [3, 1, 1, 1, 1, 1]]),
        (50, 1, [[3, 1, 0, 0, 1, 5], [3, 1, 1, 0, 1, 3]]),
        (29, 4, [[2, 1, 0, 1, 1, 9], [2, 2, 0, 0, 1, 6]]),
        // Steps and zeros that differ both ways, taps that lie apart, zeros alone.
        (9, 1, [[3, 2, 1, 0, 1, 23], [3, 1, 2, 1, 1, 31]]),
        (8, 1, [[3, 1, 1, 1, 1, 22], [3, 2, 0, 1, 2, 37]]),
        (7, 1, [[3, 3, 2, 2, 2, 25], [4, 2, 3, 1, 3, 40]]),
        (5, 2, [[3, 1, 4, 5, 1, 6], [3, 2, 3, 4, 1, 9]]),
        (6, 1, [[1, 1, 0, 0, 1, 20], [7, 1, 3, 3, 1, 19]]),
        // Several bands.
        (3, 1, [[3, 1, 1, 1, 1, 120], [3, 1, 1, 1, 1, 111]]),
        (3, 1, [[3, 2, 1, 1, 1, 131], [3, 2, 1, 1, 1, 97]]),
        (2, 2, [[5, 1, 6, 6, 3, 61], [5, 1, 6, 6, 3, 260]]),
        (2, 1, [[3, 2, 0, 1, 1, 90], [3, 2, 0, 1, 1, 515]]),
    ];

    #[test]
    fn any_number_of_threads_gives_the_same_bits_and_about_the_sums() {
        let before = threads::count();
        for &(channels, each, ways) in SHAPES {
            let of = |i: usize, alone: usize| [alone, ways[0][i], ways[1][i]];
            let geometry = Geometry {
                dims: 2,
                batch: 2,
                groups: channels,
                in_channels: channels,
                out_channels: channels * each,
                input: of(5, 1),
                kernel: of(0, 1),
                stride: of(1, 1),
                before: of(2, 0),
                after: of(3, 0),
                dilation: of(4, 1),
                output_padding: [0; 3],
                transposed: false,
            };
            let shape = [2, channels, ways[0][5], ways[1][5]];
            let x = numbers(shape.iter().product(), &shape);
            let weights = [channels * each, 1, ways[0][0], ways[1][0]];
            let w = numbers(weights.iter().product(), &weights);
            let bias = numbers(channels * each, &[channels * each]);
            let sizes = geometry.output_sizes().unwrap();
            let added = numbers(sizes.iter().product(), &sizes).to_vec::<f32>();
            let to_f64 = |t: &Tensor, sizes: &[usize]| {
                let numbers = t.to_vec::<f32>().into_iter().map(f64::from);
                Tensor::from_vec(numbers.collect::<Vec<f64>>(), sizes).unwrap()
            };
            let exact = compute::<f64>(
                &geometry,
                &to_f64(&x, &shape),
                &to_f64(&w, &weights),
                Some(&to_f64(&bias, &[channels * each])),
                &sizes,
            );
            let exact = exact.unwrap().to_vec::<f64>();
            for added in [None, Some(&added[..])] {
                let after = After {
                    added,
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
                    let added = added.map_or(0.0, |added| f64::from(added[i]));
                    let want = (sum + added).clamp(-0.5, 2.0);
                    assert!((f64::from(*got) - want).abs() < 1e-5, "{ways:?} at {i}");
                }
            }
        }
        threads::set_count(before);
    }
}
