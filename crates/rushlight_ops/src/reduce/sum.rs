//! Sums and means, also those that skip NaN.
//!
//! Contiguous runs are added in lanes over short blocks, blocks in f64, so that errors do not grow with the length.

use super::dims::{self, Ints, Mask, mask, reduced_count, wide_dtype};
use super::fold::reduce;
use crate::out::in_its_dtype;
use rushlight_kernels::pointwise::arithmetic::DIV;
pub(crate) use rushlight_kernels::reduce::sum::sum_masked;
use rushlight_kernels::reduce::sum::{CountNumbers, Sum, sum_scaled};
use rushlight_tensor::iter::ResultForm;
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{DType, Fault, Result, Scalar, Tensor};
use rushlight_types::{Quantized, op, operators};
use std::marker::PhantomData;

operators! {
    /// Sums and means.
    pub static ROWS = [
        op!("aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor", sum_all).refused_as("aten::sum.IntList_out").out("out", crate::out::exact),
        op!("aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", sum).refused_as("aten::sum.IntList_out"),
        op!("aten::sum.IntList_out(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)", sum_out),
        op!("aten::sum_to_size(Tensor self, SymInt[] size) -> Tensor", sum_to_size),
        op!("aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor", mean_all).quantized(Quantized::Native).out("dtype_out", crate::out::cast),
        op!("aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", mean).quantized(Quantized::Native).out("out", crate::out::cast),
        op!("aten::nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", nansum),
        op!("aten::nansum.out(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)", nansum_out),
        op!("aten::nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", nanmean).out("out", crate::out::cast),
        op!("aten::trace(Tensor self) -> Tensor", trace).out("out", crate::out::exact),
    ];
}

/// The dtype of a sum: integers are summed as i64.
fn sum_dtype(input: &Tensor, dtype: Option<DType>) -> DType {
    dtype.unwrap_or(match input.dtype() {
        d if d.is_integral(true) => DType::I64,
        d => d,
    })
}

/// `sum` over everything.
pub fn sum_all(input: &Tensor, dtype: Option<DType>) -> Result<Tensor> {
    sum_masked(
        input,
        &dims::all(input.rank()),
        false,
        sum_dtype(input, dtype),
    )
}

/// `sum` over dimensions.
pub fn sum(
    input: &Tensor,
    dim: Option<Ints>,
    keepdim: bool,
    dtype: Option<DType>,
) -> Result<Tensor> {
    let mask = mask(dim.as_deref(), input.rank())?;
    sum_masked(input, &mask, keepdim, sum_dtype(input, dtype))
}

fn sum_out(
    input: &Tensor,
    dim: Option<Ints>,
    keepdim: bool,
    dtype: Option<DType>,
    out: &Tensor,
) -> Result<Tensor> {
    in_its_dtype(out, dtype, |dtype| sum(input, dim, keepdim, dtype))
}

fn nansum_out(
    input: &Tensor,
    dim: Option<Ints>,
    keepdim: bool,
    dtype: Option<DType>,
    out: &Tensor,
) -> Result<Tensor> {
    if let Some(dtype) = dtype.filter(|dtype| *dtype != out.dtype()) {
        return Err(Fault::runtime(format!(
            "nansum: provided dtype must match dtype of result. Got {} and {}.",
            out.dtype().class_name(),
            dtype.class_name()
        )));
    }
    // Integers have no numbers that are none.
    if input.dtype().is_float() && !out.dtype().is_float() {
        return Err(Fault::no_kernel("nansum_cpu", out.dtype()));
    }
    in_its_dtype(out, dtype, |dtype| nansum(input, dim, keepdim, dtype))
}

