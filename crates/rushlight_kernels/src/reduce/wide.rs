//! Sums of long runs of f32 in vectors.

#[cfg(target_arch = "aarch64")]
use crate::vector::Neon;
use crate::vector::Vector;
#[cfg(target_arch = "x86_64")]
use rushlight_tensor::lanes::{Isa, isa};

/// Elements whose sum is made in f32; the sums of such blocks are added up in f64.
pub const BLOCK: usize = 512;

/// The sum of a run; `None` where the processor has no vectors that we know.
pub fn sum(run: &[f32]) -> Option<f64> {
    #[cfg(target_arch = "x86_64")]
    match isa() {
        // SAFETY: the processor has AVX-512.
        Isa::Avx512 => return Some(unsafe { avx512(run) }),
        // SAFETY: the processor has AVX2 and FMA.
        Isa::Avx2 => return Some(unsafe { avx2(run) }),
        Isa::Baseline => {}
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: every processor of this kind has these vectors.
    return Some(unsafe { blocks::<Neon>(run) });
    #[cfg(not(target_arch = "aarch64"))]
    None
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
unsafe fn avx512(run: &[f32]) -> f64 {
    // SAFETY: passed on.
    unsafe { blocks::<std::arch::x86_64::__m512>(run) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(run: &[f32]) -> f64 {
    // SAFETY: passed on.
    unsafe { blocks::<std::arch::x86_64::__m256>(run) }
}

/// Four vectors side by side, so that none waits for the one before.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn blocks<V: Vector>(run: &[f32]) -> f64 {
    let mut total = 0.0;
    for block in run.chunks(BLOCK) {
        let mut lanes = [0f32; 16];
        let parts = block.chunks_exact(4 * V::WIDTH);
        let rest = parts.remainder();
        // SAFETY: every part has four vectors.
        unsafe {
            let mut acc = [V::splat(0.0); 4];
            for part in parts {
                for (i, acc) in acc.iter_mut().enumerate() {
                    *acc = acc.add(V::load(part.as_ptr().add(i * V::WIDTH)));
                }
            }
            let sum = acc[0].add(acc[1]).add(acc[2].add(acc[3]));
            sum.store(lanes.as_mut_ptr());
        }
        total += lanes.iter().chain(rest).map(|x| f64::from(*x)).sum::<f64>();
    }
    total
}

#[cfg(test)]
mod tests {
    use super::sum;

    #[test]
    fn every_element_counts_once() {
        for n in [0, 1, 15, 64, 100, 512, 513, 1700] {
            let run: Vec<f32> = (0..n).map(|i| (i % 64) as f32).collect();
            let want: f32 = run.iter().sum();
            assert!(sum(&run).is_none_or(|got| got == f64::from(want)), "{n}");
        }
    }
}
