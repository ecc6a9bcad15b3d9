//! The type that a kernel computes in: f64 for f64, f32 for f32 and the 16-bit floats.
//!
//! Kernels of the larger families (norms, losses, resampling) are written once over [`Compute`] and compiled for f32
//! and f64 only; tensors of narrower floats are converted on the way in and rounded once on the way out.

pub(crate) use rushlight_tensor::element::wide::Wide;
use rushlight_tensor::promote::result_type;
use rushlight_tensor::{Buffer, DType, Element, Tensor};

/// f32 and f64: element types that are also the types functions are computed in.
pub(crate) trait Compute: Element + Wide {}
impl Compute for f32 {}
impl Compute for f64 {}

/// Runs `$body` with `$W` bound to the compute type of a floating point dtype; other dtypes fail with the message that
/// the kernel `$name` does not exist for them.
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
pub(crate) use compute;

/// The tensor as contiguous elements of `T`, converted where it is of another dtype.
pub(crate) fn dense<T: Element>(tensor: &Tensor) -> Tensor {
    tensor.to_dtype(T::DTYPE).contiguous()
}

/// A row-major tensor of `sizes` in `dtype` from elements computed in `W`.
pub(crate) fn finish<W: Element>(values: Buffer<W>, sizes: &[usize], dtype: DType) -> Tensor {
    values.into_tensor(sizes).to_dtype(dtype)
}

/// The dtype that two tensors' elements meet in.
pub(crate) fn promoted(a: &Tensor, b: &Tensor) -> DType {
    result_type(&[a.into(), b.into()], DType::F32)
}
