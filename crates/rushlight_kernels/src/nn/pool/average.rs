//! Averages over windows of a plane.

use super::window::{Shape, Windows};
use crate::compute::{Compute, dense};
use crate::isa::multiversion;
use rushlight_tensor::memory;
use rushlight_tensor::{Buffer, Tensor, threads, watch};

/// What a window's sum is divided by.
#[derive(Clone, Copy)]
pub enum Divisor {
    /// Elements of the image in the window.
    Inside,
    /// Elements of the padded image in the window.
    Padded,
    Given(i64),
}

/// `mean` makes the mean of a window's sum and the divisor.
pub fn planes<W: Compute>(
    shape: &Shape,
    w: &Windows,
    t: &Tensor,
    divisor: Divisor,
    mean: impl Fn(W, f64) -> W + Copy + Sync,
) -> Buffer<W> {
    let x = dense::<W>(t);
    let x = x.data::<W>();
    let x = &x[..];
    let (from, to): (usize, usize) = (shape.input.iter().product(), w.output.iter().product());
    let mut out = Buffer::<W>::unspecified(memory::times([shape.planes, to]));
    let (from, to) = (from.max(1), to.max(1));
    threads::split_rows(&mut out, to, 1, w.cost(), &|planes, out| {
        let x = x.get(planes.start * from..).unwrap_or_default();
        for (image, plane) in x.chunks(from).zip(out.chunks_mut(to)) {
            plane_means(w, image, plane, divisor, mean);
        }
    });
    out
}

/// As [`planes`], of pictures whose channels come last.
pub fn pixels<W: Compute>(
    w: &Windows,
    t: &Tensor,
    (batch, channels): (usize, usize),
    divisor: Divisor,
    mean: impl Fn(W, f64) -> W + Copy + Sync,
) -> Buffer<W> {
    let x = dense::<W>(t);
    let x = x.data::<W>();
    let x = &x[..];
    let [_, height, width] = w.output;
    let picture = w.input[1] * w.input[2] * channels;
    let mut out = Buffer::<W>::unspecified(memory::times([batch, height, width, channels]));
    let cost = (w.cost() / height.max(1)).saturating_mul(channels) / 8;
    let line = (width * channels).max(1);
    threads::split_rows(&mut out, line, 1, cost, &|lines, out| {
        for (number, out) in lines.zip(out.chunks_mut(line)) {
            watch::poll();
            let (y, image) = (number % height, number / height * picture);
            row_sums(w, &x[image..][..picture], channels, y, out);
            for (x, pixel) in out.chunks_mut(channels.max(1)).enumerate() {
                if let Some(count) = count(w, divisor, [0, y, x]) {
                    pixel.iter_mut().for_each(|sum| *sum = mean(*sum, count));
                }
            }
        }
    });
    out
}

multiversion! {
    /// The sums of the windows of a line of results.
    fn row_sums<W: Compute>(w: &Windows, picture: &[W], channels: usize, y: usize, out: &mut [W]) = sum_row
}

#[inline(always)]
fn sum_row<const FUSED: bool, W: Compute>(
    w: &Windows,
    picture: &[W],
    channels: usize,
    y: usize,
    out: &mut [W],
) {
    let (y0, y1) = w.covered(1, y);
    for (x, out) in out.chunks_mut(channels.max(1)).enumerate() {
        let (x0, x1) = w.covered(2, x);
        out.fill(W::ZERO);
        for y in y0..y1 {
            for x in x0..x1 {
                let values = &picture[(y * w.input[2] + x) * channels..][..channels];
                for (sum, value) in out.iter_mut().zip(values) {
                    *sum += *value;
                }
            }
        }
    }
}

/// What the sum of a window is divided by, unless nothing of the image is in it.
#[inline(always)]
fn count(w: &Windows, divisor: Divisor, window: [usize; 3]) -> Option<f64> {
    let product = |size: &dyn Fn(usize) -> usize| (0..3).map(size).product::<usize>();
    let inside = product(&|d| {
        let (first, end) = w.covered(d, window[d]);
        end - first
    });
    // How many positions of the window lie inside the padded image.
    let padded = |d: usize| {
        let start = window[d] * w.stride[d];
        let end = (start + w.kernel[d]).min(w.input[d] + 2 * w.padding[d]);
        end.saturating_sub(start)
    };
    (inside > 0).then(|| match divisor {
        Divisor::Given(d) => d as f64,
        Divisor::Padded => product(&padded) as f64,
        Divisor::Inside => inside as f64,
    })
}

fn plane_means<W: Compute>(
    w: &Windows,
    image: &[W],
    out: &mut [W],
    divisor: Divisor,
    mean: impl Fn(W, f64) -> W,
) {
    let mut at = 0;
    for oz in 0..w.output[0] {
        watch::poll();
        let (z0, z1) = w.covered(0, oz);
        for oy in 0..w.output[1] {
            watch::poll();
            let (y0, y1) = w.covered(1, oy);
            for ox in 0..w.output[2] {
                let (x0, x1) = w.covered(2, ox);
                let mut sum = W::ZERO;
                for z in z0..z1 {
                    for y in y0..y1 {
                        let row = (z * w.input[1] + y) * w.input[2];
                        for value in &image[row + x0..row + x1] {
                            sum += *value;
                        }
                    }
                }
                out[at] = match count(w, divisor, [oz, oy, ox]) {
                    Some(count) => mean(sum, count),
                    None => W::ZERO,
                };
                at += 1;
            }
        }
    }
}
