//! Means and largest elements over windows that divide a plane.

use crate::compute::Compute;
use rushlight_tensor::{Real, watch};

/// The half-open range of input positions behind output position `o`.
fn range(o: usize, input: usize, output: usize) -> (usize, usize) {
    (o * input / output, ((o + 1) * input).div_ceil(output))
}

/// The sum of a slice over independent lanes.
pub fn lane_sum<W: Compute>(values: &[W]) -> W {
    let mut lanes = [W::ZERO; 16];
    let chunks = values.chunks_exact(16);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += *value;
        }
    }
    let tail = rest.iter().fold(W::ZERO, |s, v| s + *v);
    lanes.iter().fold(tail, |s, v| s + *v)
}

/// `add` makes sums, `mean` the mean of a window's sum and of its sizes.
pub fn plane_means<W: Compute>(
    input: [usize; 3],
    output: [usize; 3],
    image: &[W],
    out: &mut [W],
    add: impl Fn(W, W) -> W,
    mean: impl Fn(W, [usize; 3]) -> W,
) {
    for_each_window(input, output, |at, [z, y, x]| {
        let mut sum = W::ZERO;
        for z in z.0..z.1 {
            for y in y.0..y.1 {
                let row = (z * input[1] + y) * input[2];
                for value in &image[row + x.0..row + x.1] {
                    sum = add(sum, *value);
                }
            }
        }
        out[at] = mean(sum, [z.1 - z.0, y.1 - y.0, x.1 - x.0]);
    });
}

/// Calls `f` with each output position's number and its three ranges of input positions.
fn for_each_window(
    input: [usize; 3],
    output: [usize; 3],
    mut f: impl FnMut(usize, [(usize, usize); 3]),
) {
    let mut at = 0;
    for oz in 0..output[0] {
        watch::poll();
        for oy in 0..output[1] {
            watch::poll();
            for ox in 0..output[2] {
                let z = range(oz, input[0], output[0]);
                let y = range(oy, input[1], output[1]);
                f(at, [z, y, range(ox, input[2], output[2])]);
                at += 1;
            }
        }
    }
}

/// The largest element of each window of a plane, and its place.
pub fn plane_maxima<T: Real>(
    input: [usize; 3],
    output: [usize; 3],
    image: &[T],
    out: &mut [T],
    places: &mut [i64],
) {
    for_each_window(input, output, |at, [z, y, x]| {
        let mut best = T::LOWEST;
        let mut place = (z.0 * input[1] + y.0) * input[2] + x.0;
        for z in z.0..z.1 {
            for y in y.0..y.1 {
                let row = (z * input[1] + y) * input[2];
                for x in x.0..x.1 {
                    let value = image[row + x];
                    if value > best || value.is_nan() {
                        best = value;
                        place = row + x;
                    }
                }
            }
        }
        out[at] = best;
        places[at] = place as i64;
    });
}
