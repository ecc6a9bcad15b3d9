//! Quantized convolutions of each channel by itself.
//!
//! Four rows of the picture are turned so that the four numbers of a column stand together, for 64 channels at a time, as
//! the instructions of VNNI take them: then every column of the kernel is one instruction for sixteen channels. What was
//! turned serves all places of the kernel that meet it.
//!
//! Where the reference's engine has a loop of its own for such layers, it adds products in pairs in 16 bits, and sums that do
//! not fit become the nearest that does. That is part of the result; it happens only to large numbers.

#![cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, unused_variables, reason = "other processors go tap by tap")
)]

use super::finish::{Finish, Rounding, SIDE};
use super::geometry::Geometry;
use super::layers::finish_row;
use rushlight_kernels::isa::multiversion;
use rushlight_tensor::lanes::{Isa, isa};
use rushlight_tensor::memory;
use rushlight_tensor::{Buffer, threads, watch};

/// Channels that go together.
const BLOCK: usize = 64;
/// Rows of the picture that stand together.
const QUAD: usize = 4;

/// The weights, packed.
pub struct Filter {
    channels: usize,
    kernel: [usize; 2],
    /// By block of channels, column, quad of rows, channel and row; zero beyond the last ones.
    packed: Vec<i8>,
    /// By place and channel.
    plain: Vec<i16>,
    /// By sixteen channels and two places, in the order in which AVX2 puts numbers of 16 bits together: four channels of
    /// each half, then the other four, two places each. Zero beyond the last ones.
    twos: Vec<i16>,
    /// The sum of each channel.
    sums: Vec<i32>,
    /// The least and the greatest sum of two weights that the reference adds first, without those of the other sign.
    pairs: [i32; 2],
}

impl Filter {
    /// Packs weights, which stand by channel and place.
    pub fn new(channels: usize, kernel: [usize; 2], weights: &[i8]) -> Filter {
        let [high, wide] = kernel;
        let quads = high.div_ceil(QUAD);
        let blocks = channels.div_ceil(BLOCK);
        let mut packed = memory::filled(memory::times([blocks, wide, quads, BLOCK * QUAD]), 0i8);
        let mut plain = memory::filled(weights.len(), 0i16);
        let mut sums = memory::filled(channels, 0i32);
        let places = (high * wide).div_ceil(2);
        let sixteens = channels.div_ceil(SIDE);
        let mut twos = memory::filled(memory::times([sixteens, places, 2 * SIDE]), 0i16);
        for (i, weight) in weights.iter().enumerate() {
            let (channel, tap) = (i / (high * wide), i % (high * wide));
            let (half, own) = (channel % SIDE / 8, channel % 8);
            let vector = (channel / SIDE * places + tap / 2) * 2 + own / 4;
            twos[vector * SIDE + half * 8 + own % 4 * 2 + tap % 2] = i16::from(*weight);
            let (y, x) = (tap / wide, tap % wide);
            let group = (channel / BLOCK * wide + x) * quads + y / QUAD;
            packed[(group * BLOCK + channel % BLOCK) * QUAD + y % QUAD] = *weight;
            plain[tap * channels + channel] = i16::from(*weight);
            sums[channel] += i32::from(*weight);
        }
        let mut pairs = [0, 0];
        for weights in weights.chunks((high * wide).max(1)) {
            for pair in weights.chunks(2) {
                let sum = |sign: fn(i32) -> i32| pair.iter().map(|w| sign(i32::from(*w))).sum();
                pairs[0] = pairs[0].min(sum(|w| w.min(0)));
                pairs[1] = pairs[1].max(sum(|w| w.max(0)));
            }
        }
        Filter {
            channels,
            kernel,
            packed,
            plain,
            twos,
            sums,
            pairs,
        }
    }

    /// Whether sums of pairs leave 16 bits for some of these bytes.
    fn saturates(&self, x: &[u8]) -> bool {
        let most = x.iter().fold(0, |most, x| (*x).max(most));
        let [least, greatest] = self.pairs.map(|sum| sum * i32::from(most));
        least < i32::from(i16::MIN) || greatest > i32::from(i16::MAX)
    }

    fn quads(&self) -> usize {
        self.kernel[0].div_ceil(QUAD)
    }
}

