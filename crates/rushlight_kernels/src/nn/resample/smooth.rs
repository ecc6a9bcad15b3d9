//! Weighted sums along one dimension of an image at a time.

use super::taps::{Filter, Taps};
use crate::compute::{Compute, round_to};
use crate::isa::multiversion;
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Buffer, DType, Element, threads, watch};

/// Elements that are resampled: each dimension with weights of their own kind.
pub trait Samples: Element {
    /// Resamples the middle one of three dimensions.
    fn along(x: &[Self], input: usize, inner: usize, pass: &Pass) -> Buffer<Self>;
}

/// How one dimension is resampled.
pub struct Pass {
    pub filter: Filter,
    pub output: usize,
    pub align: bool,
    pub factor: Option<f64>,
    /// The 16-bit dtype that weights are rounded to.
    pub narrow: Option<DType>,
}

impl Pass {
    pub fn taps<W: Compute>(&self, input: usize) -> Taps<W> {
        Taps::new(self.filter, input, self.output, self.align, self.factor)
    }
}

macro_rules! floats {
    ($($t:ty)*) => {$(
        impl Samples for $t {
            fn along(x: &[$t], input: usize, inner: usize, pass: &Pass) -> Buffer<$t> {
                let mut taps = pass.taps::<$t>(input);
                if let Some(narrow) = pass.narrow {
                    let rounded = |w: $t| round_to(f64::from(w), narrow) as $t;
                    match pass.filter {
                        Filter::Linear => {
                            for pair in taps.weights.chunks_exact_mut(2) {
                                pair[1] = rounded(pair[1]);
                                pair[0] = rounded(1.0 - pair[1]);
                            }
                        }
                        _ => taps.weights.iter_mut().for_each(|w| *w = rounded(*w)),
                    }
                }
                along(x, input, inner, &taps)
            }
        }
    )*};
}

floats! { f32 f64 }

impl Samples for u8 {
    fn along(x: &[u8], input: usize, inner: usize, pass: &Pass) -> Buffer<u8> {
        let taps = pass.taps::<f64>(input);
        // Weights are integers of 16 bits, with as many bits behind the point as the largest one leaves.
        let most = taps.weights.iter().fold(0.0f64, |m, w| m.max(*w));
        let fits = |bits: i32| (0.5 + most * 2f64.powi(bits + 1)) as i64 >= 1 << 15;
        let bits = (0..22).find(|bits| fits(*bits)).unwrap_or(22);
        let whole = |w: &f64| (w * 2f64.powi(bits)).round() as i32;
        let whole = Taps {
            width: taps.width,
            places: taps.places,
            weights: taps.weights.iter().map(whole).collected(),
        };
        along_bytes(x, input, inner, &whole, bits as u32)
    }
}

fn along_bytes(x: &[u8], input: usize, inner: usize, taps: &Taps<i32>, bits: u32) -> Buffer<u8> {
    let width = taps.width;
    let output = taps.places.len() / width;
    let outer = x.len() / (input * inner).max(1);
    let mut out = Buffer::<u8>::unspecified(memory::times([outer, output, inner]));
    let half = match bits {
        0 => 0,
        bits => 1i32 << (bits - 1),
    };
    let size = (input * inner).max(1);
    let results = out.chunks_exact_mut((output * inner).max(1)).take(outer);
    if inner == 1 {
        let lines = x.chunks_exact(size).zip(results);
        byte_lines(lines, taps, bits, half);
        return out;
    }
    let mut sums = memory::filled(inner, 0i32);
    for (image, result) in x.chunks_exact(size).zip(results) {
        watch::poll();
        for (o, row) in result.chunks_exact_mut(inner.max(1)).enumerate() {
            watch::poll();
            sums.fill(half);
            let at = o * width..(o + 1) * width;
            let taps = taps.places[at.clone()].iter().zip(&taps.weights[at]);
            for (place, w) in taps.filter(|(_, w)| **w != 0) {
                add_bytes(&mut sums, &image[place * inner..][..inner], *w);
            }
            for (r, sum) in row.iter_mut().zip(&sums) {
                *r = (sum >> bits).clamp(0, 255) as u8;
            }
        }
    }
    out
}

