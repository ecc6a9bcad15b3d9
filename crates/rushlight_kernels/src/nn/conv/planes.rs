//! Depthwise convolution in f32 by a kernel of three or five rows and columns, its middle over each pixel or over every second
//! one: straight from the image. Vectors of a row are read once, one after the other; what lies a column or two
//! aside is put together from neighbours, and zeros around the image come in from its ends. Several rows of the result share
//! what they read. Sums run over the taps in their order, as in [`super::depthwise`].
//!
//! Where there are few registers, which loads with a mask and moves of lanes would fill, planes are copied with zeros around
//! them, for steps of two the columns with even numbers before those with odd ones, and what lies aside is read again. The
//! last vector of a row ends where the row does. Three columns in steps of two over lines twice as long as the result's meet
//! zeros at their beginning alone: they are read where they are there, too.

use super::after::After;
use super::band::Band;
use super::depthwise::Job;
use super::geometry::Geometry;
use super::within::AtHandIn;
use crate::vector::{Vector, unrolled};
use rushlight_tensor::{memory, watch};

/// Most lines of the image that some rows of the result share.
const LINES: usize = 11;

/// Results of small planes that are finished together, about: what was only just written, in vectors that end elsewhere, is
/// slow to read.
const AT_ONCE: usize = 2048;

/// Whether the kernel can run such a convolution, of those that [`super::depthwise::suits`].
pub fn suits(g: &Geometry) -> bool {
    let [_, high, wide] = g.kernel;
    high == wide
        && matches!((wide, g.stride[2]), (3 | 5, 1 | 2))
        && g.dilation == [1; 3]
        && g.stride[1] == g.stride[2]
        && g.before[2] == wide / 2
}

/// Planes of the result from a number on.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
pub(super) unsafe fn planes<V: Vector>(job: &Job<'_>, first: usize, out: &mut [f32]) {
    // Wide vectors come with 32 registers, narrow ones with 16.
    // SAFETY: passed on.
    unsafe {
        if const { V::WIDTH == 16 } {
            by_kernel::<V, 4>(job, first, out)
        } else {
            by_kernel::<V, 2>(job, first, out)
        }
    }
}

/// As [`planes`], `R` rows of the result at a time.
///
/// # Safety
/// As for [`planes`].
#[inline(always)]
unsafe fn by_kernel<V: Vector, const R: usize>(job: &Job<'_>, first: usize, out: &mut [f32]) {
    // SAFETY: passed on.
    unsafe {
        match (job.g.kernel[2], job.g.stride[2]) {
            (3, 1) => some::<V, 3, 1, R, false>(job, first, out),
            (3, _) => some::<V, 3, 2, R, false>(job, first, out),
            (_, 1) => some::<V, 5, 1, R, false>(job, first, out),
            _ => some::<V, 5, 2, R, false>(job, first, out),
        }
    }
}

/// Whether [`halved`] makes such planes where vectors are narrow: three columns in steps of two, lines twice as long as rows.
pub(super) fn are_halved(g: &Geometry, width: usize) -> bool {
    suits(g) && (g.kernel[2], g.stride[2]) == (3, 2) && g.input[2] == 2 * width
}

/// As [`planes`], of such planes.
///
/// # Safety
/// As for [`planes`].
#[inline(always)]
pub(super) unsafe fn halved<V: Vector>(job: &Job<'_>, first: usize, out: &mut [f32]) {
    // SAFETY: passed on.
    unsafe { some::<V, 3, 2, 2, true>(job, first, out) }
}

