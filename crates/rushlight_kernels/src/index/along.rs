//! Combining into slices along a dimension, and means of what was combined.

use super::runs::{Combine, Runs, put, span_view};
use crate::reduce::dims::{Lanes, wide_dtype};
use rushlight_tensor::lanes::{Vectorised, vectorised};
use rushlight_tensor::layout::{broadcast, list};
use rushlight_tensor::memory::Collected;
use rushlight_tensor::{
    Buffer, Cells, DType, Dims, Element, Number, Result, Scalar, Tensor, by_width, dispatch,
    memory, threads, watch,
};

/// Indices with negative ones counted from the end.
pub fn wrapped(indices: &Tensor, size: usize) -> Result<Tensor> {
    let indices = indices.to_dtype(DType::I64);
    if indices.span::<i64>().iter().all(|&i| i >= 0) {
        return Ok(indices);
    }
    let values: Vec<i64> = indices
        .data::<i64>()
        .iter()
        .map(|&i| if i < 0 { i + size as i64 } else { i })
        .collected();
    Tensor::from_vec(values, indices.sizes())
}

/// Whether indices lie outside a size.
struct Outside<'a> {
    indices: &'a [i64],
    size: u64,
}

impl Vectorised for Outside<'_> {
    type Output = bool;
    #[inline(always)]
    fn run(self) -> bool {
        let is_outside = |any, i: &i64| any | (*i as u64 >= self.size);
        self.indices.iter().fold(false, is_outside)
    }
}

/// The first index that lies outside a size.
pub fn first_outside(indices: &[i64], size: usize) -> Option<i64> {
    let size = size as u64;
    if !vectorised(Outside { indices, size }) {
        return None;
    }
    indices.iter().copied().find(|i| *i as u64 >= size)
}

/// The elements, of four bytes or eight, of rows at indices of the same number of rows: both tensors are contiguous, and indices
/// lie within a row.
pub fn of_rows(t: &Tensor, size: usize, indices: &Tensor, keep: usize) -> Result<Tensor> {
    let width = t.dtype().size();
    let bytes = t.bytes()?;
    let mut out = Buffer::<u8>::unspecified(memory::times([indices.numel(), width]));
    let (from, at) = (&bytes.data::<u8>()[..], &indices.data::<i64>()[..]);
    match width {
        4 => rows_at::<4>(from, size, at, keep, &mut out),
        _ => rows_at::<8>(from, size, at, keep, &mut out),
    }
    out.into_elements(t.dtype(), indices.sizes())
}

/// As [`of_rows`], of elements of `N` bytes.
fn rows_at<const N: usize>(from: &[u8], size: usize, at: &[i64], keep: usize, out: &mut [u8]) {
    let from = from.as_chunks::<N>().0;
    threads::split_rows(out, keep * N, 1, 4 * keep, &|rows, out| {
        let (out, _) = out.as_chunks_mut::<N>();
        for (row, out) in rows.zip(out.chunks_exact_mut(keep)) {
            watch::poll();
            let (from, at) = (&from[row * size..][..size], &at[row * keep..][..keep]);
            for (out, at) in out.iter_mut().zip(at) {
                *out = from[*at as usize];
            }
        }
    });
}

/// Combines values, or a single one, into the elements of rows at indices of the same number of rows, of which each has `keep`:
/// all tensors are contiguous, indices lie within a row, and values are none of the target's own. `false`, and nothing done,
/// for dtypes that are combined in another way.
pub fn into_rows(
    target: &Tensor,
    size: usize,
    (indices, keep): (&Tensor, usize),
    values: &Tensor,
    how: Combine,
) -> Result<bool> {
    let at = indices.data::<i64>();
    let rows = (&at[..], size, keep);
    macro_rules! sums {
        ($t:ty) => {
            each_value::<$t>(target, rows, values, |cells, at, value| {
                cells.set(at, cells.get(at).add(value));
            })
        };
    }
    match (how, target.dtype()) {
        (Combine::Replace, dtype) => {
            let raw = dtype.as_wide();
            let (target, values) = (target.read_as(raw)?, values.read_as(raw)?);
            dispatch!(raw, Wide, T => {
                each_value::<T>(&target, rows, &values, |cells, at, value| cells.set(at, value));
            });
        }
        (Combine::Add, DType::F32) => sums!(f32),
        (Combine::Add, DType::F64) => sums!(f64),
        (Combine::Add, DType::I64) => sums!(i64),
        _ => return Ok(false),
    }
    Ok(true)
}

