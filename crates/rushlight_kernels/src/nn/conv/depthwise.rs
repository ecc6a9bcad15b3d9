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

use super::geometry::Geometry;
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
    /// The numbers to read from there on, in as many vectors as the stride.
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
            let inside = |lane: usize| (0..wide).contains(&(column + (lane * S) as isize));
            let bits = (0..lanes)
                .filter(|lane| inside(*lane))
                .fold(0u64, |bits, lane| bits | 1 << (lane * S));
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
            width,
        };
        let mut y = 0;
        while y < height {
            let together =
                rows[y..].len() >= ROWS && rows[y..y + ROWS].iter().all(|row| row.0 == rows[y].0);
            let (taps, first) = (rows[y].0.clone(), rows[y].1);
            let to = result[y * width..].as_mut_ptr();
            // SAFETY: the rows' taps meet rows of the image, the masks choose columns of it and of the result.
            unsafe {
                if together {
                    tile.run::<V, ROWS, S>(&places, taps, first, to);
                    y += ROWS;
                } else {
                    tile.run::<V, 1, S>(&places, taps, first, to);
                    y += 1;
                }
            }
        }
    }
}

/// One channel of the result.
struct Tile<'a> {
    g: &'a Geometry,
    image: *const f32,
    taps: &'a [f32],
    /// What each sum starts with.
    first: f32,
    /// Columns of the result.
    width: usize,
}

impl Tile<'_> {
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
                for (r, sum) in sums.iter().enumerate() {
                    let to = to.add(r * self.width + place.column);
                    sum.store_chosen(to, place.inside);
                }
            }
        }
    }
}