/// Planes whose kernel has `K` rows and columns and goes in steps of `S`, `R` rows of the result at a time, `HALVED` as
/// [`Rows::halve`] makes them.
///
/// # Safety
/// As for [`planes`].
#[inline(always)]
unsafe fn some<V: Vector, const K: usize, const S: usize, const R: usize, const HALVED: bool>(
    job: &Job<'_>,
    first: usize,
    out: &mut [f32],
) {
    let (g, [_, height, width]) = (job.g, job.output);
    let [_, high, wide] = g.input;
    let (at_hand, left) = job.after.split();
    // SAFETY: passed on.
    let at_hand = unsafe { at_hand.in_vectors::<V>() };
    let is_framed = const { wants_frame::<V, HALVED>() };
    let mut framed = is_framed.then(|| Band::new(g, height, V::WIDTH, |_| 1));
    let above = g.before[1] as isize;
    let zeros = memory::filled(if is_framed { 0 } else { wide }, 0f32);
    let pixels = height * width;
    let together = (AT_ONCE / pixels).max(1);
    for (number, planes) in out.chunks_mut(pixels * together).enumerate() {
        watch::poll();
        let first = first + number * together;
        for (number, plane) in planes.chunks_exact_mut(pixels).enumerate() {
            let number = first + number;
            let filter = number % g.out_channels;
            let image = &job.x[number / g.group_out() * high * wide..][..high * wide];
            let rows = Rows::<V> {
                weights: &job.w[filter * K * K..][..K * K],
                bias: job.bias.map_or(0.0, |b| b[filter]),
                at_hand,
                wide,
                width,
            };
            let finished = (together == 1).then_some((left, number * pixels));
            // SAFETY: passed on.
            unsafe {
                if const { wants_frame::<V, HALVED>() }
                    && let Some(framed) = &mut framed
                {
                    framed.fill::<V, S>(0, g, image, -above, true);
                    rows.framed::<K, S, R>(framed, finished, plane);
                } else {
                    rows.plane::<K, S, R, HALVED>(image, &zeros, g.before[1], finished, plane)
                }
            }
        }
        if together > 1 {
            // SAFETY: passed on.
            unsafe { left.finish_in::<V>(first * pixels, planes) };
        }
    }
}

/// Whether planes are copied with zeros around them.
const fn wants_frame<V: Vector, const HALVED: bool>() -> bool {
    V::WIDTH < 16 && !HALVED
}

/// The first rows of groups of so many rows, and how many rows there are in each: one where a plane has fewer. Where rows are left over,
/// some are made twice.
fn groups(height: usize, rows: usize) -> impl Iterator<Item = (usize, usize)> {
    let count = if height < rows { 1 } else { rows };
    (0..height)
        .step_by(count)
        .map(move |y| (y.min(height - count), count))
}

/// What some rows of one plane are made with.
struct Rows<'a, V> {
    weights: &'a [f32],
    bias: f32,
    at_hand: AtHandIn<V>,
    /// Columns of the image, and of the result.
    wide: usize,
    width: usize,
}

/// How many vectors of a line are read for one of the result.
const fn places_of(kernel: usize, step: usize) -> usize {
    match (step, kernel) {
        (1, _) => 1,
        (_, 3) => 2,
        _ => 6,
    }
}

/// Whether a kernel of so many rows, the first of which lies on line `from`, meets a line.
const fn meets(line: usize, from: usize, rows: usize) -> bool {
    line >= from && line < from + rows
}

/// The row of the kernel that meets it; some row, where none does.
const fn row_at(line: usize, from: usize, rows: usize) -> usize {
    let row = line.saturating_sub(from);
    if row < rows { row } else { rows - 1 }
}

/// The columns where vectors of a line begin, and the lanes of them that the image has.
struct Spots<M> {
    places: [isize; 6],
    lanes: [M; 6],
}

impl<M: Copy> Spots<M> {
    /// One of the vectors.
    ///
    /// # Safety
    /// The processor has the vectors' instructions, and the chosen lanes are those of the line.
    #[inline(always)]
    unsafe fn read<V: Vector<Mask = M>>(&self, line: *const f32, part: usize) -> V {
        // SAFETY: passed on.
        unsafe { V::load_chosen(line.wrapping_offset(self.places[part]), self.lanes[part]) }
    }

    /// Every second column of two vectors.
    ///
    /// # Safety
    /// As for [`Spots::read`].
    #[inline(always)]
    unsafe fn evens<V: Vector<Mask = M>>(&self, line: *const f32, part: usize) -> V {
        // SAFETY: passed on.
        unsafe { self.read::<V>(line, part).evens(self.read(line, part + 1)) }
    }

    /// The columns between them.
    ///
    /// # Safety
    /// As for [`Spots::read`].
    #[inline(always)]
    unsafe fn odds<V: Vector<Mask = M>>(&self, line: *const f32, part: usize) -> V {
        // SAFETY: passed on.
        unsafe { self.read::<V>(line, part).odds(self.read(line, part + 1)) }
    }
}

