//! Largest and smallest elements: over everything, over dimensions, with their indices.
//!
//! NaN counts as an extreme: it wins over every number. Of equal elements the first one's index is reported.

use super::dims::{self, Ints, Lanes, Mask, check_nonempty, listed, mask, wide_dtype, without_dim};
use super::fold::{Fold, reduce};
use rushlight_tensor::lanes::{Vectorised, vectorised};
use rushlight_tensor::memory;
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Buffer, DType, Fault, Real, Result, Tensor, watch};
use rushlight_types::{Quantized, op, operators};
use std::marker::PhantomData;

operators! {
    /// Extremes and their indices.
    pub static ROWS = [
        op!("aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", amax).quantized(Quantized::Integers),
        op_out_exact!("aten::amax.out(Tensor self, int[1] dim=[], bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)", amax),
        op!("aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", amin),
        op_out_exact!("aten::amin.out(Tensor self, int[1] dim=[], bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)", amin),
        op!("aten::aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)", aminmax),
        op_out_exact!("aten::aminmax.out(Tensor self, *, int? dim=None, bool keepdim=False, Tensor(a!) min, Tensor(b!) max) -> (Tensor(a!) min, Tensor(b!) max)", aminmax),
        op!("aten::_aminmax(Tensor self) -> (Tensor, Tensor)", aminmax_all),
        op!("aten::_aminmax.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor, Tensor)", aminmax),
        op_out_exact!("aten::_aminmax.out(Tensor self, *, Tensor(a!) out0, Tensor(b!) out1) -> (Tensor(a!), Tensor(b!))", aminmax_all),
        op_out_exact!("aten::_aminmax.dim_out(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) out0, Tensor(b!) out1) -> (Tensor(a!), Tensor(b!))", aminmax),
        op!("aten::max(Tensor self) -> Tensor", max_all).quantized(Quantized::Integers),
        op_out!("aten::max.unary_out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)", max_all),
        op!("aten::min(Tensor self) -> Tensor", min_all).quantized(Quantized::Integers),
        op_out!("aten::min.unary_out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)", min_all),
        op!("aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", max_dim),
        op_out_exact!("aten::max.dim_max(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) max, Tensor(b!) max_values) -> (Tensor(a!) values, Tensor(b!) indices)", max_dim),
        op!("aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", min_dim),
        op_out_exact!("aten::min.dim_min(Tensor self, int dim, bool keepdim=False, *, Tensor(a!) min, Tensor(b!) min_indices) -> (Tensor(a!) values, Tensor(b!) indices)", min_dim),
        op!("aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", argmax),
        op_out_exact!("aten::argmax.out(Tensor self, int? dim=None, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)", argmax),
        op!("aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", argmin),
        op_out_exact!("aten::argmin.out(Tensor self, int? dim=None, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)", argmin),
    ];
}

/// The largest element if `MAX`, else the smallest.
pub struct Extreme<T, const MAX: bool>(pub PhantomData<T>);

/// Whether `x` takes the place of `best`.
#[inline(always)]
fn wins<T: Real, const MAX: bool>(x: T, best: T) -> bool {
    x.is_nan() || if MAX { x > best } else { x < best }
}

const LANES: usize = 16;

impl<T: Real, const MAX: bool> Fold for Extreme<T, MAX> {
    type In = T;
    type Acc = T;
    fn start(&self) -> T {
        if MAX { T::LOWEST } else { T::HIGHEST }
    }
    #[inline(always)]
    fn run(&self, acc: T, run: &[T]) -> T {
        let pick = |best: T, x: T| if wins::<T, MAX>(x, best) { x } else { best };
        let mut chunks = run.chunks_exact(LANES);
        let mut best = acc;
        if run.len() >= LANES {
            let mut lanes = [acc; LANES];
            for chunk in &mut chunks {
                for (lane, &x) in lanes.iter_mut().zip(chunk) {
                    *lane = pick(*lane, x);
                }
            }
            best = lanes.into_iter().fold(acc, pick);
        }
        chunks
            .remainder()
            .iter()
            .fold(best, |best, &x| pick(best, x))
    }
    #[inline(always)]
    fn rows(&self, acc: &mut [T], rows: &[T]) {
        for row in rows.chunks_exact(acc.len()) {
            for (a, &x) in acc.iter_mut().zip(row) {
                if wins::<T, MAX>(x, *a) {
                    *a = x;
                }
            }
        }
    }
}

fn extreme<const MAX: bool>(input: &Tensor, mask: &Mask, keepdim: bool) -> Result<Tensor> {
    fn run<T: Real, const MAX: bool>(t: &Tensor, mask: &Mask, keepdim: bool) -> Result<Tensor> {
        reduce(t, mask, keepdim, &Extreme::<T, MAX>(PhantomData), |a| a)
    }
    let wide = input.to_dtype(wide_dtype(input.dtype()));
    let found = match wide.dtype() {
        DType::F32 => run::<f32, MAX>(&wide, mask, keepdim),
        DType::F64 => run::<f64, MAX>(&wide, mask, keepdim),
        _ => run::<i64, MAX>(&wide, mask, keepdim),
    }?;
    Ok(found.to_dtype(input.dtype()))
}

