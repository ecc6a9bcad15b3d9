//! Depthwise convolution in f32: every output channel is a sum of shifted copies of one input channel.
//!
//! A vector holds neighbours of an output row. For each tap it meets a vector of the image, read where it lies: lanes
//! that would fall outside the image are left out by a mask, which also spares the reads. Where the stride is two, two
//! vectors are read and every other number is kept. Several rows go together, so that their sums do not wait for each
//! other.

#![cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, unused_variables, reason = "other processors go tap by tap")
)]

use super::after::After;
use super::geometry::Geometry;
use super::within::Within;
use crate::vector::Vector;
use rushlight_tensor::lanes::{Isa, isa};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{threads, watch};

/// Rows that go together.
const ROWS: usize = 4;

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
    let cost = pixels * g.taps() / 4;
    threads::split_rows(out, pixels, 1, cost, &|planes, out| {
        #[cfg(target_arch = "x86_64")]
        match isa() {
            // SAFETY: the processor has AVX-512, and the operands have the lengths that the geometry says.
            Isa::Avx512 => unsafe { avx512(&job, planes.start, out) },
            // SAFETY: as above, with AVX2 and FMA.
            Isa::Avx2 => unsafe { avx2(&job, planes.start, out) },
            Isa::Baseline => unreachable!("`suits` asks for vectors"),
        }
    });
}

