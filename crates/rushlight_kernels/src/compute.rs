//! The type that a kernel computes in: f64 for f64, f32 for f32 and the 16-bit floats.
//!
//! Kernels of the larger families (norms, losses, resampling) are written once over [`Compute`] and compiled for f32
//! and f64 only; tensors of narrower floats are converted on the way in and rounded once on the way out.

pub use rushlight_tensor::element::wide::Wide;
use rushlight_tensor::promote::result_type;
use rushlight_tensor::{Buffer, DType, Element, Tensor, bf16, f16};

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