fn over_dims<const MAX: bool>(input: &Tensor, dim: &[i64], keepdim: bool) -> Result<Tensor> {
    let name = if MAX { "amax()" } else { "amin()" };
    let mask = mask(Some(dim), input.rank())?;
    if input.numel() == 0 && dim.is_empty() {
        return Err(unspecified(name));
    }
    check_nonempty(name, input.sizes(), &mask)?;
    if input.dtype().is_complex() {
        let kernel = if MAX {
            "max_values_cpu"
        } else {
            "min_values_cpu"
        };
        return Err(Fault::no_kernel(kernel, input.dtype()));
    }
    extreme::<MAX>(input, &mask, keepdim)
}

fn unspecified(name: &str) -> Fault {
    Fault::runtime(format!(
        "{name}: Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument."
    ))
}

/// `amax`.
pub fn amax(input: &Tensor, dim: Ints, keepdim: bool) -> Result<Tensor> {
    over_dims::<true>(input, &dim, keepdim)
}

/// `amin`.
pub fn amin(input: &Tensor, dim: Ints, keepdim: bool) -> Result<Tensor> {
    over_dims::<false>(input, &dim, keepdim)
}

/// `aminmax`: the smallest and the largest element.
pub fn aminmax(input: &Tensor, dim: Option<i64>, keepdim: bool) -> Result<(Tensor, Tensor)> {
    if input.dtype().is_complex() {
        return Err(Fault::type_error(format!(
            "aminmax not implemented for {}",
            input.dtype().class_name()
        )));
    }
    let mask = match dim {
        Some(dim) => {
            let mask = listed(&[dim], input.rank())?;
            check_nonempty("aminmax", input.sizes(), &mask)?;
            mask
        }
        None if input.numel() == 0 => {
            return Err(Fault::runtime(
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.",
            ));
        }
        None => dims::all(input.rank()),
    };
    let (low, high) = (
        extreme::<false>(input, &mask, keepdim)?,
        extreme::<true>(input, &mask, keepdim)?,
    );
    Ok((low, high))
}

fn aminmax_all(input: &Tensor) -> Result<(Tensor, Tensor)> {
    aminmax(input, None, false)
}

fn over_all<const MAX: bool>(input: &Tensor) -> Result<Tensor> {
    if input.numel() == 0 {
        return Err(unspecified(if MAX { "max()" } else { "min()" }));
    }
    if input.dtype().is_complex() {
        let kernel = if MAX { "max_all" } else { "min_all" };
        return Err(Fault::no_kernel(kernel, input.dtype()));
    }
    extreme::<MAX>(input, &dims::all(input.rank()), false)
}

/// `max` over everything.
pub fn max_all(input: &Tensor) -> Result<Tensor> {
    over_all::<true>(input)
}

/// `min` over everything.
pub fn min_all(input: &Tensor) -> Result<Tensor> {
    over_all::<false>(input)
}

/// The extreme of one lane.
struct Best<'a, T: Real, const MAX: bool> {
    fold: &'a Extreme<T, MAX>,
    lane: &'a [T],
}

impl<T: Real, const MAX: bool> Vectorised for Best<'_, T, MAX> {
    type Output = T;
    #[inline(always)]
    fn run(self) -> T {
        self.fold.run(self.fold.start(), self.lane)
    }
}

/// The extreme of every lane of row-major data, and its index in the lane.
fn extremes_of_lanes<T: Real, const MAX: bool>(
    data: &[T],
    lanes: Lanes,
) -> (Buffer<T>, Buffer<i64>) {
    let mut values = Buffer::<T>::stale(lanes.count());
    let mut indices = Buffer::<i64>::stale(lanes.count());
    let fold = Extreme::<T, MAX>(PhantomData);
    if lanes.inner == 1 {
        for (i, lane) in data.chunks_exact(lanes.n).enumerate() {
            watch::poll();
            let best = vectorised(Best { fold: &fold, lane });
            let at = |x: &T| *x == best || (best.is_nan() && x.is_nan());
            values[i] = best;
            indices[i] = lane.iter().position(at).unwrap_or(0) as i64;
        }
        return (values, indices);
    }
    let slabs = data.chunks_exact((lanes.n * lanes.inner).max(1));
    let results = values
        .chunks_exact_mut(lanes.inner)
        .zip(indices.chunks_exact_mut(lanes.inner));
    for (slab, (values, indices)) in slabs.zip(results) {
        values.copy_from_slice(&slab[..lanes.inner]);
        indices.fill(0);
        for (k, row) in slab.chunks_exact(lanes.inner).enumerate().skip(1) {
            watch::poll();
            for ((best, index), &x) in values.iter_mut().zip(indices.iter_mut()).zip(row) {
                let better = wins::<T, MAX>(x, *best) && !best.is_nan();
                *best = if better { x } else { *best };
                *index = if better { k as i64 } else { *index };
            }
        }
    }
    (values, indices)
}

