//! Places between the pixels of an image.

use crate::compute::{Compute, Wide};

/// Reflects a position between two borders, given at twice their places.
pub fn reflect<W: Compute>(x: W, low: f64, high: f64) -> W {
    if low == high {
        return <W as Wide>::ZERO;
    }
    let (min, span) = (W::of(low / 2.0), W::of((high - low) / 2.0));
    let x = (x - min).abs();
    let flips = (x / span).floor();
    let extra = x - flips * span;
    if flips.f64() % 2.0 == 0.0 {
        extra + min
    } else {
        span - extra + min
    }
}

/// The place of a tap outside the image.
pub const NOWHERE: usize = usize::MAX;

/// The elements of an image that make the values at some points: as many taps for each.
pub struct Plan<W> {
    /// Taps of a point.
    each: usize,
    /// Elements by their places, with weights.
    pub taps: Vec<(usize, W)>,
    /// Weights of runs of four taps, where those are no part of the taps' own.
    pub runs: Vec<W>,
    /// How the weights grow along the dimensions of the grid, where that was asked for.
    pub slopes: Vec<[W; 3]>,
    /// For each tap, the sum over images of its element times the gradient of the point.
    sums: Vec<W>,
}

impl<W: Compute> Plan<W> {
    /// For points with `each` taps.
    pub fn new(each: usize) -> Plan<W> {
        Plan {
            each,
            taps: Vec::new(),
            runs: Vec::new(),
            slopes: Vec::new(),
            sums: Vec::new(),
        }
    }

    pub fn clear(&mut self) {
        self.taps.clear();
        self.runs.clear();
        self.slopes.clear();
        self.sums.clear();
    }

    /// The values of an image at the points.
    pub fn read(&self, image: &[W], out: &mut [W]) {
        if !self.runs.is_empty() {
            let runs = self.taps.as_chunks::<4>().0.iter().zip(&self.runs);
            let mut sums = runs.map(|(taps, weight)| *weight * value(taps, image));
            for out in out {
                let own = sums.by_ref().take(self.each / 4);
                *out = own.fold(<W as Wide>::ZERO, |all, sum| all + sum);
            }
            return;
        }
        match self.each {
            1 => read_points(self.taps.as_chunks::<1>().0, image, out),
            4 => read_points(self.taps.as_chunks::<4>().0, image, out),
            _ => {
                for (taps, out) in self.taps.chunks_exact(self.each).zip(out) {
                    *out = taps.iter().fold(<W as Wide>::ZERO, |sum, tap| {
                        add(sum, tap, image, self.outside())
                    });
                }
            }
        }
    }

    /// Whether weights of taps outside count, times nothing: those of volumes do not.
    fn outside(&self) -> bool {
        self.each != 8
    }

    /// As [`Plan::read`] from four images of `plane` elements, one behind the other, at up to as many points as there is room for.
    pub fn read_four<const P: usize>(&self, images: &[W], plane: usize, out: &mut [[W; P]; 4]) {
        let (a, rest) = images.split_at(plane);
        let (b, rest) = rest.split_at(plane);
        let (c, rest) = rest.split_at(plane);
        let images = [a, b, c, &rest[..plane]];
        let outside = self.outside();
        let mut put = |point: usize, values: [W; 4]| {
            for (out, value) in out.iter_mut().zip(values) {
                out[point] = value;
            }
        };
        if !self.runs.is_empty() {
            let runs = self.runs.chunks_exact(self.each / 4);
            let points = self.taps.chunks_exact(self.each).zip(runs);
            for (point, (taps, runs)) in points.enumerate().take(P) {
                let mut sums = [<W as Wide>::ZERO; 4];
                for (taps, weight) in taps.as_chunks::<4>().0.iter().zip(runs) {
                    let values = four_values(taps, images, outside);
                    sums = std::array::from_fn(|k| sums[k] + *weight * values[k]);
                }
                put(point, sums);
            }
            return;
        }
        if self.each == 4 {
            for (point, taps) in self.taps.as_chunks::<4>().0.iter().enumerate().take(P) {
                put(point, four_values(taps, images, outside));
            }
            return;
        }
        for (point, taps) in self.taps.chunks_exact(self.each).enumerate().take(P) {
            put(point, four_values(taps, images, outside));
        }
    }

