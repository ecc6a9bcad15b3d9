//! Windows at random places, and the largest element of each.

use rushlight_tensor::memory;
use rushlight_tensor::{Real, watch};

/// Where the windows along one dimension start: steps of `alpha` from a random phase, the last at the very end.
pub fn starts<T: Real>(
    sample: T,
    input: usize,
    output: usize,
    kernel: usize,
    narrow: bool,
) -> Vec<usize> {
    let mut all = memory::with_capacity(output);
    if output > 1 {
        // The arithmetic is that of the samples' type.
        let place = |i: usize| -> usize {
            if narrow {
                let u = sample.to_f64() as f32;
                let alpha = (input - kernel) as f32 / (output - 1) as f32;
                (((i as f32 + u) * alpha) as i64 - (u * alpha) as i64) as usize
            } else {
                let u = sample.to_f64();
                let alpha = (input - kernel) as f64 / (output - 1) as f64;
                (((i as f64 + u) * alpha) as i64 - (u * alpha) as i64) as usize
            }
        };
        all.extend((0..output - 1).map(place));
    }
    all.push(input - kernel);
    all
}

/// The largest element of each window of a plane, and its place.
pub fn maxima<T: Real>(
    input: [usize; 3],
    window: [usize; 3],
    starts: &[Vec<usize>; 3],
    image: &[T],
    out: &mut [T],
    indices: &mut [i64],
) {
    let mut at = 0;
    for &z0 in &starts[0] {
        watch::poll();
        for &y0 in &starts[1] {
            watch::poll();
            for &x0 in &starts[2] {
                let mut best = T::LOWEST;
                let mut place = (z0 * input[1] + y0) * input[2] + x0;
                for z in z0..z0 + window[0] {
                    for y in y0..y0 + window[1] {
                        let row = (z * input[1] + y) * input[2];
                        for x in x0..x0 + window[2] {
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