/// Whether the reference has a loop of its own for a layer of its engine for large groups.
fn is_paired(g: &Geometry) -> bool {
    let [_, high, wide] = g.kernel;
    let [_, down, along] = g.stride;
    g.channels.is_multiple_of(8)
        && matches!(high, 3 | 5 | 7)
        && high == wide
        && g.padding[1..] == [high / 2; 2]
        && g.dilation[1..] == [1; 2]
        && down == along
        && matches!(down, 1 | 2)
}

/// The convolution of pictures whose channels come last, without room for their padding. `rounding` tells which of the
/// reference's engines would run it.
pub fn run<F: Finish>(
    filter: &Filter,
    g: &Geometry,
    x: &[u8],
    zero_point: i32,
    rounding: Rounding,
    finish: &F,
    out: &mut [F::Out],
) {
    let channels = filter.channels;
    let line = g.output[2] * channels;
    assert_eq!(x.len(), g.batch * g.input[1] * g.input[2] * channels);
    assert_eq!(out.len(), g.batch * g.output[1] * line);
    assert!(g.kernel[1..] == filter.kernel && g.channels == channels);
    let mut beginnings = memory::filled(channels.next_multiple_of(BLOCK), 0i32);
    for (to, sum) in beginnings.iter_mut().zip(&filter.sums) {
        *to = zero_point.wrapping_mul(*sum).wrapping_neg();
    }
    // Rows of the picture that are outside it.
    let blank = Buffer::<u8>::filled(g.input[2] * channels, zero_point as u8);
    let job = Job {
        filter,
        g,
        x,
        blank: &blank,
        zero_point: zero_point as u8,
        beginnings: &beginnings,
    };
    let cost = line * filter.kernel[0] * filter.kernel[1] / 16;
    let paired = rounding == Rounding::Joint && is_paired(g) && filter.saturates(x);
    threads::split_rows(out, line, 1, cost, &|lines, out| {
        #[cfg(target_arch = "x86_64")]
        if x86::suits() && !paired {
            // SAFETY: the processor has the instructions, and the operands were checked above.
            unsafe { x86::lines(&job, lines.start, finish, out) };
            return;
        }
        match paired {
            true => job.paired(lines.start, finish, out),
            false => job.plain(lines.start, finish, out),
        }
    });
}

struct Job<'a> {
    filter: &'a Filter,
    g: &'a Geometry,
    x: &'a [u8],
    blank: &'a [u8],
    zero_point: u8,
    beginnings: &'a [i32],
}

impl Job<'_> {
    /// The row of the picture that meets row `tap` of the kernel in an output row.
    fn row(&self, line: usize, tap: usize) -> &[u8] {
        let g = self.g;
        let (image, y) = (line / g.output[1], line % g.output[1]);
        let at = (y * g.stride[1] + tap * g.dilation[1]).checked_sub(g.padding[1]);
        let size = self.blank.len();
        match at.filter(|at| *at < g.input[1]) {
            Some(at) => &self.x[(image * g.input[1] + at) * size..][..size],
            None => self.blank,
        }
    }

    /// Calls `each` for the pixels of output rows, with what meets each place of the kernel.
    fn for_each_pixel<T>(
        &self,
        first: usize,
        out: &mut [T],
        mut each: impl FnMut(&[&[u8]], &mut [T]),
    ) {
        let (g, channels) = (self.g, self.filter.channels);
        let [high, wide] = self.filter.kernel;
        let mut taps: Vec<&[u8]> = memory::with_capacity(high * wide);
        for (line, out) in (first..).zip(out.chunks_mut(g.output[2] * channels)) {
            watch::poll();
            let rows: Vec<&[u8]> = memory::collect((0..high).map(|tap| self.row(line, tap)));
            for (x, out) in out.chunks_mut(channels).enumerate() {
                let column = |tap: usize| {
                    let at = (x * g.stride[2] + tap * g.dilation[2]).checked_sub(g.padding[2])?;
                    (at < g.input[2]).then_some(at * channels)
                };
                taps.clear();
                for row in &rows {
                    taps.extend((0..wide).map(|tap| match column(tap) {
                        Some(at) => &row[at..at + channels],
                        None => &self.blank[..channels],
                    }));
                }
                each(&taps, out);
            }
        }
    }

    /// Output rows, a few channels at a time.
    fn plain<F: Finish>(&self, first: usize, finish: &F, out: &mut [F::Out]) {
        #[cfg(target_arch = "x86_64")]
        if isa() == Isa::Avx2 {
            return self.for_each_pixel(first, out, |taps, out| {
                // SAFETY: the processor has AVX2 and FMA; there is a tap for each place, with all channels.
                unsafe { x86::pixel(self, taps, finish, out) }
            });
        }
        self.for_each_pixel(first, out, |taps, out| self.sum(0, taps, finish, out));
    }

    /// The channels of an output pixel from one on, tap by tap.
    fn sum<F: Finish>(&self, first: usize, taps: &[&[u8]], finish: &F, out: &mut [F::Out]) {
        let mut sums = [0i32; BLOCK];
        for (i, out) in out.chunks_mut(BLOCK).enumerate() {
            let first = first + i * BLOCK;
            let sums = &mut sums[..out.len()];
            sums.copy_from_slice(&self.beginnings[first..][..out.len()]);
            let weights = self.filter.plain.chunks_exact(self.filter.channels);
            for (weights, bytes) in weights.zip(taps) {
                add_products(sums, &bytes[first..], &weights[first..]);
            }
            finish_row(finish, first, sums, out);
        }
    }

    /// Output rows by pairs of taps.
    fn paired<F: Finish>(&self, first: usize, finish: &F, out: &mut [F::Out]) {
        let channels = self.filter.channels;
        let mut sums = memory::filled(channels, 0i32);
        self.for_each_pixel(first, out, |taps, out| {
            sums.copy_from_slice(&self.beginnings[..channels]);
            let weights = self.filter.plain.chunks(2 * channels);
            for (taps, weights) in taps.chunks(2).zip(weights) {
                let (own, other) = weights.split_at(channels);
                match *taps {
                    [first, second] => add_pairs(&mut sums, [first, second], [own, other]),
                    _ => add_products(&mut sums, taps[0], own),
                }
            }
            finish_row(finish, 0, &sums, out);
        });
    }
}

