//! Convolution in f32 through panels of columns, with the weights as they are.
//!
//! A panel holds, for up to four vectors of output pixels, every input number that meets them: input channel and tap by
//! pixel. The kernel multiplies rows of weights, number by number, with the panel's vectors. Weights need no packing,
//! which is what counts where there are few pixels and many channels.

use super::after::After;
use super::geometry::Geometry;
#[cfg(target_arch = "aarch64")]
use crate::vector::Neon;
use crate::vector::Vector;
use rushlight_tensor::lanes::{Isa, isa};
use rushlight_tensor::{threads, watch};

/// Vectors of a panel.
const VECTORS: usize = 4;
/// Most numbers of a vector.
const LANES: usize = 16;

/// Whether the kernel can run.
pub fn suits(g: &Geometry) -> bool {
    isa() != Isa::Baseline && g.group_out() >= 8
}

/// One image and one group of channels.
pub struct Job<'a> {
    pub geometry: &'a Geometry,
    pub image: &'a [f32],
    pub output: [usize; 3],
    /// One row of `depth` numbers per output channel.
    pub weights: &'a [f32],
    pub depth: usize,
    pub bias: Option<&'a [f32]>,
    pub after: After<'a>,
}

impl Job<'_> {
    /// Writes the results of the group: channel by pixel.
    pub fn run(&self, result: &mut [f32]) {
        let channels = self.weights.len() / self.depth.max(1);
        let pixels: usize = self.output.iter().product();
        assert_eq!(self.weights.len(), channels * self.depth);
        assert_eq!(result.len(), channels * pixels);
        assert!(self.bias.is_none_or(|b| b.len() == channels));
        // About as many multiplications as a simple loop over elements does in the same time. Every part fills panels of its
        // own, so that it has to have some channels.
        let cost = pixels.saturating_mul(self.depth) / 8;
        threads::split_rows(result, pixels, 16, cost, &|channels, result| {
            let job = Job {
                weights: &self.weights[channels.start * self.depth..channels.end * self.depth],
                bias: self.bias.map(|bias| &bias[channels.clone()]),
                ..*self
            };
            let mut panel: Vec<f32> = Vec::new();
            #[cfg(target_arch = "x86_64")]
            match isa() {
                // SAFETY: the processor has AVX-512.
                Isa::Avx512 => unsafe { avx512(&job, &mut *result, &mut panel) },
                // SAFETY: the processor has AVX2 and FMA.
                Isa::Avx2 => unsafe { avx2(&job, &mut *result, &mut panel) },
                Isa::Baseline => unreachable!("`suits` asks for vectors"),
            }
            #[cfg(target_arch = "aarch64")]
            // SAFETY: every processor of this kind has these vectors.
            unsafe {
                panels::<Neon, 2>(&job, &mut *result, &mut panel)
            };
            self.after.finish(channels.start * pixels, result);
            let _ = (&mut panel, job);
        });
    }

    /// Fills a panel of `stride` numbers per row with the pixels `first..first + count`.
    fn fill(&self, first: usize, count: usize, stride: usize, panel: &mut Vec<f32>) {
        let g = self.geometry;
        let in_plane: usize = g.input.iter().product();
        panel.clear();
        panel.resize(self.depth * stride, 0.0);
        // Where each pixel's first tap lies; coordinates may be negative.
        let mut corners = [[0isize; 3]; VECTORS * LANES];
        for (i, corner) in corners[..count].iter_mut().enumerate() {
            let p = first + i;
            let place = [
                p / (self.output[1] * self.output[2]),
                p / self.output[2] % self.output[1],
                p % self.output[2],
            ];
            for d in 0..3 {
                corner[d] = (place[d] * g.stride[d]) as isize - g.before[d] as isize;
            }
        }
        let mut tap = 0;
        for kz in 0..g.kernel[0] {
            for ky in 0..g.kernel[1] {
                for kx in 0..g.kernel[2] {
                    let shift = [kz * g.dilation[0], ky * g.dilation[1], kx * g.dilation[2]];
                    // The place of each pixel's tap in a channel; outside ones stay zero.
                    let mut inside: [(u32, u32); VECTORS * LANES] = [(0, 0); VECTORS * LANES];
                    let mut n = 0;
                    for (i, corner) in corners[..count].iter().enumerate() {
                        let at: [isize; 3] = std::array::from_fn(|d| corner[d] + shift[d] as isize);
                        if (0..3).all(|d| at[d] >= 0 && (at[d] as usize) < g.input[d]) {
                            let at = at.map(|v| v as usize);
                            let place = (at[0] * g.input[1] + at[1]) * g.input[2] + at[2];
                            inside[n] = (i as u32, place as u32);
                            n += 1;
                        }
                    }
                    for c in 0..g.group_in() {
                        let channel = &self.image[c * in_plane..(c + 1) * in_plane];
                        let row = &mut panel[(c * g.taps() + tap) * stride..][..stride];
                        for (i, place) in &inside[..n] {
                            row[*i as usize] = channel[*place as usize];
                        }
                    }
                    tap += 1;
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
unsafe fn avx512(job: &Job<'_>, result: &mut [f32], panel: &mut Vec<f32>) {
    // SAFETY: passed on.
    unsafe { panels::<std::arch::x86_64::__m512, 6>(job, result, panel) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(job: &Job<'_>, result: &mut [f32], panel: &mut Vec<f32>) {
    // SAFETY: passed on.
    unsafe { panels::<std::arch::x86_64::__m256, 2>(job, result, panel) }
}

/// Runs over panels of pixels, then blocks of `R` channels.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn panels<V: Vector, const R: usize>(
    job: &Job<'_>,
    result: &mut [f32],
    panel: &mut Vec<f32>,
) {
    let pixels: usize = job.output.iter().product();
    let channels = job.weights.len() / job.depth.max(1);
    let most = VECTORS * V::WIDTH;
    let within = job.after.at_hand();
    for first in (0..pixels).step_by(most) {
        watch::poll();
        let count = most.min(pixels - first);
        let vectors = count.div_ceil(V::WIDTH);
        job.fill(first, count, vectors * V::WIDTH, panel);
        let mut c = 0;
        while c < channels {
            let rows = R.min(channels - c);
            let weights = &job.weights[c * job.depth..(c + rows) * job.depth];
            let mut out = [[0f32; VECTORS * LANES]; R];
            // SAFETY: passed on.
            unsafe {
                if rows == R {
                    match vectors {
                        1 => block::<V, R, R, 1>(weights, job.depth, panel, &mut out),
                        2 => block::<V, R, R, 2>(weights, job.depth, panel, &mut out),
                        3 => block::<V, R, R, 3>(weights, job.depth, panel, &mut out),
                        _ => block::<V, R, R, 4>(weights, job.depth, panel, &mut out),
                    }
                } else {
                    for (r, row) in weights.chunks_exact(job.depth).enumerate() {
                        let mut one = [[0f32; VECTORS * LANES]; R];
                        match vectors {
                            1 => block::<V, R, 1, 1>(row, job.depth, panel, &mut one),
                            2 => block::<V, R, 1, 2>(row, job.depth, panel, &mut one),
                            3 => block::<V, R, 1, 3>(row, job.depth, panel, &mut one),
                            _ => block::<V, R, 1, 4>(row, job.depth, panel, &mut one),
                        }
                        out[r] = one[0];
                    }
                }
            }
            for (r, row) in out[..rows].iter().enumerate() {
                let to = (c + r) * pixels + first;
                let add = job.bias.map_or(0.0, |b| b[c + r]);
                for (o, v) in result[to..to + count].iter_mut().zip(row) {
                    *o = within.at(v + add);
                }
            }
            c += rows;
        }
    }
}

/// `C` rows of weights by `N` vectors of pixels.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn block<V: Vector, const R: usize, const C: usize, const N: usize>(
    weights: &[f32],
    depth: usize,
    panel: &[f32],
    out: &mut [[f32; VECTORS * LANES]; R],
) {
    assert!(C <= R && weights.len() == C * depth && panel.len() == depth * N * V::WIDTH);
    // SAFETY: the asserted lengths cover every access; a row of `out` holds `N` vectors.
    unsafe {
        let mut acc = [[V::splat(0.0); N]; C];
        let (w, mut x) = (weights.as_ptr(), panel.as_ptr());
        for k in 0..depth {
            let mut pixels = [V::splat(0.0); N];
            for (n, p) in pixels.iter_mut().enumerate() {
                *p = V::load(x.add(n * V::WIDTH));
            }
            x = x.add(N * V::WIDTH);
            for (r, acc) in acc.iter_mut().enumerate() {
                let factor = V::splat(*w.add(r * depth + k));
                for n in 0..N {
                    acc[n] = factor.fma(pixels[n], acc[n]);
                }
            }
        }
        for (r, acc) in acc.iter().enumerate() {
            for (n, acc) in acc.iter().enumerate() {
                acc.store(out[r].as_mut_ptr().add(n * V::WIDTH));
            }
        }
    }
}
