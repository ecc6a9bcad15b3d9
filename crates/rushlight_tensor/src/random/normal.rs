//! Normal numbers in blocks of sixteen: the first eight uniform numbers of a block give radii, the other eight angles
//! (Box–Muller); cosines go to the first half, sines to the second.
//!
//! The f32 functions are those of the Cephes library (Moshier), with every product that is added to something fused
//! into the addition; that order of rounding decides the last bit, and with it what programs print.

#![expect(
    clippy::excessive_precision,
    reason = "the coefficients are given as they were published"
)]

use super::Generator;
use crate::watch;

const BLOCK: usize = 16;
const HALF: usize = BLOCK / 2;

/// Blocks that are computed side by side.
const ABREAST: usize = 16;
/// The numbers of one half of so many blocks.
type Lanes = [f32; ABREAST * HALF];

impl Generator {
    /// Fills with normal numbers as the reference fills contiguous f32 tensors: from 16 elements on in blocks, the
    /// last block drawn anew where the length is no multiple of 16; below that one at a time.
    pub fn fill_normal_f32(&mut self, out: &mut [f32], mean: f64, std: f64) {
        if out.len() < BLOCK {
            return self.fill_single(out, mean, std, |v| v as f32);
        }
        fill_parts(out, || self.uniform_f32());
        let (mean, std) = (mean as f32, std as f32);
        let whole = out.len() / BLOCK * BLOCK;
        for blocks in out[..whole].chunks_mut(ABREAST * BLOCK) {
            watch::poll();
            blocks_f32(blocks, mean, std);
        }
        if whole < out.len() {
            let start = out.len() - BLOCK;
            let tail = &mut out[start..];
            tail.fill_with(|| self.uniform_f32());
            blocks_f32(tail, mean, std);
        }
    }

    /// The same for types narrower than f32, which draw block by block.
    pub fn fill_normal_narrow<T: Copy>(
        &mut self,
        out: &mut [T],
        mean: f64,
        std: f64,
        narrow: impl Fn(f32) -> T,
    ) {
        if out.len() < BLOCK {
            return self.fill_single(out, mean, std, |v| narrow(v as f32));
        }
        let (mean, std) = (mean as f32, std as f32);
        let mut draw = |target: &mut [T]| {
            watch::poll();
            let mut block = [0f32; BLOCK];
            block.fill_with(|| self.uniform_f32());
            blocks_f32(&mut block, mean, std);
            for (to, from) in target.iter_mut().zip(block) {
                *to = narrow(from);
            }
        };
        let mut blocks = out.chunks_exact_mut(BLOCK);
        (&mut blocks).for_each(&mut draw);
        if !blocks.into_remainder().is_empty() {
            let start = out.len() - BLOCK;
            draw(&mut out[start..]);
        }
    }

    /// The same for f64.
    pub fn fill_normal_f64(&mut self, out: &mut [f64], mean: f64, std: f64) {
        if out.len() < BLOCK {
            return self.fill_single(out, mean, std, |v| v);
        }
        fill_parts(out, || self.uniform_f64());
        let mut blocks = out.chunks_exact_mut(BLOCK);
        for block in &mut blocks {
            watch::poll();
            block_f64(block, mean, std);
        }
        if !blocks.into_remainder().is_empty() {
            let start = out.len() - BLOCK;
            let tail = &mut out[start..];
            tail.fill_with(|| self.uniform_f64());
            block_f64(tail, mean, std);
        }
    }

    /// One number at a time, as for short and for strided tensors.
    pub fn fill_single<T>(
        &mut self,
        out: &mut [T],
        mean: f64,
        std: f64,
        narrow: impl Fn(f64) -> T,
    ) {
        fill_parts(out, || narrow(self.normal().mul_add(std, mean)));
    }
}

/// Fills with drawn numbers, looking at the running call now and then.
fn fill_parts<T>(out: &mut [T], mut draw: impl FnMut() -> T) {
    const PART: usize = 1 << 12;
    for part in out.chunks_mut(PART) {
        watch::poll();
        part.fill_with(&mut draw);
    }
}

fn block_f64(block: &mut [f64], mean: f64, std: f64) {
    let (radii, angles) = block.split_at_mut(HALF);
    for (a, b) in radii.iter_mut().zip(angles) {
        let radius = (-2.0 * (1.0 - *a).ln()).sqrt();
        let angle = 2.0 * std::f64::consts::PI * *b;
        *a = (radius * angle.cos()).mul_add(std, mean);
        *b = (radius * angle.sin()).mul_add(std, mean);
    }
}

/// Makes normal numbers of the uniform ones in up to [`ABREAST`] blocks.
fn blocks_f32(blocks: &mut [f32], mean: f32, std: f32) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        // SAFETY: the processor has the features that the function is compiled for.
        return unsafe { blocks_f32_fma(blocks, mean, std) };
    }
    blocks_f32_any(blocks, mean, std);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn blocks_f32_fma(blocks: &mut [f32], mean: f32, std: f32) {
    blocks_f32_any(blocks, mean, std);
}

