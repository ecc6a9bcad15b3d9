//! Normalising rows to mean 0 and variance 1.

use crate::compute::Compute;
use crate::isa::{fma, multiversion};
use rushlight_tensor::watch;

/// The sum of a slice, by independent lanes.
#[inline(always)]
pub fn lane_sum<W: Compute>(x: &[W], f: impl Fn(W) -> W) -> W {
    let mut lanes = [W::ZERO; 16];
    let chunks = x.chunks_exact(16);
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
    let mean = lane_sum(row, |v| v) / n;
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
        match (affine.weight, affine.bias) {
            (Some(weight), Some(bias)) => {
                for (((o, v), w), b) in to.iter_mut().zip(row).zip(weight).zip(bias) {
                    *o = fma::<W, FUSED>((*v - mean) * rstd, *w, *b);
                }
            }
            (weight, bias) => {
                for (k, (o, v)) in to.iter_mut().zip(row).enumerate() {
                    let y = (*v - mean) * rstd;
                    let y = weight.map_or(y, |w| y * w[k]);
                    *o = bias.map_or(y, |b| y + b[k]);
                }
            }
        }
    }
}