/// Resamples lines of bytes. Positions that are neighbours are read one behind the other.
fn byte_lines<'a>(
    lines: impl Iterator<Item = (&'a [u8], &'a mut [u8])>,
    taps: &Taps<i32>,
    bits: u32,
    half: i32,
) {
    let width = taps.width;
    let all = || {
        let places = taps.places.chunks_exact(width);
        places.zip(taps.weights.chunks_exact(width))
    };
    // Of each output: the first position, and how many weights count where the positions are neighbours.
    let run = |(places, weights): (&[usize], &[i32])| {
        let count = weights
            .iter()
            .rposition(|w| *w != 0)
            .map_or(0, |last| last + 1);
        let mut near = places[..count].iter().enumerate();
        near.all(|(j, place)| *place == places[0] + j)
            .then_some((places[0], count))
    };
    let runs: Vec<Option<(usize, usize)>> = all().map(run).collected();
    for (line, out) in lines {
        watch::poll();
        for ((out, run), (places, weights)) in out.iter_mut().zip(&runs).zip(all()) {
            let product =
                |sum: i32, (x, w): (&u8, &i32)| sum.wrapping_add(i32::from(*x).wrapping_mul(*w));
            let sum = match *run {
                Some((first, count)) => line[first..][..count]
                    .iter()
                    .zip(weights)
                    .fold(half, product),
                None => places
                    .iter()
                    .map(|p| &line[*p])
                    .zip(weights)
                    .fold(half, product),
            };
            *out = (sum >> bits).clamp(0, 255) as u8;
        }
    }
}

multiversion! {
    /// Adds `a x`.
    fn add_bytes(out: &mut [i32], x: &[u8], a: i32) = add_bytes_body
}

#[inline(always)]
fn add_bytes_body<const FUSED: bool>(out: &mut [i32], x: &[u8], a: i32) {
    for (o, x) in out.iter_mut().zip(x) {
        *o = o.wrapping_add(i32::from(*x).wrapping_mul(a));
    }
}

/// Resamples the middle one of three dimensions.
pub fn along<W: Compute>(x: &[W], input: usize, inner: usize, taps: &Taps<W>) -> Buffer<W> {
    let width = taps.width;
    let output = taps.places.len() / width;
    let outer = x.len() / (input * inner).max(1);
    let mut out = Buffer::<W>::unspecified(memory::times([outer, output, inner]));
    let size = input * inner;
    if inner == 1 {
        threads::split_rows(&mut out, output, 1, output * width, &|lines, out| {
            for (number, out) in lines.zip(out.chunks_exact_mut(output.max(1))) {
                watch::poll();
                along_line(&x[number * size..][..size], taps, out);
            }
        });
        return out;
    }
    threads::split_rows(&mut out, inner, 1, inner * width, &|rows, out| {
        for (number, row) in rows.zip(out.chunks_exact_mut(inner.max(1))) {
            watch::poll();
            let (image, o) = (number / output * size, number % output);
            let image = &x[image..image + size];
            let places = &taps.places[o * width..(o + 1) * width];
            let weights = &taps.weights[o * width..(o + 1) * width];
            let line = |place: usize| &image[place * inner..][..inner];
            if let ([first, second], [a, b]) = (places, weights) {
                blend(row, line(*first), line(*second), *a, *b);
                continue;
            }
            row.fill(W::ZERO);
            for (place, weight) in places.iter().zip(weights) {
                watch::poll();
                add_scaled(row, line(*place), *weight);
            }
        }
    });
    out
}

/// Resamples a line.
fn along_line<W: Compute>(line: &[W], taps: &Taps<W>, out: &mut [W]) {
    let (places, weights) = (&taps.places, &taps.weights);
    if taps.width == 2 {
        let pairs = places.chunks_exact(2).zip(weights.chunks_exact(2));
        for (o, (p, w)) in out.iter_mut().zip(pairs) {
            *o = W::ZERO + line[p[0]] * w[0] + line[p[1]] * w[1];
        }
        return;
    }
    let all = places
        .chunks_exact(taps.width)
        .zip(weights.chunks_exact(taps.width));
    for (o, (places, weights)) in out.iter_mut().zip(all) {
        let terms = places.iter().zip(weights);
        *o = terms.fold(W::ZERO, |s, (p, w)| s + line[*p] * *w);
    }
}

multiversion! {
    /// `out = a x + b y`.
    fn blend<W: Compute>(out: &mut [W], x: &[W], y: &[W], a: W, b: W) = blend_body
}

#[inline(always)]
fn blend_body<const FUSED: bool, W: Compute>(out: &mut [W], x: &[W], y: &[W], a: W, b: W) {
    for ((o, x), y) in out.iter_mut().zip(x).zip(y) {
        *o = W::ZERO + *x * a + *y * b;
    }
}

multiversion! {
    /// Adds `a x`.
    fn add_scaled<W: Compute>(out: &mut [W], x: &[W], a: W) = add_scaled_body
}

#[inline(always)]
fn add_scaled_body<const FUSED: bool, W: Compute>(out: &mut [W], x: &[W], a: W) {
    for (o, x) in out.iter_mut().zip(x) {
        *o += *x * a;
    }
}