#[inline(always)]
fn blocks_f32_any(blocks: &mut [f32], mean: f32, std: f32) {
    let (blocks, _) = blocks.as_chunks_mut::<BLOCK>();
    let n = blocks.len().min(ABREAST) * HALF;
    let (mut radius, mut angle) = ([0f32; ABREAST * HALF], [0f32; ABREAST * HALF]);
    let halves = radius.as_chunks_mut::<HALF>().0.iter_mut();
    for ((radius, angle), block) in halves.zip(angle.as_chunks_mut::<HALF>().0).zip(&*blocks) {
        for i in 0..HALF {
            radius[i] = 1.0 - block[i];
            angle[i] = 2.0 * std::f32::consts::PI * block[HALF + i];
        }
    }
    log(&mut radius[..n]);
    for r in &mut radius[..n] {
        *r = (-2.0 * *r).sqrt();
    }
    let (mut sin, mut cos): (Lanes, Lanes) = ([0.0; _], [0.0; _]);
    sin_cos(&angle[..n], &mut sin[..n], &mut cos[..n]);
    for (at, block) in blocks.iter_mut().enumerate() {
        for i in 0..HALF {
            let k = at * HALF + i;
            block[i] = (radius[k] * cos[k]).mul_add(std, mean);
            block[HALF + i] = (radius[k] * sin[k]).mul_add(std, mean);
        }
    }
}

/// Natural logarithms of normal positive numbers, after Cephes' `logf`.
#[inline(always)]
fn log(lanes: &mut [f32]) {
    const TERMS: [f32; 9] = [
        7.037_683_629_2e-2,
        -1.151_461_031_0e-1,
        1.167_699_874_0e-1,
        -1.242_014_084_6e-1,
        1.424_932_278_7e-1,
        -1.666_805_766_5e-1,
        2.000_071_476_5e-1,
        -2.499_999_399_3e-1,
        3.333_333_117_4e-1,
    ];
    const LN2_LOW: f32 = -2.121_944_40e-4;
    const LN2_HIGH: f32 = 0.693_359_375;
    for v in lanes {
        let bits = v.to_bits();
        let mut exponent = ((bits >> 23) as i32 - 126) as f32;
        let mantissa = f32::from_bits(bits & 0x007f_ffff | 0x3f00_0000);
        let low = mantissa < std::f32::consts::FRAC_1_SQRT_2;
        let x = mantissa - 1.0 + if low { mantissa } else { 0.0 };
        exponent -= if low { 1.0 } else { 0.0 };
        let z = x * x;
        let mut y = TERMS[0];
        for term in &TERMS[1..] {
            y = y.mul_add(x, *term);
        }
        y *= x;
        y = y.mul_add(z, exponent * LN2_LOW);
        y = z.mul_add(-0.5, y);
        *v = exponent.mul_add(LN2_HIGH, x + y);
    }
}

/// Sines and cosines of small positive angles, after Cephes' `sinf` and `cosf`.
#[inline(always)]
fn sin_cos(angles: &[f32], sines: &mut [f32], cosines: &mut [f32]) {
    /// A quarter of pi in three parts.
    const PARTS: [f32; 3] = [
        -0.785_156_25,
        -2.418_756_484_985_351_562_5e-4,
        -3.774_894_977_445_941_08e-8,
    ];
    const COS: [f32; 3] = [
        2.443_315_711_809_948e-5,
        -1.388_731_625_493_765e-3,
        4.166_664_568_298_827e-2,
    ];
    const SIN: [f32; 3] = [-1.951_529_589_1e-4, 8.332_160_873_6e-3, -1.666_665_461_1e-1];
    let n = angles.len();
    let (sines, cosines) = (&mut sines[..n], &mut cosines[..n]);
    for i in 0..n {
        // Less than a turn, so that adding two to the power of 23 leaves the whole octants in the low bits.
        let octant = (angles[i] * (4.0 / std::f32::consts::PI)).floor() + 8_388_608.0;
        let octant = ((octant.to_bits() & 0xFF) + 1) & !1;
        let whole = octant as i32 as f32;
        let x = whole.mul_add(PARTS[0], angles[i]);
        let x = whole.mul_add(PARTS[1], x);
        let x = whole.mul_add(PARTS[2], x);
        let z = x * x;
        let cos = COS[0].mul_add(z, COS[1]).mul_add(z, COS[2]) * z;
        let cos = cos.mul_add(z, -(z * 0.5)) + 1.0;
        let sin = SIN[0].mul_add(z, SIN[1]).mul_add(z, SIN[2]) * z;
        let sin = sin.mul_add(x, x);
        let (s, c) = if octant & 2 == 0 {
            (sin, cos)
        } else {
            (cos, sin)
        };
        sines[i] = if octant & 4 == 0 { s } else { -s };
        cosines[i] = if octant.wrapping_sub(2) & 4 == 0 {
            -c
        } else {
            c
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last three numbers of `torch.manual_seed(0); torch.randn(17)`, and of `torch.randn(17, dtype=torch.half)`.
    #[test]
    fn a_last_partial_block_is_drawn_anew() {
        let mut wide = [0f32; 17];
        Generator::new(0).fill_normal_f32(&mut wide, 0.0, 1.0);
        assert_eq!(wide[0], -1.125_839_8);
        let mut narrow = [0f32; 17];
        Generator::new(0)
            .fill_normal_narrow(&mut narrow, 0.0, 1.0, |v| half::f16::from_f32(v).to_f32());
        assert_eq!(narrow[14..], [1.5859375, 0.9462890625, -0.84375]);
    }
}
