//! Elements of no value in particular. Where a program wants the same results in every run, they are values that stand out:
//! NaN, the largest integer, True.

use rushlight_tensor::{DType, Layout, Result, Scalar, Tensor};
use rushlight_types::determinism::{Determinism, fills, wanted};

/// A tensor that was made for somebody to fill.
pub fn unspecified(t: Tensor) -> Result<Tensor> {
    if stands_out(&t) {
        t.fill(value(t.dtype()))?;
    }
    Ok(t)
}

/// A tensor whose memory had fewer bytes before.
pub fn grown(t: &Tensor, before: usize) -> Result<()> {
    if !stands_out(t) {
        return Ok(());
    }
    let size = t.dtype().size();
    let (first, end) = (before.div_ceil(size), t.storage().len() / size);
    if first < end {
        let layout = Layout::strided(&[end - first], &[1], first);
        Tensor::view_of(&t.storage(), t.dtype(), layout)?.fill(value(t.dtype()))?;
    }
    Ok(())
}

fn stands_out(t: &Tensor) -> bool {
    wanted() != Determinism::Free && fills() && !t.is_meta() && !t.dtype().is_quantized()
}

fn value(dtype: DType) -> Scalar {
    match dtype {
        DType::Bool => Scalar::Bool(true),
        _ if !dtype.is_integral(true) => Scalar::Float(f64::NAN),
        DType::U8 => Scalar::Int(u8::MAX.into()),
        DType::U16 => Scalar::Int(u16::MAX.into()),
        DType::U32 => Scalar::Int(u32::MAX.into()),
        // All bits.
        DType::U64 => Scalar::Int(-1),
        DType::I8 => Scalar::Int(i8::MAX.into()),
        DType::I16 => Scalar::Int(i16::MAX.into()),
        DType::I32 => Scalar::Int(i32::MAX.into()),
        _ => Scalar::Int(i64::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::value;
    use rushlight_tensor::{DType, Scalar, Tensor};

    #[test]
    fn values_are_the_largest_of_their_dtype() {
        let shown = |dtype| {
            let t = Tensor::empty(&[1], dtype).unwrap();
            t.fill(value(dtype)).unwrap();
            t
        };
        assert_eq!(shown(DType::U64).to_vec::<u64>(), [u64::MAX]);
        assert_eq!(shown(DType::I16).to_vec::<i16>(), [i16::MAX]);
        assert!(shown(DType::F32).to_vec::<f32>()[0].is_nan());
        assert!(matches!(shown(DType::Bool).item(), Ok(Scalar::Bool(true))));
    }
}
