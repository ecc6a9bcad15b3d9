//! Run-time choice of the instruction set for hot loops.
//!
//! [`multiversion!`](crate::isa::multiversion) compiles one loop body for AVX-512, for AVX2 with FMA and for the
//! target's baseline, and calls the best that the processor has. Bodies are plain Rust over fixed-size arrays of lanes;
//! they must be `#[inline(always)]`, and take a first const parameter that says whether `mul_add` is one instruction.

/// Whether the target's baseline has a fused multiply-add instruction.
pub const BASELINE_FUSED: bool = cfg!(target_arch = "aarch64");

/// `a * b + c`, in one instruction where `FUSED` says that there is one.
#[inline(always)]
pub fn fma<W: rushlight_tensor::element::wide::Wide, const FUSED: bool>(a: W, b: W, c: W) -> W {
    if FUSED { a.mul_add(b, c) } else { a * b + c }
}

/// `multiversion! { fn name(a: A, b: B) -> R = body }`: `name` calls `body::<FUSED>` compiled for the best instruction
/// set. Generic parameters of the shape `<T: Bound>` may follow the name.
#[macro_export]
macro_rules! multiversion {
    ($(#[$meta:meta])* $vis:vis fn $name:ident $(<$g:ident : $bound:path>)? ($($a:ident : $t:ty),* $(,)?) $(-> $r:ty)? = $body:ident) => {
        $(#[$meta])*
        $vis fn $name $(<$g: $bound>)? ($($a: $t),*) $(-> $r)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")]
                fn avx512 $(<$g: $bound>)? ($($a: $t),*) $(-> $r)? {
                    $body::<true $(, $g)?>($($a),*)
                }
                #[target_feature(enable = "avx2,fma")]
                fn avx2 $(<$g: $bound>)? ($($a: $t),*) $(-> $r)? {
                    $body::<true $(, $g)?>($($a),*)
                }
                match rushlight_tensor::lanes::isa() {
                    // SAFETY: the processor has been found to have these features.
                    rushlight_tensor::lanes::Isa::Avx512 => return unsafe { avx512($($a),*) },
                    // SAFETY: as above.
                    rushlight_tensor::lanes::Isa::Avx2 => return unsafe { avx2($($a),*) },
                    rushlight_tensor::lanes::Isa::Baseline => {}
                }
            }
            $body::<{ $crate::isa::BASELINE_FUSED } $(, $g)?>($($a),*)
        }
    };
}
pub use multiversion;
