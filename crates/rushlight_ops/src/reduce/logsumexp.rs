//! The logarithm of a sum of exponentials, without overflow: sums are kept relative to the largest element so far.

use super::dims::{Ints, mask, wide_dtype};
use super::extremes::amax;
use super::fold::reduce;
use super::sum::sum;
use crate::linalg::norm::rows_to_reduce;
use crate::pointwise::steps::Steps;
pub(crate) use rushlight_kernels::reduce::logsumexp::LogSum;
use rushlight_kernels::reduce::logsumexp::{ComplexSum, RealSum};
use rushlight_tensor::layout::list;
use rushlight_tensor::{DType, Dims, Fault, Result, Scalar, Tensor};
use rushlight_types::{Context, OutDtype, op, operators};

operators! {
    /// `logsumexp`.
    pub static ROWS = [
        op!("aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", logsumexp).out("out", crate::out::cast).out_dtype(OutDtype::Castable("logsumexp(): Expected floating point type for result tensor, but got: {out}")),
        op!("aten::special_logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", logsumexp).out("out", crate::out::cast).out_dtype(OutDtype::Castable("logsumexp(): Expected floating point type for result tensor, but got: {out}")),
    ];
}

/// `logsumexp`.
pub fn logsumexp(cx: &Context, input: &Tensor, dim: Ints, keepdim: bool) -> Result<Tensor> {
    if dim.is_empty() && !keepdim && input.rank() > 0 {
        // The reference takes the largest of all with their dimensions kept, and drops none of those.
        return Err(Fault::runtime(format!(
            "output with shape [] doesn't match the broadcast shape {}",
            list(&Dims::from_elem(1, input.rank()))
        )));
    }
    let mask = mask(Some(&dim), input.rank())?;
    let dtype = match input.dtype() {
        d if d.is_integral(true) => cx.default_dtype(),
        d => d,
    };
    if matches!(dtype, DType::F16 | DType::BF16) && input.numel() > 0 {
        return in_steps(cx, input, dim, keepdim);
    }
    let wide = match wide_dtype(dtype) {
        DType::C64 => input.to_dtype(DType::C128),
        wide => input.to_dtype(wide),
    };
    // Runs of what is summed are the fast way: other dimensions go to the end.
    let (wide, mask, sizes) = match mask.iter().is_sorted() || wide.dtype().is_complex() {
        true => (wide, mask, None),
        false => {
            let (moved, length, sizes) = rows_to_reduce(&wide, Some(&dim), keepdim)?;
            let rows: usize = sizes.iter().product();
            let mask = self::mask(Some(&[1]), 2)?;
            (
                moved.contiguous().reshape_to(&[rows, length])?,
                mask,
                Some(sizes),
            )
        }
    };
    let keepdim = keepdim && sizes.is_none();
    let real = |sum: LogSum| sum.ln().re;
    let out = match wide.dtype() {
        DType::C128 => reduce(&wide, &mask, keepdim, &ComplexSum, LogSum::ln),
        DType::F64 => reduce(&wide, &mask, keepdim, &RealSum::<f64>::default(), real),
        _ => reduce(&wide, &mask, keepdim, &RealSum::<f32>::default(), |s| {
            real(s) as f32
        }),
    }?;
    let out = match sizes {
        Some(sizes) => out.reshape_to(&sizes)?,
        None => out,
    };
    Ok(out.to_dtype(dtype))
}

/// The same of 16-bit floats, rounded after every step as in the reference.
fn in_steps(cx: &Context, input: &Tensor, dim: Ints, keepdim: bool) -> Result<Tensor> {
    let s = Steps(cx);
    let largest = amax(input, dim.clone(), true)?;
    let is_endless = s.eq(&s.abs(&largest)?, Scalar::Float(f64::INFINITY))?;
    let largest = s.choose(&is_endless, Scalar::Float(0.0), &largest)?;
    let grown = s.exp(&s.sub(input, &largest)?)?;
    let total = s.log(&sum(&grown, Some(dim), keepdim, None)?)?;
    s.add(&total, &largest.reshape_to(total.sizes())?)
}
