//! Statistics of channels, and scaling by them.

use crate::compute::Compute;
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
            vectorised(Scaled {
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

impl<W: Compute> Vectorised for Scaled<'_, W> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let (scale, shift) = (self.scale, self.shift);
        let mut channel = self.channel;
        let from = self.x.chunks_exact(self.width);
        for (from, to) in from.zip(self.out.chunks_exact_mut(self.width)) {
            watch::poll();
            match &mut channel {
                None => {
                    for (((o, v), a), b) in to.iter_mut().zip(from).zip(scale).zip(shift) {
                        *o = *v * *a + *b;
                    }
                }
                Some(channel) => {
                    let (a, b) = (scale[*channel], shift[*channel]);
                    for (o, v) in to.iter_mut().zip(from) {
                        *o = *v * a + b;
                    }
                    *channel = (*channel + 1) % scale.len();
                }
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
    let scale: Vec<f64> = rstd
        .iter()
        .enumerate()
        .map(|(c, r)| weight.as_ref().map_or(*r, |w| r * w[c]))
        .collected();
    let shift = scale
        .iter()
        .enumerate()
        .map(|(c, s)| W::of(bias.as_ref().map_or(0.0, |b| b[c]) - mean[c] * s))
        .collected();
    (scale.iter().map(|s| W::of(*s)).collected(), shift)
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
            eps,
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
    eps: f64,
    scale: &'a mut [f32],
    shift: &'a mut [f32],
}

impl Vectorised for Statistics<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        // So many at a time.
        const AT_ONCE: usize = 64;
        let known = self.variance.chunks(AT_ONCE).zip(self.mean.chunks(AT_ONCE));
        let made = self
            .scale
            .chunks_mut(AT_ONCE)
            .zip(self.shift.chunks_mut(AT_ONCE));
        let part = |numbers: Option<&[f32]>, i: usize, count: usize, to: &mut [f64; AT_ONCE]| {
            for (to, x) in to
                .iter_mut()
                .zip(&numbers.unwrap_or_default()[i..][..count])
            {
                *to = f64::from(*x);
            }
        };
        for (i, ((variance, mean), (scale, shift))) in known.zip(made).enumerate() {
            let mut factors = [0.0; AT_ONCE];
            let mut others = [1.0; AT_ONCE];
            for (to, v) in factors.iter_mut().zip(variance) {
                *to = 1.0 / (f64::from(*v) + self.eps).sqrt();
            }
            if self.weight.is_some() {
                part(self.weight, i * AT_ONCE, scale.len(), &mut others);
                for (factor, w) in factors.iter_mut().zip(&others) {
                    *factor *= w;
                }
            }
            others = [0.0; AT_ONCE];
            if self.bias.is_some() {
                part(self.bias, i * AT_ONCE, scale.len(), &mut others);
            }
            let all = scale
                .iter_mut()
                .zip(shift)
                .zip(mean)
                .zip(factors.iter().zip(&others));
            for (((scale, shift), mean), (factor, bias)) in all {
                *scale = *factor as f32;
                *shift = (bias - f64::from(*mean) * factor) as f32;
            }
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