    /// Adds to the gradient of an image, by those of its values at the points.
    pub fn back(&mut self, grad: &[W], image: &[W], to_image: &mut [W]) {
        self.sums.resize(self.taps.len(), <W as Wide>::ZERO);
        match self.each {
            4 => {
                let (taps, sums) = (
                    self.taps.as_chunks::<4>().0,
                    self.sums.as_chunks_mut::<4>().0,
                );
                for ((taps, sums), grad) in taps.iter().zip(sums).zip(grad) {
                    back_point(taps, sums, *grad, image, to_image);
                }
            }
            each => {
                let taps = self.taps.chunks_exact(each);
                for ((taps, sums), grad) in taps.zip(self.sums.chunks_exact_mut(each)).zip(grad) {
                    back_point(taps, sums, *grad, image, to_image);
                }
            }
        }
    }

    /// The gradients of the points' `dims` numbers.
    pub fn finish(&self, to_grid: &mut [W], dims: usize) {
        let taps = self.sums.chunks_exact(self.each);
        let points = taps.zip(self.slopes.chunks_exact(self.each));
        for ((sums, slopes), to) in points.zip(to_grid.chunks_exact_mut(dims)) {
            for (sum, slopes) in sums.iter().zip(slopes) {
                for (to, slope) in to.iter_mut().zip(slopes) {
                    *to += *sum * *slope;
                }
            }
        }
    }
}

/// A tap outside counts as one of nothing if `outside`, so that a weight that is no number shows.
#[inline(always)]
fn add<W: Compute>(sum: W, (place, weight): &(usize, W), image: &[W], outside: bool) -> W {
    match image.get(*place) {
        Some(value) => sum + *value * *weight,
        None if outside => sum + <W as Wide>::ZERO * *weight,
        None => sum,
    }
}

/// The sums of some taps in four images of one size.
#[inline(always)]
fn four_values<W: Compute>(taps: &[(usize, W)], [a, b, c, d]: [&[W]; 4], outside: bool) -> [W; 4] {
    let mut sums = [<W as Wide>::ZERO; 4];
    let n = a.len().min(b.len()).min(c.len()).min(d.len());
    for (place, weight) in taps {
        if *place < n {
            let values = [a[*place], b[*place], c[*place], d[*place]];
            sums = std::array::from_fn(|k| sums[k] + values[k] * *weight);
        } else if outside {
            sums = sums.map(|sum| sum + <W as Wide>::ZERO * *weight);
        }
    }
    sums
}

fn read_points<W: Compute, const T: usize>(taps: &[[(usize, W); T]], image: &[W], out: &mut [W]) {
    for (taps, out) in taps.iter().zip(out) {
        *out = value(taps, image);
    }
}

/// The sum of some taps.
#[inline(always)]
fn value<W: Compute, const T: usize>(taps: &[(usize, W); T], image: &[W]) -> W {
    taps.iter()
        .fold(<W as Wide>::ZERO, |sum, tap| add(sum, tap, image, true))
}

#[inline(always)]
fn back_point<W: Compute>(
    taps: &[(usize, W)],
    sums: &mut [W],
    grad: W,
    image: &[W],
    to_image: &mut [W],
) {
    for ((place, weight), sum) in taps.iter().zip(sums) {
        if let (Some(value), Some(to)) = (image.get(*place), to_image.get_mut(*place)) {
            *sum += *value * grad;
            *to += grad * *weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_images_are_read_as_one_is() {
        let images: Vec<f64> = (0..40).map(|v| f64::from(v * 7 % 11)).collect();
        for (each, runs) in [(1, 0), (4, 0), (8, 0), (16, 4)] {
            let mut plan = Plan::new(each);
            for i in 0..3 * each {
                let place = if i % 5 == 4 { NOWHERE } else { i * 3 % 10 };
                plan.taps.push((place, 0.5 + i as f64));
            }
            plan.runs = (0..3 * runs).map(|i| i as f64 - 2.0).collect();
            let mut four = [[0.0; 3]; 4];
            plan.read_four(&images, 10, &mut four);
            for (image, values) in images.chunks_exact(10).zip(four) {
                let mut one = [0.0; 3];
                plan.read(image, &mut one);
                assert_eq!(one, values);
            }
        }
    }
}
