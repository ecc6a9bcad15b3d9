//! Bands of an image's rows, copied with the zeros around them so that no vector has to leave anything out. Where the stride
//! is two, the columns with even numbers are put before those with odd ones: a vector of results then meets neighbours.

use super::geometry::Geometry;
use crate::vector::Vector;
use rushlight_tensor::memory;

/// Numbers of a band's copy, about: half of a first-level cache.
pub const BAND: usize = 4096;

/// Numbers of a line of a cache.
const CACHE_LINE: usize = 16;

/// Rows of some images with the zeros around them.
pub struct Band {
    numbers: Vec<f32>,
    /// Where a line of the cache begins in them.
    start: usize,
    /// How many images there is room for.
    pub images: usize,
    /// Lines of each.
    lines: usize,
    /// Numbers from line to line.
    pub line: usize,
    /// Where the image's columns with even numbers begin in a line, and those with odd ones; where the stride is one, the
    /// first is where all begin.
    begins: [usize; 2],
    /// Where in the numbers each tap lies from the first.
    pub offsets: Vec<usize>,
}

impl Band {
    /// A band for so many rows of the result, whose vectors have `lanes` numbers, and for as many images as it is told for
    /// the numbers of one.
    pub fn new(
        g: &Geometry,
        rows: usize,
        lanes: usize,
        images: impl FnOnce(usize) -> usize,
    ) -> Band {
        let (step, before) = (g.stride[2], g.before[2]);
        let padded = before + g.input[2] + g.after[2];
        // Whole vectors are written: what they have past the image's columns are zeros.
        let columns = g.input[2].div_ceil(step).next_multiple_of(lanes);
        let half = (before.div_ceil(step) + columns).max(padded.div_ceil(step));
        // Short vectors of short rows lie in one line of a cache each.
        let half = match half {
            ..=CACHE_LINE => CACHE_LINE,
            _ => half,
        };
        let begins = match step {
            1 => [before, 0],
            _ => [0, 1].map(|odd| (before + odd) % 2 * half + (before + odd) / 2),
        };
        let line = half * step;
        let mut offsets = memory::with_capacity(g.taps());
        for y in 0..g.kernel[1] {
            for x in 0..g.kernel[2] {
                let column = x * g.dilation[2];
                offsets.push(y * g.dilation[1] * line + column % step * half + column / step);
            }
        }
        let lines = (rows - 1) * g.stride[1] + (g.kernel[1] - 1) * g.dilation[1] + 1;
        // A row shorter than a vector is read past its end.
        let images = images(lines * line);
        let count = images * lines * line + lanes + CACHE_LINE;
        let mut numbers: Vec<f32> = memory::with_capacity(count);
        numbers.resize(count, 0.0);
        let start = numbers.as_ptr().align_offset(CACHE_LINE * size_of::<f32>());
        Band {
            start: start.min(CACHE_LINE),
            numbers,
            images,
            lines,
            line,
            begins,
            offsets,
        }
    }

    /// Where an image's numbers begin.
    pub fn at(&self, number: usize) -> &[f32] {
        &self.numbers[self.start + number * self.lines * self.line..]
    }

    /// Where in the numbers each tap of each image lies from the first.
    pub fn of_all_images(&self) -> Vec<usize> {
        let mut offsets = memory::with_capacity(self.images * self.offsets.len());
        for image in 0..self.images {
            let begin = image * self.lines * self.line;
            offsets.extend(self.offsets.iter().map(|offset| begin + offset));
        }
        offsets
    }

    /// Copies rows of an image, from one with a number on that may lie outside. `same` says that it was the same one the last
    /// time.
    ///
    /// # Safety
    /// The processor has the vectors' instructions.
    #[inline(always)]
    pub unsafe fn fill<V: Vector, const S: usize>(
        &mut self,
        number: usize,
        g: &Geometry,
        image: &[f32],
        first: isize,
        same: bool,
    ) {
        let (high, wide) = (g.input[1], g.input[2]);
        assert!(image.len() == high * wide && g.stride[2] == S);
        let columns = wide.div_ceil(S).next_multiple_of(V::WIDTH);
        assert!(self.begins[..S].iter().all(|b| b + columns <= self.line));
        let tail = wide % (S * V::WIDTH);
        let bits = (1u64 << tail) - 1;
        // SAFETY: passed on.
        let read = unsafe { [V::mask(bits as u32), V::mask((bits >> V::WIDTH) as u32)] };
        let size = self.lines * self.line;
        let numbers = &mut self.numbers[self.start + number * size..][..size];
        // The lines that are rows of the image.
        let line_of = |row: usize| (row as isize - first).clamp(0, self.lines as isize) as usize;
        let (from, to) = (line_of(0), line_of(high));
        if !same {
            numbers[..from * self.line].fill(0.0);
            numbers[to * self.line..].fill(0.0);
        }
        if from == to {
            return;
        }
        let rows = &image[(first + from as isize) as usize * wide..][..(to - from) * wide];
        let lines = numbers[from * self.line..to * self.line].chunks_exact_mut(self.line);
        for (line, row) in lines.zip(rows.chunks_exact(wide)) {
            let from = row.as_ptr();
            // SAFETY: passed on. Vectors are read within the row, the last ones as far as the row goes; what is written lies
            // within the line, as asserted.
            unsafe {
                let to = self
                    .begins
                    .map(|begin| line.as_mut_ptr().wrapping_add(begin));
                let put = |x: usize, numbers: [V; 2]| {
                    if S == 1 {
                        numbers[0].store(to[0].add(x));
                    } else {
                        numbers[0].evens(numbers[1]).store(to[0].add(x / 2));
                        numbers[0].odds(numbers[1]).store(to[1].add(x / 2));
                    }
                };
                let mut x = 0;
                while x + S * V::WIDTH <= wide {
                    let near = V::load(from.add(x));
                    let far = if S == 1 {
                        near
                    } else {
                        V::load(from.add(x + V::WIDTH))
                    };
                    put(x, [near, far]);
                    x += S * V::WIDTH;
                }
                if tail > 0 {
                    let near = V::load_chosen(from.add(x), read[0]);
                    let far = match S {
                        1 => near,
                        _ => V::load_chosen(from.wrapping_add(x + V::WIDTH), read[1]),
                    };
                    put(x, [near, far]);
                }
            }
        }
    }
}
