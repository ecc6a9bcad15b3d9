//! The bounds of draws of integers as floats hold them.

use rushlight_tensor::{DType, Scalar, Tensor};

/// Ranges from this size on draw 64 bits per number.
pub const WIDE_RANGE: u64 = 1 << 28;

/// Bits of a float's significand; `None` where every whole number is exact.
fn significand(dtype: DType) -> Option<u32> {
    match dtype {
        DType::F16 => Some(11),
        DType::BF16 => Some(8),
        DType::F32 => Some(24),
        DType::F64 => Some(53),
        _ => None,
    }
}

/// A whole number rounded to a float dtype and back.
fn through(value: i64, dtype: DType) -> i64 {
    let float = Tensor::scalar(Scalar::Int(value), dtype);
    float.item().map_or(value, Scalar::to_i64)
}

/// The distance of floats around a whole number.
fn spacing(value: i64, bits: u32) -> i64 {
    let exponent = value.unsigned_abs().checked_ilog2().unwrap_or(0);
    1 << (exponent + 1).saturating_sub(bits).min(62)
}

/// The start of a range, moved up where the float dtype would round it down.
pub fn first_exact(from: i64, dtype: DType) -> i64 {
    match significand(dtype) {
        Some(bits) if through(from.saturating_add(1), dtype) < from => {
            from.saturating_add(spacing(from.saturating_add(1), bits))
        }
        _ => from,
    }
}

/// The end of a range, moved down where the float dtype would round the last number up to it.
pub fn last_exact(to: i64, dtype: DType) -> i64 {
    match significand(dtype) {
        Some(bits) if through(to.saturating_sub(1), dtype) >= to => {
            to.saturating_sub(spacing(to.saturating_sub(1), bits))
        }
        _ => to,
    }
}

/// The largest whole number up to which every one is exact.
pub fn highest(dtype: DType) -> i64 {
    match dtype {
        DType::Bool => 1,
        DType::U8 => u8::MAX.into(),
        DType::I8 => i8::MAX.into(),
        DType::I16 => i16::MAX.into(),
        DType::I32 => i32::MAX.into(),
        DType::F16 => 1 << 11,
        DType::BF16 => 1 << 8,
        DType::F32 => 1 << 24,
        DType::F64 => 1 << 53,
        _ => i64::MAX,
    }
}
