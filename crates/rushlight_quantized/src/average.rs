//! Averages of quantized tensors over windows, in their own scale.
//!
//! The sum of a window is multiplied with the inverse of its size; where the zero point joins depends on whether channels
//! are last in memory.

use super::{integers, of_integers_like, quantizer, scale_of};
use rushlight_tensor::memory;
use rushlight_tensor::{DType, MemoryFormat, Result, Tensor};

/// Where windows of an average come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Windows {
    /// From the size of the result.
    Adaptive,
    Fixed,
}

/// The averages of a quantized tensor. `plain` gives those of a plain one whose channels come last or not.
pub fn average(
    name: &str,
    x: &Tensor,
    windows: Windows,
    plain: impl FnOnce(&Tensor, bool) -> Result<Tensor>,
) -> Result<Tensor> {
    let (scale, zero_point) = scale_of(name, x)?;
    let formats = [MemoryFormat::ChannelsLast, MemoryFormat::ChannelsLast3d];
    let last = formats.into_iter().any(|f| x.layout().is_contiguous_in(f));
    let whole = windows == Windows::Adaptive && !last;
    let input = match whole {
        true => x.stored().to_dtype(DType::F32),
        false if x.dtype() == DType::QI32 => integers(x, quantizer(name, x)?)?.to_dtype(DType::F32),
        false => {
            let mut units: Vec<f32> = x.stored().to_vec();
            units.iter_mut().for_each(|q| *q -= zero_point as f32);
            Tensor::from_vec(units, x.sizes())?
        }
    };
    let out = plain(&input, last)?;
    let zero = zero_point as f32;
    let steps: Vec<f32> = out.to_vec();
    let rounded = memory::collect(steps.into_iter().map(|step| match (whole, last) {
        (true, _) => step.round_ties_even() as i64,
        (false, true) => (step.round_ties_even() as i64).saturating_add(zero_point),
        (false, false) => (step + zero).round_ties_even() as i64,
    }));
    let out = of_integers_like(&rounded, out.sizes(), (scale, zero_point), x.dtype())?;
    Ok(out.ordered_like(x))
}
