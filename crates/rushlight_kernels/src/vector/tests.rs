//! Chosen lanes, and what they leave alone, for both lengths.

use super::Vector;
use rushlight_tensor::lanes::{Isa, isa};
use std::arch::x86_64::{__m256, __m512};

#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
fn avx512(bits: u32) -> [[f32; 16]; 2] {
    // SAFETY: the function is compiled for these vectors.
    unsafe { stored::<__m512>(bits) }
}

#[target_feature(enable = "avx2,fma")]
fn avx2(bits: u32) -> [[f32; 16]; 2] {
    // SAFETY: as above.
    unsafe { stored::<__m256>(bits) }
}

/// What memory holds after either store of the chosen lanes.
///
/// # Safety
/// The processor has the vectors' instructions.
#[inline(always)]
unsafe fn stored<V: Vector>(bits: u32) -> [[f32; 16]; 2] {
    let numbers: [f32; 16] = std::array::from_fn(|i| i as f32 + 1.0);
    let (mut plain, mut first) = ([0f32; 16], [0f32; 16]);
    // SAFETY: passed on; all three have as many numbers as the largest vector.
    unsafe {
        let (vector, mask) = (V::load(numbers.as_ptr()), V::mask(bits));
        vector.store_chosen(plain.as_mut_ptr(), mask);
        vector.store_first(first.as_mut_ptr(), mask);
    }
    [plain, first]
}

#[test]
fn both_stores_write_the_chosen_lanes_alone() {
    let check = |bits: u32, stored: [[f32; 16]; 2]| {
        for memory in stored {
            for (i, number) in memory.iter().enumerate() {
                let want = if bits >> i & 1 == 1 { i + 1 } else { 0 };
                assert_eq!(*number, want as f32, "{bits:b}");
            }
        }
    };
    let masks = (0..=16).map(|n| (1u32 << n) - 1).chain([0b1010, 0x9d]);
    for bits in masks {
        if isa() == Isa::Avx512 {
            // SAFETY: the processor has AVX-512.
            check(bits, unsafe { avx512(bits) });
        }
        if isa() != Isa::Baseline && bits <= 0xff {
            // SAFETY: the processor has AVX2 and FMA.
            check(bits, unsafe { avx2(bits) });
        }
    }
}
