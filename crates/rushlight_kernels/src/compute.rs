//! The type that a kernel computes in: f64 for f64, f32 for f32 and the 16-bit floats.
//!
//! Kernels of the larger families (norms, losses, resampling) are written once over [`Compute`] and compiled for f32
//! and f64 only; tensors of narrower floats are converted on the way in and rounded once on the way out.

pub use rushlight_tensor::element::wide::Wide;
use rushlight_tensor::promote::result_type;
use rushlight_tensor::{Buffer, DType, Element, Tensor, bf16, f16};
use std::ops::Add;

/// Element types that are also types functions are computed in: f32 and f64, and the 16-bit floats where the reference
/// rounds after every step.
pub trait Compute: Element + Wide {}
impl Compute for f32 {}
impl Compute for f64 {}
impl Compute for f16 {}
impl Compute for bf16 {}

/// Runs `$body` with `$W` bound to the compute type of a floating point dtype; other dtypes fail with the message that
/// the kernel `$name` does not exist for them.
#[macro_export]
macro_rules! compute {
    ($dtype:expr, $name:expr, $W:ident => $body:expr) => {
        match $dtype {
            rushlight_tensor::DType::F64 => {
                type $W = f64;
                $body
            }
            rushlight_tensor::DType::F32
            | rushlight_tensor::DType::F16
            | rushlight_tensor::DType::BF16 => {
                type $W = f32;
                $body
            }
            other => return Err(rushlight_tensor::Fault::no_kernel($name, other)),
        }
    };
}
pub use compute;

/// As [`compute!`], but the 16-bit floats compute in themselves.
#[macro_export]
macro_rules! compute_narrow {
    ($dtype:expr, $name:expr, $W:ident => $body:expr) => {
        match $dtype {
            rushlight_tensor::DType::F64 => {
                type $W = f64;
                $body
            }
            rushlight_tensor::DType::F32 => {
                type $W = f32;
                $body
            }
            rushlight_tensor::DType::F16 => {
                type $W = rushlight_tensor::f16;
                $body
            }
            rushlight_tensor::DType::BF16 => {
                type $W = rushlight_tensor::bf16;
                $body
            }
            other => return Err(rushlight_tensor::Fault::no_kernel($name, other)),
        }
    };
}
pub use compute_narrow;

/// The tensor as contiguous elements of `T`, converted where it is of another dtype.
pub fn dense<T: Element>(tensor: &Tensor) -> Tensor {
    tensor.to_dtype(T::DTYPE).contiguous()
}

/// The elements of a tensor, row by row, converted where it is of another dtype, to be changed.
pub fn copied<T: Element>(tensor: &Tensor) -> Buffer<T> {
    Buffer::copy_of(&dense::<T>(tensor).data::<T>())
}

/// A row-major tensor of `sizes` in `dtype` from elements computed in `W`.
pub fn finish<W: Element>(values: Buffer<W>, sizes: &[usize], dtype: DType) -> Tensor {
    values.into_tensor(sizes).to_dtype(dtype)
}

/// A number as a floating point dtype holds it.
#[inline]
pub fn round_to(v: f64, dtype: DType) -> f64 {
    match dtype {
        DType::F16 => f16::from_f32(v as f32).to_f64(),
        DType::BF16 => bf16::from_f32(v as f32).to_f64(),
        DType::F32 => f64::from(v as f32),
        _ => v,
    }
}

/// The dtype that two tensors' elements meet in.
pub fn promoted(a: &Tensor, b: &Tensor) -> DType {
    result_type(&[a.into(), b.into()], DType::F32)
}

/// The sum of numbers in order; of none of them it is zero, where [`Iterator::sum`] gives minus zero.
pub fn total(terms: impl Iterator<Item = f64>) -> f64 {
    terms.fold(0.0, |sum, term| sum + term)
}

/// Numbers that sums are made in side by side.
pub const LANES: usize = 16;

/// The second half of some numbers added to the first; `N` is twice `H`.
#[inline(always)]
pub fn halved<T: Copy + Add<Output = T>, const N: usize, const H: usize>(lanes: &[T; N]) -> [T; H] {
    const { assert!(N == 2 * H) };
    let mut out = [lanes[0]; H];
    for i in 0..H {
        out[i] = lanes[i] + lanes[i + H];
    }
    out
}

/// The sum of some numbers, half of them added to the other half at a time.
#[inline(always)]
pub fn lane_total(lanes: &[f64; LANES]) -> f64 {
    let eight: [f64; 8] = halved(lanes);
    let four: [f64; 4] = halved(&eight);
    let [a, b] = halved(&four);
    a + b
}

/// The sum over elements of what is made of each, in lanes; of none of them it is zero.
#[inline(always)]
pub fn sum_in_lanes<T: Copy>(run: &[T], of: impl Fn(T) -> f64) -> f64 {
    let chunks = run.chunks_exact(LANES);
    let rest = short_sum(chunks.remainder(), &of);
    if run.len() < LANES {
        return rest;
    }
    let mut lanes = [0f64; LANES];
    for chunk in chunks {
        for (lane, &x) in lanes.iter_mut().zip(chunk) {
            *lane += of(x);
        }
    }
    lane_total(&lanes) + rest
}

/// As [`sum_in_lanes`], of a few elements: four at a time.
#[inline(always)]
pub fn short_sum<T: Copy>(run: &[T], of: impl Fn(T) -> f64) -> f64 {
    let chunks = run.chunks_exact(4);
    let rest = total(chunks.remainder().iter().map(|&x| of(x)));
    let mut parts = [0f64; 4];
    for chunk in chunks {
        for (part, &x) in parts.iter_mut().zip(chunk) {
            *part += of(x);
        }
    }
    (parts[0] + parts[1]) + (parts[2] + parts[3]) + rest
}

/// As [`sum_in_lanes`], over the elements of two runs that are as long as each other.
#[inline(always)]
pub fn sum_of_pairs_in_lanes<T: Copy>(a: &[T], b: &[T], of: impl Fn(T, T) -> f64) -> f64 {
    let (left, right) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest = left.remainder().iter().zip(right.remainder());
    let rest = total(rest.map(|(&a, &b)| of(a, b)));
    if a.len() < LANES {
        return rest;
    }
    let mut lanes = [0f64; LANES];
    for (a, b) in left.zip(right) {
        for ((lane, &a), &b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += of(a, b);
        }
    }
    lane_total(&lanes) + rest
}