/// Sums away what broadcasting from `size` has added.
pub fn sum_to_size(input: &Tensor, size: Ints) -> Result<Tensor> {
    let lead = input.rank().checked_sub(size.len());
    let fits = lead.is_some_and(|lead| {
        size.iter()
            .zip(&input.sizes()[lead..])
            .all(|(&want, &have)| want == 1 || want == have as i64)
    });
    let Some(lead) = lead.filter(|_| fits) else {
        return Err(Fault::runtime(format!(
            "size {{{:?}}} is not expandable to size {{{}}}.",
            size.as_slice(),
            rushlight_tensor::layout::list(input.sizes())
        )));
    };
    if size.is_empty() {
        return sum_all(input, None);
    }
    let reduced = |d: usize| d < lead || (size[d - lead] == 1 && input.size(d) != 1);
    let mask: Mask = (0..input.rank()).map(reduced).collect();
    if !mask.contains(&true) {
        return Ok(input.clone());
    }
    let sizes: Vec<usize> = size.iter().map(|&s| s as usize).collected();
    sum_masked(input, &mask, true, sum_dtype(input, None))?.reshape_to(&sizes)
}

fn mean_dtype(name: &str, input: &Tensor, dtype: Option<DType>) -> Result<DType> {
    let (out, what) = match dtype {
        Some(d) => (d, "Optional"),
        None => (input.dtype(), "Input"),
    };
    if out.is_integral(true) {
        return Err(Fault::not_implemented(format!(
            "{name}(): could not infer output dtype. {what} dtype must be either a floating point or complex dtype. Got: {}",
            out.class_name()
        )));
    }
    Ok(out)
}

/// `mean` over everything.
pub fn mean_all(input: &Tensor, dtype: Option<DType>) -> Result<Tensor> {
    mean(input, None, false, dtype)
}

/// `mean` over dimensions.
pub fn mean(
    input: &Tensor,
    dim: Option<Ints>,
    keepdim: bool,
    dtype: Option<DType>,
) -> Result<Tensor> {
    if input.dtype().is_quantized() {
        let dims = dim.as_deref().map(<[i64]>::to_vec);
        let plain = |x: &Tensor| mean(x, dim.clone(), keepdim, None);
        return rushlight_quantized::mean::mean(input, dims.as_deref(), plain);
    }
    let dtype = mean_dtype("mean", input, dtype)?;
    let mask = mask(dim.as_deref(), input.rank())?;
    let count = reduced_count(input.sizes(), &mask);
    let mean = sum_scaled(input, &mask, keepdim, dtype, count as f64)?;
    if !dtype.is_complex() {
        return Ok(mean);
    }
    // The count is a complex number: an infinite part leaves no other part a number.
    let one = Tensor::scalar(Scalar::Int(1), dtype);
    let operands = [(&mean).into(), (&one).into()];
    DIV.call_any(dtype, ResultForm::Fresh, &operands, &[])
}

/// `nansum`.
pub fn nansum(
    input: &Tensor,
    dim: Option<Ints>,
    keepdim: bool,
    dtype: Option<DType>,
) -> Result<Tensor> {
    if input.dtype().is_complex() {
        return Err(Fault::not_implemented(
            "nansum on CPU does not support complex inputs",
        ));
    }
    let mask = mask(dim.as_deref(), input.rank())?;
    let dtype = sum_dtype(input, dtype);
    let wide = input.to_dtype(dtype).to_dtype(wide_dtype(dtype));
    let sums = match wide.dtype() {
        DType::F32 => reduce(&wide, &mask, keepdim, &Sum::<f32, true>(PhantomData), |a| {
            a as f32
        }),
        DType::F64 => reduce(&wide, &mask, keepdim, &Sum::<f64, true>(PhantomData), |a| a),
        _ => sum_masked(&wide, &mask, keepdim, dtype),
    }?;
    Ok(sums.to_dtype(dtype))
}

/// `nanmean`.
pub fn nanmean(
    input: &Tensor,
    dim: Option<Ints>,
    keepdim: bool,
    dtype: Option<DType>,
) -> Result<Tensor> {
    if input.dtype().is_integral(true) {
        return Err(Fault::not_implemented(format!(
            "nanmean(): expected input to have floating point or complex dtype but got {}",
            input.dtype().class_name()
        )));
    }
    let sums = nansum(input, dim.clone(), keepdim, dtype)?;
    let mask = mask(dim.as_deref(), input.rank())?;
    let wide = input.to_dtype(DType::F64);
    let counts = reduce(
        &wide,
        &mask,
        keepdim,
        &CountNumbers::<f64>(PhantomData),
        |a| a,
    )?;
    let dtype = sums.dtype();
    let values: Vec<f64> = sums
        .to_vec::<f64>()
        .iter()
        .zip(counts.data::<i64>().iter())
        .map(|(s, &n)| s / n as f64)
        .collected();
    Ok(Tensor::from_vec(values, sums.sizes())?.to_dtype(dtype))
}