struct Job<'a> {
    g: &'a Geometry,
    output: [usize; 3],
    x: &'a [f32],
    w: &'a [f32],
    bias: Option<&'a [f32]>,
    after: After<'a>,
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
unsafe fn avx512(job: &Job<'_>, first: usize, out: &mut [f32]) {
    // SAFETY: passed on.
    unsafe { by_stride::<std::arch::x86_64::__m512>(job, first, out) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(job: &Job<'_>, first: usize, out: &mut [f32]) {
    // SAFETY: passed on.
    unsafe { by_stride::<std::arch::x86_64::__m256>(job, first, out) }
}

/// # Safety
/// The processor has the vectors' instructions, and the operands have the lengths that the geometry says.
#[inline(always)]
unsafe fn by_stride<V: Vector>(job: &Job<'_>, first: usize, out: &mut [f32]) {
    // SAFETY: passed on.
    unsafe {
        match job.g.stride[2] {
            1 => planes::<V, 1>(job, first, out),
            _ => planes::<V, 2>(job, first, out),
        }
    }
}

/// What a vector of an output row meets for one column of the kernel.
struct Meeting<V: Vector> {
    /// The image's column under the first lane; what lies outside is masked.
    column: isize,
    /// The numbers to read from there on, in as many vectors as the stride. Where the stride is two, those that the next column
    /// of the kernel meets are among them.
    read: [V::Mask; 2],
}

/// A vector of an output row.
struct Place<V: Vector> {
    /// Its first column.
    column: usize,
    /// The lanes inside the row.
    inside: V::Mask,
    /// By column of the kernel.
    meetings: Vec<Meeting<V>>,
}

/// The vectors of an output row.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn places<V: Vector, const S: usize>(g: &Geometry, width: usize) -> Vec<Place<V>> {
    let wide = g.input[2] as isize;
    let mut places = memory::with_capacity(width.div_ceil(V::WIDTH));
    for first in (0..width).step_by(V::WIDTH) {
        let lanes = V::WIDTH.min(width - first);
        let mut meetings = memory::with_capacity(g.kernel[2]);
        for tap in 0..g.kernel[2] {
            let column = (first * S + tap * g.dilation[2]) as isize - g.before[2] as isize;
            let inside = |number: usize| (0..wide).contains(&(column + number as isize));
            let bits = (0..lanes * S)
                .filter(|number| inside(*number))
                .fold(0u64, |bits, number| bits | 1 << number);
            // SAFETY: passed on.
            let read = unsafe { [V::mask(bits as u32), V::mask((bits >> V::WIDTH) as u32)] };
            meetings.push(Meeting { column, read });
        }
        places.push(Place {
            column: first,
            // SAFETY: passed on.
            inside: unsafe { V::mask(((1u64 << lanes) - 1) as u32) },
            meetings,
        });
    }
    places
}

/// The planes of the result from a number on.
///
/// # Safety
/// As for [`by_stride`].
#[inline(always)]
unsafe fn planes<V: Vector, const S: usize>(job: &Job<'_>, number: usize, out: &mut [f32]) {
    let (g, [_, height, width]) = (job.g, job.output);
    // SAFETY: passed on.
    let places = unsafe { places::<V, S>(g, width) };
    let in_plane = g.input[1] * g.input[2];
    // The taps of each output row that meet rows of the image, and the image's row of the first tap.
    let rows: Vec<(std::ops::Range<usize>, isize)> = (0..height)
        .map(|y| {
            let first = (y * g.stride[1]) as isize - g.before[1] as isize;
            let meets = |tap: &usize| {
                let row = first + (tap * g.dilation[1]) as isize;
                (0..g.input[1] as isize).contains(&row)
            };
            let from = (0..g.kernel[1]).find(meets).unwrap_or(0);
            let to = (0..g.kernel[1]).rev().find(meets).map_or(from, |t| t + 1);
            (from..to, first)
        })
        .collected();
    // Neighbouring rows of the result share rows of the image.
    let dense = g.dilation == [1; 3] && g.stride[1] == S && g.kernel[1] == g.kernel[2];
    let planes = out.chunks_exact_mut(height * width);
    for (i, result) in (number..).zip(planes) {
        watch::poll();
        let image = &job.x[i / g.group_out() * in_plane..][..in_plane];
        let filter = i % g.out_channels;
        let tile = Tile {
            g,
            image: image.as_ptr(),
            taps: &job.w[filter * g.taps()..(filter + 1) * g.taps()],
            first: job.bias.map_or(0.0, |b| b[filter]),
            within: job.after.at_hand(),
            width,
        };
        let mut y = 0;
        while y < height {
            let left = height - y;
            let to = result[y * width..].as_mut_ptr();
            // SAFETY: the rows of the result are there; what is read lies in rows of the image and columns that masks choose.
            y += unsafe {
                match (dense, g.kernel[2]) {
                    (true, 3) => tile.neighbours::<V, S, 3>(&places, y, left, to),
                    (true, 5) => tile.neighbours::<V, S, 5>(&places, y, left, to),
                    _ => {
                        let same = |row: &(std::ops::Range<usize>, isize)| row.0 == rows[y].0;
                        let together = left >= ROWS && rows[y..y + ROWS].iter().all(same);
                        let (taps, first) = (rows[y].0.clone(), rows[y].1);
                        if together {
                            tile.run::<V, ROWS, S>(&places, taps, first, to);
                            ROWS
                        } else {
                            tile.run::<V, 1, S>(&places, taps, first, to);
                            1
                        }
                    }
                }
            };
        }
        job.after.finish(i * height * width, result);
    }
}

/// What the columns of a kernel meet in a row of the image.
///
/// # Safety
/// The processor has the vectors' instructions, and the meetings' numbers lie in the row.
#[inline(always)]
unsafe fn numbers<V: Vector, const S: usize, const K: usize>(
    meetings: &[Meeting<V>; K],
    line: *const f32,
) -> [V; K] {
    // SAFETY: passed on.
    unsafe {
        let mut numbers = [V::splat(0.0); K];
        for kx in (0..K).step_by(S) {
            let meeting = &meetings[kx];
            let at = line.wrapping_offset(meeting.column);
            let near = V::load_chosen(at, meeting.read[0]);
            if S == 1 {
                numbers[kx] = near;
                continue;
            }
            let far = V::load_chosen(at.wrapping_add(V::WIDTH), meeting.read[1]);
            numbers[kx] = near.evens(far);
            if kx + 1 < K {
                numbers[kx + 1] = near.odds(far);
            }
        }
        numbers
    }
}

/// One channel of the result.
struct Tile<'a> {
    g: &'a Geometry,
    image: *const f32,
    taps: &'a [f32],
    /// What each sum starts with, and is brought into in the end.
    first: f32,
    within: Within,
    /// Columns of the result.
    width: usize,
}