/// Values and indices of the extremes along a dimension that is known not to be empty.
fn with_indices<const MAX: bool>(
    input: &Tensor,
    dim: usize,
    keepdim: bool,
) -> Result<(Tensor, Tensor)> {
    fn run<T: Real, const MAX: bool>(
        t: &Tensor,
        lanes: Lanes,
        sizes: &[usize],
    ) -> (Tensor, Tensor) {
        if lanes.count() == 0 {
            let empty = (Buffer::<T>::stale(0), Buffer::<i64>::stale(0));
            return (empty.0.into_tensor(sizes), empty.1.into_tensor(sizes));
        }
        let (values, indices) = extremes_of_lanes::<T, MAX>(&t.data::<T>(), lanes);
        (values.into_tensor(sizes), indices.into_tensor(sizes))
    }
    let lanes = Lanes::of(input.sizes(), dim);
    let sizes = without_dim(input.sizes(), dim, keepdim);
    let wide = input.to_dtype(wide_dtype(input.dtype()));
    let (values, indices) = match wide.dtype() {
        DType::F32 => run::<f32, MAX>(&wide, lanes, &sizes),
        DType::F64 => run::<f64, MAX>(&wide, lanes, &sizes),
        _ => run::<i64, MAX>(&wide, lanes, &sizes),
    };
    Ok((values.to_dtype(input.dtype()), indices))
}

fn along_dim<const MAX: bool>(input: &Tensor, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    let name = if MAX { "max()" } else { "min()" };
    let d = wrap_dim(dim, input.rank())?;
    check_nonempty(name, input.sizes(), &listed(&[dim], input.rank())?)?;
    if input.dtype().is_complex() {
        return Err(Fault::type_error(format!(
            "{name}: does not support complex input"
        )));
    }
    with_indices::<MAX>(input, d, keepdim)
}

/// `max` along a dimension, with indices.
pub fn max_dim(input: &Tensor, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    along_dim::<true>(input, dim, keepdim)
}

/// `min` along a dimension, with indices.
pub fn min_dim(input: &Tensor, dim: i64, keepdim: bool) -> Result<(Tensor, Tensor)> {
    along_dim::<false>(input, dim, keepdim)
}

fn index_of<const MAX: bool>(input: &Tensor, dim: Option<i64>, keepdim: bool) -> Result<Tensor> {
    let name = if MAX { "argmax()" } else { "argmin()" };
    match dim {
        Some(dim) => check_nonempty(name, input.sizes(), &listed(&[dim], input.rank())?)?,
        None if input.numel() == 0 => {
            return Err(Fault::index(format!(
                "{name}: Expected reduction dim to be specified for input.numel() == 0."
            )));
        }
        None => {}
    }
    if input.dtype().is_complex() {
        return Err(Fault::type_error(format!(
            "{name}: does not support complex input"
        )));
    }
    if input.dtype() == DType::Bool {
        return Err(Fault::not_implemented(format!(
            "{name}: does not support bool input"
        )));
    }
    if let Some(dim) = dim {
        let d = wrap_dim(dim, input.rank())?;
        return Ok(with_indices::<MAX>(input, d, keepdim)?.1);
    }
    let flat = input.reshape_to(&[input.numel()])?;
    let index = with_indices::<MAX>(&flat, 0, false)?.1;
    let rank = if keepdim { input.rank() } else { 0 };
    index.reshape_to(&memory::filled(rank, 1))
}

/// `argmax`.
pub fn argmax(input: &Tensor, dim: Option<i64>, keepdim: bool) -> Result<Tensor> {
    index_of::<true>(input, dim, keepdim)
}

/// `argmin`.
pub fn argmin(input: &Tensor, dim: Option<i64>, keepdim: bool) -> Result<Tensor> {
    index_of::<false>(input, dim, keepdim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_equal_extremes_and_the_first_nan_are_reported() {
        let nan = f32::NAN;
        let rows = [1.0, 3.0, 3.0, 0.0, 1.0, nan, 5.0, nan];
        let t = Tensor::from_slice(&rows, &[2, 4]).unwrap();
        let (values, indices) = max_dim(&t, 1, false).unwrap();
        assert_eq!(indices.to_vec::<i64>(), [1, 1]);
        assert!(values.to_vec::<f32>()[1].is_nan());
        let across = max_dim(&t.transpose(0, 1).unwrap().contiguous(), 0, true).unwrap();
        assert_eq!(across.1.to_vec::<i64>(), [1, 1]);
        assert_eq!(across.1.sizes(), [1, 2]);
    }

    #[test]
    fn empty_dimensions_have_no_extreme() {
        let t = Tensor::zeros(&[0, 3], DType::F32).unwrap();
        let message = |r: Result<Tensor>| r.unwrap_err().message().to_string();
        assert_eq!(
            message(max_dim(&t, 0, false).map(|r| r.0)),
            "max(): Expected reduction dim 0 to have non-zero size."
        );
        assert_eq!(max_dim(&t, 1, false).unwrap().1.sizes(), [0]);
        assert!(
            message(amax(&t, Ints::new(), false))
                .starts_with("amax(): Expected reduction dim to be specified")
        );
    }
}
