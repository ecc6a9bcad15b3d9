//! Averages over windows of a plane.

use super::window::{Shape, Windows};
use crate::compute::{Compute, dense};
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

fn plane_means<W: Compute>(
    w: &Windows,
    image: &[W],
    out: &mut [W],
    divisor: Divisor,
    mean: impl Fn(W, f64) -> W,
) {
    // How many positions of the window lie inside the padded image.
    let padded = |d: usize, o: usize| {
        let start = o * w.stride[d];
        (start + w.kernel[d])
            .min(w.input[d] + 2 * w.padding[d])
            .saturating_sub(start)
    };
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
                let count = match divisor {
                    Divisor::Given(d) => d as f64,
                    Divisor::Padded => (padded(0, oz) * padded(1, oy) * padded(2, ox)) as f64,
                    Divisor::Inside => ((z1 - z0) * (y1 - y0) * (x1 - x0)) as f64,
                };
                out[at] = if z0 == z1 || y0 == y1 || x0 == x1 {
                    W::ZERO
                } else {
                    mean(sum, count)
                };
                at += 1;
            }
        }
    }
}