/// Runs `step(memory, place, value)` for all indices of rows of a size, of which each has `keep`.
fn each_value<T: Element>(
    target: &Tensor,
    (at, size, keep): (&[i64], usize, usize),
    values: &Tensor,
    step: impl Fn(&Cells<'_, T>, usize, T),
) {
    let (cells, values) = (target.cells::<T>(), values.data::<T>());
    for (row, at) in at.chunks_exact(keep.max(1)).enumerate() {
        watch::poll();
        let first = row * size;
        if let [only] = values[..] {
            for i in at {
                step(&cells, first + *i as usize, only);
            }
            continue;
        }
        for (i, value) in at.iter().zip(&values[row * keep..][..keep]) {
            step(&cells, first + *i as usize, *value);
        }
    }
}

/// The elements of the lanes of a tensor at indices of which each lane has `keep`.
pub fn of_lanes(t: &Tensor, lanes: Lanes, keep: usize, indices: &Tensor) -> Result<Tensor> {
    let width = t.dtype().size();
    let bytes = t.contiguous().bytes()?;
    let mut out = Buffer::<u8>::unspecified(memory::times([indices.numel(), width]));
    let (from, at) = (&bytes.data::<u8>()[..], &indices.data::<i64>()[..]);
    by_width!(width, N => lanes_at::<N>(from, lanes, keep, at, &mut out));
    out.into_elements(t.dtype(), indices.sizes())
}

/// As [`of_lanes`], of elements of `N` bytes.
fn lanes_at<const N: usize>(from: &[u8], lanes: Lanes, keep: usize, at: &[i64], out: &mut [u8]) {
    let (from, out) = (from.as_chunks::<N>().0, out.as_chunks_mut::<N>().0);
    let (size, inner) = (lanes.n * lanes.inner, lanes.inner);
    if keep * inner == 0 || size == 0 {
        return;
    }
    let slabs = at.chunks_exact(keep * inner).zip(from.chunks_exact(size));
    for ((at, from), out) in slabs.zip(out.chunks_exact_mut(keep * inner)) {
        watch::poll();
        if inner == 1 {
            for (out, at) in out.iter_mut().zip(at) {
                *out = from[*at as usize];
            }
            continue;
        }
        for (out, at) in out.chunks_exact_mut(inner).zip(at.chunks_exact(inner)) {
            for (lane, (out, at)) in out.iter_mut().zip(at).enumerate() {
                *out = from[*at as usize * inner + lane];
            }
        }
    }
}

/// Combines values into places by the name of a reduction; without `include_self` the old elements do not count.
pub fn reduce_into(
    target: &Tensor,
    runs: &Runs,
    values: &Tensor,
    reduce: &str,
    include_self: bool,
) -> Result<()> {
    let (how, identity) = match reduce {
        "prod" => (Combine::Multiply, Scalar::Int(1)),
        "amax" => (Combine::Max, lowest(target.dtype())),
        "amin" => (Combine::Min, highest(target.dtype())),
        _ => (Combine::Add, Scalar::Int(0)),
    };
    let values = if values.shares_storage(target) {
        values.contiguous_copy()
    } else {
        values.clone()
    };
    if !include_self {
        put(
            target,
            runs,
            &Tensor::scalar(identity, target.dtype()),
            Combine::Replace,
        )?;
    }
    if reduce == "mean" {
        return mean_into(target, runs, &values, include_self);
    }
    put(target, runs, &values, how)
}

fn lowest(dtype: DType) -> Scalar {
    match dtype {
        d if d.is_float() => Scalar::Float(f64::NEG_INFINITY),
        DType::Bool => Scalar::Bool(false),
        DType::U8 => Scalar::Int(0),
        d => Scalar::Int(i64::MIN >> (64 - 8 * d.size().min(8))),
    }
}

fn highest(dtype: DType) -> Scalar {
    match dtype {
        d if d.is_float() => Scalar::Float(f64::INFINITY),
        DType::Bool => Scalar::Bool(true),
        DType::U8 => Scalar::Int(255),
        d => Scalar::Int(i64::MAX >> (64 - 8 * d.size().min(8))),
    }
}

/// Adds the values, then divides every element by how many have gone into it.
fn mean_into(target: &Tensor, runs: &Runs, values: &Tensor, include_self: bool) -> Result<()> {
    let span = span_view(target)?;
    let sums = span.contiguous_copy();
    put(&sums, runs, values, Combine::Add)?;
    let start = Scalar::Int(include_self as i64);
    let counts = Tensor::full(span.sizes(), start, DType::I64)?;
    put(
        &counts,
        runs,
        &Tensor::scalar(Scalar::Int(1), DType::I64),
        Combine::Add,
    )?;
    span.copy_from(&divide_by_counts(&sums, &counts)?)
}

/// Divides where a count is positive; integers round down.
fn divide_by_counts(sums: &Tensor, counts: &Tensor) -> Result<Tensor> {
    let counts = counts.to_vec::<i64>();
    match wide_dtype(sums.dtype()) {
        DType::I64 => {
            let values = sums.to_vec::<i64>();
            let divide = |(&s, &n): (&i64, &i64)| if n > 0 { s.div_euclid(n) } else { s };
            Tensor::from_vec(
                values.iter().zip(&counts).map(divide).collected(),
                sums.sizes(),
            )
        }
        _ => {
            let values = sums.to_vec::<rushlight_tensor::Complex64>();
            let divide = |(&s, &n): (&rushlight_tensor::Complex64, &i64)| s / n.max(1) as f64;
            Tensor::from_vec(
                values.iter().zip(&counts).map(divide).collected(),
                sums.sizes(),
            )
        }
    }
}

/// The broadcast of several shapes, or the shapes as messages list them.
pub fn broadcast_all<'a>(
    shapes: impl Iterator<Item = &'a [usize]> + Clone,
) -> Result<Dims, String> {
    let mut all = Dims::new();
    for shape in shapes.clone() {
        match broadcast(&all, shape) {
            Some(wider) => all = wider,
            None => return Err(shapes.map(list).collected().join(", ")),
        }
    }
    Ok(all)
}
