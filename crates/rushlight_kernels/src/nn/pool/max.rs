//! The largest elements over windows of a plane.

use super::window::Windows;
use crate::isa::multiversion;
use rushlight_tensor::{Real, lanes, memory, watch};

/// The maxima of one plane and where they are; a NaN beats everything.
pub fn plane_maxima<T: Real>(w: &Windows, image: &[T], out: &mut [T], indices: &mut [i64]) {
    let mut at = 0;
    for oz in 0..w.output[0] {
        watch::poll();
        let (z0, z1) = w.covered(0, oz);
        for oy in 0..w.output[1] {
            watch::poll();
            let (y0, y1) = w.covered(1, oy);
            for ox in 0..w.output[2] {
                let (x0, x1) = w.covered(2, ox);
                let mut best = T::LOWEST;
                let mut place = (z0 * w.input[1] + y0) * w.input[2] + x0;
                for z in (z0..z1).step_by(w.dilation[0]) {
                    for y in (y0..y1).step_by(w.dilation[1]) {
                        let row = (z * w.input[1] + y) * w.input[2];
                        for x in (x0..x1).step_by(w.dilation[2]) {
                            let value = image[row + x];
                            if value > best || value.is_nan() {
                                best = value;
                                place = row + x;
                            }
                        }
                    }
                }
                out[at] = best;
                indices[at] = place as i64;
                at += 1;
            }
        }
    }
}

/// The larger of two, NaN if either is.
#[inline(always)]
fn larger<T: Real>(a: T, b: T) -> T {
    if b > a || b.is_nan() { b } else { a }
}

multiversion! {
    /// The maxima of one plane: rows of the window are joined first, which runs along memory, then columns.
    pub fn plane_maxima_only<T: Real>(w: &Windows, image: &[T], out: &mut [T]) = run_plane
}

#[inline(always)]
fn run_plane<const FUSED: bool, T: Real>(w: &Windows, image: &[T], out: &mut [T]) {
    let width = w.input[2];
    let (count, stride) = (w.output[2], w.stride[2]);
    let reach = (w.kernel[2].max(1) - 1).saturating_mul(w.dilation[2]);
    // The windows that lie in the row as a whole: for these the loop over windows is the inner one.
    let first = w.padding[2].div_ceil(stride).min(count);
    let last = match (width + w.padding[2]).checked_sub(reach + 1) {
        Some(room) => (room / stride + 1).clamp(first, count),
        None => first,
    };
    // Windows of one row need no rows joined.
    let is_single = w.kernel[..2] == [1, 1];
    let mut joined = memory::filled(if is_single { 0 } else { width }, T::LOWEST);
    for oz in 0..w.output[0] {
        watch::poll();
        let (z0, z1) = w.covered(0, oz);
        for oy in 0..w.output[1] {
            watch::poll();
            let (y0, y1) = w.covered(1, oy);
            let row_at = |z: usize, y: usize| &image[(z * w.input[1] + y) * width..][..width];
            let joined = if is_single && z0 < z1 && y0 < y1 {
                row_at(z0, y0)
            } else {
                joined.resize(width, T::LOWEST);
                joined.fill(T::LOWEST);
                for z in (z0..z1).step_by(w.dilation[0]) {
                    for y in (y0..y1).step_by(w.dilation[1]) {
                        lanes::merge(&mut joined, row_at(z, y), larger);
                    }
                }
                &joined[..]
            };
            let line = &mut out[(oz * w.output[1] + oy) * count..][..count];
            for ox in (0..first).chain(last..count) {
                let (x0, x1) = w.covered(2, ox);
                let mut best = T::LOWEST;
                for x in (x0..x1).step_by(w.dilation[2]) {
                    best = larger(best, joined[x]);
                }
                line[ox] = best;
            }
            let whole = &mut line[first..last];
            if whole.is_empty() {
                continue;
            }
            if [w.kernel[2], stride, w.dilation[2]] == [2, 2, 1] {
                let (pairs, _) = joined[first * stride - w.padding[2]..].as_chunks::<2>();
                for (best, [a, b]) in whole.iter_mut().zip(pairs) {
                    *best = larger(*a, *b);
                }
                continue;
            }
            whole.fill(T::LOWEST);
            for k in 0..w.kernel[2] {
                let from = &joined[first * stride + k * w.dilation[2] - w.padding[2]..];
                match stride {
                    1 => join::<T, 1>(whole, from),
                    2 => join::<T, 2>(whole, from),
                    _ => {
                        for (best, x) in whole.iter_mut().zip(from.iter().step_by(stride)) {
                            *best = larger(*best, *x);
                        }
                    }
                }
            }
        }
    }
}

/// The larger ones of results and of every `S`th number.
#[inline(always)]
fn join<T: Real, const S: usize>(whole: &mut [T], from: &[T]) {
    let count = whole.len();
    assert!(count == 0 || (count - 1) * S < from.len());
    lanes::merge_every::<T, S>(whole, from, larger);
}

/// The maxima of pictures whose channels come last; `line` is the number of the first row of results.
pub fn pixel_maxima<T: Real>(
    w: &Windows,
    pictures: &[T],
    channels: usize,
    line: usize,
    out: &mut [T],
) {
    let picture = w.input[1] * w.input[2] * channels;
    for (line, out) in (line..).zip(out.chunks_mut((w.output[2] * channels).max(1))) {
        watch::poll();
        let from = &pictures[line / w.output[1] * picture..][..picture];
        row_maxima(w, from, channels, line % w.output[1], out);
    }
}

multiversion! {
    fn row_maxima<T: Real>(w: &Windows, picture: &[T], channels: usize, y: usize, out: &mut [T]) = run_row
}

#[inline(always)]
fn run_row<const FUSED: bool, T: Real>(
    w: &Windows,
    picture: &[T],
    channels: usize,
    y: usize,
    out: &mut [T],
) {
    let wide = w.input[2];
    let (y0, y1) = w.covered(1, y);
    for (x, out) in out.chunks_mut(channels.max(1)).enumerate() {
        let (x0, x1) = w.covered(2, x);
        out.fill(T::LOWEST);
        for y in (y0..y1).step_by(w.dilation[1]) {
            for x in (x0..x1).step_by(w.dilation[2]) {
                let values = &picture[(y * wide + x) * channels..][..channels];
                lanes::merge(out, values, larger);
            }
        }
    }
}
