//! The largest and the smallest, and where they are.

use super::dims::{Lanes, Mask, result_sizes, wide_dtype, without_dim};
use super::fold::{Fold, reduce};
use crate::compute::LANES;
use rushlight_tensor::lanes::{self, Vectorised, vectorised};
use rushlight_tensor::threads::{self, Rows};
use rushlight_tensor::{Buffer, DType, Real, Result, Tensor, watch};
use std::marker::PhantomData;

/// The largest element if `MAX`, else the smallest.
pub struct Extreme<T, const MAX: bool>(pub PhantomData<T>);

/// Whether `x` takes the place of `best`.
#[inline(always)]
fn wins<T: Real, const MAX: bool>(x: T, best: T) -> bool {
    x.is_nan() || if MAX { x > best } else { x < best }
}

impl<T: Real, const MAX: bool> Fold for Extreme<T, MAX> {
    type In = T;
    type Acc = T;
    fn start(&self) -> T {
        if MAX { T::LOWEST } else { T::HIGHEST }
    }
    #[inline(always)]
    fn run(&self, acc: T, run: &[T]) -> T {
        let pick = |best: T, x: T| if wins::<T, MAX>(x, best) { x } else { best };
        let chunks = run.chunks_exact(LANES);
        let rest = chunks.remainder();
        let mut best = acc;
        if run.len() >= LANES {
            let mut lanes = [acc; LANES];
            for chunk in chunks {
                for (lane, &x) in lanes.iter_mut().zip(chunk) {
                    *lane = pick(*lane, x);
                }
            }
            best = lanes.into_iter().fold(acc, pick);
        }
        rest.iter().fold(best, |best, &x| pick(best, x))
    }
    #[inline(always)]
    fn rows(&self, acc: &mut [T], rows: &[T]) {
        let pick = |best: T, x: T| if wins::<T, MAX>(x, best) { x } else { best };
        // The types that most reductions are of: the loop takes much room.
        if size_of::<T>() == 4 {
            return lanes::merge_rows(acc, rows, pick);
        }
        for row in rows.chunks_exact(acc.len()) {
            lanes::merge(acc, row, pick);
        }
    }
}

/// The extreme of all elements of some.
struct Whole<'a, T, const MAX: bool>(&'a [T]);

impl<T: Real, const MAX: bool> Vectorised for Whole<'_, T, MAX> {
    type Output = T;
    #[inline(always)]
    fn run(self) -> T {
        let fold = Extreme::<T, MAX>(PhantomData);
        let mut best = fold.start();
        for part in self.0.chunks(1 << 16) {
            watch::poll();
            best = fold.run(best, part);
        }
        best
    }
}

/// The dtype that elements are compared in: integers of up to 16 bits are floats, exactly, of
/// which more go into a vector.
fn comparison_dtype(dtype: DType) -> DType {
    match dtype {
        DType::U8 | DType::I8 | DType::I16 => DType::F32,
        other => wide_dtype(other),
    }
}

/// The largest or smallest element over the dimensions of a mask.
pub fn extreme<const MAX: bool>(input: &Tensor, mask: &Mask, keepdim: bool) -> Result<Tensor> {
    fn run<T: Real, const MAX: bool>(t: &Tensor, mask: &Mask, keepdim: bool) -> Result<Tensor> {
        reduce(t, mask, keepdim, &Extreme::<T, MAX>(PhantomData), |a| a)
    }
    fn whole<T: Real, const MAX: bool>(t: &Tensor, sizes: &[usize]) -> Result<Tensor> {
        let t = t.contiguous();
        let best = vectorised(Whole::<T, MAX>(&t.data::<T>()));
        Ok(Buffer::from_iter([best]).into_tensor(sizes))
    }
    if mask.iter().all(|m| *m) {
        // Pixels, and what is as common, are compared as they are.
        let sizes = result_sizes(input.sizes(), mask, keepdim);
        match input.dtype() {
            DType::U8 => return whole::<u8, MAX>(input, &sizes),
            DType::I32 => return whole::<i32, MAX>(input, &sizes),
            _ => {}
        }
    }
    let wide = input.to_dtype(comparison_dtype(input.dtype()));
    let found = match wide.dtype() {
        DType::F32 => run::<f32, MAX>(&wide, mask, keepdim),
        DType::F64 => run::<f64, MAX>(&wide, mask, keepdim),
        _ => run::<i64, MAX>(&wide, mask, keepdim),
    }?;
    Ok(found.to_dtype(input.dtype()))
}

/// The extremes of runs, and where in their runs they are.
struct Runs<'a, T: Real, const MAX: bool> {
    data: &'a [T],
    run: usize,
    values: &'a mut [T],
    indices: &'a mut [i64],
}

impl<T: Real, const MAX: bool> Vectorised for Runs<'_, T, MAX> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let fold = Extreme::<T, MAX>(PhantomData);
        let results = self.values.iter_mut().zip(self.indices);
        for (run, (value, index)) in self.data.chunks_exact(self.run).zip(results) {
            watch::poll();
            let best = fold.run(fold.start(), run);
            let at = match best.is_nan() {
                true => run.iter().position(|x| x.is_nan()),
                false => run.iter().position(|x| *x == best),
            };
            (*value, *index) = (best, at.unwrap_or(0) as i64);
        }
    }
}

/// The extreme of every lane of row-major data, and its index in the lane.
fn extremes_of_lanes<T: Real, const MAX: bool>(
    data: &[T],
    lanes: Lanes,
) -> (Buffer<T>, Buffer<i64>) {
    let mut values = Buffer::<T>::unspecified(lanes.count());
    let mut indices = Buffer::<i64>::unspecified(lanes.count());
    let (width, slab) = (lanes.inner, (lanes.n * lanes.inner).max(1));
    let lent = (Rows::of(&mut values, width), Rows::of(&mut indices, width));
    threads::split_lent(lanes.outer, 1, slab, lent, &|part, (values, indices)| {
        let data = &data[part.start * slab..part.end * slab];
        extremes_of_slabs::<T, MAX>(data, lanes, values, indices);
    });
    (values, indices)
}

fn extremes_of_slabs<T: Real, const MAX: bool>(
    data: &[T],
    lanes: Lanes,
    values: &mut [T],
    indices: &mut [i64],
) {
    if lanes.inner == 1 {
        return vectorised(Runs::<T, MAX> {
            data,
            run: lanes.n,
            values,
            indices,
        });
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
}

/// Values and indices of the extremes along a dimension that is known not to be empty.
pub fn with_indices<const MAX: bool>(
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
            let empty = (Buffer::<T>::unspecified(0), Buffer::<i64>::unspecified(0));
            return (empty.0.into_tensor(sizes), empty.1.into_tensor(sizes));
        }
        let (values, indices) = extremes_of_lanes::<T, MAX>(&t.data::<T>(), lanes);
        (values.into_tensor(sizes), indices.into_tensor(sizes))
    }
    let lanes = Lanes::of(input.sizes(), dim);
    let sizes = without_dim(input.sizes(), dim, keepdim);
    let wide = input.to_dtype(comparison_dtype(input.dtype()));
    let (values, indices) = match wide.dtype() {
        DType::F32 => run::<f32, MAX>(&wide, lanes, &sizes),
        DType::F64 => run::<f64, MAX>(&wide, lanes, &sizes),
        _ => run::<i64, MAX>(&wide, lanes, &sizes),
    };
    Ok((values.to_dtype(input.dtype()), indices))
}
