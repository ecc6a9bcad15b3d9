//! Runs of elements to other types, in the widest vectors that the processor has: of 16-bit floats, to f32 and back, and others
//! that are not vectors by themselves.

use crate::lanes::{each1, map1};
use crate::{Bool8, DType, Element, bf16, f16};
use half::slice::HalfFloatSliceExt;

/// Converts a run of neighbours where that is between a 16-bit float and f32, or to another of the types that take longest;
/// `false`, and nothing done, where it is not.
///
/// # Safety
/// `n` elements must be readable and as many writable, in regions that do not overlap.
#[inline]
pub(crate) unsafe fn convert<S: Element, D: Element>(from: *const S, to: *mut D, n: usize) -> bool {
    // SAFETY: the caller vouches for both regions; where dtypes are compared, the types are those that they stand for.
    unsafe {
        macro_rules! run {
            ($s:ty => $d:ty: $convert:expr) => {{
                let from = std::slice::from_raw_parts(from.cast::<$s>(), n);
                $convert(std::slice::from_raw_parts_mut(to.cast::<$d>(), n), from);
                true
            }};
        }
        match (S::DTYPE, D::DTYPE) {
            (DType::F16, DType::F32) => run!(f16 => f32: widen),
            (DType::F32, DType::F16) => run!(f32 => f16: narrow),
            (DType::BF16, DType::F32) => run!(bf16 => f32: |to, from| map1(to, from, bf16::to_f32)),
            (DType::F32, DType::BF16) => {
                run!(f32 => bf16: narrow_brain)
            }
            (DType::F32, DType::I32) => {
                run!(f32 => i32: |to, from| map1(to, from, <f32 as Element>::cast::<i32>))
            }
            (DType::F32, DType::I64) => run!(f32 => i64: to_long),
            (DType::Bool, DType::F64) => {
                run!(Bool8 => f64: |to, from| map1(to, from, <Bool8 as Element>::cast::<f64>))
            }
            (DType::Bool, DType::I64) => {
                run!(Bool8 => i64: |to, from| map1(to, from, <Bool8 as Element>::cast::<i64>))
            }
            (DType::F64, DType::I32) => {
                run!(f64 => i32: |to, from| map1(to, from, <f64 as Element>::cast::<i32>))
            }
            _ => false,
        }
    }
}

/// From f16 to f32.
fn widen(to: &mut [f32], from: &[f16]) {
    #[cfg(target_arch = "x86_64")]
    let done = x86::widen(to, from);
    #[cfg(not(target_arch = "x86_64"))]
    let done = 0;
    from[done..].convert_to_f32_slice(&mut to[done..]);
}

/// From f32 to f16, to the nearest, of two the even one.
fn narrow(to: &mut [f16], from: &[f32]) {
    #[cfg(target_arch = "x86_64")]
    let done = x86::narrow(to, from);
    #[cfg(not(target_arch = "x86_64"))]
    let done = 0;
    to[done..].convert_from_f32_slice(&from[done..]);
}

/// From f32 to i64: by way of i32, which vectors have, where all numbers of a part are such.
fn to_long(to: &mut [i64], from: &[f32]) {
    const PART: usize = 1024;
    for (to, from) in to.chunks_mut(PART).zip(from.chunks(PART)) {
        let is_small = |x: &f32| x.abs() < 2_147_483_648.0;
        // SAFETY: called for parts of which no number is outside of i32, or none.
        let short = |x: f32| unsafe { x.to_int_unchecked::<i32>() };
        match from.iter().fold(true, |all, x| all & is_small(x)) {
            true => map1(to, from, |x: f32| i64::from(short(x))),
            false => each1(to, from, <f32 as Element>::cast::<i64>),
        }
    }
}

/// As [`narrow`], to bf16.
fn narrow_brain(to: &mut [bf16], from: &[f32]) {
    #[cfg(target_arch = "x86_64")]
    let done = x86::narrow_brain(to, from);
    #[cfg(not(target_arch = "x86_64"))]
    let done = 0;
    map1(&mut to[done..], &from[done..], bf16::from_f32);
}

/// With the instructions for that, whole vectors; all say how many elements they have done.
#[cfg(target_arch = "x86_64")]
mod x86 {
    use crate::lanes::{Isa, isa};
    use crate::{bf16, f16};
    use std::arch::x86_64::*;

    pub fn widen(to: &mut [f32], from: &[f16]) -> usize {
        match isa() {
            // SAFETY: the processor has AVX-512.
            Isa::Avx512 => unsafe { widen_avx512(to, from) },
            // SAFETY: the processor has AVX2, and F16C.
            Isa::Avx2 if is_x86_feature_detected!("f16c") => unsafe { widen_avx2(to, from) },
            _ => 0,
        }
    }

    pub fn narrow(to: &mut [f16], from: &[f32]) -> usize {
        match isa() {
            // SAFETY: the processor has AVX-512.
            Isa::Avx512 => unsafe { narrow_avx512(to, from) },
            // SAFETY: the processor has AVX2, and F16C.
            Isa::Avx2 if is_x86_feature_detected!("f16c") => unsafe { narrow_avx2(to, from) },
            _ => 0,
        }
    }

    pub fn narrow_brain(to: &mut [bf16], from: &[f32]) -> usize {
        match isa() {
            // SAFETY: the processor has AVX2.
            Isa::Avx2 => unsafe { narrow_brain_avx2(to, from) },
            _ => 0,
        }
    }

