//! Gradients of softmax and of its logarithm.

use super::{BLOCK, split};
use crate::compute::{Compute, LANES, compute, dense, finish, lane_total};
use crate::isa::multiversion;
use crate::nn::exponential::Exponential;
use rushlight_tensor::{Buffer, Result, Tensor, threads, watch};

/// The gradient of the input by that of the result, `y`; of the logarithm if `is_log`.
pub fn backward(is_log: bool, grad: &Tensor, y: &Tensor, dim: i64) -> Result<Tensor> {
    let (_, n, inner) = split(grad, dim)?;
    Ok(compute!(grad.dtype(), "softmax_backward", W => {
        let (g, y) = (dense::<W>(grad), dense::<W>(y));
        let (g, y) = (g.data::<W>(), y.data::<W>());
        let mut out = Buffer::<W>::unspecified(g.len());
        if !out.is_empty() {
            let width = n * inner;
            threads::split_rows(&mut out, width, 1, 4 * width, &|range, out| {
                let part = range.start * width..range.end * width;
                let (g, y) = (&g[part.clone()], &y[part]);
                match inner {
                    1 => rows::<W>(is_log, g, y, out, n),
                    _ => columns::<W>(is_log, g, y, out, n, inner),
                }
            });
        }
        finish(out, grad.sizes(), grad.dtype())
    }))
}

/// What an element adds to the sum that all of its row have to do with.
#[inline(always)]
fn term<W: Compute>(is_log: bool, g: W, y: W) -> W {
    if is_log { g } else { g * y }
}

multiversion! {
    /// Of runs of `n` elements.
    fn rows<W: Exponential>(is_log: bool, g: &[W], y: &[W], out: &mut [W], n: usize) = rows_body
}

#[inline(always)]
fn rows_body<const FUSED: bool, W: Exponential>(
    is_log: bool,
    g: &[W],
    y: &[W],
    out: &mut [W],
    n: usize,
) {
    let given = g.chunks_exact(n).zip(y.chunks_exact(n));
    for ((g, y), out) in given.zip(out.chunks_exact_mut(n)) {
        watch::poll();
        let mut sums = [W::ZERO; LANES];
        let (gs, ys) = (g.chunks_exact(LANES), y.chunks_exact(LANES));
        let rest = gs.remainder().iter().zip(ys.remainder());
        for (g, y) in gs.zip(ys) {
            for (sum, (g, y)) in sums.iter_mut().zip(g.iter().zip(y)) {
                *sum += term(is_log, *g, *y);
            }
        }
        for (sum, (g, y)) in sums.iter_mut().zip(rest) {
            *sum += term(is_log, *g, *y);
        }
        let sum = W::of(lane_total(&sums.map(|sum| sum.f64())));
        each::<FUSED, W>(is_log, g, y, out, |_| sum);
    }
}

multiversion! {
    /// Of elements that lie `inner` apart.
    fn columns<W: Exponential>(is_log: bool, g: &[W], y: &[W], out: &mut [W], n: usize, inner: usize) = columns_body
}

#[inline(always)]
fn columns_body<const FUSED: bool, W: Exponential>(
    is_log: bool,
    g: &[W],
    y: &[W],
    out: &mut [W],
    n: usize,
    inner: usize,
) {
    let size = n * inner;
    let given = g.chunks_exact(size).zip(y.chunks_exact(size));
    for ((g, y), out) in given.zip(out.chunks_exact_mut(size)) {
        for start in (0..inner).step_by(BLOCK) {
            watch::poll();
            let width = BLOCK.min(inner - start);
            let mut sums = [W::ZERO; BLOCK];
            let sums = &mut sums[..width];
            for i in 0..n {
                let (g, y) = (&g[i * inner + start..], &y[i * inner + start..]);
                for (sum, (g, y)) in sums.iter_mut().zip(g.iter().zip(y)) {
                    *sum += term(is_log, *g, *y);
                }
            }
            for i in 0..n {
                let own = i * inner + start..i * inner + start + width;
                let (g, y) = (&g[own.clone()], &y[own.clone()]);
                each::<FUSED, W>(is_log, g, y, &mut out[own], |c| sums[c]);
            }
        }
    }
}

/// The gradients of elements, by the sum that each has to do with.
#[inline(always)]
fn each<const FUSED: bool, W: Exponential>(
    is_log: bool,
    g: &[W],
    y: &[W],
    out: &mut [W],
    sum: impl Fn(usize) -> W,
) {
    let given = g.iter().zip(y).enumerate();
    if is_log {
        for (out, (c, (g, y))) in out.iter_mut().zip(given) {
            *out = *g - y.fast_exp::<FUSED>() * sum(c);
        }
    } else {
        for (out, (c, (g, y))) in out.iter_mut().zip(given) {
            *out = (*g - sum(c)) * *y;
        }
    }
}