impl Tile<'_> {
    /// As many of the `left` rows of the result from row `y` on as go together, and how many these are. Strides are `S` both
    /// ways, and the kernel has `K` rows and columns.
    ///
    /// # Safety
    /// The processor has the vectors' instructions, and `to` has as many rows as are left.
    #[inline(always)]
    unsafe fn neighbours<V: Vector, const S: usize, const K: usize>(
        &self,
        places: &[Place<V>],
        y: usize,
        left: usize,
        to: *mut f32,
    ) -> usize {
        // SAFETY: passed on.
        unsafe {
            match left {
                0 | 1 => self.shared::<V, 1, S, K>(places, y, to),
                2 | 3 => self.shared::<V, 2, S, K>(places, y, to),
                _ => self.shared::<V, ROWS, S, K>(places, y, to),
            }
        }
    }

    /// `R` rows of the result, for which every row of the image is read once. Each sum runs over the kernel's rows, then its
    /// columns, as in [`Tile::run`].
    ///
    /// # Safety
    /// As for [`Tile::neighbours`].
    #[inline(always)]
    unsafe fn shared<V: Vector, const R: usize, const S: usize, const K: usize>(
        &self,
        places: &[Place<V>],
        y: usize,
        to: *mut f32,
    ) -> usize {
        let g = self.g;
        let (high, wide) = (g.input[1], g.input[2] as isize);
        let first = (y * S) as isize - g.before[1] as isize;
        let met = 0..high as isize;
        assert!(
            R <= ROWS && S <= 2 && K <= 5,
            "eleven rows of the image at most"
        );
        assert_eq!(self.taps.len(), K * K);
        for place in places {
            let meetings: &[Meeting<V>; K] = place.meetings[..].try_into().expect("K columns");
            // SAFETY: passed on; rows are those of the image, and pointers outside it are only made.
            unsafe {
                let mut sums = [V::splat(self.first); R];
                // Row by row of the image, as numbers that the compiler knows: so it knows which weights they meet.
                macro_rules! rows {
                    ($($behind:literal)*) => {$(
                        let row = first + $behind;
                        if $behind < (R - 1) * S + K && met.contains(&row) {
                            let line = self.image.wrapping_offset(row * wide);
                            let numbers = numbers::<V, S, K>(meetings, line);
                            for (r, sum) in sums.iter_mut().enumerate() {
                                let ky = usize::wrapping_sub($behind, r * S);
                                if ky < K {
                                    for kx in 0..K {
                                        let weight = V::splat(self.taps[ky * K + kx]);
                                        *sum = numbers[kx].fma(weight, *sum);
                                    }
                                }
                            }
                        }
                    )*};
                }
                rows!(0 1 2 3 4 5 6 7 8 9 10);
                let (low, high) = (V::splat(self.within.low), V::splat(self.within.high));
                for (r, sum) in sums.iter().enumerate() {
                    let to = to.add(r * self.width + place.column);
                    sum.within(low, high).store_first(to, place.inside);
                }
            }
        }
        R
    }

    /// `R` rows of the result, of which the first one's first tap meets row `first` of the image.
    ///
    /// # Safety
    /// The processor has the vectors' instructions; the rows of the kernel in `taps` meet rows of the image, and `to`
    /// has `R` rows.
    #[inline(always)]
    unsafe fn run<V: Vector, const R: usize, const S: usize>(
        &self,
        places: &[Place<V>],
        taps: std::ops::Range<usize>,
        first: isize,
        to: *mut f32,
    ) {
        let g = self.g;
        let wide = g.input[2] as isize;
        let down = g.stride[1] as isize * wide;
        for place in places {
            // SAFETY: passed on; pointers outside the image are only made, not read from.
            unsafe {
                let mut sums = [V::splat(self.first); R];
                for ky in taps.clone() {
                    let row = (first + (ky * g.dilation[1]) as isize) * wide;
                    let weights = &self.taps[ky * g.kernel[2]..][..g.kernel[2]];
                    for (weight, meeting) in weights.iter().zip(&place.meetings) {
                        let weight = V::splat(*weight);
                        let at = self.image.wrapping_offset(row + meeting.column);
                        for (r, sum) in sums.iter_mut().enumerate() {
                            let at = at.wrapping_offset(r as isize * down);
                            let mut numbers = V::load_chosen(at, meeting.read[0]);
                            if S == 2 {
                                let at = at.wrapping_add(V::WIDTH);
                                numbers = numbers.evens(V::load_chosen(at, meeting.read[1]));
                            }
                            *sum = numbers.fma(weight, *sum);
                        }
                    }
                }
                let (low, high) = (V::splat(self.within.low), V::splat(self.within.high));
                for (r, sum) in sums.iter().enumerate() {
                    let to = to.add(r * self.width + place.column);
                    sum.within(low, high).store_first(to, place.inside);
                }
            }
        }
    }
}