/// The sum of the main diagonal of a matrix.
pub fn trace(input: &Tensor) -> Result<Tensor> {
    if input.rank() != 2 {
        return Err(Fault::runtime(format!(
            "trace: expected a matrix, but got tensor with dim {}",
            input.rank()
        )));
    }
    if input.dtype() == DType::Bool {
        let message = "\"trace\" not implemented for 'Bool'";
        return Err(Fault::not_implemented(message));
    }
    let n = input.size(0).min(input.size(1));
    let stride = input.strides()[0] + input.strides()[1];
    let layout = rushlight_tensor::Layout::strided(&[n], &[stride], input.layout().offset());
    sum_all(&input.view_with(layout)?, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rushlight_tensor::MemoryFormat;

    fn ramp(sizes: &[usize]) -> Tensor {
        let count = sizes.iter().product();
        Tensor::from_vec((0..count).map(|v| v as f32).collect(), sizes).unwrap()
    }

    #[test]
    fn every_choice_of_dimensions_sums_the_same_in_any_memory_order() {
        let plain = ramp(&[2, 3, 4, 5]);
        let last = plain.contiguous_in(MemoryFormat::ChannelsLast).unwrap();
        for bits in 0..16u32 {
            let mask: Mask = (0..4).map(|d| bits >> d & 1 == 1).collect();
            let a = sum_masked(&plain, &mask, false, DType::F32).unwrap();
            let b = sum_masked(&last, &mask, false, DType::F32).unwrap();
            assert!(b.is_contiguous());
            assert_eq!(a.sizes(), b.sizes());
            assert_eq!(a.to_vec::<f32>(), b.to_vec::<f32>(), "{mask:?}");
            let total: f32 = a.to_vec::<f32>().iter().sum();
            assert_eq!(total, 7140.0);
        }
    }

    #[test]
    fn long_sums_stay_exact_enough() {
        let ones = Tensor::full(&[1 << 25], 0.1.into(), DType::F32).unwrap();
        let sum = sum_all(&ones, None).unwrap().item().unwrap().to_f64();
        let error = sum / (1 << 25) as f64 / 0.1f32 as f64 - 1.0;
        assert!(error.abs() < 3e-7, "{error}");
    }

    #[test]
    fn integers_sum_to_i64_unless_asked_otherwise() {
        let bytes = Tensor::full(&[300], 1.into(), DType::U8).unwrap();
        let sum = sum_all(&bytes, None).unwrap();
        assert_eq!((sum.dtype(), sum.to_vec::<i64>()), (DType::I64, vec![300]));
        let wrapped = sum_all(&bytes, Some(DType::U8)).unwrap();
        assert_eq!(wrapped.to_vec::<i64>(), [44]);
        assert!(mean_all(&bytes, None).is_err());
    }

    #[test]
    fn sums_of_nothing_are_zero_and_their_means_nan() {
        let empty = Tensor::zeros(&[0, 3], DType::F32).unwrap();
        let dim = || Some(smallvec::smallvec![0]);
        assert_eq!(sum(&empty, dim(), true, None).unwrap().sizes(), [1, 3]);
        assert!(mean(&empty, dim(), false, None).unwrap().to_vec::<f32>()[0].is_nan());
    }

    #[test]
    fn a_dimension_named_twice_is_refused() {
        let fault = sum(
            &ramp(&[2, 2]),
            Some(smallvec::smallvec![0, -2]),
            false,
            None,
        )
        .unwrap_err();
        assert_eq!(
            fault.message(),
            "dim 0 appears multiple times in the list of dims"
        );
    }
}
