//! Statistics of channels, and scaling by them.

use crate::compute::Compute;
use crate::isa::{fma, multiversion};
use rushlight_tensor::lanes::{Vectorised, vectorised};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{DType, Result, Tensor, bf16, f16, threads, watch};

/// The parameters per channel, any of which may be absent.
#[derive(Clone, Copy, Default)]
pub struct Channels<'a> {
    pub weight: Option<&'a Tensor>,
    pub bias: Option<&'a Tensor>,
    pub mean: Option<&'a Tensor>,
    pub variance: Option<&'a Tensor>,
}

/// How the elements of a dense tensor run in memory: `outer` times over `channels` blocks of `inner` elements.
pub struct Runs {
    outer: usize,
    pub channels: usize,
    inner: usize,
}

impl Runs {
    pub fn of(t: &Tensor) -> Runs {
        let channels = if t.rank() > 1 { t.size(1) } else { t.numel() };
        let spatial: usize = t.sizes().iter().skip(2).product();
        let batch = t.sizes().first().copied().unwrap_or(1);
        if t.is_contiguous() {
            Runs {
                outer: batch,
                channels,
                inner: spatial,
            }
        } else {
            Runs {
                outer: batch * spatial,
                channels,
                inner: 1,
            }
        }
    }

    /// Elements per channel.
    pub fn count(&self) -> usize {
        self.outer * self.inner
    }

    /// Mean and sum of squared distances from it, of every channel.
    pub fn moments<W: Compute>(&self, x: &[W]) -> (Vec<f64>, Vec<f64>) {
        let count = self.count() as f64;
        let mut mean = memory::filled(self.channels, 0.0);
        if x.is_empty() {
            return (
                memory::filled(self.channels, f64::NAN),
                memory::filled(self.channels, f64::NAN),
            );
        }
        self.for_each(x, |c, v| mean[c] += v);
        mean.iter_mut().for_each(|m| *m /= count);
        let mut variance = memory::filled(self.channels, 0.0);
        self.for_each(x, |c, v| {
            let gap = v - mean[c];
            variance[c] += gap * gap;
        });
        (mean, variance)
    }

    fn for_each<W: Compute>(&self, x: &[W], mut f: impl FnMut(usize, f64)) {
        if self.inner == 1 {
            for row in x.chunks_exact(self.channels) {
                watch::poll();
                for (c, v) in row.iter().enumerate() {
                    f(c, v.f64());
                }
            }
            return;
        }
        for (i, block) in x.chunks_exact(self.inner).enumerate() {
            watch::poll();
            for v in block {
                f(i % self.channels, v.f64());
            }
        }
    }

    /// `out = x * scale + shift` per channel.
    pub fn apply<W: Compute>(&self, x: &[W], out: &mut [W], scale: &[W], shift: &[W]) {
        let width = match self.inner {
            1 => self.channels,
            inner => inner,
        };
        threads::split_rows(out, width, 1, width, &|rows, out| {
            scaled(Scaled {
                x: &x[rows.start * width..rows.end * width],
                out,
                width,
                channel: (self.inner != 1).then_some(rows.start % self.channels),
                scale,
                shift,
            });
        });
    }
}

/// Runs of a channel each, or of one element of every channel.
struct Scaled<'a, W> {
    x: &'a [W],
    out: &'a mut [W],
    width: usize,
    /// The channel of the first run, where runs have one.
    channel: Option<usize>,
    scale: &'a [W],
    shift: &'a [W],
}

