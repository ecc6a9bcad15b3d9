//! The type that a kernel computes in: f64 for f64, f32 for f32 and the 16-bit floats.
//!
//! Kernels of the larger families (norms, losses, resampling) are written once over [`Compute`] and compiled for f32
//! and f64 only; tensors of narrower floats are converted on the way in and rounded once on the way out.

pub(crate) use rushlight_tensor::element::wide::Wide;
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

/// The dtype that two tensors' elements meet in, by the categories of the reference's promotion: tensors with
/// dimensions outrank those without, which outrank Python numbers, unless the category is higher.
pub(crate) fn promoted(a: &Tensor, b: &Tensor) -> DType {
    let priority = |t: &Tensor| match (t.rank(), t.is_wrapped_number()) {
        (_, true) => 0,
        (0, false) => 1,
        _ => 2,
    };
    let category = |d: DType| match d {
        DType::Bool => 0,
        d if d.is_integral(false) => 1,
        d if d.is_float() => 2,
        _ => 3,
    };
    let (high, low) = if priority(a) >= priority(b) {
        (a, b)
    } else {
        (b, a)
    };
    if priority(high) == priority(low) || category(low.dtype()) > category(high.dtype()) {
        return meet(high.dtype(), low.dtype());
    }
    high.dtype()
}

/// The smallest dtype that holds the values of both.
pub(crate) fn meet(a: DType, b: DType) -> DType {
    use DType::*;
    let rank = |d: DType| match d {
        Bool => 0,
        U8 => 1,
        I8 => 2,
        I16 => 3,
        I32 => 4,
        I64 => 5,
        F16 => 6,
        BF16 => 7,
        F32 => 8,
        F64 => 9,
        C64 => 10,
        C128 => 11,
    };
    let (low, high) = if rank(a) <= rank(b) { (a, b) } else { (b, a) };
    match (low, high) {
        (U8, I8) => I16,
        (F16, BF16) => F32,
        (F64, C64) => C128,
        (_, high) => high,
    }
}
