//! Softmax and its logarithm over rows and columns.

mod abreast;
pub mod backward;

use super::exponential::Exponential;
use crate::compute::{Compute, compute, dense, finish, round_to};
use crate::isa::multiversion;
use crate::turn::ABREAST;
use rushlight_tensor::lanes::{self, Isa, isa};
use rushlight_tensor::view::wrap_dim;
use rushlight_tensor::{Buffer, DType, Result, Tensor, threads, watch};

/// What is made of the shifted logits of a row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SoftmaxKind {
    Plain,
    /// Rows of nothing but minus infinity become zeros.
    Safe,
    Log,
}

/// The sizes before, along and after a dimension.
pub fn split(t: &Tensor, dim: i64) -> Result<(usize, usize, usize)> {
    let d = wrap_dim(dim, t.rank())?;
    if t.rank() == 0 {
        return Ok((1, 1, 1));
    }
    let outer = t.sizes()[..d].iter().product();
    let inner = t.sizes()[d + 1..].iter().product();
    Ok((outer, t.size(d), inner))
}

/// Softmax or its logarithm along a dimension.
pub fn along(kind: SoftmaxKind, t: &Tensor, dim: i64, dtype: Option<DType>) -> Result<Tensor> {
    let t = dtype.map_or_else(|| t.clone(), |d| t.to_dtype(d));
    let (_, n, inner) = split(&t, dim)?;
    let name = match (kind == SoftmaxKind::Log, inner == 1) {
        (true, true) => "log_softmax_lastdim_kernel_impl",
        (true, false) => "log_softmax_kernel_impl",
        (false, true) => "softmax_lastdim_kernel_impl",
        (false, false) => "softmax_kernel_impl",
    };
    if t.numel() == 0 {
        return Tensor::empty(t.sizes(), t.dtype());
    }
    Ok(compute!(t.dtype(), name, W => {
        let x = dense::<W>(&t);
        let x = x.data::<W>();
        let mut out = Buffer::<W>::unspecified(x.len());
        if !out.is_empty() {
            let width = n * inner;
            threads::split_rows(&mut out, width, 1, 4 * width, &|range, out| {
                let x = &x[range.start * width..range.end * width];
                if inner == 1 && kind == SoftmaxKind::Log && t.dtype().size() == 2 {
                    narrow_log_rows::<W>(t.dtype(), x, out, n);
                } else if inner == 1 {
                    W::softmax_rows(kind, Some(x), out, n);
                } else {
                    columns::<W>(kind, x, out, n, inner);
                }
            });
        }
        finish(out, t.sizes(), t.dtype())
    }))
}

/// The logarithm of the softmax of each run of `n` elements of a 16-bit dtype, which the sum is rounded to.
fn narrow_log_rows<W: Exponential>(dtype: DType, x: &[W], out: &mut [W], n: usize) {
    let rounded = |v: W| W::of(round_to(v.f64(), dtype));
    for (row, out) in x.chunks_exact(n).zip(out.chunks_exact_mut(n)) {
        watch::poll();
        let top = lane_max(row);
        let log = rounded(rounded(exp_sum(row, top)).ln());
        for (o, v) in out.iter_mut().zip(row) {
            *o = *v - top - log;
        }
    }
}

/// Types whose rows have a softmax, which is compiled here and nowhere else.
pub trait SoftmaxRows: Exponential {
    /// Softmax of each run of `n` elements, in place or of others.
    fn softmax_rows(kind: SoftmaxKind, from: Option<&[Self]>, x: &mut [Self], n: usize);
}

impl SoftmaxRows for f64 {
    fn softmax_rows(kind: SoftmaxKind, from: Option<&[f64]>, x: &mut [f64], n: usize) {
        row_by_row(kind, from, x, n);
    }
}

impl SoftmaxRows for f32 {
    fn softmax_rows(kind: SoftmaxKind, from: Option<&[f32]>, x: &mut [f32], n: usize) {
        if !is_short(x.len(), n) {
            return row_by_row(kind, from, x, n);
        }
        let mut memory = Buffer::<f32>::unspecified(2 * ABREAST * n);
        for (i, rows) in x.chunks_mut(ABREAST * n).enumerate() {
            watch::poll();
            let from = from.map(|from| &from[i * ABREAST * n..][..rows.len()]);
            if !abreast::rows(kind, from, rows, n, &mut memory) {
                row_by_row(kind, from, rows, n);
            }
        }
    }
}

/// As [`SoftmaxRows::softmax_rows`].
fn row_by_row<W: Exponential>(kind: SoftmaxKind, from: Option<&[W]>, x: &mut [W], n: usize) {
    let Some(from) = from else {
        return long_in_place(kind, x, n);
    };
    // So many elements stay in the nearest cache between the copy and what becomes of it.
    const NEAR: usize = 1 << 11;
    let some = (NEAR / n).max(1) * n;
    for (from, x) in from.chunks(some).zip(x.chunks_mut(some)) {
        x.copy_from_slice(from);
        long_in_place(kind, x, n);
    }
}

/// Softmax of each run of `n` elements, in place.
pub fn rows_in_place<W: SoftmaxRows>(kind: SoftmaxKind, x: &mut [W], n: usize) {
    W::softmax_rows(kind, None, x, n);
}

