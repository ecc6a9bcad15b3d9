//! Pairs of NEON's registers as vectors.

use super::Vector;
use std::arch::aarch64::*;

/// Two registers of NEON as one vector: there are twice as many registers as AVX2 has, of half their length, so that
/// what is written for AVX2 fits, and has the same bits.
#[derive(Clone, Copy)]
pub struct Neon(float32x4_t, float32x4_t);

impl Neon {
    /// The lanes one by one. Only the chosen ones are read.
    ///
    /// # Safety
    /// The chosen numbers are readable.
    #[inline(always)]
    unsafe fn merge(self, from: *const f32, mask: u32) -> Neon {
        let mut lanes = [0f32; 8];
        // SAFETY: there is room for eight numbers; the chosen ones are readable, as the caller says.
        unsafe {
            self.store(lanes.as_mut_ptr());
            for (i, lane) in lanes.iter_mut().enumerate() {
                if mask >> i & 1 == 1 {
                    *lane = *from.add(i);
                }
            }
            Neon::load(lanes.as_ptr())
        }
    }
}

// SAFETY: thin names for intrinsics that every processor of this kind has; the callers vouch for the pointers.
unsafe impl Vector for Neon {
    const WIDTH: usize = 8;
    /// A bit per lane: there are no instructions that read or write some lanes alone.
    type Mask = u32;
    #[inline(always)]
    unsafe fn mask(bits: u32) -> u32 {
        bits & 0xff
    }
    #[inline(always)]
    unsafe fn splat(value: f32) -> Neon {
        // SAFETY: as the trait says.
        let four = unsafe { vdupq_n_f32(value) };
        Neon(four, four)
    }
    #[inline(always)]
    unsafe fn load(from: *const f32) -> Neon {
        // SAFETY: as the trait says.
        unsafe { Neon(vld1q_f32(from), vld1q_f32(from.add(4))) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: as the trait says.
        unsafe {
            vst1q_f32(to, self.0);
            vst1q_f32(to.add(4), self.1);
        }
    }
    #[inline(always)]
    unsafe fn load_chosen(from: *const f32, mask: u32) -> Neon {
        // SAFETY: as the trait says.
        unsafe { Neon::splat(0.0).load_over(from, mask) }
    }
    #[inline(always)]
    unsafe fn load_over(self, from: *const f32, mask: u32) -> Neon {
        // SAFETY: as the trait says.
        unsafe {
            match mask {
                0xff => Neon::load(from),
                _ => self.merge(from, mask),
            }
        }
    }
    #[inline(always)]
    unsafe fn store_chosen(self, to: *mut f32, mask: u32) {
        if mask == 0xff {
            // SAFETY: as the trait says.
            return unsafe { self.store(to) };
        }
        let mut lanes = [0f32; 8];
        // SAFETY: there is room for eight numbers; the chosen places are writable, as the trait says.
        unsafe {
            self.store(lanes.as_mut_ptr());
            for (i, lane) in lanes.iter().enumerate() {
                if mask >> i & 1 == 1 {
                    *to.add(i) = *lane;
                }
            }
        }
    }
    #[inline(always)]
    unsafe fn store_first(self, to: *mut f32, mask: u32) {
        // SAFETY: as the trait says.
        unsafe { self.store_chosen(to, mask) }
    }
    #[inline(always)]
    unsafe fn some_evens(self, next: Neon) -> Neon {
        // SAFETY: as the trait says.
        unsafe { Neon(vuzp1q_f32(self.0, self.1), vuzp1q_f32(next.0, next.1)) }
    }
    #[inline(always)]
    unsafe fn some_odds(self, next: Neon) -> Neon {
        // SAFETY: as the trait says.
        unsafe { Neon(vuzp2q_f32(self.0, self.1), vuzp2q_f32(next.0, next.1)) }
    }
    #[inline(always)]
    unsafe fn behind(self, other: Neon, lanes: usize) -> Neon {
        // SAFETY: as the trait says.
        unsafe {
            match lanes {
                1 => Neon(
                    vextq_f32::<3>(other.1, self.0),
                    vextq_f32::<3>(self.0, self.1),
                ),
                _ => Neon(
                    vextq_f32::<2>(other.1, self.0),
                    vextq_f32::<2>(self.0, self.1),
                ),
            }
        }
    }
    #[inline(always)]
    unsafe fn ahead(self, other: Neon, lanes: usize) -> Neon {
        // SAFETY: as the trait says.
        unsafe {
            match lanes {
                1 => Neon(
                    vextq_f32::<1>(self.0, self.1),
                    vextq_f32::<1>(self.1, other.0),
                ),
                _ => Neon(
                    vextq_f32::<2>(self.0, self.1),
                    vextq_f32::<2>(self.1, other.0),
                ),
            }
        }
    }
    #[inline(always)]
    unsafe fn add(self, b: Neon) -> Neon {
        // SAFETY: as the trait says.
        unsafe { Neon(vaddq_f32(self.0, b.0), vaddq_f32(self.1, b.1)) }
    }
    #[inline(always)]
    unsafe fn sub(self, b: Neon) -> Neon {
        // SAFETY: as the trait says.
        unsafe { Neon(vsubq_f32(self.0, b.0), vsubq_f32(self.1, b.1)) }
    }
    #[inline(always)]
    unsafe fn mul(self, b: Neon) -> Neon {
        // SAFETY: as the trait says.
        unsafe { Neon(vmulq_f32(self.0, b.0), vmulq_f32(self.1, b.1)) }
    }
    #[inline(always)]
    unsafe fn flip(self, b: Neon) -> Neon {
        // SAFETY: as the trait says.
        let flip = |a, b| unsafe {
            let bits = veorq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b));
            vreinterpretq_f32_u32(bits)
        };
        Neon(flip(self.0, b.0), flip(self.1, b.1))
    }
    #[inline(always)]
    unsafe fn times_power_of_two(self, shifted: Neon) -> Neon {
        // SAFETY: as the trait says.
        let times = |p, shifted| unsafe {
            let bias = vdupq_n_s32(127);
            let n = vsubq_s32(vreinterpretq_s32_f32(shifted), vdupq_n_s32(0x4B40_0000));
            let half = vshrq_n_s32::<1>(n);
            let first = vshlq_n_s32::<23>(vaddq_s32(half, bias));
            let second = vshlq_n_s32::<23>(vaddq_s32(vsubq_s32(n, half), bias));
            let some = vmulq_f32(p, vreinterpretq_f32_s32(first));
            vmulq_f32(some, vreinterpretq_f32_s32(second))
        };
        Neon(times(self.0, shifted.0), times(self.1, shifted.1))
    }
    #[inline(always)]
    unsafe fn div(self, b: Neon) -> Neon {
        // SAFETY: as the trait says.
        unsafe { Neon(vdivq_f32(self.0, b.0), vdivq_f32(self.1, b.1)) }
    }
    #[inline(always)]
    unsafe fn within(self, low: Neon, high: Neon) -> Neon {
        // By comparing, so that what is not a number stays, and a negative zero as well, as on other processors.
        let four = |x, low, high| {
            // SAFETY: as the trait says.
            unsafe {
                let x = vbslq_f32(vcgtq_f32(low, x), low, x);
                vbslq_f32(vcgtq_f32(x, high), high, x)
            }
        };
        Neon(four(self.0, low.0, high.0), four(self.1, low.1, high.1))
    }
    #[inline(always)]
    unsafe fn kept_from(self, x: Neon, low: Neon) -> Neon {
        let four = |kept, x, low| {
            // SAFETY: as the trait says.
            unsafe { vbslq_f32(vcltq_f32(x, low), vdupq_n_f32(0.0), kept) }
        };
        Neon(four(self.0, x.0, low.0), four(self.1, x.1, low.1))
    }
    #[inline(always)]
    unsafe fn fma(self, b: Neon, c: Neon) -> Neon {
        // SAFETY: as the trait says.
        unsafe { Neon(vfmaq_f32(c.0, self.0, b.0), vfmaq_f32(c.1, self.1, b.1)) }
    }
    #[inline(always)]
    unsafe fn zip_low(self, other: Neon) -> Neon {
        // SAFETY: as the trait says.
        unsafe { Neon(vzip1q_f32(self.0, other.0), vzip2q_f32(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn zip_high(self, other: Neon) -> Neon {
        // SAFETY: as the trait says.
        unsafe { Neon(vzip1q_f32(self.1, other.1), vzip2q_f32(self.1, other.1)) }
    }
    #[inline(always)]
    unsafe fn prefetch(at: *const f32) {
        // SAFETY: a prefetch reads nothing and does not fault.
        unsafe {
            std::arch::asm!("prfm pldl1keep, [{}]", in(reg) at, options(nostack, preserves_flags, readonly));
        }
    }
    #[inline(always)]
    unsafe fn prefetch_far(at: *const f32) {
        // SAFETY: as above.
        unsafe {
            std::arch::asm!("prfm pldl2keep, [{}]", in(reg) at, options(nostack, preserves_flags, readonly));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Neon;
    use crate::vector::{Vector, transpose};

    fn numbers(first: usize) -> [f32; 8] {
        std::array::from_fn(|i| (first + i) as f32)
    }

    fn lanes(vector: Neon) -> [f32; 8] {
        let mut out = [0f32; 8];
        // SAFETY: there is room for eight numbers.
        unsafe { vector.store(out.as_mut_ptr()) };
        out
    }

    #[test]
    fn chosen_lanes_are_read_and_written_alone() {
        for bits in 0..=0xffu32 {
            let from = numbers(1);
            let chosen = |i: usize| bits >> i & 1 == 1;
            // SAFETY: all have eight numbers.
            unsafe {
                let mask = Neon::mask(bits);
                let read = lanes(Neon::load_chosen(from.as_ptr(), mask));
                let over = lanes(Neon::splat(-1.0).load_over(from.as_ptr(), mask));
                let (mut plain, mut first) = ([0f32; 8], [0f32; 8]);
                Neon::load(from.as_ptr()).store_chosen(plain.as_mut_ptr(), mask);
                Neon::load(from.as_ptr()).store_first(first.as_mut_ptr(), mask);
                for i in 0..8 {
                    let want = if chosen(i) { from[i] } else { 0.0 };
                    assert_eq!([read[i], plain[i], first[i]], [want; 3], "{bits:b}");
                    assert_eq!(over[i], if chosen(i) { from[i] } else { -1.0 }, "{bits:b}");
                }
            }
        }
    }

    #[test]
    fn lanes_change_places_as_the_trait_says() {
        // SAFETY: all have eight numbers.
        unsafe {
            let (a, b) = (
                Neon::load(numbers(0).as_ptr()),
                Neon::load(numbers(8).as_ptr()),
            );
            assert_eq!(lanes(a.evens(b)), [0., 2., 4., 6., 8., 10., 12., 14.]);
            assert_eq!(lanes(a.odds(b)), [1., 3., 5., 7., 9., 11., 13., 15.]);
            assert_eq!(lanes(a.zip_low(b)), [0., 8., 1., 9., 2., 10., 3., 11.]);
            assert_eq!(lanes(a.zip_high(b)), [4., 12., 5., 13., 6., 14., 7., 15.]);
            let mut square = [Neon::splat(0.0); 16];
            for (i, row) in square[..8].iter_mut().enumerate() {
                *row = Neon::load(numbers(8 * i).as_ptr());
            }
            transpose(&mut square);
            for (i, row) in square[..8].iter().enumerate() {
                assert_eq!(lanes(*row), std::array::from_fn(|k| (8 * k + i) as f32));
            }
        }
    }

    #[test]
    fn what_is_not_a_number_and_negative_zero_stay_within() {
        let x = [
            f32::NAN,
            -0.0,
            -1.0,
            7.0,
            3.0,
            f32::INFINITY,
            f32::NEG_INFINITY,
            0.0,
        ];
        // SAFETY: all have eight numbers.
        let out =
            lanes(unsafe { Neon::load(x.as_ptr()).within(Neon::splat(0.0), Neon::splat(6.0)) });
        assert!(out[0].is_nan() && out[1].is_sign_negative());
        assert_eq!(out[1..], [0.0, 0.0, 6.0, 3.0, 6.0, 0.0, 0.0]);
    }
}
