//! Runs of slices along a dimension.

use super::runs::{Region, Runs, block_runs};
use rushlight_tensor::memory::{self, Collected};
use rushlight_tensor::{Complex64, Result, Scalar, Tensor};

/// The places of the slices with these (checked) indices, in row-major order of the result.
pub fn slice_runs(t: &Tensor, dim: usize, indices: &[usize]) -> Runs {
    let (sizes, strides) = (t.sizes(), t.strides());
    if sizes.is_empty() {
        return Runs::single(memory::filled(indices.len(), 0));
    }
    let region = |range: std::ops::Range<usize>| Region {
        sizes: &sizes[range.clone()],
        strides: &strides[range],
    };
    let middle: Vec<usize> = indices.iter().map(|i| i * strides[dim]).collected();
    block_runs(region(0..dim), middle, region(dim + 1..sizes.len()))
}

/// The tensor times a number, in its own dtype.
pub fn scaled(t: &Tensor, factor: Scalar) -> Result<Tensor> {
    if factor.to_complex() == Complex64::new(1.0, 0.0) {
        return Ok(t.clone());
    }
    let product = if t.dtype().is_integral(true) {
        let factor = factor.to_i64();
        let values = t.to_vec::<i64>();
        Tensor::from_vec(
            values.iter().map(|v| v.wrapping_mul(factor)).collected(),
            t.sizes(),
        )?
    } else if t.dtype().is_complex() {
        let factor = factor.to_complex();
        let values = t.to_vec::<Complex64>();
        Tensor::from_vec(values.iter().map(|v| v * factor).collected(), t.sizes())?
    } else {
        let factor = factor.to_f64();
        let values = t.to_vec::<f64>();
        Tensor::from_vec(values.iter().map(|v| v * factor).collected(), t.sizes())?
    };
    Ok(product.to_dtype(t.dtype()))
}