    /// Two vectors at a time, which are packed into one.
    #[target_feature(enable = "avx2")]
    fn narrow_brain_avx2(to: &mut [bf16], from: &[f32]) -> usize {
        let (to, from) = (to.as_chunks_mut::<16>().0, from.as_chunks::<16>().0);
        let upper = |v: __m256i| _mm256_srli_epi32::<16>(v);
        let half = |v: __m256i| {
            // To the nearest, of two the even one; what is no number stays none.
            let odd = _mm256_and_si256(upper(v), _mm256_set1_epi32(1));
            let near = _mm256_add_epi32(_mm256_add_epi32(v, _mm256_set1_epi32(0x7fff)), odd);
            let size = _mm256_and_si256(v, _mm256_set1_epi32(0x7fff_ffff));
            let is_nan = _mm256_cmpgt_epi32(size, _mm256_set1_epi32(0x7f80_0000));
            let quiet = _mm256_or_si256(upper(v), _mm256_set1_epi32(0x40));
            _mm256_blendv_epi8(upper(near), quiet, is_nan)
        };
        for (to, from) in to.iter_mut().zip(from) {
            // SAFETY: both chunks have as many elements as the vectors.
            unsafe {
                let from = from.as_ptr().cast::<__m256i>();
                let first = half(_mm256_loadu_si256(from));
                let second = half(_mm256_loadu_si256(from.add(1)));
                let packed = _mm256_packus_epi32(first, second);
                let in_order = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
                _mm256_storeu_si256(to.as_mut_ptr().cast(), in_order);
            }
        }
        16 * to.len().min(from.len())
    }

    /// A conversion of `$n` elements at a time.
    macro_rules! runs {
        ($($name:ident $features:literal, $n:literal: $from:ty => $to:ty, $load:ident $convert:path, $store:ident;)*) => {$(
            #[target_feature(enable = $features)]
            fn $name(to: &mut [$to], from: &[$from]) -> usize {
                let (to, from) = (to.as_chunks_mut::<$n>().0, from.as_chunks::<$n>().0);
                for (to, from) in to.iter_mut().zip(from) {
                    // SAFETY: both chunks have as many elements as the vectors.
                    unsafe { $store(to.as_mut_ptr().cast(), $convert($load(from.as_ptr().cast()))) };
                }
                $n * to.len().min(from.len())
            }
        )*};
    }
    runs! {
        widen_avx512 "avx512f", 16: f16 => f32, _mm256_loadu_si256 _mm512_cvtph_ps, _mm512_storeu_ps;
        widen_avx2 "avx2,f16c", 8: f16 => f32, _mm_loadu_si128 _mm256_cvtph_ps, _mm256_storeu_ps;
        narrow_avx512 "avx512f", 16: f32 => f16, _mm512_loadu_ps _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>, _mm256_storeu_si256;
        narrow_avx2 "avx2,f16c", 8: f32 => f16, _mm256_loadu_ps _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>, _mm_storeu_si128;
    }
}

#[cfg(test)]
mod tests {
    use super::{narrow, narrow_brain, widen};
    use crate::{bf16, f16};

    #[test]
    fn runs_are_converted_as_single_numbers_are() {
        let halves: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
        for from in [0, 3] {
            let halves = &halves[from..];
            let mut wide = vec![0f32; halves.len()];
            widen(&mut wide, halves);
            for (half, wide) in halves.iter().zip(&wide) {
                assert_eq!(half.to_f32().to_bits(), wide.to_bits(), "{half:?}");
            }
        }
        let some = (0..u32::MAX).step_by(65_521).map(f32::from_bits);
        let near = (0..=u16::MAX).map(|bits| f16::from_bits(bits).to_f32() * 1.000_244_14);
        let wide: Vec<f32> = some.chain(near).collect();
        let mut halves = vec![f16::ZERO; wide.len()];
        narrow(&mut halves, &wide);
        for (half, wide) in halves.iter().zip(&wide) {
            let want = f16::from_f32(*wide);
            assert!(
                half.to_bits() == want.to_bits() || half.is_nan() && want.is_nan(),
                "{wide}"
            );
        }
    }

    #[test]
    fn runs_are_rounded_to_bf16_as_single_numbers_are() {
        let some = (0..u32::MAX).step_by(65_521).map(f32::from_bits);
        let odd = (0..=u16::MAX).map(|bits| f32::from_bits(u32::from(bits) << 16 | 0x8000));
        let wide: Vec<f32> = some.chain(odd).chain([f32::NAN, -f32::NAN]).collect();
        let mut halves = vec![bf16::ZERO; wide.len()];
        narrow_brain(&mut halves, &wide);
        for (half, wide) in halves.iter().zip(&wide) {
            assert_eq!(half.to_bits(), bf16::from_f32(*wide).to_bits(), "{wide}");
        }
    }

    #[test]
    fn runs_become_integers_as_single_numbers_do() {
        let some = (0..u32::MAX).step_by(1_065_521).map(f32::from_bits);
        let near = (0..2000).map(|i| (i as f32 - 1000.0) * 2_147_483.7);
        let wide: Vec<f32> = some.chain(near).chain([f32::NAN, 0.5, -0.5]).collect();
        let mut longs = vec![0i64; wide.len()];
        super::to_long(&mut longs, &wide);
        for (long, wide) in longs.iter().zip(&wide) {
            assert_eq!(*long, crate::Element::cast::<i64>(*wide), "{wide}");
        }
    }
}