multiversion! {
    fn add_products(sums: &mut [i32], bytes: &[u8], weights: &[i16]) = run_products
}

#[inline(always)]
fn run_products<const FUSED: bool>(sums: &mut [i32], bytes: &[u8], weights: &[i16]) {
    let n = sums.len();
    let (bytes, weights) = (&bytes[..n], &weights[..n]);
    for i in 0..n {
        sums[i] = sums[i].wrapping_add(i32::from(bytes[i]) * i32::from(weights[i]));
    }
}

multiversion! {
    fn add_pairs(sums: &mut [i32], bytes: [&[u8]; 2], weights: [&[i16]; 2]) = run_pairs
}

#[inline(always)]
fn run_pairs<const FUSED: bool>(sums: &mut [i32], bytes: [&[u8]; 2], weights: [&[i16]; 2]) {
    let n = sums.len();
    let ([a, b], [v, w]) = (bytes.map(|x| &x[..n]), weights.map(|w| &w[..n]));
    for i in 0..n {
        // Products of 8 bits fit into 16.
        let pair = (i16::from(a[i]) * v[i]).saturating_add(i16::from(b[i]) * w[i]);
        sums[i] = sums[i].wrapping_add(i32::from(pair));
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    use std::arch::x86_64::*;

    /// Bytes of a vector.
    const VECTOR: usize = 64;
    /// Vectors of a block of turned channels.
    const PARTS: usize = BLOCK * QUAD / VECTOR;
    /// Pixels that go together.
    const PIXELS: usize = 4;

    pub fn suits() -> bool {
        isa() == Isa::Avx512 && is_x86_feature_detected!("avx512vnni")
    }

    /// Output rows from a number on.
    ///
    /// # Safety
    /// The processor has AVX-512 with VNNI, and the operands have the lengths that the geometry says.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
    pub unsafe fn lines<F: Finish>(job: &Job<'_>, first: usize, finish: &F, out: &mut [F::Out]) {
        let (g, filter) = (job.g, job.filter);
        let (channels, quads) = (filter.channels, filter.quads());
        let wide = g.input[2] + 2 * g.padding[2];
        let mut turned = Buffer::<u8>::unspecified(wide * quads * BLOCK * QUAD);
        for (line, out) in (first..).zip(out.chunks_mut(g.output[2] * channels)) {
            watch::poll();
            for block in 0..channels.div_ceil(BLOCK) {
                let channel = block * BLOCK;
                let own = BLOCK.min(channels - channel);
                // SAFETY: what was turned is as wide as the padded row, and the block has so many channels.
                unsafe {
                    turn(job, line, channel, own, &mut turned);
                    let whole = g.output[2] / PIXELS * PIXELS;
                    for x in (0..whole).step_by(PIXELS) {
                        pixels::<PIXELS, F>(job, &turned, x, block, own, finish, out);
                    }
                    for x in whole..g.output[2] {
                        pixels::<1, F>(job, &turned, x, block, own, finish, out);
                    }
                }
            }
        }
    }

    /// The channels of an output pixel, from what meets each tap of the kernel: sixteen at a time, two taps at a time, so that
    /// products of 16 bits are added in pairs.
    ///
    /// # Safety
    /// The processor has AVX2 and FMA; there is a tap for each place of the kernel, with all channels.
    #[target_feature(enable = "avx2,fma")]
    pub unsafe fn pixel<F: Finish>(job: &Job<'_>, taps: &[&[u8]], finish: &F, out: &mut [F::Out]) {
        let channels = job.filter.channels;
        let places = taps.len().div_ceil(2);
        let whole = channels / SIDE * SIDE;
        let wide = |tap: &[u8], first: usize| {
            // SAFETY: the tap has sixteen channels from the first on.
            _mm256_cvtepu8_epi16(unsafe { _mm_loadu_si128(tap.as_ptr().add(first).cast()) })
        };
        for first in (0..whole).step_by(SIDE) {
            let mut sums = [_mm256_setzero_si256(); 2];
            let mut done = [0i32; SIDE];
            // SAFETY: the packed weights have two vectors for these channels and each two places; beginnings are as many
            // as channels at least.
            unsafe {
                let mut twos = job.filter.twos.as_ptr().add(first * places * 2);
                for taps in taps.chunks(2) {
                    let own = wide(taps[0], first);
                    let other = match taps.get(1) {
                        Some(tap) => wide(tap, first),
                        None => _mm256_setzero_si256(),
                    };
                    let both = [
                        _mm256_unpacklo_epi16(own, other),
                        _mm256_unpackhi_epi16(own, other),
                    ];
                    for (sum, x) in sums.iter_mut().zip(both) {
                        let w = _mm256_loadu_si256(twos.cast());
                        *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(x, w));
                        twos = twos.add(SIDE);
                    }
                }
                let [near, far] = sums;
                let sums = [
                    _mm256_permute2x128_si256::<0x20>(near, far),
                    _mm256_permute2x128_si256::<0x31>(near, far),
                ];
                for (half, sum) in sums.into_iter().enumerate() {
                    let begin = job.beginnings.as_ptr().add(first + half * 8);
                    let sum = _mm256_add_epi32(sum, _mm256_loadu_si256(begin.cast()));
                    _mm256_storeu_si256(done.as_mut_ptr().add(half * 8).cast(), sum);
                }
            }
            finish.put(first, &done, &mut out[first..first + SIDE]);
        }
        if whole < channels {
            job.sum(whole, taps, finish, &mut out[whole..]);
        }
    }

    /// Turns the rows that an output row meets, for the `own` channels from `channel` on.
    ///
    /// # Safety
    /// As [`lines`]; `to` has room for all columns, and there are so many channels.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
    unsafe fn turn(job: &Job<'_>, line: usize, channel: usize, own: usize, to: &mut [u8]) {
        let (g, filter) = (job.g, job.filter);
        let (channels, quads) = (filter.channels, filter.quads());
        let mask = u64::MAX >> (BLOCK - own);
        // The first numbers of each lane go together, then the second ones, so that channels are in order afterwards.
        let order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        let column = quads * BLOCK * QUAD;
        let (before, inside) = (g.padding[2], g.input[2]);
        to[..before * column].fill(job.zero_point);
        to[(before + inside) * column..].fill(job.zero_point);
        for quad in 0..quads {
            let left = filter.kernel[0] - quad * QUAD;
            let rows: [*const u8; QUAD] = std::array::from_fn(|r| {
                // Rows beyond the last one meet weights of zero.
                let tap = quad * QUAD + r.min(left - 1);
                // SAFETY: the block begins inside the row.
                unsafe { job.row(line, tap).as_ptr().add(channel) }
            });
            // SAFETY: columns lie inside the rows, whose channels the mask keeps to, and inside what is turned.
            unsafe {
                let mut to = to.as_mut_ptr().add(before * column + quad * BLOCK * QUAD);
                for x in 0..inside {
                    let row = |r: usize| {
                        let bytes = _mm512_maskz_loadu_epi8(mask, rows[r].add(x * channels).cast());
                        _mm512_permutexvar_epi32(order, bytes)
                    };
                    let (a, b, c, d) = (row(0), row(1), row(2), row(3));
                    let (ab, cd) = (_mm512_unpacklo_epi8(a, b), _mm512_unpacklo_epi8(c, d));
                    _mm512_storeu_si512(to.cast(), _mm512_unpacklo_epi16(ab, cd));
                    _mm512_storeu_si512(to.add(VECTOR).cast(), _mm512_unpackhi_epi16(ab, cd));
                    let (ab, cd) = (_mm512_unpackhi_epi8(a, b), _mm512_unpackhi_epi8(c, d));
                    _mm512_storeu_si512(to.add(2 * VECTOR).cast(), _mm512_unpacklo_epi16(ab, cd));
                    _mm512_storeu_si512(to.add(3 * VECTOR).cast(), _mm512_unpackhi_epi16(ab, cd));
                    to = to.add(column);
                }
            }
        }
    }

    /// `R` pixels of an output row, for the `own` channels of a block.
    ///
    /// # Safety
    /// As [`lines`]; there are so many pixels from `x` on, and `turned` has the columns that they meet.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
    unsafe fn pixels<const R: usize, F: Finish>(
        job: &Job<'_>,
        turned: &[u8],
        x: usize,
        block: usize,
        own: usize,
        finish: &F,
        out: &mut [F::Out],
    ) {
        let (g, filter) = (job.g, job.filter);
        let quads = filter.quads();
        let column = quads * BLOCK * QUAD;
        let channel = block * BLOCK;
        // SAFETY: places lie inside what was turned, the packed weights and the beginnings, as the caller says; channels of
        // results are those that there are.
        unsafe {
            let first: [__m512i; PARTS] = std::array::from_fn(|part| {
                _mm512_loadu_si512(job.beginnings.as_ptr().add(channel + part * 16).cast())
            });
            let mut sums = [first; R];
            let mut weights = filter
                .packed
                .as_ptr()
                .add(block * filter.kernel[1] * column);
            let from = turned.as_ptr().add(x * g.stride[2] * column);
            for tap in 0..filter.kernel[1] {
                for quad in 0..quads {
                    let at = tap * g.dilation[2] * column + quad * BLOCK * QUAD;
                    for part in 0..PARTS {
                        let w = _mm512_loadu_si512(weights.add(part * VECTOR).cast());
                        for (r, sums) in sums.iter_mut().enumerate() {
                            let from = from.add(at + r * g.stride[2] * column + part * VECTOR);
                            let x = _mm512_loadu_si512(from.cast());
                            sums[part] = _mm512_dpbusd_epi32(sums[part], x, w);
                        }
                    }
                    weights = weights.add(BLOCK * QUAD);
                }
            }
            let mut done = [[[0i32; 16]; PARTS]; R];
            for (to, sums) in done.iter_mut().zip(&sums) {
                for (to, sum) in to.iter_mut().zip(sums) {
                    _mm512_storeu_si512(to.as_mut_ptr().cast(), *sum);
                }
            }
            let to = out.as_mut_ptr().add(x * filter.channels + channel);
            finish_pixels(
                done.as_flattened(),
                [channel, own, filter.channels],
                finish,
                to,
            );
        }
    }

    /// Finishes the sums of pixels for the `own` channels from `channel` on of so many.
    ///
    /// # Safety
    /// As [`lines`]; `to` is writable for these channels of all pixels.
    #[inline(never)]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
    unsafe fn finish_pixels<F: Finish>(
        sums: &[[i32; 16]],
        [channel, own, channels]: [usize; 3],
        finish: &F,
        to: *mut F::Out,
    ) {
        for part in 0..own.div_ceil(16) {
            let mask = match own - part * 16 {
                wide @ 0..16 => (1u16 << wide) - 1,
                _ => u16::MAX,
            };
            // SAFETY: passed on.
            unsafe {
                let lanes = finish.lanes(channel + part * 16);
                for (r, sums) in sums.iter().skip(part).step_by(PARTS).enumerate() {
                    let sums = _mm512_loadu_si512(sums.as_ptr().cast());
                    F::put_vector(&lanes, sums, mask, to.add(r * channels + part * 16));
                }
            }
        }
    }
}
