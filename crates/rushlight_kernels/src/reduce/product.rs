//! Products of elements.

use super::dims::{self, Mask};
use super::fold::{Fold, reduce};
use rushlight_tensor::{Complex64, DType, Number, Result, Tensor};
use std::marker::PhantomData;

struct Product<T>(PhantomData<T>);

/// Partial products: so many that those of a long run seldom become too small for a normal number, with which some processors
/// take a hundred times as long.
const LANES: usize = 32;

impl<T: Number> Fold for Product<T> {
    type In = T;
    type Acc = T;
    fn start(&self) -> T {
        T::ONE
    }
    #[inline(always)]
    fn run(&self, acc: T, run: &[T]) -> T {
        let mut lanes = [T::ONE; LANES];
        let mut chunks = run.chunks_exact(LANES);
        for chunk in &mut chunks {
            for (lane, &x) in lanes.iter_mut().zip(chunk) {
                *lane = lane.mul(x);
            }
        }
        let rest = chunks.remainder().iter().fold(acc, |a, &x| a.mul(x));
        if run.len() < LANES {
            return rest;
        }
        let mut width = LANES;
        while width > 1 {
            width /= 2;
            for i in 0..width {
                lanes[i] = lanes[i].mul(lanes[i + width]);
            }
        }
        rest.mul(lanes[0])
    }
    #[inline(always)]
    fn rows(&self, acc: &mut [T], rows: &[T]) {
        for row in rows.chunks_exact(acc.len()) {
            for (a, &x) in acc.iter_mut().zip(row) {
                *a = a.mul(x);
            }
        }
    }
}

/// The product over the dimensions of a mask.
pub fn prod_masked(
    input: &Tensor,
    mask: &Mask,
    keepdim: bool,
    dtype: Option<DType>,
) -> Result<Tensor> {
    let dtype = dtype.unwrap_or(match input.dtype() {
        d if d.is_integral(true) => DType::I64,
        d => d,
    });
    dtype.computes("prod_out_cpu")?;
    let wide = match dims::wide_dtype(dtype) {
        DType::C64 => DType::C128,
        wide => wide,
    };
    let input = input.to_dtype(dtype).to_dtype(wide);
    fn run<T: Number>(input: &Tensor, mask: &Mask, keepdim: bool) -> Result<Tensor> {
        reduce(input, mask, keepdim, &Product::<T>(PhantomData), |a| a)
    }
    let product = match wide {
        DType::F32 => run::<f32>(&input, mask, keepdim),
        DType::F64 => run::<f64>(&input, mask, keepdim),
        DType::C128 => run::<Complex64>(&input, mask, keepdim),
        _ => run::<i64>(&input, mask, keepdim),
    }?;
    Ok(product.to_dtype(dtype))
}
