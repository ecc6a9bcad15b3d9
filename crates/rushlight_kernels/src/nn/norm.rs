//! Normalising rows to mean 0 and variance 1.

use crate::compute::Compute;
use crate::isa::{fma, multiversion};
use rushlight_tensor::watch;

/// The sum of a slice, by independent lanes.
#[inline(always)]
pub fn lane_sum<W: Compute>(x: &[W], f: impl Fn(W) -> W) -> W {
    let mut lanes = [W::ZERO; 16];
    // Four vectors side by side, so that none waits for the one before.
    let mut wide = [W::ZERO; 64];
    let chunks = x.chunks_exact(64);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (l, v) in wide.iter_mut().zip(chunk) {
            *l += f(*v);
        }
    }
    for part in wide.chunks_exact(16) {
        for (l, v) in lanes.iter_mut().zip(part) {
            *l += *v;
        }
    }
    let chunks = rest.chunks_exact(16);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (l, v) in lanes.iter_mut().zip(chunk) {
            *l += f(*v);
        }
    }
    let mut width = 8;
    while width > 0 {
        for l in 0..width {
            lanes[l] += lanes[l + width];
        }
        width /= 2;
    }
    rest.iter().fold(lanes[0], |s, v| s + f(*v))
}

/// Mean and variance (over `n`, not `n - 1`) of a row.
#[inline(always)]
pub fn moments<W: Compute>(row: &[W]) -> (W, W) {
    let n = W::of(row.len() as f64);
    // From the first element on, so that the mean of equal numbers is that number.
    let first = row.first().copied().unwrap_or(W::ZERO);
    let mean = first + lane_sum(row, |v| v - first) / n;
    let variance = lane_sum(row, |v| (v - mean) * (v - mean)) / n;
    (mean, variance)
}

/// What normalisation computes besides its result.
pub struct Output<'a, W: Compute> {
    pub values: &'a mut [W],
    pub mean: &'a mut [W],
    pub rstd: &'a mut [W],
}

/// The arguments of the row kernel.
pub struct Affine<'a, W> {
    pub weight: Option<&'a [W]>,
    pub bias: Option<&'a [W]>,
    pub eps: W,
    /// Whether elements are scaled before the mean is taken away, as those of 16-bit floats are.
    pub shifted: bool,
}

multiversion! {
    /// Normalises each run of `n` elements; weight and bias have `n` elements.
    pub fn normalise_rows<W: Compute>(x: &[W], out: &mut Output<'_, W>, n: usize, affine: &Affine<'_, W>) = normalise_rows_body
}

#[inline(always)]
fn normalise_rows_body<const FUSED: bool, W: Compute>(
    x: &[W],
    out: &mut Output<'_, W>,
    n: usize,
    affine: &Affine<'_, W>,
) {
    for (i, (row, to)) in x
        .chunks_exact(n)
        .zip(out.values.chunks_exact_mut(n))
        .enumerate()
    {
        watch::poll();
        let (mean, variance) = moments(row);
        let rstd = W::ONE / (variance + affine.eps).sqrt();
        out.mean[i] = mean;
        out.rstd[i] = rstd;
        let shift = -mean * rstd;
        let normal = |v: W| match affine.shifted {
            true => fma::<W, FUSED>(v, rstd, shift),
            false => (v - mean) * rstd,
        };
        match (affine.weight, affine.bias) {
            (Some(weight), Some(bias)) => {
                for (((o, v), w), b) in to.iter_mut().zip(row).zip(weight).zip(bias) {
                    *o = fma::<W, FUSED>(normal(*v), *w, *b);
                }
            }
            (weight, bias) => {
                for (o, v) in to.iter_mut().zip(row) {
                    *o = normal(*v);
                }
                if let Some(weight) = weight {
                    to.iter_mut().zip(weight).for_each(|(o, w)| *o *= *w);
                }
                if let Some(bias) = bias {
                    to.iter_mut().zip(bias).for_each(|(o, b)| *o += *b);
                }
            }
        }
    }
}

multiversion! {
    /// Divides each run of `n` elements by the root of the mean of their squares; `weight` has `n` elements.
    pub fn rms_rows<W: Compute>(x: &[W], out: &mut [W], rstd: &mut [W], n: usize, affine: &Affine<'_, W>) = rms_rows_body
}

#[inline(always)]
fn rms_rows_body<const FUSED: bool, W: Compute>(
    x: &[W],
    out: &mut [W],
    rstd: &mut [W],
    n: usize,
    affine: &Affine<'_, W>,
) {
    let rows = x.chunks_exact(n).zip(out.chunks_exact_mut(n)).zip(rstd);
    for ((from, to), rstd) in rows {
        watch::poll();
        let mean = lane_sum(from, |v| v * v) / W::of(n as f64);
        *rstd = W::ONE / (mean + affine.eps).sqrt();
        match affine.weight {
            Some(w) => {
                for ((o, v), w) in to.iter_mut().zip(from).zip(w) {
                    *o = *v * *rstd * *w;
                }
            }
            None => {
                for (o, v) in to.iter_mut().zip(from) {
                    *o = *v * *rstd;
                }
            }
        }
    }
}

/// Groups of channels of an image.
#[derive(Clone, Copy)]
pub struct Groups {
    /// Groups of a sample.
    pub groups: usize,
    /// Channels of a group.
    pub channels: usize,
    /// Elements of a channel.
    pub pixels: usize,
}

multiversion! {
    /// Normalises each group, `first` being the number of the first; weight and bias have an element for every channel.
    pub fn normalise_groups<W: Compute>(x: &[W], out: &mut Output<'_, W>, first: usize, of: Groups, affine: &Affine<'_, W>) = normalise_groups_body
}

#[inline(always)]
fn normalise_groups_body<const FUSED: bool, W: Compute>(
    x: &[W],
    out: &mut Output<'_, W>,
    first: usize,
    of: Groups,
    affine: &Affine<'_, W>,
) {
    let row = of.channels * of.pixels;
    let rows = x.chunks_exact(row).zip(out.values.chunks_exact_mut(row));
    for (i, (from, to)) in rows.enumerate() {
        watch::poll();
        let (mean, variance) = moments(from);
        let rstd = W::ONE / (variance + affine.eps).sqrt();
        out.mean[i] = mean;
        out.rstd[i] = rstd;
        let channel = (first + i) % of.groups * of.channels;
        let channels = from
            .chunks_exact(of.pixels)
            .zip(to.chunks_exact_mut(of.pixels));
        for (k, (from, to)) in channels.enumerate() {
            watch::poll();
            let scale = affine.weight.map_or(rstd, |w| rstd * w[channel + k]);
            let shift = affine.bias.map_or(W::ZERO, |b| b[channel + k]) - mean * scale;
            for (o, v) in to.iter_mut().zip(from) {
                *o = *v * scale + shift;
            }
        }
    }
}