impl<V: Vector> Rows<'_, V> {
    /// The lanes of the image from a column on, of which some may lie to the left of the image.
    ///
    /// # Safety
    /// The processor has the vectors' instructions.
    #[inline(always)]
    unsafe fn lanes(&self, column: isize) -> V::Mask {
        let last = (self.wide as isize - column).clamp(0, V::WIDTH as isize);
        let first = (-column).clamp(0, V::WIDTH as isize);
        let bits = (1u64 << last) - (1u64 << first);
        // SAFETY: passed on.
        unsafe { V::mask(bits as u32) }
    }

    /// All rows of a plane, `R` at a time, `HALVED` by [`Rows::halve`]; what is left to do for them is done then, where it says
    /// what the first result's number is.
    ///
    /// # Safety
    /// The processor has the vectors' instructions.
    #[inline(always)]
    unsafe fn plane<const K: usize, const S: usize, const R: usize, const HALVED: bool>(
        &self,
        image: &[f32],
        zeros: &[f32],
        before: usize,
        left: Option<(After<'_>, usize)>,
        plane: &mut [f32],
    ) {
        let (wide, width) = (self.wide, self.width);
        let (high, height) = (image.len() / wide, plane.len() / width);
        for (y, count) in groups(height, R) {
            let mut lines = [zeros.as_ptr(); LINES];
            unrolled!(l < (R - 1) * S + K, {
                let row = (y * S + l).wrapping_sub(before);
                if row < high {
                    lines[l] = image[row * wide..][..wide].as_ptr();
                }
            });
            let result = &mut plane[y * width..][..count * width];
            // SAFETY: passed on.
            unsafe {
                if const { HALVED } {
                    match count == R {
                        true => self.halve::<R>(&lines, result),
                        false => self.halve::<1>(&lines, result),
                    }
                } else {
                    match count == R {
                        true => self.make::<K, S, R>(&lines, result),
                        false => self.make::<K, S, 1>(&lines, result),
                    }
                }
                if let Some((left, first)) = left {
                    left.finish_in::<V>(first + y * width, result);
                }
            }
        }
    }

    /// `R` rows, from as many lines of the image as they meet.
    ///
    /// # Safety
    /// The processor has the vectors' instructions, and the lines have as many columns as the image.
    #[inline(always)]
    unsafe fn make<const K: usize, const S: usize, const R: usize>(
        &self,
        lines: &[*const f32; LINES],
        result: &mut [f32],
    ) {
        assert!(result.len() == R * self.width && self.weights.len() == K * K);
        // SAFETY: passed on; lanes are read and written as far as a row has columns.
        unsafe {
            let zero = V::splat(0.0);
            let first = V::splat(self.bias);
            // What was read before, line by line: with steps of one the vector before and the present one, with steps of
            // two the odd columns before. Kernels of five columns in steps of two read what they need three times.
            let mut before = [[zero; 2]; LINES];
            if const { S == 1 } {
                let lanes = self.lanes(0);
                unrolled!(l < (R - 1) * S + K, {
                    before[l][1] = V::load_chosen(lines[l], lanes);
                });
            }
            for x in (0..self.width).step_by(V::WIDTH) {
                let mut sums = [first; R];
                let (at, far) = (x as isize, V::WIDTH as isize);
                let places = match (S, K) {
                    (1, _) => [at + far, 0, 0, 0, 0, 0],
                    (_, 3) => [2 * at, 2 * at + far, 0, 0, 0, 0],
                    _ => {
                        let left = 2 * at - 2;
                        [
                            left,
                            left + far,
                            left + 2,
                            left + 2 + far,
                            left + 4,
                            left + 4 + far,
                        ]
                    }
                };
                let mut lanes = [self.lanes(places[0]); 6];
                unrolled!(part < 6, at most 6, {
                    if const { part < places_of(K, S) } {
                        lanes[part] = self.lanes(places[part]);
                    }
                });
                let spots = Spots { places, lanes };
                unrolled!(l < (R - 1) * S + K, {
                    let [a, b] = before[l];
                    // Columns of the image to the left of the middle, the middle, and to its right.
                    let taps: [V; 5];
                    if const { S == 1 } {
                        let next = spots.read::<V>(lines[l], 0);
                        taps = match K {
                            3 => [b.behind(a, 1), b, b.ahead(next, 1), zero, zero],
                            _ => [
                                b.behind(a, 2),
                                b.behind(a, 1),
                                b,
                                b.ahead(next, 1),
                                b.ahead(next, 2),
                            ],
                        };
                        before[l] = [b, next];
                    } else if const { K == 3 } {
                        let first = spots.read::<V>(lines[l], 0);
                        let second = spots.read::<V>(lines[l], 1);
                        let (even, odd) = (first.evens(second), first.odds(second));
                        taps = [odd.behind(b, 1), even, odd, zero, zero];
                        before[l] = [b, odd];
                    } else {
                        taps = [
                            spots.evens::<V>(lines[l], 0),
                            spots.odds::<V>(lines[l], 0),
                            spots.evens::<V>(lines[l], 2),
                            spots.odds::<V>(lines[l], 2),
                            spots.evens::<V>(lines[l], 4),
                        ];
                    }
                    unrolled!(r < R, at most 4, {
                        if const { meets(l, r * S, K) } {
                            unrolled!(kx < K, at most 5, {
                                let weight = V::splat(self.weights[const { row_at(l, r * S, K) * K + kx }]);
                                sums[r] = taps[kx].fma(weight, sums[r]);
                            });
                        }
                    });
                });
                let lanes = (self.width - x).min(V::WIDTH);
                if lanes == V::WIDTH {
                    unrolled!(r < R, at most 4, {
                        let to = result.as_mut_ptr().add(r * self.width + x);
                        self.at_hand.of(sums[r]).store(to);
                    });
                } else {
                    let mask = V::mask(((1u64 << lanes) - 1) as u32);
                    unrolled!(r < R, at most 4, {
                        let to = result.as_mut_ptr().add(r * self.width + x);
                        self.at_hand.of(sums[r]).store_first(to, mask);
                    });
                }
            }
        }
    }

    /// As [`Rows::make`], for kernels of three columns in steps of two and lines twice as long as a row, which is no shorter than
    /// a vector: no more than the first vector meets a zero.
    ///
    /// # Safety
    /// As for [`Rows::make`].
    #[inline(always)]
    unsafe fn halve<const R: usize>(&self, lines: &[*const f32; LINES], result: &mut [f32]) {
        assert!(result.len() == R * self.width && self.weights.len() == 9);
        assert!(self.width >= V::WIDTH && self.wide == 2 * self.width);
        let last = self.width - V::WIDTH;
        // SAFETY: passed on; no vector begins behind the last one that a row has room for.
        unsafe {
            let mut kept = [V::splat(0.0); 9];
            unrolled!(k < 9, at most 9, {
                kept[k] = V::splat(self.weights[k]);
            });
            self.half::<R, true>(lines, &kept, 0, result);
            for vector in 1..self.width.div_ceil(V::WIDTH) {
                let x = (vector * V::WIDTH).min(last);
                self.half::<R, false>(lines, &kept, x, result);
            }
        }
    }

    /// `R` rows of the vector that begins at a column, or of the `FIRST`. Every second column stays in the processor's order
    /// until sums are made.
    ///
    /// # Safety
    /// The processor has the vectors' instructions, and lines and rows are as [`Rows::halve`] assures itself.
    #[inline(always)]
    unsafe fn half<const R: usize, const FIRST: bool>(
        &self,
        lines: &[*const f32; LINES],
        kept: &[V; 9],
        x: usize,
        result: &mut [f32],
    ) {
        // SAFETY: passed on.
        unsafe {
            let mut sums = [V::splat(self.bias); R];
            unrolled!(l < (R - 1) * 2 + 3, {
                let line = lines[l].add(2 * x);
                let (near, far) = (V::load(line), V::load(line.add(V::WIDTH)));
                let before = match FIRST {
                    true => near.behind(V::splat(0.0), 1),
                    false => V::load(line.wrapping_sub(1)),
                };
                let middle = V::load(line.add(V::WIDTH - 1));
                let taps = [
                    before.some_evens(middle),
                    near.some_evens(far),
                    near.some_odds(far),
                ];
                unrolled!(r < R, at most 4, {
                    if const { meets(l, 2 * r, 3) } {
                        unrolled!(kx < 3, at most 3, {
                            sums[r] = taps[kx].fma(kept[const { row_at(l, 2 * r, 3) * 3 + kx }], sums[r]);
                        });
                    }
                });
            });
            unrolled!(r < R, at most 4, {
                let to = result.as_mut_ptr().add(r * self.width + x);
                self.at_hand.of(sums[r].sorted()).store(to);
            });
        }
    }

    /// As [`Rows::plane`], from a plane with zeros around it. Rows are no shorter than a vector.
    ///
    /// # Safety
    /// As for [`Rows::plane`].
    #[inline(always)]
    unsafe fn framed<const K: usize, const S: usize, const R: usize>(
        &self,
        image: &Band,
        left: Option<(After<'_>, usize)>,
        plane: &mut [f32],
    ) {
        let width = self.width;
        let height = plane.len() / width;
        for (y, count) in groups(height, R) {
            let lines = Lines {
                numbers: &image.at(0)[y * S * image.line..],
                pitch: image.line,
                odd: image.offsets[1],
            };
            let result = &mut plane[y * width..][..count * width];
            // SAFETY: passed on.
            unsafe {
                match count == R {
                    true => self.read_again::<K, S, R>(&lines, result),
                    false => self.read_again::<K, S, 1>(&lines, result),
                }
                if let Some((left, first)) = left {
                    left.finish_in::<V>(first + y * width, result);
                }
            }
        }
    }

    /// As [`Rows::make`], from lines of a framed plane.
    ///
    /// # Safety
    /// The processor has the vectors' instructions.
    #[inline(always)]
    unsafe fn read_again<const K: usize, const S: usize, const R: usize>(
        &self,
        lines: &Lines<'_>,
        result: &mut [f32],
    ) {
        assert!(result.len() == R * self.width && self.weights.len() == K * K);
        assert!(self.width >= V::WIDTH && lines.has::<K, S, R>(self.width));
        let vectors = self.width.div_ceil(V::WIDTH);
        let last = self.width - V::WIDTH;
        // Kernels of three columns keep their weights in registers; those of five share each between two vectors.
        let pairs = if K == 3 { 0 } else { vectors / 2 };
        // SAFETY: passed on; no vector begins behind the last one that a row has room for.
        unsafe {
            let mut kept = [V::splat(0.0); 9];
            if K == 3 {
                unrolled!(k < 9, at most 9, {
                    kept[k] = V::splat(self.weights[k]);
                });
            }
            for pair in 0..pairs {
                let x = 2 * pair * V::WIDTH;
                let columns = [x, (x + V::WIDTH).min(last)];
                self.sums::<K, S, R, 2>(lines, &kept, columns, result);
            }
            for vector in 2 * pairs..vectors {
                let columns = [(vector * V::WIDTH).min(last)];
                self.sums::<K, S, R, 1>(lines, &kept, columns, result);
            }
        }
    }

    /// `R` rows of `N` vectors that begin at some columns.
    ///
    /// # Safety
    /// The processor has the vectors' instructions, there are the lines and rows of that [`Rows::read_again`] assures itself, and the vectors lie
    /// within a row.
    #[inline(always)]
    unsafe fn sums<const K: usize, const S: usize, const R: usize, const N: usize>(
        &self,
        lines: &Lines<'_>,
        kept: &[V; 9],
        columns: [usize; N],
        result: &mut [f32],
    ) {
        // SAFETY: passed on.
        unsafe {
            let first = V::splat(self.bias);
            let mut sums = [[first; N]; R];
            unrolled!(l < (R - 1) * S + K, {
                let line = lines.numbers.as_ptr().add(l * lines.pitch);
                unrolled!(kx < K, at most 5, {
                    let tap = match S {
                        1 => line.add(kx),
                        _ => line.add(kx % 2 * lines.odd + kx / 2),
                    };
                    let mut taps = [first; N];
                    unrolled!(n < N, at most 2, {
                        taps[n] = V::load(tap.add(columns[n]));
                    });
                    unrolled!(r < R, at most 4, {
                        if const { meets(l, r * S, K) } {
                            let k = const { row_at(l, r * S, K) * K + kx };
                            let weight = match K {
                                3 => kept[k.min(8)],
                                _ => V::splat(self.weights[k]),
                            };
                            unrolled!(n < N, at most 2, {
                                sums[r][n] = taps[n].fma(weight, sums[r][n]);
                            });
                        }
                    });
                });
            });
            unrolled!(r < R, at most 4, {
                unrolled!(n < N, at most 2, {
                    let to = result.as_mut_ptr().add(r * self.width + columns[n]);
                    self.at_hand.of(sums[r][n]).store(to);
                });
            });
        }
    }
}

/// Lines of a framed plane.
struct Lines<'a> {
    numbers: &'a [f32],
    /// Numbers from line to line.
    pitch: usize,
    /// How far the second column lies from the first: for steps of two, where columns with odd numbers begin.
    odd: usize,
}

impl Lines<'_> {
    /// Whether there is all that `R` rows of so many columns are made of.
    #[inline(always)]
    fn has<const K: usize, const S: usize, const R: usize>(&self, width: usize) -> bool {
        let half = width + K / 2;
        let columns = match S {
            1 => self.pitch >= half + K / 2,
            _ => self.odd >= half && self.pitch >= self.odd + half,
        };
        columns && self.numbers.len() >= ((R - 1) * S + K) * self.pitch
    }
}