multiversion! {
    fn scaled<W: Compute>(of: Scaled<'_, W>) = scaled_body
}

#[inline(always)]
fn scaled_body<const FUSED: bool, W: Compute>(of: Scaled<'_, W>) {
    let (scale, shift) = (of.scale, of.shift);
    let mut channel = of.channel;
    let from = of.x.chunks_exact(of.width);
    for (from, to) in from.zip(of.out.chunks_exact_mut(of.width)) {
        watch::poll();
        match &mut channel {
            None => {
                for (((o, v), a), b) in to.iter_mut().zip(from).zip(scale).zip(shift) {
                    *o = fma::<W, FUSED>(*v, *a, *b);
                }
            }
            Some(channel) => {
                let (a, b) = (scale[*channel], shift[*channel]);
                for (o, v) in to.iter_mut().zip(from) {
                    *o = fma::<W, FUSED>(*v, a, b);
                }
                *channel = (*channel + 1) % scale.len();
            }
        }
    }
}

/// The values as a tensor of 16-bit floats would hold them; other dtypes keep them.
pub fn rounded(values: Vec<f64>, dtype: DType) -> Vec<f64> {
    match dtype {
        DType::F16 => values
            .iter()
            .map(|v| f16::from_f64(*v).to_f64())
            .collected(),
        DType::BF16 => values
            .iter()
            .map(|v| bf16::from_f64(*v).to_f64())
            .collected(),
        _ => values,
    }
}

/// Per channel, what the input is multiplied by and what is added.
pub fn scale_and_shift<W: Compute>(
    channels: Channels<'_>,
    mean: &[f64],
    rstd: &[f64],
) -> (Vec<W>, Vec<W>) {
    let weight = channels.weight.map(|w| w.to_vec::<f64>());
    let bias = channels.bias.map(|b| b.to_vec::<f64>());
    let scale: Vec<W> = rstd
        .iter()
        .enumerate()
        .map(|(c, r)| W::of(*r) * weight.as_ref().map_or(W::ONE, |w| W::of(w[c])))
        .collected();
    let bias = |c: usize| bias.as_ref().map_or(W::ZERO, |b| W::of(b[c]));
    let shift = scale.iter().zip(mean).enumerate();
    let shift = shift
        .map(|(c, (s, mean))| W::of(-mean).mul_add(*s, bias(c)))
        .collected();
    (scale, shift)
}

/// The factor and the shift of every channel where the statistics are known, as `channels` has them.
pub fn known_scale_and_shift<W: Compute>(channels: Channels<'_>, eps: f64) -> (Vec<W>, Vec<W>) {
    if W::DTYPE == DType::F32
        && let Some(found) = channels.known_in_f32(eps)
    {
        let [scale, shift] = found.map(|numbers| {
            let numbers = numbers.iter().map(|x| W::of(f64::from(*x)));
            numbers.collected()
        });
        return (scale, shift);
    }
    let of = |t: Option<&Tensor>| t.map_or_else(Vec::new, |t| t.to_vec::<f64>());
    let of_variance = |v: &f64| 1.0 / (v + eps).sqrt();
    let rstd: Vec<f64> = of(channels.variance).iter().map(of_variance).collected();
    scale_and_shift(channels, &of(channels.mean), &rstd)
}

impl Channels<'_> {
    /// Factors and shifts, where everything is there in f32 with a number for each channel.
    fn known_in_f32(self, eps: f64) -> Option<[Vec<f32>; 2]> {
        let count = self.variance?.numel();
        let fits = |t: &Tensor| t.dtype() == DType::F32 && t.numel() == count;
        let all = [self.weight, self.bias, self.mean, self.variance];
        if !all.into_iter().flatten().all(fits) {
            return None;
        }
        let [weight, bias, mean, variance] = all.map(|t| Some(t?.data::<f32>()));
        let [mut scale, mut shift] = [(); 2].map(|()| memory::filled(count, 0.0));
        vectorised(Statistics {
            weight: weight.as_deref(),
            bias: bias.as_deref(),
            mean: mean.as_deref()?,
            variance: variance.as_deref()?,
            eps: eps as f32,
            scale: &mut scale,
            shift: &mut shift,
        });
        Some([scale, shift])
    }
}

/// Statistics that become factors and shifts.
struct Statistics<'a> {
    weight: Option<&'a [f32]>,
    bias: Option<&'a [f32]>,
    mean: &'a [f32],
    variance: &'a [f32],
    eps: f32,
    scale: &'a mut [f32],
    shift: &'a mut [f32],
}

impl Vectorised for Statistics<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let made = self.scale.iter_mut().zip(self.shift);
        let known = self.variance.iter().zip(self.mean);
        for (c, ((scale, shift), (variance, mean))) in made.zip(known).enumerate() {
            let rstd = 1.0 / (*variance + self.eps).sqrt();
            *scale = self.weight.map_or(rstd, |w| rstd * w[c]);
            *shift = (-*mean).mul_add(*scale, self.bias.map_or(0.0, |b| b[c]));
        }
    }
}

/// Moves the running statistics toward those of the batch; the variance without bias.
pub fn update_running(
    channels: Channels<'_>,
    mean: &[f64],
    variance: &[f64],
    momentum: f64,
) -> Result<()> {
    for (running, batch) in [(channels.mean, mean), (channels.variance, variance)] {
        let Some(running) = running else { continue };
        let new: Vec<f64> = running
            .to_vec::<f64>()
            .iter()
            .zip(batch)
            .map(|(r, b)| r * (1.0 - momentum) + b * momentum)
            .collected();
        running.copy_from(&Tensor::from_vec(new, running.sizes())?)?;
    }
    Ok(())
}