/// Whether rows are short, and many enough, to be worked on eight at a time: in rows of their own most of the time would go into
/// sums of a few lanes. The bits are the same.
fn is_short(len: usize, n: usize) -> bool {
    isa() != Isa::Baseline && n <= abreast::LONGEST && len >= ABREAST / 2 * n
}

multiversion! {
    /// As [`rows_in_place`], row by row.
    fn long_in_place<W: Exponential>(kind: SoftmaxKind, x: &mut [W], n: usize) = rows_in_place_body
}

#[inline(always)]
fn rows_in_place_body<const FUSED: bool, W: Exponential>(kind: SoftmaxKind, x: &mut [W], n: usize) {
    for row in x.chunks_exact_mut(n) {
        watch::poll();
        row_in_place::<FUSED, W>(kind, row);
    }
}

/// The largest element, by independent lanes; a NaN may get lost, the sum will find it.
#[inline(always)]
fn lane_max<W: Compute>(x: &[W]) -> W {
    let lowest = -W::INFINITY;
    let mut lanes = [lowest; 16];
    let chunks = x.chunks_exact(16);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (l, v) in lanes.iter_mut().zip(chunk) {
            *l = if *v > *l { *v } else { *l };
        }
    }
    lanes
        .iter()
        .chain(rest)
        .fold(lowest, |m, v| if *v > m { *v } else { m })
}

multiversion! {
    /// The sum of exponentials, given the largest exponent.
    fn exp_sum<W: Exponential>(x: &[W], top: W) -> W = exp_sum_body
}

#[inline(always)]
fn exp_sum_body<const FUSED: bool, W: Exponential>(x: &[W], top: W) -> W {
    let mut lanes = [W::ZERO; 16];
    let mut chunks = x.chunks_exact(16);
    for chunk in &mut chunks {
        for (l, v) in lanes.iter_mut().zip(chunk) {
            *l += (*v - top).fast_exp::<FUSED>();
        }
    }
    let mut sum = lanes.iter().fold(W::ZERO, |s, v| s + *v);
    for v in chunks.remainder() {
        sum += (*v - top).fast_exp::<FUSED>();
    }
    sum
}

#[inline(always)]
fn row_in_place<const FUSED: bool, W: Exponential>(kind: SoftmaxKind, x: &mut [W]) {
    let top = lane_max(x);
    if top == -W::INFINITY && kind == SoftmaxKind::Safe && !x.iter().any(|v| v.is_nan()) {
        x.fill(W::ZERO);
        return;
    }
    if kind == SoftmaxKind::Log {
        let log = exp_sum_body::<FUSED, W>(x, top).ln();
        for v in x.iter_mut() {
            *v = *v - top - log;
        }
        return;
    }
    let mut lanes = [W::ZERO; 16];
    let mut chunks = x.chunks_exact_mut(16);
    for chunk in &mut chunks {
        for (l, v) in lanes.iter_mut().zip(chunk) {
            *v = (*v - top).fast_exp::<FUSED>();
            *l += *v;
        }
    }
    let mut sum = lanes.iter().fold(W::ZERO, |s, v| s + *v);
    for v in chunks.into_remainder() {
        *v = (*v - top).fast_exp::<FUSED>();
        sum += *v;
    }
    let factor = W::ONE / sum;
    for v in x.iter_mut() {
        *v *= factor;
    }
}

/// Columns handled at a time.
const BLOCK: usize = 64;

multiversion! {
    /// Softmax over the middle of three dimensions, the last of which has `inner` elements.
    fn columns<W: Exponential>(kind: SoftmaxKind, x: &[W], out: &mut [W], n: usize, inner: usize) = columns_body
}

#[inline(always)]
fn columns_body<const FUSED: bool, W: Exponential>(
    kind: SoftmaxKind,
    x: &[W],
    out: &mut [W],
    n: usize,
    inner: usize,
) {
    for (x, out) in x
        .chunks_exact(n * inner)
        .zip(out.chunks_exact_mut(n * inner))
    {
        watch::poll();
        for start in (0..inner).step_by(BLOCK) {
            watch::poll();
            let width = BLOCK.min(inner - start);
            let (mut top, mut sum) = ([-W::INFINITY; BLOCK], [W::ZERO; BLOCK]);
            let (top, sum) = (&mut top[..width], &mut sum[..width]);
            for i in 0..n {
                let row = &x[i * inner + start..][..width];
                lanes::merge(top, row, |m, v| if v > m { v } else { m });
            }
            for i in 0..n {
                let from = &x[i * inner + start..][..width];
                let to = &mut out[i * inner + start..][..width];
                for c in 0..width {
                    let e = (from[c] - top[c]).fast_exp::<FUSED>();
                    to[c] = e;
                    sum[c] += e;
                }
            }
            if kind == SoftmaxKind::Log {
                sum.iter_mut().for_each(|sum| *sum = sum.ln());
            }
            for i in 0..n {
                let from = &x[i * inner + start..][..width];
                let to = &mut out[i * inner + start..][..width];
                for c in 0..width {
                    to[c] = match kind {
                        SoftmaxKind::Log => from[c] - top[c] - sum[c],
                        SoftmaxKind::Safe if top[c] == -W::INFINITY && !from[c].is_nan() => W::ZERO,
                        _ => to[c] / sum[c],
                    };
                }
            }
        }
    }
}
